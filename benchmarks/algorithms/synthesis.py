"""Synthetic data on a table of ten columns at (1, 1e-6): Partita's adaptive marginals and the reference one on mbi.

    python benchmarks/algorithms/synthesis.py [--runs 20] [--first 0] [--all-mbi]

Mean total variation over all tables of three columns between true and synthetic rows; medians over the runs, all in
each run, on the same rows, workload, ρ and limit of the model's size. The reference mechanism is AIM as its authors
publish it (one-column tables first, a tenth of ρ for choices, noise halved when a table brought little), with the noise
of numpy; its last model, a thousand steps from where the last round ended, and its rows are mbi's own. The models
between rounds solve the same convex problem by the same descent, and mbi compiles a program anew for each of them,
which takes ten times as long as all the rest: they are fitted by Partita's solver, unless --all-mbi is given.

What is found is kept run by run in .synthesis.jsonl, so that a stopped benchmark goes on where it was; a change of the
algorithm or of the settings begins anew.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
import time
import warnings
from collections.abc import Callable
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
from partita.algorithms.synthetic import exchange, graphical, junction, synthesis  # noqa: E402
from partita.algorithms.synthetic.graphical import GraphicalModel, Observed, fitted  # noqa: E402
from partita.algorithms.synthetic.junction import JunctionTree  # noqa: E402

SIZES = {"a": 2, "b": 2, "c": 3, "d": 4, "e": 5, "f": 6, "g": 8, "h": 10, "i": 12, "j": 16}
NAMES = tuple(SIZES)
ROWS, CELLS, STEPS, LAST = 20_000, 1 << 15, 200, 1000
SETTINGS = {"degree": 3, "epsilon": 1, "delta": "1e-6", "cells": CELLS, "steps": STEPS}
KEPT = Path(__file__).with_name(".synthesis.jsonl")


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

    def __init__(self, offer: AdaptiveMarginals, domain: mbi.Domain, *, by_mbi: bool) -> None:
        self.axes, self.domain, self.by_mbi = offer.axes, domain, by_mbi
        self.model: GraphicalModel | None = None

    @property
    def potentials(self) -> mbi.CliqueVector | None:
        """Where the next fit begins."""
        if self.model is None:
            return None
        logs = self.model.potentials
        factors = {table: mbi.Factor(self.domain.project(table), logs[table]) for table in logs}
        return mbi.CliqueVector(self.domain, tuple(logs), factors)

    def fit(self, measured: list[mbi.LinearMeasurement]) -> None:
        if self.by_mbi:
            found = by_mbi(self.domain, measured, self.potentials)
            logs = {tuple(c): np.asarray(found.potentials[c].values) for c in found.potentials.cliques}
            self.model = GraphicalModel(self.axes, logs, float(found.total))
            return
        seen = [Observed(one.clique, np.asarray(one.noisy_measurement), float(one.stddev)) for one in measured]
        start = None if self.model is None else self.model.potentials
        self.model = fitted(self.axes, seen, start=start, steps=STEPS)

    def table(self, table: tuple[str, ...]) -> np.ndarray:
        return self.model.table(table).ravel()


def by_mbi(domain: mbi.Domain, measured: list[mbi.LinearMeasurement], start: mbi.CliqueVector | None):
    """mbi's descent, with the thousand steps that are its default."""
    return mbi.estimation.MirrorDescent().estimate(domain, measured, iters=LAST, warm_start=start)


def reference(rows: np.ndarray, offer: AdaptiveMarginals, rho: float, seed: int, *, all_mbi: bool) -> np.ndarray:
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
    model = Between(offer, domain, by_mbi=all_mbi)
    model.fit(measured)
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
        model.fit(measured)
        after = model.table(table)
        if np.abs(after - before).sum() <= bias * len(before):
            sigma, epsilon = sigma / 2, epsilon * 2
    np.random.seed(seed)  # noqa: NPY002
    made = by_mbi(domain, measured, model.potentials).synthetic_data()
    data = made.to_dict() if hasattr(made, "to_dict") else {name: np.asarray(made.data[name]) for name in NAMES}
    return np.stack([np.asarray(data[name]) for name in NAMES], axis=1).astype(np.int64)


def with_mbi(rows: np.ndarray, offer: AdaptiveMarginals, *, all_mbi: bool) -> np.ndarray:
    """Partita with the mbi extra: for the last model only, or for all of them."""
    theirs = AdaptiveMarginals(SIZES, **SETTINGS, inference="mbi")
    if all_mbi:
        return theirs.release(rows, progress=False).codes
    return theirs.synthetic(offer._run(rows, None, progress=False), progress=False).codes


def version(name: str) -> str:
    """Changes whenever this script does, or what of the algorithm a contestant uses."""
    used = (graphical, junction) if name.startswith("the reference") else (exchange, graphical, junction, synthesis)
    sources = [Path(__file__), *(Path(str(module.__file__)) for module in used)]
    return hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()[:16]


def kept(name: str, seed: int, make: Callable[[], np.ndarray], rows: np.ndarray) -> tuple[float, float]:
    """The distance and the time of one run, from the file if it was made before."""
    key = [version(name), name, seed]
    for line in KEPT.read_text().splitlines() if KEPT.exists() else []:
        found = json.loads(line)
        if found["key"] == key:
            return found["distance"], found["seconds"]
    start = time.process_time()
    codes = make()
    found = {"key": key, "seconds": time.process_time() - start, "distance": distance(rows, codes)}
    with KEPT.open("a") as page:
        page.write(json.dumps(found) + "\n")
    return found["distance"], found["seconds"]


def main() -> None:
    given = argparse.ArgumentParser()
    given.add_argument("--runs", type=int, default=20)
    given.add_argument("--first", type=int, default=0)
    given.add_argument("--all-mbi", action="store_true")
    chosen = given.parse_args()
    deep = chosen.all_mbi
    reference_name = "the reference mechanism on mbi" + (", all models" if deep else "")
    mbi_name = "Partita, " + ("all models" if deep else "last model") + " by mbi"
    names = ["Partita", mbi_name, reference_name]
    found: dict[str, list[float]] = {name: [] for name in names}
    times: dict[str, list[float]] = {name: [] for name in names}
    floor = []
    for seed in range(chosen.first, chosen.runs):
        rows = made_up(seed)
        offer = AdaptiveMarginals(SIZES, **SETTINGS)
        makers = {
            "Partita": lambda rows=rows, offer=offer: offer.release(rows, progress=False).codes,
            mbi_name: lambda rows=rows, offer=offer: with_mbi(rows, offer, all_mbi=deep),
            reference_name: lambda rows=rows, offer=offer, seed=seed: reference(
                rows, offer, float(offer.rho), seed, all_mbi=deep
            ),
        }
        for name, make in makers.items():
            apart, seconds = kept(name, seed, make, rows)
            found[name].append(apart)
            times[name].append(seconds)
        draw = np.random.default_rng(seed)
        floor.append(distance(rows, rows[draw.integers(0, ROWS, ROWS)]))
        print(seed, {name: round(values[-1], 4) for name, values in found.items()}, file=sys.stderr, flush=True)
    if chosen.first:
        return
    theirs = np.array(found[reference_name])
    rows_of = [
        [
            name,
            f"{np.median(values):.4f}",
            f"{min(values):.4f} to {max(values):.4f}",
            f"{np.median(np.array(values) / theirs):.3f}",
            f"{sum(mine <= other for mine, other in zip(values, theirs, strict=True))} of {len(values)}",
            f"{np.median(times[name]):.1f} s",
        ]
        for name, values in found.items()
    ]
    rows_of.append(["another sample of the same rows", f"{np.median(floor):.4f}", "", "", "", ""])
    text = _results.table(
        ["synthetic rows by", "median distance", "range", "ratio to the reference", "no worse in", "processor time"],
        rows_of,
    )
    ratio = float(np.median(found["Partita"]) / np.median(theirs))
    text += (
        f"\n\n{chosen.runs} runs on {ROWS:,} rows, {len(offer.tables)} tables of three columns, model of at most "
        f"{CELLS:,} cells; {STEPS} steps of inference a round, {'by mbi' if deep else 'by the solver here'}, and "
        f"{LAST:,} for the last model. Ratio of the medians: {ratio:.3f} (goal: at most 1)."
    )
    _results.write("Synthetic data", "synthesis.py", text)


if __name__ == "__main__":
    main()
