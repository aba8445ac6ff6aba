"""Continual counting at ρ = 1/2 for one event: tree, square root and optimal factors, naive noise, OpenDP's tree.

    python benchmarks/algorithms/streams.py [--runs 20]

Root mean square error over all steps of a stream, the median over the runs (fewer for long streams: as many as make the
same number of steps, but two at least), all methods in each run; time is processor time a step, noise included. Naive
noise is what one does without correlated noise: fresh noise on every running count, or on every step's count, added up.
OpenDP's tree gets the whole stream at once and uses later blocks for earlier counts, which a stream cannot; what
matters to it is its best branching factor.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).resolve().parent))

import _results
import numpy as np
import opendp.prelude as dp

from partita.algorithms import ContinualCounter
from partita.algorithms.streams.factors import MOST_OPTIMISED
from partita.mechanisms.gaussian import GaussianNoise
from partita.theory.distance import Distance
from partita.theory.measures.zcdp import ZCDP

RHO = "0.5"
STEPS = [1 << 10, 1 << 12, 1 << 14, 1 << 16]
ARITIES = (2, 4, 16)


def naive(steps: int) -> dict[str, Callable[[np.ndarray], np.ndarray]]:
    """Noise on every running count: one event moves all of them. Or noise on every step: errors add up."""
    each = GaussianNoise.for_budget(ZCDP(rho=RHO), Distance.l2_squared(steps))
    step = GaussianNoise.for_budget(ZCDP(rho=RHO), Distance.l2(1))
    return {
        "naive: noise on every running count": lambda counts: each.release(np.cumsum(counts)).astype(float),
        "naive: noise on every step": lambda counts: np.cumsum(step.release(counts)).astype(float),
    }


def opendp_tree(steps: int, arity: int) -> Callable[[np.ndarray], np.ndarray]:
    space = dp.vector_domain(dp.atom_domain(T=int), size=steps), dp.l2_distance(T=int)
    tree = dp.t.make_b_ary_tree(*space, leaf_count=steps, branching_factor=arity)
    scale = dp.binary_search_param(lambda s: tree >> dp.m.then_gaussian(s), d_in=1, d_out=float(RHO))
    measure = tree >> dp.m.then_gaussian(scale)
    consistent = dp.t.make_consistent_b_ary_tree(branching_factor=arity, TIA=int, TOA=float)
    return lambda counts: np.cumsum(np.array(consistent(measure(counts.tolist()))))


def stream(counter: ContinualCounter) -> Callable[[np.ndarray], np.ndarray]:
    def run(counts: np.ndarray) -> np.ndarray:
        opened = counter.open()
        return np.array([opened.push(int(count)) for count in counts])

    return run


def main() -> None:
    given = argparse.ArgumentParser()
    given.add_argument("--runs", type=int, default=20)
    given.add_argument("--most", type=int, default=STEPS[-1])
    chosen = given.parse_args()
    dp.enable_features("contrib", "honest-but-curious")
    lines, ratios = [], []
    for steps in (count for count in STEPS if count <= chosen.most):
        counts = np.random.default_rng(steps).poisson(20, steps).astype(np.int64)
        truth = np.cumsum(counts)
        makers = naive(steps)
        predicted: dict[str, float] = {}
        methods = ["tree", "square root"] + (["optimal"] if steps <= MOST_OPTIMISED else [])
        for method in methods:
            counter = ContinualCounter(steps, rho=RHO, method=method)
            makers[f"Partita, {method}"], predicted[f"Partita, {method}"] = stream(counter), counter.deviation()
        for arity in ARITIES:
            makers[f"OpenDP tree, {arity} parts"] = opendp_tree(steps, arity)
        errors: dict[str, list[float]] = {name: [] for name in makers}
        times: dict[str, list[float]] = {name: [] for name in makers}
        for _ in range(max(2, chosen.runs * STEPS[0] // steps)):
            for name, make in makers.items():
                start = time.process_time()
                found = make(counts)
                times[name].append((time.process_time() - start) / steps)
                errors[name].append(float(np.sqrt(np.mean((found - truth) ** 2))))
        medians = {name: float(np.median(values)) for name, values in errors.items()}
        best = min(value for name, value in medians.items() if name.startswith("OpenDP"))
        for name in makers:
            lines.append(
                [
                    f"{steps:,}",
                    name,
                    f"{medians[name]:.2f}",
                    f"{predicted[name]:.2f}" if name in predicted else "–",
                    f"{medians[name] / medians['Partita, square root']:.2f}",
                    f"{np.median(times[name]) * 1e6:.1f} µs",
                ]
            )
        ours = medians["Partita, square root"]
        ratios.append(
            f"{steps:,} steps: square root {ours / medians['Partita, tree']:.2f} of the tree, {ours / best:.2f} of "
            f"OpenDP's best tree, {ours / medians['naive: noise on every step']:.3f} of naive noise"
        )
        print(ratios[-1], file=sys.stderr, flush=True)
    head = ["steps", "how", "median error", "predicted", "over the square root's", "time a step"]
    text = _results.table(head, lines) + "\n\n" + "; ".join(ratios) + "."
    _results.write("Streams", "streams.py", text)


if __name__ == "__main__":
    main()
