"""Confidence bounds on a probability from counts, and what a pair of them says about a privacy loss."""

from __future__ import annotations

from typing import overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from partita.errors import attacks as refuse
from partita.exact import Number, nonnegative, probability, whole

Floats = NDArray[np.float64]

# Orders at which two Bernoulli laws are compared; any order gives a valid bound, so a grid costs only tightness.
_ORDERS = 1 + np.geomspace(1e-3, 200, 60)


@overload
def at_least(hits: int, runs: int, gamma: float) -> float: ...
@overload
def at_least(hits: Floats, runs: int, gamma: float) -> Floats: ...
def at_least(hits: int | Floats, runs: int, gamma: float) -> float | Floats:
    """A lower bound on a probability that fails with probability at most gamma (Clopper-Pearson, theory G7).

    >>> round(at_least(900, 1000, 0.025), 9)
    0.879712063
    """
    from scipy.special import betaincinv

    hits = np.asarray(hits, dtype=np.float64)
    bound = np.where(hits <= 0, 0.0, betaincinv(np.maximum(hits, 1e-300), runs - hits + 1, gamma))
    return float(bound) if bound.ndim == 0 else bound


@overload
def at_most(hits: int, runs: int, gamma: float) -> float: ...
@overload
def at_most(hits: Floats, runs: int, gamma: float) -> Floats: ...
def at_most(hits: int | Floats, runs: int, gamma: float) -> float | Floats:
    """An upper bound on a probability that fails with probability at most gamma (Clopper-Pearson, theory G7).

    >>> round(at_most(100, 1000, 0.025), 9)
    0.120287937
    """
    from scipy.special import betainccinv

    hits = np.asarray(hits, dtype=np.float64)
    bound = np.where(hits >= runs, 1.0, betainccinv(hits + 1, np.maximum(runs - hits, 1e-300), gamma))
    return float(bound) if bound.ndim == 0 else bound


def bonferroni(gamma: Number, tests: int) -> float:
    """How much of an allowed error each of several tests may use, so that all hold together.

    >>> bonferroni("0.05", 50)
    0.001
    """
    return float(probability(gamma, "gamma") / whole(tests, "tests", least=1))


def epsilon_of_hits(often: ArrayLike, seldom: ArrayLike, delta: float = 0.0) -> Floats:
    """The least ε that allows an event with these probabilities.

    ``often`` is a lower bound on the probability under one input, ``seldom`` an upper bound under the other.

    >>> round(float(epsilon_of_hits(0.5, 0.25)), 6)
    0.693147
    """
    p, q = np.asarray(often, dtype=np.float64), np.asarray(seldom, dtype=np.float64)
    with np.errstate(divide="ignore"):
        ratio: Floats = np.log(np.maximum(p - delta, 0.0)) - np.log(q)
    return np.maximum(0.0, ratio)


def epsilon_shown(often: ArrayLike, seldom: ArrayLike, delta: float = 0.0) -> Floats:
    """The least ε that allows an event with these probabilities, and its complement the other way (theory G7).

    >>> round(float(epsilon_shown(0.5, 0.25, 0.1)), 6)
    0.470004
    """
    p, q = np.asarray(often, dtype=np.float64), np.asarray(seldom, dtype=np.float64)
    return np.maximum(epsilon_of_hits(p, q, delta), epsilon_of_hits(1 - q, 1 - p, delta))


def mu_shown(often: ArrayLike, seldom: ArrayLike) -> Floats:
    """The least μ of a Gaussian promise that allows these probabilities (theory B21).

    >>> round(float(mu_shown(0.75, 0.25)), 6)
    1.34898
    """
    from scipy.special import ndtri

    p, q = np.asarray(often, dtype=np.float64), np.asarray(seldom, dtype=np.float64)
    return np.where(p > q, ndtri(p) - ndtri(q), 0.0)


def renyi_shown(often: ArrayLike, seldom: ArrayLike, orders: ArrayLike) -> Floats:
    """The Rényi divergence of each order (last axis) between coins with these probabilities.

    Divergences do not grow under post-processing, so the outputs themselves diverge at least as much (theory B7).

    >>> renyi_shown(0.75, 0.25, [2.0]).round(6)
    array([0.847298])
    """
    p = np.asarray(often, dtype=np.float64)[..., None]
    q = np.asarray(seldom, dtype=np.float64)[..., None]
    order = np.asarray(orders, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        heads = order * np.log(p) + (1 - order) * np.log(q)
        tails = order * np.log1p(-p) + (1 - order) * np.log1p(-q)
        found = np.logaddexp(heads, tails) / (order - 1)
    return np.where((p > q) & (p > 0), np.maximum(found, 0.0), 0.0)


def rho_shown(often: ArrayLike, seldom: ArrayLike) -> Floats:
    """The least ρ of a zCDP promise that allows these probabilities, or their complements the other way.

    >>> float(rho_shown(0.75, 0.25)) > 0.54
    True
    """
    p, q = np.asarray(often, dtype=np.float64), np.asarray(seldom, dtype=np.float64)
    hit = renyi_shown(p, q, _ORDERS) / _ORDERS
    miss = renyi_shown(1 - q, 1 - p, _ORDERS) / _ORDERS
    largest: Floats = np.maximum(hit, miss).max(axis=-1)
    return largest


def epsilon_lower_bound(
    hits: int, runs: int, false_hits: int, false_runs: int, *, gamma: Number, delta: Number = 0
) -> float:
    """A lower bound on ε from the hits of one fixed test, right with probability 1 - gamma (theory G7).

    >>> round(epsilon_lower_bound(900, 1000, 100, 1000, gamma="0.05", delta="1e-5"), 8)
    1.98969495
    """
    counts = [("runs", runs, 1), ("false_runs", false_runs, 1), ("hits", hits, 0), ("false_hits", false_hits, 0)]
    all_in, all_out, right, wrong = (whole(value, name, least=least) for name, value, least in counts)
    for name, count, of in (("hits", right, all_in), ("false_hits", wrong, all_out)):
        if count > of:
            raise refuse.more_than_all(name, count, of)
    half = float(probability(gamma, "gamma")) / 2
    leak = float(nonnegative(delta, "delta"))
    return float(epsilon_shown(at_least(right, all_in, half), at_most(wrong, all_out, half), leak))
