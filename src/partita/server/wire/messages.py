"""Messages of the protocol, version 3: how what is sent is written, and what is received is read."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, final

from partita.errors import wire as refuse

VERSION: Final = 3 << 16
SSL_REQUEST: Final = 80877103
GSS_REQUEST: Final = 80877104
CANCEL_REQUEST: Final = 80877102

PARSE_COMPLETE: Final = b"1\0\0\0\x04"
BIND_COMPLETE: Final = b"2\0\0\0\x04"
CLOSE_COMPLETE: Final = b"3\0\0\0\x04"
NO_DATA: Final = b"n\0\0\0\x04"
SUSPENDED: Final = b"s\0\0\0\x04"
EMPTY: Final = b"I\0\0\0\x04"

_LONG: Final = struct.Struct("!i")
_SHORT: Final = struct.Struct("!h")
_COLUMN: Final = struct.Struct("!ihihih")


@final
class Fields:
    """The fields of a message that was received, one after the other; too few or too many are refused."""

    def __init__(self, body: bytes) -> None:
        self._body, self._at = body, 0

    def long(self) -> int:
        """A number of four bytes."""
        return int(_LONG.unpack(self.taken(4))[0])

    def short(self) -> int:
        """A number of two bytes, counted from zero."""
        return int(_SHORT.unpack(self.taken(2))[0]) & 0xFFFF

    def taken(self, length: int) -> bytes:
        """So many bytes."""
        end = self._at + length
        if length < 0 or end > len(self._body):
            raise refuse.malformed("a message is shorter than it says")
        found = self._body[self._at : end]
        self._at = end
        return found

    def text(self) -> str:
        """A text up to its NUL."""
        end = self._body.find(b"\0", self._at)
        if end < 0:
            raise refuse.malformed("a text has no end")
        found = self._body[self._at : end]
        self._at = end + 1
        return decoded(found)

    def value(self) -> bytes | None:
        """A value with its length; NULL is None."""
        length = self.long()
        return None if length == -1 else self.taken(length)

    def rest(self) -> bytes:
        """All that is left."""
        return self.taken(len(self._body) - self._at)

    def end(self) -> None:
        """Refuse a message that goes on."""
        if self._at != len(self._body):
            raise refuse.malformed("a message is longer than it says")


def decoded(found: bytes) -> str:
    """Bytes as a text."""
    try:
        return found.decode("utf-8")
    except UnicodeDecodeError:
        raise refuse.not_utf8() from None


def message(tag: bytes, *parts: bytes) -> bytes:
    """A message with its length.

    >>> message(b"Z", b"I")
    b'Z\\x00\\x00\\x00\\x05I'
    """
    body = b"".join(parts)
    return tag + _LONG.pack(len(body) + 4) + body


def text(value: str) -> bytes:
    """A text with its NUL; one inside it would end it early."""
    return value.replace("\0", "").encode("utf-8", "replace") + b"\0"


def authentication(kind: int, body: bytes = b"") -> bytes:
    """A step of signing in."""
    return message(b"R", _LONG.pack(kind), body)


def parameter(name: str, value: str) -> bytes:
    """A setting as the server has it."""
    return message(b"S", text(name), text(value))


def key_data(number: int, secret: int) -> bytes:
    """What a client has to know to cancel."""
    return message(b"K", struct.pack("!II", number, secret))


def ready(state: str) -> bytes:
    """The server waits: idle, in a transaction, or in one that failed."""
    return message(b"Z", state.encode())


def complete(tag: str) -> bytes:
    """A statement is done."""
    return message(b"C", text(tag))


def problem(tag: bytes, fields: Mapping[str, str]) -> bytes:
    """An error or a notice."""
    return message(tag, *(name.encode() + text(value) for name, value in fields.items()), b"\0")


def row_description(columns: Iterable[tuple[str, int, int]], formats: Sequence[int]) -> bytes:
    """What the lines of an answer hold: name, type and size of each column."""
    parts = []
    for (name, kind, size), form in zip(columns, formats, strict=True):
        parts.append(text(name) + _COLUMN.pack(0, 0, kind, size, -1, form))
    return message(b"T", _SHORT.pack(len(parts)), *parts)


def parameter_description(kinds: Sequence[int]) -> bytes:
    """The types of the parameters of a statement."""
    return message(b"t", struct.pack("!H", len(kinds)), *(_LONG.pack(kind) for kind in kinds))


def data_row(values: Iterable[bytes | None]) -> bytes:
    """A line of an answer."""
    parts = []
    for value in values:
        parts.append(b"\xff\xff\xff\xff" if value is None else _LONG.pack(len(value)) + value)
    return message(b"D", _SHORT.pack(len(parts)), *parts)
