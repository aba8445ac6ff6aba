"""Sums of whole amounts that cannot leave 64 bits: in two halves where they might, and held at a ceiling."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from partita.composition.account.loads.units import LARGEST, ROOM
from partita.limits import current

Integers = npt.NDArray[np.int64]

_BITS = 31
_LOW = (1 << _BITS) - 1


def held(amounts: Iterable[int]) -> tuple[int, ...]:
    """Amounts as they are counted: from ``ROOM`` on, more is no longer told apart from more.

    >>> held([3, 10**30]) == (3, ROOM)
    True
    """
    return tuple(min(int(amount), ROOM) for amount in amounts)


def countable(budget: Iterable[int]) -> tuple[int, ...]:
    """A budget that loads can be compared with: what is held at ``ROOM`` is far above it."""
    return tuple(min(int(part), LARGEST) for part in budget)


def totals(amounts: Integers) -> list[int]:
    """The exact sums of the columns, as Python numbers.

    >>> totals(np.full((4, 1), 2**62))
    [18446744073709551616]
    """
    upper, lower = (amounts >> _BITS).sum(axis=0), (amounts & _LOW).sum(axis=0)
    return [(int(high) << _BITS) + int(low) for high, low in zip(upper, lower, strict=True)]


def total(amounts: Integers) -> int:
    """The exact sum, as a Python number.

    >>> total(np.full(4, 2**62)) == 2**64
    True
    """
    return (int((amounts >> _BITS).sum()) << _BITS) + int((amounts & _LOW).sum())


def halves(amounts: Integers) -> list[Integers]:
    """Amounts whose sums fit 64 bits: the amounts themselves if they come to little all together, else their halves.

    What is summed of each half by itself goes to `joined`.
    """
    return [amounts] if total(amounts) <= current().single else [amounts & _LOW, amounts >> _BITS]


def joined(sums: Sequence[Integers]) -> Integers:
    """The sums of amounts from the sums of their `halves`, held at ``ROOM``.

    >>> joined([part.cumsum() for part in halves(np.full(40, 2**58))]).tolist() == [2**58] + 39 * [ROOM]
    True
    """
    found: Integers
    if len(sums) == 1:
        found = np.minimum(sums[0], ROOM)
        return found
    low, high = sums
    upper = np.minimum(high + (low >> _BITS), ROOM >> _BITS)
    found = np.minimum((upper << _BITS) + (low & _LOW), ROOM)
    return found
