"""The region account of wide tables: time of one admission, how tight the bounds are, and whole questions.

    python benchmarks/regions/wide.py [--quick]

Writes WIDE.md beside this file. Times are those of this process alone, decision and booking together.
"""

from __future__ import annotations

import argparse
import os
import platform
import random
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

import partita as pt
from partita.composition.account import Limits, RegionAccount
from partita.composition.account.loads.allowance import sharing
from partita.composition.plans.promise import Promise
from partita.granularity import Granularity, replace, rows
from partita.region import Domain, Region, categories, integers
from partita.theory.measures.pure import Pure

LONGER = 20
"""How many times the usual work a search for a heavy value takes."""

RESULTS = Path(__file__).resolve().parent / "WIDE.md"


@dataclass(frozen=True)
class Stream:
    """Filters of one to four columns on a table: columns of 3, 6, 12 and 102 codes in turn.

    ``popular``: how much more often some columns are asked about (the exponent of Zipf's law; 0: all the same).
    ``asked``: only so many columns are asked about, if not all.
    """

    name: str
    columns: int
    popular: float
    share: int = 100
    asked: int | None = None
    narrow: bool = False

    def domain(self) -> Domain:
        kinds = [
            lambda: categories("a", "b", missing="a"),
            lambda: categories(*"abcde", missing="a"),
            lambda: categories(*"abcdefghijk", missing="a"),
            lambda: integers(0, 100),
        ]
        few = kinds[:2] if self.narrow else kinds
        return Domain({f"c{place}": few[place % len(few)]() for place in range(self.columns)})

    def regions(self, domain: Domain, count: int, seed: int = 0) -> list[Region]:
        generator = np.random.default_rng(seed)
        many = self.asked or self.columns
        chances = generator.permutation(1 / np.arange(1, many + 1) ** self.popular)
        found = []
        for _ in range(count):
            box = list(domain.everything)
            for axis in generator.choice(many, size=generator.integers(1, 5), replace=False, p=chances / chances.sum()):
                size = domain.shape[axis]
                low = int(generator.integers(0, size))
                high = int(generator.integers(0, size)) if size > 20 else low
                box[axis] = ((min(low, high), max(low, high) + 1),)
            found.append(Region(domain, (tuple(box),)))
        return found


@dataclass(frozen=True)
class Run:
    """What a stream came to."""

    times: list[float]
    admitted: list[bool]
    account: RegionAccount
    gaps: list[float]

    def row(self, name: str, stream: Stream, exact: Run | None = None) -> str:
        start = time.process_time()
        lower, upper = (float(loss.epsilon) for loss in self.account.bracket())  # type: ignore[attr-defined]
        reading = 1000 * (time.process_time() - start)
        of_exact = "–" if exact is None else f"{100 * sum(self.admitted) / sum(exact.admitted):.0f}%"
        near = sum(gap <= 1.1 for gap in self.gaps) / len(self.gaps)
        return (
            f"| {name} | {len(self.times):,} | {sum(self.admitted):,} | {of_exact} | {stream.share:,} | "
            f"{np.median(self.times):.2f} | {np.percentile(self.times, 99):.1f} | {max(self.times):.0f} | "
            f"{'exact' if self.account.exact else f'{upper / lower:.2f}'} | {reading:.0f} | {100 * near:.0f}% |"
        )


def run(stream: Stream, count: int, unit: Granularity, limits: Limits | None = None) -> Run:
    """Ask everything in turn; what fits is booked."""
    domain = stream.domain()
    account = RegionAccount(domain, Promise(unit, Pure(epsilon=1)), limits=limits)
    cost = Pure(epsilon=Fraction(1, stream.share))
    both = Pure(epsilon=0) if unit != rows() else None
    times, admitted, gaps = [], [], []
    for number, region in enumerate(stream.regions(domain, count), start=1):
        start = time.process_time()
        admitted.append(account.admit(region, cost, both))
        times.append(1000 * (time.process_time() - start))
        if number % (count // 10) == 0:
            gaps.append(gap(account))
    return Run(times, admitted, account, gaps)


def gap(account: RegionAccount) -> float:
    """The upper bound that decisions go by over the heaviest value that a long search meets."""
    _, upper = account.bracket()
    with sharing(account.engine.limits, LONGER):
        found = account.engine.highest(Region.everything(account.domain).boxes, 0)
    return float(upper.epsilon) / float(account.units.exact([found.lower])[0])  # type: ignore[attr-defined]


def whole_questions(columns: int, count: int) -> tuple[float, float, float, float, int]:
    """Seconds to open a curator, and to answer counts with three columns each; and how many were refused."""
    generator = random.Random(1)
    names = [f"c{place}" for place in range(columns)]
    table = pt.Table(
        "t",
        source=[{name: generator.randrange(10) for name in names} for _ in range(200)],
        columns={name: pt.integers(0, 9) for name in names},
    )
    pt.Curator(
        tables=[pt.Table("t", source=[{"a": 1}], columns={"a": pt.integers(0, 9)})],
        promises=[pt.Promise(pt.rows(), pt.Pure(epsilon=1))],
    ).close()
    start = time.process_time()
    curator = pt.Curator(tables=[table], promises=[pt.Promise(pt.rows(), pt.Pure(epsilon=1))])
    opening = time.process_time() - start
    times, refused = [], 0
    for _ in range(count):
        parts = [f"{name} = {generator.randrange(10)}" for name in generator.sample(names, 3)]
        start = time.process_time()
        try:
            curator.ask(f"SELECT COUNT(*) AS n FROM t WHERE {' AND '.join(parts)}", epsilon="0.02")
        except pt.BudgetExceeded:
            refused += 1
        times.append(time.process_time() - start)
    curator.close()
    return opening, float(np.median(times)), float(np.percentile(times, 99)), max(times), refused


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a tenth of the questions, and no file")
    quick = parser.parse_args().quick
    count = 100 if quick else 1000
    bounds = Limits(numbers=1)
    lines: list[str] = []

    def told(line: str) -> None:
        lines.append(line)
        print(line, flush=True)

    for stream in (
        Stream("55 columns, some popular", 55, 1),
        Stream("55 columns, all the same", 55, 0),
        Stream("200 columns, some popular", 200, 1),
        Stream("2,000 columns, some popular", 2000, 1),
    ):
        told(run(stream, count, rows()).row(stream.name, stream))
    small = Stream("20 columns, 7 asked about", 20, 0, asked=7, narrow=True)
    exact = run(small, count, rows())
    told(exact.row(f"{small.name}: exact", small, exact))
    told(run(small, count, rows(), bounds).row(f"{small.name}: bounds", small, exact))
    pairs = Stream("55 columns, some popular, change-one counts", 55, 1)
    told(run(pairs, count // 2, replace()).row(pairs.name, pairs))
    asked = 30 if quick else 300
    opening, median, high, worst, refused = whole_questions(55, asked)
    text = f"""# The region account of wide tables

Written by `benchmarks/regions/wide.py` on {datetime.now(UTC).date()}: {platform.machine()}, {os.cpu_count()} cores,
Python {platform.python_version()}, numpy {np.__version__}. Filters of one to four columns, each at one hundredth of
the budget; columns have 3, 6, 12 and 102 codes in turn. Milliseconds of this process for one admission, decision and
booking together; goals are 2 for the median and 25 for the 99th percentile. Plain summation, beside what is admitted,
is what every other library admits. The last three columns are the upper bound on the heaviest load over the heaviest
value that was met, milliseconds to read them, and at how many of ten checkpoints that bound is within 10% of the
heaviest value that a search of {LONGER} times the work meets.

| questions | asked | admitted | of exact | plain sum | median | p99 | worst | upper over lower | reading | within 10% |
|---|---|---|---|---|---|---|---|---|---|---|
{chr(10).join(lines)}

Whole questions through `Curator.ask`, {asked} counts with three columns each on a table of 55 columns: a median of
{median:.3f} s of this process, p99 {high:.3f}, at most {worst:.3f}, {refused} refused. Opening the curator takes
{opening:.2f} s.
"""
    print(text)
    if not quick:
        RESULTS.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
