"""How many draws may be asked for."""

from __future__ import annotations

from numbers import Integral

from partita.errors import sampling as refuse

_MOST = 1 << 32


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
