"""Maps from the codes of a finer column to those of a coarser one, piece by piece, and preimages under them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import final

from partita.region.codes import Codes, holds, joined


@final
@dataclass(frozen=True, slots=True)
class Piece:
    """New codes low, ..., high - 1: all go to the old code ``to``, or, if it ``slides``, to the codes from there on.

    ``each`` is how many new codes go to one old code where it slides.
    """

    low: int
    high: int
    to: int
    slides: bool = False
    each: int = 1


@final
@dataclass(frozen=True, slots=True)
class CodeMap:
    """A total map from new codes to old ones; the pieces cover every new code once.

    >>> wider = CodeMap(clamping(0, 150, 0, 100))
    >>> wider.of(40), wider.of(149), wider.preimage(((100, 101),))
    (40, 100, ((100, 151),))
    """

    pieces: tuple[Piece, ...]

    def of(self, code: int) -> int:
        """The old code of a new one."""
        for piece in self.pieces:
            if piece.low <= code < piece.high:
                return piece.to + ((code - piece.low) // piece.each if piece.slides else 0)
        raise IndexError(code)

    def preimage(self, codes: Codes) -> Codes:
        """The new codes whose old code is in a set."""
        return joined(interval for piece in self.pieces for interval in _met(piece, codes))


def _met(piece: Piece, codes: Codes) -> Iterable[tuple[int, int]]:
    if not piece.slides:
        return [(piece.low, piece.high)] if holds(codes, piece.to) else []
    # A piece holds whole runs of new codes with one old code.
    end = piece.to + (piece.high - piece.low) // piece.each
    met = [(max(low, piece.to) - piece.to, min(high, end) - piece.to) for low, high in codes]
    return [(piece.low + first * piece.each, piece.low + last * piece.each) for first, last in met if first < last]


def clamping(low: int, high: int, old_low: int, old_high: int, each: int = 1) -> tuple[Piece, ...]:
    """The codes of the whole numbers low, ..., high, each clamped to the old bounds, which are no wider.

    With ``each`` the old numbers are those of steps so many times as wide, and a number belongs to the step below it.

    >>> [CodeMap(clamping(-1, 7, 0, 3, each=2)).of(code) for code in range(9)]
    [0, 0, 0, 1, 1, 2, 2, 3, 3]
    """
    inner, outer = old_low * each - low, old_high * each - low
    pieces = (
        Piece(0, inner, 0),
        Piece(inner, outer, 0, True, each),
        Piece(outer, high - low + 1, old_high - old_low),
    )
    return tuple(piece for piece in pieces if piece.low < piece.high)
