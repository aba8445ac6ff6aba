"""1,000 random range queries over 1,024 values at (1, 1e-6): independent noise, OpenDP's tree, Partita's strategies.

    python benchmarks/algorithms/ranges.py [--runs 40]

Root mean square error over the queries; the median over the runs, all libraries in each run. OpenDP's tree has Laplace
noise only; its branching factor is the best of several for it.
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
import opendp.prelude as dp

from partita.algorithms import LinearQueries, Workload
from partita.mechanisms.gaussian import GaussianNoise
from partita.theory.distance import Distance
from partita.theory.measures.approximate import Approximate

CELLS, QUERIES = 1024, 1000
BUDGET = {"epsilon": 1, "delta": "1e-6"}


def opendp_tree(arity: int):
    space = dp.vector_domain(dp.atom_domain(T=int), size=CELLS), dp.l1_distance(T=int)
    tree = dp.t.make_b_ary_tree(*space, leaf_count=CELLS, branching_factor=arity)
    scale = dp.binary_search_param(lambda s: tree >> dp.m.then_laplace(s), d_in=1, d_out=1.0)
    measure = tree >> dp.m.then_laplace(scale)
    consistent = dp.t.make_consistent_b_ary_tree(branching_factor=arity, TIA=int, TOA=float)
    return lambda counts: np.array(consistent(measure(counts.tolist())))


def main() -> None:
    given = argparse.ArgumentParser()
    given.add_argument("--runs", type=int, default=40)
    runs = given.parse_args().runs
    dp.enable_features("contrib", "honest-but-curious")
    draw = np.random.default_rng(0)
    pairs = np.sort(draw.integers(0, CELLS, (QUERIES, 2)), axis=1)
    workload = Workload.ranges(CELLS, pairs.tolist())
    counts = np.round(20_000 * np.exp(-(((np.arange(CELLS) - 400) / 150) ** 2)) / 100).astype(np.int64) + 3
    truth = workload.matrix @ counts
    overlap = int(workload.matrix.sum(axis=0).max())
    independent = GaussianNoise.for_budget(Approximate(**BUDGET), Distance.l2_squared(overlap))

    makers = {"independent Gaussian noise": lambda: independent.release(truth.astype(np.int64)).astype(float)}
    for arity in (2, 4, 8, 16, 32):
        tree = opendp_tree(arity)
        makers[f"OpenDP tree, {arity} parts"] = lambda tree=tree: workload.matrix @ tree(counts)
    predicted: dict[str, float] = {"independent Gaussian noise": float(independent.sigma)}
    chosen: dict[str, float] = {}
    for strategy in ("cells", "tree", "optimal", "best"):
        start = time.thread_time()
        queries = LinearQueries(workload, strategy=strategy, **BUDGET)
        name = f"Partita, {strategy}"
        chosen[name], predicted[name] = time.thread_time() - start, queries.rmse()
        makers[name] = lambda queries=queries: queries.release(counts).answers
    errors: dict[str, list[float]] = {name: [] for name in makers}
    for _ in range(runs):
        for name, make in makers.items():
            errors[name].append(float(np.sqrt(np.mean((make() - truth) ** 2))))
    medians = {name: float(np.median(found)) for name, found in errors.items()}
    base = medians["independent Gaussian noise"]
    rows = [
        [
            name,
            f"{medians[name]:.2f}",
            f"{predicted[name]:.2f}" if name in predicted else "–",
            f"{medians[name] / base:.3f}",
            f"{chosen[name]:.1f} s" if name in chosen else "–",
        ]
        for name in makers
    ]
    theirs = min(value for name, value in medians.items() if name.startswith("OpenDP"))
    ours = medians["Partita, best"]
    text = _results.table(["how", "median error", "predicted", "share of independent", "choosing the strategy"], rows)
    text += (
        f"\n\n{runs} runs. The best strategy has {ours / base:.3f} of the error of independent noise (goal: at most "
        f"0.5) and {ours / theirs:.3f} of that of OpenDP's best tree (goal: at most 1)."
    )
    _results.write("Range queries", "ranges.py", text)


if __name__ == "__main__":
    main()
