"""Tables that grow: what sealing takes, and questions on many batches beside the same rows in one.

    python benchmarks/people/growth.py [--rows 10000000] [--batches 1000] [--rounds 5] [--folder F]

Writes GROWTH.md beside this file. Plain DuckDB writes its own copy in the same run. Times are those of the processor,
all threads together, so that other work on the machine does not count.
"""

from __future__ import annotations

import argparse
import platform
import resource
import statistics
import sys
import tempfile
from datetime import UTC, datetime
from functools import partial
from itertools import pairwise
from pathlib import Path

import duckdb
import numpy as np

import partita as pt

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from run import MOST, cpu, users_table, visits_of_users  # noqa: E402

QUESTIONS = {
    "COUNT and SUM by region": "SELECT region, COUNT(*) AS n, SUM(income) AS total FROM people GROUP BY region",
    "COUNT over 65": "SELECT COUNT(*) AS n FROM people WHERE age > 65",
    "owners over 65": "SELECT COUNT(DISTINCT user_id) AS n FROM people WHERE age > 65",
}


def curator(table: pt.Table, ledger: Path) -> pt.Curator:
    promise = pt.Promise(pt.users("user_id", rows=MOST), pt.ZCDP(rho=10**9))
    return pt.Curator(tables=[table], promises=[promise], ledger=ledger)


def empty(table: pt.Table) -> pt.Table:
    return pt.Table(table.name, source=[], columns=table.domain)


def sealing(path: Path, folder: Path) -> list[str]:
    """One batch of all rows into an empty table, beside DuckDB's sorted copy of the file."""
    plain = duckdb.connect()
    copy = f"COPY (SELECT * FROM '{path}' ORDER BY user_id) TO '{folder / 'copy.parquet'}'"
    table = users_table(path)
    with curator(empty(table), folder / "sealing") as ours:
        first, second = cpu(lambda: plain.execute(copy)), cpu(lambda: ours.ingest(table.name, path))
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"sealing: {first:.2f} s, {second:.2f} s, {most:.2f} GB", flush=True)
    return [
        "| once | plain DuckDB, its copy sorted by owner to parquet | sealing as one batch | ratio | goal |",
        "|---|---|---|---|---|",
        f"| all rows | {first:.3f} s | {second:.3f} s | {second / first:.3f} | 3 |",
        "",
        f"The process, with DuckDB's own copy in it, held at most {most:.2f} GB until then; the goal is 2 GB.",
    ]


def many(path: Path, folder: Path, batches: int, rounds: int) -> list[str]:
    """The same rows as many batches and as one: what one batch costs, and what questions cost then."""
    table = users_table(path)
    rows = duckdb.sql(f"SELECT * FROM '{path}'").to_arrow_table()
    ends = np.linspace(0, rows.num_rows, batches + 1).astype(int)
    with curator(empty(table), folder / "one") as one, curator(empty(table), folder / "many") as parts:
        one.ingest(table.name, rows)
        each = []
        for start, end in pairwise(ends):
            part = rows.slice(start, end - start)
            each.append(cpu(lambda part=part: parts.ingest(table.name, part)))
    size, median = rows.num_rows // batches, statistics.median(each)
    lines = [
        f"{batches:,} batches of {size:,} rows: {median:.3f} s a batch, {max(each):.3f} s at most.",
        "",
        "| question | one batch | many batches | ratio | goal |",
        "|---|---|---|---|---|",
    ]
    opening = []
    for name in ("one", "many"):
        opened: list[pt.Curator] = []
        opening.append(cpu(lambda name=name, opened=opened: opened.append(curator(empty(table), folder / name))))
        opened[0].close()
    lines.append(f"| opening the curator | {opening[0]:.3f} s | {opening[1]:.3f} s | {opening[1] / opening[0]:.3f} | |")
    with curator(empty(table), folder / "one") as one, curator(empty(table), folder / "many") as parts:
        for name, question in QUESTIONS.items():
            pairs = []
            for turn in range(rounds + 1):

                def ask(ours: pt.Curator, question: str = question, turn: int = turn) -> None:
                    ours.ask(question, rho=1000 + turn, reuse=False)

                pairs.append((cpu(partial(ask, one)), cpu(partial(ask, parts))))
            first, second = (statistics.median(pair[side] for pair in pairs[1:]) for side in (0, 1))
            ratio = statistics.median(b / a for a, b in pairs[1:])
            lines.append(f"| {name} | {first:.3f} s | {second:.3f} s | {ratio:.3f} | 1.2 |")
            print(lines[-1], flush=True)
    return lines


# Q2, Q3 and Q6 of benchmarks/queries; of Q6 another age each time, as an equal question is free.
OF_ROWS = {
    "Q2: 20 regions, COUNT, SUM, AVG": (
        "SELECT region, COUNT(*) AS n, SUM(income) AS total, AVG(income) AS mean FROM people GROUP BY region"
    ),
    "Q3: age x region": "SELECT age, region, COUNT(*) AS n FROM people GROUP BY age, region",
    "Q6: filtered counts": "SELECT COUNT(*) AS n FROM people WHERE age BETWEEN {} AND 90 AND region = 'region_03'",
}


def vault_of_rows(path: Path, folder: Path, rounds: int) -> list[str]:
    """Questions about rows on the vault, beside plain DuckDB on the file."""
    table = users_table(path)
    plain = duckdb.connect()
    plain.execute(f"CREATE VIEW people AS SELECT * FROM read_parquet('{path}')")
    promise = pt.Promise(pt.rows(), pt.Pure(epsilon=10**9))
    lines = [
        "Rows are protected here, and nobody is bounded; sealed once, then asked.",
        "",
        "| question | plain DuckDB on the parquet file | curator on the vault | ratio | goal |",
        "|---|---|---|---|---|",
    ]
    with pt.Curator(tables=[empty(table)], promises=[promise], ledger=folder / "rows") as ours:
        ours.ingest(table.name, path)
        for name, question in OF_ROWS.items():
            again = 40 if "{}" in question else 1
            pairs = []
            for turn in range(rounds + 1):
                asked = [question.format(1 + (turn * again + one) % 80) for one in range(again)]
                price = 1000 + turn

                def beside(asked: list[str] = asked) -> None:
                    for one in asked:
                        plain.execute(one).fetchall()

                def ask(asked: list[str] = asked, price: int = price) -> None:
                    for one in asked:
                        ours.ask(one, epsilon=price, reuse=False)

                pairs.append((cpu(beside) / again, cpu(ask) / again))
            first, second = (statistics.median(pair[side] for pair in pairs[1:]) for side in (0, 1))
            ratio = statistics.median(b / a for a, b in pairs[1:])
            lines.append(f"| {name} | {first:.4f} s | {second:.4f} s | {ratio:.3f} | 0.7 |")
            print(lines[-1], flush=True)
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--batches", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--folder", type=Path, default=None)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        path = visits_of_users(given.folder or folder, given.rows)
        lines = [*sealing(path, folder), "", *vault_of_rows(path, folder, given.rounds), ""]
        lines += many(path, folder, given.batches, given.rounds)
    fewer = "" if given.rows >= 10_000_000 and given.batches >= 1000 else (
        " The goals are for 10,000,000 rows and 1,000 batches; there are fewer here because the machine was busy."
    )  # fmt: skip
    made = f"{platform.machine()}, Python {platform.python_version()}, DuckDB {duckdb.__version__}"
    about = (
        f"Written by `python benchmarks/people/growth.py` on {datetime.now(UTC):%Y-%m-%d}: {made}. Times are processor "
        f"time of all threads, since the machine is shared. {given.rows:,} rows, at most {MOST} of an owner are "
        f"kept.{fewer}"
    )
    text = ["# Tables that grow", "", about, "", *lines, ""]
    (HERE / "GROWTH.md").write_text("\n".join(text), encoding="utf-8")


if __name__ == "__main__":
    main()
