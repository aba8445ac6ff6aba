"""The conformance vectors of group I about what changes with time: growth, refinement, budgets; and projected pairs."""

from __future__ import annotations

from dataclasses import replace as changed
from fractions import Fraction
from math import exp
from unittest import mock

import numpy as np
import pytest

import partita as pt
from partita.composition.account import RegionAccount
from partita.composition.account.booking import Release
from partita.composition.account.loads.allowance import Allowance
from partita.composition.account.loads.wide.cover import Cover
from partita.composition.account.loads.wide.pair_splits import PairSplits
from partita.composition.account.loads.wide.touched import Touched
from partita.composition.account.people import PersonSpace
from partita.composition.plans.promise import Promise
from partita.engine import growing as engine_growing
from partita.engine.duckdb import DuckDB
from partita.engine.statements import growth as statements
from partita.granularity import persons, replace, rows
from partita.ledger.birth import Terms
from partita.ledger.payer import RegionPayer
from partita.ledger.reports.certificates import certificate, check_certificate
from partita.ledger.schedules import Cause
from partita.limits import Limits
from partita.query.tables.people import People
from partita.region import Domain, Region, categories, decimals, integers
from partita.region.codemap import CodeMap
from partita.region.columns import timestamps
from partita.theory.cost import Cost
from partita.theory.losses.atoms import AtomicLoss
from partita.theory.measures.pure import Pure
from tests.conformance.vectors import agrees, group, stem
from tests.unit.ledger.plain import opened

STEMS = {
    "I.growth_kept",
    "I.growth_newest_m_true_loss",
    "I.refines",
    "I.budget_lowered_on_an_answer",
    "I.wide_pairs_projection",
}

# --- growth --------------------------------------------------------------------------------------------------------


def kept(batches, most):
    """What the engine keeps of one owner after each batch, in the order of keeping; rows are (name, place in order)."""
    columns = {"u": pt.identifier(), "row": pt.categories(*"abcdefgh"), "place": pt.integers(0, 1000)}
    table = pt.Table("events", source=[], columns=columns)
    people = People(persons("u", rows={"events": most}), [table])
    engine = DuckDB([table], people, "5b" * 16, threads=1)
    # The keyed order is the one thing that a vector states for itself.
    with mock.patch.object(statements, "sealing_order", return_value='"place"'):
        try:
            cap = changed(people.truncation("events", "5b" * 16), kept=True)
            grown = engine.growing({"events": table}, people, {"events": cap}, "secret")
            grown.begin()
            found = []
            for batch in batches:
                grown.arrive({"events": [{"u": "one", "row": name, "place": place} for name, place in batch]})
                grown.settle()
                held = grown.contents()["events.rows"].to_pylist()
                at = grown.places["events"].place.strip('"')
                found.append([one["row"] for one in sorted(held, key=lambda one: one[at])])
            return found
        finally:
            engine.close()


def grown(inputs):
    names = dict(zip([name for batch in inputs for name, _ in batch], "abcdefgh", strict=False))
    back = {letter: name for name, letter in names.items()}
    found = kept([[(names[name], round(1000 * place)) for name, place in batch] for batch in inputs], 3)
    return [[back[one] for one in state] for state in found]


def newest(inputs):
    """What the rows of one owner that are ever read lose together, if the newest ones are kept; by a broken engine."""
    batches = [[("abcdefgh"[at], at)] for at in range(inputs["batches"])]
    sound = engine_growing.arrivals
    read = {one for state in kept(batches, inputs["m"]) for one in state}
    assert len(read) == inputs["m"]
    with mock.patch.object(engine_growing, "arrivals", lambda *given: sound(*given).replace("MAX(", "0 * MAX(")):
        read = {one for state in kept(batches, inputs["m"]) for one in state}
    space = PersonSpace(persons("u", rows={"events": len(read)}), {"events": Domain({"row": categories(*"abcdefgh")})})
    account = RegionAccount(space.domain, Promise(space.persons, Pure(epsilon=100)))
    for one in sorted(read):
        where = Region.where(f"\"events.row\" = '{one}'", space.domain)
        made = space.placed("events", Release(where, Cost(Pure(epsilon=str(inputs["eps"])))))
        account.charge(made.region, space.loss(made, Pure(epsilon=100)))
    return float(account.worst()[0].epsilon)


# --- refinement ----------------------------------------------------------------------------------------------------

DAY, NEXT = "2025-01-01", "2025-01-02"
CHANGES = {
    "bounds [0,10] to [-2,15]": (integers(0, 10), integers(-2, 15)),
    "NULL stored as 0, then as its own atom": (integers(0, 10, missing=0), integers(0, 10)),
    "NULL its own atom, then stored as 0": (integers(0, 10), integers(0, 10, missing=0)),
    "NULL stored as 0, then as 5": (integers(0, 10, missing=0), integers(0, 10, missing=5)),
    # Times are rounded down to their step, numbers to the nearest.
    "step 1 rounded down, then step 1/2 rounded down": (
        timestamps(DAY, NEXT, step="2s"),
        timestamps(DAY, NEXT, step="1s"),
    ),
    "step 1 to nearest, then step 1/2 to nearest": (decimals(0, 10, step="1"), decimals(0, 10, step="0.5")),
    # All grids of times hold midnight: one that does not hold the old one has another step.
    "grid 0,3,6,.. rounded down, then -1,2,5,..": (timestamps(DAY, NEXT, step="3s"), timestamps(DAY, NEXT, step="2s")),
    "categories {x} and OTHER, then {x, y} and OTHER": (categories("x"), categories("x", "y")),
    # What is not listed, and what is missing, become one value.
    "unlisted is OTHER, then unlisted is NULL": (categories("x"), categories("x", other="none", missing="none")),
    "text '12a' was unparsable (NULL), then is read as 12": (integers(0, 20), integers(0, 20, unit="a")),
}


def refined(inputs):
    return [int(isinstance(new.onto(old), CodeMap)) for old, new in (CHANGES[one] for one in inputs["changes"])]


# --- budgets -------------------------------------------------------------------------------------------------------


def answered(epsilon, *, truth):
    """How likely randomized response is to say 1."""
    told = exp(epsilon) / (1 + exp(epsilon))
    return told if truth else 1 - told


def lowered(inputs, path):
    """The largest loss and the δ of an interaction whose budget is lowered after one of two answers."""
    both = []
    for truth in (True, False):
        first = answered(inputs["first"], truth=truth)
        second = answered(inputs["if_first_answer_is_1"], truth=truth)
        both.append([1 - first, first * second, first * (1 - second)])
    ways = [AtomicLoss.between(*both), AtomicLoss.between(*reversed(both))]
    book = opened(
        path, Terms([Promise(rows(), Pure(epsilon=2))], {"t": Domain({"x": integers(0, 1)})}), make=RegionPayer
    )
    book.change_budget(0, Cause.LOWER, "0.5", who="ada", why="an answer")
    stated = check_certificate(certificate(book)).promise.budget.epsilon
    book.close()
    assert stated == 2
    return [max(max(way.losses) for way in ways), max(way.delta(0.5) for way in ways)]


# --- pairs of wide tables ------------------------------------------------------------------------------------------


def projected(inputs):
    """The cost of a change by the account, and by a bound in which the region is projected on single columns."""
    shape, limits = (2, 2), Limits()
    one, both = inputs["cost_exactly_one_inside"], inputs["cost_both_inside"]
    domain = Domain({"x": integers(0, 1, missing=0), "y": integers(0, 1, missing=0)})
    region = Region.where("x = 1 AND y = 1", domain)
    account = RegionAccount(domain, Promise(replace(), Pure(epsilon=9)))
    account.charge(region, Pure(epsilon=one), Pure(epsilon=both) if both else Pure(epsilon=0))
    scoped = Touched(shape, 1).scoped(region.boxes)
    cover = Cover([scoped], shape, 1)
    assert [len(part.axes) for part in cover.groups] == [1, 1]
    costs = (np.asarray([part << 20], dtype=np.int64) for part in (one, both))
    splits = PairSplits(cover, *costs, limits.splits, 1 << 30, Allowance(limits))
    ends = [{axis: ((code, code + 1),) for axis, code in enumerate(value)} for value in inputs["pair"]]
    return [float(account.worst()[0].epsilon), float(Fraction(splits.bound(*ends), 1 << 20))]


@pytest.mark.parametrize("vector", [one for one in group("I") if stem(one.values[0]) in STEMS])
def test_the_product_agrees_with_the_vector(vector, tmp_path):
    inputs = vector["inputs"]
    match stem(vector):
        case "I.growth_kept":
            assert agrees(grown(inputs["batches"]), vector)
        case "I.growth_newest_m_true_loss":
            assert agrees(newest(inputs), vector)
        case "I.refines":
            assert agrees(refined(inputs), vector)
        case "I.budget_lowered_on_an_answer":
            assert agrees(lowered(inputs, tmp_path / "book"), vector)
        case "I.wide_pairs_projection":
            assert agrees(projected(inputs), vector)
        case other:
            raise AssertionError(other)
