"""Who is protected: the open family of neighbouring relations, one file each."""

from partita.granularity.base import Granularity, Relation
from partita.granularity.events import Events, events
from partita.granularity.graphs import Edges, Nodes, edges, nodes
from partita.granularity.groups import Groups, groups
from partita.granularity.metric import Metric, metric
from partita.granularity.persons import Persons, persons
from partita.granularity.replace import Replace, replace
from partita.granularity.rows import Rows, rows
from partita.granularity.steps import convert, stated, steps
from partita.granularity.users import Users, users
from partita.granularity.windows import Windows, windows

__all__ = [
    "Edges",
    "Events",
    "Granularity",
    "Groups",
    "Metric",
    "Nodes",
    "Persons",
    "Relation",
    "Replace",
    "Rows",
    "Users",
    "Windows",
    "convert",
    "edges",
    "events",
    "groups",
    "metric",
    "nodes",
    "persons",
    "replace",
    "rows",
    "stated",
    "steps",
    "users",
    "windows",
]
