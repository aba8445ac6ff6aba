"""Results as they might have come out: a guess of the exact ones, and fresh noise of the same law on top."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from partita.query.answer.intervals import Spread
from partita.query.answer.mixed import Stacked
from partita.query.answer.results import Result

Floats = NDArray[np.float64]

_FEW: Final = 4
_MOST: Final = 300
_ROUNDS: Final = 200
# The likeliest distribution follows noise a little; taken for somewhat wider noise it does so less.
_WIDER: Final = 1.25


def settled(result: Result) -> Result:
    """A guess of the exact result: numbers of the same kind are drawn together as far as they differ by noise alone.

    Released numbers lie further apart than the exact ones, by the variance of the noise; a maximum of them is too large
    by what that does, and would be so again if noise were put on them as they are. Of all distributions of exact
    numbers the likeliest is found (Kiefer and Wolfowitz, by expectation and maximisation), and the lines get its values
    in their own order. Nothing but released numbers goes in, and nothing but error bars comes out.
    """
    # Which groups may be empty is said once, by what was released.
    result = replace(result, judged=result.numbers)
    if len(result.noisy) < _FEW:
        return result
    made = result.noisy.copy()
    for place, variance in enumerate(_variances(result)):
        made[:, place] = [round(one) for one in _settled(made[:, place].astype(np.float64), variance**0.5).tolist()]
    return replace(result, noisy=made)


def _settled(noisy: Floats, sigma: float) -> Floats:
    """The likeliest exact numbers behind noisy ones of one deviation, line by line; their mean stays.

    >>> _settled(np.array([0.0, 100.0, 200.0, 300.0]), 1.0)
    array([  0., 100., 200., 300.])
    """
    ranked = np.sort(noisy)
    places = np.unique(np.linspace(0, len(ranked) - 1, min(len(ranked), _MOST)).round().astype(int))
    support = ranked[places]
    if sigma <= 0 or (len(places) < len(ranked) and float(np.median(np.diff(support))) > sigma):
        return noisy
    likely = np.exp(-(((support[:, None] - support[None, :]) / (_WIDER * sigma)) ** 2) / 2)
    weights = np.full(len(support), 1 / len(support))
    for _ in range(_ROUNDS):
        weights = weights * (likely / np.maximum(likely @ weights, 1e-300)[:, None]).mean(axis=0)
        weights /= weights.sum()
    shares = (np.arange(len(ranked)) + 0.5) / len(ranked)
    values = support[np.minimum(np.searchsorted(np.cumsum(weights), shares), len(support) - 1)]
    found = np.empty(len(noisy))
    found[np.argsort(noisy, kind="stable")] = values + (ranked.mean() - values.mean())
    return found


def jittered(result: Result, chance: np.random.Generator) -> Result:
    """A result with fresh noise of the law of its own on every released number, from a public source of chance."""
    if result.mixed is None:
        return replace(result, noisy=result.noisy + noise(result.spreads, len(result.noisy), chance))
    if isinstance(result.mixed, Stacked):
        drawn_lines = np.concatenate([noise(result.mixed.levels[level], 1, chance) for level in result.mixed.of])
        return replace(result, noisy=result.noisy + drawn_lines)
    drawn = noise(result.mixed.noise, 1, chance)[0].astype(np.float64)
    shift = np.rint(result.mixed.weights @ drawn)
    whole = np.array([[int(one) for one in line] for line in shift.tolist()], dtype=object)
    return replace(result, noisy=result.noisy + whole.reshape(result.noisy.shape))


def noise(spreads: Sequence[Spread], lines: int, chance: np.random.Generator) -> NDArray[np.object_]:
    """Whole numbers of noise: a line for each group, a column for each spread."""
    found = np.zeros((lines, len(spreads)))
    for place, spread in enumerate(spreads):
        found[:, place] = chance.normal(0.0, spread.sigma, lines) if spread.sigma else 0.0
        for scale in spread.scales:
            found[:, place] += chance.laplace(0.0, scale, lines)
    listed = [[int(one) for one in line] for line in np.rint(found).tolist()]
    return np.array(listed, dtype=object).reshape(lines, len(spreads))


def _variances(result: Result) -> list[float]:
    """The variance of the noise in each column; where lines differ, the mean of theirs."""
    if result.mixed is None:
        return [spread.variance for spread in result.spreads]
    if isinstance(result.mixed, Stacked):
        each = [[spread.variance for spread in level] for level in result.mixed.levels]
        return [float(one) for one in np.mean([each[level] for level in result.mixed.of], axis=0)]
    alone = np.array([spread.variance for spread in result.mixed.noise])
    found: list[float] = ((result.mixed.weights**2) @ alone).mean(axis=0).tolist()
    return found
