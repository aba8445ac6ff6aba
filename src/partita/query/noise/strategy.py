"""Designs: the ways to get all aggregates of a question out of few noisy numbers, and how they share one price."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import assert_never, final

from partita.query.answer.estimators import Estimator, Linear
from partita.query.exact.measurements import Balanced, Counted, Crossed, Differing, Measurement, Moments, Owned, Summed
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
    arguments,
    paired,
    with_arguments,
)
from partita.query.language.conditions import Condition
from partita.query.language.expressions import Bounds, Expression, bounds
from partita.query.noise.assembly import Assembly, centred
from partita.query.rewrite.collect_terms import collected
from partita.region.domain import Domain


@final
@dataclass(frozen=True, slots=True)
class Strategy:
    """Measurements to release, and an estimator for each aggregate.

    ``weights`` says how much the question's errors grow with the variance of each measurement's noise: the figure that
    strategies are compared by, and that a price is divided by. ``felt`` are the combinations whose errors these are,
    each with the square of what is a large error.
    """

    name: str
    measurements: tuple[Measurement, ...]
    estimators: tuple[Estimator, ...]
    weights: tuple[Fraction, ...]
    felt: tuple[tuple[Linear, Fraction], ...] = ()


def strategies_of(aggregates: tuple[Aggregate, ...], domain: Domain) -> tuple[Strategy, ...]:
    """Every strategy worth comparing for these aggregates.

    >>> from partita.region.columns import integers
    >>> from partita.query.language.expressions import Value
    >>> domain = Domain({"age": integers(0, 120)})
    >>> [strategy.name for strategy in strategies_of((CountRows(), Average(Value("age"))), domain)]
    ['split', 'joint']
    """
    needs = _Needs.of(aggregates, domain)
    found = [_planned("split", needs, needs.split(centred=False))]
    if any(needs.centrable(of) for of in needs.summed):
        found.append(_planned("split", needs, needs.split(centred=True)))
    if needs.moments or (needs.summed and needs.counting):
        found.append(_planned("joint", needs, needs.joint()))
    distinct: dict[tuple[Measurement, ...], Strategy] = {}
    for strategy in found:
        distinct.setdefault(strategy.measurements, strategy)
    return tuple(distinct.values())


@final
@dataclass(frozen=True)
class _Needs:
    """What the aggregates need: which expressions are summed, averaged, squared or counted, and whether rows are."""

    aggregates: tuple[Aggregate, ...]
    domain: Domain
    within: dict[Expression, Bounds]
    summed: tuple[Expression, ...]
    averaged: frozenset[Expression]
    squared: tuple[Expression, ...]
    pairs: tuple[tuple[Expression, Expression], ...]
    multiplied: tuple[tuple[Expression, Expression], ...]
    counted: frozenset[Expression]
    rows: bool
    owners: bool = False
    different: tuple[tuple[str, Condition | None], ...] = ()

    @classmethod
    def of(cls, aggregates: tuple[Aggregate, ...], domain: Domain) -> _Needs:
        aggregates = tuple(_paired(aggregate, domain) for aggregate in aggregates)
        within = {of: bounds(of, domain) for aggregate in aggregates for of in arguments(aggregate)}
        summed: dict[Expression, None] = {}
        squared: dict[Expression, None] = {}
        pairs: dict[tuple[Expression, Expression], None] = {}
        multiplied: dict[tuple[Expression, Expression], None] = {}
        averaged, counted, rows, owners = set(), set(), False, False
        different: dict[tuple[str, Condition | None], None] = {}
        for aggregate in aggregates:
            flat = any(within[of].low == within[of].high for of in arguments(aggregate))
            match aggregate:
                case CountRows():
                    rows = True
                case CountOwners():
                    owners = True
                case CountDifferent(column, among):
                    different[column, among] = None
                case Count(of):
                    counted.add(of)
                case Sum(of) if flat:
                    counted.add(of)
                case Average() | Variance() | Covariance() | Correlation() if flat:
                    continue
                case Sum(of):
                    summed[of] = None
                case Average(of):
                    summed[of] = None
                    averaged.add(of)
                case Variance(of):
                    squared[of] = None
                case Covariance(of, other):
                    pairs[of, other] = None
                case Correlation(of, other):
                    squared.update(dict.fromkeys((of, other)))
                    multiplied[of, other] = None
                case Quantile():
                    raise AssertionError
                case _:
                    assert_never(aggregate)
        plain = {of for of in counted if not within[of].nullable}
        return cls(
            aggregates,
            domain,
            within,
            tuple(summed),
            frozenset(averaged),
            tuple(squared),
            tuple(pairs),
            tuple(multiplied),
            frozenset(counted - plain),
            rows or bool(plain),
            owners,
            tuple(different),
        )

    @property
    def apart(self) -> list[Measurement]:
        """What is counted by itself: owners, and different values."""
        owners: list[Measurement] = [Owned()] if self.owners else []
        return [*owners, *(Differing(column, among) for column, among in self.different)]

    @property
    def moments(self) -> bool:
        """Whether any squares or products are needed."""
        return bool(self.squared or self.pairs)

    @property
    def counting(self) -> bool:
        """Whether any count is needed."""
        return self.rows or bool(self.counted) or bool(self.averaged) or self.moments

    def centrable(self, of: Expression) -> bool:
        """Whether a sum could be centred because its count is needed anyway."""
        return of not in self.averaged and self._count_known(of)

    def _count_known(self, of: Expression) -> bool:
        if self.within[of].nullable:
            return of in self.counted
        return self.rows or any(not self.within[other].nullable for other in self.averaged)

    def split(self, *, centred: bool) -> list[Measurement]:
        """Counts and sums, each with noise of its own."""
        apart = dict.fromkeys([*self.squared, *(of for pair in self.pairs for of in pair)])
        averaged = self.averaged | set(apart)
        measurements = self.apart
        gapped = [of for of in self.within if of in self.counted or (of in averaged and self.within[of].nullable)]
        measurements.extend(Counted(of) for of in gapped)
        if not gapped and (self.rows or averaged):
            measurements.append(Counted())
        for of in dict.fromkeys([*self.summed, *apart]):
            within = self.within[of]
            if of in averaged or (centred and self.centrable(of)):
                measurements.append(_centred(of, within))
            else:
                measurements.append(Summed(of, within))
        products = [*((of, of) for of in self.squared), *self.pairs, *self.multiplied]
        measurements.extend(self._product(of, other) for of, other in dict.fromkeys(products))
        return measurements

    def joint(self) -> list[Measurement]:
        """Count, sum, squares and products of an expression from one balanced release."""
        measurements = self.apart
        measurements.extend(Moments(of, self.within[of]) for of in self.squared)
        measurements.extend(Crossed(of, self.within[of], other, self.within[other]) for of, other in self.pairs)
        measurements.extend(self._product(of, other) for of, other in self.multiplied)
        measurements.extend(Balanced(of, self.within[of]) for of in self.summed if of not in self.squared)
        known = {*self.summed, *self.squared, *(of for of, _ in self.pairs)}
        measurements.extend(Counted(of) for of in self.within if of in self.counted and of not in known)
        return measurements

    def _product(self, of: Expression, other: Expression) -> Summed:
        product = centred(of, other, self.within)
        return Summed(product, bounds(product, self.domain))


def _paired(aggregate: Aggregate, domain: Domain) -> Aggregate:
    """An aggregate of two expressions, of two that are NULL on the same rows."""
    if not isinstance(aggregate, Covariance | Correlation):
        return aggregate
    both = paired(aggregate.of, aggregate.other, domain)
    return with_arguments(aggregate, tuple(collected(of, domain) for of in both))


def _centred(of: Expression, within: Bounds) -> Summed:
    """Twice the distance from the middle: whole numbers of half units, half as far from zero."""
    return Summed(of, within, slope=2, offset=-(within.low + within.high))


def _planned(name: str, needs: _Needs, measurements: list[Measurement]) -> Strategy:
    assembly = Assembly(needs.within, tuple(measurements))
    estimators = tuple(assembly.estimator(aggregate) for aggregate in needs.aggregates)
    felt = [part for pair in zip(needs.aggregates, estimators, strict=True) for part in assembly.felt(*pair)]
    return Strategy(name, tuple(measurements), estimators, assembly.weights(needs.aggregates, estimators), tuple(felt))
