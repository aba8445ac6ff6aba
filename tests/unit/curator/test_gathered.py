"""Questions about rows gathered by owner, through the curator: the same SQL under rows and under users."""

from __future__ import annotations

import pytest

import partita as pt
from partita.sampling.bits import TestBits

ROWS = [{"patient": place // 2, "region": "ns"[place % 2], "cost": place % 50} for place in range(400)]
COLUMNS = {"patient": pt.identifier(), "region": pt.categories("n", "s"), "cost": pt.integers(0, 100, missing=0)}
TOTAL = (
    "SELECT AVG(total) AS mean, COUNT(*) AS owners "
    "FROM (SELECT patient, SUM(cost) AS total FROM visits GROUP BY patient)"
)


def curator(*promises: pt.Promise) -> pt.Curator:
    return pt.Curator(tables=[pt.Table("visits", ROWS, COLUMNS)], promises=promises, bits=TestBits(1))


def test_under_users_a_total_is_bounded_by_the_rows_of_an_owner():
    made = curator(pt.Promise(pt.users("patient", rows=2), pt.ZCDP(rho=1000)))
    answer = made.ask(TOTAL, rho=100)
    (line,) = answer.rows()
    assert line["owners"] == pytest.approx(200, abs=3)
    assert line["mean"] == pytest.approx(sum(row["cost"] for row in ROWS) / 200, abs=1)
    # An owner is one derived row, and pays for it once, however many rows there are behind it.
    assert answer.cost.fits(pt.ZCDP(rho=100))
    assert made.ask(TOTAL, rho=100).free


def test_an_owner_pays_once_whatever_the_cap_on_rows():
    costs = []
    for most in (1, 10):
        made = curator(pt.Promise(pt.users("patient", rows=most), pt.ZCDP(rho=1000)))
        question = (
            "SELECT COUNT(*) AS n FROM (SELECT patient, MAX(cost) AS m FROM visits GROUP BY patient) WHERE m > 10"
        )
        costs.append(made.quote(question, rho=1).error()["n"])
    assert costs[0] == costs[1]


def test_owners_themselves_are_counted():
    made = curator(pt.Promise(pt.rows(), pt.ZCDP(rho=1000)))
    question = "SELECT COUNT(*) AS n FROM (SELECT patient FROM visits WHERE cost > 25 GROUP BY patient)"
    expected = len({row["patient"] for row in ROWS if row["cost"] > 25})
    assert made.ask(question, rho=100).rows()[0]["n"] == pytest.approx(expected, abs=2)


def test_under_rows_a_total_needs_a_range_and_then_works():
    made = curator(pt.Promise(pt.rows(), pt.ZCDP(rho=1000)))
    with pytest.raises(pt.PartitaError) as caught:
        made.ask(TOTAL, rho=1)
    assert caught.value.code == "shape.unbounded-gathering"
    (line,) = made.ask(TOTAL.replace("SUM(cost)", "CLAMP(SUM(cost), 0, 150)"), rho=100).rows()
    assert line["mean"] == pytest.approx(sum(row["cost"] for row in ROWS) / 200, abs=1)


def test_gathered_rows_are_charged_to_the_region_that_was_gathered():
    made = curator(pt.Promise(pt.rows(), pt.ZCDP(rho=1000)))
    inner = "SELECT patient, MAX(cost) AS m FROM visits WHERE region = 'n' GROUP BY patient"
    made.ask(f"SELECT AVG(m) AS a FROM ({inner}) WHERE m > 90", rho=10)
    assert made.remaining("region = 's'")[0] == pt.ZCDP(rho=1000)
    assert made.remaining("region = 'n' AND cost < 5")[0].fits(pt.ZCDP(rho="990.01"))


HALF = (
    "SELECT MEDIAN(total) AS half, QUANTILE(total, 0.9) AS high "
    "FROM (SELECT patient, {} AS total FROM visits GROUP BY 1)"
)


@pytest.mark.parametrize(
    ("promise", "total"),
    [
        (pt.Promise(pt.rows(), pt.Pure(epsilon=100)), "CLAMP(SUM(cost), 0, 150)"),
        (pt.Promise(pt.users("patient", rows=2), pt.ZCDP(rho=100)), "SUM(cost)"),
        (pt.Promise(pt.users("patient", rows=5, altered=True), pt.ZCDP(rho=10_000)), "SUM(cost)"),
    ],
    ids=str,
)
def test_quantiles_of_what_people_add_up_to(promise, total):
    totals = sorted(ROWS[place]["cost"] + ROWS[place + 1]["cost"] for place in range(0, 400, 2))
    answer = curator(promise).ask(HALF.format(total), epsilon=10)
    (line,) = answer.rows()
    for name, share in (("half", 0.5), ("high", 0.9)):
        off = answer.rank_error(0.999)[name]
        assert totals[max(0, round(share * 200 - off))] <= line[name] <= totals[min(199, round(share * 200 + off))]
        assert off < 20


def test_an_owner_pays_once_for_a_quantile_of_totals_and_rows_may_be_capped():
    made = curator(pt.Promise(pt.users("patient", rows=10), pt.ZCDP(rho=1000)))
    answer = made.ask(HALF.format("SUM(cost)"), rho=1)
    assert answer.cost.fits(pt.ZCDP(rho=1))
    by_rows = made.quote("SELECT MEDIAN(cost) AS half, QUANTILE(cost, 0.9) AS high FROM visits", rho=1)
    assert answer.rank_error()["half"] < by_rows.quote.rank_error()["half"] / 5
    capped = made.ask(HALF.format("LEAST(COUNT(*), 9)"), rho=50, rows_per_user=1)
    assert capped.rows() == [{"half": 1, "high": 1}]
    assert capped.cost.fits(pt.ZCDP(rho=50))


def test_groups_of_gathered_rows_are_not_capped():
    made = curator(pt.Promise(pt.users("patient", rows=10), pt.ZCDP(rho=1000)))
    with pytest.raises(pt.PartitaError) as caught:
        made.ask(HALF.format("SUM(cost)"), rho=1, groups_per_user=1)
    assert caught.value.code == "shape.caps-of-gathered"


@pytest.mark.parametrize(
    ("question", "code"),
    [
        (
            "SELECT COUNT(DISTINCT nobody) AS v FROM (SELECT patient, MAX(cost) AS m FROM visits GROUP BY patient)",
            "query.unknown-column",
        ),
        ("SELECT AVG(n) FROM (SELECT patient, STDDEV(cost) AS n FROM visits GROUP BY patient)", "shape.not-gathered"),
    ],
)
def test_what_cannot_be_gathered_is_refused(question, code):
    with pytest.raises(pt.PartitaError) as caught:
        curator(pt.Promise(pt.rows(), pt.ZCDP(rho=1000))).ask(question, rho=1)
    assert caught.value.code == code


def test_no_name_of_a_column_is_mistaken_for_what_is_gathered():
    """Engines do not tell capitals apart: a declared column, or another aggregate, may look like the one meant."""
    columns = {
        "p": pt.identifier(), "a": pt.integers(0, 5), "MAX(a)": pt.integers(0, 1000),
        "d": pt.categories("x", "X"),
    }  # fmt: skip
    stored = [{"p": i % 4, "a": i % 3, "MAX(a)": 900, "d": "xX"[i % 2]} for i in range(24)]
    table = pt.Table("t", source=stored, columns=columns)
    promise = pt.Promise(pt.rows(), pt.ZCDP(rho=10**9))
    kept = pt.Curator(tables=[table], promises=[promise])
    inner = 'SELECT p, "MAX(a)", MAX(a) AS m FROM t GROUP BY p, "MAX(a)"'
    (row,) = kept.ask(f"SELECT SUM(m) AS s FROM ({inner})", rho=10**6).rows()
    assert row["s"] == 8
    few = "LEAST(COUNT(*) FILTER (WHERE d = '{}'), 30)"
    inner = f"SELECT p, {few.format('x')} AS m, {few.format('X')} AS n FROM t GROUP BY p"
    (row,) = kept.ask(f"SELECT SUM(m) AS s, SUM(n) AS t, SUM(m * n) AS u FROM ({inner})", rho=10**6).rows()
    assert row == {"s": 12, "t": 12, "u": 0}


def test_a_cap_on_rows_is_told_beside_the_number_that_it_may_bias():
    made = curator(pt.Promise(pt.users("patient", rows=2), pt.ZCDP(rho=1000)))
    told = made.ask("SELECT COUNT(*) AS n FROM visits", rho=1).explain()
    assert "Rows of one owner: at most 2 were used" in told
    capped = made.ask("SELECT COUNT(*) AS n FROM visits", rho=1, rows_per_user=1).explain()
    assert "Rows of one owner: at most 1 was used" in capped
    rows = curator(pt.Promise(pt.rows(), pt.ZCDP(rho=1000)))
    assert "Rows of one owner" not in rows.ask("SELECT COUNT(*) AS n FROM visits", rho=1).explain()
