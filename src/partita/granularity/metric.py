"""A general metric: values that are close are hard to tell apart, values far apart less so."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, final

from partita.errors import granularity as refuse
from partita.exact import Number, positive
from partita.granularity.base import Granularity, Relation
from partita.granularity.replace import Replace
from partita.granularity.rows import Rows


@final
@dataclass(frozen=True, slots=True)
class Metric(Granularity):
    """One row's value in one column moves; the loss is counted for each started ``unit`` it moves by (theory A8).

    A move by one unit or by part of it is one changed row, hence one step of change-one and two of add/remove: the
    smallest move may cost as much as a whole unit, and a move by several units no more than so many.

    >>> metric("income", unit=1000).made_of(Replace())
    1
    """

    kind: ClassVar[str] = "metric"
    column: str
    unit: Fraction

    def __post_init__(self) -> None:
        if not isinstance(self.column, str) or not self.column:
            raise refuse.no_metric_column(self.column)
        object.__setattr__(self, "unit", positive(self.unit, "unit"))

    @property
    def relation(self) -> Relation:
        return Relation.CHANGE_ONE

    def made_of(self, source: Granularity) -> int | None:
        match source:
            case Replace():
                return 1
            case Rows():
                return 2
            case Metric() if source.column == self.column:
                ratio = self.unit / source.unit
                return -(-ratio.numerator // ratio.denominator)
            case _:
                return None

    @property
    def named(self) -> str:
        return f"the {self.column} of one row, to within {float(self.unit):g},"

    def __str__(self) -> str:
        return f"the {self.column} of one row, for each {float(self.unit):g}, or part of it, that it moves by"


def metric(column: str, *, unit: Number) -> Metric:
    """Protect how large a value is: what may be lost grows with the number of units, counted up, that it moves by.

    >>> print(metric("income", unit=1000))
    the income of one row, for each 1000, or part of it, that it moves by
    """
    return Metric(column, positive(unit, "unit"))
