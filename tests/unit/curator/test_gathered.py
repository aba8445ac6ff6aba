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


@pytest.mark.parametrize(
    ("question", "code"),
    [
        (
            "SELECT MEDIAN(m) AS v FROM (SELECT patient, MAX(cost) AS m FROM visits GROUP BY patient)",
            "shape.ranks-of-gathered",
        ),
        ("SELECT AVG(n) FROM (SELECT region, COUNT(*) AS n FROM visits GROUP BY region)", "shape.not-by-owner"),
        ("SELECT AVG(n) FROM (SELECT patient, STDDEV(cost) AS n FROM visits GROUP BY patient)", "shape.not-gathered"),
        (
            "SELECT AVG(n) FROM (SELECT AVG(m) AS n FROM (SELECT patient, MAX(cost) AS m FROM visits GROUP BY 1))",
            "shape.gathered-twice",
        ),
    ],
)
def test_what_cannot_be_gathered_is_refused(question, code):
    with pytest.raises(pt.PartitaError) as caught:
        curator(pt.Promise(pt.rows(), pt.ZCDP(rho=1000))).ask(question, rho=1)
    assert caught.value.code == code
