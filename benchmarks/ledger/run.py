"""The ledger against the disk it is on: durable questions a second, and a book of a million charges.

    python benchmarks/ledger/run.py [--questions 1500] [--charges 1000000] [--folder /var/tmp]

Writes RESULTS.md beside this file. The peers are the physical limit: the same number of flushes with nothing around
them, and bare SQLite transactions of the same size. All run in turn, question by
question, in one process; medians are shown.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import platform
import random
import resource
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from partita.composition.plans.promise import Promise
from partita.granularity import rows
from partita.ledger.birth import Terms
from partita.ledger.book.entries import Kind
from partita.ledger.book.store import Stage
from partita.ledger.canonical import digest
from partita.ledger.charge import Charge
from partita.ledger.ledger import Ledger
from partita.ledger.opening import open_ledger
from partita.ledger.states import Answered
from partita.region import Domain, Region, categories, integers
from partita.theory.cost import Cost
from partita.theory.measures.zcdp import ZCDP

RESULTS = Path(__file__).with_name("RESULTS.md")
DOMAIN = Domain(
    {
        "day": integers(0, 364, missing=0),
        "ward": categories(*(f"ward {number}" for number in range(20)), missing="OTHER"),
        "age": integers(0, 99, missing=0),
    }
)
TERMS = Terms([Promise(rows(), ZCDP(rho=1000))], {"visits": DOMAIN})
ANSWER = bytes(400)
BATCH = 5000


def charge(number: int, source: random.Random) -> Charge:
    """A filtered count: some days, one ward, an age group, as a dashboard would ask."""
    start, width = source.choice(range(0, 365, 7)), source.choice([7, 28, 91])
    age = source.choice(range(0, 100, 5))
    region = Region.box(
        DOMAIN, day=(start, min(364, start + width - 1)), ward=f"ward {source.randrange(20)}", age=(age, 99)
    )
    return Charge(
        table="visits",
        region=region,
        costs=(Cost(ZCDP(rho="1/1000000")),),
        mechanism={"kind": "gaussian", "sigma": "707"},
        question=hashlib.sha256(str(number).encode()).hexdigest(),
        asked="SELECT COUNT(*) AS n FROM visits WHERE day BETWEEN 7 AND 34 AND ward = 'ward 3' AND age >= 65",
        analyst="ada",
    )


def ask(ledger: Ledger, wanted: Charge) -> None:
    state = ledger.reserve(wanted)
    if not isinstance(state, Answered):
        ledger.commit(state, ANSWER)


# --- durable questions a second ------------------------------------------------------------------------------


def bare_flushes(folder: Path) -> Callable[[int], None]:
    """Three flushes a question: two appended blocks of a log, one overwritten mark."""
    log = os.open(folder / "log", os.O_RDWR | os.O_CREAT)
    mark = os.open(folder / "mark", os.O_RDWR | os.O_CREAT)
    os.pwrite(mark, bytes(256), 0)
    os.pwrite(log, bytes(4 << 20), 0)
    os.fsync(log)
    place = 0

    def run(questions: int) -> None:
        nonlocal place
        for number in range(questions):
            for size in (12_288, 16_384):
                os.pwrite(log, bytes(size), place % (4 << 20))
                os.fdatasync(log)
                place += size
            os.pwrite(mark, bytes(128), 128 * (number % 2))
            os.fdatasync(mark)

    return run


def bare_sqlite(
    folder: Path, name: str = "bare", journal: str = "WAL", synchronous: str = "FULL", page: int = 4096
) -> Callable[[int], None]:
    """Two durable SQLite transactions a question with rows of the same size, and the overwritten mark."""
    connection = sqlite3.connect(folder / f"{name}.db", isolation_level=None)
    connection.execute(f"PRAGMA page_size = {page}")
    connection.execute(f"PRAGMA journal_mode = {journal}")
    connection.execute(f"PRAGMA synchronous = {synchronous}")
    connection.execute(
        "CREATE TABLE IF NOT EXISTS entry (seq INTEGER PRIMARY KEY, question BLOB, charge TEXT, hash BLOB)"
    )
    connection.execute("CREATE INDEX IF NOT EXISTS asked ON entry (question)")
    mark = os.open(folder / f"{name}.mark", os.O_RDWR | os.O_CREAT)
    os.pwrite(mark, bytes(256), 0)
    random_source = random.Random(1)

    def run(questions: int) -> None:
        for number in range(questions):
            for question in (random_source.randbytes(32), None):
                connection.execute("BEGIN IMMEDIATE")
                connection.execute("INSERT INTO entry VALUES (NULL, ?, ?, ?)", (question, "x" * 500, bytes(32)))
                connection.execute("COMMIT")
            os.pwrite(mark, bytes(128), 128 * (number % 2))
            os.fdatasync(mark)

    return run


def throughput(folder: Path, questions: int) -> list[str]:
    """One question of each in turn, so that whatever else the disk does falls on all of them alike."""
    ledger = open_ledger(folder / "visits.ledger", TERMS)
    source = random.Random(2)
    charges = [charge(number, source) for number in range(questions)]
    flushes, bare = bare_flushes(folder), bare_sqlite(folder)
    times: dict[str, list[float]] = {"flushes": [], "sqlite": [], "ledger": []}
    for number, wanted in enumerate(charges):
        runs = [("flushes", lambda: flushes(1)), ("sqlite", lambda: bare(1)), ("ledger", partial(ask, ledger, wanted))]
        for turn in range(3):
            name, run = runs[(number + turn) % 3]
            start = time.perf_counter()
            run()
            times[name].append(time.perf_counter() - start)
    ledger.close()
    lines = [
        "## Durable questions (reserve and commit, one thread)",
        "",
        "| | median | a second | of the bare flushes |",
        "|---|---|---|---|",
    ]
    labels = {
        "flushes": "three bare flushes",
        "sqlite": "two bare SQLite transactions and one flush",
        "ledger": "the ledger: reserve, commit, anchor, accounts",
    }
    for name, label in labels.items():
        # The first hundreds grow files; what follows writes over them.
        median, limit = (statistics.median(times[which][questions // 4 :]) for which in (name, "flushes"))
        lines.append(f"| {label} | {median * 1e3:.2f} ms | {1 / median:.0f} | {limit / median:.2f} |")
    return [*lines, ""]


def settings(folder: Path, questions: int) -> list[str]:
    """What the settings of SQLite cost, in turn; the first is the ledger's."""
    variants = {
        "write-ahead log, full, pages of 4 KB (chosen)": bare_sqlite(folder, "chosen"),
        "pages of 8 KB": bare_sqlite(folder, "eight", page=8192),
        "pages of 16 KB": bare_sqlite(folder, "sixteen", page=16384),
        "rollback journal, full": bare_sqlite(folder, "journal", journal="DELETE"),
        "write-ahead log, normal (a power cut may lose charges: not allowed)": bare_sqlite(
            folder, "normal", synchronous="NORMAL"
        ),
    }
    times: dict[str, list[float]] = {name: [] for name in variants}
    for _ in range(questions):
        for name, run in variants.items():
            start = time.perf_counter()
            run(1)
            times[name].append(time.perf_counter() - start)
    lines = ["## Settings of SQLite (two bare transactions and one flush)", "", "| | median |", "|---|---|"]
    for name, found in times.items():
        lines.append(f"| {name} | {statistics.median(found[questions // 2 :]) * 1e3:.2f} ms |")
    return [*lines, ""]


# --- a long book ---------------------------------------------------------------------------------------------


def grow(ledger: Ledger, start: int, count: int, source: random.Random, kinds: list[Charge]) -> None:
    """Append answered charges in large transactions: the same lines as one by one, without a flush for each."""
    book = ledger._book
    for first in range(start, start + count, BATCH):
        with book.writing(Stage.RESERVE):
            book.checkpoint()
            for number in range(first, min(first + BATCH, start + count)):
                made = source.choice(kinds)
                question = hashlib.sha256(str(number).encode()).hexdigest()
                priced, mechanism = made.priced(), dict(made.mechanism)
                entry = book.append(
                    Kind.RESERVE, question=question, charge=priced, asked=made.asked, mechanism=mechanism
                )
                answer = ANSWER[: -len(str(number))] + str(number).encode()
                book.append(Kind.COMMIT, of=entry.seq, answer=answer, answered=digest(answer))
    book.hold(book.replay.last)


def pair_cost(ledger: Ledger, start: int, questions: int, bare: Callable[[int], None]) -> tuple[float, float]:
    """The median time of one question, and of the bare transactions it needs, taken in turn."""
    source = random.Random(3)
    asked, limit = [], []
    for wanted in [charge(start + number, source) for number in range(questions)]:
        begun = time.perf_counter()
        ask(ledger, wanted)
        middle = time.perf_counter()
        bare(1)
        asked.append(middle - begun)
        limit.append(time.perf_counter() - middle)
    # The first ones grow files; what follows writes over them.
    return statistics.median(asked[questions // 2 :]), statistics.median(limit[questions // 2 :])


OPEN = """
import json, sys, time
from partita.ledger.opening import open_ledger

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096 / 1e6

def timed(task):
    wall, work = time.perf_counter(), time.process_time()
    found = task()
    return found, time.perf_counter() - wall, time.process_time() - work

before = resident()
ledger, *opened = timed(lambda: open_ledger(sys.argv[1]))
memory = resident() - before
found, *verified = timed(ledger.verify) if sys.argv[2] == "verify" else (None, 0, 0)
print(json.dumps([opened, verified, memory, found is None or found.sound]))
"""

Times = tuple[float, float]


def reopened(path: Path, task: str) -> tuple[Times, Times, float, bool]:
    """Wall and processor seconds to open, the same to verify, and the memory of the open ledger."""
    result = subprocess.run([sys.executable, "-c", OPEN, str(path), task], capture_output=True, text=True, check=True)
    opened, verified, memory, sound = json.loads(result.stdout)
    return tuple(opened), tuple(verified), memory, sound


def length(folder: Path, charges: int, questions: int) -> list[str]:
    path = folder / "long.ledger"
    bare = bare_sqlite(folder)
    source = random.Random(4)
    kinds = [charge(number, source) for number in range(20_000)]
    ledger = open_ledger(path, TERMS)
    lines = [
        "## A long book",
        "",
        (
            f"{charges:,} charges, each answered with {len(ANSWER)} bytes, on "
            f"{len({made.priced() for made in kinds}):,} different regions."
        ),
        "",
        "| charges | file | opens in (work) | memory | one question | bare SQLite | verifies in (work) |",
        "|---|---|---|---|---|---|---|",
    ]
    written = 0
    for target in sorted({1000, 10_000, 100_000, charges}):
        if target > charges:
            continue
        grow(ledger, written, target - written, source, kinds)
        written = target
        cost, limit = pair_cost(ledger, 10**9 + target, questions, bare)
        ledger.close()
        opened, work = statistics.median(reopened(path, "open")[0] for _ in range(3))
        _, (verified, audit), memory, sound = reopened(path, "verify")
        assert sound
        size = sum(os.path.getsize(item) for item in folder.glob("long.ledger*"))
        lines.append(
            f"| {target:,} | {size / 1e6:.0f} MB | {opened:.2f} s ({work:.2f}) | {memory:.0f} MB | "
            f"{cost * 1e3:.2f} ms | {limit * 1e3:.2f} ms | {verified:.1f} s ({audit:.1f}) |"
        )
        print(lines[-1], flush=True)
        ledger = open_ledger(path)
    ledger.close()
    return [*lines, ""]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--questions", type=int, default=1500)
    parser.add_argument("--charges", type=int, default=1_000_000)
    parser.add_argument("--folder", type=Path, default=Path("/var/tmp"), help="a folder on the disk to measure")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(dir=options.folder))
    try:
        found = throughput(folder, options.questions)
        found += settings(folder, options.questions // 3)
        print("\n".join(found), flush=True)
        found += length(folder, options.charges, options.questions // 2)
    finally:
        shutil.rmtree(folder)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    head = [
        "# The ledger",
        "",
        (
            f"Written by `benchmarks/ledger/run.py` on {datetime.now(UTC):%Y-%m-%d}: Python "
            f"{platform.python_version()}, SQLite {sqlite3.sqlite_version}, {os.cpu_count()} shared cores; medians of "
            f"{options.questions} questions in turn. *Work* is processor time, which other users of the machine do not "
            f"stretch. Peak memory of the writer {peak} MB."
        ),
        "",
    ]
    RESULTS.write_text("\n".join(head + found), encoding="utf-8")
    print(f"Written to {RESULTS}")


if __name__ == "__main__":
    main()
