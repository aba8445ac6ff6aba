"""k-means and logistic regression beside diffprivlib and scikit-learn: how well they learn at the same ε, and how long.

    python benchmarks/algorithms/learning.py [--runs 21] [--peer-python PATH]

diffprivlib runs in an environment of its own (it needs an older scikit-learn), on the same arrays, run by run in turn.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "libraries")]

import _results  # noqa: E402
import numpy as np  # noqa: E402
from _environments import python as environment  # noqa: E402
from sklearn.cluster import KMeans as Exact  # noqa: E402
from sklearn.datasets import load_breast_cancer, make_blobs, make_classification  # noqa: E402
from sklearn.linear_model import LogisticRegression as ExactLogistic  # noqa: E402

from partita.algorithms import KMeans, LinearRegression, LogisticRegression  # noqa: E402

EPSILONS = ("0.1", "1")


class Peer:
    """diffprivlib behind a pipe."""

    def __init__(self, interpreter: str, folder: Path) -> None:
        self.folder = folder
        self.process = subprocess.Popen(
            [interpreter, str(HERE / "_by_diffprivlib.py")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def saved(self, name: str, array: np.ndarray) -> str:
        path = self.folder / f"{name}.npy"
        np.save(path, array)
        return str(path)

    def ask(self, **task: Any) -> tuple[Any, float]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(task) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        return answer["found"], answer["seconds"]


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    begun = time.thread_time()
    found = work()
    return found, time.thread_time() - begun


def middle(values: list[float]) -> str:
    return f"{np.median(values):.4f}"


def both(values: list[float]) -> str:
    return f"{np.median(values):.4f} ({np.mean(values):.4f})"


# --- k-means ---------------------------------------------------------------------------------------------------


def inertia(rows: np.ndarray, centres: Any) -> float:
    return float(np.min([((rows - centre) ** 2).sum(axis=1) for centre in np.asarray(centres)], axis=0).sum())


def clusters(peer: Peer, runs: int) -> str:
    rows, _ = make_blobs(100_000, n_features=2, centers=5, cluster_std=1.0, center_box=(-8, 8), random_state=0)
    bounds, path = (-12.0, 12.0), peer.saved("blobs", rows)
    least = inertia(rows, Exact(5, n_init=10, random_state=0).fit(rows).cluster_centers_)
    lines = []
    for epsilon in EPSILONS:
        ours: dict[str, list[float]] = {"grid": [], "grid, change-one": [], "lloyd": [], "diffprivlib": []}
        spent: dict[str, list[float]] = {name: [] for name in ours}
        for _ in range(runs):
            for name in ours:
                if name == "diffprivlib":
                    found, seconds = peer.ask(
                        task="kmeans", paths=[path], clusters=5, epsilon=float(epsilon), bounds=bounds
                    )
                else:
                    way, _, relation = name.partition(", ")
                    model = KMeans(5, epsilon=epsilon, bounds=bounds, algorithm=way, relation=relation or "add/remove")
                    fitted, seconds = timed(lambda model=model: model.fit(rows))
                    found = fitted.cluster_centers_
                ours[name].append(inertia(rows, found) / least)
                spent[name].append(seconds)
        for name, ratios in ours.items():
            lines.append(
                [
                    epsilon,
                    name,
                    middle(ratios),
                    f"{np.quantile(ratios, 0.9):.4f}",
                    f"{1000 * np.median(spent[name]):.0f}",
                ]
            )
    return (
        "k-means, 100,000 points, 5 clusters in 2 dimensions, pure ε. Inertia over that of scikit-learn (10 starts); "
        f"thread time in milliseconds; medians of {runs} runs. `grid` and `lloyd` protect rows that come and go "
        "unless it is said; diffprivlib protects changes of one row given the number of rows.\n\n"
        + _results.table(["ε", "", "inertia ratio", "90% below", "ms"], lines)
    )


# --- logistic regression ---------------------------------------------------------------------------------------


def data_sets() -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Rows scaled to [-1, 1] by public bounds, and labels of 0 and 1."""
    draw = np.random.default_rng(0)
    rows = draw.standard_normal((100_000, 5))
    score = rows @ [1.95, -2.6, 0.65, 1.3, -0.91] + 0.3
    yield "normal, 100,000 x 5", np.clip(rows / 4, -1, 1), (draw.uniform(size=len(rows)) < 1 / (1 + np.exp(-score)))
    rows, labels = make_classification(
        20_000, n_features=10, n_informative=6, n_redundant=2, weights=[0.7], random_state=1
    )
    yield "classification, 20,000 x 10", np.clip(rows / 8, -1, 1), labels
    size = 50_000
    age, taught = draw.integers(18, 90, size), draw.integers(0, 16, size)
    hours, sex = np.clip(draw.normal(40, 12, size), 0, 99), draw.integers(0, 2, size)
    gain = np.minimum(draw.exponential(1, size) * (draw.uniform(size=size) < 0.1), 6)
    score = -6 + 0.05 * age + 0.25 * taught + 0.03 * hours + 0.6 * sex + 1.2 * gain - 0.0006 * (age - 50) ** 2
    columns = [(age - 54) / 36, (taught - 7.5) / 7.5, (hours - 49.5) / 49.5, 2 * sex - 1, (gain - 3) / 3]
    yield "income, 50,000 x 5", np.column_stack(columns), (draw.uniform(size=size) < 1 / (1 + np.exp(-score)))
    rows, labels = load_breast_cancer(return_X_y=True)
    # What such measurements may be, in round numbers.
    most = np.array([30, 40, 200, 2600, 0.2, 0.4, 0.5, 0.25, 0.35, 0.1, 3, 5, 22, 550, 0.04, 0.15, 0.4, 0.06, 0.08,
                     0.03, 40, 50, 260, 4300, 0.25, 1.1, 1.3, 0.3, 0.7, 0.25])  # fmt: skip
    yield "breast cancer, 569 x 30", np.clip(2 * rows / most - 1, -1, 1), labels


def regressions(peer: Peer, runs: int) -> str:
    lines = []
    for place, (name, rows, labels) in enumerate(data_sets()):
        labels, norm = np.asarray(labels).astype(int), float(np.sqrt(rows.shape[1]))
        scores: dict[tuple[str, str], list[float]] = {}
        for run in range(runs):
            order = np.random.default_rng(run).permutation(len(rows))
            cut = 3 * len(rows) // 4
            train, test = order[:cut], order[cut:]
            parts = [rows[train], labels[train], rows[test], labels[test]]
            paths = [peer.saved(f"{place}-{run}-{number}", part) for number, part in enumerate(parts)]
            exact = ExactLogistic(C=100, max_iter=500).fit(parts[0], parts[1])
            scores.setdefault(("", "exact"), []).append(float(exact.score(parts[2], parts[3])))
            for epsilon in EPSILONS:
                found, _ = peer.ask(task="logistic", paths=paths, epsilon=float(epsilon), norm=norm)
                scores.setdefault((epsilon, "diffprivlib"), []).append(found)
                for relation in ("add/remove", "change-one"):
                    model = LogisticRegression(epsilon=epsilon, bounds=(-1, 1), classes=[0, 1], relation=relation)
                    scores.setdefault((epsilon, relation), []).append(model.fit(*parts[:2]).score(*parts[2:]))
                leaky = LogisticRegression(epsilon=epsilon, delta="1e-6", bounds=(-1, 1), classes=[0, 1])
                scores.setdefault((epsilon, "leaky"), []).append(leaky.fit(*parts[:2]).score(*parts[2:]))
        for epsilon in EPSILONS:
            own = [both(scores[epsilon, way]) for way in ("add/remove", "change-one", "leaky", "diffprivlib")]
            lines.append([name, epsilon, *own, middle(scores["", "exact"])])
    return (
        f"Logistic regression: accuracy on a quarter of the rows held back, medians (and means) of {runs} runs, "
        "features scaled to [-1, 1] by public bounds. diffprivlib is pure and protects changes of one row, as "
        "the column change-one does; a tenth of Partita's price pays for error bars.\n\n"
        + _results.table(["data", "ε", "add/remove", "change-one", "δ = 1e-6", "diffprivlib", "scikit-learn"], lines)
    )


# --- error bars ------------------------------------------------------------------------------------------------


def rows_like(kind: str, rows: int, features: int, draw: np.random.Generator) -> np.ndarray:
    match kind:
        case "uniform":
            return draw.uniform(-1, 1, (rows, features))
        case "narrow":
            return np.clip(draw.normal(0, 0.25, (rows, features)), -1, 1)
        case _:
            return 2 * draw.beta(1, 4, (rows, features)) - 1


def intervals(runs: int) -> str:
    lines = []
    for kind in ("uniform", "narrow", "skewed"):
        for rows, features in ((5_000, 3), (50_000, 8)):
            held: dict[str, list[float]] = {}
            for run in range(runs):
                draw = np.random.default_rng(run)
                X, slopes = rows_like(kind, rows, features, draw), draw.normal(0, 2, features)
                y = (draw.uniform(size=rows) < 1 / (1 + np.exp(-X @ slopes - 0.3))).astype(int)
                exact = ExactLogistic(C=1e6, max_iter=500).fit(X, y).coef_[0]
                for name, options in {"objective": {}, "gradient": {"delta": "1e-6", "solver": "gradient"}}.items():
                    model = LogisticRegression(epsilon=1, bounds=(-1, 1), classes=[0, 1], **options).fit(X, y)
                    noise, chance = model.coef_error_[0], model.coef_sampling_error_[0]
                    whole = np.hypot(noise, chance)
                    held.setdefault(name, []).append(float(np.mean(np.abs(model.coef_[0] - exact) <= 1.96 * noise)))
                    held.setdefault(f"{name}, all", []).append(
                        float(np.mean(np.abs(model.coef_[0] - slopes) <= 1.96 * whole))
                    )
                target = X @ slopes / 10 + draw.normal(0, 0.1, rows)
                plain = LinearRegression(epsilon=1, bounds=(-1, 1), target_bounds=(-2, 2)).fit(X, target)
                best = np.linalg.lstsq(np.column_stack([X, np.ones(rows)]), target, rcond=None)[0][:-1]
                inside = np.abs(plain.coef_ - best) <= 1.96 * plain.coef_error_
                held.setdefault("linear", []).append(float(np.mean(inside)))
            ways = ("objective", "gradient", "linear", "objective, all", "gradient, all")
            lines.append([kind, f"{rows:,} x {features}", *(f"{np.mean(held[way]):.3f}" for way in ways)])
    return (
        f"How often 95% intervals hold at ε = 1 (δ = 1e-6 for gradients), over all coefficients of {runs} runs. The "
        "first three: noise alone, for what an exact fit to the same rows gives. The last two: noise and chance, for "
        "the coefficients by which the rows were made.\n\n"
        + _results.table(["rows", "", "objective", "gradient", "linear", "objective, all", "gradient, all"], lines)
    )


def main() -> None:
    reading = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reading.add_argument("--runs", type=int, default=61)
    reading.add_argument("--peer-python", default="")
    given = reading.parse_args()
    interpreter = given.peer_python or environment("diffprivlib")
    with tempfile.TemporaryDirectory() as folder:
        peer = Peer(str(interpreter), Path(folder))
        _results.write("k-means", Path(__file__).name, clusters(peer, given.runs))
        _results.write("Logistic regression", Path(__file__).name, regressions(peer, given.runs))
    _results.write("Error bars of coefficients", Path(__file__).name, intervals(given.runs))


if __name__ == "__main__":
    main()
