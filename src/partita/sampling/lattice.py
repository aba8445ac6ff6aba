"""Noise on the integers of any scale: which table serves a request, and draws from it in blocks."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partita.sampling.bits import BitSource, Words
from partita.sampling.cells import Cells
from partita.sampling.laws import Discrete, Rounded
from partita.sampling.shapes import Shape
from partita.sampling.thresholds import UNSURE, Integers, Thresholds, extended, lanes

HALF = Fraction(1, 2)

# A small request takes every step for every draw, so that its time does not tell which draw took a shortcut, and is
# served from a coarse table that is made in a moment. A large one is served from a fine table by shortcuts.
SMALL = 2048
_BLOCK = 1 << 15
_WIDEST = 48  # cells wider than 2^48 may leave 64 bits, so their noise is Python's integers

Noise = NDArray[Any]


def draw(shape: Shape, inset: Fraction, size: int, bits: BitSource) -> Noise:
    """Independent noise of this shape: rounded (inset 1/2) or discrete (inset 0); int64, or object beyond it.

    >>> from partita.sampling.bits import TestBits
    >>> from partita.sampling.shapes import Gaussian
    >>> draw(Gaussian(Fraction(4)), HALF, 5, TestBits(1)).dtype
    dtype('int64')
    """
    small = size <= SMALL
    power = cell_power(shape, 16 if small else 128, 8 if small else 32)
    if power == 0:
        return _draw_by_table(_table(shape, inset), size, bits, small=small)
    cells = _coarse_cells(shape, power, inset) if small else _fine_cells(shape, power, inset)
    return _draw_by_cells(cells, size, bits, small=small)


def cell_power(shape: Shape, direct: int, least: int) -> int:
    """The logarithm of the width of a cell: none for scales below ``direct``, else ``least`` cells or more a scale."""
    if shape.resolution(1) < direct * direct:
        return 0
    ratio = shape.resolution(least)
    # The largest power with 4^power <= ratio.
    power = max(0, (ratio.numerator.bit_length() - ratio.denominator.bit_length()) // 2 - 1)
    while ratio >= 4 ** (power + 1):
        power += 1
    return power


@lru_cache(maxsize=64)
def _table(shape: Shape, inset: Fraction) -> Thresholds:
    return Thresholds.of(Rounded(shape) if inset else Discrete(shape))


@lru_cache(maxsize=256)
def _coarse_cells(shape: Shape, power: int, inset: Fraction) -> Cells:
    return Cells.of(shape, power, inset)


@lru_cache(maxsize=32)
def _fine_cells(shape: Shape, power: int, inset: Fraction) -> Cells:
    return Cells.of(shape, power, inset)


def _draw_by_table(table: Thresholds, size: int, bits: BitSource, *, small: bool) -> Noise:
    found = np.empty(size, dtype=np.int64)
    if small:
        return _resolve(found, np.arange(size), bits.words(size), table, bits)
    for start in range(0, size, _BLOCK):
        block = found[start : start + _BLOCK]
        first = lanes(len(block), bits)
        block[:] = values = table.guide.take(first, mode="wrap")
        unsure = np.flatnonzero(values == UNSURE)
        found = _resolve(found, start + unsure, extended(first[unsure], bits), table, bits)
    return found


def _resolve(found: Noise, where: Integers, words: Words, table: Thresholds, bits: BitSource) -> Noise:
    values, undecided = table.find(words)
    found[where] = values
    for i in np.flatnonzero(undecided):
        found = _put(found, int(where[i]), table.decide(int(words[i]), bits))
    return found


def _draw_by_cells(cells: Cells, size: int, bits: BitSource, *, small: bool) -> Noise:
    wide = cells.power > _WIDEST
    found = np.empty(size, dtype=object if wide else np.int64)
    refused: list[Integers] = []
    for start in range(0, size, size if small else _BLOCK):
        block = found[start : start + _BLOCK]
        if small or wide:
            count = len(block)
            u, v = bits.words(count), bits.words(count)
            r = [bits.words(count) for _ in range(max(1, -(-cells.power // 64)))]
            chosen = np.arange(count)
        else:
            first, height = lanes(len(block), bits), lanes(len(block), bits)
            place = bits.words(len(block))
            np.left_shift(cells.thresholds.guide.take(first, mode="wrap"), cells.power, out=block, dtype=np.int64)
            block |= (place >> np.uint64(64 - cells.power)).view(np.int64)
            chosen = np.flatnonzero(height >= cells.squeeze.take(first, mode="wrap"))
            u, v = extended(first[chosen], bits), extended(height[chosen], bits)
            r = [place[chosen]]
        which, accepted = cells.test(u, v, r, bits)
        block[chosen] = _values(which, r, cells.power, wide=wide)
        refused.append(start + chosen[~accepted])
    again = np.concatenate(refused) if refused else np.empty(0, dtype=np.int64)
    if again.size:
        found[again] = draw(cells.shape, cells.inset, again.size, bits)
    return found


def _values(which: Integers, r: list[Words], power: int, *, wide: bool) -> Noise:
    if not wide:
        return (which << power) | (r[0] >> np.uint64(64 - power)).view(np.int64)
    place = r[0].astype(object)
    for word in r[1:]:
        place = place * (1 << 64) + word.astype(object)
    values: Noise = which.astype(object) * (1 << power) + place // (1 << (64 * len(r) - power))
    return values


def _put(found: Noise, where: int, value: int) -> Noise:
    """Write one value, in Python's integers if it has more than 64 bits."""
    if found.dtype != object and not -(1 << 63) <= value < 1 << 63:
        found = found.astype(object)
    found[where] = value
    return found
