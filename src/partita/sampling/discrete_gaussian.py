"""Discrete Gaussian noise: the normal density on the integers."""

from __future__ import annotations

from fractions import Fraction

from partita.exact import positive
from partita.sampling import request
from partita.sampling.bits import BitSource, source
from partita.sampling.lattice import draw
from partita.sampling.sampler import Noise
from partita.sampling.shapes import Gaussian


def discrete_gaussian(variance: Fraction | int, size: int, bits: BitSource) -> Noise:
    """Independent integers with probability proportional to exp(-z² / (2 variance)) (theory C8).

    >>> from partita.sampling.bits import TestBits
    >>> discrete_gaussian(Fraction(5, 2), 4, bits=TestBits(1)).shape
    (4,)
    """
    return draw(Gaussian(positive(variance, "variance")), Fraction(0), request.size(size), source(bits))
