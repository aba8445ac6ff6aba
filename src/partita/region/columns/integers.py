"""Whole numbers between two public bounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, final

from partita.calls import called
from partita.errors import InvalidInput
from partita.errors import region as refuse
from partita.exact import whole
from partita.region.columns.reading import Reading, described, reading_of, restored
from partita.region.columns.stepped import Stepped, limits


@final
@dataclass(frozen=True, slots=True)
class Integers(Stepped):
    """Whole numbers from low to high; NULL is an atom of its own unless a missing value is declared.

    >>> age = Integers(0, 120)
    >>> age.code(40), age.code(999), age.code("41.7"), age.code(None), age.size
    (40, 120, 42, 121, 122)
    """

    kind: ClassVar[str] = "integers"
    low: int
    high: int
    missing: int | None = None
    constant: bool = False
    reading: Reading | None = None

    def __post_init__(self) -> None:
        low, high = _bound(self.low, "low"), _bound(self.high, "high")
        if low > high:
            raise refuse.empty_column("integers", self.low, self.high)
        if self.missing is not None and not low <= _bound(self.missing, "missing") <= high:
            raise refuse.missing_outside("integers", self.missing, self.low, self.high)
        limits("integers", low, high, Fraction(1))
        object.__setattr__(self, "low", low)
        object.__setattr__(self, "high", high)
        if self.missing is not None:
            object.__setattr__(self, "missing", _bound(self.missing, "missing"))

    @property
    def step(self) -> Fraction:
        return Fraction(1)

    def value(self, code: int) -> int | None:
        return None if code == self.null else self.low + code

    def describe(self) -> dict[str, object]:
        return {
            "kind": self.kind,
            "low": self.low,
            "high": self.high,
            "missing": self.missing,
            "constant": self.constant,
            **described(self.reading),
        }

    @classmethod
    def restored(cls, parts: Mapping[str, Any]) -> Integers:
        return cls(parts["low"], parts["high"], parts["missing"], parts["constant"], restored(parts))


@called
def integers(
    low: int,
    high: int,
    *,
    missing: int | None = None,
    constant: bool = False,
    decimal: str | None = None,
    thousands: str | None = None,
    unit: str | Sequence[str] | None = None,
    null: str | Sequence[str] | None = None,
) -> Integers:
    """A column of whole numbers from low to high, both included.

    Texts may be written with a ``thousands`` separator, a ``decimal`` comma and a ``unit``;
    words in ``null`` are no value.

    >>> integers(0, 120).size
    122
    """
    reading = reading_of("integers", decimal=decimal, thousands=thousands, unit=unit, null=null)
    return Integers(low, high, missing, constant, reading)


def _bound(value: object, name: str) -> int:
    try:
        return whole(value, name, least=-(2**63))
    except InvalidInput:
        raise refuse.bad_bound("integers", name, value) from None
