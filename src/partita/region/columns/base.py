"""What a public column is: a finite list of codes that every stored value is mapped into, or an open set."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from enum import Enum, unique
from typing import TYPE_CHECKING, Any, ClassVar, final

from partita.errors import refinement as words
from partita.region.codemap import CodeMap, Piece
from partita.region.codes import Codes, difference, span

if TYPE_CHECKING:
    from sqlglot import exp

    from partita.region.columns.reading import Reading


@final
@unique
class Operator(Enum):
    """The six comparisons."""

    EQUAL = "="
    DIFFERENT = "<>"
    BELOW = "<"
    AT_MOST = "<="
    ABOVE = ">"
    AT_LEAST = ">="

    def mirrored(self) -> Operator:
        """The operator that says the same with both sides exchanged.

        >>> Operator.BELOW.mirrored()
        <Operator.ABOVE: '>'>
        """
        return _MIRROR.get(self, self)

    def negated(self) -> Operator:
        """The operator that holds of two values exactly when this one does not."""
        return _OPPOSITE[self]


_MIRROR = {
    Operator.BELOW: Operator.ABOVE,
    Operator.ABOVE: Operator.BELOW,
    Operator.AT_MOST: Operator.AT_LEAST,
    Operator.AT_LEAST: Operator.AT_MOST,
}
_OPPOSITE = {
    Operator.EQUAL: Operator.DIFFERENT,
    Operator.DIFFERENT: Operator.EQUAL,
    Operator.BELOW: Operator.AT_LEAST,
    Operator.AT_LEAST: Operator.BELOW,
    Operator.AT_MOST: Operator.ABOVE,
    Operator.ABOVE: Operator.AT_MOST,
}


class Column(ABC):
    """What a column of a protected table may hold, declared in public before anything is read."""

    __slots__ = ()

    kind: ClassVar[str]
    # What a sanitised value is in SQL.
    sanitised_type: ClassVar[str] = "VARCHAR"
    constant: bool

    @property
    def reading(self) -> Reading | None:
        """How texts are read, where they are not written plainly."""
        return None

    @abstractmethod
    def describe(self) -> dict[str, object]:
        """The declaration as plain data, from which ``restored`` makes it again."""

    @classmethod
    @abstractmethod
    def restored(cls, parts: Mapping[str, Any]) -> Column:
        """The column that a description of this kind was made from."""

    @abstractmethod
    def sanitise(self, stored: exp.Expr, stored_type: str) -> exp.Expr:
        """The SQL that maps a stored value into this column, total and row by row."""


class Bounded(Column):
    """A column with finitely many codes 0, ..., size - 1; the NULL atom, if any, is the last.

    ``code`` is the truth about what a stored value becomes; ``sanitise`` is the same in SQL. The sanitised
    value is an integer (decimals: in units of the step), text, a date or a boolean, and NULL on the NULL atom.
    """

    __slots__ = ()

    missing: object

    @property
    @abstractmethod
    def size(self) -> int:
        """How many codes there are, the OTHER and NULL atoms included."""

    @abstractmethod
    def code(self, value: object) -> int:
        """The code that a stored value is mapped to; total: no value fails."""

    @abstractmethod
    def within(self, value: object) -> bool:
        """Whether a stored value is one of the declared values as it is: not clamped, unlisted or stood in for."""

    @abstractmethod
    def is_within(self, stored: exp.Expr, stored_type: str) -> exp.Expr:
        """The same in SQL; total, and never NULL."""

    @abstractmethod
    def value(self, code: int) -> object:
        """The value that a code stands for; None for the NULL atom."""

    @abstractmethod
    def compare(self, operator: Operator, literal: object, name: str) -> Codes:
        """The codes whose value stands so to a literal; never the NULL atom. ``name`` is for the refusal."""

    @abstractmethod
    def literal(self, code: int) -> exp.Expr:
        """The sanitised value of a code that is not the NULL atom, in SQL."""

    @property
    def null(self) -> int | None:
        """The code of the NULL atom, or None where a missing value was declared."""
        return self.size - 1 if self.missing is None else None

    @property
    def everything(self) -> Codes:
        """All codes."""
        return span(0, self.size)

    @property
    def values(self) -> Codes:
        """All codes but the NULL atom."""
        return span(0, self.size if self.null is None else self.size - 1)

    @property
    def ordered(self) -> bool:
        """Whether the codes follow the order of the values, so that ranges have a meaning."""
        return True

    def onto(self, old: Column) -> CodeMap | str:
        """How the code that a stored value had in an old declaration follows from its code here, or why it does not.

        Exact for whatever is stored: ``old.code(raw) == self.onto(old).of(self.code(raw))`` (theory I12).
        """
        if not isinstance(old, Bounded) or type(old) is not type(self):
            return words.other_kind(old.kind, self.kind)
        if old.constant != self.constant:
            return words.other_constant()
        if old.reading != self.reading:
            return words.other_reading()
        pieces = self._onto(old)
        if isinstance(pieces, str):
            return pieces
        if self.missing is None:
            return CodeMap((*pieces, Piece(self.size - 1, self.size, old.code(None))))
        if self.missing != old.missing:
            return words.stand_in(old.missing, self.missing)
        return CodeMap(pieces)

    def _onto(self, old: Any) -> tuple[Piece, ...] | str:
        """The same for the codes of values, of an old column of this kind."""
        if self.describe() | {"missing": None} == old.describe() | {"missing": None}:
            return (Piece(0, self.values[0][1], 0, slides=True),)
        return words.unproven(self.kind)

    def condition(self, sanitised: exp.Expr, codes: Codes) -> exp.Expr:
        """The SQL condition that holds exactly when the code of the sanitised value is in the set."""
        from sqlglot import exp

        parts: list[exp.Expr] = []
        present = difference(codes, span(self.values[-1][1], self.size))
        if self.null is not None and difference(codes, present):
            if present == self.values:
                return exp.true()
            parts.append(exp.Is(this=sanitised.copy(), expression=exp.null()))
        elif present == self.values:
            if self.null is None:
                return exp.true()
            return exp.Not(this=exp.Is(this=sanitised.copy(), expression=exp.null()))
        parts.extend(self._ranges(sanitised, present))
        if not parts:
            return exp.false()
        return exp.or_(*parts) if len(parts) > 1 else parts[0]

    def _ranges(self, sanitised: exp.Expr, codes: Codes) -> list[exp.Expr]:
        from sqlglot import exp

        parts: list[exp.Expr] = []
        listed: list[exp.Expr] = []
        ends = self.values[0]
        for low, high in codes:
            if not self.ordered or high - low == 1:
                listed.extend(self.literal(code) for code in range(low, high))
            elif low == ends[0]:
                parts.append(exp.LTE(this=sanitised.copy(), expression=self.literal(high - 1)))
            elif high == ends[1]:
                parts.append(exp.GTE(this=sanitised.copy(), expression=self.literal(low)))
            else:
                parts.append(exp.Between(this=sanitised.copy(), low=self.literal(low), high=self.literal(high - 1)))
        if len(listed) == 1:
            parts.append(exp.EQ(this=sanitised.copy(), expression=listed[0]))
        elif listed:
            parts.append(exp.In(this=sanitised.copy(), expressions=listed))
        return parts


class Open(Column):
    """A column whose values are not listed in public; a region cannot speak of it."""

    __slots__ = ()
