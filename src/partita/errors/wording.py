"""How the caller's own values are shown in messages, and the sentences that many refusals share."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

UNTOUCHED: Final = "Nothing was read and nothing was charged."
UNREAD: Final = "No protected data was read and nothing was charged."
STOPPED: Final = "Nothing more was read or charged, and no answer left."
MEANING: Final = {
    "open": UNREAD,
    "look": STOPPED,
    "reserve": UNREAD,
    "commit": "The charge stands and the answer was withheld; ask again with the same key to get it.",
}
"""What it means that a ledger failed at one of its stages."""


def shown(value: object) -> str:
    """A value as the caller wrote it, cut where it is very long.

    >>> shown(10**5000)
    'a number of 16610 bits'
    """
    if isinstance(value, int) and value.bit_length() > 1000:
        return f"a number of {value.bit_length()} bits"
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


def printable(text: str) -> str:
    r"""A text that somebody else wrote, without what a terminal would obey: controls, directions and the like.

    >>> printable("a\x1b[2Jb"), printable("\u202e\xfc 1")
    ('a\\x1b[2Jb', '\\u202e\xfc 1')
    """
    return "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode("ascii") for sign in text)


def some(names: Iterable[object], most: int = 12) -> str:
    """The first names of a list, and how many more there are.

    >>> some("abcd", most=3)
    'a, b, c, and 1 more'
    """
    listed = [str(name) for name in names]
    return ", ".join(listed[:most]) + (f", and {len(listed) - most} more" if len(listed) > most else "")


def counted(number: int, one: str, many: str = "") -> str:
    """A number of things, in words that fit it.

    >>> counted(1, "release"), counted(1200, "release"), counted(2, "entry", "entries")
    ('1 release', '1,200 releases', '2 entries')
    """
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"
