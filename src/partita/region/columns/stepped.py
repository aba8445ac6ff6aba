"""Numbers on a public grid: whole units of a step between two bounds, every stored number rounded and clamped."""

from __future__ import annotations

import math
import re
from abc import abstractmethod
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from partita.errors import InvalidInput
from partita.errors import refinement as words
from partita.errors import region as refuse
from partita.exact import exact
from partita.region.codemap import Piece, clamping
from partita.region.codes import NOTHING, Codes, difference, intersection, span
from partita.region.columns.base import Bounded, Operator
from partita.region.columns.reading import Reading
from partita.region.columns.stored import Family, absent, family
from partita.region.dialects.words import Word, spoken, word

if TYPE_CHECKING:
    from sqlglot import exp

LIMIT = 2**50
NUMBER = r"^ *[+-]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][+-]?[0-9]+)? *$"
_NUMBER = re.compile(NUMBER[1:-1])


class Stepped(Bounded):
    """Values low·step, ..., high·step; a stored number goes to the nearest, halves upward."""

    __slots__ = ()

    sanitised_type: ClassVar[str] = "BIGINT"
    low: int
    high: int
    missing: int | None

    @property
    @abstractmethod
    def step(self) -> Fraction:
        """The distance between neighbouring values."""

    @property
    def size(self) -> int:
        return self.high - self.low + (2 if self.missing is None else 1)

    def code(self, value: object) -> int:
        unit = self._unit(value)
        if unit is None:
            return self.size - 1 if self.missing is None else self.missing - self.low
        return min(max(unit, self.low), self.high) - self.low

    def within(self, value: object) -> bool:
        number = _number(value, self.reading)
        if number is None:
            return False
        ends = self._ends(type(number))
        return ends[0] <= number <= ends[1]

    def _ends(self, kind: type[int] | type[float]) -> tuple[float, float]:
        """The first and the last number within the bounds, of the kind that is stored."""
        low, high = self.low * self.step, self.high * self.step
        return (math.ceil(low), math.floor(high)) if kind is int else (float(low), float(high))

    def _unit(self, value: object) -> int | None:
        """The nearest unit before clamping, or None for what is no number; the same steps as the SQL."""
        top, bottom = self.step.numerator, self.step.denominator
        number = _number(value, self.reading)
        if number is None:
            return None
        if isinstance(number, int):
            return (2 * number * bottom + top) // (2 * top)
        if number <= float(self.low * self.step):
            return self.low
        if number >= float(self.high * self.step):
            return self.high
        return math.floor(number * bottom / top + 0.5)

    def _onto(self, old: Stepped) -> tuple[Piece, ...] | str:
        """Wider bounds on the same grid: rounding is monotone and leaves the old bounds where they are."""
        if old.step != self.step:
            return words.other_step(old.step, self.step)
        if self.low > old.low or self.high < old.high:
            return words.narrower(old.value(0), old.value(old.high - old.low))
        return clamping(self.low, self.high, old.low, old.high)

    def compare(self, operator: Operator, literal: object, name: str) -> Codes:
        if isinstance(literal, bool):
            literal = int(literal)
        try:
            place = exact(literal, name) / self.step - self.low
        except InvalidInput:
            raise refuse.not_comparable(name, "numbers", literal) from None
        return self._compared(operator, place)

    def _compared(self, operator: Operator, place: Fraction) -> Codes:
        """The codes that stand so to a place among them, which may lie between two."""
        inside = self.values
        if operator is Operator.EQUAL or operator is Operator.DIFFERENT:
            point = NOTHING if place.denominator != 1 else intersection(inside, span(int(place), int(place) + 1))
            return point if operator is Operator.EQUAL else difference(inside, point)
        ceiling = max(0, math.ceil(place))
        floor = max(0, math.floor(place) + 1)
        if operator is Operator.BELOW:
            return intersection(inside, span(0, ceiling))
        if operator is Operator.AT_MOST:
            return intersection(inside, span(0, floor))
        start = floor if operator is Operator.ABOVE else ceiling
        return intersection(inside, span(start, inside[0][1]))

    def literal(self, code: int) -> exp.Expr:
        from sqlglot import exp

        return exp.Literal.number(self.low + code)

    def sanitise(self, stored: exp.Expr, stored_type: str) -> exp.Expr:
        number, kind = _read(stored, stored_type, self.reading)
        if number is None:
            return self._absent()
        return self._from_integer(number) if kind is int else self._from_double(number)

    def is_within(self, stored: exp.Expr, stored_type: str) -> exp.Expr:
        from sqlglot import exp

        number, kind = _read(stored, stored_type, self.reading)
        if number is None:
            return exp.false()
        low, high = self._ends(kind)
        literal = exp.Literal.number if kind is int else _double
        inside = exp.Between(this=number.copy(), low=literal(low), high=literal(high))
        gone = exp.Is(this=number.copy(), expression=exp.null()) if kind is int else _no_number(number)
        return exp.Case().when(gone, exp.false()).else_(inside)

    def _absent(self) -> exp.Expr:
        from sqlglot import exp

        return exp.cast(exp.null() if self.missing is None else exp.Literal.number(self.missing), "BIGINT")

    def _from_integer(self, stored: exp.Expr) -> exp.Expr:
        from sqlglot import exp

        top, bottom = self.step.numerator, self.step.denominator
        bounds = (math.floor(self.low * self.step), math.ceil(self.high * self.step))
        middle: exp.Expr = stored.copy() if spoken(stored) else exp.cast(stored.copy(), "BIGINT")
        if bottom != 1:
            middle = exp.Mul(this=middle, expression=exp.Literal.number(bottom))
        if top != 1:
            # floor((2n + top) / (2 top)) by a division of non-negative numbers, the same in every dialect.
            shift = max(0, -self.low) + 1
            doubled = exp.Mul(this=exp.Literal.number(2), expression=middle)
            raised = exp.Add(this=doubled, expression=exp.Literal.number(top + 2 * top * shift))
            whole = exp.IntDiv(this=exp.paren(raised), expression=exp.Literal.number(2 * top))
            middle = exp.Sub(this=exp.cast(whole, "BIGINT"), expression=exp.Literal.number(shift))
        return self._clamped(stored, bounds, middle, exp.Is(this=stored.copy(), expression=exp.null()))

    def _from_double(self, stored: exp.Expr) -> exp.Expr:
        from sqlglot import exp

        top, bottom = self.step.numerator, self.step.denominator
        bounds = (float(self.low * self.step), float(self.high * self.step))
        middle = stored.copy()
        if bottom != 1:
            middle = exp.Mul(this=middle, expression=_double(float(bottom)))
        if top != 1:
            middle = exp.Div(this=exp.paren(middle), expression=_double(float(top)))
        floor = exp.Floor(this=exp.Add(this=middle, expression=_double(0.5)))
        return self._clamped(stored, bounds, exp.cast(floor, "BIGINT"), _no_number(stored))

    def _clamped(
        self,
        stored: exp.Expr,
        bounds: tuple[float, float],
        middle: exp.Expr,
        absent: exp.Expr,
    ) -> exp.Expr:
        from sqlglot import exp

        number = _double if isinstance(bounds[0], float) else exp.Literal.number
        return (
            exp.Case()
            .when(absent, self._absent())
            .when(exp.LTE(this=stored.copy(), expression=number(bounds[0])), exp.Literal.number(self.low))
            .when(exp.GTE(this=stored.copy(), expression=number(bounds[1])), exp.Literal.number(self.high))
            .else_(middle)
        )


def _number(value: object, reading: Reading | None = None) -> int | float | None:
    """A stored value as a number, or None for what is none."""
    if isinstance(value, bool | int | np.integer | np.bool_):
        return int(value)
    if isinstance(value, str) and reading is not None:
        value = reading.text(value)
        if value is not None and not reading.plain_numbers:
            return _number(reading.number(value))
    if isinstance(value, str):
        value = float(value) if _NUMBER.fullmatch(value) else None
    if isinstance(value, Decimal):
        value = None if value.is_nan() else float(value)
    if not isinstance(value, float | np.floating) or absent(value):
        return None
    return float(value)


def _read(
    stored: exp.Expr, stored_type: str, reading: Reading | None = None
) -> tuple[exp.Expr | None, type[int] | type[float]]:
    """The same in SQL: what is stored as a number, whole or not, or None where the type holds none."""
    from sqlglot import exp

    match family(stored_type):
        case Family.INTEGER:
            return stored, int
        case Family.BOOLEAN:
            return word(Word.ONE_OR_ZERO, stored), int
        case Family.FLOAT:
            return word(Word.DOUBLE, stored, stored_type), float
        case Family.TEXT:
            text = exp.cast(stored if reading is None else reading.stored(stored, stored_type), "VARCHAR")
            if reading is not None and not reading.plain_numbers:
                return reading.number_of(text), float
            number = exp.TryCast(this=text, to=exp.DataType.build("DOUBLE"))
            matches = exp.RegexpLike(this=text.copy(), expression=exp.Literal.string(NUMBER))
            return exp.Case().when(matches, number), float
        case _:
            return None, int


def _no_number(stored: exp.Expr) -> exp.Expr:
    """Whether a double is missing or not a number."""
    from sqlglot import exp

    not_a_number = exp.cast(exp.Literal.string("NaN"), "DOUBLE")
    return exp.or_(
        exp.Is(this=stored.copy(), expression=exp.null()), exp.EQ(this=stored.copy(), expression=not_a_number)
    )


def _double(value: float) -> exp.Expr:
    from sqlglot import exp

    return exp.cast(exp.Literal.number(repr(value)), "DOUBLE")


def limits(name: str, low: int, high: int, step: Fraction) -> None:
    """Refuse a grid on which double precision could not find the nearest unit."""
    largest = max(abs(low), abs(high), step.denominator, step.numerator)
    # The values themselves too: a frame turns whole numbers into floats as soon as one of them is missing.
    farthest = max(abs(low), abs(high)) * step.numerator // step.denominator
    # A float is multiplied by the denominator first, and the product of a grid's own value must be exact.
    product = max(abs(low), abs(high)) * step.numerator
    finest = largest * max(step.numerator, step.denominator)
    if finest > LIMIT * 2**10 or product > LIMIT * 2**2 or max(largest, farthest) > LIMIT:
        raise refuse.too_fine(name, low * step, high * step, step)
