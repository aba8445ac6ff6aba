"""The region account at work: time of one admission (decision and booking), exactness, memory, and what it saves.

    python benchmarks/regions/run.py [--quick]

Writes RESULTS.md beside this file. No other library has such an account, so the peers are plain summation (what every
other library charges) and, for time, the plainest exact program: one dense array with a number for every record value,
sliced for every question.
"""

from __future__ import annotations

import argparse
import gc
import os
import platform
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).resolve().parent))

import numpy as np
import workloads as w

from partita.composition.account import RegionAccount
from partita.composition.plans.promise import Promise
from partita.granularity import replace, rows
from partita.region import Region
from partita.theory.measures.base import Measure
from partita.theory.measures.pure import Pure

RESULTS = Path(__file__).with_name("RESULTS.md")


@dataclass
class Times:
    """Milliseconds of each admission: of this thread alone, and on the wall clock."""

    own: list[float] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)
    admitted: int = 0
    unproven: int = 0

    def measure(self, act: Callable[[], bool]) -> bool:
        wall, own = time.perf_counter(), time.thread_time()
        done = act()
        self.own.append((time.thread_time() - own) * 1000)
        self.wall.append((time.perf_counter() - wall) * 1000)
        self.admitted += done
        return done

    def at(self, share: float) -> float:
        return float(np.percentile(self.own, share))


def run(
    workload: w.Workload, count: int, *, change: bool = False, both: Measure | None = None
) -> tuple[Times, RegionAccount]:
    """Admit a stream of questions; a refusal that was not proven is counted."""
    account = RegionAccount(workload.domain, Promise(replace() if change else rows(), workload.budget))
    times = Times()
    gc.collect()
    gc.disable()
    for region, cost in workload.questions(count):
        other = (cost.zero() if both is None else both) if change else None
        if not times.measure(lambda: account.admit(region, cost, other)):  # noqa: B023
            bookings = account._bookings(_release(region, cost, other), stateful=False)
            times.unproven += not all(account.engine.decide(booking).proven for booking in bookings)
    gc.enable()
    return times, account


def _release(region: Region, cost: Measure, both: Measure | None) -> object:
    from partita.composition.account.booking import Release

    return Release.of(region, cost, both)


def generic(workload: w.Workload, count: int) -> tuple[Times, RegionAccount]:
    """Change-one with nothing known of replacements: a removal and an addition."""
    account = RegionAccount(workload.domain, Promise(replace(), workload.budget))
    times = Times()
    for region, cost in workload.questions(count):
        times.measure(lambda: account.admit(region, cost))  # noqa: B023
    return times, account


def dense(workload: w.Workload, count: int) -> Times:
    """The plainest exact program: a number for every record value and coordinate, sliced for every question."""
    loads = np.zeros((2, *workload.domain.shape))
    budget = [float(part) for part in workload.budget.vector()]
    times = Times()
    for region, cost in workload.questions(count):
        amounts = [float(part) for part in cost.vector()]

        def act() -> bool:
            index = tuple(slice(*codes[0]) for codes in region.boxes[0])  # noqa: B023
            parts = [loads[place][index] for place in range(2)]
            if any(part.max() + a > limit for part, a, limit in zip(parts, amounts, budget, strict=True)):  # noqa: B023
                return False
            for part, a in zip(parts, amounts, strict=True):  # noqa: B023
                part += a
            return True

        times.measure(act)
    return times


def flat(count: int) -> tuple[float, float]:
    """The median of the charges around the thousandth and around the last, on a dashboard far from the budget."""
    pool = list(w.DASHBOARD_FAR.questions(5000, seed=1))
    account = RegionAccount(w.THREE, Promise(rows(), w.DASHBOARD_FAR.budget.like([10**6, Fraction(1, 2)])))
    own = np.empty(count)
    for place in range(count):
        region, cost = pool[place % len(pool)]
        start = time.thread_time_ns()
        account.admit(region, cost)
        own[place] = time.thread_time_ns() - start
    return float(np.median(own[500:1500])) / 1e6, float(np.median(own[-1000:])) / 1e6


def opening(count: int) -> float:
    """Seconds to book so many charges of a ledger that is opened again."""
    pool = list(w.DASHBOARD_FAR.questions(5000, seed=1))
    account = RegionAccount(w.THREE, Promise(rows(), w.DASHBOARD_FAR.budget.like([10**6, Fraction(1, 2)])))
    charges = ((*pool[place % len(pool)], None) for place in range(count))
    start = time.thread_time()
    account.load(charges)
    return time.thread_time() - start


def saved() -> tuple[float, float]:
    """1,000 counts of a range of ages in a region at ε = 0.01: what the worst record loses, and the plain sum."""
    generator = np.random.default_rng(2)
    account = RegionAccount(w.THREE, Promise(rows(), Pure(epsilon=10)))
    cost = Pure(epsilon="0.01")
    for _ in range(1000):
        low, high = sorted(int(end) for end in generator.integers(0, 121, 2))
        place = int(generator.integers(0, 20))
        account.charge(Region.box(w.THREE, age=(low, high), region=f"r{place}"), cost)
    return float(account.worst()[0].epsilon), 10.0


def row(name: str, times: Times, account: RegionAccount | None, goals: str) -> str:
    exact = "–" if account is None else ("yes" if account.exact else "bracket")
    memory = "–" if account is None else f"{account.nbytes() / 1e6:.1f}"
    unproven = 100 * times.unproven / max(1, len(times.own))
    return (
        f"| {name} | {len(times.own):,} | {times.admitted:,} | {times.at(50):.3f} | {times.at(99):.2f} | "
        f"{max(times.own):.1f} | {float(np.median(times.wall)):.3f} | {exact} | {unproven:.1f}% | {memory} | {goals} |"
    )


def verdicts(checks: Iterable[tuple[str, float, float]]) -> list[str]:
    return [
        f"- {name}: {value:.3g} ({'reached' if value <= goal else 'NOT reached'}: ≤ {goal:g})"
        for name, value, goal in checks
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a tenth of the questions, and no file")
    quick = parser.parse_args().quick
    scale = 10 if quick else 1
    lines: list[str] = []
    checks: list[tuple[str, float, float]] = []

    def one(workload: w.Workload, count: int, median: float, high: float) -> tuple[Times, RegionAccount]:
        times, account = run(workload, count // scale)
        lines.append(row(workload.name, times, account, f"{median} / {high}"))
        checks.extend(
            [(f"{workload.name}, median ms", times.at(50), median), (f"{workload.name}, p99 ms", times.at(99), high)]
        )
        print(lines[-1], flush=True)
        return times, account

    _, mixed = one(w.MIXED, 10_000, 0.5, 5)
    checks.append(("365 x 20 x 100 mix, MB", mixed.nbytes() / 1e6, 50))
    plain = dense(w.MIXED, 1_000 // scale)
    lines.append(row("the same by one dense array (floats)", plain, None, "–"))
    one(w.DASHBOARD_THREE, 10_000, 0.3, 2)
    one(w.DASHBOARD_SIX, 10_000, 0.3, 2)
    one(w.RANGES, 100_000, 0.15, 1)
    one(w.WIDE_MIX, 10_000, 0.5, 30)
    one(w.CUBE_MIX, 10_000, 0.5, 30)
    six, account = one(w.SIX_WIDE, 3_000, 10, 150)
    lower, upper = account.bracket()
    checks.append(("six wide columns, share not proven in %", 100 * six.unproven / len(six.own), 5))

    far, _ = run(w.MIXED_FAR, 3_000 // scale)
    far_pairs, _ = run(w.MIXED_FAR, 3_000 // scale, change=True)
    near, _ = run(w.DASHBOARD_FAR, 3_000 // scale)
    near_pairs, _ = run(w.DASHBOARD_FAR, 3_000 // scale, change=True)
    for name, times, goals in (
        ("far from the budget, add/remove: mix", far, "–"),
        ("far from the budget, change-one: mix", far_pairs, "3 times"),
        ("far from the budget, add/remove: dashboard", near, "–"),
        ("far from the budget, change-one: dashboard", near_pairs, "3 times"),
    ):
        lines.append(row(name, times, None, goals))
        print(lines[-1], flush=True)
    checks.append(("change-one over add/remove, mix", far_pairs.at(50) / far.at(50), 3))
    checks.append(("change-one over add/remove, dashboard", near_pairs.at(50) / near.at(50), 3))
    edge, edge_account = run(w.DASHBOARD_THREE, 3_000 // scale, change=True)
    lines.append(row("change-one at the edge, counts: dashboard, 3 columns", edge, edge_account, "– / 60"))
    checks.append(("change-one at the edge, counts, p99 ms", edge.at(99), 60))
    blind, blind_account = generic(w.DASHBOARD_THREE, 3_000 // scale)
    lines.append(row("change-one at the edge, generic: dashboard, 3 columns", blind, blind_account, "– / 60"))
    checks.append(("change-one at the edge, generic, p99 ms", blind.at(99), 60))
    print(lines[-2], lines[-1], sep="\n", flush=True)

    thousandth, millionth = flat(1_000_000 // scale)
    checks.append(("the millionth charge over the thousandth", millionth / thousandth, 2))
    seconds = opening(1_000_000 // scale)
    checks.append(("seconds to open a ledger of a million charges", seconds, 10))
    worst, total = saved()

    many = "hundred-thousandth" if quick else "millionth"
    text = f"""# The region account

Written by `benchmarks/regions/run.py` on {datetime.now(UTC).date()}: {platform.machine()}, {os.cpu_count()} cores,
Python {platform.python_version()}, numpy {np.__version__}. Milliseconds for one admission, decision and booking
together, of this thread alone (so that other work on the machine does not count); the median on the wall clock is
beside it. Goals are median / 99th percentile.

| questions | asked | admitted | median | p99 | worst | median, wall | exact | not proven | MB | goals |
|---|---|---|---|---|---|---|---|---|---|---|
{chr(10).join(lines)}

Six wide columns: the largest loss of anybody lies between {lower} and {upper}.

A charge on a dashboard far from the budget: {thousandth:.3f} ms around the thousandth, {millionth:.3f} ms around
the {many}. Opening a ledger with as many charges: {seconds:.2f} s.

## What it saves

1,000 counts of a random range of ages in one of 20 regions at ε = 0.01: the worst record loses ε = {worst:.2f}; plain
summation, which is what every other library charges, books ε = {total:.2f}. Ratio {total / worst:.1f}.

## Goals

{chr(10).join(verdicts(checks))}
"""
    print(text)
    if not quick:
        RESULTS.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
