"""From one relation to another: count the steps, then apply group privacy."""

from __future__ import annotations

from partita.errors import granularity as refuse
from partita.granularity.base import Granularity, Relation
from partita.granularity.graphs import Edges
from partita.granularity.replace import Replace
from partita.granularity.rows import Rows
from partita.theory.measures.base import Measure


def steps(source: Granularity, target: Granularity) -> int:
    """How many steps of the source relation make one step of the target (theory A9).

    >>> from partita.granularity.users import users
    >>> steps(users("patient", rows=5), Rows())
    2
    """
    for refused, value in (("source", source), ("target", target)):
        if not isinstance(value, Granularity):
            raise refuse.not_a_granularity(refused, value)
    direct = target.made_of(source)
    if direct is None:
        direct = source.makes(target)
    if direct is None and type(source.single) is not type(target.single):
        # Through single rows. Not between two of a kind: a guarantee for owners of 3 rows is silent on owners of 4.
        through = source.makes(Rows())
        onward = target.made_of(Rows())
        direct = None if through is None or onward is None else through * onward
    if direct is None:
        raise refuse.no_guarantee(str(source), str(target))
    return direct


def stated(target: Granularity) -> tuple[Relation, int]:
    """Under which relation losses of single steps are stated for a unit, and how many such steps make it (theory A9).

    Steps are changes of a row where the unit is made of those, else rows that come or go, or edges.

    >>> from partita.granularity.groups import groups
    >>> stated(groups(3, of=Replace()))
    (<Relation.CHANGE_ONE: 'change-one'>, 3)
    """
    changes = (Replace(),) if target.relation is Relation.CHANGE_ONE else ()
    for step in (*changes, Rows(), Edges()):
        count = target.made_of(step)
        if count is not None:
            return step.relation, count
    raise refuse.no_guarantee(str(Rows()), str(target))


def convert(loss: Measure, source: Granularity, target: Granularity) -> Measure:
    """The loss under another relation, or a refusal where there is no guarantee (theory A9).

    >>> from partita.granularity.replace import replace
    >>> from partita.theory.measures.pure import Pure
    >>> convert(Pure(epsilon=1), Rows(), replace())
    Pure(epsilon=Fraction(2, 1))
    """
    return loss.group(steps(source, target))
