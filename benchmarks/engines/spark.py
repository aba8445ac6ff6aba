"""What Spark takes: opening, questions beside plain Spark on the same rows, and how both grow with rows and groups.

    python benchmarks/engines/spark.py [--rows 1000000 4000000] [--cores 2]

Writes SPARK.md beside it. Times are seconds of processor time of Spark's process, which other users of the machine
stretch less than the clock; medians of 3, after one that is not counted.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import statistics
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from run import program

import partita as pt
from partita.engine.sessions import Cluster
from partita.engine.spark import Spark
from partita.query.tables.truncation import Truncation

REPEATS = 3
TICK = os.sysconf("SC_CLK_TCK")
COLUMNS = {
    "who": pt.identifier(),
    "age": pt.integers(0, 120),
    "region": pt.categories("north", "south", "east", "west"),
    "cost": pt.decimals(0, 20_000, step="0.01"),
    "day": pt.dates("2024-01-01", "2025-12-31"),
    "place": pt.integers(0, 99_999, missing=0),
}
ROWS = """
    id % {owners} AS who, CAST(rand(1) * 110 AS INT) AS age,
    element_at(array('north', 'south', 'east', 'west'), 1 + CAST(rand(2) * 4 AS INT)) AS region,
    CAST(rand(3) * 21000 AS DECIMAL(12,2)) AS cost, date_add(DATE'2024-01-01', CAST(rand(4) * 700 AS INT)) AS day,
    CAST(rand(5) * 100000 AS INT) AS place
"""
ASKED = {
    "count where": ("SELECT COUNT(*) AS n FROM visits WHERE age >= 65", "SELECT COUNT(*) FROM plain WHERE age >= 65"),
    "decimals by category": (
        "SELECT region, COUNT(*) AS n, SUM(cost) AS s FROM visits GROUP BY region",
        "SELECT region, COUNT(*), SUM(cost) FROM plain GROUP BY region",
    ),
    "months": (
        "SELECT DATE_TRUNC('month', day) AS m, COUNT(*) AS n FROM visits GROUP BY DATE_TRUNC('month', day)",
        "SELECT trunc(day, 'MONTH'), COUNT(*) FROM plain GROUP BY 1",
    ),
    "100,000 groups": (
        "SELECT place, COUNT(*) AS n FROM visits GROUP BY place",
        "SELECT place, COUNT(*) FROM plain GROUP BY place",
    ),
}


def worked(session: Any) -> Callable[[], float]:
    """The processor seconds of Spark's process so far."""
    process = session.sparkContext._gateway.proc.pid
    return lambda: sum(map(int, Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[11:13])) / TICK


def measured(session: Any, folder: Path, rows: int) -> list[tuple[str, float, float | None]]:
    work = worked(session)

    def taken(step: Callable[[], object]) -> float:
        before = work()
        step()
        return work() - before

    def median(step: Callable[[], object]) -> float:
        return statistics.median([taken(step) for _ in range(REPEATS + 1)][1:])

    source = str(folder / f"rows{rows}")
    session.sql(f"SELECT {ROWS.format(owners=max(1, rows // 20))} FROM range({rows})").write.parquet(source)
    session.read.parquet(source).createOrReplaceTempView("plain")
    table = pt.Table("visits", source, COLUMNS)

    def copied() -> None:
        session.read.parquet(source).write.parquet(str(folder / "copy"), mode="overwrite")

    def opened() -> None:
        Spark([table], database=session).close()

    found: list[tuple[str, float, float | None]] = [("opening, beside a plain copy", median(opened), median(copied))]
    engine = Spark([table], database=session)
    for name, (question, query) in ASKED.items():
        made = program(question, table)
        found.append((name, median(lambda m=made: engine.run(m)), median(lambda q=query: session.sql(q).collect())))
    number = iter(range(100))

    def cut() -> None:
        engine.cut({"visits": Truncation("who", 10, f"{next(number):024x}")})

    found.append(("ten rows of each owner, once", median(cut), None))
    engine.close()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000, 4_000_000])
    parser.add_argument("--cores", type=int, default=2)
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="partita-bench-"))
    session = Cluster.of(f"local[{options.cores}]").opened()
    lines = []
    try:
        for rows in options.rows:
            lines += [f"## {rows:,} rows", "", "| | Partita | plain Spark | ratio |", "|---|---|---|---|"]
            for name, ours, theirs in measured(session, folder, rows):
                plain = ("", "") if theirs is None else (f"{theirs:.2f} s", f"{ours / theirs:.2f}")
                lines.append(f"| {name} | {ours:.2f} s | {plain[0]} | {plain[1]} |")
                print(lines[-1], flush=True)
            lines.append("")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    head = [
        "# Spark",
        "",
        (
            f"Written by `benchmarks/engines/spark.py`: Spark {session.version}, local[{options.cores}], Python "
            f"{platform.python_version()}, load {os.getloadavg()[0]:.0f} with what ran beside it. Processor seconds."
        ),
        "",
    ]
    Path(__file__).with_name("SPARK.md").write_text("\n".join([*head, *lines]), encoding="utf-8")


if __name__ == "__main__":
    main()
