"""Tables that grow: what sealing takes, and questions on many batches beside the same rows in one.

    python benchmarks/people/growth.py [--rows 10000000] [--batches 1000] [--rounds 5] [--folder F]

Writes GROWTH.md beside this file. Plain DuckDB writes its own copy in the same run. Times are those of the processor,
all threads together, so that other work on the machine does not count.
"""

from __future__ import annotations

import argparse
import platform
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
    print(f"sealing: {first:.2f} s, {second:.2f} s", flush=True)
    return [
        "| once | plain DuckDB, its copy sorted by owner to parquet | sealing as one batch | ratio | goal |",
        "|---|---|---|---|---|",
        f"| all rows | {first:.3f} s | {second:.3f} s | {second / first:.3f} | 3 |",
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
        lines = [*sealing(path, folder), "", *many(path, folder, given.batches, given.rounds)]
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
