"""What a dialect is: the few things that each engine says in its own way, so that no statement knows an engine."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from datetime import date
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from sqlglot import exp

    from partita.region.columns.base import Column


class Dialect(ABC):
    """How an engine casts by trial, divides, widens, counts days, matches texts, hashes them and quotes names.

    Every expression is total: no value of any stored type fails it or leaves its type (the proof note of each dialect).
    Texts are compared byte by byte.
    """

    # What sqlglot calls the engine.
    kind: ClassVar[str]
    # Whole numbers of 64 bits, and of at least 128.
    whole: ClassVar[str] = "BIGINT"
    wide: ClassVar[str]
    # Types of whole numbers that every value leaves for 64 bits, and those with so few values that rows are grouped
    # by them before they are sanitised.
    signed: ClassVar[frozenset[str]]
    few: ClassVar[frozenset[str]]

    def sql(self, tree: exp.Expr) -> str:
        """A condition on sanitised columns, made of plain nodes."""
        return tree.sql(dialect=self.kind)

    @abstractmethod
    def mapped(self, tree: exp.Expr, column: Column | None = None) -> str:
        """What maps a stored value, with the words of ``words.py`` said in this dialect; for a column, its value."""

    def whole_units(self, column: Column, name: str, stored_type: str) -> str | None:
        """A stored number in units of its column, if a type says that it is so many of them; None in any other case."""
        return None

    def stored_total(self, column: Column, value: str, stored_type: str) -> str | None:
        """The sum of a column in its units from stored numbers, where that costs less; None in any other case."""
        return None

    # --- stored values ---------------------------------------------------------------------------------------------

    @abstractmethod
    def value(self, stored: exp.Expr, stored_type: str) -> exp.Expr:
        """A stored value as it is mapped."""

    def stored(self, name: str, stored_type: str) -> str:
        """A stored value as it is compared and grouped by."""
        return name

    def known(self, value: str) -> str:
        """A stored value where it is only asked whether there is one."""
        return value

    def clamped(self, value: str, stored_type: str) -> str:
        """A stored whole number, known to lie between bounds of 64 bits, in 64 bits."""
        return f"CAST({value} AS {self.whole})"

    def carried(self, mark: str, column: str, place: int) -> str:
        """The name under which the stored value of a column is carried along."""
        return f"{mark} {column}"

    # --- numbers, days and groups ----------------------------------------------------------------------------------

    @abstractmethod
    def over(self, left: str, right: str, *, wide: bool) -> str:
        """Whole numbers divided towards zero."""

    def total(self, value: str, low: int, high: int) -> str:
        """The exact sum of 64-bit numbers between two bounds, over at most 2^40 rows."""
        return f"SUM({value})"

    def listed(self, values: Sequence[int], place: str) -> str:
        """The number at a place of a list of 64-bit numbers, counted from 1; the place is in the list, or NULL."""
        return f"(CAST('{{{','.join(map(str, values))}}}' AS {self.whole}[]))[CAST({place} AS INTEGER)]"

    @abstractmethod
    def days(self, column: str, since: date) -> str:
        """The days from a date to a sanitised one, in 64 bits."""

    @abstractmethod
    def day(self, count: str, since: date) -> str:
        """The date so many days after another."""

    @abstractmethod
    def beginning(self, column: str, unit: str) -> str:
        """The first day of the week, month, quarter or year of a sanitised date."""

    @abstractmethod
    def grouped(self, keys: Sequence[str], *, every: bool = False) -> str:
        """GROUP BY the first columns of a SELECT, which are these; ``every`` says that all others are aggregates."""

    # --- texts -----------------------------------------------------------------------------------------------------

    @abstractmethod
    def text(self, value: str) -> str:
        """A sanitised value as its text: ``query.tables.truncation`` says which, byte by byte."""

    def written(self, value: str, *, null: bool) -> str:
        """The same inside ``hashed``, where it may be left to the engine; ``null`` if it may be missing."""
        return self.text(value)

    @abstractmethod
    def hashed(self, separator: str, key: str, texts: Sequence[str]) -> str:
        """The MD5 of a key and texts, none of them NULL, joined by a separator, in hexadecimal digits."""

    def bytes(self, text: str) -> str:
        """How many bytes a text has."""
        return f"OCTET_LENGTH({text})"

    def halves(self, separator: str, key: str, texts: Sequence[str], under: str) -> tuple[str, tuple[str, str]]:
        """The MD5 of a key and texts, and of what is found ``under`` a name of it the upper and the lower 64 bits.

        The bytes of the hash are those of a number with the lowest first.
        """
        raise NotImplementedError

    def place(self, value: str, labels: Sequence[str]) -> str:
        """The place of a label in a list of them, counted from 0."""
        whens = " ".join(f"WHEN {self.literal(label)} THEN {at}" for at, label in enumerate(labels))
        return f"CASE {value} {whens} END"

    def literal(self, text: str) -> str:
        """A text as a constant."""
        return "'" + text.replace("'", "''") + "'"

    # --- copies ----------------------------------------------------------------------------------------------------

    @abstractmethod
    def narrowest(self, low: int, high: int) -> str:
        """The smallest type that holds these whole numbers."""

    def labelled(self, value: str, labels: Sequence[str]) -> str:
        """A text that is one of a list, in the narrowest type."""
        return value
