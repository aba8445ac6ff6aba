"""Bounded work: steps are counted in our own code, and a question beyond them is refused with what to write."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

import partita as pt
from partita import effort
from partita.effort import BATCH_STEPS, MOST_STEPS, Effort, Work, bounded, spend, within_effort
from partita.errors import BudgetExceeded, PartitaError, QueryRefused
from partita.query.batch import batch
from partita.query.sql import parse as sql
from partita.region.meetings import meetings

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks" / "effort"))
from hostile import questions, tables

TABLES = {table.name: table for table in tables()}
HOSTILE = questions()
PROMISES = [pt.Promise(pt.rows(), pt.ZCDP(rho="1", delta="1e-6"))]


def steps(text: str) -> int:
    """How many steps it takes to read a question."""
    with bounded(10**9) as counted:
        sql.read(text, TABLES)
    return counted.limit - counted.left


# --- counting ------------------------------------------------------------------------------------------------------


def test_without_an_effort_in_force_nothing_is_counted():
    spend(10**12, Work.WORDS)


def test_a_nested_effort_is_the_outer_one_and_none_is_left_behind():
    with bounded(10) as outer, bounded(1000) as inner:
        assert inner is outer
        with pytest.raises(QueryRefused):
            spend(11, Work.WORDS)
    assert effort._IN_FORCE.get() is None


def test_the_reason_is_what_the_steps_ran_out_on_even_if_something_else_is_tried_then():
    counted = Effort(10)
    with pytest.raises(QueryRefused, match="pieces"):
        counted.spend(11, Work.CONDITIONS)
    with pytest.raises(QueryRefused, match="pieces"):
        counted.spend(0, Work.WORDS)


def test_what_is_nested_too_deeply_is_refused_in_our_words():
    @within_effort
    def deeper(level: int) -> int:
        def inner(level: int) -> int:
            return inner(level + 1)

        return inner(level)

    with pytest.raises(QueryRefused) as refusal:
        deeper(0)
    assert refusal.value.code == "query.too-deep"


def test_the_same_question_takes_the_same_steps_whatever_was_asked_before():
    text = "SELECT EXTRACT(month FROM day) AS m, AVG(cost) AS c FROM visits WHERE diagnosis LIKE 'a%b' GROUP BY 1"
    assert steps(text) == steps(text) == steps(text) > 0


@pytest.mark.parametrize(
    ("text", "most"),
    [
        ("SELECT region, COUNT(*) AS n, AVG(cost) AS c FROM visits WHERE age >= 65 GROUP BY region", 500),
        ("SELECT BUCKET(age, 10) AS b, COUNT(*) AS n FROM visits WHERE sex = 'F' OR region = 'north' GROUP BY 1", 1000),
        ("SELECT DATE_TRUNC('month', day) AS m, SUM(cost) AS c FROM visits WHERE flag GROUP BY 1", 1000),
        ("SELECT COUNT(*) AS n FROM visits WHERE EXTRACT(month FROM day) IN (1, 2) AND age % 2 = 0", 50_000),
    ],
)
def test_what_people_ask_takes_few_steps(text, most):
    assert steps(text) <= most


# --- what once took minutes ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def curator():
    with pt.Curator(tables=tables(), promises=PROMISES) as made:
        yield made


WAS_SLOW = [
    ("bucket wide", "query.too-many-groups"),
    ("gathering bucket", "query.too-many-groups"),
    ("trunc far", None),
    ("like 8", None),
    ("like 2000", None),
    ("like long constant", "query.too-much-work"),
    ("union 12", "query.too-much-work"),
    ("union 12 chosen", "query.too-much-work"),
    ("names doubling 40", "query.too-much-work"),
    ("or 200 boxes", "query.too-much-work"),
    ("or 200 boxes 3", "query.too-much-work"),
    ("tree 6", "query.too-much-work"),
    ("power of power", "query.function-not-answered"),
    ("power below zero", "query.too-much-work"),
    ("nullif in nullif", "query.too-much-work"),
    ("if between", "query.too-much-work"),
    ("case in list", "query.too-much-work"),
    ("not tree 6", "query.too-much-work"),
    ("listed tuples", None),
    ("case 100", None),
    ("keys of 4 kB", None),
    ("key case two columns", "query.too-much-work"),
    ("tabulated day 500", None),
    ("trunc list", None),
    ("cube 24", "shape.too-many-sets"),
    ("cubes of one", "shape.too-many-sets"),
    ("rollups", "shape.too-many-sets"),
    ("aggregates 300", None),
    ("deviations", "query.too-much-work"),
    ("comment opens", "query.unreadable"),
    ("parentheses 4000", "query.too-deep"),
    ("nots 2000", "query.too-deep"),
]


@pytest.mark.parametrize(("name", "code"), WAS_SLOW, ids=[name for name, _ in WAS_SLOW])
def test_a_question_that_kept_the_curator_busy_is_priced_or_refused_within_the_steps(name, code, curator):
    if code is None:
        curator.quote(HOSTILE[name], epsilon="0.01")
        return
    with pytest.raises(PartitaError) as refusal:
        curator.quote(HOSTILE[name], epsilon="0.01")
    assert refusal.value.code == code
    assert "Nothing was read and nothing was charged." in refusal.value.message


def test_a_search_for_an_accuracy_shares_one_effort(curator, monkeypatch):
    made = []
    start = Effort.__init__
    monkeypatch.setattr(
        Effort, "__init__", lambda self, limit, **more: (made.append(self), start(self, limit, **more))[1]
    )
    curator.quote("SELECT COUNT(*) AS n, AVG(cost) AS c FROM visits", within={"n": 50})
    assert len(made) == 2  # one to read the question, one to price it
    assert MOST_STEPS // 2 < made[1].left < MOST_STEPS


def pairs(count: int) -> list[str]:
    """Lists of pairs in many columns: none of them is much by itself."""
    return [
        f"SELECT COUNT(*) AS n FROM many WHERE (c{k}, c{(5 * k + 1) % 24}) IN "
        f"({', '.join(f'({i * (k + 3) % 97}, {i * (7 + k) % 97})' for i in range(count))})"
        for k in range(12)
    ]


@pytest.mark.parametrize("call", ["batch", "plan"])
def test_questions_that_are_asked_together_share_one_effort(curator, monkeypatch, call):
    made = []
    start = Effort.__init__
    monkeypatch.setattr(
        Effort, "__init__", lambda self, limit, **more: (made.append(self), start(self, limit, **more))[1]
    )
    with pytest.raises(QueryRefused, match="This batch takes more than 880,000 steps") as refusal:
        getattr(curator, call)(pairs(10), rho="0.001")
    assert refusal.value.code == "query.too-much-work"
    assert [one.limit for one in made] == [MOST_STEPS + 12 * BATCH_STEPS]
    assert curator.spent()[0].rho == 0


@pytest.mark.parametrize(
    "asked",
    [
        [f"SELECT COUNT(*) AS n FROM visits WHERE age >= {i % 100} AND small <= {i // 10}" for i in range(100)],
        [f"SELECT AVG(cost) AS c FROM visits WHERE age BETWEEN {2 * i} AND {3 * i + 9}" for i in range(30)],
        [f"SELECT {key}, COUNT(*) AS n, SUM(cost) AS c FROM visits GROUP BY {key}" for key in ("age", "sex", "region")],
    ],
    ids=["a hundred counts", "means of ranges", "tables"],
)
def test_what_people_ask_together_takes_a_tenth_of_the_steps(curator, asked):
    with bounded(10**9) as counted:
        curator.batch(asked, rho="0.01")
    assert 0 < counted.limit - counted.left <= BATCH_STEPS // 10 * len(asked)


def test_whom_questions_share_is_found_within_the_steps(curator):
    regions = [curator.quote(text, rho="0.001").quote.region for text in pairs(10)]
    with pytest.raises(QueryRefused, match="pieces"), bounded(10_000):
        meetings(regions)


def test_a_condition_of_its_own_is_bounded_too():
    domain = TABLES["many"].domain
    where = HOSTILE["or 200 boxes"].partition(" WHERE ")[2]
    with pytest.raises(QueryRefused) as refusal:
        pt.Region.where(where, domain)
    assert refusal.value.code == "query.too-much-work"


def test_nothing_of_the_engine_is_asked_while_pricing(curator, monkeypatch):
    """So that the time that pricing takes cannot depend on data."""
    kind = type(curator._engine)
    for name in dir(kind):
        if not name.startswith("__") and callable(getattr(kind, name)):
            monkeypatch.setattr(kind, name, lambda *_, **__: pytest.fail("the engine was asked"))
    text = "SELECT region, COUNT(*) AS n, AVG(cost) AS c, MEDIAN(age) AS m FROM visits WHERE MONTH(day) = 2 GROUP BY 1"
    curator.quote(text, rho="0.01")
    curator.quote("SELECT COUNT(*) AS n FROM visits", within=20)
    curator.batch([text, "SELECT COUNT(*) AS n FROM visits"], rho="0.01")
    curator.reused(text)
    curator.remaining("age > 5", table="visits")


def test_nothing_but_an_empty_table_is_asked_before_the_charge(curator, monkeypatch):
    """The rehearsal too takes a time that cannot depend on data."""
    asked: list[str] = []

    class Heard:
        def __init__(self, cursor: Any) -> None:
            self._cursor = cursor

        def __getattr__(self, name: str) -> Any:
            return lambda statement: asked.append(statement) or getattr(self._cursor, name)(statement)

    kind, cursor = type(curator._engine), type(curator._engine)._cursor
    monkeypatch.setattr(kind, "_cursor", lambda self: Heard(cursor(self)))
    monkeypatch.setattr(kind, "run", lambda *_: pytest.fail("rows were read"))
    with pytest.raises(BudgetExceeded):
        curator.ask("SELECT region, COUNT(*) AS n, MEDIAN(age) AS m FROM visits GROUP BY region", rho=5)
    assert len(asked) == 2
    assert all(statement.count('"table ') == statement.count(' without rows"') == 1 for statement in asked)


# --- what was slow is counted in calls of the interpreter, and never by the clock ---------------------------------

SMALL = pt.Table(
    "things",
    [],
    {"a": pt.integers(0, 3), "b": pt.integers(-5, 300), "d": pt.categories("x", "y"), "g": pt.booleans(),
     "f": pt.dates("2020-02-27", "2024-03-03"), "u": pt.timestamps("2020-01-01", "2025-01-01", step="1s")},
)  # fmt: skip
_DISTINCT = "b = a"
for _ in range(20):
    _DISTINCT = f"({_DISTINCT}) IS DISTINCT FROM (a = 1)"
BUSY = {
    # Divided by a column three times, one condition on days stands at a thousand places, and was written out at each.
    "divided": "SELECT SUM(EXTRACT(day FROM f) / b / b / b) AS n FROM things",
    # A key of hundreds of labels was hashed in each of two thousand sets.
    "cube": "SELECT COUNT(*) AS n FROM things GROUP BY CUBE (a, d, g, f, BUCKET(b, 50), b % 2, b % 3, b % 4, b % 5)",
    "distinct": f"SELECT COUNT(*) AS n FROM things WHERE {_DISTINCT}",
    # Each of so many parts of a sum was searched for times.
    "sum": f"SELECT SUM({' + '.join(['b'] * 500)}) AS n FROM things",
}


@pytest.mark.parametrize("name", BUSY)
def test_a_small_question_makes_few_calls(name):
    made = 0

    def count(frame: object, event: str, argument: object) -> None:
        nonlocal made
        made += event == "call"

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        with pytest.raises(PartitaError):
            sql.read_statement(BUSY[name], [SMALL])
    finally:
        sys.setprofile(before)
    assert made < 1_500_000 if name == "sum" else made < 1_000_000


def test_margins_of_many_numbers_are_not_related_to_each_other(monkeypatch):
    """Ten sums in 75 groups took more than four seconds of linear algebra; here are 60 groups."""
    related: list[int] = []
    monkeypatch.setattr(batch, "told", lambda quotes, worth: related.append(len(quotes)))
    with pt.Curator(tables=[SMALL], promises=PROMISES) as made:
        for count, looked in ((2, True), (12, False)):
            related.clear()
            listed = ", ".join(f"SUM(b * {factor} + a) AS s{factor}" for factor in range(1, count + 1))
            quote = made.quote(f"SELECT {listed} FROM things GROUP BY ROLLUP (a, d, g)", rho="0.1")
            assert 0 < quote.cost.rho <= pt.ZCDP(rho="0.1").rho
            assert bool(related) is looked
