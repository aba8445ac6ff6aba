"""The low bits of floating-point noise: which outputs a naive sampler can never give for another input."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from partita.exact import whole

Floats = NDArray[np.float64]


def last_bit(values: ArrayLike) -> Floats:
    """The exponent of the last set bit of each float: integers have it at 0 or above, 0.75 at -2.

    Adding a sensitive number to floating-point noise decides where the last bit may stand, so its place tells inputs
    apart that their sizes do not. Zero, NaN and infinities have no last bit and give plus infinity.

    >>> last_bit([1.0, 12.0, 0.75, 0.0])
    array([ 0.,  2., -2., inf])
    """
    numbers = np.asarray(values, dtype=np.float64)
    mantissa, exponent = np.frexp(np.where(np.isfinite(numbers), numbers, 0.0))
    whole_part = np.abs(np.ldexp(mantissa, 53)).astype(np.int64)
    trailing = np.frexp((whole_part & -whole_part).astype(np.float64))[1] - 1
    return np.where(whole_part == 0, np.inf, (exponent - 53 + trailing).astype(np.float64))


def naive_laplace(uniforms: ArrayLike, location: float, scale: float = 1.0) -> Floats:
    """Laplace noise as textbooks draw it, in doubles from a uniform of 53 bits: broken, and here to be attacked.

    >>> naive_laplace([0.75], 1.0).round(6)
    array([1.693147])
    """
    u = np.asarray(uniforms, dtype=np.float64) - 0.5
    with np.errstate(divide="ignore"):
        noise: Floats = -scale * np.sign(u) * np.log1p(-2 * np.abs(u))
    return location + noise


def impossible(
    outputs: ArrayLike,
    location: float,
    scale: float = 1.0,
    *,
    sampler: Callable[[Floats, float, float], Floats] = naive_laplace,
    reach: int = 64,
) -> NDArray[np.bool_]:
    """Which outputs the floating-point sampler cannot have produced around this location (theory G6).

    Every uniform is a multiple of 2^-53 and the sampler is monotone up to rounding, so trying the multiples near the
    exact inverse decides whether any of them gives the output.

    >>> under_one = naive_laplace(np.arange(1, 1000) / 1024, 1.0)
    >>> bool(impossible(under_one, 1.0).any())
    False
    """
    seen = np.asarray(outputs, dtype=np.float64)
    near = np.rint(_cdf((seen - location) / scale) * 2.0**53)
    possible = np.zeros(seen.shape, dtype=np.bool_)
    for step in range(-whole(reach, "reach"), reach + 1):
        candidate = np.clip(near + step, 1, 2.0**53 - 1) * 2.0**-53
        possible |= sampler(candidate, location, scale) == seen
    return ~possible


def _cdf(x: Floats) -> Floats:
    # np.where would evaluate e^x on both sides of zero, and one of them overflows.
    tail = 0.5 * np.exp(-np.abs(x))
    return np.where(x < 0, tail, 1 - tail)
