"""What the second opinion costs: the time of a question with it and without it.

    python benchmarks/queries/second_opinion.py [--rounds 9] [--rows 100000]

Ordinary questions under ordinary promises, each asked once a round of a new curator in memory, with the default
effort and with none; the medians, and the time of the assay by itself. Times are those of the calling thread's
processor, so that other work on the machine does not count. Writes SECOND_OPINION.md here.
"""

from __future__ import annotations

import argparse
import platform
import statistics
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

import partita as pt
from partita.curator.path import opinion

HERE = Path(__file__).resolve().parent
QUESTIONS = {
    "a count": "SELECT COUNT(*) AS n FROM visits WHERE age >= 65",
    "counts and means by region": "SELECT region, COUNT(*) AS n, AVG(cost) AS v FROM visits GROUP BY region",
    "a sum of a month": "SELECT SUM(cost) AS s FROM visits WHERE day < '2025-03-01' AND sex = 'F'",
    "counts by age": "SELECT BUCKET(age, 10) AS b, COUNT(*) AS n FROM visits GROUP BY BUCKET(age, 10)",
    "a deviation of every other age": "SELECT STDDEV_POP(cost) AS v FROM visits WHERE age % 2 = 0",
    "a median": "SELECT MEDIAN(age) AS m FROM visits WHERE sex = 'F'",
    "owners": "SELECT sex, COUNT(DISTINCT patient) AS n FROM visits GROUP BY sex",
    "visits of a patient": (
        "SELECT AVG(k) AS v FROM (SELECT patient, CLAMP(COUNT(*), 0, 9) AS k FROM visits GROUP BY patient)"
    ),
}
BUDGET = pt.ZCDP(rho=10, delta="1e-6")
PROMISES = {
    "rows": (pt.rows(),),
    "change-one": (pt.replace(),),
    "owners": (pt.users("patient", rows=5),),
    "rows beside owners": (pt.rows(), pt.users("patient", rows=5)),
}


def table(rows: int) -> pt.Table:
    """Visits of patients, five each."""
    numbers = np.arange(rows)
    source = pa.table(
        {
            "patient": numbers // 5,
            "age": numbers * 7 % 100,
            "sex": np.array(["F", "M"])[numbers % 2],
            "region": np.array(["north", "south", "east", "west"])[numbers % 4],
            "cost": numbers * 37 % 1000 / 2,
            "day": (np.datetime64("2025-01-01") + numbers % 365).astype("datetime64[D]"),
        }
    )
    columns = {
        "patient": pt.identifier(),
        "age": pt.integers(0, 120),
        "sex": pt.categories("F", "M"),
        "region": pt.categories("north", "south", "east", "west"),
        "cost": pt.decimals(0, 20_000, step="0.01"),
        "day": pt.dates("2025-01-01", "2025-12-31"),
    }
    return pt.Table("visits", source, columns)


def asked(visits: pt.Table, units: Any, question: str, effort: int) -> float:
    """Seconds of one question."""
    promises = [pt.Promise(unit, BUDGET) for unit in units]
    with pt.Curator(tables=[visits], promises=promises, second_opinion=effort) as curator:
        start = time.thread_time()
        curator.ask(question, rho="0.01")
        return time.thread_time() - start


def main() -> None:
    """Measure, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--rows", type=int, default=100_000)
    given = parser.parse_args()
    spent: list[float] = []
    truly = opinion.assay

    def timed(*arguments: Any, **more: Any) -> Any:
        start = time.thread_time()
        found = truly(*arguments, **more)
        spent.append(time.thread_time() - start)
        return found

    opinion.assay = timed
    visits, lines, every = table(given.rows), [], []
    for name, question in QUESTIONS.items():
        for promise, units in PROMISES.items():
            spent.clear()
            with_it, without = [], []
            for _ in range(given.rounds):
                with_it.append(asked(visits, units, question, opinion.EFFORT))
                without.append(asked(visits, units, question, 0))
            alone = statistics.median(spent)
            every.append(alone)
            ratio = statistics.median(with_it) / statistics.median(without)
            lines.append(f"| {name} | {promise} | {alone * 1e3:.2f} ms | {ratio:.2f} |")
    lines.append(f"| **median of all** | | **{statistics.median(every) * 1e3:.2f} ms** | |")
    when = datetime.now(UTC).date()
    head = (
        f"# The second opinion\n\nWritten by `python benchmarks/queries/second_opinion.py` on {when}: "
        f"{platform.machine()}, Python {platform.python_version()}, {given.rows:,} rows, effort {opinion.EFFORT}, "
        f"processor time, medians of {given.rounds} rounds. The ratio is of a whole question, on a new curator, with "
        "the opinion to one without.\n\n"
        "| question | promise | opinion | question with it / without |\n|---|---|---|---|\n"
    )
    (HERE / "SECOND_OPINION.md").write_text(head + "\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
