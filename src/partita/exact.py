"""Exact rationals read from what people write, and rounding in a chosen direction."""

from __future__ import annotations

import math
import re
from decimal import Decimal, localcontext
from fractions import Fraction
from numbers import Integral, Rational, Real

from partita.errors import foundation as refuse

Number = int | float | str | Decimal | Fraction

_DECIMAL = re.compile(r"\s*([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,6}))?\s*", re.ASCII)
_RATIO = re.compile(r"\s*([+-]?)(\d+)\s*/\s*(\d+)\s*", re.ASCII)
_MAX_DIGITS = 4000
_MAX_EXPONENT = 5000
# No promise, price or scale is larger or smaller than this; exact results of arithmetic may be.
_LARGEST = Fraction(10) ** 75
_SMALL = 1 << 62
# So many binary digits apart, numerator and denominator are certainly within those limits.
_USUAL = 240


def exact(value: object, name: str = "value") -> Fraction:
    """The rational number that the caller wrote; a float means its shortest decimal text.

    >>> exact(0.1), exact("1e-6"), exact("1/3")
    (Fraction(1, 10), Fraction(1, 1000000), Fraction(1, 3))
    """
    if isinstance(value, bool):
        raise refuse.not_a_number(name, value)
    if isinstance(value, Fraction):
        return value
    if type(value) is float and math.isfinite(value):
        return _moderate(_read(repr(value), name), name, value)
    if isinstance(value, str):
        return _moderate(_read(value, name), name, value)
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise refuse.not_finite(name, value)
        return _moderate(_read(format(value, "E"), name), name, value)
    if isinstance(value, Integral):
        return _moderate(Fraction(int(value)), name, value)
    if isinstance(value, Rational):
        return Fraction(int(value.numerator), int(value.denominator))
    if isinstance(value, Real):
        number = float(value)
        if not math.isfinite(number):
            raise refuse.not_finite(name, value)
        # numpy's narrower floats print their own shortest text, which is what the caller saw.
        text = str(value)
        return _moderate(_read(text, name) if _DECIMAL.fullmatch(text) else Fraction(number), name, value)
    raise refuse.not_a_number(name, value)


def written(value: object, name: str = "value") -> Fraction:
    """The number of which an exact rational's text was kept: results of arithmetic may be beyond what callers may give.

    >>> written("1/" + "2" + "0" * 80) == Fraction(1, 2 * 10**80)
    True
    """
    return _read(value, name) if isinstance(value, str) else exact(value, name)


def nonnegative(value: object, name: str = "value") -> Fraction:
    """An exact number that is zero or more.

    >>> nonnegative("0.5", "rho")
    Fraction(1, 2)
    """
    number = exact(value, name)
    if number < 0:
        raise refuse.negative(name, value)
    return number


def positive(value: object, name: str = "value") -> Fraction:
    """An exact number above zero.

    >>> positive(4, "scale")
    Fraction(4, 1)
    """
    number = exact(value, name)
    if number <= 0:
        raise refuse.not_positive(name, value)
    return number


def probability(value: object, name: str = "probability") -> Fraction:
    """An exact number strictly between zero and one.

    >>> probability(0.95, "confidence")
    Fraction(19, 20)
    """
    number = exact(value, name)
    if not 0 < number < 1:
        raise refuse.outside_unit_interval(name, value)
    return number


def whole(value: object, name: str = "count", *, least: int = 0) -> int:
    """A whole number that is at least ``least``; 3.0 is whole, True is not a number.

    >>> whole("12", "count")
    12
    """
    if type(value) is int and least <= value <= _SMALL:
        return value
    number = exact(value, name)
    if number.denominator != 1:
        raise refuse.not_whole(name, value)
    if number < least:
        raise refuse.too_small(name, value, least)
    return int(number)


def fraction_up(number: Fraction, bits: int = 64) -> Fraction:
    """The least dyadic rational with ``bits`` significant bits that is not below the number.

    >>> fraction_up(Fraction(1, 3), 4)
    Fraction(11, 32)
    """
    return -fraction_down(-number, bits)


def fraction_down(number: Fraction, bits: int = 64) -> Fraction:
    """The greatest dyadic rational with ``bits`` significant bits that is not above the number.

    >>> fraction_down(Fraction(1, 3), 4)
    Fraction(5, 16)
    """
    if number == 0:
        return number
    shift = bits - (abs(number.numerator).bit_length() - number.denominator.bit_length())
    scaled = number * (1 << shift) if shift >= 0 else number / (1 << -shift)
    floor = math.floor(scaled)
    return Fraction(floor, 1 << shift) if shift >= 0 else Fraction(floor * (1 << -shift))


def float_up(number: Fraction) -> float:
    """The least float that is not below the number (infinity where there is none).

    >>> float_up(Fraction(1, 10)) >= Fraction(1, 10)
    True
    """
    try:
        near = number.numerator / number.denominator
    except OverflowError:
        return math.inf if number > 0 else -math.nextafter(math.inf, 0)
    if math.isinf(near):
        return near if near > 0 else -math.nextafter(math.inf, 0)
    return near if Fraction(near) >= number else math.nextafter(near, math.inf)


def float_down(number: Fraction) -> float:
    """The greatest float that is not above the number.

    >>> float_down(Fraction(1, 10)) <= Fraction(1, 10)
    True
    """
    return -float_up(-number)


def shown(number: Fraction, digits: int = 6) -> str:
    """A number as people read it, rounded to some digits, however large or small it is.

    >>> shown(Fraction(1, 3)), shown(Fraction(10) ** 400)
    ('0.333333', '1E+400')
    """
    try:
        near = number.numerator / number.denominator
    except OverflowError:
        near = math.inf
    if math.isfinite(near) and (near or not number):
        return f"{near:.{digits}g}"
    with localcontext(prec=digits, Emax=10**15, Emin=-(10**15)):
        return str((Decimal(number.numerator) / Decimal(number.denominator)).normalize())


def _moderate(number: Fraction, name: str, value: object) -> Fraction:
    if abs(number.numerator.bit_length() - number.denominator.bit_length()) < _USUAL:
        return number
    if number and not 1 / _LARGEST <= abs(number) <= _LARGEST:
        raise refuse.out_of_range(name, value)
    return number


def _read(text: str, name: str) -> Fraction:
    if len(text) > _MAX_DIGITS:
        raise refuse.too_long(name, text)
    ratio = _RATIO.fullmatch(text)
    if ratio:
        sign, top, bottom = ratio.groups()
        if int(bottom) == 0:
            raise refuse.not_finite(name, text)
        return Fraction(-int(top) if sign == "-" else int(top), int(bottom))
    decimal = _DECIMAL.fullmatch(text)
    if decimal is None or not (decimal[2] or decimal[3]):
        if text.strip().lower().lstrip("+-") in {"nan", "inf", "infinity"}:
            raise refuse.not_finite(name, text)
        raise refuse.not_a_number(name, text)
    sign, before, after, exponent = decimal.groups()
    power = int(exponent or 0) - len(after or "")
    if abs(int(exponent or 0)) > _MAX_EXPONENT:
        raise refuse.too_long(name, text)
    digits = int((before or "") + (after or ""))
    magnitude = Fraction(digits * 10**power) if power >= 0 else Fraction(digits, 10**-power)
    return -magnitude if sign == "-" else magnitude


def number(value: Fraction) -> str:
    """A number as decimal text where it has one, otherwise as a division.

    >>> number(Fraction(-5, 4)), number(Fraction(1, 3))
    ('-1.25', '(1 / 3)')
    """
    bottom, digits = value.denominator, 0
    while 10**digits % bottom and digits < 60:
        digits += 1
    if 10**digits % bottom:
        return f"({value.numerator} / {value.denominator})"
    if not digits:
        return str(value.numerator)
    scaled = str(abs(value.numerator) * (10**digits // bottom)).rjust(digits + 1, "0")
    return f"{'-' if value < 0 else ''}{scaled[:-digits]}.{scaled[-digits:]}"
