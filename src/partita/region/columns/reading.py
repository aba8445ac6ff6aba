"""How texts of a column are read: words for nothing, decimal commas, units, formats of days, words for yes and no."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, final

from partita.errors import region as refuse
from partita.region.columns.stored import Family, family
from partita.region.dialects.words import Word, word

if TYPE_CHECKING:
    from sqlglot import exp

BLANKS = " \u00a0"
# A space between thousands is written as any of these.
_SPACES = " \u00a0\u202f"
_SEPARATORS = (".", ",", " ", "'", "\u2019", "_")
_MOST = 200


@final
@dataclass(frozen=True, slots=True)
class Reading:
    """How one column's texts are read; each text by itself, and what is not so written is a missing value.

    Only texts are read so: a stored number, day or truth value is what it is.

    >>> Reading(decimal=",", thousands=".", unit=("€",)).number("1.234,50 €")
    1234.5
    """

    null: tuple[str, ...] = ()
    trim: bool = False
    decimal: str = ""
    thousands: str = ""
    unit: tuple[str, ...] = ()
    format: tuple[str, ...] = ()
    true: tuple[str, ...] = ()
    false: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.decimal not in ("", ".", ","):
            raise refuse.bad_reading("decimal", self.decimal, 'Give "." or ",".')
        if self.thousands and self.thousands not in _SEPARATORS:
            raise refuse.bad_reading("thousands", self.thousands, f"Give one of {' '.join(map(repr, _SEPARATORS))}.")
        if self.thousands and self.thousands == self.point:
            raise refuse.bad_reading("thousands", self.thousands, "The decimal sign must be another one.")
        for unit in self.unit:
            if not re.search(r"[^0-9+\-.,'\u2019_\s]", unit) or re.search(r"[0-9]", unit):
                raise refuse.bad_reading("unit", unit, 'Give a sign or a word without digits, such as "€" or "%".')
        shared = set(_cased(self.true)) & set(_cased(self.false))
        if shared:
            raise refuse.bad_reading("true", min(shared), "The same word stands in false=.")
        if bool(self.true) != bool(self.false):
            raise refuse.bad_reading("true", self.true or self.false, "Give words for both, true= and false=.")

    @property
    def point(self) -> str:
        """The decimal sign; a comma where points stand between thousands."""
        return self.decimal or ("," if self.thousands == "." else ".")

    @property
    def plain_numbers(self) -> bool:
        """Whether numbers are written as everywhere else."""
        return self.point == "." and not self.thousands and not self.unit

    def text(self, value: str) -> str | None:
        """A text without what stands for nothing."""
        if self.trim:
            value = value.strip(BLANKS)
        return None if value in self.nothing else value

    @property
    def nothing(self) -> tuple[str, ...]:
        """The texts that are no value."""
        return (*self.null, *([""] if self.trim and "" not in self.null else []))

    def number(self, value: str) -> float | None:
        """A number so written, or None."""
        if re.fullmatch(_number(self)[1:-1], value) is None:
            return None
        for old, new in _replaced(self):
            value = value.replace(old, new)
        return float(value)

    def truth(self, value: str) -> bool | None:
        """A truth value so written, or None."""
        return True if value in _cased(self.true) else False if value in _cased(self.false) else None

    # --- the same in SQL ------------------------------------------------------------------------------------------

    def stored(self, stored: exp.Expr, stored_type: str) -> exp.Expr:
        """A stored value without what stands for nothing."""
        from sqlglot import exp

        if family(stored_type) is not Family.TEXT or not (self.trim or self.null):
            return stored
        text: exp.Expr = exp.cast(stored, "VARCHAR")
        if self.trim:
            text = word(Word.TRIMMED, text, BLANKS)
        gone = exp.In(this=text.copy(), expressions=[exp.Literal.string(word) for word in self.nothing])
        return exp.Case().when(gone, exp.cast(exp.null(), "VARCHAR")).else_(text)

    def number_of(self, text: exp.Expr) -> exp.Expr:
        """A number so written, as a double, or NULL."""
        from sqlglot import exp

        bare: exp.Expr = text.copy()
        for old, new in _replaced(self):
            bare = word(Word.REPLACED, bare, old, new)
        matches = exp.RegexpLike(this=text, expression=exp.Literal.string(_number(self)))
        return exp.Case().when(matches, exp.TryCast(this=bare, to=exp.DataType.build("DOUBLE")))

    def truth_of(self, text: exp.Expr) -> exp.Expr:
        """A truth value so written, or NULL."""
        from sqlglot import exp

        def listed(words: tuple[str, ...]) -> exp.Expr:
            return exp.In(this=text.copy(), expressions=[exp.Literal.string(word) for word in _cased(words)])

        return exp.Case().when(listed(self.true), exp.true()).when(listed(self.false), exp.false())

    def describe(self) -> dict[str, object]:
        """What differs from plain reading, as plain data."""
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in given.items() if value}

    def under(self, file: Reading, *, numbers: bool) -> Reading:
        """This reading, and where it says nothing what the file says; of decimals only for a column of numbers."""
        made = replace(self, null=self.null or file.null, trim=self.trim or file.trim)
        if not numbers or self.decimal or self.thousands:
            return made
        return replace(made, decimal=file.decimal, thousands=file.thousands)


def reading_of(kind: str, **given: Any) -> Reading | None:
    """A reading from what a declaration says; None if it says nothing."""
    parts: dict[str, Any] = {}
    for name, value in given.items():
        if value is None:
            continue
        if name in ("decimal", "thousands"):
            if not isinstance(value, str):
                raise refuse.bad_reading(name, value, "Give it as text.")
            parts[name] = value
            continue
        words = (value,) if isinstance(value, str) else value
        if not isinstance(words, list | tuple) or len(words) > _MOST or not all(isinstance(one, str) for one in words):
            raise refuse.bad_reading(name, value, f"Give a text, or a list of at most {_MOST} texts.")
        parts[name] = tuple(words)
    made = Reading(**parts)
    return None if made == PLAIN else made


def restored(parts: Mapping[str, Any]) -> Reading | None:
    """The reading in a column's description."""
    found = parts.get("reading")
    if found is None:
        return None
    given: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in found.items()}
    return Reading(**given)


def described(reading: Reading | None) -> dict[str, object]:
    """The part of a column's description that tells of its reading; nothing for a plain one, as ever."""
    return {} if reading is None else {"reading": reading.describe()}


@lru_cache(maxsize=256)
def _cased(words: tuple[str, ...]) -> tuple[str, ...]:
    """Words as people capitalise them, listed: engines disagree about the small letter of a rare capital."""
    forms = [form for word in words for form in (word, word.lower(), word.upper(), word.capitalize())]
    return tuple(dict.fromkeys(forms))


@lru_cache(maxsize=256)
def _number(reading: Reading) -> str:
    """The pattern of a number, anchored; groups of thousands have three digits, or the text is no number."""
    point = re.escape(reading.point)
    whole = "[0-9]+"
    if reading.thousands:
        between = f"[{_SPACES}]" if reading.thousands == " " else re.escape(reading.thousands)
        whole = f"(?:[0-9]{{1,3}}(?:{between}[0-9]{{3}})+|[0-9]+)"
    digits = f"(?:{whole}(?:{point}[0-9]*)?|{point}[0-9]+)"
    if not reading.unit:
        return f"^ *[+-]?{digits}(?:[eE][+-]?[0-9]+)? *$"
    unit = "(?:" + "|".join(map(re.escape, sorted(reading.unit, key=len, reverse=True))) + ")"
    blank = f"[{_SPACES}]*"
    before = f"(?:[+-]?{blank}(?:{unit}{blank})?|{unit}{blank}[+-]?{blank})"
    return f"^{blank}{before}{digits}(?:{blank}{unit})?{blank}$"


@lru_cache(maxsize=256)
def _replaced(reading: Reading) -> tuple[tuple[str, str], ...]:
    """What is taken out of a text that matches, in order, until only digits, sign and point are left."""
    units = [(unit, "") for unit in sorted(reading.unit, key=len, reverse=True)]
    blanks = [(blank, "") for blank in _SPACES]
    thousands = [(reading.thousands, "")] if reading.thousands.strip() else []
    return (*units, *blanks, *thousands, *([(reading.point, ".")] if reading.point != "." else []))


PLAIN = Reading()
