"""Allotment: which of many possible releases to make, and how much of a budget each has, if all are used together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from partita.query.batch.split import split
from partita.query.reuse.sums import Sums
from partita.region.meetings import Meeting

Floats = NDArray[np.float64]

_ROUNDS: Final = 200
_TRIAL: Final = 20
_LOOK: Final = 4
_SETTLED: Final = 1e-4
# Leaving releases out may raise the error by so much: fewer are read and kept.
_SAME: Final = 1.003
_HOPELESS: Final = 1.03
# What nothing tells of has this much information all the same, so that its error is finite and huge.
_SLACK: Final = 1e-13


@final
@dataclass(frozen=True)
class Told:
    """Questions of one family: how much each release tells of each sum for the whole budget, and what is wanted.

    ``information`` has a line for each release at ``places``, a column for each vector of ``sums``; ``wanted`` is the
    matrix of the squared error, as a quadratic form of a vector's estimate.
    """

    places: tuple[int, ...]
    sums: Sums
    information: Floats
    wanted: Floats

    def known(self, shares: Floats, power: float) -> Floats:
        """The information about all sums together, if releases have these shares."""
        each = (shares[list(self.places)] ** power) @ self.information
        # Vectors may be thousands long, so what is next to nothing is so beside them, not beside one.
        lengths = np.einsum("ij,ij->i", self.sums.vectors, self.sums.vectors)
        slack = _SLACK * float((self.information @ lengths).sum()) / self.sums.rank
        found: Floats = (self.sums.vectors * each[:, None]).T @ self.sums.vectors + slack * np.eye(self.sums.rank)
        return found


@final
@dataclass(frozen=True)
class Allotment:
    """The problem: families of questions, errors of questions that stand alone, and who meets whom.

    The squared error of a release falls like a power of its share. ``alone`` is zero for releases that are told about
    in a family. ``kinds`` are releases of one kind about different people, which are made or left out together.
    """

    families: tuple[Told, ...]
    alone: Floats
    kinds: tuple[tuple[int, ...], ...]
    meetings: tuple[Meeting, ...]
    power: float

    def best(self) -> list[float]:
        """The shares with the least total squared error; zero for what need not be released."""
        state = _Start(self._sizes(), np.ones(len(self.meetings)))
        if self.power > 1:
            # Where errors fall faster, exchanges may get stuck; shares for a slower fall are a good start.
            state = replace(self, power=1.0)._settled(state, _ROUNDS)
        state = self._settled(state, _ROUNDS)
        kept = [kind for kind in self.kinds if not self.alone[list(kind)].any()]
        smaller = True
        while smaller and len(kept) > 1:
            smaller = False
            for kind in sorted(kept, key=lambda kind: float(state.shares[list(kind)].sum())):
                trial = self._without(kind, state)
                if trial.total <= state.total * _SAME:
                    state = replace(trial, total=min(trial.total, state.total))
                    kept.remove(kind)
                    # Where errors fall like the share itself, what was needed among more is needed among fewer.
                    smaller = self.power > 1
        return self._divided(state.shares)

    def error(self, shares: Floats) -> float:
        """The total squared error of the best estimates for some shares."""
        return self._terms(shares)[1]

    def _sizes(self) -> Floats:
        """To begin with, what tells more numbers has more, so that of equals the larger remain."""
        found = np.ones(len(self.alone))
        for one in self.families:
            found[list(one.places)] = np.count_nonzero(one.information, axis=1)
        return found

    @cached_property
    def _held(self) -> Floats:
        held = np.zeros((len(self.meetings), len(self.alone)))
        for line, meeting in enumerate(self.meetings):
            held[line, list(meeting)] = 1.0
        return held

    def _without(self, kind: tuple[int, ...], state: _Start) -> _Start:
        shares = state.shares.copy()
        shares[list(kind)] = 0.0
        return self._settled(replace(state, shares=shares), _TRIAL, hopeless=_HOPELESS * state.total)

    def _settled(self, start: _Start, rounds: int, hopeless: float = np.inf) -> _Start:
        """Shares from which no exchange gains much.

        With the estimates fixed, errors are a sum of one term for each release, and the best shares for them are
        known; with the shares fixed, the best estimates are. Each makes the other no worse.
        """
        held, multipliers = self._held, start.multipliers
        shares = start.shares / (float((held @ start.shares).max(initial=0.0)) or 1.0)
        terms, total = self._terms(shares)
        if not len(held) or not total > 0:
            # Nobody pays, or nothing has an error.
            return _Start(shares, multipliers, total)
        before = np.inf
        for turn in range(rounds):
            prices = np.maximum(held.T @ multipliers, 1e-300)
            shares = (self.power * terms / total / prices) ** (1 / (self.power + 1))
            loads = held @ shares
            if not float(loads.max()) > 0:
                return replace(start, total=np.inf)
            multipliers = np.maximum(multipliers * loads ** ((self.power + 1) / 2), 1e-200)
            shares = shares / float(loads.max())
            terms, total = self._terms(shares)
            if turn % _LOOK == _LOOK - 1:
                if total > min(before * (1 - _SETTLED), hopeless):
                    break
                before = total
        return _Start(shares, multipliers, total)

    def _divided(self, shares: Floats) -> list[float]:
        """Shares within the budget everywhere, with nothing left over, for the estimates that are best now."""
        terms, _ = self._terms(shares)
        kept = np.flatnonzero(terms > 0)
        if not len(kept):
            return [0.0] * len(shares)
        order = {int(place): position for position, place in enumerate(kept)}
        left = [frozenset(order[place] for place in one if place in order) for one in self.meetings]
        found = np.zeros(len(shares))
        found[kept] = split([float(term) for term in terms[kept]], left, self.power)
        return [float(share) for share in found]

    def _terms(self, shares: Floats) -> tuple[Floats, float]:
        """What each release adds to the error if the estimates that are best now are kept, times its share's power."""
        asked = self.alone > 0
        terms = self.alone.copy()
        total = float((self.alone[asked] * np.maximum(shares[asked], 1e-12) ** -self.power).sum())
        for one in self.families:
            inverse = _inverse(one.known(shares, self.power))
            felt = inverse @ one.wanted @ inverse
            total += float(np.sum(inverse * one.wanted))
            each = np.maximum(np.einsum("ij,ij->i", one.sums.vectors @ felt, one.sums.vectors), 0.0)
            places = list(one.places)
            terms[places] += shares[places] ** (2 * self.power) * (one.information @ each)
        return terms, total


@final
@dataclass(frozen=True)
class _Start:
    """Where a search stands: shares, what each meeting would pay for more, and the total error."""

    shares: Floats
    multipliers: Floats
    total: float = np.inf


def _inverse(known: Floats) -> Floats:
    """The inverse of a matrix without negative values; what rounding made nothing of, or less, counts as the slack.

    Only shares are chosen by it. What is booked is what the releases cost that these shares lead to.
    """
    try:
        # Refuses what is not clearly positive; the inverse alone would be finite and wrong.
        np.linalg.cholesky(known)
        return np.linalg.inv(known).astype(np.float64, copy=False)
    except np.linalg.LinAlgError:
        values, directions = np.linalg.eigh(known)
        found: Floats = (directions / np.maximum(values, _SLACK * max(float(values[-1]), 1e-200))) @ directions.T
        return found
