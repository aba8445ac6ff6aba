"""The words of sanitising SQL that no two engines share: columns write them, each dialect says them."""

from __future__ import annotations

from enum import Enum, unique
from typing import TYPE_CHECKING, final

if TYPE_CHECKING:
    from sqlglot import exp

_MARK = "PARTITA_"


@final
@unique
class Word(Enum):
    """What is asked of an engine beside the plain nodes of sqlglot; total: NULL or an answer for whatever is stored.

    Plain nodes mean what SQL says. Four of them are understood alike everywhere: ``TryCast`` is NULL for a text that
    is no such value, ``RegexpLike`` is asked of a whole text by a pattern from ^ to $, ``IntDiv`` divides whole
    numbers that are not negative, and ``Div`` doubles, by constants.
    """

    # A stored number as a double; beyond doubles, without end.
    DOUBLE = "double"
    # A stored truth value as 1 or 0.
    ONE_OR_ZERO = "one_or_zero"
    # (text, pattern, group): what a group of a pattern found; of another text nothing, or the empty text.
    PIECE = "piece"
    # (text, signs): without these signs at both ends; (text, sign): without it at the right end.
    TRIMMED = "trimmed"
    SHORTENED = "shortened"
    # (text, old, new): with the new text for each old one.
    REPLACED = "replaced"
    # (text, part): whether it is in there, whether it is the beginning, and where it is, counted from 1, or 0.
    CONTAINS = "contains"
    BEGINS = "begins"
    PLACE = "place"
    # Two digits of a text of one or two.
    PADDED = "padded"
    # (time, its type): since the beginning of 1970; NULL for a time without end, or without a number of its own.
    MICROSECONDS = "microseconds"
    NANOSECONDS = "nanoseconds"
    # The same of a text such as 2025-12-31 10:00:00.5; NULL for any other.
    WRITTEN_MICROSECONDS = "written_microseconds"
    # The beginning of 1970 in a type of times.
    EPOCH = "epoch"
    # (number, rising numbers, one number more than these): the one at the place of the first among the rising ones.
    STEP = "step"


def word(which: Word, *parts: exp.Expr | str | int) -> exp.Expr:
    """A word with what it is about; texts and numbers are constants."""
    from sqlglot import exp

    return exp.Anonymous(this=_MARK + which.value, expressions=[_constant(part) for part in parts])


def spoken(node: exp.Expr) -> tuple[Word, list[exp.Expr]] | None:
    """The word that a node is, and its parts; None for a plain node."""
    from sqlglot import exp

    if not isinstance(node, exp.Anonymous) or not str(node.this).startswith(_MARK):
        return None
    return Word(str(node.this).removeprefix(_MARK)), list(node.expressions)


def _constant(part: exp.Expr | str | int) -> exp.Expr:
    from sqlglot import exp

    if isinstance(part, str):
        return exp.Literal.string(part)
    return exp.Literal.number(part) if isinstance(part, int) else part
