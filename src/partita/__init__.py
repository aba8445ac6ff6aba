"""Partita: a differentially private curator that composes everything it ever releases.

The public names are loaded when they are first used, so that ``import partita`` stays light.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from partita.front import front

if TYPE_CHECKING:
    from partita import algorithms as algorithms
    from partita.attacks.attack import Attack as Attack
    from partita.attacks.audits.audit import Audit as Audit
    from partita.attacks.audits.audit import audit as audit
    from partita.attacks.laboratory.canaries import audit_training as audit_training
    from partita.client.remote import connect as connect
    from partita.composition.account import RegionAccount as RegionAccount
    from partita.composition.account import general as general
    from partita.composition.adaptive.filters import EitherOr as EitherOr
    from partita.composition.adaptive.filters import Filter as Filter
    from partita.composition.adaptive.filters import either_order as either_order
    from partita.composition.adaptive.interactive import Child as Child
    from partita.composition.adaptive.interactive import Concurrent as Concurrent
    from partita.composition.adaptive.odometer import Odometer as Odometer
    from partita.composition.adaptive.slots import Slots as Slots
    from partita.composition.calibration.calibrate import calibrate as calibrate
    from partita.composition.calibration.calibrate import calibrate_plan as calibrate_plan
    from partita.composition.exchange import interchange as interchange
    from partita.composition.guarantees.compose import compose as compose
    from partita.composition.guarantees.guarantee import Guarantee as Guarantee
    from partita.composition.guarantees.running import Running as Running
    from partita.composition.plans.promise import Promise as Promise
    from partita.curator.answers.answer import Answer as Answer
    from partita.curator.batches.batch import Batch as Batch
    from partita.curator.batches.planned import Planned as Planned
    from partita.curator.computations.computation import Computation as Computation
    from partita.curator.computations.computation import Sample as Sample
    from partita.curator.curator import Curator as Curator
    from partita.curator.settings import open_settings as open
    from partita.errors import AccessRefused as AccessRefused
    from partita.errors import BudgetExceeded as BudgetExceeded
    from partita.errors import Caution as Caution
    from partita.errors import EngineFault as EngineFault
    from partita.errors import InvalidInput as InvalidInput
    from partita.errors import LedgerFault as LedgerFault
    from partita.errors import NotProven as NotProven
    from partita.errors import PartitaError as PartitaError
    from partita.errors import QueryRefused as QueryRefused
    from partita.errors import ServiceFault as ServiceFault
    from partita.explain import gallery as pictures
    from partita.explain.report.report import report as report
    from partita.explain.words import explain as explain
    from partita.granularity import edges as edges
    from partita.granularity import events as events
    from partita.granularity import groups as groups
    from partita.granularity import metric as metric
    from partita.granularity import nodes as nodes
    from partita.granularity import persons as persons
    from partita.granularity import replace as replace
    from partita.granularity import rows as rows
    from partita.granularity import users as users
    from partita.granularity import windows as windows
    from partita.ledger.receipts.receipts import Receipt as Receipt
    from partita.ledger.receipts.together import compose as together
    from partita.ledger.reports.report import check_export as check_export
    from partita.mechanisms.discrete_gaussian import DiscreteGaussian as DiscreteGaussian
    from partita.mechanisms.exponential import Exponential as Exponential
    from partita.mechanisms.gaussian import GaussianNoise as GaussianNoise
    from partita.mechanisms.geometric import Geometric as Geometric
    from partita.mechanisms.histogram import Histogram as Histogram
    from partita.mechanisms.key_selection import GaussianThreshold as GaussianThreshold
    from partita.mechanisms.key_selection import LaplaceThreshold as LaplaceThreshold
    from partita.mechanisms.laplace import Laplace as Laplace
    from partita.mechanisms.noisy_max import NoisyMax as NoisyMax
    from partita.mechanisms.permute_and_flip import PermuteAndFlip as PermuteAndFlip
    from partita.mechanisms.randomized_response import RandomizedResponse as RandomizedResponse
    from partita.mechanisms.repeated import Repeated as Repeated
    from partita.mechanisms.shuffled import Shuffled as Shuffled
    from partita.mechanisms.sparse_vector import SparseVector as SparseVector
    from partita.mechanisms.subsampled import Subsampled as Subsampled
    from partita.mechanisms.truncated_geometric import TruncatedGeometric as TruncatedGeometric
    from partita.mechanisms.unary_encoding import UnaryEncoding as UnaryEncoding
    from partita.query.builder.aggregates import avg as avg
    from partita.query.builder.aggregates import count as count
    from partita.query.builder.aggregates import max as max
    from partita.query.builder.aggregates import median as median
    from partita.query.builder.aggregates import min as min
    from partita.query.builder.aggregates import quantile as quantile
    from partita.query.builder.aggregates import quantiles as quantiles
    from partita.query.builder.aggregates import sum as sum
    from partita.query.builder.expressions import col as col
    from partita.query.tables.public import PublicTable as PublicTable
    from partita.query.tables.schema import Table as Table
    from partita.query.tables.sources import csv as csv
    from partita.query.tables.sources import database as database
    from partita.query.tables.sources import duckdb as duckdb
    from partita.region.columns import booleans as booleans
    from partita.region.columns import categories as categories
    from partita.region.columns import dates as dates
    from partita.region.columns import decimals as decimals
    from partita.region.columns import identifier as identifier
    from partita.region.columns import integers as integers
    from partita.region.columns import key as key
    from partita.region.columns import text_keys as text_keys
    from partita.region.columns import timestamps as timestamps
    from partita.region.domain import Domain as Domain
    from partita.region.region import Region as Region
    from partita.theory.conversions import convert as convert
    from partita.theory.conversions import group_privacy as group_privacy
    from partita.theory.distance import Distance as Distance
    from partita.theory.distance import l1 as l1
    from partita.theory.distance import l2 as l2
    from partita.theory.distance import l2_squared as l2_squared
    from partita.theory.distance import linf as linf
    from partita.theory.measures.approximate import Approximate as Approximate
    from partita.theory.measures.gdp import GDP as GDP
    from partita.theory.measures.profile import Profile as Profile
    from partita.theory.measures.pure import Pure as Pure
    from partita.theory.measures.renyi import Renyi as Renyi
    from partita.theory.measures.zcdp import ZCDP as ZCDP
    from partita.theory.semantics import membership_advantage as membership_advantage
    from partita.theory.semantics import posterior as posterior
    from partita.theory.semantics import posterior_odds as posterior_odds
    from partita.theory.semantics import posterior_range as posterior_range
    from partita.theory.semantics import someone_published as someone_published
    from partita.theory.semantics import true_positive_rate as true_positive_rate
    from partita.theory.semantics import with_and_without as with_and_without

# Where each public name lives: the module, and what it is called there.
_HOMES = {
    "Child": ("partita.composition.adaptive.interactive", "Child"),
    "Concurrent": ("partita.composition.adaptive.interactive", "Concurrent"),
    "EitherOr": ("partita.composition.adaptive.filters", "EitherOr"),
    "Running": ("partita.composition.guarantees.running", "Running"),
    "algorithms": ("partita.algorithms", ""),
    "AccessRefused": ("partita.errors", "AccessRefused"),
    "Answer": ("partita.curator.answers.answer", "Answer"),
    "Approximate": ("partita.theory.measures.approximate", "Approximate"),
    "Attack": ("partita.attacks.attack", "Attack"),
    "Audit": ("partita.attacks.audits.audit", "Audit"),
    "Batch": ("partita.curator.batches.batch", "Batch"),
    "BudgetExceeded": ("partita.errors", "BudgetExceeded"),
    "Caution": ("partita.errors", "Caution"),
    "Computation": ("partita.curator.computations.computation", "Computation"),
    "Curator": ("partita.curator.curator", "Curator"),
    "DiscreteGaussian": ("partita.mechanisms.discrete_gaussian", "DiscreteGaussian"),
    "Distance": ("partita.theory.distance", "Distance"),
    "Domain": ("partita.region.domain", "Domain"),
    "EngineFault": ("partita.errors", "EngineFault"),
    "Exponential": ("partita.mechanisms.exponential", "Exponential"),
    "Filter": ("partita.composition.adaptive.filters", "Filter"),
    "GDP": ("partita.theory.measures.gdp", "GDP"),
    "GaussianNoise": ("partita.mechanisms.gaussian", "GaussianNoise"),
    "GaussianThreshold": ("partita.mechanisms.key_selection", "GaussianThreshold"),
    "Geometric": ("partita.mechanisms.geometric", "Geometric"),
    "Guarantee": ("partita.composition.guarantees.guarantee", "Guarantee"),
    "Histogram": ("partita.mechanisms.histogram", "Histogram"),
    "InvalidInput": ("partita.errors", "InvalidInput"),
    "Laplace": ("partita.mechanisms.laplace", "Laplace"),
    "LaplaceThreshold": ("partita.mechanisms.key_selection", "LaplaceThreshold"),
    "LedgerFault": ("partita.errors", "LedgerFault"),
    "NoisyMax": ("partita.mechanisms.noisy_max", "NoisyMax"),
    "NotProven": ("partita.errors", "NotProven"),
    "Odometer": ("partita.composition.adaptive.odometer", "Odometer"),
    "PartitaError": ("partita.errors", "PartitaError"),
    "PermuteAndFlip": ("partita.mechanisms.permute_and_flip", "PermuteAndFlip"),
    "Profile": ("partita.theory.measures.profile", "Profile"),
    "Planned": ("partita.curator.batches.planned", "Planned"),
    "Promise": ("partita.composition.plans.promise", "Promise"),
    "Pure": ("partita.theory.measures.pure", "Pure"),
    "QueryRefused": ("partita.errors", "QueryRefused"),
    "RandomizedResponse": ("partita.mechanisms.randomized_response", "RandomizedResponse"),
    "Receipt": ("partita.ledger.receipts.receipts", "Receipt"),
    "Region": ("partita.region.region", "Region"),
    "RegionAccount": ("partita.composition.account", "RegionAccount"),
    "Renyi": ("partita.theory.measures.renyi", "Renyi"),
    "Sample": ("partita.curator.computations.computation", "Sample"),
    "ServiceFault": ("partita.errors", "ServiceFault"),
    "Slots": ("partita.composition.adaptive.slots", "Slots"),
    "Repeated": ("partita.mechanisms.repeated", "Repeated"),
    "Shuffled": ("partita.mechanisms.shuffled", "Shuffled"),
    "SparseVector": ("partita.mechanisms.sparse_vector", "SparseVector"),
    "Subsampled": ("partita.mechanisms.subsampled", "Subsampled"),
    "PublicTable": ("partita.query.tables.public", "PublicTable"),
    "Table": ("partita.query.tables.schema", "Table"),
    "csv": ("partita.query.tables.sources", "csv"),
    "database": ("partita.query.tables.sources", "database"),
    "duckdb": ("partita.query.tables.sources", "duckdb"),
    "TruncatedGeometric": ("partita.mechanisms.truncated_geometric", "TruncatedGeometric"),
    "UnaryEncoding": ("partita.mechanisms.unary_encoding", "UnaryEncoding"),
    "ZCDP": ("partita.theory.measures.zcdp", "ZCDP"),
    "audit": ("partita.attacks.audits.audit", "audit"),
    "audit_training": ("partita.attacks.laboratory.canaries", "audit_training"),
    "avg": ("partita.query.builder.aggregates", "avg"),
    "booleans": ("partita.region.columns", "booleans"),
    "calibrate": ("partita.composition.calibration.calibrate", "calibrate"),
    "calibrate_plan": ("partita.composition.calibration.calibrate", "calibrate_plan"),
    "categories": ("partita.region.columns", "categories"),
    "check_export": ("partita.ledger.reports.report", "check_export"),
    "compose": ("partita.composition.guarantees.compose", "compose"),
    "connect": ("partita.client.remote", "connect"),
    "convert": ("partita.theory.conversions", "convert"),
    "count": ("partita.query.builder.aggregates", "count"),
    "dates": ("partita.region.columns", "dates"),
    "decimals": ("partita.region.columns", "decimals"),
    "edges": ("partita.granularity", "edges"),
    "events": ("partita.granularity", "events"),
    "either_order": ("partita.composition.adaptive.filters", "either_order"),
    "explain": ("partita.explain.words", "explain"),
    "general": ("partita.composition.account.general", ""),
    "group_privacy": ("partita.theory.conversions", "group_privacy"),
    "groups": ("partita.granularity", "groups"),
    "identifier": ("partita.region.columns", "identifier"),
    "integers": ("partita.region.columns", "integers"),
    "key": ("partita.region.columns", "key"),
    "interchange": ("partita.composition.exchange.interchange", ""),
    "l1": ("partita.theory.distance", "l1"),
    "l2": ("partita.theory.distance", "l2"),
    "l2_squared": ("partita.theory.distance", "l2_squared"),
    "linf": ("partita.theory.distance", "linf"),
    "max": ("partita.query.builder.aggregates", "max"),
    "col": ("partita.query.builder.expressions", "col"),
    "median": ("partita.query.builder.aggregates", "median"),
    "membership_advantage": ("partita.theory.semantics", "membership_advantage"),
    "metric": ("partita.granularity", "metric"),
    "min": ("partita.query.builder.aggregates", "min"),
    "nodes": ("partita.granularity", "nodes"),
    "open": ("partita.curator.settings", "open_settings"),
    "pictures": ("partita.explain.gallery", ""),
    "persons": ("partita.granularity", "persons"),
    "posterior": ("partita.theory.semantics", "posterior"),
    "posterior_odds": ("partita.theory.semantics", "posterior_odds"),
    "posterior_range": ("partita.theory.semantics", "posterior_range"),
    "quantile": ("partita.query.builder.aggregates", "quantile"),
    "quantiles": ("partita.query.builder.aggregates", "quantiles"),
    "replace": ("partita.granularity", "replace"),
    "report": ("partita.explain.report.report", "report"),
    "rows": ("partita.granularity", "rows"),
    "someone_published": ("partita.theory.semantics", "someone_published"),
    "sum": ("partita.query.builder.aggregates", "sum"),
    "text_keys": ("partita.region.columns", "text_keys"),
    "timestamps": ("partita.region.columns", "timestamps"),
    "together": ("partita.ledger.receipts.together", "compose"),
    "true_positive_rate": ("partita.theory.semantics", "true_positive_rate"),
    "users": ("partita.granularity", "users"),
    "windows": ("partita.granularity", "windows"),
    "with_and_without": ("partita.theory.semantics", "with_and_without"),
}

__version__ = "0.2.0"
__all__ = [
    "AccessRefused",
    "Answer",
    "Approximate",
    "Attack",
    "Audit",
    "Batch",
    "BudgetExceeded",
    "Caution",
    "Child",
    "Computation",
    "Concurrent",
    "Curator",
    "DiscreteGaussian",
    "Distance",
    "Domain",
    "EitherOr",
    "EngineFault",
    "Exponential",
    "Filter",
    "GDP",
    "GaussianNoise",
    "GaussianThreshold",
    "Geometric",
    "Guarantee",
    "Histogram",
    "InvalidInput",
    "Laplace",
    "LaplaceThreshold",
    "LedgerFault",
    "NoisyMax",
    "NotProven",
    "Odometer",
    "PartitaError",
    "PermuteAndFlip",
    "Profile",
    "Planned",
    "Promise",
    "PublicTable",
    "Pure",
    "QueryRefused",
    "RandomizedResponse",
    "Receipt",
    "Region",
    "RegionAccount",
    "Renyi",
    "Repeated",
    "Running",
    "Sample",
    "ServiceFault",
    "Slots",
    "Shuffled",
    "SparseVector",
    "Subsampled",
    "Table",
    "TruncatedGeometric",
    "UnaryEncoding",
    "ZCDP",
    "__version__",
    "algorithms",
    "audit",
    "audit_training",
    "avg",
    "booleans",
    "calibrate",
    "calibrate_plan",
    "categories",
    "check_export",
    "compose",
    "connect",
    "convert",
    "count",
    "csv",
    "database",
    "dates",
    "decimals",
    "duckdb",
    "edges",
    "events",
    "either_order",
    "explain",
    "general",
    "group_privacy",
    "groups",
    "identifier",
    "integers",
    "key",
    "interchange",
    "l1",
    "l2",
    "l2_squared",
    "linf",
    "max",
    "col",
    "median",
    "membership_advantage",
    "metric",
    "min",
    "nodes",
    "open",
    "pictures",
    "persons",
    "posterior",
    "posterior_odds",
    "posterior_range",
    "quantile",
    "quantiles",
    "replace",
    "report",
    "rows",
    "someone_published",
    "sum",
    "text_keys",
    "timestamps",
    "together",
    "true_positive_rate",
    "users",
    "windows",
    "with_and_without",
]

# What %load_ext partita and %unload_ext partita look for; nobody else needs them.
_NOTEBOOKS = dict.fromkeys(("load_ipython_extension", "unload_ipython_extension"), "partita.cli.magic")

__getattr__, __dir__ = front(__name__, {**_HOMES, **_NOTEBOOKS})
