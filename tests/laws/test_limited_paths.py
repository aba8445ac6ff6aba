"""Each way that is taken beyond a limit against the one before it: the same, or on the safe side of it."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import product
from math import prod

import numpy as np
import pytest
from flint import arb, ctx

import partita as pt
from partita.composition.account import RegionAccount
from partita.composition.account import account as account_module
from partita.composition.account.loads.allowance import Allowance
from partita.composition.account.loads.profile import Profiles
from partita.composition.account.maps import load_map
from partita.composition.calibration.pricing import Price
from partita.composition.plans.promise import Promise
from partita.engine.duckdb import DuckDB
from partita.ledger import charge as charge_module
from partita.ledger import pages
from partita.ledger import payer as payer_module
from partita.ledger.payer import RegionPayer
from partita.limits import Limits, using
from partita.query.answer.intervals import Spread, missed
from partita.query.batch.charging import ByTable
from partita.query.exact.program import Program, Rows, cells
from partita.query.noise.quote import quote
from partita.query.sql.parse import read
from partita.query.tables.schema import Table
from partita.region import Domain, Region
from partita.theory.cost import Cost
from tests.laws.limiting import told as written
from tests.laws.test_limits import UNITS, arrivals, changes, made, planned, seeded

SMALL = (0, 1, 2)
COLUMNS = {
    "a": pt.integers(0, 6),
    "b": pt.integers(0, 4, missing=0),
    "f": pt.dates("2023-12-28", "2024-04-02"),
    "g": pt.booleans(),
}


# --- regions ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("most", SMALL)
@pytest.mark.parametrize("part", ["YEAR(f)", "MONTH(f)", "DAY(f)", "QUARTER(f)", "EXTRACT(month FROM f)"])
def test_a_part_of_a_date_that_is_not_evaluated_narrows_no_region(part, most):
    domain = Domain({"f": COLUMNS["f"], "b": COLUMNS["b"]})
    for operator, number in product(("=", "<>", "<", ">="), (1, 2, 2024)):
        for text in (f"{part} {operator} {number} AND b > 1", f"NOT ({part} {operator} {number}) OR b = 0"):
            exact = Region.where(text, domain)
            with using(Limits(evaluated=most)):
                wide = Region.where(text, domain)
            assert exact <= wide
    assert wide != exact


@pytest.mark.parametrize("most", [*SMALL, 7, 400])
@pytest.mark.parametrize("name", ["rows", "groups", "users", "replace", "metric", "windows"])
def test_a_map_shows_nobody_as_exposed_less_than_they_are(name, most):
    """Bands of a column are as heavy as their heaviest value, and a value as the heaviest pair that it is in."""
    seed, unit = seeded(name, "maps"), UNITS[name]
    for kind in ("pure", "zcdp"):
        for _ in range(4):
            domain, values = made(seed)
            plan = planned(seed, domain, kind, 4)
            budget = plan[0][1].like([Fraction(100), *plan[0][1].vector()[1:]])
            limits = Limits.all(most) if most in SMALL else Limits(bands=most)
            account = RegionAccount(domain, Promise(unit, budget), limits=limits)
            for where, one, both, declared in plan:
                account.charge(where, one, both, declared=declared)
            with using(limits):
                found = load_map(account, "t", "e")
            axes = [domain.axis(column) for column in ("t", "e")]
            starts = [
                [domain.bounded[axis].code(label) for label in labels]
                for axis, labels in zip(axes, (found.x, found.y), strict=True)
            ]
            for value in values:
                i, j = (
                    int(np.searchsorted(start, value[axis], side="right")) - 1
                    for start, axis in zip(starts, axes, strict=True)
                )
                truth = exposed(name, plan, value, values, budget, closed=domain.closed).vector()[0]
                assert found.spent[i, j] >= float(truth / budget.vector()[0]) * (1 - 1e-9)


def exposed(name, plan, value, values, budget, *, closed):
    """What is lost by a unit with this value in it, and others that are alike or worse."""
    match name:
        case "rows" | "windows":
            return arrivals(plan, [value], budget)
        case "groups" | "users":
            return arrivals(plan, [value, value], budget)
        case _:
            losses = [changes(plan, [(value, other)], budget, closed=closed) for other in values]
            return max(losses, key=lambda loss: loss.vector()[0])


@pytest.mark.parametrize("most", SMALL)
def test_blocks_that_are_narrowed_one_by_one_are_found_as_heavy(most):
    rng = np.random.default_rng(7)
    for _ in range(30):
        axes, count = int(rng.integers(1, 4)), int(rng.integers(1, 14))
        low = rng.integers(0, 6, size=(count, axes))
        high = low + rng.integers(1, 4, size=(count, axes))
        weight = rng.integers(1, 50, size=count)
        start, stop = np.zeros(axes, dtype=np.int64), np.full(axes, 9, dtype=np.int64)
        points = product(range(9), repeat=axes)
        heaviest = max(int(weight[((low <= p) & (high > p)).all(axis=1)].sum()) for p in points)
        for threshold in (heaviest - 1, heaviest):
            with using(Limits(batch=most)) as limits:
                found = Profiles(low, high, weight, start, stop).search(threshold, 10**6, Allowance(limits))
            assert found.proven
            assert (found.witness is None) == (threshold == heaviest)


# --- questions --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("most", SMALL)
@pytest.mark.parametrize("unit", ["replace", "metric", "rows"])
def test_questions_that_cost_somebody_together_are_in_one_set(unit, most):
    """Under change-one a record may leave some of them and enter others, however few pairs are looked at."""
    table = Table("things", [], COLUMNS)
    texts = ["a < 3", "a >= 3", "b = 1 AND a < 2", "b = 2", "a = 5 OR b = 0", "g", "a = 4 AND NOT g"]
    plans = [read(f"SELECT COUNT(*) AS n FROM things WHERE {text}", [table]) for text in texts]
    granularity = {"replace": pt.replace(), "metric": pt.metric("a", unit=1), "rows": pt.rows()}[unit]
    promises = (pt.Promise(granularity, pt.Pure(epsilon=1)),)
    charging = ByTable(promises, {"things": None})
    quotes = [quote(plan, promises, Price.of(epsilon=1)) for plan in plans]
    with using(Limits.all(most)):
        sets = charging.sets(quotes)
    with using(Limits(batch_pairs=most)):
        fewer = charging.sets(quotes)
    values = list(product(*map(range, table.domain.shape)))[::5]
    rng = random.Random(unit)
    for _ in range(300):
        pair = rng.choices(values, k=1 if unit == "rows" else 2)
        together = {place for place, plan in enumerate(plans) if any(plan.where.region.holds(v) for v in pair)}
        assert any(together <= one for one in sets)
        assert any(together <= one for one in fewer)


@pytest.mark.parametrize("most", SMALL)
@pytest.mark.parametrize("unit", [pt.rows(), pt.replace(), pt.groups(2), pt.users("who", rows=2)], ids=str)
def test_a_batch_costs_no_more_than_its_price_however_little_is_related(unit, most):
    texts = [
        "SELECT b, COUNT(*) AS n FROM things GROUP BY b",
        "SELECT COUNT(*) AS n, SUM(a) AS s FROM things",
        "SELECT a, b, COUNT(*) AS n FROM things WHERE b > 1 GROUP BY a, b",
        "SELECT SUM(a) AS s FROM things WHERE g",
    ]
    table = pt.Table("things", [{"who": 1, "a": 3, "b": 2}], {"who": pt.identifier(), **COLUMNS})
    for budget, price in ((pt.Pure(epsilon=1), {"epsilon": 1}), (pt.ZCDP(rho=1), {"rho": 1})):
        with using(Limits.all(most)):
            curator = pt.Curator(tables=[table], promises=[pt.Promise(unit, budget)])
            answers = curator.batch(texts, **price).ask()
            assert curator.spent()[0].fits(budget)
            assert [len(answer.rows()) for answer in answers] == [5, 1, 24, 1]
            curator.close()


@pytest.mark.parametrize("name", ["related_cells", "related_values", "related_numbers", "matched", "shelved", "tried"])
def test_what_is_not_related_is_asked_anew_and_what_is_told_is_told_alike(name):
    texts = [
        "SELECT a, b, COUNT(*) AS n FROM things GROUP BY a, b",
        "SELECT b, COUNT(*) AS n FROM things GROUP BY b",
        "SELECT COUNT(*) AS n FROM things WHERE a > 2",
        "SELECT BUCKET(a, 3) AS k, COUNT(*) AS n FROM things GROUP BY BUCKET(a, 3)",
    ]
    table = pt.Table("things", [{"a": 3, "b": 2}] * 9, COLUMNS)
    for most in (None, *SMALL):
        with using(Limits() if most is None else Limits(**{name: most})):
            curator = pt.Curator(tables=[table], promises=[pt.Promise(pt.rows(), pt.Pure(epsilon=100))])
            first, found = curator.ask(texts[0], epsilon=1), 0
            for text in texts[1:]:
                answer = curator.reused(text)
                if answer is None:
                    continue
                found += 1
                assert sum(row["n"] for row in answer.rows()) == told(first, text)
            assert curator.spent()[0] == pt.Pure(epsilon=1)
            assert found == 3 if most is None else found <= 3
            if name in {"matched", "tried"} and most == 0:
                assert found < 3
            curator.close()


def told(first, text):
    """What the first answer, by all groups, says of all lines of another together."""
    rows = [row for row in first.rows() if "a > 2" not in text or (row["a"] is not None and row["a"] > 2)]
    return sum(row["n"] for row in rows)


@pytest.mark.parametrize("most", SMALL)
def test_rows_that_are_not_held_in_memory_are_counted_alike(most):
    rng = random.Random(most)
    rows = [{"a": rng.randint(-1, 7), "b": rng.randint(0, 4), "f": "2024-02-01", "g": rng.random() < 0.5}] * 3
    rows += [{"a": rng.randint(0, 6), "b": rng.randint(0, 4), "f": "2024-03-01", "g": True} for _ in range(20)]
    table = Table("things", rows, COLUMNS)
    texts = ["TRUE", "a > 2", "a > 2 OR b = 1", "a = 1 OR b = 2 OR g", "a > b", "a * b > 5 OR g", "FALSE"]
    plans = [read(f"SELECT COUNT(*) AS n FROM things WHERE {text}", [table]) for text in texts]
    programs = [Program(table, plan.where, cells((), plan.where), (Rows(),)) for plan in plans]
    usual = DuckDB([table])
    held = [usual.run(program).tolist() for program in programs]
    for limits in (Limits(held_rows=most), Limits(held_boxes=most), Limits.all(most)):
        with using(limits):
            engine = DuckDB([table])
            assert [engine.run(program).tolist() for program in programs] == held
            engine.close()
    usual.close()


BARS = [Limits(), Limits(fractions=0), *(Limits(fractions=0, frequencies=most) for most in (*SMALL, 9, 33, 120))]


@pytest.mark.parametrize("limits", BARS, ids=written)
def test_an_error_bar_misses_no_more_often_than_it_says(limits):
    """The exact tail of a sum of Laplace noises, whose equal scales are moved apart by nothing, against each bar."""
    rng, before = random.Random(3), ctx.prec
    ctx.prec = 3000
    try:
        for _ in range(25):
            count, unit = rng.choice([2, 3, 5, 6, 12]), rng.choice([1.0, 7.5])
            wide = rng.choice([0.0, 0.01, 3.0])
            scales = tuple(unit * 10 ** rng.uniform(-wide, wide) for _ in range(count))
            confidence, entries = rng.choice([(0.5, 1), (0.95, 1), (0.95, 1000), (0.999, 10**6)])
            with using(limits):
                bar = Spread(scales).half_width(confidence, entries)
            assert tail(scales, bar) < arb(missed(confidence, entries) * 1.001)
    finally:
        ctx.prec = before


def tail(scales, bar):
    apart = [arb(scale) * (1 + place * arb(10) ** -40) for place, scale in enumerate(sorted(scales))]
    weights = [prod((s * s / (s * s - o * o) for o in apart if o is not s), start=arb(1)) for s in apart]
    return sum((w * (-arb(bar) / s).exp() for w, s in zip(weights, apart, strict=True)), arb(0))


# --- what is remembered -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("unit", ["rows", "replace", "users", "user-days", "windows"])
def test_what_is_forgotten_is_counted_again(unit, monkeypatch):
    """Caches and portions of one change no balance: charges are the same whether they are known or read anew."""
    seed = seeded(unit, "remembered")
    domain, _ = made(seed)
    promise = Promise(UNITS[unit], pt.Pure(epsilon=1000))
    plan = planned(seed, domain, "pure", 9)
    charges = [(where, Cost(one, both, declared=declared), 2) for where, one, both, declared in plan]

    def balance():
        payer = RegionPayer(domain, promise)
        payer.load(charges * 2)
        account = RegionAccount(domain, promise)
        for where, cost, _ in charges:
            account.charge(where, cost.row, cost.substitution, declared=cost.declared)
        loaded = RegionAccount(domain, promise)
        loaded.load((where, cost.row, cost.substitution, times) for where, cost, times in charges * 2)
        spent = [(account.spent(where), loaded.spent(where)) for where, *_ in charges]
        return payer.bracket(), account.worst()[0], loaded.worst()[0], spent

    usual = balance()
    for module in (account_module, payer_module):
        monkeypatch.setattr(module, "_CACHED", 1)
    assert balance() == usual


def test_a_book_read_in_portions_of_one_is_the_same_book(monkeypatch):
    table = pt.Table("things", [{"a": 3, "b": 2}], COLUMNS)
    promise = pt.Promise(pt.replace(), pt.ZCDP(rho=9))
    curator = pt.Curator(tables=[table], promises=[promise])
    for number in range(5):
        curator.ask(f"SELECT COUNT(*) AS n FROM things WHERE a <= {number}", rho="0.1")
    usual = curator.spent(), list(curator.ledger.entries()), curator.verify().problems
    monkeypatch.setattr(pages, "_CHUNK", 1)
    monkeypatch.setattr(charge_module, "_MOST_COSTS", 1)
    assert (curator.spent(), list(curator.ledger.entries()), curator.verify().problems) == usual
    curator.close()
