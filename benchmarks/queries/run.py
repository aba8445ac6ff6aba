"""Questions answered by the curator against the same questions in plain DuckDB, side by side in one run.

    python benchmarks/queries/run.py [--rows 10000000] [--rounds 7] [--questions 1000] [--folder /var/tmp]

Writes RESULTS.md beside this file. One thread each; rounds are interleaved, medians are shown. The curator's time
includes parsing, planning, pricing, the durable charge in the ledger, the exact result, noise and the answer.
"""

from __future__ import annotations

import argparse
import os
import platform
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
from pyarrow import parquet

import partita as pt
from partita.engine.duckdb import DuckDB

HERE = Path(__file__).parent
REGIONS = [f"region_{place:02d}" for place in range(20)]
QUESTIONS = {
    "Q1: COUNT(*)": "SELECT COUNT(*) AS n FROM people",
    "Q2: 20 regions, COUNT, SUM, AVG": (
        "SELECT region, COUNT(*) AS n, SUM(income) AS total, AVG(income) AS mean FROM people GROUP BY region"
    ),
    "Q3: age x region": "SELECT age, region, COUNT(*) AS n FROM people GROUP BY age, region",
}


def made(folder: Path, rows: int) -> Path:
    """The table of the benchmark, with a fixed seed."""
    path = folder / f"people_{rows}.parquet"
    if path.exists():
        return path
    draws = np.random.default_rng(0)
    weights = 1 / np.arange(1, 21) ** 0.8
    place = draws.choice(20, rows, p=weights / weights.sum()).astype(np.int8)
    table = pa.table(
        {
            "user_id": (1_000_000 * draws.random(rows) ** 2.2).astype(np.int64),
            "age": np.clip(draws.normal(45, 20, rows), 0, 100).astype(np.int32),
            "region": pa.DictionaryArray.from_arrays(pa.array(place), pa.array(REGIONS)).cast(pa.string()),
            "income": np.clip(draws.lognormal(10.5, 0.8, rows), 0, 200_000).astype(np.int32),
            "visits": draws.poisson(3, rows).astype(np.int32),
            "day": draws.integers(0, 365, rows).astype(np.int32),
        }
    )
    parquet.write_table(table, path)
    return path


def curator(path: Path, ledger: Path | str, budget: int = 10**6) -> pt.Curator:
    table = pt.Table(
        "people",
        source=str(path),
        columns={
            "user_id": pt.identifier(),
            "age": pt.integers(0, 100),
            "region": pt.categories(*REGIONS),
            "income": pt.integers(0, 200_000),
            "visits": pt.integers(0, 50),
            "day": pt.integers(0, 364),
        },
    )
    return pt.Curator(
        tables=[table],
        promises=[pt.Promise(pt.rows(), pt.Pure(epsilon=budget))],
        ledger=str(ledger),
        backend=DuckDB([table], threads=1),
    )


def plain(path: Path) -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    connection.execute("SET threads = 1")
    connection.execute(f"CREATE VIEW people AS SELECT * FROM read_parquet('{path}')")
    return connection


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds on the clock, and of the processor."""
    start, busy = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - start, time.process_time() - busy


def flushed(folder: Path, count: int = 100) -> float:
    """How long the disk takes to flush a small write, in seconds: a question waits for two of these."""
    file = os.open(folder / "flushed", os.O_RDWR | os.O_CREAT)
    os.pwrite(file, bytes(4096), 0)
    os.fsync(file)
    times = []
    for turn in range(count):
        os.pwrite(file, str(turn).encode(), 0)
        start = time.perf_counter()
        os.fdatasync(file)
        times.append(time.perf_counter() - start)
    os.close(file)
    return statistics.median(times)


def filtered(count: int) -> list[str]:
    draws = random.Random(6)
    found = []
    for _ in range(count):
        low = draws.randrange(0, 90)
        high = min(100, low + draws.randrange(1, 30))
        condition = f"age BETWEEN {low} AND {high} AND region = '{draws.choice(REGIONS)}'"
        found.append(f"SELECT COUNT(*) AS n FROM people WHERE {condition}")
    return found


def large(folder: Path, rows: int, rounds: int) -> list[str]:
    path = made(folder, rows)
    connection, ours = plain(path), curator(path, folder / "large.ledger")
    lines = [
        f"## {rows:,} rows in parquet",
        "",
        "| question | plain DuckDB | curator | ratio | ratio of processor time |",
        "|---|---|---|---|---|",
    ]
    for name, question in QUESTIONS.items():
        times: dict[str, list[tuple[float, float]]] = {"plain": [], "ours": []}
        for turn in range(rounds + 1):
            first = timed(lambda question=question: connection.execute(question).fetchall())
            second = timed(
                lambda question=question, turn=turn: ours.ask(question, epsilon=1 + turn, reuse=False).rows()
            )
            if turn:
                times["plain"].append(first)
                times["ours"].append(second)
        middle = {kind: statistics.median(clock for clock, _ in listed) for kind, listed in times.items()}
        pairs = list(zip(times["plain"], times["ours"], strict=True))
        ratios = [statistics.median(b[which] / a[which] for a, b in pairs) for which in (0, 1)]
        lines.append(
            f"| {name} | {middle['plain'] * 1e3:.1f} ms | {middle['ours'] * 1e3:.1f} ms | "
            f"{ratios[0]:.2f} | {ratios[1]:.2f} |"
        )
    return [*lines, ""]


def small(folder: Path, count: int) -> list[str]:
    path = made(folder, 100_000)
    connection, ours = plain(path), curator(path, folder / "small.ledger")
    questions = filtered(count)
    ours.ask("SELECT COUNT(*) AS n FROM people", epsilon="0.01")
    spent: dict[str, list[tuple[float, float]]] = {"plain": [], "ours": []}
    for start in range(0, count, 50):
        part = questions[start : start + 50]
        spent["plain"].append(timed(lambda part=part: [connection.execute(question).fetchall() for question in part]))
        spent["ours"].append(timed(lambda part=part: [ours.ask(question, epsilon="0.01") for question in part]))
    seconds = {kind: [sum(column) for column in zip(*listed, strict=True)] for kind, listed in spent.items()}
    rates = {kind: [count / part for part in parts] for kind, parts in seconds.items()}
    flush = flushed(folder)
    return [
        f"## 100,000 rows, Q6: {count} different filtered counts at ε = 0.01, each durably charged",
        "",
        "| | a second | share | a second of processor time | share |",
        "|---|---|---|---|---|",
        f"| plain DuckDB, no ledger | {rates['plain'][0]:.0f} | 1 | {rates['plain'][1]:.0f} | 1 |",
        (
            f"| curator | {rates['ours'][0]:.0f} | {rates['ours'][0] / rates['plain'][0]:.2f} | "
            f"{rates['ours'][1]:.0f} | {rates['ours'][1] / rates['plain'][1]:.2f} |"
        ),
        "",
        (
            f"A flush of this disk takes {flush * 1e3:.2f} ms, and a question waits for two: one before anything is "
            f"read, one before the answer leaves."
        ),
        "",
        (
            f"The bill for the same answers: summed one by one they cost ε = {count * 0.01:g}; the worst record's load "
            f"in the ledger is {ours.spent()[0]}."
        ),
        "",
    ]


def memory(folder: Path, rows: int) -> list[str]:
    """Peak memory of a process that asks Q2 and Q3 once."""
    found = {}
    for kind in ("plain", "ours"):
        command = [sys.executable, __file__, "--peak", kind, "--rows", str(rows), "--folder", str(folder)]
        found[kind] = int(subprocess.run(command, check=True, capture_output=True, text=True).stdout) / 1024
    return [
        (
            f"Peak memory for Q2 and Q3 on {rows:,} rows: plain DuckDB {found['plain']:.0f} MB, "
            f"curator {found['ours']:.0f} MB."
        ),
        "",
    ]


def peak(kind: str, folder: Path, rows: int) -> None:
    path = made(folder, rows)
    questions = list(QUESTIONS.values())[1:]
    if kind == "plain":
        connection = plain(path)
        for question in questions:
            connection.execute(question).fetchall()
    else:
        ours = curator(path, ":memory:")
        for question in questions:
            ours.ask(question, epsilon=1, reuse=False).rows()
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--questions", type=int, default=1000)
    parser.add_argument("--folder", type=Path, default=None)
    parser.add_argument("--peak", choices=["plain", "ours"])
    options = parser.parse_args()
    if options.peak:
        peak(options.peak, options.folder, options.rows)
        return
    folder = Path(tempfile.mkdtemp(dir=options.folder))
    try:
        lines = [
            "# Questions",
            "",
            (
                f"Written by `python benchmarks/queries/run.py` on {datetime.now(UTC):%Y-%m-%d}: {platform.machine()}, "
                f"Python {platform.python_version()}, DuckDB {duckdb.__version__}, one thread, medians of "
                f"{options.rounds} interleaved rounds."
            ),
            "",
            *large(folder, options.rows, options.rounds),
            *memory(folder, options.rows),
            *small(folder, options.questions),
        ]
    finally:
        shutil.rmtree(folder)
    (HERE / "RESULTS.md").write_text("\n".join(lines), encoding="utf-8")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
