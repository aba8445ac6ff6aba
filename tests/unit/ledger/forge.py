"""Processes for tests: one interpreter that loads the package once and forks a child for every job it is given.

A job is the name of one of its module's ``JOBS`` and the arguments for it. The jobs of one line run at the same time,
all released at once; the answer is one line with the exit status and the output of each.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path

from partita.errors import BudgetExceeded
from partita.ledger.book.points import Point
from partita.ledger.moving import Step, move_ledger
from partita.ledger.states import Answered
from tests.unit.ledger import plain

ROOT = Path(__file__).resolve().parents[3]
Jobs = Mapping[str, Callable[..., str]]


def ask(path: str, fatal: str, noise: str, key: str) -> str:
    """The path of one question, with a kill -9 at one of its points; what is returned has left."""

    def die(point: Point) -> None:
        if point == fatal:
            os.kill(os.getpid(), signal.SIGKILL)

    with plain.opened(path, faults=die) as ledger:
        state = ledger.reserve(plain.charge("n", key=key or None))
        if not isinstance(state, Answered):
            ledger.pass_by(Point.READ)
            ledger.pass_by(Point.NOISED)
            state = ledger.commit(state, noise.encode())
        return state.content.decode()


def buy(path: str, buyer: str, count: str, price: str) -> str:
    """How many of so many different questions could be paid."""
    won = 0
    with plain.opened(path, timeout=60) as ledger:
        for number in range(int(count)):
            try:
                plain.ask(ledger, plain.charge((buyer, number), price))
                won += 1
            except BudgetExceeded:
                pass
    return str(won)


def move(path: str, to: str, fatal: str) -> str:
    """A move, with a kill -9 at one of its steps."""

    def die(step: Step) -> None:
        if step == fatal:
            os.kill(os.getpid(), signal.SIGKILL)

    return str(move_ledger(plain.place(path), plain.place(to), steps=die).entries)


JOBS: Jobs = {"ask": ask, "buy": buy, "move": move}
# What is loaded on first use: before the fork, or every child loads it again.
LOADED = ("numpy.random", "partita.region.where", "partita.theory.measures.profile", "sqlglot.generators.duckdb")


def serve(jobs: Jobs, loaded: Sequence[str]) -> None:
    """Fork a child for each job of a line; they start together."""
    for name in loaded:
        import_module(name)
    for request in sys.stdin:
        gate, release = os.pipe()
        children = [_start(jobs, job, gate, release) for job in json.loads(request)]
        os.close(release)
        os.close(gate)
        results = []
        for child, output in children:
            with os.fdopen(output) as file:
                content = file.read()
            results.append([os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), content])
        sys.stdout.write(json.dumps(results) + "\n")
        sys.stdout.flush()


def _start(jobs: Jobs, job: list[str], gate: int, release: int) -> tuple[int, int]:
    output, written = os.pipe()
    child = os.fork()
    if child:
        os.close(written)
        return child, output
    status = 1
    try:
        os.close(release)
        os.read(gate, 1)  # the end of the file is the signal
        found = jobs[job[0]](*job[1:])
        os.write(written, found.encode())
        status = 0
    finally:
        os._exit(status)


class Forge:
    """The interpreter that forks, started once, for the jobs of one module."""

    def __init__(self, home: str = "tests.unit.ledger.forge") -> None:
        start = f"import {home} as home; from tests.unit.ledger.forge import serve; serve(home.JOBS, home.LOADED)"
        command = [sys.executable, "-c", start]
        self._process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def run(self, *jobs: list[str]) -> list[tuple[int, str]]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(jobs) + "\n")
        self._process.stdin.flush()
        return [(status, content) for status, content in json.loads(self._process.stdout.readline())]

    def close(self) -> None:
        self._process.communicate()
