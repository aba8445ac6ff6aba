"""Columns whose values are not listed in public: who a row belongs to, what links rows, and keys of open texts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, final

from partita.region.columns.base import Open
from partita.region.columns.reading import Reading, described, restored
from partita.region.columns.stored import as_text

if TYPE_CHECKING:
    from sqlglot import exp


@final
@dataclass(frozen=True, slots=True)
class Identifier(Open):
    """Whom a row belongs to; never read by a question, only used to bound what one person contributes."""

    kind: ClassVar[str] = "identifier"
    constant: bool = True
    reading: Reading | None = None

    def describe(self) -> dict[str, object]:
        return {"kind": self.kind, **described(self.reading)}

    @classmethod
    def restored(cls, parts: Mapping[str, Any]) -> Identifier:
        return cls(reading=restored(parts))

    def sanitise(self, stored: exp.Expr, stored_type: str) -> exp.Expr:
        return as_text(stored if self.reading is None else self.reading.stored(stored, stored_type), stored_type)


@final
@dataclass(frozen=True, slots=True)
class TextKeys(Open):
    """Text of an open set, such as search terms; only private key selection may show one."""

    kind: ClassVar[str] = "text_keys"
    constant: bool = False
    reading: Reading | None = None

    def describe(self) -> dict[str, object]:
        return {"kind": self.kind, "constant": self.constant, **described(self.reading)}

    @classmethod
    def restored(cls, parts: Mapping[str, Any]) -> TextKeys:
        return cls(parts["constant"], restored(parts))

    def sanitise(self, stored: exp.Expr, stored_type: str) -> exp.Expr:
        return as_text(stored if self.reading is None else self.reading.stored(stored, stored_type), stored_type)


@final
@dataclass(frozen=True, slots=True)
class Key(Open):
    """What links a row to rows of another table, such as the number of an order; never shown, and no region knows it.

    Where a table's rows are truncated, its text counts in their keyed order like every other value.
    """

    kind: ClassVar[str] = "key"
    constant: bool = False
    reading: Reading | None = None

    def describe(self) -> dict[str, object]:
        return {"kind": self.kind, **described(self.reading)}

    @classmethod
    def restored(cls, parts: Mapping[str, Any]) -> Key:
        return cls(reading=restored(parts))

    def sanitise(self, stored: exp.Expr, stored_type: str) -> exp.Expr:
        return as_text(stored if self.reading is None else self.reading.stored(stored, stored_type), stored_type)


def identifier() -> Identifier:
    """The column that says whom a row belongs to.

    >>> identifier().kind
    'identifier'
    """
    return Identifier()


def text_keys(*, constant: bool = False) -> TextKeys:
    """A column of text that is not listed in public.

    >>> text_keys().kind
    'text_keys'
    """
    return TextKeys(constant)


def key() -> Key:
    """A column that links rows of two tables.

    >>> key().kind
    'key'
    """
    return Key()
