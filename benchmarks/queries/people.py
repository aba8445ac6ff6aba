"""Owners, open keys and quantiles by the curator, beside plain DuckDB and other libraries, in one run.

    python benchmarks/queries/people.py [--rows 10000000] [--rounds 2] [--folder /var/tmp] [--alone] [--errors]

Q4: at most 10 rows and 3 regions of each user, GROUP BY region with unknown keys, δ = 1e-6; plain DuckDB bounds in the
same way, with a hash of its own. Q5: median and 0.9-quantile of income. One thread each, interleaved rounds. Times are
those of the calling thread's processor, so that other work on the machine does not count. Writes PEOPLE.md here; with
--errors the times that are in it are left as they are.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

import partita as pt
from partita.engine.duckdb import DuckDB
from partita.mechanisms.exponential import Exponential
from partita.query.exact.program import Histogram
from partita.query.language.aggregates import Quantile
from partita.query.language.expressions import Bounds, Value
from partita.query.quantiles.quantiles import Choice, companies

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(HERE.parent / "libraries"))

from _environments import python  # noqa: E402
from run import made, plain  # noqa: E402

Q4 = "SELECT region, COUNT(*) AS n, SUM(income) AS total FROM people GROUP BY region"
BOUNDED = """
SELECT region, COUNT(DISTINCT user_id), COUNT(*), SUM(income) FROM (
    SELECT *, DENSE_RANK() OVER (PARTITION BY user_id ORDER BY hash(user_id, region)) AS part FROM (
        SELECT *, ROW_NUMBER() OVER (PARTITION BY user_id ORDER BY hash(age, region, income, visits, day)) AS place
        FROM people
    ) WHERE place <= 10
) WHERE part <= 3 GROUP BY region
"""
Q5 = "SELECT QUANTILE_CONT(income, 0.5) AS half, QUANTILE_CONT(income, 0.9) AS high FROM people"
SHARES = (Fraction(1, 2), Fraction(9, 10))
HIGHEST = 200_000


def curator(path: Path, promise: pt.Promise) -> pt.Curator:
    """The table with regions as open keys; rows are read where they are."""
    table = pt.Table(
        "people",
        source=str(path),
        columns={
            "user_id": pt.identifier(),
            "age": pt.integers(0, 100, missing=0),
            "region": pt.text_keys(),
            "income": pt.integers(0, HIGHEST, missing=0),
            "visits": pt.integers(0, 50, missing=0),
            "day": pt.integers(0, 364, missing=0),
        },
    )
    return pt.Curator(tables=[table], promises=[promise], backend=DuckDB([table], threads=1, copied_below=0))


def cpu(work: Callable[[], object]) -> float:
    start = time.thread_time()
    work()
    return time.thread_time() - start


def beside(exact: Callable[[], object], ours: Callable[[int], object], rounds: int) -> tuple[float, float, float]:
    """Median seconds of both, and the median ratio, over interleaved rounds after one that warms up."""
    pairs = [(cpu(exact), cpu(lambda turn=turn: ours(turn))) for turn in range(rounds + 1)][1:]  # type: ignore[misc]
    first, second = ([pair[side] for pair in pairs] for side in (0, 1))
    return statistics.median(first), statistics.median(second), statistics.median(b / a for a, b in pairs)


def sample(path: Path, seed: int) -> np.ndarray[Any, Any]:
    """Two thousand incomes, the same for every library."""
    income = duckdb.sql(f"SELECT income FROM read_parquet('{path}')").fetchnumpy()["income"]
    return income[np.random.default_rng(seed).choice(len(income), 2_000, replace=False)]


# --- mechanisms beside each other ----------------------------------------------------------------------------------


def histogram(values: np.ndarray[Any, Any]) -> Histogram:
    return Histogram(*(part.astype(np.int64) for part in np.unique(values, return_counts=True)))


def by_choice(values: np.ndarray[Any, Any], shares: Sequence[Fraction], rho: float) -> list[float]:
    """Each quantile by itself, with its share of ρ."""
    return sorted(value for share in shares for value in _chosen(values, (share,), rho / len(shares), 0, HIGHEST))


def by_few(values: np.ndarray[Any, Any], shares: Sequence[Fraction], rho: float) -> list[float]:
    """Up to three at once: what the curator does."""
    plan = companies([Quantile(Value("income"), share) for share in shares])
    return sorted(value for _, few in plan for value in _chosen(values, few, rho / len(plan), 0, HIGHEST))


def _chosen(values: np.ndarray[Any, Any], few: tuple[Fraction, ...], rho: float, low: int, high: int) -> list[float]:
    mechanism = Exponential(epsilon=Fraction(math.sqrt(8 * rho)).limit_denominator(10**9))
    choice = Choice(Value("income"), few, Bounds(low, high, Fraction(1), nullable=False), mechanism)
    return [float(value) for value in choice.release(histogram(values))]


def by_halving(values: np.ndarray[Any, Any], shares: Sequence[Fraction], rho: float) -> list[float]:
    """The middle quantile first, then those below among the rows below it, and those above among the rest."""
    depth = math.ceil(math.log2(len(shares) + 1))

    def part(rows: np.ndarray[Any, Any], wanted: Sequence[Fraction], low: int, high: int) -> list[float]:
        if not wanted:
            return []
        middle = len(wanted) // 2
        share = wanted[middle]
        cut = int(_chosen(rows, (share,), rho / depth, low, high)[0])
        below = part(rows[rows < cut], [one / share for one in wanted[:middle]], low, max(low, cut - 1))
        above = part(rows[rows >= cut], [(one - share) / (1 - share) for one in wanted[middle + 1 :]], cut, high)
        return [*below, float(cut), *above]

    return part(values, list(shares), 0, HIGHEST)


def by_tree(values: np.ndarray[Any, Any], shares: Sequence[Fraction], rho: float, branches: int = 16) -> list[float]:
    """Counts of all nodes of a tree with Gaussian noise; each quantile by walking down."""
    levels = math.ceil(math.log(HIGHEST + 1, branches))
    noise = np.random.default_rng(len(values) + int(values[0])).normal
    sigma = math.sqrt(levels / (2 * rho))
    counts = [np.bincount(values // branches**level, minlength=branches ** (levels - level)) for level in range(levels)]
    noisy = [count + noise(0, sigma, len(count)) for count in counts]
    total, found = noisy[-1].sum(), []
    for share in shares:
        rest, node = float(share) * total, 0
        for level in range(levels - 1, -1, -1):
            children = noisy[level][node * branches : (node + 1) * branches] if level < levels - 1 else noisy[level]
            steps = np.cumsum(np.maximum(children, 0))
            place = min(int(np.searchsorted(steps, rest)), len(children) - 1)
            rest -= steps[place - 1] if place else 0
            node = (node * branches if level < levels - 1 else 0) + place
        found.append(float(min(node, HIGHEST)))
    return found


def ranks_off(values: np.ndarray[Any, Any], shares: Sequence[Fraction], found: Sequence[float]) -> list[float]:
    """How many rows lie between each answer and the exact quantile."""
    ordered = np.sort(values)
    off = []
    for share, value in zip(shares, found, strict=True):
        low, high = np.searchsorted(ordered, value), np.searchsorted(ordered, value, side="right")
        target = float(share) * len(values)
        off.append(max(low - target, target - high, 0.0))
    return off


def mechanisms(values: np.ndarray[Any, Any], repeats: int, what: str) -> list[str]:
    """Mean errors in rows. Halving is better for many quantiles, and wrong where many rows share a value."""
    kinds = {
        "up to three at once": by_few,
        "each by itself": by_choice,
        "halving": by_halving,
        "tree of counts": by_tree,
    }
    lines = [
        f"## Mechanisms: mean number of rows between answer and quantile, 2,000 {what}, ρ = 0.05 in total",
        "",
        f"| quantiles | {' | '.join(kinds)} |",
        f"|---|{'---|' * len(kinds)}",
    ]
    draws = np.random.default_rng(3)
    for count in (1, 2, 3, 9, 19):
        shares = [Fraction(place, count + 1) for place in range(1, count + 1)]
        row = []
        for answer in kinds.values():
            off = [ranks_off(one, shares, answer(one, shares, 0.05)) for one in _samples(values, repeats, draws)]
            row.append(f"{np.mean(off):.1f}")
        lines.append(f"| {count} | {' | '.join(row)} |")
    return [*lines, ""]


def _samples(values: np.ndarray[Any, Any], repeats: int, draws: np.random.Generator) -> list[np.ndarray[Any, Any]]:
    return [draws.choice(values, len(values)) for _ in range(repeats)]


# --- other libraries -------------------------------------------------------------------------------------------------


def other(name: str, path: Path, rounds: int, samples: int, repeats: int) -> dict[str, Any] | str:
    interpreter = python(name)
    if interpreter is None:
        return "does not install"
    script = HERE / "others" / f"quantiles_by_{name}.py"
    command = [str(interpreter), str(script), str(path), *map(str, (rounds, samples, repeats))]
    one_thread = dict.fromkeys(("POLARS_MAX_THREADS", "OMP_NUM_THREADS"), "1")
    ran = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | one_thread)
    if ran.returncode:
        return f"fails: {(ran.stderr.strip().splitlines() or ['no message'])[-1][:80]}"
    found: dict[str, Any] = json.loads(ran.stdout.strip().splitlines()[-1])
    return found


def errors(path: Path, samples: int, repeats: int, others: dict[str, dict[str, Any] | str]) -> list[str]:
    """Error and bias on two thousand rows, ε = 1 for both quantiles."""
    off = []
    for seed in range(samples):
        values = sample(path, seed)
        exact = [float(np.quantile(values, float(share), method="inverted_cdf")) for share in SHARES]
        rows = [{"income": int(value)} for value in values]
        table = pt.Table("few", rows, {"income": pt.integers(0, HIGHEST, missing=0)})
        ours = pt.Curator(tables=[table], promises=[pt.Promise(pt.rows(), pt.Pure(epsilon=10**6))])
        for turn in range(repeats):
            # Another price each time, or the stored answer would come back.
            (row,) = ours.ask(Q5.replace("people", "few"), epsilon=f"1.{turn:09d}").rows()
            off.append([float(row["half"]) - exact[0], float(row["high"]) - exact[1]])
    lines = [
        f"## Error of the two quantiles, {samples} samples of 2,000 incomes, {repeats} answers each, ε = 1 for both",
        "",
        "In units of income; ± is one standard error.",
        "",
        "| | root mean square at 0.5 | bias | root mean square at 0.9 | bias |",
        "|---|---|---|---|---|",
        f"| Partita | {_shown(off)} |",
    ]
    for name, answer in others.items():
        if isinstance(answer, str):
            lines.append(f"| {name} | {answer} | | | |")
        else:
            lines += [
                f"| {name} {answer['version']}{', ' * bool(how)}{how} | {_shown(found)} |"
                for how, found in answer["off"].items()
            ]
    return [*lines, ""]


def _shown(found: Sequence[Sequence[float]]) -> str:
    off, count = np.array(found), len(found)
    squares, bias = np.sqrt((off**2).mean(axis=0)), off.mean(axis=0)
    give, lean = (off**2).std(axis=0) / (2 * squares * math.sqrt(count)), off.std(axis=0) / math.sqrt(count)
    return " | ".join(f"{squares[k]:,.0f} ± {give[k]:,.0f} | {bias[k]:+,.0f} ± {lean[k]:,.0f}" for k in range(2))


def timings(path: Path, rows: int, rounds: int) -> list[str]:
    """Q4 and Q5 on the whole table."""
    base = plain(path)
    owners = curator(path, pt.Promise(pt.users("user_id", rows=10), pt.Approximate(epsilon=10**6, delta="0.5")))
    people = curator(path, pt.Promise(pt.rows(), pt.Pure(epsilon=10**6)))
    timed = {
        "Q4: 10 rows, 3 regions a user, unknown keys": beside(
            lambda: base.execute(BOUNDED).fetchall(),
            lambda turn: owners.ask(Q4, epsilon=f"1.{turn:03d}", delta="1e-6", groups_per_user=3).rows(),
            rounds,
        ),
        "Q5: two quantiles": beside(
            lambda: base.execute(Q5).fetchall(),
            lambda turn: people.ask(Q5, epsilon=f"1.{turn:03d}").rows(),
            rounds,
        ),
    }
    return [
        "# Owners, open keys and quantiles",
        "",
        (
            f"Written by `python benchmarks/queries/people.py` on {datetime.now(UTC):%Y-%m-%d}: "
            f"{platform.machine()}, Python {platform.python_version()}, DuckDB {duckdb.__version__}, "
            f"{rows:,} rows of parquet, one thread, processor time, medians of {rounds} "
            f"interleaved rounds."
        ),
        "",
        "| question | plain DuckDB | curator | ratio |",
        "|---|---|---|---|",
        *(f"| {name} | {one:.2f} s | {two:.2f} s | {ratio:.2f} |" for name, (one, two, ratio) in timed.items()),
        "",
    ]


def kept() -> list[str]:
    """The times of an earlier run."""
    return (HERE / "PEOPLE.md").read_text(encoding="utf-8").split("## Error of")[0].rstrip().splitlines()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--samples", type=int, default=4)
    parser.add_argument("--repeats", type=int, default=100, help="answers for each sample")
    parser.add_argument("--folder", type=Path, default=None)
    parser.add_argument("--alone", action="store_true", help="without other libraries")
    parser.add_argument("--errors", action="store_true", help="only the errors; the times are left as they are")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as made_here:
        path = made(options.folder or Path(made_here), options.rows)
        lines = kept() if options.errors else timings(path, options.rows, options.rounds)
        names = () if options.alone else ("opendp", "diffprivlib")
        timed = 0 if options.errors else 1
        others = {name: other(name, path, timed, options.samples, options.repeats) for name in names}
        lines += [
            f"Q5 by {name} {answer['version']}: {answer['time']:.2f} s of wall time."
            for name, answer in others.items()
            if not isinstance(answer, str) and timed
        ]
        values = sample(path, 0)
        lines += [
            "",
            *errors(path, options.samples, options.repeats, others),
            *mechanisms(values, options.repeats // 2, "incomes"),
            *mechanisms(values // 10_000 * 10_000, options.repeats // 2, "incomes rounded down to 10,000"),
        ]
    (HERE / "PEOPLE.md").write_text("\n".join(lines), encoding="utf-8")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
