"""Times quotes and answers against books that ragged questions fill, where deciding takes more than pricing.

python benchmarks/effort/deciding.py [questions] [rho]
"""

from __future__ import annotations

import os
import resource
import sys
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).resolve().parent))

from hostile import tables

import partita as pt
from partita.errors import PartitaError

COLUMNS = 24
UNITS = {"rows": pt.rows(), "replace": pt.replace()}


def listed(k: int) -> str:
    """600 pairs of values of two columns, other columns each time: 97 boxes."""
    pairs = ", ".join(f"({i * (k + 3) % 97}, {i * (7 + k) % 97})" for i in range(600))
    return f"(c{k % COLUMNS}, c{(5 * k + 1) % COLUMNS}) IN ({pairs})"


def halved(k: int) -> str:
    """One column each time: the cuts of all columns multiply."""
    return f"c{k % COLUMNS} <= {20 + k}"


def cornered(k: int) -> str:
    """A corner of all columns."""
    return " AND ".join(f"c{axis} <= {(20 + 7 * k + 3 * axis) % 90}" for axis in range(COLUMNS))


CONDITIONS: dict[str, Callable[[int], str]] = {"pairs": listed, "halves": halved, "corners": cornered}


def seconds(act: Callable[[], object]) -> float:
    """Processor time of something that may be refused."""
    start = time.process_time()
    try:
        act()
    except PartitaError as problem:
        if "over-budget" not in problem.code:
            raise
    return time.process_time() - start


def main() -> None:
    warnings.simplefilter("ignore")
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    rho = sys.argv[2] if len(sys.argv) > 2 else "1000"
    for unit, granularity in UNITS.items():
        for name, condition in CONDITIONS.items():
            curator = pt.Curator(tables=tables(), promises=[pt.Promise(granularity, pt.ZCDP(rho=rho, delta="1e-6"))])
            quote = answer = 0.0
            for k in range(count):
                text = f"SELECT COUNT(*) AS n FROM many WHERE {condition(k)}"
                quote = max(quote, seconds(partial(curator.quote, text, rho="0.001")))
                answer = max(answer, seconds(partial(curator.ask, text, rho="0.001")))
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
            print(f"| {unit} | {name} | {count} | {quote:.2f} | {answer:.2f} | {memory} |", flush=True)


if __name__ == "__main__":
    main()
