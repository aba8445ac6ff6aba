"""Tables and margins that agree after adjustment, with error bars that still hold."""

from __future__ import annotations

import pytest

import partita as pt
from partita.composition.calibration.pricing import Price
from partita.errors import InvalidInput
from partita.query.noise.quote import quote
from partita.query.reuse.consistency import consistent
from partita.query.sql.parse import read
from partita.sampling.bits import TestBits
from tests.laws.test_coverage import PROMISES, ROWS, TABLE, exact, held, most_misses, tallied
from tests.unit.curator.hospital import hospital

TABLES = [
    "SELECT region, sex, COUNT(*) AS n, SUM(age) AS total FROM visits GROUP BY region, sex",
    "SELECT region, COUNT(*) AS n FROM visits GROUP BY region",
    "SELECT COUNT(*) AS n, SUM(age) AS total FROM visits",
]


@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
def test_a_table_agrees_with_its_margins(noise: str) -> None:
    curator = hospital(promises=[pt.Promise(pt.rows(), pt.ZCDP(rho=5))])
    answers = [curator.ask(sql, rho="0.1", noise=noise, reuse=False) for sql in TABLES]
    fine, regions, whole = answers[0].consistent_with(*answers[1:])
    for region in regions.rows():
        parts = [row["n"] for row in fine.rows() if row["region"] == region["region"]]
        assert sum(parts) == pytest.approx(region["n"], abs=1e-6)
    assert sum(row["n"] for row in regions.rows()) == pytest.approx(whole.rows()[0]["n"], abs=1e-6)
    assert sum(row["total"] for row in fine.rows()) == pytest.approx(whole.rows()[0]["total"], abs=1e-3)
    for before, after in zip(answers, (fine, regions, whole), strict=True):
        assert max(after.error("0.99")["n"]) < max(before.error("0.99")["n"])


def test_tables_that_are_not_nested_are_refused() -> None:
    curator = hospital()
    answers = [
        curator.ask(sql, rho="0.01") for sql in (TABLES[1], "SELECT sex, COUNT(*) AS n FROM visits GROUP BY sex")
    ]
    with pytest.raises(InvalidInput, match="cannot be made to agree"):
        answers[0].consistent_with(answers[1])


def test_answers_that_share_their_noise_are_refused() -> None:
    curator = hospital(promises=[pt.Promise(pt.rows(), pt.ZCDP(rho=5))])
    fine = curator.ask(TABLES[0], rho="1")
    margin = curator.ask(TABLES[1], rho="0.001")
    assert margin.sources
    for others in ((margin,), (fine,)):
        with pytest.raises(InvalidInput, match="noise is not its own"):
            fine.consistent_with(*others)


@pytest.mark.slow
@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
def test_error_bars_of_adjusted_answers_hold_as_often_as_they_say(noise: str) -> None:
    texts = [
        "SELECT g, BUCKET(a, 25) AS k, COUNT(*) AS v FROM t GROUP BY 1, 2",
        "SELECT g, COUNT(*) AS v FROM t GROUP BY g",
        "SELECT COUNT(*) AS v FROM t",
    ]
    quotes = [quote(read(text, [TABLE]), PROMISES, Price.of(rho="0.02"), noise=noise) for text in texts]
    tallies = [tallied(one.program, ROWS) for one in quotes]
    truths = [exact(one, found)["v"] for one, found in zip(quotes, tallies, strict=True)]
    bits, misses, trials = TestBits(14), [0, 0, 0], 100
    for _ in range(trials):
        results = [one.result(one.release(found, bits=bits)) for one, found in zip(quotes, tallies, strict=True)]
        for place, adjusted in enumerate(consistent(results)):
            halves = adjusted.error(0.9, simultaneous=True)["v"]
            ends = [(row["v"] - half, row["v"] + half) for row, half in zip(adjusted.rows(), halves, strict=True)]
            misses[place] += not all(held(truths[place], ends))
    assert max(misses) <= most_misses(trials, 0.1)
