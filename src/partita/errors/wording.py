"""How the caller's own values are shown in messages, and the sentences that many refusals share."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

UNTOUCHED: Final = "Nothing was read and nothing was charged."
UNREAD: Final = "No protected data was read and nothing was charged."
STOPPED: Final = "Nothing more was read or charged, and no answer left."


def shown(value: object) -> str:
    """A value as the caller wrote it, cut where it is very long.

    >>> shown(10**5000)
    'a number of 16610 bits'
    """
    if isinstance(value, int) and value.bit_length() > 1000:
        return f"a number of {value.bit_length()} bits"
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


def some(names: Iterable[object], most: int = 12) -> str:
    """The first names of a list, and how many more there are.

    >>> some("abcd", most=3)
    'a, b, c, and 1 more'
    """
    listed = [str(name) for name in names]
    return ", ".join(listed[:most]) + (f", and {len(listed) - most} more" if len(listed) > most else "")
