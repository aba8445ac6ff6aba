"""Error bars hold as often as they say, for every aggregate and every noise, by simulation.

Each test fails by chance less than once in a million runs.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import partita as pt
from partita.composition.calibration.pricing import Price
from partita.engine.reference import tallied
from partita.query.noise.quote import Quote, quote
from partita.query.reuse.reuse import Released, combined, derived
from partita.query.sql.parse import read
from partita.sampling.bits import TestBits

ROWS = [{"a": (7 * i) % 40, "b": None if i % 5 == 0 else (3 * i) % 11, "g": "xyz"[i % 3]} for i in range(900)]
TABLE = pt.Table(
    "t",
    source=ROWS,
    columns={
        "a": pt.integers(0, 50, missing=0),
        "b": pt.integers(0, 10),
        "g": pt.categories("x", "y", "z", other="z", missing="z"),
    },
)
PROMISES = [pt.Promise(pt.rows(), pt.ZCDP(rho=100))]
AGGREGATES = {
    "count": "COUNT(*)",
    "count of values": "COUNT(b)",
    "sum": "SUM(a)",
    "mean": "AVG(a)",
    "mean with gaps": "AVG(b)",
    "ratio": "SUM(a) / COUNT(*)",
    "difference": "SUM(a) - 3 * COUNT(b)",
    "variance": "VAR_POP(a)",
    "deviation": "STDDEV(a)",
    "covariance": "COVAR_POP(a, b)",
    "correlation": "CORR(a, b)",
}
TRIALS = 150
CONFIDENCE = 0.9


def most_misses(trials: int, miss: float) -> int:
    """The number of misses that is exceeded less than once in a million runs."""
    tail, count = 1.0, -1
    while tail > 1e-6:
        count += 1
        tail -= math.comb(trials, count) * miss**count * (1 - miss) ** (trials - count)
    return count


def exact(offered: Quote, tallies: Any) -> dict[str, list[Any]]:
    numbers = np.empty((len(tallies), offered.width), dtype=object)
    numbers[:, : len(offered.spreads)] = offered.exact(tallies)
    return offered.result(numbers).columns


def held(truth: list[Any], intervals: list[tuple[float, float]]) -> list[bool]:
    slack = 1e-9 * max([1.0, *(abs(value) for value in truth)])
    return [low - slack <= value <= high + slack for value, (low, high) in zip(truth, intervals, strict=True)]


@pytest.mark.slow
@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
@pytest.mark.parametrize("aggregate", AGGREGATES)
def test_error_bars_hold_as_often_as_they_say(aggregate: str, noise: str) -> None:
    plan = read(f"SELECT g, {AGGREGATES[aggregate]} AS v FROM t GROUP BY g", [TABLE])
    offered = quote(plan, PROMISES, Price.of(rho="0.05"), noise=noise)
    tallies = tallied(offered.program, ROWS)
    truth, bits = exact(offered, tallies)["v"], TestBits(11)
    one = together = 0
    for _ in range(TRIALS):
        result = offered.result(offered.release(tallies, bits=bits))
        one += not held(truth[:1], result.intervals(CONFIDENCE)["v"][:1])[0]
        together += not all(held(truth, result.intervals(CONFIDENCE, simultaneous=True)["v"]))
    assert one <= most_misses(TRIALS, 1 - CONFIDENCE)
    assert together <= most_misses(TRIALS, 1 - CONFIDENCE)


@pytest.mark.slow
@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
@pytest.mark.parametrize("aggregate", ["count", "sum", "mean", "variance"])
def test_error_bars_of_reused_and_combined_answers_hold_as_often_as_they_say(aggregate: str, noise: str) -> None:
    fine = read(f"SELECT g, BUCKET(a, 10) AS k, {AGGREGATES[aggregate]} AS v FROM t GROUP BY 1, 2", [TABLE])
    coarse = read(f"SELECT g, {AGGREGATES[aggregate]} AS v FROM t GROUP BY g", [TABLE])
    have, want = (quote(plan, PROMISES, Price.of(rho="0.05"), noise=noise) for plan in (fine, coarse))
    tallies = [tallied(one.program, ROWS) for one in (have, want)]
    truth, bits = exact(want, tallies[1])["v"], TestBits(12)
    misses = 0
    for _ in range(TRIALS):
        parts = [
            derived(Released(one, one.release(found, bits=bits)), want)
            for one, found in zip((have, want), tallies, strict=True)
        ]
        result = combined([part for part in parts if part is not None], want)
        misses += not all(held(truth, result.intervals(CONFIDENCE, simultaneous=True)["v"]))
    assert misses <= most_misses(TRIALS, 1 - CONFIDENCE)


def test_the_bars_are_not_much_longer_than_they_need_be() -> None:
    offered = quote(read("SELECT COUNT(*) AS v FROM t", [TABLE]), PROMISES, Price.of(rho="0.001"))
    tallies, bits = tallied(offered.program, ROWS), TestBits(13)
    misses = sum(
        not held([len(ROWS)], offered.result(offered.release(tallies, bits=bits)).intervals(0.5)["v"])[0]
        for _ in range(400)
    )
    assert misses > 400 - most_misses(400, 0.55)


EDGES = {
    "mean": "AVG(a)",
    "share": "AVG(CASE WHEN a < 1 THEN 1 ELSE 0 END)",
    "variance": "VAR_POP(a)",
    "likeness": "CORR(a, b)",
}


@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
@pytest.mark.parametrize("aggregate", EDGES)
def test_a_bar_at_the_edge_of_a_range_holds_its_own_value_and_is_never_turned_round(aggregate: str, noise: str) -> None:
    rows = [{"a": 50 if place % 3 else 0, "b": 10 if place % 3 else 0, "g": "xyz"[place % 3]} for place in range(240)]
    plan = read(f"SELECT g, {EDGES[aggregate]} AS v FROM t GROUP BY g", [TABLE])
    offered = quote(plan, PROMISES, Price.of(rho="0.05"), noise=noise)
    tallies = tallied(offered.program, rows)
    truth, bits = exact(offered, tallies)["v"], TestBits(14)
    misses, clamped = 0, 0
    for _ in range(TRIALS):
        result = offered.result(offered.release(tallies, bits=bits))
        found, bars = result.columns["v"], result.intervals(CONFIDENCE)["v"]
        assert all(low < high for low, high in bars)
        told = [(value, ends) for value, ends in zip(found, bars, strict=True) if value is not None]
        assert all(held([value for value, _ in told], [ends for _, ends in told]))
        misses += not held(truth[:1], bars[:1])[0]
        clamped += found[0] == truth[0]
    assert misses <= most_misses(TRIALS, 1 - CONFIDENCE)
    assert clamped or aggregate == "likeness"
