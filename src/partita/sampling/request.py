"""What a draw may be asked for: how many, and of which scale."""

from __future__ import annotations

from fractions import Fraction
from numbers import Integral

from partita.errors import sampling as refuse
from partita.exact import positive

_MOST = 1 << 32
_EXTREME = 10**1000


def size(value: object) -> int:
    """A number of draws: a whole number of zero or more, neither True nor 3.0.

    >>> size(12)
    12
    """
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise refuse.not_a_size(value)
    count = int(value)
    if count < 0:
        raise refuse.not_a_size(value)
    if count > _MOST:
        raise refuse.size_too_large(count, _MOST)
    return count


def scale(value: object, name: str = "scale") -> Fraction:
    """A positive rational that noise can be drawn from exactly.

    >>> scale("0.5")
    Fraction(1, 2)
    """
    number = positive(value, name)
    if number > _EXTREME or number * _EXTREME < 1:
        raise refuse.scale_out_of_reach(name, value)
    return number
