"""exp(-t) from additions and multiplications alone, with a proven bound on its error."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_DEGREE = 12
_COEFFICIENTS = [(-1) ** n / math.factorial(n) for n in range(_DEGREE, -1, -1)]
_NEAR, _FAR = 3, 9  # squarings

# The largest argument, and the relative error up to there.
LARGEST, ERROR = 2.0 ** (_NEAR - 2), 2.0 ** (_NEAR - 50)
FAR_LARGEST, FAR_ERROR = 2.0 ** (_FAR - 2), 2.0 ** (_FAR - 50)


def decay(t: Floats) -> Floats:
    """exp(-t) within a factor 1 ± ``ERROR`` for 0 <= t <= ``LARGEST``, whatever the mathematical library.

    >>> abs(float(decay(np.array([1.0]))[0]) - math.exp(-1)) < ERROR
    True
    """
    return _squared(t, _NEAR)


def far_decay(t: Floats) -> Floats:
    """exp(-t) within a factor 1 ± ``FAR_ERROR`` for 0 <= t <= ``FAR_LARGEST``.

    >>> abs(float(far_decay(np.array([100.0]))[0]) / math.exp(-100) - 1) < FAR_ERROR
    True
    """
    return _squared(t, _FAR)


def far_decay_of(t: float) -> float:
    """The same for one number.

    >>> far_decay_of(3.25) == float(far_decay(np.array([3.25]))[0])
    True
    """
    s: float = t * 2.0**-_FAR
    power: float = _COEFFICIENTS[0]
    for coefficient in _COEFFICIENTS[1:]:
        power = power * s + coefficient
    for _ in range(_FAR):
        power *= power
    return power


def _squared(t: Floats, squarings: int) -> Floats:
    s = t * 2.0**-squarings
    power = np.full_like(s, _COEFFICIENTS[0])
    for coefficient in _COEFFICIENTS[1:]:
        power *= s
        power += coefficient
    for _ in range(squarings):
        power *= power
    return power
