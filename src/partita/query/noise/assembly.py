"""Assembles aggregates: how each of them follows from the numbers that some measurements release."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from itertools import accumulate
from typing import assert_never, final

from partita.query.answer.estimators import Comovement, Dispersion, Estimator, Fixed, Likeness, Linear, Mean
from partita.query.exact.measurements import (
    Balanced,
    Counted,
    Crossed,
    Differing,
    Measurement,
    Moments,
    Owned,
    Summed,
    entries,
)
from partita.query.language.aggregates import (
    Aggregate,
    Average,
    Correlation,
    Count,
    CountDifferent,
    CountOwners,
    CountRows,
    Covariance,
    Quantile,
    Sum,
    Variance,
)
from partita.query.language.expressions import Bounds, Expression, Number, Plus, Times
from partita.query.quantiles.quantiles import Chosen

HALF = Fraction(1, 2)


@final
class Assembly:
    """Finds an estimator for each aggregate; ``within`` are the bounds of every expression that is aggregated."""

    def __init__(self, within: Mapping[Expression, Bounds], measurements: tuple[Measurement, ...]) -> None:
        self.within = within
        self.measurements = measurements
        self.sizes = [len(entries(measurement)) for measurement in measurements]
        self.starts = [0, *accumulate(self.sizes)][:-1]
        self._width = sum(self.sizes)

    def estimator(self, aggregate: Aggregate) -> Estimator:
        """How an aggregate follows from the numbers."""
        match aggregate:
            case CountRows():
                return self._rows()
            case CountOwners():
                return self._signed(self.starts[self.measurements.index(Owned())], (1,), 1)
            case CountDifferent(column, among):
                return self._signed(self.starts[self.measurements.index(Differing(column, among))], (1,), 1)
            case Count(of):
                return self._count(of)
            case Sum(of):
                return self._sum(of)
            case Average(of):
                return self._mean(of)
            case Variance(of):
                if self._flat(of):
                    return Fixed(Fraction(0))
                count, first, second = self._moments(of)
                return Dispersion(count, first, second, self._half(of) ** 2)
            case Covariance(of, other):
                if self._flat(of) or self._flat(other):
                    return Fixed(Fraction(0))
                pair = self._crossed(of, other)
                return Comovement(*pair, self._half(of) * self._half(other))
            case Correlation(of, other):
                if self._flat(of) or self._flat(other):
                    return Fixed(Fraction(0))
                count, first, squares = self._moments(of)
                _, second, others = self._moments(other)
                return Likeness(count, first, second, squares, others, self._product(of, other))
            case Quantile():
                raise AssertionError
            case _:
                assert_never(aggregate)

    def weights(self, aggregates: Iterable[Aggregate], estimators: Iterable[Estimator]) -> tuple[Fraction, ...]:
        """How much the scaled squared errors of all aggregates grow with the variance in each measurement."""
        total = [Fraction(0)] * len(self.measurements)
        for aggregate, estimator in zip(aggregates, estimators, strict=True):
            for part, size in self.felt(aggregate, estimator):
                for place, start in enumerate(self.starts):
                    weights = part.weights[start : start + self.sizes[place]]
                    if any(weights):
                        total[place] += Fraction(sum(weight**2 for weight in weights), part.divisor**2) / size
        return tuple(total)

    def felt(self, aggregate: Aggregate, estimator: Estimator) -> Iterable[tuple[Linear, Fraction]]:
        """The combinations whose errors an aggregate feels, each with the square of what is a large error.

        For what is not linear, at places that are typical: a mean half-way to an end of its range feels the error of
        the count half as much; a variance is felt in the middle of the range and half-way to either end.
        """
        match estimator:
            case Fixed() | Chosen():
                return
            case Linear():
                yield estimator, self._size(aggregate)
            case Mean(top, bottom, _, reach):
                yield top, reach**2
                yield bottom, Fraction(4)
            case Dispersion(count, first, second):
                for mean in (-HALF, Fraction(0), HALF):
                    felt = second.plus(first, -2 * mean).plus(count, 2 * mean**2 - Fraction(1, 3))
                    yield felt, Fraction(3)
            case Comovement(count, first, other, product):
                yield product.plus(first, -HALF).plus(other, -HALF).plus(count, HALF**2), Fraction(1)
            case Likeness(count, first, other, squares, others, product):
                yield product, Fraction(1)
                for one, two in ((first, squares), (other, others)):
                    yield two.plus(one, -HALF).plus(count, -(HALF**2)), Fraction(4)
            case _:
                assert_never(estimator)

    def _size(self, aggregate: Aggregate) -> Fraction:
        """The square of what one row can do to an aggregate: the measure for its error."""
        if not isinstance(aggregate, Sum):
            return Fraction(1)
        within = self.within[aggregate.of]
        return max(abs(within.lowest), abs(within.highest)) ** 2 or Fraction(1)

    def _flat(self, of: Expression) -> bool:
        return self.within[of].low == self.within[of].high

    def _half(self, of: Expression) -> Fraction:
        return (self.within[of].highest - self.within[of].lowest) / 2

    def _signed(self, start: int, signs: Iterable[int], size: int) -> Linear:
        """The numbers of one measurement, added or taken away, divided by the measurement's size."""
        weights = [0] * self._width
        for place, sign in enumerate(signs):
            weights[start + place] = sign
        return Linear.over(size, weights)

    # --- counts ------------------------------------------------------------------------------------------------

    def _rows(self) -> Linear:
        """COUNT(*): from a plain count, or from any measurement whose numbers together count every row."""
        best: Linear | None = None
        for measurement, start, size in zip(self.measurements, self.starts, self.sizes, strict=True):
            whole = _whole(measurement)
            if whole is None:
                continue
            found = self._signed(start, [1] * size, whole)
            if best is None or sum(map(bool, found.weights)) < sum(map(bool, best.weights)):
                best = found
        assert best is not None
        return best

    def _count(self, of: Expression) -> Linear:
        if not self.within[of].nullable:
            return self._rows()
        for measurement, start, size in zip(self.measurements, self.starts, self.sizes, strict=True):
            match measurement:
                case Counted(counted) if counted == of:
                    return self._signed(start, [1], 1)
                case Balanced(same) | Moments(same) | Crossed(same) if same == of:
                    whole = _whole(measurement)
                    assert whole is not None
                    # The last number is of the rows without a value.
                    return self._signed(start, [1] * (size - 1), whole)
        raise AssertionError

    # --- sums --------------------------------------------------------------------------------------------------

    def _sum(self, of: Expression) -> Linear:
        within = self.within[of]
        if self._flat(of):
            return self._count(of).times(within.lowest)
        for measurement, start in zip(self.measurements, self.starts, strict=True):
            if (
                isinstance(measurement, Summed)
                and measurement.of == of
                and (measurement.slope, measurement.offset) == (1, 0)
            ):
                return self._signed(start, (within.unit.numerator,), within.unit.denominator)
        middle = (within.lowest + within.highest) / 2
        return self._offset(of).plus(self._count(of), middle)

    def _mean(self, of: Expression) -> Estimator:
        within = self.within[of]
        middle = (within.lowest + within.highest) / 2
        if self._flat(of):
            return Fixed(middle)
        return Mean(self._offset(of), self._count(of), middle, self._half(of))

    def _offset(self, of: Expression) -> Linear:
        """The sum of distances from the middle."""
        return self._first(of).times(self._half(of))

    def _first(self, of: Expression) -> Linear:
        """The sum of distances from the middle, in units of half the width: every row adds from -1 to 1."""
        within = self.within[of]
        width = within.high - within.low
        for measurement, start in zip(self.measurements, self.starts, strict=True):
            match measurement:
                case Balanced(balanced) if balanced == of:
                    return self._signed(start, (1, -1), width)
                case Moments(moved) if moved == of:
                    return self._signed(start, (-1, 0, 1), width**2)
                case Summed(summed, _, 2) if summed == of:
                    return self._signed(start, (1,), width)
        raise AssertionError

    # --- moments -----------------------------------------------------------------------------------------------

    def _moments(self, of: Expression) -> tuple[Linear, Linear, Linear]:
        """Count, sum and sum of squares, of distances from the middle in units of half the width."""
        width = self.within[of].high - self.within[of].low
        squared = centred(of, of, self.within)
        for measurement, start in zip(self.measurements, self.starts, strict=True):
            match measurement:
                case Moments(moved) if moved == of:
                    return self._count(of), self._first(of), self._signed(start, (1, 0, 1), width**2)
                case Summed(square, most) if square == squared:
                    return self._count(of), self._first(of), self._signed(start, (1,), most.high)
        raise AssertionError

    def _crossed(self, of: Expression, other: Expression) -> tuple[Linear, Linear, Linear, Linear]:
        """Count, both sums and the sum of products, in units of half the widths."""
        for measurement, start in zip(self.measurements, self.starts, strict=True):
            if isinstance(measurement, Crossed) and (measurement.of, measurement.other) == (of, other):
                size = _whole(measurement)
                assert size is not None
                signs = ((1, 1, 1, 1), (-1, -1, 1, 1), (-1, 1, -1, 1), (1, -1, -1, 1))
                count, first, second, product = (self._signed(start, each, size) for each in signs)
                return count, first, second, product
        return self._count(of), self._first(of), self._first(other), self._product(of, other)

    def _product(self, of: Expression, other: Expression) -> Linear:
        wanted = centred(of, other, self.within)
        for measurement, start in zip(self.measurements, self.starts, strict=True):
            if isinstance(measurement, Summed) and measurement.of == wanted:
                return self._signed(start, (1,), measurement.bounds.high)
        raise AssertionError


def centred(of: Expression, other: Expression, within: Mapping[Expression, Bounds]) -> Expression:
    """The product of two expressions' distances from the middles of their ranges, in half units of each."""
    return Times((_from_middle(of, within[of]), _from_middle(other, within[other])))


def _from_middle(of: Expression, within: Bounds) -> Expression:
    return Plus((Times((Number(Fraction(2)), of)), Number(-(within.lowest + within.highest))))


def _width(within: Bounds) -> int:
    return within.high - within.low


def _whole(measurement: Measurement) -> int | None:
    """What every row adds to a measurement's numbers in all, if it is the same for every row."""
    match measurement:
        case Counted():
            return 1
        case Balanced(_, within):
            return _width(within)
        case Moments(_, within):
            return _width(within) ** 2
        case Crossed(_, within, _, beside):
            return _width(within) * _width(beside)
        case Summed() | Owned() | Differing():
            return None
        case _:
            assert_never(measurement)
