"""A dashboard of fifty questions: the error of every answer against what other systems' accounting allows, same budget.

    python benchmarks/queries/dashboard.py

Writes DASHBOARD.md beside this file. Errors are standard deviations, computed from the noise and not sampled, in units
of what one row can do: 1 for a count, the upper bound for a sum, half the range over the number of rows for a mean (at
a mean of a quarter of the range). No data is read. The accounting of the others is written out below: the budget is
divided equally among the questions, and losses add up whoever the questions are about.

OpenDP: every aggregate of a question has an equal part; a mean is a noisy sum over a noisy count. Tumult: every
aggregate is a question of its own; a mean is half a noisy sum of distances from the middle and half a noisy count. The
noise of a count for a loss is what the two libraries themselves say, each in an environment of its own that is made
when first needed; where one does not install, it follows from the formula.
"""

from __future__ import annotations

import json
import math
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

# One thread: beside other work several of them mostly wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import partita as pt
from partita.query.answer.estimators import Linear, Mean
from partita.query.answer.results import Result
from partita.query.batch.share import Share
from partita.query.language.aggregates import Average, CountRows, Sum
from partita.query.language.expressions import bounds

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "libraries"))

from _environments import python  # noqa: E402

REGIONS = ("north", "south", "east", "west", "centre", "islands")
DIAGNOSES = tuple(f"group {letter}" for letter in "ABCDEFGHIJKL")
MONTHS = [f"2025-{month:02d}-01" for month in range(1, 13)]
ROW = {"age": 40, "sex": "F", "region": "north", "diagnosis": "group A", "cost": 1, "stay": 1, "day": "2025-01-01"}


def table() -> pt.Table:
    """The public columns; the one row is never asked about."""
    return pt.Table(
        "visits",
        source=[ROW],
        columns={
            "age": pt.integers(0, 109, missing=0),
            "sex": pt.categories("F", "M", other="F", missing="F"),
            "region": pt.categories(*REGIONS, other="north", missing="north"),
            "diagnosis": pt.categories(*DIAGNOSES, other="group A", missing="group A"),
            "cost": pt.decimals(0, 20_000, step="0.01", missing=0),
            "stay": pt.integers(0, 90, missing=0),
            "day": pt.dates("2025-01-01", "2025-12-31", missing="2025-01-01"),
        },
    )


def questions() -> list[str]:
    """An overview of ten tiles, four of them again on other pages, four panels a region, a tile a month."""
    month = "DATE_TRUNC('month', day)"
    listed = [
        "SELECT COUNT(*) AS n FROM visits",
        "SELECT COUNT(*) AS n, SUM(cost) AS total, AVG(cost) AS mean FROM visits",
        "SELECT region, COUNT(*) AS n FROM visits GROUP BY region",
        "SELECT sex, COUNT(*) AS n FROM visits GROUP BY sex",
        "SELECT BUCKET(age, 10) AS decade, COUNT(*) AS n FROM visits GROUP BY 1",
        "SELECT region, AVG(cost) AS mean FROM visits GROUP BY region",
        f"SELECT {month} AS month, COUNT(*) AS n FROM visits GROUP BY 1",
        f"SELECT {month} AS month, SUM(cost) AS total FROM visits GROUP BY 1",
        "SELECT diagnosis, COUNT(*) AS n FROM visits GROUP BY diagnosis",
        "SELECT diagnosis, AVG(cost) AS mean FROM visits GROUP BY diagnosis",
        "SELECT region, COUNT(*) AS n FROM visits GROUP BY region ORDER BY n DESC LIMIT 3",
        "SELECT diagnosis, COUNT(*) AS n FROM visits GROUP BY diagnosis ORDER BY n DESC LIMIT 5",
        "SELECT region, AVG(cost) AS mean FROM visits GROUP BY region ORDER BY mean DESC",
        "SELECT COUNT(*) AS visits FROM visits",
    ]
    for region in REGIONS:
        where = f"WHERE region = '{region}'"
        listed += [
            f"SELECT COUNT(*) AS n, AVG(cost) AS mean FROM visits {where}",
            f"SELECT {month} AS month, COUNT(*) AS n FROM visits {where} GROUP BY 1",
            f"SELECT sex, COUNT(*) AS n FROM visits {where} GROUP BY sex",
            f"SELECT AVG(stay) AS mean FROM visits {where}",
        ]
    for start, end in zip(MONTHS, [*MONTHS[1:], "2025-12-31"], strict=True):
        until = f"day < '{end}'" if end in MONTHS else f"day <= '{end}'"
        listed.append(f"SELECT COUNT(*) AS n, AVG(cost) AS mean FROM visits WHERE day >= '{start}' AND {until}")
    return listed


# --- errors of a result, in units of what one row can do ---------------------------------------------------------


def deviation(result: Result) -> float:
    """The mean standard deviation of the aggregates of a question."""
    found = []
    for aggregate, estimator in zip(result.plan.aggregates, result.estimators, strict=True):
        if isinstance(estimator, Linear):
            size = _largest(result, aggregate) if isinstance(aggregate, Sum) else 1.0
            found.append(math.sqrt(result.numbers.spread(estimator).variance) / size)
        elif isinstance(estimator, Mean):
            # At a quarter of the range the mean is half of its reach away from the middle.
            felt = estimator.top.plus(estimator.bottom, estimator.reach / 2)
            found.append(math.sqrt(result.numbers.spread(felt).variance) / float(estimator.reach))
    return sum(found) / len(found)


def _largest(result: Result, aggregate: Sum) -> float:
    within = bounds(aggregate.of, result.plan.table.domain)
    return float(max(abs(within.lowest), abs(within.highest)))


def ours(share: Share) -> float:
    """The error of a question of a batch."""
    return deviation(share.result(share.nothing()))


Unit = Callable[[float], float]


def opendp(aggregates: Any, price: float, unit: Unit) -> float:
    """Equal parts for all releases; a mean is a sum from zero over a count, at a quarter of the range."""
    parts = sum(2 if isinstance(one, Average) else 1 for one in aggregates)
    sigma = unit(price / parts)
    # In units of half the range: the sum moves by 2, and the mean is a half.
    mean = math.hypot(2 * sigma, 0.5 * sigma)
    return sum(mean if isinstance(one, Average) else sigma for one in aggregates) / len(aggregates)


def tumult(aggregates: Any, price: float, unit: Unit) -> float:
    """A question for each aggregate; a mean is a centred sum and a count, half the price each."""
    sigma, half = unit(price / len(aggregates)), unit(price / len(aggregates) / 2)
    mean = math.hypot(half, 0.5 * half)
    return sum(mean if isinstance(one, Average) else sigma for one in aggregates) / len(aggregates)


def gaussian(rho: float) -> float:
    """The standard deviation that a count has for ρ."""
    return 1 / math.sqrt(2 * rho)


def laplace(epsilon: float) -> float:
    """The standard deviation that a count has for ε."""
    return math.sqrt(2) / epsilon


def scales(library: str, currency: str, losses: list[str]) -> tuple[dict[str, float], str]:
    """What a library says the scale of a count is for some losses, and how far that is from the formula."""
    interpreter = python(library)
    if interpreter is None:
        return {}, f"{library} does not install here; its scales follow from the formulas"
    command = [str(interpreter), str(HERE / "others" / f"scales_by_{library}.py"), currency, *losses]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    if ran.returncode:
        last = (ran.stderr.strip().splitlines() or ["no message"])[-1]
        return {}, f"{library} fails ({last[:60]}); its scales follow from the formulas"
    found = json.loads(ran.stdout.strip().splitlines()[-1])
    formula = (lambda loss: 1 / loss) if currency == "epsilon" else gaussian
    apart = max(abs(scale / formula(float(loss)) - 1) for loss, scale in found["scales"].items())
    return found["scales"], f"{library} {found['version']}: {len(losses)} scales, within {apart:.1e} of the formula"


def measured(library: str, currency: str, each: float, formula: Unit) -> tuple[Unit, str]:
    """The standard deviation of a count for a part of a question's price, as the library sets it."""
    losses = {f"{each / parts:.12g}" for parts in range(1, 9)}
    found, said = scales(library, currency, sorted(losses))

    def unit(price: float) -> float:
        scale = found.get(f"{price:.12g}")
        return formula(price) if scale is None else scale * (math.sqrt(2) if currency == "epsilon" else 1)

    return unit, said


def run(name: str, budget: Any, price: dict[str, Any], unit: Unit) -> list[str]:
    """The table of one budget."""
    listed = questions()
    curator = pt.Curator(tables=[table()], promises=[pt.Promise(pt.rows(), budget)], backend="reference")
    curator.batch(listed[:1], **price)
    start = time.thread_time()
    batch = curator.batch(listed, **price)
    seconds = time.thread_time() - start
    ((currency, whole),) = price.items()
    each = float(whole) / len(listed)
    units = {library: measured(library, currency, each, unit) for library in ("opendp", "tumult")}
    lines, totals, squares = [], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]
    for sql, share in zip(listed, batch.shares, strict=True):
        aggregates = [_plain(one) for one in share.quote.plan.aggregates]
        errors = [
            ours(share),
            opendp(aggregates, each, units["opendp"][0]),
            tumult(aggregates, each, units["tumult"][0]),
        ]
        totals = [total + error for total, error in zip(totals, errors, strict=True)]
        squares = [total + error**2 for total, error in zip(squares, errors, strict=True)]
        made = {1: "", 0: " (made from others)"}[
            int(share.quote.fingerprint in {one.fingerprint for one in share.sources})
        ]
        lines.append(
            f"| `{sql.replace(' FROM visits', '')}`{made} | {errors[0]:.1f} | {errors[1]:.1f} | {errors[2]:.1f} "
            f"| {errors[1] / errors[0]:.1f} | {errors[2] / errors[0]:.1f} |"
        )
    root = [math.sqrt(square) for square in squares]
    total = (
        f"Sum of the errors: Partita {totals[0]:.0f}, OpenDP's accounting {totals[1]:.0f} "
        f"(**{totals[1] / totals[0]:.2f} times**), Tumult's {totals[2]:.0f} (**{totals[2] / totals[0]:.2f} times**). "
        f"Root of the total squared error, which a batch makes least: {root[0]:.1f}, {root[1]:.1f} "
        f"(**{root[1] / root[0]:.2f} times**), {root[2]:.1f} (**{root[2] / root[0]:.2f} times**). "
        f"What anybody loses: {batch.cost}. Priced in {seconds:.2f} s of one processor; {len(batch.quotes)} releases. "
        f"Scales: {'; '.join(said for _, said in units.values())}."
    )
    return [
        f"## {name}",
        "",
        total,
        "",
        "| question | Partita | OpenDP | Tumult | OpenDP / Partita | Tumult / Partita |",
        "|---|---|---|---|---|---|",
        *lines,
        "",
    ]


def _plain(aggregate: Any) -> Any:
    return aggregate if isinstance(aggregate, Average | Sum | CountRows) else CountRows()


def main() -> None:
    where = (
        f"Written by `python benchmarks/queries/dashboard.py` on {datetime.now(UTC):%Y-%m-%d}: {platform.machine()}, "
        f"Python {platform.python_version()}. Standard deviations in units of what one row can do."
    )
    pages = [
        "# A dashboard of fifty questions",
        "",
        where,
        "Goal: total error at least 3 times smaller than OpenDP's and Tumult's accounting allows at the same budget.",
        "",
        *run("ρ = 0.5 (zCDP)", pt.ZCDP(rho="0.5"), {"rho": "0.5"}, gaussian),
        *run("ε = 1 (pure)", pt.Pure(epsilon=1), {"epsilon": "1"}, laplace),
    ]
    text = "\n".join(pages)
    (HERE / "DASHBOARD.md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
