"""What follows from released answers is found, free, with honest error bars; what does not follow is not."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import partita as pt
from partita.composition.calibration.pricing import Price
from partita.engine.reference import tallied
from partita.query.noise.quote import quote
from partita.query.reuse.reuse import placed
from partita.query.sql.parse import read
from tests.unit.curator.hospital import hospital

PROMISES = [pt.Promise(pt.rows(), pt.ZCDP(rho="5"))]
FINE = "SELECT region, sex, COUNT(*) AS n, SUM(age) AS total, AVG(cost) AS mean FROM visits GROUP BY region, sex"


def asked_fine(**options: Any) -> pt.Curator:
    curator = hospital(promises=PROMISES, **options)
    curator.ask(FINE, rho="1")
    return curator


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT region, COUNT(*) AS n FROM visits GROUP BY region",
        "SELECT COUNT(*) AS n, SUM(age) AS total FROM visits",
        "SELECT COUNT(*) AS n FROM visits WHERE region = 'north'",
        "SELECT sex, AVG(cost) AS mean FROM visits WHERE region IN ('north', 'south') GROUP BY sex",
        "SELECT SUM(age) / COUNT(*) AS ratio FROM visits WHERE sex = 'F'",
        "SELECT COUNT(cost) AS n FROM visits",
        "SELECT region, COUNT(*) AS n FROM visits GROUP BY region HAVING COUNT(*) > 50 ORDER BY n DESC LIMIT 3",
    ],
)
def test_what_follows_from_a_finer_table_is_free_and_near_the_truth(sql: str) -> None:
    curator = asked_fine()
    spent = curator.spent()
    answer = curator.ask(sql, rho="0.001")
    assert answer.free
    assert [receipt.seq for receipt in answer.sources] == [3]
    assert curator.spent() == spent
    exact = hospital(promises=[pt.Promise(pt.rows(), pt.Pure(epsilon=10**8))]).ask(sql, epsilon=10**7).rows()
    for name, ends in answer.intervals(confidence=0.999999).items():
        truths = {tuple(v for k, v in row.items() if k not in answer.error()): row[name] for row in exact}
        for row, (low, high) in zip(answer.rows(), ends, strict=True):
            truth = truths.get(tuple(v for k, v in row.items() if k not in answer.error()))
            assert truth is None or low - 0.5 <= truth <= high + 0.5


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT COUNT(*) AS n FROM visits WHERE age > 5",
        "SELECT region, age, COUNT(*) AS n FROM visits GROUP BY region, age",
        "SELECT SUM(cost * 2) AS n FROM visits",
        "SELECT MEDIAN(age) AS n FROM visits",
    ],
)
def test_what_does_not_follow_is_charged(sql: str) -> None:
    curator = asked_fine()
    assert curator.reused(sql) is None
    assert not curator.ask(sql, rho="0.001").free


def test_an_answer_that_is_not_exact_enough_is_not_reused() -> None:
    curator = asked_fine()
    sql = "SELECT COUNT(*) AS n FROM visits"
    assert not curator.ask(sql, rho="2").free
    assert curator.ask(sql, within=30).free
    assert not curator.ask("SELECT COUNT(*) AS n FROM visits WHERE sex = 'F'", within=4).free


def test_reuse_can_be_declined() -> None:
    assert not asked_fine().ask("SELECT COUNT(*) AS n FROM visits", rho="0.001", reuse=False).free


def test_a_quote_says_that_a_question_would_be_free() -> None:
    assert asked_fine().quote("SELECT COUNT(*) AS n FROM visits", rho="0.001").free


def test_several_answers_about_the_same_thing_are_combined() -> None:
    curator = hospital(promises=PROMISES)
    sql = "SELECT COUNT(*) AS n FROM visits"
    alone = [curator.ask(sql, rho=rho, reuse=False) for rho in ("0.001", "0.0011", "0.0012")]
    both = curator.reused(sql)
    assert both is not None
    assert len(both.sources) == 3
    assert both.error()["n"][0] < 0.7 * min(answer.error()["n"][0] for answer in alone)
    assert "Made from 3 earlier answers: entries" in both.explain()


def test_other_analysts_and_later_processes_find_the_same_answers(tmp_path: Path) -> None:
    first = asked_fine(ledger=tmp_path / "visits.ledger")
    rows = first.session(analyst="ada").ask("SELECT COUNT(*) AS n FROM visits", rho="0.001").rows()
    first.close()
    later = hospital(promises=PROMISES, ledger=tmp_path / "visits.ledger")
    answer = later.session(analyst="bob").ask("SELECT COUNT(*) AS n FROM visits", rho="0.001")
    assert answer.free
    assert answer.rows() == rows
    assert later.verify().sound


def test_questions_of_a_plan_are_found_too() -> None:
    curator = hospital(promises=[pt.Promise(pt.rows(), pt.Approximate(epsilon=1, delta="1e-6"))])
    listed = ["SELECT region, COUNT(*) AS n FROM visits GROUP BY region"]
    listed += [f"SELECT COUNT(*) AS n FROM visits WHERE age > {age}" for age in range(20)]
    curator.plan(listed, epsilon="0.9", delta="1e-7").ask(0)
    answer = curator.ask("SELECT COUNT(*) AS n FROM visits", epsilon="0.001")
    assert answer.free
    assert abs(answer.rows()[0]["n"] - 400) <= answer.error("0.999999")["n"][0]


def test_owners_and_caps_are_not_added_up() -> None:
    users = [pt.Promise(pt.users("patient", rows=4, in_region=1), pt.ZCDP(rho=50))]
    curator = hospital(promises=users)
    curator.ask("SELECT region, COUNT(*) AS n FROM visits GROUP BY region", rho="1")
    assert not curator.ask("SELECT COUNT(*) AS n FROM visits", rho="0.0001").free


TABLE = pt.Table(
    "t",
    source=[{"a": 0}],
    columns={"a": pt.integers(0, 9), "b": pt.integers(0, 4, missing=0), "d": pt.dates("2025-01-01", "2025-03-31")},
)
KEYS = ["a", "b", "BUCKET(a, 2)", "BUCKET(a, 5)", "d", "DATE_TRUNC('month', d)", "DATE_TRUNC('week', d)"]
WHERES = ["", "a < 4", "a IS NOT NULL", "b = 2", "b >= 2 AND a < 6", "d < '2025-02-01'", "a < 4 OR b = 1", "a > b"]


@st.composite
def questions(draw: st.DrawFn) -> str:
    keys = draw(st.lists(st.sampled_from(KEYS), max_size=3, unique=True))
    where = draw(st.sampled_from(WHERES))
    chosen = "".join(f"{key}, " for key in keys)
    return (
        f"SELECT {chosen}COUNT(*) AS n FROM t"
        + (f" WHERE {where}" if where else "")
        + (f" GROUP BY {', '.join(keys)}" if keys else "")
    )


ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "a": st.one_of(st.none(), st.integers(0, 9)),
            "b": st.integers(0, 4),
            "d": st.one_of(st.none(), st.dates(date(2025, 1, 1), date(2025, 3, 31))),
        }
    ),
    max_size=30,
)


@settings(max_examples=150, deadline=None)
@given(fine=questions(), coarse=questions(), table=ROWS)
def test_summed_up_groups_are_exactly_the_groups_of_the_other_question(fine: str, coarse: str, table: Any) -> None:
    price = Price.of(rho="0.1")
    have, want = (quote(read(sql, [TABLE]), PROMISES, price) for sql in (fine, coarse))
    places = placed(have.plan, have.program.cells, want.plan, want.program.cells)
    if have.plan.canonical == want.plan.canonical:
        assert places == list(range(have.program.cells.count))
    if places is None:
        return
    released, wanted = (one.exact(tallied(one.program, table)) for one in (have, want))
    summed = [0] * len(wanted)
    for line, group in enumerate(places):
        if group is not None:
            summed[group] += int(released[line, 0])
    assert summed == [int(line[0]) for line in wanted]


def test_a_mean_was_released_as_a_count_and_a_sum() -> None:
    curator = hospital(promises=PROMISES)
    curator.ask("SELECT region, AVG(cost) AS mean FROM visits GROUP BY region", rho="1")
    answer = curator.ask("SELECT COUNT(*) AS n FROM visits", rho="0.001")
    assert answer.free
    assert abs(answer.rows()[0]["n"] - 400) <= answer.error("0.999999")["n"][0]
