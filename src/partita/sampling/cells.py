"""Wide noise: a cell of many integers by table, a place in it by plain bits, and an exact test that accepts."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Self, final

import numpy as np
from flint import arb
from numpy.typing import NDArray

from partita.sampling.balls import append, between, working
from partita.sampling.bits import BitSource, Words
from partita.sampling.decay import ERROR, LARGEST, Floats, decay
from partita.sampling.laws import Envelope
from partita.sampling.sampler import BLOCK, Noise, Sampler, put
from partita.sampling.shapes import Shape
from partita.sampling.thresholds import UNSURE, Guide, Integers, Thresholds, extended, lanes
from partita.theory.numerics import ball

Marks = NDArray[np.bool_]
Squeeze = NDArray[np.uint16]

# The float ratio is off by at most 2 ERROR (rounded.proof.md, 5); the margin is twice that.
MARGIN = 4 * ERROR
_WIDEST = 48  # cells wider than 2^48 may leave 64 bits, so their noise is Python's integers
_FURTHEST = 1 << 14  # and so may cells as far out as this


@final
@dataclass(frozen=True, slots=True, eq=False)
class Cells(Sampler):
    """Noise of a shape by proposals: cell j holds the 2^power integers from j 2^power on.

    A uniform place R in [0, 1) of the cell is accepted if a uniform V is below the density there over the weight
    of the cell. With an inset of 1/2 the place is real and its integer part is released: rounded noise. With an
    inset of 0 the place is the integer itself: discrete noise.
    """

    shape: Shape
    power: int
    inset: Fraction
    thresholds: Thresholds
    shortcuts: tuple[Guide, Squeeze] | None  # by the first 16 bits of U; without them all draws take the same steps

    @classmethod
    def of(cls, shape: Shape, power: int, inset: Fraction, *, guided: bool) -> Self:
        """The table of the cells; with shortcuts, also a lower bound on the ratio in each."""
        thresholds = Thresholds.of(Envelope(shape, 1 << power, inset))
        plain = cls(shape, power, inset, thresholds, None)
        if not guided or power > _WIDEST:
            return plain
        guide = thresholds.guide()
        return cls(shape, power, inset, thresholds, (guide, plain.squeeze(guide)))

    def attempt(self, size: int, bits: BitSource) -> tuple[Noise, Integers]:
        """Proposals, and the indices of those refused."""
        found: Noise = np.empty(size, dtype=np.int64)
        refused = [np.empty(0, dtype=np.int64)]
        for start in range(0, size, BLOCK):
            count = min(BLOCK, size - start)
            if self.shortcuts is None:
                chosen = np.arange(count)
                u, v = bits.words(count), bits.words(count)
                r = [bits.words(count) for _ in range(-(-self.power // 64))]
            else:
                guide, squeeze = self.shortcuts
                first, height, place = lanes(count, bits), lanes(count, bits), bits.words(count)
                found[start : start + count] = self._narrow_values(
                    guide.take(first, mode="wrap").astype(np.int64), place
                )
                chosen = np.flatnonzero(height >= squeeze.take(first, mode="wrap"))
                u, v, r = extended(first[chosen], bits), extended(height[chosen], bits), [place[chosen]]
            cells, accepted = self.test(u, v, r, bits)
            found = put(found, start + chosen, self.values(cells, r))
            refused.append(start + chosen[~accepted])
        return found, np.concatenate(refused)

    def test(self, u: Words, v: Words, r: list[Words], bits: BitSource) -> tuple[Integers, Marks]:
        """The cell of each proposal, and whether its place is accepted; ``r`` holds the words of the place in turn.

        Every proposal takes the same steps, but for the few that the first 64 bits of U, V and R do not decide.
        """
        cells, undecided = self.thresholds.find(u)
        ratio, known = self.ratio(cells, r[0])
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
                scaled = self.ratio_ball(cell, place, length) * arb(2) ** height
                if v + 1 <= scaled:
                    return True
                if v >= scaled:
                    return False
            v, height = append(v, bits), height + 64
            place, length = append(place, bits), length + 64

    def ratio(self, cells: Integers, place: Words) -> tuple[Floats, Marks]:
        """The density at each place over the weight of its cell, and where the bound on its error holds."""
        if self.inset == 0 and self.power < 64:  # the place is an integer: what follows it does not count
            place = place >> np.uint64(64 - self.power) << np.uint64(64 - self.power)
        shift = float(self.inset / (1 << self.power))
        left = cells < 0
        away = np.where(left, -1 - cells, cells)
        inward = (place >> np.uint64(11)) * 2.0**-53
        # How much further out than `away` units, and then than the point that gave the cell its weight.
        beyond = np.where(left, 1.0 - inward + shift, inward - shift)
        beyond = np.where(away == 0, np.abs(beyond), beyond + shift)
        excess = self.shape.excess(np.maximum(away - shift, 0.0), beyond, 1 << self.power)
        return decay(np.clip(excess, 0.0, LARGEST)), excess < LARGEST

    def ratio_ball(self, cell: int, place: int, length: int) -> arb:
        """The same for one place, known by its first bits."""
        unit = 1 << self.power
        if self.inset == 0:
            position = ball(cell * unit + (place >> (length - self.power)))
        else:
            position = (cell + between(place, length)) * unit - ball(self.inset)
        away = -1 - cell if cell < 0 else cell
        near = ball(max(away * unit - self.inset, Fraction(0)))
        return (self.shape.exponent_ball(near) - self.shape.exponent_ball(abs(position))).exp()

    def squeeze(self, guide: Guide) -> Squeeze:
        """By the first 16 bits of U: a V that starts with less is accepted all over the cell."""
        cells = guide.astype(np.int64)
        away = np.where(cells < 0, -1 - cells, cells)
        shift = float(self.inset / (1 << self.power))
        longest = np.full(len(cells), 1 + 2 * shift)
        excess = self.shape.excess(np.maximum(away - shift, 0.0), longest, 1 << self.power)
        least = np.maximum(decay(np.clip(excess, 0.0, LARGEST)) - MARGIN, 0.0)
        least[(guide == UNSURE) | (excess >= LARGEST)] = 0.0
        return np.floor(least * 2.0**16).astype(np.uint16)

    def values(self, cells: Integers, r: list[Words]) -> Noise:
        """The integers at these places of these cells, in Python's integers if any might not fit into 64 bits."""
        furthest = max(-int(cells.min(initial=0)), int(cells.max(initial=0)))
        if self.power <= _WIDEST and furthest < _FURTHEST:
            return self._narrow_values(cells, r[0])
        place = r[0].astype(object)
        for word in r[1:]:
            place = place * (1 << 64) + word.astype(object)
        values: Noise = cells.astype(object) * (1 << self.power) + place // (1 << (64 * len(r) - self.power))
        return values

    def _narrow_values(self, cells: Integers, place: Words) -> Integers:
        return (cells << self.power) | (place >> np.uint64(64 - self.power)).view(np.int64)
