"""A public list of names; everything else is OTHER."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, final

from partita.calls import called
from partita.errors import refinement as words
from partita.errors import region as refuse
from partita.region.codemap import Piece
from partita.region.codes import Codes, difference, span
from partita.region.columns.base import Bounded, Operator
from partita.region.columns.reading import Reading, described, reading_of, restored
from partita.region.columns.stored import as_text, floating, text_of
from partita.region.dialects.words import Word, word

if TYPE_CHECKING:
    from sqlglot import exp


@final
@dataclass(frozen=True, slots=True)
class Categories(Bounded):
    """The names in the order given, then the OTHER atom, then NULL unless a missing value is declared.

    >>> sex = categories("F", "M")
    >>> [sex.code(value) for value in ("F", "M", "X", None)], sex.value(2)
    ([0, 1, 2, 3], 'OTHER')
    """

    kind: ClassVar[str] = "categories"
    names: tuple[str, ...]
    other: str = "OTHER"
    missing: str | None = None
    constant: bool = False
    reading: Reading | None = None
    labels: tuple[str, ...] = field(init=False, compare=False, repr=False)
    """The sanitised values in the order of their codes, the OTHER atom last."""
    _places: Mapping[str, int] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        if not self.names:
            raise refuse.no_categories()
        listed = set(self.names)
        # A list of 100,000 names is looked through once, and not for every value.
        object.__setattr__(self, "labels", self.names if self.other in listed else (*self.names, self.other))
        object.__setattr__(self, "_places", {label: code for code, label in enumerate(self.labels)})
        if len(listed) != len(self.names):
            raise refuse.repeated_category(next(name for name in self.names if self.names.count(name) > 1))
        if self.missing is not None and self.missing not in listed | {self.other}:
            raise refuse.unknown_category("missing", self.missing, self.names)
        for label in self.labels:
            if self.reading is not None and self.reading.text(label) != label:
                raise refuse.bad_reading("null", label, "A category is called so, and would never be found.")

    @property
    def size(self) -> int:
        return len(self.labels) + (1 if self.missing is None else 0)

    @property
    def ordered(self) -> bool:
        return False

    def code(self, value: object) -> int:
        text = self._text(value)
        if text is None:
            return self.size - 1 if self.missing is None else self._places[self.missing]
        return self._places.get(text, self._places[self.other])

    def within(self, value: object) -> bool:
        text = self._text(value)
        return text is not None and text in self._places and (text != self.other or text in self.names)

    def _text(self, value: object) -> str | None:
        text = text_of(value)
        if text is None or self.reading is None or not isinstance(value, str):
            return text
        return self.reading.text(text)

    def value(self, code: int) -> str | None:
        return None if code == self.null else self.labels[code]

    def _onto(self, old: Categories) -> tuple[Piece, ...] | str:
        """More names: what is listed now and was not, was OTHER; so was everything that is not listed now.

        What is not listed now has one value here, so it must have had one: a name that is left out must have been what
        unlisted ones became, and a name that they become now must not have been told apart from that.
        """
        mine, theirs = set(self.names), set(old.names)
        lost = [name for name in old.names if name not in mine and name != old.other]
        if lost:
            return words.fewer_names(lost)
        if self.other in mine and self.other in theirs and self.other != old.other:
            return words.listed_other(self.other)
        told = [label if label in mine and label in theirs else old.other for label in self.labels]
        return tuple(Piece(code, code + 1, old._places[label]) for code, label in enumerate(told))

    def compare(self, operator: Operator, literal: object, name: str) -> Codes:
        text = text_of(literal)
        if text is None or text not in self._places:
            raise refuse.unknown_category(name, literal, self.labels)
        place = self._places[text]
        if operator is Operator.EQUAL:
            return span(place, place + 1)
        if operator is Operator.DIFFERENT:
            return difference(self.values, span(place, place + 1))
        raise refuse.no_order(name, operator.value)

    def literal(self, code: int) -> exp.Expr:
        from sqlglot import exp

        return exp.Literal.string(self.labels[code])

    def sanitise(self, stored: exp.Expr, stored_type: str) -> exp.Expr:
        from sqlglot import exp

        absent = exp.cast(exp.null() if self.missing is None else exp.Literal.string(self.missing), "VARCHAR")
        gone, known, text = self._read(stored, stored_type)
        return exp.Case().when(gone, absent).when(known, text).else_(exp.Literal.string(self.other))

    def is_within(self, stored: exp.Expr, stored_type: str) -> exp.Expr:
        from sqlglot import exp

        gone, known, _ = self._read(stored, stored_type)
        return exp.Case().when(gone, exp.false()).when(known, exp.true()).else_(exp.false())

    def _read(self, stored: exp.Expr, stored_type: str) -> tuple[exp.Expr, exp.Expr, exp.Expr]:
        """Whether nothing is stored, whether what is stored is listed, and its text."""
        from sqlglot import exp

        if self.reading is not None:
            stored = self.reading.stored(stored, stored_type)
        text = as_text(stored, stored_type)
        gone: exp.Expr = exp.Is(this=stored.copy(), expression=exp.null())
        if floating(stored_type):
            not_a_number = exp.cast(exp.Literal.string("NaN"), "DOUBLE")
            gone = exp.or_(gone, exp.EQ(this=word(Word.DOUBLE, stored.copy(), stored_type), expression=not_a_number))
        known = exp.In(this=text.copy(), expressions=[exp.Literal.string(name) for name in self.names])
        return gone, known, text

    def describe(self) -> dict[str, object]:
        return {
            "kind": self.kind,
            "names": list(self.names),
            "other": self.other,
            "missing": self.missing,
            "constant": self.constant,
            **described(self.reading),
        }

    @classmethod
    def restored(cls, parts: Mapping[str, Any]) -> Categories:
        return cls(tuple(parts["names"]), parts["other"], parts["missing"], parts["constant"], restored(parts))


@called
def categories(
    *names: str | int,
    other: str = "OTHER",
    missing: str | None = None,
    constant: bool = False,
    null: str | Sequence[str] | None = None,
) -> Categories:
    """A column of the names given; a stored value that is not listed becomes ``other``.

    >>> categories("north", "south").size
    4
    """
    for name in names:
        if isinstance(name, bool) or not isinstance(name, str | int):
            raise refuse.bad_category(name)
    if not isinstance(other, str):
        raise refuse.bad_category(other)
    listed = tuple(str(name) for name in names)
    return Categories(listed, other, missing, constant, reading_of("categories", null=null))
