"""Wide noise: a cell of many integers by table, a place in it by plain bits, and an exact test that accepts."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Self, final

import numpy as np
from flint import arb
from numpy.typing import NDArray

from partita.sampling.balls import append, ball, between, working
from partita.sampling.bits import BitSource, Words
from partita.sampling.decay import ERROR, LARGEST, decay
from partita.sampling.laws import Envelope
from partita.sampling.shapes import Floats, Shape
from partita.sampling.thresholds import UNSURE, Integers, Thresholds

Marks = NDArray[np.bool_]

# The float ratio is off by at most 2 ERROR (cells.proof.md); the margin is twice that.
MARGIN = 4 * ERROR


@final
@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """Proposals for noise of a shape: cell j holds the 2^power integers from j 2^power on.

    A uniform place R in [0, 1) of the cell is accepted if a uniform V is below the density there over the weight
    of the cell. With an inset of 1/2 the place is real and its integer part is released: rounded noise. With an
    inset of 0 the place is the integer itself: discrete noise.
    """

    shape: Shape
    power: int
    inset: Fraction
    thresholds: Thresholds
    squeeze: NDArray[np.uint16]  # by the first 16 bits of U: a V that starts below is accepted all over the cell

    @classmethod
    def of(cls, shape: Shape, power: int, inset: Fraction) -> Self:
        """The table of the cells, with a lower bound on the ratio in each."""
        thresholds = Thresholds.of(Envelope(shape, 1 << power, inset))
        cells = thresholds.guide.astype(np.int64)
        away = np.where(cells < 0, -1 - cells, cells)
        shift = float(inset / (1 << power))
        furthest = shape.excess(np.maximum(away - shift, 0.0), np.full(len(away), 1 + 2 * shift), 1 << power)
        least = decay(np.minimum(furthest, LARGEST)) - MARGIN
        least[(thresholds.guide == UNSURE) | (furthest >= LARGEST)] = 0.0
        squeeze = np.floor(np.maximum(least, 0.0) * 2.0**16).astype(np.uint16)
        return cls(shape, power, inset, thresholds, squeeze)

    def test(self, u: Words, v: Words, r: list[Words], bits: BitSource) -> tuple[Integers, Marks]:
        """The cell of each proposal, and whether its place is accepted; ``r`` holds the words of the place in turn.

        Every proposal takes the same steps, but for the few that the first 64 bits of U, V and R do not decide.
        """
        cells, undecided = self.thresholds.find(u)
        ratio, known = self._ratio(cells, r[0])
        height = (v >> np.uint64(11)) * 2.0**-53
        accepted = height + 2.0**-53 <= ratio - MARGIN
        undecided |= ~known | ~(accepted | (height >= ratio + MARGIN))
        for i in np.flatnonzero(undecided):
            cells[i] = cell = self.thresholds.decide(int(u[i]), bits)
            place = 0
            for word in r:
                place = (place << 64) | int(word[i])
            accepted[i] = self.accepts(cell, place, 64 * len(r), int(v[i]), bits)
        return cells, accepted

    def accepts(self, cell: int, place: int, length: int, v: int, bits: BitSource) -> bool:
        """Whether V is below the ratio at the place, by appending bits to both until that is certain."""
        height = 64
        while True:
            with working(max(length, height) + self.power + 64):
                scaled = self._ratio_ball(cell, place, length) * arb(2) ** height
                if v + 1 <= scaled:
                    return True
                if v >= scaled:
                    return False
            v, height = append(v, bits), height + 64
            place, length = append(place, bits), length + 64

    def _ratio(self, cells: Integers, place: Words) -> tuple[Floats, Marks]:
        if self.inset == 0 and self.power < 64:  # the place is an integer: what follows it does not count
            place = place >> np.uint64(64 - self.power) << np.uint64(64 - self.power)
        shift = float(self.inset / (1 << self.power))
        left = cells < 0
        away = np.where(left, -1 - cells, cells)
        inward = (place >> np.uint64(11)) * 2.0**-53
        # How much further than `away` cells, and then how much further than the nearest point of the cell's bound.
        beyond = np.where(left, 1.0 - inward + shift, inward - shift)
        beyond = np.where(away == 0, np.abs(beyond), beyond + shift)
        excess = self.shape.excess(np.maximum(away - shift, 0.0), beyond, 1 << self.power)
        return decay(np.clip(excess, 0.0, LARGEST)), excess < LARGEST

    def _ratio_ball(self, cell: int, place: int, length: int) -> arb:
        unit = 1 << self.power
        if self.inset == 0:
            position = ball(cell * unit + (place >> (length - self.power)))
        else:
            position = (cell + between(place, length)) * unit - ball(self.inset)
        away = -1 - cell if cell < 0 else cell
        near = ball(max(away * unit - self.inset, Fraction(0)))
        return (self.shape.exponent_ball(near) - self.shape.exponent_ball(abs(position))).exp()
