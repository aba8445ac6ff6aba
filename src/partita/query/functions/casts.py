"""Numbers of another type: rounding as SQL does it, and what a type of whole numbers can hold."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import Final

from sqlglot import exp

MOST_DIGITS: Final = 30
# The whole numbers of SQL, by their bits.
WIDTHS: Final = {"tinyint": 8, "smallint": 16, "int": 32, "bigint": 64, "hugeint": 128}
_WRITTEN: Final = re.compile(r"[+-]?[0-9]{1,18}")


def rounded(value: Fraction, digits: int) -> Fraction:
    """To the nearest, halves away from zero, as SQL does."""
    if abs(digits) > MOST_DIGITS:
        raise ValueError(digits)
    unit = Fraction(10) ** -digits
    away = math.floor(abs(value) / unit + Fraction(1, 2)) * unit
    return away if value >= 0 else -away


def read(text: str) -> Fraction | None:
    """The whole number that a text is; None if it is none, as a category that was not declared never is.

    >>> read("12"), read("OTHER")
    (Fraction(12, 1), None)
    """
    return Fraction(text) if _WRITTEN.fullmatch(text) else None


def whole(node: exp.Cast | exp.TryCast, value: Fraction, *, floating: bool) -> Fraction | None:
    """A number as one of a type of whole numbers; in a cast that may fail, NULL for what it cannot hold."""
    bits = next((bits for name, bits in WIDTHS.items() if node.is_type(name)), 0)
    if not bits:
        raise ValueError(node)
    # A floating half goes to the even neighbour, a decimal one away from zero.
    made = Fraction(round(value)) if floating else rounded(value, 0)
    if -(2 ** (bits - 1)) <= made < 2 ** (bits - 1):
        return made
    if isinstance(node, exp.TryCast):
        return None
    raise ValueError(node)
