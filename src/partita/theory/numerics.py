"""Rigorous real numbers: Arb balls evaluated until they are tight, then rounded outward to exact rationals."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from flint import arb, ctx, fmpq

from partita.effort import spend_composing
from partita.errors import PartitaError
from partita.errors import theory as refuse
from partita.exact import fraction_down, fraction_up
from partita.live import free_after_fork

_BITS = 64
_PRECISIONS = (96, 192, 384, 768, 1536, 3072, 6144, 12288)
# Arb keeps its working precision in one place for the whole process. A race would only widen a ball, never make
# it wrong; the lock keeps it from widening.
LOCK = free_after_fork()
# Far below the least positive float: nothing is gained by resolving a value that may as well be zero.
_NEGLIGIBLE = arb(2) ** -1200
# Rounded outward to a size that fits in memory: e^(-10^14) has 10^14 binary digits.
_LEAST = Fraction(1, 1 << 1200)
_IMMENSE = arb(2) ** 20000
# Nothing that people write down is larger; a search that has come so far finds nothing.
_FURTHEST = Fraction(1 << 4096)
# How near a crossing is found in floats, and how far beside it the exact condition is asked first.
_SHORT = 2.0**-52
_NEAR = Fraction(1, 1 << 47)


def ball(number: Fraction | int) -> arb:
    """The ball around an exact rational at the working precision."""
    return arb(fmpq(number.numerator, number.denominator))


def upper(evaluate: Callable[[], arb], name: str = "this quantity") -> Fraction:
    """A rational not below the value, and above it by at most a few units in the 60th bit.

    >>> upper(lambda: arb(1).exp()) > Fraction(271828182845904523, 10**17)
    True
    """
    end = _end(evaluate, name, high=True)
    return fraction_up(_LEAST if end is None else rational(end), _BITS)


def lower(evaluate: Callable[[], arb], name: str = "this quantity") -> Fraction:
    """A rational not above the value, and below it by at most a few units in the 60th bit.

    >>> lower(lambda: arb(1).exp()) < Fraction(271828182845904524, 10**17)
    True
    """
    end = _end(evaluate, name, high=False)
    return fraction_down(-_LEAST if end is None else rational(end), _BITS)


def float_above(evaluate: Callable[[], arb], name: str = "this quantity") -> float:
    """A float not below the value, next to it; infinity where there is none.

    >>> float_above(lambda: arb(1).exp())
    2.7182818284590455
    """
    end = _end(evaluate, name, high=True)
    if end is None:
        return math.ulp(0.0)
    near = float(end)
    while not arb(near) >= end:
        near = math.nextafter(near, math.inf)
    return near


def float_below(evaluate: Callable[[], arb], name: str = "this quantity") -> float:
    """A float not above the value, next to it.

    >>> float_below(lambda: arb(1).exp())
    2.718281828459045
    """
    return -float_above(lambda: -evaluate(), name)


def rational(number: arb) -> Fraction:
    """The exact rational of a ball without radius."""
    mantissa, exponent = number.man_exp()
    power = int(exponent)
    return Fraction(int(mantissa) << power) if power >= 0 else Fraction(int(mantissa), 1 << -power)


def normal_cdf(x: arb) -> arb:
    """The standard normal distribution function.

    >>> normal_cdf(arb(0))
    0.500000000000000
    """
    return (-x / arb(2).sqrt()).erfc() / 2


def normal_quantile(p: arb) -> arb:
    """The inverse of the standard normal distribution function.

    >>> normal_quantile(arb("0.5")) * 0 == 0
    True
    """
    return -arb(2).sqrt() * (2 * p).erfcinv()


def gaussian_delta(mu: arb, epsilon: arb) -> arb:
    """The exact profile of a Gaussian shifted by mu standard deviations (theory B13)."""
    middle, half, root = epsilon / mu, mu / 2, arb(2).sqrt()
    return (((middle - half) / root).erfc() - epsilon.exp() * ((middle + half) / root).erfc()) / 2


def least(holds: Callable[[Fraction], bool], low: Fraction, high: Fraction, *, steps: int = 80) -> Fraction:
    """The upper end of a bisection for the least value at which a monotone condition holds.

    The condition must hold at ``high``; the value returned always satisfies it.

    >>> float(least(lambda x: x * x >= 2, Fraction(0), Fraction(2)))
    1.4142135623730951
    """
    for _ in range(steps):
        middle = fraction_down((low + high) / 2, 80)
        if middle <= low or middle >= high:
            break
        if holds(middle):
            high = middle
        else:
            low = middle
    return high


def least_positive(
    holds: Callable[[Fraction], bool],
    start: Fraction = Fraction(1),
    *,
    steps: int = 60,
    ratio: Callable[[Fraction], float] | None = None,
) -> Fraction:
    """The least positive value at which a monotone condition holds, a little above it, bracketed from a start.

    ``ratio`` falls where the value grows, and is about one where the condition begins to hold. It decides nothing: it
    says where the condition is worth asking, and the value found is the same without it.

    >>> float(least_positive(lambda x: x * x >= 2000))
    44.721359549995796
    """
    failed, held = Fraction(0), _FURTHEST * 2

    def known(value: Fraction) -> bool:
        """The condition is monotone: it is asked only between what is known to fail and what is known to hold."""
        nonlocal failed, held
        if value <= failed or value >= held:
            return value >= held
        if holds(value):
            held = value
            return True
        failed = value
        return False

    near = None if ratio is None else _crossing(ratio, start)
    if near is not None:
        known(near * (1 + _NEAR))
        known(near * (1 - _NEAR))
    high = start
    while not known(high):
        high *= 2
        if high > _FURTHEST:
            raise refuse.beyond_numerics("This value")
    low = high / 2
    while known(low):
        high, low = low, low / 2
    return least(known, low, high, steps=steps)


def _crossing(ratio: Callable[[Fraction], float], start: Fraction) -> Fraction | None:
    """Where a falling ratio is about one: by secants of the logarithms, nearly straight. None if not found."""
    try:
        place, slope = math.log(start), -1.0
        last: tuple[float, float] | None = None
        for _ in range(12):
            above = math.log(ratio(Fraction(math.exp(place))))
            if abs(above) < 2 * _SHORT:
                break
            if last is not None and last[0] != place and (above - last[1]) / (place - last[0]) < 0:
                slope = (above - last[1]) / (place - last[0])
            last = place, above
            place -= above / slope
        return Fraction(math.exp(place))
    except (ArithmeticError, ValueError, PartitaError):
        return None


def _end(evaluate: Callable[[], arb], name: str, *, high: bool) -> arb | None:
    """One end of a tight ball, exactly; None where the value may as well be zero."""
    with LOCK:
        before = ctx.prec
        try:
            value = arb("nan")
            for precision in _PRECISIONS:
                ctx.prec = precision
                spend_composing(precision >> 3)
                value = evaluate()
                if value.is_finite() and (value.rel_accuracy_bits() >= _BITS or value.abs_upper() < _NEGLIGIBLE):
                    break
            if not value.is_finite() or value.abs_upper() > _IMMENSE:
                raise refuse.beyond_numerics(name)
            if value.abs_upper() < _NEGLIGIBLE:
                return None
            return value.upper() if high else value.lower()
        finally:
            ctx.prec = before
