"""Rows gathered by owner: random neighbours move no exact result further than claimed, and the engines agree."""

from __future__ import annotations

import dataclasses
from datetime import date, datetime, timedelta
from fractions import Fraction
from itertools import product
from typing import Any

import duckdb
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partita.composition.calibration.pricing import Price
from partita.composition.plans.promise import Promise
from partita.engine.duckdb import DuckDB
from partita.engine.reference import Reference, tallied
from partita.granularity import Granularity, Replace, Users, groups, replace, rows, users
from partita.query.exact.measurements import Lengths, Measurement, Summed, entries
from partita.query.exact.per_user_sensitivity import steady
from partita.query.exact.program import Program, Tally, Values, cells
from partita.query.exact.sensitivity import gathered_movement, parted
from partita.query.language.aggregates import Quantile
from partita.query.language.expressions import Value, bounds
from partita.query.language.plan import Plan
from partita.query.noise.quote import narrowed, quote
from partita.query.noise.strategy import strategies_of
from partita.query.quantiles.costs import moves
from partita.query.quantiles.ranks import Runs, step
from partita.query.sql.parse import read
from partita.query.tables.truncation import Truncation, truncation
from partita.sampling.bits import TestBits
from partita.theory.measures.zcdp import ZCDP
from tests.unit.query import strategies

pytestmark = pytest.mark.filterwarnings("ignore:.* is stored as TIMESTAMP.* and declared as dates")

TABLE = strategies.table()
GATHERED = (
    "MAX(a) AS x", "MIN(c) AS x", "CLAMP(SUM(a), -4, 7) AS x", "CLAMP(SUM(a + c), -5, 5) AS x",
    "LEAST(COUNT(*), 3) AS x",
    "LEAST(COUNT(a), 2) AS x", "AVG(a) AS x", "MAX(b) - MIN(b) AS x", "CLAMP(SUM(a) FILTER (WHERE b > 1), 0, 6) AS x",
)  # fmt: skip
WHERE = ("", "WHERE a > 0", "WHERE d IN ('x', 'y')", "WHERE a > b", "WHERE f >= DATE '2024-02-10'")
OUTER = (
    "SELECT COUNT(*) AS v FROM", "SELECT AVG(x) AS v, COUNT(*) AS w FROM", "SELECT SUM(x) AS v FROM",
    "SELECT VAR_POP(x) AS v FROM", "SELECT x AS k, COUNT(*) AS v FROM", "SELECT COUNT(x) AS v FROM",
    "SELECT SUM(2 * x - 3) AS v FROM", "SELECT SUM(CLAMP(3 - x, 0, 2)) AS v FROM",
    "SELECT SUM(x) AS v, SUM(x * x) AS w FROM",
    "SELECT SUM(CASE WHEN x < 1 THEN 0 WHEN x < 2 THEN 1 END + 100) AS v FROM",
    "SELECT SUM(COALESCE(x, 40)) AS v FROM", "SELECT SUM(x) FILTER (WHERE x < 2) AS v FROM",
)  # fmt: skip


@st.composite
def questions(draw: st.DrawFn, keyed: bool | None = None) -> str:
    keys = draw(st.sampled_from(["", ", d", ", g", ", d, g"])) if keyed is None else ", d" if keyed else ""
    gathered, outer = draw(st.sampled_from(GATHERED)), draw(st.sampled_from(OUTER))
    if " - " in gathered:
        # A difference of two derived columns has no list of values to group by.
        outer = outer.replace("x AS k, ", "")
    having = draw(st.sampled_from(["", " HAVING MAX(b) > 1", " HAVING COUNT(a) FILTER (WHERE a > 1) > 0"]))
    having = having.replace("COUNT(a) FILTER (WHERE a > 1)", "LEAST(COUNT(a) FILTER (WHERE a > 1), 9)")
    inner = f"SELECT who{keys}, {gathered} FROM things {draw(st.sampled_from(WHERE))} GROUP BY who{keys}{having}"
    kept = draw(st.sampled_from(["", " WHERE x > 1"]))
    by = f" GROUP BY {keys[2:]}" if keys else ""
    group = " GROUP BY x" if " AS k" in outer else draw(st.sampled_from(["", by, by.split(",")[0]]))
    return f"{outer} ({inner}) AS t{kept}{group}"


def programs(plan: Plan, measurement: Measurement, cap: Truncation | None) -> Program:
    tallies = tuple(dict.fromkeys(tally for entry in entries(measurement) for tally in entry))
    return Program(TABLE, plan.where, cells(plan.keys, plan.met), tallies, cap, per_user=plan.per_user)


def measurements(plan: Plan) -> list[Measurement]:
    return [
        measurement
        for strategy in strategies_of(plan.aggregates, narrowed(plan))
        for measurement in strategy.measurements
    ]


def moved(plan: Plan, measurement: Measurement, before: Any, after: Any, cap: Truncation | None) -> Lengths:
    program = programs(plan, measurement, cap)
    change = tallied(program, before) - tallied(program, after)
    weights = [[entry.get(tally, 0) for entry in entries(measurement)] for tally in program.tallies]
    apart = [abs(int(number)) for number in change.dot(np.array(weights, dtype=object)).flat]
    return Lengths(sum(apart), sum(number**2 for number in apart), max(apart, default=0))


def check(question: str, granularity: Granularity, before: Any, after: Any, cap: Truncation | None = None) -> None:
    plan = read(question, [TABLE])
    assert plan.per_user is not None
    count = cells(plan.keys, plan.met).count
    for measurement in measurements(plan):
        claimed = gathered_movement(
            measurement,
            granularity,
            groups=count,
            keyed=bool(plan.per_user.keys),
            truncation=cap,
            steady=steady(plan),
            parted=parted(plan.per_user, plan.keys),
        ).unit
        found = moved(plan, measurement, before, after, cap)
        assert found.l1 <= claimed.l1, (measurement, granularity)
        assert found.l2_squared <= claimed.l2_squared, (measurement, granularity)
        assert found.linf <= claimed.linf, (measurement, granularity)


TABLES = st.lists(strategies.rows(), max_size=7)
OWN = st.lists(strategies.rows(), max_size=5)


def apart(table: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{**row, "who": row["who"] if row["who"] != 1 else 4} for row in table]


def owned(own: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{**row, "who": 1} for row in own]


@settings(max_examples=80)
@given(questions(), TABLES, strategies.rows(), strategies.rows())
def test_a_row_that_comes_or_changes_moves_gathered_rows_no_further_than_claimed(question, table, old, new):
    check(question, rows(), table, [*table, new])
    check(question, replace(), [*table, old], [*table, new])
    check(question, groups(2), table, [*table, old, new])


@settings(max_examples=80)
@given(questions(), TABLES, OWN, OWN, st.integers(1, 3), st.none() | st.integers(1, 2))
def test_an_owner_moves_gathered_rows_no_further_than_claimed(question, table, old, new, most, inside):
    others = apart(table)
    for granularity in (users("who", rows=most, in_region=inside), users("who", rows=most, altered=True)):
        cap = truncation(TABLE, [granularity], "key")
        check(question, granularity, others, [*others, *owned(new)], cap)
        if granularity.altered:
            check(question, granularity, [*others, *owned(old)], [*others, *owned(new)], cap)


@settings(max_examples=60)
@given(questions(), TABLES, OWN, OWN, st.integers(1, 2))
def test_one_day_of_an_owner_moves_gathered_rows_no_further_than_claimed(question, table, other_days, own, most):
    granularity = users("who", rows=most, per="f")
    cap = truncation(TABLE, [granularity], "key")
    others = [*apart(table), *({**row, "who": 1, "f": "2024-02-01"} for row in other_days)]
    check(question, granularity, others, [*others, *({**row, "who": 1, "f": "2024-02-10"} for row in own)], cap)


@settings(max_examples=60)
@given(questions(), TABLES, strategies.rows(), strategies.rows(), st.integers(1, 2))
def test_behind_a_truncation_single_rows_move_gathered_rows_no_further_than_claimed(question, table, old, new, most):
    cap = truncation(TABLE, [users("who", rows=most)], "key")
    check(question, rows(), table, [*table, new], cap)
    check(question, replace(), [*table, old], [*table, new], cap)


# --- quantiles ---------------------------------------------------------------------------------------------------

RANKED = (
    "SELECT MEDIAN(x) AS v FROM", "SELECT QUANTILE(x, 0.75) AS v FROM", "SELECT d AS k, QUANTILE(x, 0.1) AS v FROM",
)  # fmt: skip


@st.composite
def ranked(draw: st.DrawFn) -> str:
    keys, outer = draw(st.sampled_from(["", ", d"])), draw(st.sampled_from(RANKED))
    if not keys:
        outer = outer.replace("d AS k, ", "")
    inner = (
        f"SELECT who{keys}, {draw(st.sampled_from(GATHERED))} FROM things {draw(st.sampled_from(WHERE))} "
        f"GROUP BY who{keys}"
    )
    kept = draw(st.sampled_from(["", " WHERE x > 1"]))
    return f"{outer} ({inner}) AS t{kept}{' GROUP BY d' if ' AS k' in outer else ''}"


def ranks(question: str, granularity: Granularity, before: Any, after: Any, cap: Truncation | None = None) -> None:
    plan = read(question, [TABLE])
    (aggregate,) = plan.aggregates
    assert isinstance(aggregate, Quantile)
    assert plan.per_user is not None
    cells_of, within = cells(plan.keys, plan.met), bounds(aggregate.of, narrowed(plan))
    program = Program(TABLE, plan.where, cells_of, (Values(aggregate.of),), cap, per_user=plan.per_user)
    far = []
    for old, new in zip(tallied(program, before)[:, 0], tallied(program, after)[:, 0], strict=True):
        runs = [Runs.of(found, within) for found in (old, new)]
        first, second = (np.repeat(one.off(aggregate.share), one.lengths) for one in runs)
        far.append(Fraction(int(abs(first - second).max()), step(aggregate.share)))
    keyed = bool(plan.per_user.keys)
    claimed = moves((aggregate.share,), granularity, groups=cells_of.count, truncation=cap, keyed=keyed)
    found = sorted(one for one in far if one)
    match granularity:
        case Users():
            cases = claimed.owner
        case Replace():
            cases = claimed.row | claimed.substitution
        case _:
            cases = claimed.row
    if cases.steps > 1:
        assert sum(found) <= cases.steps * max(sum(case) for case in cases.ways)
    else:
        assert any(
            len(found) <= len(case)
            and all(one <= most for one, most in zip(found[::-1], sorted(case, reverse=True), strict=False))
            for case in cases.ways
        ), (found, cases)


@settings(max_examples=60)
@given(ranked(), TABLES, strategies.rows(), strategies.rows(), st.integers(1, 2))
def test_a_row_moves_the_scores_of_gathered_rows_no_further_than_claimed(question, table, old, new, most):
    for cap in (None, truncation(TABLE, [users("who", rows=most)], "key")):
        ranks(question, rows(), table, [*table, new], cap)
        ranks(question, replace(), [*table, old], [*table, new], cap)


@settings(max_examples=60)
@given(ranked(), TABLES, OWN, OWN, st.integers(1, 3), st.none() | st.integers(1, 2))
def test_an_owner_moves_the_scores_of_gathered_rows_no_further_than_claimed(question, table, old, new, most, inside):
    others = apart(table)
    for granularity in (users("who", rows=most, in_region=inside), users("who", rows=most, altered=True)):
        cap = truncation(TABLE, [granularity], "key")
        before = [*others, *owned(old)] if granularity.altered else others
        ranks(question, granularity, before, [*others, *owned(new)], cap)


CAPS = st.none() | st.builds(
    Truncation,
    owner=st.just("who"),
    rows=st.integers(1, 3),
    key=st.sampled_from(["k", "it's"]),
    per=st.sampled_from([None, "f"]),
    inside=st.none() | st.integers(1, 2),
)


@settings(max_examples=60)
@given(questions(), strategies.stored_tables(), CAPS)
def test_duckdb_gathers_what_the_reference_gathers(question, stored, cap):
    table = strategies.table(stored)
    plan = read(question, [table])
    listed = [
        measurement
        for strategy in strategies_of(plan.aggregates, narrowed(plan))
        for measurement in strategy.measurements
    ]
    tallies: tuple[Tally, ...] = tuple(
        dict.fromkeys(tally for measurement in listed for entry in entries(measurement) for tally in entry)
    )
    if "x" in plan.per_user.table.columns:  # type: ignore[union-attr]
        tallies = (*tallies, Values(Value("x")))
    program = Program(table, plan.where, cells(plan.keys, plan.met), tallies, cap, per_user=plan.per_user)
    engine = DuckDB([table], threads=1)
    expected = Reference([table]).run(program).tolist()
    assert engine.run(program).tolist() == expected
    engine.cut({table.name: cap})
    assert engine.run(program).tolist() == expected
    engine.close()


FIRST = "(SELECT who, MIN(f) AS x, MAX(f) AS y, MIN(f) FILTER (WHERE a > 0) AS z FROM things GROUP BY who) AS q"
DAYS = (
    f"SELECT x AS k, COUNT(*) AS v FROM {FIRST} GROUP BY x", f"SELECT COUNT(*) AS v FROM {FIRST} WHERE z IS NULL",
    f"SELECT DATE_TRUNC('month', x) AS k, COUNT(*) AS v FROM {FIRST} GROUP BY 1",
    f"SELECT EXTRACT(day FROM y) AS k, COUNT(*) AS v FROM {FIRST} GROUP BY 1",
    f"SELECT SUM(y - x) AS v FROM {FIRST}", f"SELECT COUNT(*) AS v FROM {FIRST} WHERE z > x",
    f"SELECT COUNT(*) AS v FROM {FIRST} WHERE x BETWEEN '2024-02-01' AND '2024-02-15' AND y < DATE '2024-03-01'",
    f"SELECT SUM(DATE_DIFF('day', x, z)) AS v FROM {FIRST} WHERE DATE_TRUNC('month', y) = DATE '2024-02-01'",
    "SELECT COUNT(*) AS v FROM (SELECT who FROM things GROUP BY who HAVING MIN(f) < '2024-02-10') AS q",
)  # fmt: skip


@pytest.mark.parametrize("question", DAYS)
def test_days_that_are_gathered_are_days(question):
    """Against the engine's own SQL, on the sanitised rows."""
    rows = [
        {
            "who": place % 17,
            "a": place % 7 - 3,
            "f": None if place % 11 == 0 else date(2024, 1, 25) + timedelta(place % 50),
        }
        for place in range(90)
    ]
    table = strategies.table(rows)
    plan = read(question, [table])
    listed = [
        measurement
        for strategy in strategies_of(plan.aggregates, narrowed(plan))
        for measurement in strategy.measurements
    ]
    assert listed
    offered = quote(plan, [Promise(users("who", rows=10), ZCDP(rho=10**12, delta="1e-6"))], Price.of(rho=10**9))
    engine = DuckDB([table], threads=1)
    found = engine.run(offered.program)
    assert found.tolist() == Reference([table]).run(offered.program).tolist()
    engine.close()
    answer = offered.result(offered.release(found, bits=TestBits(3)))
    plain = duckdb.connect()
    clamp = "CASE WHEN f IS NOT NULL THEN LEAST(GREATEST(f, DATE '2024-01-30'), DATE '2024-03-02') END"
    plain.execute("CREATE TABLE stored (who INT, a INT, f DATE)")
    plain.executemany("INSERT INTO stored VALUES (?, ?, ?)", [list(row.values()) for row in rows])
    plain.execute(f"CREATE VIEW things AS SELECT who, a, {clamp} AS f FROM stored")
    meant = {tuple(line[:-1]): line[-1] for line in plain.execute(question).fetchall()}
    meant = {tuple(key.date() if isinstance(key, datetime) else key for key in keys): v for keys, v in meant.items()}
    told = {tuple(line.values())[:-1]: line["v"] for line in answer.rows()}
    assert {keys: number for keys, number in told.items() if round(number)} == pytest.approx(
        {keys: number for keys, number in meant.items() if number}, abs=0.4
    )


def test_the_law_notices_a_drift_that_is_too_small(monkeypatch):
    """Break it on purpose: a row that comes would never be an owner's first, or would add nothing to the others."""
    from partita.query.exact import per_user_sensitivity as steadiness

    question = "SELECT SUM(x) AS v FROM (SELECT who, CLAMP(SUM(a + 2), 1, 50) AS x FROM things GROUP BY who)"
    first = ([], [{"who": 1, "a": 5}])
    more = ([{"who": 1, "a": 3}], [{"who": 1, "a": 3}, {"who": 1, "a": 5}])
    true = steadiness._column
    for tables in (more, first):
        monkeypatch.setattr(steadiness, "_column", true)
        check(question, rows(), *tables)
        monkeypatch.setattr(
            steadiness, "_column", lambda *given: dataclasses.replace(true(*given), up=Fraction(6), high=Fraction(6))
        )
        with pytest.raises(AssertionError):
            check(question, rows(), *tables)


def test_a_row_adds_to_what_its_owner_has_no_more_than_its_own_value():
    question = "SELECT SUM(x) AS v FROM (SELECT who, {} AS x FROM things GROUP BY who)"
    for gathered, kept, far, both in (
        ("CLAMP(COUNT(*), 0, 50)", "", 1, 1),
        ("CLAMP(SUM(b), 0, 3000)", "", 4, 4),
        ("CLAMP(SUM(b), 0, 3000)", " WHERE x > 1", 3000, 6000),
        ("MAX(b)", "", 4, 4),
    ):
        plan = read(question.format(gathered) + kept, [TABLE])
        (measurement,) = [measurement for measurement in measurements(plan) if isinstance(measurement, Summed)]
        claimed = gathered_movement(measurement, replace(), groups=1, keyed=False, steady=steady(plan))
        assert (claimed.row.l1, claimed.substitution.l1) == (far, both)


@pytest.mark.parametrize(
    "value", ["CASE WHEN n < 2 THEN 0 WHEN n < 3 THEN 1 END + 1000", "CLAMP(CASE WHEN n < 3 THEN 7 END, 5, 9)", "9 - n"]
)
def test_a_value_may_go_because_a_row_comes(value):
    """Two owners at once: the one gets a value because a row goes, the other one loses nothing, or the reverse."""
    question = f"SELECT SUM({value}) AS v FROM (SELECT who, LEAST(COUNT(*), 9) AS n FROM things GROUP BY who)"
    for first, other in product(range(1, 5), range(5)):
        rest = [*({"who": 1},) * (first - 1), *({"who": 2},) * other]
        check(question, replace(), [*rest, {"who": 1}], [*rest, {"who": 2}])
        check(question, rows(), rest, [*rest, {"who": 1}])


def test_the_law_notices_a_claim_that_is_too_small(monkeypatch):
    """Without the change of a derived row, a row that comes would be taken for a derived row that comes."""
    from partita.query.exact import sensitivity as stability

    monkeypatch.setattr(stability, "one_change", lambda measurement, **_: Lengths(0, 0, 0))
    question = "SELECT x AS k, COUNT(*) AS v FROM (SELECT who, MAX(a) AS x FROM things GROUP BY who) GROUP BY x"
    with pytest.raises(AssertionError):
        check(question, rows(), [{"who": 1, "a": 1}], [{"who": 1, "a": 1}, {"who": 1, "a": 2}])


SPREAD = (
    ("COUNT(*) AS v", "LEAST(COUNT(*), 9) AS x"), ("SUM(x) AS v", "MAX(a) AS x"),
    ("AVG(x) AS v", "LEAST(COUNT(*), 3) AS x"), ("COUNT(*) AS v, SUM(x) AS w", "MIN(c) AS x"),
    ("VAR_POP(x) AS v", "MAX(b) AS x"),
)  # fmt: skip


@pytest.mark.parametrize("keys", ["d", "g", "d, g"])
@pytest.mark.parametrize("asked", SPREAD)
def test_an_owner_who_is_everywhere_moves_gathered_rows_no_further_than_claimed(asked, keys):
    """Rows of one owner under as many values as possible, low and high, against those of other ways to group them."""
    outer, gathered = asked
    inner = f"(SELECT who, {keys}, {gathered} FROM things GROUP BY who, {keys}) AS t"
    everywhere = [{"d": d, "g": g, "who": 1} for d, g in product(["x", "y", "z", "?", None], [True, False, None])]
    low, high = ({"a": -3, "b": 0, "c": -1.0, "f": "2024-02-10"}, {"a": 5, "b": 4, "c": 1.5, "f": "2024-02-10"})
    own = [[{**row, **place} for place in everywhere] for row in (low, high)]
    for by, most in product(("", *(f" GROUP BY {','.join(keys.split(', ')[:count])}" for count in (1, 2))), (2, 3, 20)):
        question = f"SELECT {outer} FROM {inner}{by}"
        for granularity in (
            users("who", rows=most),
            users("who", rows=most, altered=True),
            users("who", rows=most, per="f"),
        ):
            cap = truncation(TABLE, [granularity], "key")
            for mine in own:
                check(question, granularity, [], mine, cap)
            if granularity.altered:
                check(question, granularity, *own, cap)
                check(question, granularity, own[0][:6], own[1][6:], cap)
