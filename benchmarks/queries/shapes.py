# ruff: noqa: E501
"""Forty shapes of questions: the error of every answer against a naive mechanism at the same budget.

    python benchmarks/queries/shapes.py [repetitions] [words of a shape's name]

Writes SHAPES.md beside this file. Every question is answered again and again on the same made-up rows, each time at a price that
differs in its tenth digit, and its error is the root of the mean squared distance from the exact answer, over groups and
repetitions. The naive mechanism is what a careful person writes by hand: the statistics that the question needs, each with Gaussian
noise for its own bound and an equal part of the budget, then the formula. Statistics that are needed twice are measured once. Quantiles
are chosen by the exponential mechanism among all values; open keys are named by the noisy counts themselves.

The figure of a question is the root of the mean squared ratio over its columns; the worst column stands beside it.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import duckdb
import numpy as np
import pyarrow as pa

import partita as pt

HERE = Path(__file__).resolve().parent
RHO = 0.02
ROWS = 20_000
OWNED = 9
GOAL = 1.05
Columns = dict[str, np.ndarray[Any, Any]]
REGIONS = ("north", "south", "east", "west", "centre", "islands")
rng = np.random.default_rng(17)


def visits() -> pa.Table:
    """Rows of a hospital that does not exist; owners have nine rows at most."""
    start, hired = date(2025, 1, 1), date(1990, 1, 1)
    return pa.table(
        {
            "patient": [str(each) for each in np.repeat(np.arange(ROWS // 5), 5)],
            "age": rng.integers(0, 110, ROWS),
            "sex": rng.choice(["F", "M"], ROWS),
            "region": rng.choice(REGIONS, ROWS),
            "cost": np.round(np.minimum(rng.gamma(2.0, 700.0, ROWS), 20_000), 0),
            "stay": np.minimum(rng.poisson(4.0, ROWS), 90),
            "width": rng.integers(0, 101, ROWS),
            "day": [start + timedelta(days=int(each)) for each in rng.integers(0, 365, ROWS)],
            "hired": [hired + timedelta(days=int(each)) for each in rng.integers(0, 12_000, ROWS)],
            "note": [f"word {each}" for each in rng.zipf(1.6, ROWS).clip(1, 50)],
        }
    )


def lines() -> pa.Table:
    """Order lines as TPC-H has them."""
    return pa.table(
        {
            "flag": rng.choice(["A", "N", "R"], ROWS),
            "status": rng.choice(["F", "O"], ROWS),
            "quantity": rng.integers(1, 51, ROWS),
            "price": np.round(rng.uniform(900, 100_000, ROWS), 0),
            "discount": rng.integers(0, 11, ROWS) / 100,
            "tax": rng.integers(0, 9, ROWS) / 100,
        }
    )


def tables() -> list[pt.Table]:
    """The declarations."""
    return [
        pt.Table(
            "visits",
            source=DATA["visits"],
            columns={
                "patient": pt.identifier(),
                "age": pt.integers(0, 109, missing=0),
                "sex": pt.categories("F", "M", other="F", missing="F"),
                "region": pt.categories(*REGIONS, other="north", missing="north"),
                "cost": pt.decimals(0, 20_000, step="1", missing=0),
                "stay": pt.integers(0, 90, missing=0),
                "width": pt.integers(0, 100, missing=0),
                "day": pt.dates("2025-01-01", "2025-12-31", missing="2025-01-01"),
                "hired": pt.dates("1990-01-01", "2025-12-31", missing="1990-01-01"),
                "note": pt.text_keys(),
            },
        ),
        pt.Table(
            "lines",
            source=DATA["lines"],
            columns={
                "flag": pt.categories("A", "N", "R", other="A", missing="A"),
                "status": pt.categories("F", "O", other="F", missing="F"),
                "quantity": pt.integers(0, 50, missing=0),
                "price": pt.integers(0, 100_000, missing=0),
                "discount": pt.decimals(0, "0.1", step="0.01", missing=0),
                "tax": pt.decimals(0, "0.08", step="0.01", missing=0),
            },
        ),
    ]


DATA = {"visits": visits(), "lines": lines()}


@dataclass(frozen=True)
class Shape:
    """A question, and the statistics from which a naive mechanism answers it.

    ``statistics`` are aggregates in SQL, each with what one row can do to it; ``levels`` the groupings at which all of
    them are measured. ``formula`` makes the columns of the answer from them. ``exact`` is the question in DuckDB's words
    where they differ. ``rows`` is how many rows of an owner count: none where rows are protected.
    """

    name: str
    sql: str
    keys: tuple[str, ...] = ()
    statistics: Mapping[str, tuple[str, float]] | None = None
    formula: Callable[[Columns], Columns] | None = None
    levels: tuple[tuple[str, ...], ...] | None = None
    source: str = "visits"
    where: str = ""
    owned: float | None = None
    chosen: tuple[str, float, int, int] | None = None
    kept: bool = False


N = {"n": ("COUNT(*)", 1.0)}


def same(columns: Columns) -> Columns:
    return columns


def total(name: str, of: str, most: float) -> dict[str, tuple[str, float]]:
    return {name: (f"SUM({of})", most)}


def mean(name: str = "m", top: str = "s") -> Callable[[Columns], Columns]:
    return lambda c: {name: c[top] / np.maximum(c["n"], 1)}


def deviation(c: Columns) -> Columns:
    return {"d": np.sqrt(np.maximum(0, c["q"] / c["n"] - (c["s"] / c["n"]) ** 2))}


def likeness(c: Columns) -> Columns:
    n = c["n"]
    vx, vy = c["xx"] / n - (c["x"] / n) ** 2, c["yy"] / n - (c["y"] / n) ** 2
    both = np.sqrt(np.maximum(vx, 1e-9) * np.maximum(vy, 1e-9))
    return {"r": np.clip((c["xy"] / n - c["x"] * c["y"] / n**2) / both, -1, 1)}


def slope(c: Columns) -> Columns:
    n = c["n"]
    vx = c["xx"] / n - (c["x"] / n) ** 2
    return {"b": (c["xy"] / n - c["x"] * c["y"] / n**2) / np.maximum(vx, 1e-9)}


PAIR = {
    **N, **total("x", "age", 109), **total("y", "cost", 20_000), **total("xx", "age*age", 109**2),
    **total("yy", "cost*cost", 20_000**2), **total("xy", "age*cost", 109 * 20_000),
}  # fmt: skip
MONTH = "DATE_TRUNC('month', day)"
SHARE = {**N, **total("s", "CASE WHEN age >= 65 THEN 1 ELSE 0 END", 1)}
OLD = "age >= 65 AND region = 'north'"


def shapes() -> list[Shape]:
    """The forty."""
    owners = "(SELECT patient, SUM(cost) AS c FROM visits GROUP BY patient)"
    keyed = "(SELECT patient, region, COUNT(*) AS c FROM visits GROUP BY patient, region)"
    ten = ", ".join(f"SUM(width + {k}) AS s{k}" for k in range(10))
    both = (("region", "sex"), ("region",), ())
    every = (("region", "sex"), ("region",), ("sex",), ())
    cost, age = total("s", "cost", 20_000), total("s", "age", 109)
    return [
        Shape("count", "SELECT COUNT(*) AS n FROM visits", (), N, same),
        Shape("count of a part", f"SELECT COUNT(*) AS n FROM visits WHERE {OLD}", (), N, same, where=OLD),
        Shape("histogram", "SELECT region, COUNT(*) AS n FROM visits GROUP BY region", ("region",), N, same),
        Shape("histogram by month", f"SELECT {MONTH} AS month, COUNT(*) AS n FROM visits GROUP BY 1", ("month",), N, same),
        Shape("table of two keys", "SELECT region, sex, COUNT(*) AS n FROM visits GROUP BY region, sex", ("region", "sex"), N, same),
        Shape("sum", "SELECT SUM(cost) AS s FROM visits", (), cost, same),
        Shape("sum by key", "SELECT region, SUM(cost) AS s FROM visits GROUP BY region", ("region",), cost, same),
        Shape("count and sum", "SELECT COUNT(*) AS n, SUM(cost) AS s FROM visits", (), {**N, **cost}, same),
        Shape("sum under FILTER", f"SELECT SUM(cost) FILTER (WHERE {OLD}) AS s FROM visits", (), total("s", f"CASE WHEN {OLD} THEN cost ELSE 0 END", 20_000), same),
        Shape("two counts under FILTER", "SELECT COUNT(*) FILTER (WHERE sex = 'F') AS f, COUNT(*) FILTER (WHERE sex = 'M') AS m FROM visits", (), {"f": ("COUNT(*) FILTER (WHERE sex='F')", 1), "m": ("COUNT(*) FILTER (WHERE sex='M')", 1)}, same),
        Shape("funnel of three counts", "SELECT COUNT(*) FILTER (WHERE age >= 20) AS a, COUNT(*) FILTER (WHERE age >= 40) AS b, COUNT(*) FILTER (WHERE age >= 65) AS c FROM visits", (), {x: (f"COUNT(*) FILTER (WHERE age >= {y})", 1) for x, y in (("a", 20), ("b", 40), ("c", 65))}, same),
        Shape("mean", "SELECT AVG(cost) AS m FROM visits", (), {**N, **cost}, mean()),
        Shape("mean of a narrow column", "SELECT AVG(stay) AS m FROM visits", (), {**N, **total("s", "stay", 90)}, mean()),
        Shape("mean by key", "SELECT region, AVG(age) AS m FROM visits GROUP BY region", ("region",), {**N, **age}, mean()),
        Shape("mean of a year", "SELECT AVG(YEAR(hired)) AS m FROM visits", (), {**N, **total("s", "YEAR(hired) - 2007.5", 18)}, lambda c: {"m": 2007.5 + c["s"] / c["n"]}),
        Shape("mean of a shifted column", "SELECT AVG(width + 1000) AS m FROM visits", (), {**N, **total("s", "width - 50", 50)}, lambda c: {"m": 1050 + c["s"] / c["n"]}),
        Shape("sum of a year", "SELECT SUM(YEAR(hired)) AS s FROM visits", (), total("s", "YEAR(hired)", 2025), same),
        Shape("count, sum and mean", "SELECT COUNT(*) AS n, SUM(cost) AS s, AVG(cost) AS m FROM visits", (), {**N, **cost}, lambda c: {"n": c["n"], "s": c["s"], "m": c["s"] / c["n"]}),
        Shape("three means by key", "SELECT region, AVG(age) AS a, AVG(cost) AS c, AVG(stay) AS d FROM visits GROUP BY region", ("region",), {**N, **total("x", "age", 109), **total("y", "cost", 20_000), **total("z", "stay", 90)}, lambda c: {"a": c["x"] / c["n"], "c": c["y"] / c["n"], "d": c["z"] / c["n"]}),
        Shape("share", "SELECT AVG(CASE WHEN age >= 65 THEN 1 ELSE 0 END) AS m FROM visits", (), SHARE, mean()),
        Shape("ratio of two counts by key", "SELECT region, 100.0 * COUNT(*) FILTER (WHERE age >= 65) / COUNT(*) AS m FROM visits GROUP BY region", ("region",), SHARE, lambda c: {"m": 100 * c["s"] / c["n"]}),
        Shape("ratio of two sums", "SELECT SUM(cost) / SUM(stay) AS m FROM visits", (), {**cost, **total("t", "stay", 90)}, lambda c: {"m": c["s"] / c["t"]}),
        Shape("ten shifted sums", f"SELECT {ten} FROM visits", (), {**N, **total("s", "width", 100)}, lambda c: {f"s{k}": c["s"] + k * c["n"] for k in range(10)}),
        Shape("sum, its double and count", "SELECT SUM(width) AS a, SUM(2 * width) AS b, SUM(3 - width) AS c FROM visits", (), {**N, **total("s", "width", 100)}, lambda c: {"a": c["s"], "b": 2 * c["s"], "c": 3 * c["n"] - c["s"]}),
        Shape("sum of two columns and each", "SELECT SUM(age) AS a, SUM(width) AS w, SUM(age + width) AS b FROM visits", (), {**total("a", "age", 109), **total("w", "width", 100)}, lambda c: {"a": c["a"], "w": c["w"], "b": c["a"] + c["w"]}),
        Shape("variance", "SELECT VAR_POP(age) AS d FROM visits", (), {**N, **age, **total("q", "age*age", 109**2)}, lambda c: {"d": deviation(c)["d"] ** 2}),
        Shape("deviation", "SELECT STDDEV_POP(age) AS d FROM visits", (), {**N, **age, **total("q", "age*age", 109**2)}, deviation),
        Shape("count, mean and deviation", "SELECT COUNT(*) AS n, AVG(age) AS m, STDDEV_POP(age) AS d FROM visits", (), {**N, **age, **total("q", "age*age", 109**2)}, lambda c: {"n": c["n"], "m": c["s"] / c["n"], **deviation(c)}),
        Shape("correlation", "SELECT CORR(age, cost) AS r FROM visits", (), PAIR, likeness),
        Shape("slope", "SELECT REGR_SLOPE(cost, age) AS b FROM visits", (), {k: v for k, v in PAIR.items() if k != "yy"}, slope),
        Shape("median", "SELECT MEDIAN(cost) AS q FROM visits", (), {}, same, chosen=("cost", 0.5, 0, 20_000)),
        Shape("upper quantile", "SELECT QUANTILE(cost, 0.9) AS q FROM visits", (), {}, same, chosen=("cost", 0.9, 0, 20_000)),
        Shape("rollup", "SELECT region, sex, COUNT(*) AS n FROM visits GROUP BY ROLLUP (region, sex)", ("region", "sex"), N, same, levels=both),
        Shape("rollup of a wide key", "SELECT day, COUNT(*) AS n FROM visits GROUP BY ROLLUP (day)", ("day",), N, same, levels=(("day",), ())),
        Shape("cube of sums", "SELECT region, sex, SUM(cost) AS s FROM visits GROUP BY CUBE (region, sex)", ("region", "sex"), cost, same, levels=every),
        Shape("TPC-H 1", "SELECT flag, status, SUM(quantity) AS q, SUM(price) AS p, SUM(price * (1 - discount)) AS d, SUM(price * (1 - discount) * (1 + tax)) AS c, AVG(quantity) AS aq, AVG(price) AS ap, AVG(discount) AS ad, COUNT(*) AS n FROM lines GROUP BY flag, status", ("flag", "status"), {**N, **total("q", "quantity", 50), **total("p", "price", 1e5), **total("d", "price * (1 - discount)", 1e5), **total("c", "price * (1 - discount) * (1 + tax)", 1.08e5), **total("x", "discount", 0.1)}, lambda c: {"q": c["q"], "p": c["p"], "d": c["d"], "c": c["c"], "aq": c["q"] / c["n"], "ap": c["p"] / c["n"], "ad": c["x"] / c["n"], "n": c["n"]}, source="lines"),
        Shape("TPC-H 6", "SELECT SUM(price * discount) AS s FROM lines WHERE quantity < 24", (), total("s", "price * discount", 1e4), same, source="lines", where="quantity < 24"),
        Shape("open keys", "SELECT note, COUNT(*) AS n FROM visits GROUP BY note", ("note",), N, same, kept=True),
        Shape("owners, count by key", "SELECT region, COUNT(*) AS n FROM visits GROUP BY region", ("region",), N, same, owned=OWNED),
        Shape("mean of a total per owner", f"SELECT AVG(CLAMP(c, 0, 50000)) AS m FROM {owners}", (), {**N, **total("s", "LEAST(c, 50000)", 50_000)}, mean(), source=owners, owned=1),
        Shape("per owner and key, by key", f"SELECT region, COUNT(*) AS n, SUM(CLAMP(c, 0, 3)) AS s FROM {keyed} GROUP BY region", ("region",), {**N, **total("s", "LEAST(c, 3)", 3)}, same, source=keyed, owned=math.sqrt(min(OWNED, len(REGIONS)))),
    ]  # fmt: skip


def selected(shape: Shape, keys: Sequence[str], wanted: str) -> str:
    """The statistics of a shape at one level, in SQL."""
    named = [MONTH + " AS month" if key == "month" else key for key in keys]
    where = f" WHERE {shape.where}" if shape.where else ""
    by = f" GROUP BY {', '.join(map(str, range(1, len(keys) + 1)))}" if keys else ""
    return f"SELECT {', '.join([*named, wanted])} FROM {shape.source}{where}{by}"


def keyed(frame: list[dict[str, Any]], keys: Sequence[str]) -> dict[tuple[Any, ...], dict[str, Any]]:
    return {tuple(str(line[key])[:10] for key in keys): line for line in frame}


def levelled(shape: Shape, name: str, level: Sequence[str]) -> str:
    """The column at one level of a question with margins, each of which counts as a column."""
    return name if shape.levels is None else f"{name} by {level}"


def naive(shape: Shape, repeated: int) -> tuple[dict[tuple[Any, ...], dict[str, float]], dict[str, float]]:
    """The exact answer, and the root mean squared error of each column by hand."""
    if shape.chosen is not None:
        return by_choice(shape, repeated)
    statistics, formula = shape.statistics or {}, shape.formula or same
    levels = shape.levels or (shape.keys,)
    part = RHO / (len(statistics) * len(levels))
    exact: dict[tuple[Any, ...], dict[str, float]] = {}
    squares: dict[str, list[float]] = {}
    for level in levels:
        wanted = ", ".join(f"{of} AS {name}" for name, (of, _) in statistics.items())
        found = con.sql(selected(shape, level, wanted)).to_arrow_table().to_pylist()
        true = {name: np.array([float(line[name] or 0) for line in found]) for name in statistics}
        shown = formula(true)
        for place, line in enumerate(found):
            at = tuple(str(line[key])[:10] if key in level else "None" for key in shape.keys)
            exact[at] = {name: float(column[place]) for name, column in shown.items()}
        for _ in range(repeated):
            noisy = {
                name: true[name] + rng.normal(0, (shape.owned or 1) * most / math.sqrt(2 * part), len(found))
                for name, (_, most) in statistics.items()
            }
            for name, column in formula(noisy).items():
                squares.setdefault(levelled(shape, name, level), []).extend((column - shown[name]) ** 2)
    return exact, {name: math.sqrt(float(np.mean(each))) for name, each in squares.items()}


def by_choice(shape: Shape, repeated: int) -> tuple[dict[tuple[Any, ...], dict[str, float]], dict[str, float]]:
    """The exponential mechanism among all values, by rank."""
    assert shape.chosen is not None
    of, share, low, high = shape.chosen
    values = np.sort(np.array(DATA["visits"][of]))
    grid = np.arange(low, high + 1)
    exact = float(values[math.ceil(share * len(values)) - 1])
    below, upto = np.searchsorted(values, grid, "left"), np.searchsorted(values, grid, "right")
    wanted = share * len(values)
    score = -np.maximum(0, np.maximum(below - wanted, wanted - upto))
    # One row moves a score by at most max(share, 1 - share), and pure ε is ρ = ε²/8 for this mechanism.
    weight = math.sqrt(8 * RHO) * score / (2 * max(share, 1 - share))
    chance = np.exp(weight - weight.max())
    chosen = rng.choice(grid, 20 * repeated, p=chance / chance.sum())
    return {(): {"q": exact}}, {"q": math.sqrt(float(np.mean((chosen - exact) ** 2)))}


def curator(shape: Shape) -> pt.Curator:
    """A curator that never runs out."""
    budget = pt.ZCDP(rho="1000000", delta="0.5")
    unit = pt.rows() if shape.owned is None else pt.users("patient", rows=OWNED)
    listed = [each for each in tables() if shape.owned is None or each.name == "visits"]
    return pt.Curator(tables=listed, promises=[pt.Promise(unit, budget)], ledger=":memory:")


def measured(shape: Shape, repeated: int) -> tuple[dict[str, float], dict[str, float]]:
    """The error of each column, ours and the naive one."""
    exact, by_hand = naive(shape, repeated * 4)
    squares: dict[str, list[float]] = {}
    with curator(shape) as asked:
        for turn in range(repeated):
            delta = {"delta": "1e-6"} if shape.kept else {}
            answer = asked.ask(shape.sql, rho=f"{RHO + turn * 1e-10:.12f}", reuse=False, **delta)
            found = keyed(answer.rows(), shape.keys)
            for at, line in exact.items():
                if at not in found and shape.kept:
                    continue
                level = tuple(key for key, part in zip(shape.keys, at, strict=True) if part != "None")
                for name, value in line.items():
                    error = (float(found[at][name]) - value) ** 2
                    squares.setdefault(levelled(shape, name, level), []).append(error)
    ours = {name: math.sqrt(float(np.mean(each))) for name, each in squares.items()}
    return ours, by_hand


def figure(ours: Mapping[str, float], by_hand: Mapping[str, float]) -> tuple[float, float]:
    """The root of the mean squared ratio over the columns, and the largest."""
    ratios = [ours[name] / by_hand[name] for name in by_hand]
    return math.sqrt(float(np.mean(np.square(ratios)))), max(ratios)


def main() -> None:
    repeated = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    words = " ".join(sys.argv[2:])
    written = []
    for shape in shapes():
        if words and words not in shape.name:
            continue
        whole, worst = figure(*measured(shape, repeated))
        written.append((shape.name, shape.sql, whole, worst))
        print(f"{shape.name:32s} {whole:6.2f} {worst:6.2f}", flush=True)
    if words:
        return
    above = [name for name, _, whole, _ in written if whole > GOAL]
    listed = "\n".join(f"| {name} | `{sql}` | {whole:.2f} | {worst:.2f} |" for name, sql, whole, worst in written)
    (HERE / "SHAPES.md").write_text(
        f"""# Forty shapes against naive noise

Written by `python benchmarks/queries/shapes.py {repeated}` on {datetime.now(UTC).date()}: {len(written)} shapes, ρ = {RHO}, {ROWS:,} made-up rows,
{repeated} answers each. Error of Partita over the error of a naive mechanism at the same budget, root of the mean square over the
columns (of ROLLUP and CUBE, over the levels), and the worst of them. Goal: none above {GOAL} (sampling makes them uncertain by about {100 * 0.8 / math.sqrt(repeated):.0f}% where one number is asked for).
Above it now: {", ".join(above) or "none"}.

| shape | question | error / naive | worst column |
|---|---|---|---|
{listed}
""",
        encoding="utf-8",
    )


con = duckdb.connect()
for _name, _data in DATA.items():
    con.register(_name, _data)

if __name__ == "__main__":
    main()
