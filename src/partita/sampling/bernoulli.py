"""Coins of exact bias: a rational number, or the exponential of one."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
from flint import arb
from numpy.typing import NDArray

from partita.errors import foundation as refuse
from partita.exact import exact, nonnegative
from partita.sampling import request
from partita.sampling.balls import floor, is_below, working
from partita.sampling.bits import BitSource, source
from partita.sampling.decay import FAR_ERROR, FAR_LARGEST, Floats, far_decay
from partita.theory.numerics import ball

Coins = NDArray[np.bool_]

_MARGIN = 4 * FAR_ERROR
_ONE = Fraction(1)


def bernoulli(p: Fraction | int, size: int, bits: BitSource) -> Coins:
    """Independent coins that come up True with probability exactly p.

    >>> from partita.sampling.bits import TestBits
    >>> bernoulli(Fraction(1, 3), 3000, bits=TestBits(1)).sum() in range(860, 1140)
    True
    """
    bias = exact(p, "p")
    if not 0 <= bias <= 1:
        raise refuse.outside_unit_interval("p", p)
    return _coins(lambda: ball(bias), request.size(size), source(bits))


def bernoulli_exp(x: Fraction | int, size: int, bits: BitSource) -> Coins:
    """Independent coins that come up True with probability exactly exp(-x), for x of zero or more.

    >>> from partita.sampling.bits import TestBits
    >>> bernoulli_exp(Fraction(1, 2), 3000, bits=TestBits(1)).sum() in range(1680, 1960)
    True
    """
    exponent = nonnegative(x, "x")
    return _coins(lambda: ball(-exponent).exp(), request.size(size), source(bits))


def bernoulli_exp_each(near: Floats, exponent: Callable[[int], Fraction], bits: BitSource) -> Coins:
    """One coin for each exponent: coin i comes up True with probability exactly exp(-exponent(i)).

    ``near`` are the same exponents as floats, right to a relative 2^-50; they decide all but one coin in 2^38.

    >>> from partita.sampling.bits import TestBits
    >>> bernoulli_exp_each(np.array([0.0, 900.0]), [Fraction(0), Fraction(900)].__getitem__, TestBits(1))
    array([ True, False])
    """
    words = bits.words(len(near))
    height = (words >> np.uint64(11)) * 2.0**-53
    bias = np.where(near < FAR_LARGEST, far_decay(np.minimum(near, FAR_LARGEST)), 0.0)
    found = height + 2.0**-53 <= bias - _MARGIN
    for i in np.flatnonzero(~found & (height < bias + _MARGIN)):
        found[i] = exp_is_above(int(words[i]), exponent(int(i)), bits)
    return found


def exp_is_above(word: int, exponent: Fraction, bits: BitSource, *, times: Fraction = _ONE) -> bool:
    """Whether the uniform number that starts with this word is below times * exp(-exponent).

    >>> from partita.sampling.bits import TestBits
    >>> exp_is_above(0, Fraction(40), TestBits(1))
    True
    """
    return is_below(word, 64, lambda: ball(times) * ball(-exponent).exp(), bits)


def _coins(bias: Callable[[], arb], size: int, bits: BitSource) -> Coins:
    with working(128):
        scaled = bias() * arb(2) ** 64
        low, high = floor(scaled.lower()), -floor(-scaled.upper())
    words = bits.words(size)
    # Words below low are below the bias with all their continuations; words from high on are not.
    found = words < np.uint64(low) if low < 1 << 64 else np.ones(size, dtype=np.bool_)
    within = words <= np.uint64(min(high, 1 << 64) - 1) if high > 0 else np.zeros(size, dtype=np.bool_)
    for i in np.flatnonzero(~found & within):
        found[i] = is_below(int(words[i]), 64, bias, bits)
    return found
