"""10,000 adaptive queries over 4,096 cells at (1, 1e-6) by online multiplicative weights: within the bound, and free.

    python benchmarks/algorithms/conversation.py [--runs 20]

The peer is what answering every query by itself would take: Gaussian noise for 10,000 queries, composed exactly.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).resolve().parent))

import _results
import numpy as np

from partita.algorithms import OnlineMultiplicativeWeights
from partita.composition.calibration.calibrate import calibrate
from partita.errors import BudgetExceeded
from partita.mechanisms.gaussian import GaussianNoise

CELLS, QUERIES, ROWS = 4096, 10_000, 2_000_000
BUDGET = {"epsilon": 1, "delta": "1e-6"}


def queries(seed: int):
    """Ranges, parities and random sets, the next one depending on the last answer."""
    draw = np.random.default_rng(seed)
    place = np.arange(CELLS)
    last = 0.0
    for turn in range(QUERIES):
        match (turn + int(abs(last))) % 3:
            case 0:
                low, high = sorted(draw.integers(0, CELLS, 2))
                query = (place >= low) & (place <= high)
            case 1:
                query = np.bitwise_count(place & int(draw.integers(1, CELLS))) % 2 == 1
            case _:
                query = draw.random(CELLS) < draw.random()
        last = yield query.astype(np.int64)


def talk(offer: OnlineMultiplicativeWeights, counts: np.ndarray, seed: int) -> tuple[int, float, float, float]:
    start = time.thread_time()
    conversation, worst = offer.open(counts), 0.0
    asking = queries(seed)
    query = next(asking)
    try:
        while True:
            reply = conversation.ask(query)
            worst = max(worst, abs(reply.value - float(query @ counts)))
            query = asking.send(reply.value)
    except (StopIteration, BudgetExceeded):
        pass
    return len(conversation.replies), conversation.free, worst, time.thread_time() - start


def main() -> None:
    given = argparse.ArgumentParser()
    given.add_argument("--runs", type=int, default=20)
    runs = given.parse_args().runs
    draw = np.random.default_rng(1)
    place = np.arange(CELLS)
    shares = np.exp(-0.5 * ((place - 1500) / 600) ** 2) + 0.3 * np.exp(-0.5 * ((place - 3200) / 150) ** 2)
    counts = draw.multinomial(ROWS, shares / shares.sum())
    alone = calibrate(GaussianNoise, count=QUERIES, **BUDGET)
    rows = []
    sessions = {"guaranteed to last": {}, "800 updates, threshold 2.5%": {"updates": 800, "threshold": ROWS // 40}}
    for name, more in sessions.items():
        offer = OnlineMultiplicativeWeights(CELLS, rows=ROWS, queries=QUERIES, **BUDGET, **more)
        found = [talk(offer, counts, seed) for seed in range(runs)]
        print(name, found[0], file=sys.stderr, flush=True)
        within = sum(worst <= offer.bound() for _, _, worst, _ in found)
        rows.append(
            [
                name,
                offer.updates,
                f"{offer.bound() / ROWS:.2%}",
                f"{np.median([worst for _, _, worst, _ in found]) / ROWS:.2%}",
                f"{within} of {runs}",
                f"{min(answered for answered, *_ in found):,}",
                f"{np.median([free for _, free, _, _ in found]):.2%}",
                f"{1000 * np.median([spent / answered for answered, _, _, spent in found]):.2f} ms",
            ]
        )
    head = ["session", "updates", "bound", "worst error", "runs within", "answered at least", "free", "one query"]
    text = _results.table(head, rows)
    text += (
        f"\n\n{runs} runs of {QUERIES:,} queries, {ROWS:,} rows; errors as shares of the rows. Goals: all within the "
        f"bound, at least 90% free. For comparison: answering all of them with Gaussian noise has a standard deviation "
        f"of {float(alone.sigma) / ROWS:.3%} each, and leaves no histogram behind."
    )
    _results.write("Online multiplicative weights", "conversation.py", text)


if __name__ == "__main__":
    main()
