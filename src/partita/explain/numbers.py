"""Numbers as people say them, three digits long and rounded against ourselves."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal


def at_most(share: float) -> str:
    """A probability as a percentage, rounded up.

    >>> at_most(0.0271828), at_most(0.5), at_most(1e-6), at_most(0.99999)
    ('2.72%', '50%', '0.0001%', '100%')
    """
    return f"{_plain(_digits(100 * share, ROUND_CEILING))}%"


def at_least(share: float) -> str:
    """A probability as a percentage, rounded down.

    >>> at_least(0.37754), at_least(0.99999), at_least(0.0)
    ('37.7%', '99.9%', '0%')
    """
    return f"{_plain(_digits(100 * share, ROUND_FLOOR))}%"


def percent(share: float) -> str:
    """A probability that was given as such.

    >>> percent(0.01), percent(0.999)
    ('1%', '99.9%')
    """
    return f"{_plain(_digits(100 * share, ROUND_HALF_EVEN))}%"


def factor(number: float) -> str:
    """A factor, rounded up.

    >>> factor(1.6481), factor(1.0), factor(162754.79), factor(1e300)
    ('1.65', '1', '163,000', 'any number')
    """
    if number >= 1e12:
        return "any number"
    return _plain(_digits(number, ROUND_CEILING))


def one_in(share: float) -> str:
    """A small probability as odds, rounded so that it does not look smaller than it is.

    >>> one_in(1e-6), one_in(0.01), one_in(0.9), one_in(0.0105), one_in(2**-50)
    ('one in 1,000,000', 'one in 100', '90%', 'one in 95', 'one in 1,120,000,000,000,000')
    """
    if share > 0.5:
        return at_most(share)
    odds = _digits(1 / share, ROUND_FLOOR)
    odds = odds.to_integral(ROUND_FLOOR) if odds >= 10 else odds
    return f"one in {_plain(odds)}" if odds < 10**16 else f"one in 10^{odds.adjusted()}"


def short(number: float, digits: int = 2) -> str:
    """A number in a few digits, its exponent without padding.

    >>> short(1e-6), short(0.05), short(2.35e-10)
    ('1e-6', '0.05', '2.4e-10')
    """
    text = f"{number:.{digits}g}"
    return text if "e" not in text else f"{text.split('e')[0]}e{int(text.split('e')[1])}"


def _digits(number: float, rounding: str) -> Decimal:
    """The number with three digits; what a float cannot help being off by is not rounded away."""
    shortest = Context(prec=12, rounding=ROUND_HALF_EVEN).create_decimal(repr(float(number)))
    return Context(prec=3, rounding=rounding).plus(shortest)


def _plain(number: Decimal) -> str:
    if 0 < abs(number) < Decimal("1e-9"):
        return f"{number:.1e}"
    text = format(number, ",f")
    return text.rstrip("0").rstrip(".") if "." in text else text
