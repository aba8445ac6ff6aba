"""Error bars of what is not linear hold about as often as they say, and are about as long as they must be."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import partita as pt
from partita.composition.calibration.pricing import Price
from partita.engine.duckdb import DuckDB
from partita.query.answer.results import Result
from partita.query.noise.quote import Quote, quote
from partita.query.sql.parse import read
from partita.sampling.bits import TestBits

GROUPS, ROWS = 300, 600
X = np.arange(ROWS) * 37 % 101
Y = np.minimum(100, X // 2 + np.arange(ROWS) * 53 % 47)
EXACT = {
    "CORR(x, y)": np.corrcoef(X, Y)[0, 1],
    "REGR_SLOPE(y, x)": np.cov(X, Y, bias=True)[0, 1] / np.var(X),
    "STDDEV(x)": np.std(X, ddof=1),
    "STDDEV_POP(x) / AVG(x)": np.std(X) / np.mean(X),
    "SKEWNESS(x)": np.mean((X - X.mean()) ** 3) / np.std(X) ** 3 * np.sqrt(ROWS * (ROWS - 1)) / (ROWS - 2),
    "SUM(x) / SUM(y)": np.sum(X) / np.sum(Y),
}
PRICES = {
    "gaussian": (pt.Promise(pt.rows(), pt.ZCDP(rho="1")), Price.of(rho="0.05")),
    "laplace": (pt.Promise(pt.rows(), pt.Pure(epsilon="1")), Price.of(epsilon="0.5")),
}


def released(formula: str, noise: str, x: np.ndarray, y: np.ndarray) -> tuple[Quote, Result]:
    """Every group has the same rows, so that a release is as many draws as there are groups."""
    data = {"g": np.repeat(np.arange(GROUPS), len(x)), "x": np.tile(x, GROUPS), "y": np.tile(y, GROUPS)}
    columns = {name: pt.integers(0, most, missing=0) for name, most in (("g", GROUPS - 1), ("x", 100), ("y", 100))}
    table = pt.Table("t", pa.table(data), columns)
    promise, price = PRICES[noise]
    offer = quote(read(f"SELECT g, {formula} AS v FROM t GROUP BY g", [table]), [promise], price)
    engine = DuckDB([table])
    tallies = engine.run(offer.program)
    engine.close()
    return offer, offer.result(offer.release(tallies, bits=TestBits(len(formula))))


@pytest.mark.parametrize("noise", PRICES)
@pytest.mark.parametrize("formula", EXACT)
def test_bars_hold_as_often_as_they_say_and_are_no_longer_than_they_must_be(formula, noise):
    """Of 300 draws, 90% hold up to 8.5 of a hundred (4.9 deviations: one false alarm in a million)."""
    _, result = released(formula, noise, X, Y)
    ends, exact = result.intervals(0.9)["v"], EXACT[formula]
    held = np.mean([low <= exact <= high for low, high in ends])
    assert 0.815 <= held <= 0.985
    errors = np.abs(np.array(result.columns["v"]) - exact)
    assert np.median([high - low for low, high in ends]) / 2 <= 1.35 * np.quantile(errors, 0.9)


@pytest.mark.parametrize("noise", PRICES)
@pytest.mark.parametrize("at", [0, 100])
def test_a_mean_at_the_edge_of_its_range_is_inside_its_interval(noise, at):
    _, result = released("AVG(x)", noise, np.full(40, at), np.full(40, at))
    ends = result.intervals(0.95)["v"]
    assert all(low <= value <= high for value, (low, high) in zip(result.columns["v"], ends, strict=True))
    assert all(low < high for low, high in ends)
    assert np.mean([low <= at <= high for low, high in ends]) >= 0.95 - 0.062
