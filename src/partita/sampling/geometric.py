"""Two-sided geometric noise: the Laplace density on the integers."""

from __future__ import annotations

from fractions import Fraction

from partita.exact import positive
from partita.sampling import request
from partita.sampling.bits import BitSource, source
from partita.sampling.lattice import draw
from partita.sampling.sampler import Noise
from partita.sampling.shapes import Laplace


def geometric(scale: Fraction | int, size: int, bits: BitSource) -> Noise:
    """Independent integers with probability proportional to exp(-|z| / scale) (theory C4).

    >>> from partita.sampling.bits import TestBits
    >>> geometric(Fraction(5, 2), 4, bits=TestBits(1)).shape
    (4,)
    """
    return draw(Laplace(positive(scale, "scale")), Fraction(0), request.size(size), source(bits))
