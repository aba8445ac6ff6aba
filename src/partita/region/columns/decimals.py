"""Decimal numbers between two public bounds, kept as whole units of a step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, ClassVar, final

from partita.calls import called
from partita.errors import InvalidInput
from partita.errors import region as refuse
from partita.exact import Number, exact
from partita.region.columns.reading import Reading, described, reading_of, restored
from partita.region.columns.stepped import Stepped, limits


@final
@dataclass(frozen=True, slots=True)
class Decimals(Stepped):
    """Multiples of a step; ``low`` and ``high`` count units of the step.

    >>> cost = decimals(0, 20_000, step="0.01")
    >>> cost.code("12.345"), cost.code(-3), cost.code(float("nan")) == cost.null
    (1235, 0, True)
    """

    kind: ClassVar[str] = "decimals"
    low: int
    high: int
    step_: Fraction
    missing: int | None = None
    constant: bool = False
    reading: Reading | None = None

    @property
    def step(self) -> Fraction:
        return self.step_

    def value(self, code: int) -> Decimal | Fraction | None:
        if code == self.null:
            return None
        exactly = (self.low + code) * self.step
        try:
            shown = Decimal(exactly.numerator) / Decimal(exactly.denominator)
        except ArithmeticError:
            return exactly
        return shown if Fraction(shown) == exactly else exactly

    def describe(self) -> dict[str, object]:
        return {
            "kind": self.kind,
            "low": self.low,
            "high": self.high,
            "step": str(self.step),
            "missing": self.missing,
            "constant": self.constant,
            **described(self.reading),
        }

    @classmethod
    def restored(cls, parts: Mapping[str, Any]) -> Decimals:
        step = exact(parts["step"], "step")
        return cls(parts["low"], parts["high"], step, parts["missing"], parts["constant"], restored(parts))


@called
def decimals(
    low: Number,
    high: Number,
    *,
    step: Number,
    missing: Number | None = None,
    constant: bool = False,
    decimal: str | None = None,
    thousands: str | None = None,
    unit: str | Sequence[str] | None = None,
    null: str | Sequence[str] | None = None,
) -> Decimals:
    """A column of numbers from low to high in multiples of a step.

    Texts may be written with a ``thousands`` separator, a ``decimal`` comma and a ``unit``;
    words in ``null`` are no value.

    >>> decimals(0, 1, step="0.25").size
    6
    """
    grid = _number(step, "step")
    if grid <= 0:
        raise refuse.bad_step(step)
    ends = _number(low, "low") / grid, _number(high, "high") / grid
    for end, given in zip(ends, (low, high), strict=True):
        if end.denominator != 1:
            raise refuse.off_grid("decimals", given, step)
    if ends[0] > ends[1]:
        raise refuse.empty_column("decimals", low, high)
    limits("decimals", int(ends[0]), int(ends[1]), grid)
    absent: int | None = None
    if missing is not None:
        place = _number(missing, "missing") / grid
        if place.denominator != 1:
            raise refuse.off_grid("decimals", missing, step)
        if not ends[0] <= place <= ends[1]:
            raise refuse.missing_outside("decimals", missing, low, high)
        absent = int(place)
    reading = reading_of("decimals", decimal=decimal, thousands=thousands, unit=unit, null=null)
    return Decimals(int(ends[0]), int(ends[1]), grid, absent, constant, reading)


def _number(value: object, name: str) -> Fraction:
    try:
        return exact(value, name)
    except InvalidInput:
        raise refuse.bad_bound("decimals", name, value) from None
