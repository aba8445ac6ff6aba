"""Noise a second: Partita's exact samplers, numpy's unsafe floats and OpenDP, interleaved in one process.

    python benchmarks/noise/run.py [--rounds 7] [--samples 1000000]

Writes RESULTS.md beside this file. OpenDP is a development extra (`pip install opendp`); without it its column
is empty and its goals are not judged.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import sys
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from partita.sampling import discrete_gaussian, entropy, geometric, rounded

RESULTS = Path(__file__).with_name("RESULTS.md")
OPENDP_SAMPLES = 20_000  # OpenDP is slow; its rate does not depend on the number


@dataclass
class Contestant:
    """One way to draw noise: how many samples a run makes, and the times of its runs."""

    run: Callable[[], object]
    samples: int
    seconds: list[float] = field(default_factory=list)

    def measure(self) -> None:
        start = time.perf_counter()
        self.run()
        self.seconds.append(time.perf_counter() - start)

    @property
    def rate(self) -> float:
        return self.samples / statistics.median(self.seconds)


def opendp_noise(kind: str, scale: float) -> Contestant | None:
    try:
        import opendp.prelude as dp
    except ImportError:
        return None
    dp.enable_features("contrib")
    # Integers in a vector, as here; its Laplace is geometric noise and its Gaussian the discrete Gaussian.
    space = (
        dp.vector_domain(dp.atom_domain(T=int)),
        (dp.l1_distance(T=int) if kind == "laplace" else dp.l2_distance(T=float)),
    )
    make = dp.m.make_laplace if kind == "laplace" else dp.m.make_gaussian
    release = make(*space, scale=scale)
    zeros = [0] * OPENDP_SAMPLES
    return Contestant(lambda: release(zeros), OPENDP_SAMPLES)


def contest(kind: str, scale: int, samples: int, rounds: int) -> dict[str, Contestant | None]:
    bits, generator = entropy.system(), np.random.default_rng()
    ours, theirs, discrete = {
        "laplace": (rounded.laplace, generator.laplace, geometric.geometric),
        "gaussian": (rounded.gaussian, generator.normal, discrete_gaussian.discrete_gaussian),
    }[kind]
    parameter = scale if kind == "laplace" else scale * scale
    found = {
        "rounded": Contestant(lambda: ours(scale, samples, bits=bits), samples),
        "discrete": Contestant(lambda: discrete(parameter, samples, bits=bits), samples),
        "numpy": Contestant(lambda: theirs(0.0, float(scale), samples), samples),
        "opendp": opendp_noise(kind, float(scale)),
    }
    for contestant in found.values():
        if contestant is not None:
            contestant.run()  # the first run makes tables and warms caches
    for _ in range(rounds):
        for contestant in found.values():
            if contestant is not None:
                contestant.measure()
    return found


def peak_bytes(kind: str, scale: int, samples: int) -> float:
    draw = rounded.laplace if kind == "laplace" else rounded.gaussian
    bits = entropy.system()
    draw(scale, samples, bits=bits)
    tracemalloc.start()
    draw(scale, samples, bits=bits)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / samples


def first_draw(kind: str, number: int, size: int) -> float:
    """Milliseconds for the first request of a scale never seen before: its table is made."""
    draw = rounded.laplace if kind == "laplace" else rounded.gaussian
    times = []
    for i in range(7):
        start = time.perf_counter()
        draw(number + i, size, bits=entropy.system())
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1e3


def words_a_second(rounds: int) -> tuple[float, float]:
    count = 1_000_000
    ours = Contestant(lambda: entropy.system().words(count), count)
    plain = Contestant(lambda: np.frombuffer(os.urandom(8 * count), dtype=np.uint64), count)
    for _ in range(rounds):
        ours.measure()
        plain.measure()
    return ours.rate, plain.rate


def millions(rate: float) -> str:
    return f"{rate / 1e6:.3g} M"


def judged(value: float, goal: float, *, least: bool = True) -> str:
    return f"{value:.3g} ({'reached' if (value >= goal) == least else 'MISSED'}: {'≥' if least else '≤'} {goal:g})"


def report(samples: int, rounds: int) -> str:
    rows, checks = [], []
    for kind in ("gaussian", "laplace"):
        for scale in (10, 100, 1000, 10**6, 10**12):
            found = contest(kind, scale, samples, rounds)
            ours, discrete, plain, peer = (found[name] for name in ("rounded", "discrete", "numpy", "opendp"))
            assert ours is not None
            assert discrete is not None
            assert plain is not None
            against = ours.rate / peer.rate if peer else float("nan")
            memory = peak_bytes(kind, scale, samples)
            rows.append(
                f"| {kind} | {scale:.0e} | {millions(ours.rate)} | {millions(discrete.rate)} | "
                f"{millions(plain.rate)} | {millions(peer.rate) if peer else '–'} | {ours.rate / plain.rate:.2f} | "
                f"{against:,.0f} | {memory:.1f} |"
            )
            if scale in (100, 10**6):
                goal = 0.3 if scale == 100 else 0.1
                checks.append(f"- {kind}, scale {scale:g}, times numpy: {judged(ours.rate / plain.rate, goal)}")
                checks.append(
                    f"- {kind}, scale {scale:g}, bytes a sample at the peak: {judged(memory, 64, least=False)}"
                )
            if scale == 100 and peer:
                checks.append(f"- {kind}, scale 100, times OpenDP: {judged(against, 200)}")
    stream, system = words_a_second(rounds)
    first = "\n".join(
        f"| {kind} | {scale:,} | {first_draw(kind, scale, 1):.2f} | {first_draw(kind, 2 * scale, 100_000):.2f} |"
        for kind in ("gaussian", "laplace")
        for scale in (3, 90, 10**6, 10**9)
    )
    version = "not installed"
    if "opendp" in sys.modules:
        from importlib.metadata import version as installed

        version = installed("opendp")
    return f"""# Noise: samples a second

Written by `benchmarks/noise/run.py` on {datetime.now(UTC).date()}: {platform.machine()}, {os.cpu_count()} cores, \
Python {platform.python_version()}, numpy {np.__version__}, OpenDP {version}. One thread, {samples:,} samples a run \
({OPENDP_SAMPLES:,} for OpenDP), medians of {rounds} interleaved rounds. "rounded" and "discrete" are Partita's exact \
samplers on bits of the operating system; numpy's generator gives unsafe floats from bits that are not secret.

| shape | scale | rounded | discrete | numpy | OpenDP | rounded / numpy | rounded / OpenDP | peak bytes a sample |
|---|---|---|---|---|---|---|---|---|
{chr(10).join(rows)}

## Goals

{chr(10).join(checks)}

## Random bits

AES-256 in counter mode under a fresh key for each request: {millions(stream)} words a second; `os.urandom` alone: \
{millions(system)}. Ratio {stream / system:.1f}.

## The first request of a new scale, in milliseconds (its table is made)

| shape | scale | one draw | 100,000 draws |
|---|---|---|---|
{first}
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--samples", type=int, default=1_000_000)
    options = parser.parse_args()
    text = report(options.samples, options.rounds)
    RESULTS.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
