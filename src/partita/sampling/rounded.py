"""Real Gaussian, Laplace and exponential noise, rounded to the nearest integer: the preferred noise."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from partita.exact import positive
from partita.sampling import request, shapes
from partita.sampling.bits import BitSource, source
from partita.sampling.lattice import HALF, draw
from partita.sampling.sampler import Noise


def gaussian(scale: Fraction | int, size: int, bits: BitSource) -> Noise:
    """The nearest integers to independent normal variables with this standard deviation (theory C17).

    The law is exactly that of round(X): noise added to an integer is a post-processing of the real Gaussian mechanism.
    Scales of about 2^53 and more give an array of Python's integers.

    >>> from partita.sampling.bits import TestBits
    >>> gaussian(Fraction(5, 2), 4, bits=TestBits(1)).shape
    (4,)
    """
    sigma = positive(scale, "scale")
    return draw(shapes.Gaussian(sigma * sigma), HALF, request.size(size), source(bits))


def laplace(scale: Fraction | int, size: int, bits: BitSource) -> Noise:
    """The nearest integers to independent Laplace variables with this scale (theory C17).

    >>> from partita.sampling.bits import TestBits
    >>> laplace(Fraction(5, 2), 4, bits=TestBits(1)).shape
    (4,)
    """
    return draw(shapes.Laplace(positive(scale, "scale")), HALF, request.size(size), source(bits))


def exponential(scale: Fraction | int, size: int, bits: BitSource) -> Noise:
    """The nearest integers to independent exponential variables with this mean: the size of Laplace noise.

    >>> from partita.sampling.bits import TestBits
    >>> bool((exponential(3, 100, bits=TestBits(1)) >= 0).all())
    True
    """
    return np.abs(laplace(scale, size, bits))
