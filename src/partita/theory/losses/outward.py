"""Floats rounded outward, and the accuracy that is assumed of the platform's elementary functions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Complexes = npt.NDArray[np.complex128]

# Half a unit in the last place of a float near one.
UNIT = 2.0**-53
# exp, expm1, log, log1p, sin, cos, tanh, sqrt, erfc of numpy and the C library are taken to be within four units
# in the last place (tests/unit/theory/losses/test_outward.py compares them with Arb).
FUNCTION = 8 * UNIT


def up(value: float, relative: float = 4 * UNIT) -> float:
    """A float not below any number within the relative error of the value.

    >>> up(0.1) > 0.1
    True
    """
    if value != value:
        return math.inf
    return math.nextafter(value + abs(value) * relative, math.inf)


def down(value: float, relative: float = 4 * UNIT) -> float:
    """A float not above any number within the relative error of the value.

    >>> down(0.1) < 0.1
    True
    """
    return -up(-value, relative)


def probability_up(value: float, relative: float = 4 * UNIT) -> float:
    """A probability rounded up and never above one; zero stays zero only if it is given as zero.

    >>> probability_up(0.25) > 0.25, probability_up(1.5)
    (True, 1.0)
    """
    if value == 0.0:
        return 0.0
    return min(1.0, max(0.0, up(value, relative)))


def floats(values: Any) -> Floats:
    """A contiguous array of doubles."""
    return np.ascontiguousarray(values, dtype=np.float64)
