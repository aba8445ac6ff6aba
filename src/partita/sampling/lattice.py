"""Noise on the integers of any scale: which table serves a request."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from partita.sampling.bits import BitSource
from partita.sampling.cells import Cells
from partita.sampling.laws import Discrete, Rounded
from partita.sampling.sampler import Direct, Noise, Sampler
from partita.sampling.shapes import Shape

HALF = Fraction(1, 2)

# A small request is served from a coarse table, made in a moment, by the same steps for every draw, so that its time
# does not tell which draw took a shortcut. A large one is served from a fine table by shortcuts.
SMALL = 2048
_COARSE = (16, 8)  # scales from 16 on by cells, of which a scale holds at least 8
_FINE = (128, 32)


def draw(shape: Shape, inset: Fraction, size: int, bits: BitSource) -> Noise:
    """Independent noise of this shape: rounded (inset 1/2) or discrete (inset 0); int64, or object beyond it.

    >>> from partita.sampling.bits import TestBits
    >>> from partita.sampling.shapes import Gaussian
    >>> draw(Gaussian(Fraction(4)), HALF, 5, TestBits(1)).dtype
    dtype('int64')
    """
    table = _coarse(shape, inset) if size <= SMALL else _fine(shape, inset)
    return table.draw(size, bits)


@lru_cache(maxsize=512)
def _coarse(shape: Shape, inset: Fraction) -> Sampler:
    return table(shape, inset, *_COARSE, guided=False)


@lru_cache(maxsize=32)
def _fine(shape: Shape, inset: Fraction) -> Sampler:
    return table(shape, inset, *_FINE, guided=True)


def table(shape: Shape, inset: Fraction, direct: int, least: int, *, guided: bool) -> Sampler:
    """One table of all thresholds for scales below ``direct``, else of cells, at least ``least`` of them to a scale.

    >>> from partita.sampling.shapes import Laplace
    >>> type(table(Laplace(Fraction(3)), HALF, 16, 8, guided=False)).__name__
    'Direct'
    """
    if shape.resolution(1) < direct * direct:
        return Direct.of(Rounded(shape) if inset else Discrete(shape), guided=guided)
    return Cells.of(shape, _half_log(shape.resolution(least)), inset, guided=guided)


def _half_log(ratio: Fraction) -> int:
    """The largest power with 4^power <= ratio, for a ratio of four or more."""
    power = max(1, (ratio.numerator.bit_length() - ratio.denominator.bit_length() - 1) // 2)
    return power + 1 if ratio >= 4 ** (power + 1) else power
