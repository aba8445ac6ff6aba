"""Splitting one budget among questions: as exact as possible together, where nobody pays for all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from partita.region.meetings import Meeting

ROUNDS: Final = 400


def split(errors: Sequence[float], meetings: Sequence[Meeting], power: float, rounds: int = ROUNDS) -> list[float]:
    """The share of the budget of each question that makes the sum of squared errors least.

    ``errors`` are the squared errors for the whole budget; they grow like share ** -power. The shares of every set of
    questions that can meet in one person add up to at most one. The problem is convex; its multipliers, one for each
    set, rise where a set is overdrawn and fall where something is left. What comes out is then scaled into the limits
    and what is left is handed out, so that it is feasible whatever the search did.

    >>> split([1.0, 1.0, 8.0], [frozenset({0, 1}), frozenset({2})], 2)
    [0.5, 0.5, 1.0]
    """
    wanted = np.maximum(np.asarray(errors, dtype=float), 1e-300)
    wanted = wanted / wanted.max()
    held = np.zeros((len(meetings), len(errors)))
    for line, meeting in enumerate(meetings):
        held[line, list(meeting)] = 1.0
    held = held[held.any(axis=1)]
    alone = ~held.any(axis=0)
    multipliers = np.ones(len(held))
    shares = np.ones(len(errors))
    for _ in range(rounds if len(held) else 0):
        weights = np.maximum(held.T @ multipliers, 1e-300)
        shares = np.where(alone, 1.0, (power * wanted / weights) ** (1 / (power + 1)))
        loads = held @ shares
        multipliers = np.maximum(multipliers * loads ** ((power + 1) / 2), 1e-200)
    shares = shares / np.maximum(1.0, _heaviest(held, shares))
    for place in np.argsort(-wanted):
        room = 1 - _heaviest_of(held, shares, int(place))
        shares[place] += max(0.0, room)
    return [float(share) for share in shares / max(1.0, float(_heaviest(held, shares)))]


def _heaviest(held: np.ndarray, shares: np.ndarray) -> float:
    return float((held @ shares).max()) if len(held) else 0.0


def _heaviest_of(held: np.ndarray, shares: np.ndarray, place: int) -> float:
    own = held[held[:, place] > 0]
    return float((own @ shares).max()) if len(own) else float(shares[place])
