"""True or false."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, ClassVar, final

import numpy as np

from partita.calls import called
from partita.errors import region as refuse
from partita.region.codes import Codes, difference, span
from partita.region.columns.base import Bounded, Operator
from partita.region.columns.reading import Reading, described, reading_of, restored
from partita.region.columns.stored import Family, absent, family
from partita.region.dialects.words import Word, word

if TYPE_CHECKING:
    from sqlglot import exp

_TRUE = ("true", "t", "yes", "y", "1")
_FALSE = ("false", "f", "no", "n", "0")


@final
@dataclass(frozen=True, slots=True)
class Booleans(Bounded):
    """False, true, and NULL unless a missing value is declared.

    >>> smoker = booleans()
    >>> [smoker.code(value) for value in (False, 1, "Yes", "maybe", None)]
    [0, 1, 1, 2, 2]
    """

    kind: ClassVar[str] = "booleans"
    sanitised_type: ClassVar[str] = "BOOLEAN"
    missing: bool | None = None
    constant: bool = False
    reading: Reading | None = None

    @property
    def size(self) -> int:
        return 3 if self.missing is None else 2

    def code(self, value: object) -> int:
        truth = _truth(value, self.reading)
        if truth is None:
            truth = self.missing
        return 2 if truth is None else int(truth)

    def within(self, value: object) -> bool:
        return _truth(value, self.reading) is not None

    def value(self, code: int) -> bool | None:
        return None if code == 2 else bool(code)

    @property
    def ordered(self) -> bool:
        return False

    def compare(self, operator: Operator, literal: object, name: str) -> Codes:
        truth = _truth(literal)
        if truth is None:
            raise refuse.not_comparable(name, "true and false", literal)
        if operator is Operator.EQUAL:
            return span(int(truth), int(truth) + 1)
        if operator is Operator.DIFFERENT:
            return difference(self.values, span(int(truth), int(truth) + 1))
        raise refuse.no_order(name, operator.value)

    def literal(self, code: int) -> exp.Expr:
        from sqlglot import exp

        return exp.true() if code else exp.false()

    def sanitise(self, stored: exp.Expr, stored_type: str) -> exp.Expr:
        from sqlglot import exp

        truth = _read(stored, stored_type, self.reading)
        if self.missing is None:
            return truth
        return exp.Coalesce(this=truth, expressions=[exp.true() if self.missing else exp.false()])

    def is_within(self, stored: exp.Expr, stored_type: str) -> exp.Expr:
        from sqlglot import exp

        return exp.Not(this=exp.Is(this=exp.paren(_read(stored, stored_type, self.reading)), expression=exp.null()))

    def describe(self) -> dict[str, object]:
        return {"kind": self.kind, "missing": self.missing, "constant": self.constant, **described(self.reading)}

    @classmethod
    def restored(cls, parts: Mapping[str, Any]) -> Booleans:
        return cls(parts["missing"], parts["constant"], restored(parts))


@called
def booleans(
    *,
    missing: bool | None = None,
    constant: bool = False,
    true: str | Sequence[str] | None = None,
    false: str | Sequence[str] | None = None,
    null: str | Sequence[str] | None = None,
) -> Booleans:
    """A column of truth values, in texts yes and no, true and false or 1 and 0, or the words given.

    >>> booleans(true=["ja", "j"], false=["nein", "n"]).code("Ja")
    1

    >>> booleans(missing=False).size
    2
    """
    return Booleans(missing, constant, reading_of("booleans", true=true, false=false, null=null))


def _listed(text: exp.Expr, names: tuple[str, ...]) -> exp.Expr:
    from sqlglot import exp

    return exp.In(this=text, expressions=[exp.Literal.string(name) for name in names])


def _truth(value: object, reading: Reading | None = None) -> bool | None:
    if isinstance(value, bool | int | np.integer | np.bool_):
        return bool(value)
    if isinstance(value, float | np.floating | Decimal):
        return None if absent(value) else bool(value)
    if isinstance(value, str) and reading is not None:
        value = reading.text(value)
        if value is not None and reading.true:
            return reading.truth(value)
    if isinstance(value, str):
        text = value.lower()
        return True if text in _TRUE else False if text in _FALSE else None
    return None


def _read(stored: exp.Expr, stored_type: str, reading: Reading | None = None) -> exp.Expr:
    """The same in SQL, NULL for what is neither."""
    from sqlglot import exp

    truth: exp.Expr
    match family(stored_type):
        case Family.BOOLEAN:
            truth = stored
        case Family.INTEGER:
            truth = exp.NEQ(this=stored, expression=exp.Literal.number(0))
        case Family.FLOAT:
            number = word(Word.DOUBLE, stored, stored_type)
            not_a_number = exp.cast(exp.Literal.string("NaN"), "DOUBLE")
            nonzero = exp.NEQ(this=number.copy(), expression=exp.Literal.number(0))
            truth = exp.Case().when(exp.NEQ(this=number, expression=not_a_number), nonzero)
        case Family.TEXT:
            text = exp.cast(stored if reading is None else reading.stored(stored, stored_type), "VARCHAR")
            if reading is not None and reading.true:
                return reading.truth_of(text)
            lowered = exp.Lower(this=text)
            truth = (
                exp.Case().when(_listed(lowered, _TRUE), exp.true()).when(_listed(lowered.copy(), _FALSE), exp.false())
            )
        case _:
            truth = exp.cast(exp.null(), "BOOLEAN")
    return truth
