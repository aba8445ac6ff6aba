# ruff: noqa: E501
"""Error bars of what is not linear: how often they hold, and how long they are beside what noise really does.

    python benchmarks/queries/bars.py [releases] [words of a formula]

Writes BARS.md beside this file. A table of 200 groups, all with the same made-up rows, is released again and again: every group is a
draw of its own. For each formula, noise and size of group: how often intervals of 90%, 95% and 99% hold the exact value, and the median
half of a 95% interval over the half that 95 of 100 errors really stay within.
"""

from __future__ import annotations

import math
import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import pyarrow as pa

import partita as pt
from partita.composition.calibration.pricing import Price
from partita.engine.duckdb import DuckDB
from partita.query.noise.quote import quote
from partita.query.sql.parse import read

HERE = Path(__file__).resolve().parent
GROUPS = 200
LEVELS = (0.9, 0.95, 0.99)


def _moment(x: np.ndarray[Any, Any], power: int) -> float:
    """The mean power of the distance from the mean, in standard deviations."""
    return float(np.mean((x - np.mean(x)) ** power) / np.std(x) ** power)


def _sample_kurtosis(x: np.ndarray[Any, Any]) -> float:
    n = len(x)
    return (n - 1) / ((n - 2) * (n - 3)) * ((n + 1) * _moment(x, 4) - 3 * (n - 1))


FORMULAS = {
    "CORR(x, y)": lambda x, y: float(np.corrcoef(x, y)[0, 1]),
    "REGR_SLOPE(y, x)": lambda x, y: float(np.cov(x, y, bias=True)[0, 1] / np.var(x)),
    "STDDEV_POP(x)": lambda x, y: float(np.std(x)),
    "STDDEV(y)": lambda x, y: float(np.std(y, ddof=1)),
    "COVAR_POP(x, y)": lambda x, y: float(np.cov(x, y, bias=True)[0, 1]),
    "STDDEV_POP(x) / AVG(x)": lambda x, y: float(np.std(x) / np.mean(x)),
    "AVG(x)": lambda x, y: float(np.mean(x)),
    "SUM(x) / SUM(y)": lambda x, y: float(np.sum(x) / np.sum(y)),
    "LN(SUM(x))": lambda x, y: math.log(np.sum(x)),
    "SKEWNESS(x)": lambda x, y: _moment(x, 3) * math.sqrt(len(x) * (len(x) - 1)) / (len(x) - 2),
    "KURTOSIS_POP(x)": lambda x, y: _moment(x, 4) - 3,
    "SKEWNESS(y)": lambda x, y: _moment(y, 3) * math.sqrt(len(y) * (len(y) - 1)) / (len(y) - 2),
    "KURTOSIS(x)": lambda x, y: _sample_kurtosis(x),
    "GEOMEAN(x + 1)": lambda x, y: float(np.exp(np.mean(np.log(x + 1.0)))),
    "AVG(x) * AVG(y)": lambda x, y: float(np.mean(x) * np.mean(y)),
}
PROMISES = {
    "Gaussian, ρ = 0.05": (pt.Promise(pt.rows(), pt.ZCDP(rho="1")), Price.of(rho="0.05")),
    "Laplace, ε = 0.5": (pt.Promise(pt.rows(), pt.Pure(epsilon="1")), Price.of(epsilon="0.5")),
}


def measured(formula: str, noise: str, rows: int, releases: int) -> tuple[list[float], float]:
    """How often the intervals hold, and how long they are."""
    rng = np.random.default_rng(rows)
    x = rng.integers(0, 101, rows)
    y = np.clip(np.round(0.5 * x + rng.normal(20, 15, rows)), 0, 100).astype(int)
    data = pa.table({"g": np.repeat(np.arange(GROUPS), rows), "x": np.tile(x, GROUPS), "y": np.tile(y, GROUPS)})
    columns = {name: pt.integers(0, most, missing=0) for name, most in (("g", GROUPS - 1), ("x", 100), ("y", 100))}
    table = pt.Table("t", data, columns)
    promise, price = PROMISES[noise]
    offer = quote(read(f"SELECT g, {formula} AS v FROM t GROUP BY g", [table]), [promise], price)
    engine = DuckDB([table])
    tallies, exact = engine.run(offer.program), FORMULAS[formula](x, y)
    engine.close()
    held: dict[float, list[bool]] = {level: [] for level in LEVELS}
    errors: list[float] = []
    halves: list[float] = []
    for _ in range(releases):
        result = offer.result(offer.release(tallies))
        errors += [abs(value - exact) for value in result.columns["v"] if value is not None]
        for level in LEVELS:
            ends = result.intervals(level)["v"]
            held[level] += [low <= exact <= high for low, high in ends]
            if level == 0.95:
                halves += [(high - low) / 2 for low, high in ends]
    return [float(np.mean(held[level])) for level in LEVELS], float(np.median(halves) / np.quantile(errors, 0.95))


def main() -> None:
    releases, words = int(sys.argv[1]) if len(sys.argv) > 1 else 5, " ".join(sys.argv[2:])
    written = []
    for noise in PROMISES:
        for rows in (50, 300, 3000):
            for formula in FORMULAS:
                if words not in formula:
                    continue
                held, longer = measured(formula, noise, rows, releases)
                shown = " | ".join(f"{100 * one:.1f}%" for one in held)
                written.append(f"| `{formula}` | {noise} | {rows:,} | {shown} | {longer:.2f} |")
                print(written[-1], flush=True)
    if words:
        return
    (HERE / "BARS.md").write_text(
        f"""# How often error bars hold

Written by `python benchmarks/queries/bars.py {releases}` on {datetime.now(UTC).date()}: {GROUPS * releases:,} draws a line, so that shares of 90%, 95% and 99%
are known to about {100 * math.sqrt(0.09 / (GROUPS * releases)):.1f}, {100 * math.sqrt(0.0475 / (GROUPS * releases)):.1f} and {100 * math.sqrt(0.0099 / (GROUPS * releases)):.1f} of a hundred. The last column is the median half of a 95% interval over what 95% of
the errors stay within: 1 is as short as can be.

| formula | noise | rows a group | 90% | 95% | 99% | length |
|---|---|---|---|---|---|---|
"""
        + "\n".join(written)
        + "\n",
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
