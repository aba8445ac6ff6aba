"""Formats of days: a text such as 31.12.2025 as a day, the same in Python and in SQL."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final, final

from partita.errors import region as refuse
from partita.region.dialects.words import Word, word

if TYPE_CHECKING:
    from sqlglot import exp

_MONTHS: Final = (
    *("january", "february", "march", "april", "may", "june", "july"),
    *("august", "september", "october", "november", "december"),
)
# Each month in as many signs, so that the place of a name between blanks tells its number.
_WIDTH: Final = 20
_TABLE: Final = "".join(f" {month} {month[:3]} ".ljust(_WIDTH) for month in _MONTHS)
# Two digits of a year, from here on, are of the last century; as everywhere else.
_PIVOT = 69
_NAMED = "([A-Za-z]{3,9})"
_PIECES: Final = {
    "d": ("day", "([0-9]{1,2})"),
    "m": ("month", "([0-9]{1,2})"),
    "Y": ("year", "([0-9]{4})"),
    "y": ("short", "([0-9]{2})"),
    "b": ("named", _NAMED),
    "B": ("named", _NAMED),
    "H": ("", "[0-9]{1,2}"),
    "I": ("", "[0-9]{1,2}"),
    "M": ("", "[0-9]{2}"),
    "S": ("", "[0-9]{2}(?:[.][0-9]+)?"),
    "p": ("", "[AaPp][Mm]"),
    "%": ("", "%"),
}


@final
@dataclass(frozen=True, slots=True)
class Format:
    """The pattern of a format, and which of its groups are day, month and year."""

    pattern: str
    groups: tuple[str, ...]

    def iso(self, text: str) -> str | None:
        """The day as year-month-day, or None for another text; there may be no such day."""
        found = re.fullmatch(self.pattern[1:-1], text)
        if found is None:
            return None
        parts = dict(zip(self.groups, found.groups(), strict=True))
        year = parts["year"] if "year" in parts else ("19" if int(parts["short"]) >= _PIVOT else "20") + parts["short"]
        month = parts["month"] if "month" in parts else str(_month(parts["named"]))
        return f"{year}-{month.rjust(2, '0')}-{parts['day'].rjust(2, '0')}"

    def day_of(self, text: exp.Expr) -> exp.Expr:
        """The same in SQL, as a day, or NULL."""
        from sqlglot import exp

        def piece(name: str) -> exp.Expr:
            return word(Word.PIECE, text.copy(), self.pattern, self.groups.index(name) + 1)

        if "year" in self.groups:
            year = piece("year")
        else:
            late = exp.GTE(this=piece("short"), expression=exp.Literal.string(str(_PIVOT)))
            century = exp.Case().when(late, exp.Literal.string("19")).else_(exp.Literal.string("20"))
            year = exp.DPipe(this=exp.paren(century), expression=piece("short"))
        month = word(Word.PADDED, piece("month")) if "month" in self.groups else _month_of(piece("named"))
        written = year
        for part in (exp.Literal.string("-"), month, exp.Literal.string("-"), word(Word.PADDED, piece("day"))):
            written = exp.DPipe(this=written, expression=part)
        # A text of another form has empty parts, and nothing that is made of these is a day.
        return exp.TryCast(this=exp.paren(written), to=exp.DataType.build("DATE"))


def _month(name: str) -> int:
    """The number of a month by its English name; 0 for another word."""
    return (_TABLE.find(f" {name.lower()} ") + _WIDTH) // _WIDTH


def _month_of(name: exp.Expr) -> exp.Expr:
    """The same in SQL, in two digits."""
    from sqlglot import exp

    blank = exp.Literal.string(" ")
    sought = exp.DPipe(this=exp.DPipe(this=blank, expression=exp.Lower(this=name)), expression=blank.copy())
    place = word(Word.PLACE, _TABLE, sought)
    raised = exp.paren(exp.Add(this=place, expression=exp.Literal.number(_WIDTH - 1)))
    number = exp.cast(exp.IntDiv(this=raised, expression=exp.Literal.number(_WIDTH)), "VARCHAR")
    return word(Word.PADDED, number)


@lru_cache(maxsize=256)
def day_format(written: str) -> Format:
    """A format as it is declared: %d, %m, %Y or %y, %b or %B for English months, and times, which are dropped.

    >>> day_format("%d.%m.%Y").iso("1.12.2025")
    '2025-12-01'
    >>> day_format("%d %b %y").iso("05 Mar 98")
    '1998-03-05'
    """
    pattern, groups, place = "", [], 0
    while place < len(written):
        sign = written[place]
        if sign == "%":
            place += 1
            piece = _PIECES.get(written[place : place + 1])
            if piece is None:
                raise refuse.bad_format(written, f"%{written[place : place + 1]} is not known")
            if piece[0]:
                groups.append(piece[0])
            pattern += piece[1]
        elif sign.isdigit():
            raise refuse.bad_format(written, "it has digits of its own")
        else:
            pattern += re.escape(sign)
        place += 1
    told = [{"year": "year", "short": "year", "month": "month", "named": "month", "day": "day"}[one] for one in groups]
    if sorted(told) != ["day", "month", "year"]:
        raise refuse.bad_format(written, "it needs a day, a month and a year, once each")
    return Format(f"^{pattern}$", tuple(groups))
