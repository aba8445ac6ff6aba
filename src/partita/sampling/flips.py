"""Permute-and-flip among candidates in runs of equal score, exactly, without a coin for each of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import final

import numpy as np
from flint import arb
from numpy.typing import NDArray

from partita.sampling.balls import append, between, working
from partita.sampling.bernoulli import bernoulli_exp
from partita.sampling.bits import BitSource, source
from partita.sampling.choice import Place, Scores, Urn, gaps_of
from partita.sampling.decay import FAR_LARGEST, Floats, far_decay
from partita.theory.losses.outward import FUNCTION
from partita.theory.numerics import ball

_NEAR = 2.0**-38  # more than the relative error of a coin's bias times a moment
_GUARD = 64


def run_permute_and_flip(scores: Scores, lengths: NDArray[np.int64], weight: Fraction | int, bits: BitSource) -> Place:
    """The candidate that permute-and-flip accepts, with coins of bias exp(weight * (score - best)) (theory C10).

    The result is a run and a place in it; the work grows with the number of runs, not of candidates.

    >>> from partita.sampling.bits import TestBits
    >>> run_permute_and_flip([0, 1000], np.array([10**9, 1]), Fraction(1), bits=TestBits(1))
    (1, 0)
    """
    urn, bits = Urn.of(gaps_of(scores, weight), lengths), source(bits)
    race = _Race.of(urn, lengths)
    while True:
        run = urn.chosen(bits)
        if race.won(run, bits):
            return urn.place(run, bits)


@final
@dataclass(frozen=True, slots=True, eq=False)
class _Race:
    """All candidates arrive at moments of [0, 1], each heads with its bias: who is the first head?

    A candidate that arrives at t is, if no other head arrives before: with probability the product of 1 - bias * t over
    the others, which is at most exp(-rate * t). Moments are proposed in windows of length 2^-halvings.
    """

    urn: Urn
    lengths: NDArray[np.int64]
    biases: Floats
    rate: Fraction
    halvings: int

    @classmethod
    def of(cls, urn: Urn, lengths: NDArray[np.int64]) -> _Race:
        near = urn.gaps.near
        biases = np.where(near < FAR_LARGEST, far_decay(np.minimum(near, FAR_LARGEST)), 0.0)
        # What all candidates but one expect to have of heads, rounded down.
        heads = Fraction(int((urn.tickets - 1).sum()), 1 << urn.power) * (1 - Fraction(1, 1 << 30)) - 1
        rate = Fraction(max(0, math.floor(heads * (1 << 20))), 1 << 20)
        return cls(urn, lengths, biases, rate, math.ceil(rate).bit_length() if rate > 1 else 0)

    def won(self, run: int, bits: BitSource) -> bool:
        """Whether a candidate of the run is accepted at a proposed moment."""
        window, step = 0, self.rate / (1 << self.halvings)
        while self.halvings and bernoulli_exp(step, 1, bits)[0]:
            window = (window + 1) % (1 << self.halvings)
        moment, height = (int(word) for word in bits.words(2))
        found = self._quickly(run, window, moment, height)
        return self._exactly(run, window, moment, height, bits) if found is None else found

    def _quickly(self, run: int, window: int, moment: int, height: int) -> bool | None:
        """By floats, if they suffice."""
        t = (window + moment * 2.0**-64) * 2.0**-self.halvings
        struck = self.biases * t
        if struck.max() > 1 - 2.0**-20:
            return None
        logs = np.log1p(-struck)
        total = float(logs @ self.lengths) - float(logs[run])
        lifted = float(self.rate * window / (1 << self.halvings))
        give = _NEAR * float((struck / (1 - struck)) @ self.lengths)
        give += (abs(total) + lifted + 1) * (64 * FUNCTION + 2.0**-40 + len(logs) * 2.0**-52)
        chance, u = math.exp(total + lifted), height * 2.0**-64
        if u + 2.0**-53 <= chance * (1 - 2 * give) - 2.0**-50:
            return True
        return False if u >= chance * (1 + 2 * give) + 2.0**-50 else None

    def _exactly(self, run: int, window: int, moment: int, height: int, bits: BitSource) -> bool:
        """By balls, with as many bits of moment and height as it takes."""
        length = 64
        while True:
            with working(length + _GUARD):
                chance = self._chance(run, (window + between(moment, length)) / arb(2) ** self.halvings, length)
                chance *= ball(self.rate * window / (1 << self.halvings)).exp()
                if height + 1 <= (chance * arb(2) ** length):
                    return True
                if height >= (chance * arb(2) ** length):
                    return False
            moment, height, length = append(moment, bits), append(height, bits), length + 64

    def _chance(self, run: int, t: arb, length: int) -> arb:
        """The product over all other candidates of 1 - bias * t; those of tiny bias as one ball."""
        product, few = arb(1), 2 * length + 128
        for index, near in enumerate(self.urn.gaps.near):
            if near <= few:
                coin = 1 - ball(-self.urn.gaps.exponent(index)).exp() * t
                product *= coin ** int(self.lengths[index] - (index == run))
        far = self.urn.gaps.near > few
        if far.any():
            product *= 1 - (arb(1 - few).exp() * int(self.lengths[far].sum())).union(arb(0))
        return product
