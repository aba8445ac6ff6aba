"""Synthetic data on a table of ten columns at (1, 1e-6): Partita's adaptive marginals and the reference one on mbi.

    python benchmarks/algorithms/synthesis.py [--runs 20] [--all-mbi]

Mean total variation over all tables of three columns between true and synthetic rows; medians over the runs, both in
each run, on the same rows, workload, ρ and limit of the model's size. The reference mechanism is AIM as its authors
publish it (one-column tables first, a tenth of ρ for choices, noise halved when a table brought little), with the noise
of numpy. Its last model and its rows are mbi's own. The models between rounds solve the same convex problem by the same
descent, and mbi compiles a program anew for each of them, which takes ten times as long as all the rest: they are
fitted by Partita's solver, unless --all-mbi is given.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import warnings
from itertools import combinations
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).resolve().parent))

import _results
import jax
import numpy as np

jax.config.update("jax_enable_x64", True)
warnings.filterwarnings("ignore")

import mbi  # noqa: E402

from partita.algorithms import AdaptiveMarginals  # noqa: E402
from partita.algorithms.graphical import GraphicalModel, Observed, fitted  # noqa: E402
from partita.algorithms.junction import JunctionTree  # noqa: E402

SIZES = {"a": 2, "b": 2, "c": 3, "d": 4, "e": 5, "f": 6, "g": 8, "h": 10, "i": 12, "j": 16}
NAMES = tuple(SIZES)
ROWS, CELLS, STEPS = 20_000, 1 << 15, 100


def made_up(seed: int) -> np.ndarray:
    """Rows from a random network: each column depends on the one before and on the third before."""
    draw = np.random.default_rng(seed)
    rows = np.zeros((ROWS, len(NAMES)), dtype=np.int64)
    for place, size in enumerate(SIZES.values()):
        parents = [before for before in (place - 1, place - 3) if before >= 0]
        given = np.zeros(ROWS, dtype=int)
        for before in parents:
            given = given * SIZES[NAMES[before]] + rows[:, before]
        table = draw.dirichlet(np.full(size, 0.6), size=int(given.max()) + 1)
        rows[:, place] = (np.cumsum(table, axis=1)[given] < draw.random(ROWS)[:, None]).sum(axis=1).clip(0, size - 1)
    return rows


def distance(first: np.ndarray, second: np.ndarray) -> float:
    """The mean total variation over all tables of three columns."""
    return float(np.mean([np.abs(shares(first, t) - shares(second, t)).sum() / 2 for t in combinations(range(10), 3)]))


def shares(rows: np.ndarray, table: tuple[int, ...]) -> np.ndarray:
    return histogram(rows, table) / len(rows)


def histogram(rows: np.ndarray, table: tuple[int, ...]) -> np.ndarray:
    places, cells = np.zeros(len(rows), dtype=np.int64), 1
    for column in table:
        places, cells = places * SIZES[NAMES[column]] + rows[:, column], cells * SIZES[NAMES[column]]
    return np.bincount(places, minlength=cells)


class Between:
    """The model between rounds, by mbi or by the solver here: what both need is its tables."""

    def __init__(self, offer: AdaptiveMarginals, *, by_mbi: bool) -> None:
        self.axes, self.by_mbi, self.model, self.warm = offer.axes, by_mbi, None, None

    def fit(self, domain: mbi.Domain, measured: list[mbi.LinearMeasurement]) -> None:
        if self.by_mbi:
            self.warm = mbi.estimation.MirrorDescent().estimate(domain, measured, iters=STEPS, warm_start=self.warm)
            potentials = {tuple(c): np.asarray(self.warm.potentials[c].values) for c in self.warm.potentials.cliques}
            self.model = GraphicalModel(self.axes, potentials, float(self.warm.total))
            return
        seen = [Observed(one.clique, np.asarray(one.noisy_measurement), float(one.stddev)) for one in measured]
        start = None if self.model is None else self.model.potentials
        self.model = fitted(self.axes, seen, start=start, steps=STEPS)

    def table(self, table: tuple[str, ...]) -> np.ndarray:
        return self.model.table(table).ravel()


def reference(rows: np.ndarray, offer: AdaptiveMarginals, rho: float, seed: int, *, by_mbi: bool) -> np.ndarray:
    """The reference mechanism: the same tables and weights, float noise, mbi's last model and rows."""
    draw = np.random.default_rng(seed)
    domain = mbi.Domain(NAMES, tuple(SIZES.values()))
    exact = {table: histogram(rows, tuple(NAMES.index(n) for n in table)) for table in offer.weights}
    rounds = 16 * len(NAMES)
    sigma, epsilon = np.sqrt(rounds / (2 * 0.9 * rho)), np.sqrt(8 * 0.1 * rho / rounds)
    measured, used = [], 0.0

    def measure(table):
        noisy = exact[table] + draw.normal(0, sigma, len(exact[table]))
        measured.append(mbi.LinearMeasurement(noisy, table, float(sigma)))

    for name in NAMES:
        measure((name,))
        used += 0.5 / sigma**2
    model = Between(offer, by_mbi=by_mbi)
    model.fit(domain, measured)
    last = False
    while not last:
        if rho - used < 2 * (0.5 / sigma**2 + epsilon**2 / 8):
            left = rho - used
            sigma, epsilon, last = np.sqrt(1 / (2 * 0.9 * left)), np.sqrt(8 * 0.1 * left), True
        used += epsilon**2 / 8 + 0.5 / sigma**2
        limit = CELLS * used / rho
        known = [one.clique for one in measured]
        tree = JunctionTree.over(offer.axes, known)
        candidates = [
            table
            for table in offer.weights
            if tree.home(table) is not None or JunctionTree.over(offer.axes, [*known, table]).cells(offer.axes) <= limit
        ]
        bias = np.sqrt(2 / np.pi) * sigma
        scores = np.array(
            [
                offer.weights[table] * (np.abs(exact[table] - model.table(table)).sum() - bias * len(exact[table]))
                for table in candidates
            ]
        )
        chances = np.exp(epsilon / (2 * max(offer.weights.values())) * (scores - scores.max()))
        table = candidates[draw.choice(len(candidates), p=chances / chances.sum())]
        before = model.table(table)
        measure(table)
        model.fit(domain, measured)
        after = model.table(table)
        if np.abs(after - before).sum() <= bias * len(before):
            sigma, epsilon = sigma / 2, epsilon * 2
    np.random.seed(seed)  # noqa: NPY002
    made = mbi.estimation.MirrorDescent().estimate(domain, measured, iters=5 * STEPS).synthetic_data()
    data = made.to_dict() if hasattr(made, "to_dict") else {name: np.asarray(made.data[name]) for name in NAMES}
    return np.stack([np.asarray(data[name]) for name in NAMES], axis=1).astype(np.int64)


def main() -> None:
    given = argparse.ArgumentParser()
    given.add_argument("--runs", type=int, default=20)
    given.add_argument("--all-mbi", action="store_true")
    chosen = given.parse_args()
    runs = chosen.runs
    found: dict[str, list[float]] = {"Partita": [], "reference on mbi": []}
    times: dict[str, list[float]] = {name: [] for name in found}
    floor = []
    for seed in range(runs):
        rows = made_up(seed)
        offer = AdaptiveMarginals(SIZES, degree=3, epsilon=1, delta="1e-6", cells=CELLS, steps=STEPS)
        for name in found:
            start = time.perf_counter()
            if name == "Partita":
                codes = offer.release(rows, progress=False).codes
            else:
                codes = reference(rows, offer, float(offer.rho), seed, by_mbi=chosen.all_mbi)
            times[name].append(time.perf_counter() - start)
            found[name].append(distance(rows, codes))
        draw = np.random.default_rng(seed)
        floor.append(distance(rows, rows[draw.integers(0, ROWS, ROWS)]))
        print(seed, {name: round(values[-1], 4) for name, values in found.items()}, file=sys.stderr, flush=True)
    rows_of = [
        [name, f"{np.median(values):.4f}", f"{min(values):.4f} to {max(values):.4f}", f"{np.median(times[name]):.1f} s"]
        for name, values in found.items()
    ]
    rows_of.append(["another sample of the same rows", f"{np.median(floor):.4f}", "", ""])
    text = _results.table(["synthetic rows by", "median distance", "range", "median time, wall"], rows_of)
    ratio = float(np.median(np.array(found["Partita"]) / np.array(found["reference on mbi"])))
    text += (
        f"\n\n{runs} runs on {ROWS:,} rows, {len(offer.tables)} tables of three columns, model of at most {CELLS:,} "
        f"cells, {STEPS} steps of inference a round, {'by mbi' if chosen.all_mbi else 'by the solver here'}. "
        f"Median ratio to the reference mechanism: {ratio:.3f} (goal: at most 1)."
    )
    _results.write("Synthetic data", "synthesis.py", text)


if __name__ == "__main__":
    main()
