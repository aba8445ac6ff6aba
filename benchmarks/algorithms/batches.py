"""Gradient descent on all rows, on disjoint batches and on Poisson samples; and surveys beside a curator.

    python benchmarks/algorithms/batches.py [--runs 21]

Disjoint batches are paid once by parallel composition, samples by exact composition of the subsampled plan.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).resolve().parent))

import _results
import numpy as np

from partita.algorithms.choosing.survey import Survey
from partita.algorithms.learning.classifying.descent import Descent
from partita.algorithms.learning.lattice import Lattice
from partita.algorithms.learning.moments import UNIT
from partita.algorithms.learning.sums import spread
from partita.composition.calibration.pricing import Price

ROWS, TURNS = 40_000, 50
WAYS = {
    "all rows": {},
    "disjoint": {"batches": "disjoint"},
    "poisson, 1/50": {"batches": "poisson", "rate": "1/50"},
    "poisson, 1/5": {"batches": "poisson", "rate": "1/5"},
}


def batches(runs: int) -> str:
    draw = np.random.default_rng(0)
    rows = np.clip(draw.standard_normal((ROWS, 5)) / 4, -1, 1)
    labels = (draw.uniform(size=ROWS) < 1 / (1 + np.exp(-(rows @ [7.8, -10.4, 2.6, 5.2, -3.6] + 0.3)))).astype(float)
    train, test = slice(None, 3 * ROWS // 4), slice(3 * ROWS // 4, None)
    table = np.column_stack([rows, labels])
    box, norm = Lattice.of((-1, 1), features=5, steps=UNIT), float(np.sqrt(5))
    lines = []
    for epsilon in ("0.1", "1"):
        whole = None
        for name, options in WAYS.items():
            price = Price.of(epsilon=epsilon, delta="1e-6")
            plan = Descent.plan(box, 2, norm, price, turns=TURNS, radius=30.0, **options)
            noise = spread(plan.noisy.noise("gradient"))
            whole = whole or noise
            scores = []
            for _ in range(runs):
                found = plan.learn(table[train])
                slopes, level = np.array(found["coefficients"][0]), found["intercepts"][0]
                scores.append(float(np.mean((rows[test] @ slopes + level > 0) == labels[test])))
            lines.append([epsilon, name, f"{noise / whole:.3f}", f"{np.median(scores):.4f}"])
    return (
        f"Logistic regression by {TURNS} noisy gradient steps on {3 * ROWS // 4:,} rows of 5 features at δ = 1e-6: "
        f"noise on one gradient, relative to steps on all rows, and accuracy on {ROWS // 4:,} others; medians of "
        f"{runs} runs.\n\n" + _results.table(["ε", "batches", "noise", "accuracy"], lines)
    )


def surveys(runs: int) -> str:
    lines = []
    for answers, people in ((2, 10_000), (2, 1_000_000), (20, 100_000), (200, 100_000)):
        for epsilon in ("0.5", "2"):
            survey = Survey(range(answers), epsilon=epsilon)
            truth = np.minimum(np.random.default_rng(1).geometric(0.3, people) - 1, answers - 1).tolist()
            shares = np.bincount(truth, minlength=answers) / people
            off = [
                float(np.sqrt(np.mean((survey.estimate(survey.collect(truth)).values - shares) ** 2)))
                for _ in range(max(3, runs // 4) if people > 100_000 else runs)
            ]
            both = survey.beside_central(people)
            lines.append(
                [answers, f"{people:,}", epsilon, survey.encoding, f"{np.median(off):.5f}", f"{both.local:.5f}",
                 f"{both.central:.6f}", f"{both.local / both.central:.0f}"]
            )  # fmt: skip
    return (
        "Root mean square error of an estimated share, measured and as said beforehand, and what a trusted curator's "
        "noise would leave at the same ε for a changed answer.\n\n"
        + _results.table(["answers", "people", "ε", "encoding", "measured", "said", "curator", "ratio"], lines)
    )


def main() -> None:
    reading = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reading.add_argument("--runs", type=int, default=21)
    given = reading.parse_args()
    _results.write("Batches", Path(__file__).name, batches(given.runs))
    _results.write("Local and central", Path(__file__).name, surveys(given.runs))


if __name__ == "__main__":
    main()
