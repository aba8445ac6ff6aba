"""Choosing one candidate by its score, with exact probabilities."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from numbers import Rational
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from partita.errors import sampling as refuse
from partita.exact import exact
from partita.sampling.bernoulli import bernoulli_exp_each, exp_is_above
from partita.sampling.bits import BitSource, source
from partita.sampling.decay import FAR_LARGEST, Floats, far_decay, far_decay_of
from partita.sampling.uniform import below

Scores = Sequence[Fraction | int] | NDArray[np.integer[Any]]
Place = tuple[int, int]

_MOST = 1 << 28
_LONGEST = 1 << 50
_BLOCK = 1 << 15
_ONE = Fraction(1)
_PROPOSED = 8  # tuples proposed at a time
_CLOSE = 2.0**-36
_ABOVE = 2.0**-38  # four times the relative error of far_decay and of its argument, and more


def proportional_to_exp(scores: Scores, weight: Fraction | int, bits: BitSource) -> int:
    """The index of one candidate, chosen with probability proportional to exp(weight * score) (theory C9).

    Each candidate gets a whole number of tickets, at least its share; one ticket is drawn, and kept with probability
    exactly share over tickets. Among a million candidates one draw in a million is repeated, which is
    independent of the choice; the rest of the work is the same for all scores.

    >>> from partita.sampling.bits import TestBits
    >>> proportional_to_exp([0, 0, 1000], Fraction(1), bits=TestBits(1))
    2
    """
    return Urn.of(gaps_of(scores, weight), None).chosen(source(bits))


def run_proportional_to_exp(
    scores: Scores, lengths: NDArray[np.int64], weight: Fraction | int, bits: BitSource
) -> tuple[int, int]:
    """One candidate where they come in runs of equal score: the index of its run, and its place in the run.

    Every candidate of a run has the run's share, as if each were listed; the work grows with the number of runs.

    >>> from partita.sampling.bits import TestBits
    >>> run_proportional_to_exp([0, 1000], np.array([10**9, 1]), Fraction(1), bits=TestBits(1))
    (1, 0)
    """
    urn, bits = Urn.of(gaps_of(scores, weight), lengths), source(bits)
    return urn.place(urn.chosen(bits), bits)


def tuple_proportional_to_exp(
    lists: Sequence[tuple[Scores, NDArray[np.int64], Fraction]],
    excess: Callable[[tuple[Place, ...]], Fraction],
    bits: BitSource,
) -> tuple[Place, ...]:
    """One candidate of each list, all together, with probability proportional to exp(sum of weight * score - excess).

    Every list has runs of equal score, with their lengths and a weight; ``excess`` is zero or more for every tuple of
    places. Tuples are proposed as if it were zero, and kept with probability exp(-excess).

    >>> from partita.sampling.bits import TestBits
    >>> runs = ([0, 0], np.array([5, 5]), Fraction(1))
    >>> apart = lambda places: 900 * Fraction(places[0] != places[1])
    >>> first, second = tuple_proportional_to_exp([runs, runs], apart, TestBits(1))
    >>> first == second
    True
    """
    bits = source(bits)
    urns = [Urn.of(gaps_of(scores, weight), lengths) for scores, lengths, weight in lists]
    while True:
        for runs in zip(*(urn.drawn(_PROPOSED, bits) for urn in urns), strict=True):
            places = tuple(urn.place(run, bits) for urn, run in zip(urns, runs, strict=True))
            exponent, keep = excess(places), _ONE
            if exponent < 0:
                raise refuse.scores_not_exact(exponent)
            for urn, run in zip(urns, runs, strict=True):
                exponent, keep = exponent + urn.gaps.exponent(run), keep * urn.keep(run)
            if _kept(exponent, keep, bits):
                return places


def permute_and_flip(scores: Scores, weight: Fraction | int, bits: BitSource) -> int:
    """The index that permute-and-flip accepts with coins of bias exp(weight * (score - best)) (theory C10).

    The first head in a random order is a uniform choice among all heads, so every coin is flipped, whatever the
    scores; the best candidate is always heads.

    >>> from partita.sampling.bits import TestBits
    >>> permute_and_flip([0, 0, 1000], Fraction(1), bits=TestBits(1))
    2
    """
    gaps = gaps_of(scores, weight)
    bits = source(bits)
    heads = np.flatnonzero(bernoulli_exp_each(gaps.near, gaps.exponent, bits))
    return int(heads[below(len(heads), 1, bits)[0]])


@final
@dataclass(frozen=True, slots=True, eq=False)
class Gaps:
    """How far each score, weighted, is below the best: exact, and as floats right to a relative 2^-51."""

    whole: NDArray[Any]
    unit: Fraction
    near: Floats

    def exponent(self, index: int) -> Fraction:
        """The exact weighted gap of one candidate."""
        return int(self.whole[index]) * self.unit


@final
@dataclass(frozen=True, slots=True, eq=False)
class Urn:
    """Tickets of candidates, or of runs of them: at least 2^power times their shares."""

    gaps: Gaps
    lengths: NDArray[np.int64] | None
    power: int
    tickets: NDArray[np.int64]
    ends: NDArray[np.int64]

    @classmethod
    def of(cls, gaps: Gaps, lengths: NDArray[np.int64] | None) -> Urn:
        candidates = len(gaps.near)
        if lengths is not None:
            if len(lengths) != candidates or int(lengths.min()) < 1:
                raise refuse.scores_not_exact(lengths)
            candidates = int(lengths.sum())
            if candidates > _LONGEST:
                raise refuse.too_many_candidates(candidates, _LONGEST)
        power = 60 - candidates.bit_length()
        tickets = _tickets(gaps.near, power, lengths)
        return cls(gaps, lengths, power, tickets, np.cumsum(tickets))

    def drawn(self, count: int, bits: BitSource) -> list[int]:
        """The owners of so many tickets, drawn independently."""
        found: list[int] = np.searchsorted(self.ends, below(int(self.ends[-1]), count, bits), side="right").tolist()
        return found

    def keep(self, index: int) -> Fraction:
        """How often a drawn candidate must be kept, but for exp(-gap)."""
        length = 1 if self.lengths is None else int(self.lengths[index])
        return Fraction(length << self.power, int(self.tickets[index]))

    def chosen(self, bits: BitSource) -> int:
        """A candidate or run, with probability exactly proportional to its share."""
        while True:
            (index,) = self.drawn(1, bits)
            if _kept(self.gaps.exponent(index), self.keep(index), bits):
                return index

    def place(self, run: int, bits: BitSource) -> Place:
        """A candidate of a run, each as likely."""
        assert self.lengths is not None
        length = int(self.lengths[run])
        return run, 0 if length == 1 else int(below(length, 1, bits)[0])


def _kept(exponent: Fraction, keep: Fraction, bits: BitSource) -> bool:
    """True with probability exactly keep * exp(-exponent), at most 1; floats decide unless it is close or tiny."""
    word = int(bits.words(1)[0])
    if exponent < FAR_LARGEST:
        bias = float(keep) * far_decay_of(float(exponent))
        height, margin = (word >> 11) * 2.0**-53, _CLOSE * (1 + bias)
        if height + 2.0**-53 <= bias - margin:
            return True
        if height >= bias + margin:
            return False
    return exp_is_above(word, exponent, bits, times=keep)


def gaps_of(scores: Scores, weight: Fraction | int) -> Gaps:
    """How far each score, weighted, is below the best."""
    factor = exact(weight, "weight")
    whole, denominator = _whole(scores)
    if len(whole) == 0:
        raise refuse.no_candidates()
    if len(whole) > _MOST:
        raise refuse.too_many_candidates(len(whole), _MOST)
    low, high = int(whole.min()), int(whole.max())
    if high - low >= 1 << 63 and whole.dtype != object:
        whole = whole.astype(object)
    gaps = high - whole if factor >= 0 else whole - low
    unit = abs(factor) / denominator
    if gaps.dtype == object:
        near = np.array([min(float(min(int(gap) * unit, Fraction(1 << 20))), 2.0**20) for gap in gaps])
    else:
        near = np.minimum(gaps.astype(np.float64) * float(min(unit, Fraction(1 << 20))), 2.0**20)
    return Gaps(gaps, unit, near)


def _whole(scores: Scores) -> tuple[NDArray[Any], int]:
    """The scores as integers over one denominator."""
    if isinstance(scores, np.ndarray):
        if scores.ndim == 1 and np.issubdtype(scores.dtype, np.integer):
            return scores.astype(object if scores.dtype == np.uint64 else np.int64), 1
        if scores.ndim != 1 or scores.dtype != object:
            raise refuse.scores_not_exact(scores)
    if isinstance(scores, str | bytes) or not isinstance(scores, Sequence | np.ndarray):
        raise refuse.scores_not_exact(scores)
    kinds = set(map(type, scores))
    if any(issubclass(kind, bool) or not issubclass(kind, Rational) for kind in kinds):
        raise refuse.scores_not_exact(scores)
    whole, denominator = list(scores), 1
    if kinds != {int}:
        denominator = math.lcm(*{int(score.denominator) for score in scores})
        whole = [int(score.numerator) * (denominator // int(score.denominator)) for score in scores]
    small = not whole or (min(whole) > -(1 << 62) and max(whole) < 1 << 62)
    return np.array(whole, dtype=np.int64 if small else object), denominator


def _tickets(near: Floats, power: int, lengths: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
    """Whole numbers that are at least 2^power exp(-gap) for each candidate of a run, and hardly more."""
    tickets = np.empty(len(near), dtype=np.int64)
    for start in range(0, len(near), _BLOCK):
        gap = near[start : start + _BLOCK]
        share = np.where(gap < FAR_LARGEST, far_decay(np.minimum(gap, FAR_LARGEST)), 0.0)
        share *= 2.0**power * (1 + _ABOVE)
        if lengths is not None:
            share *= lengths[start : start + _BLOCK]
        tickets[start : start + _BLOCK] = np.floor(share).astype(np.int64) + 1
    return tickets
