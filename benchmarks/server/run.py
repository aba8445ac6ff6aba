"""A server against the curator inside it: fresh and repeated counts with many clients, and what the ledger says after.

    python benchmarks/server/run.py [--questions 200] [--repeats 1000] [--clients 64] [--rows 100000]

Writes RESULTS.md beside this file. Everything is measured in one run on one machine, so that ratios mean something: the
curator asked by threads of its own process, then the server by clients in another process.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from itertools import product
from pathlib import Path

import httpx

from partita.curator.settings import declared_terms, open_settings, read_settings
from partita.ledger.opening import open_ledger
from partita.server.accounts.register import Register

RESULTS = Path(__file__).with_name("RESULTS.md")
SETTINGS = """
ledger = "visits.ledger"
[[promises]]
protect = "rows"
rho = "1000"
[server]
port = 0
requests_per_minute = 100000000
practice = false
workers = {workers}
[tables.visits]
source = "visits.csv"
[tables.visits.columns]
age = {{ integers = [0, 120], missing = 0 }}
ward = {{ integers = [0, 99], missing = 0 }}
"""


def folder(place: Path, rows: int, workers: int = 1) -> Path:
    """A custodian's folder."""
    place.mkdir()
    source = random.Random(1)
    lines = [f"{source.randint(0, 100)},{source.randint(0, 99)}" for _ in range(rows)]
    (place / "visits.csv").write_text("\n".join(["age,ward", *lines]) + "\n")
    (place / "partita.toml").write_text(SETTINGS.format(workers=workers))
    return place


def questions(count: int) -> list[str]:
    """Different counts."""
    made = (
        f"SELECT COUNT(*) AS n FROM visits WHERE ward = {w} AND age > {a}" for a, w in product(range(120), range(100))
    )
    return [next(made) for _ in range(count)]


def timed(work: Callable[[str], object], given: Sequence[str], threads: int) -> list[float]:
    """How long each took, and last how long all did."""

    def one(text: str) -> float:
        start = time.perf_counter()
        work(text)
        return time.perf_counter() - start

    start = time.perf_counter()
    with ThreadPoolExecutor(threads) as pool:
        found = list(pool.map(one, given))
    return [*found, time.perf_counter() - start]


def inside(place: Path, count: int, threads: int) -> list[float]:
    """The curator asked by threads of this process."""
    with open_settings(place / "partita.toml") as curator:
        curator.ask("SELECT COUNT(*) AS n FROM visits", rho="0.01")
        return timed(lambda text: curator.ask(text, rho="0.01"), questions(count), threads)


def clients(url: str, token: str, plan: dict[str, int]) -> dict[str, list[float]]:
    """The server asked by clients of this process; run in a process of its own."""
    limits = httpx.Limits(max_connections=plan["clients"], max_keepalive_connections=plan["clients"])
    headers = {"Authorization": f"Bearer {token}"}
    with httpx.Client(base_url=url, headers=headers, timeout=600, limits=limits) as http:

        def ask(text: str) -> None:
            http.post("/v1/ask", json={"question": text, "rho": "0.01"}).raise_for_status()

        ask("SELECT COUNT(*) AS n FROM visits")
        same = ["SELECT COUNT(*) AS n FROM visits"] * plan["repeats"]
        return {
            "one": timed(ask, questions(plan["questions"] + 40)[plan["questions"] :], 1),
            "fresh": timed(ask, questions(plan["questions"]), plan["clients"]),
            "repeated": timed(ask, same, plan["clients"]),
            "health": timed(lambda _: http.get("/health").raise_for_status(), same, plan["clients"]),
        }


def served(place: Path, plan: dict[str, int]) -> tuple[dict[str, list[float]], int, int]:
    """What clients measured, and how many charges and unfinished ones the ledger has afterwards."""
    settings = read_settings(place / "partita.toml")
    with open_ledger(settings.ledger, declared_terms(settings)) as ledger:
        token, _ = Register(ledger).give("custodian", "custodian", by="benchmark")
    command = [sys.executable, "-m", "partita", "serve", "--config", str(place / "partita.toml")]
    with open(place / "log", "w") as log:
        server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
    try:
        assert server.stdout is not None
        url = server.stdout.readline().split()[-1]
        script = [sys.executable, __file__, "--client", json.dumps([url, token, plan])]
        found = subprocess.run(script, capture_output=True, text=True, check=True)
    finally:
        server.send_signal(signal.SIGTERM)
        server.communicate(timeout=120)
    with open_ledger(settings.ledger) as ledger:
        audit = ledger.verify()
        assert audit.sound, audit.problems
    return json.loads(found.stdout), audit.charges, audit.unfinished


def rate(times: Sequence[float]) -> float:
    """Questions a second."""
    return (len(times) - 1) / times[-1]


def line(name: str, times: Sequence[float]) -> str:
    """A line of the table."""
    each = sorted(times[:-1])
    median, late = statistics.median(each), each[int(0.99 * (len(each) - 1))]
    return f"| {name} | {rate(times):,.0f} | {1000 * median:,.1f} ms | {1000 * late:,.1f} ms | {late / median:.1f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name, value in (
        ("questions", 200),
        ("repeats", 1000),
        ("clients", 64),
        ("rows", 100_000),
        ("threads", 32),
        ("workers", 2),
    ):
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--client", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.client:
        print(json.dumps(clients(*json.loads(given.client))))
        return
    plan = {"questions": given.questions, "repeats": given.repeats, "clients": given.clients}
    with tempfile.TemporaryDirectory() as temporary:
        within = inside(folder(Path(temporary, "inside"), given.rows), given.questions, given.threads)
        found, charges, unfinished = served(folder(Path(temporary, "served"), given.rows), plan)
        several, more, open_still = served(folder(Path(temporary, "several"), given.rows, given.workers), plan)
    expected = given.questions + 41
    machine = (
        f"Python {platform.python_version()}, {os.cpu_count()} shared cores, load {os.getloadavg()[0]:.1f} at its end"
    )
    fresh, one = rate(found["fresh"]), rate(found["one"])
    text = f"""# The server

Written by `benchmarks/server/run.py` on {datetime.now(UTC):%Y-%m-%d}: {machine};
{given.rows:,} rows, ledger in a file, {given.clients} clients in another process, {given.threads} threads inside.

| | a second | median | 99% | 99% / median |
|---|---|---|---|---|
{line("fresh counts, in the curator's process", within)}
{line("fresh counts, over HTTP", found["fresh"])}
{line("fresh counts, over HTTP, one client", found["one"])}
{line("the same count again, over HTTP", found["repeated"])}
{line("health", found["health"])}
{line(f"fresh counts, {given.workers} workers", several["fresh"])}
{line(f"the same count again, {given.workers} workers", several["repeated"])}

- Fresh counts over HTTP: {fresh / rate(within):.2f} of what the curator reaches by itself; {fresh / one:.2f} times the
  rate of one client.
- Repeated counts: {rate(found["repeated"]) / rate(found["health"]):.2f} of the rate of the health route.
- {given.workers} workers: {rate(several["fresh"]) / fresh:.2f} times the rate of one for fresh counts,
  {rate(several["repeated"]) / rate(found["repeated"]):.2f} times for repeated ones; charges afterwards: {more}, without
  an answer: {open_still}.
- Charges in the ledger afterwards: {charges} for {expected} different questions; without an answer: {unfinished}. The
  audit found the book sound.
"""
    RESULTS.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
