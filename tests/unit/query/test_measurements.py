"""The length of every row's vector, and of every change of a row, by trying all values."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import pytest

from partita.query.exact.measurements import (
    Balanced,
    Counted,
    Crossed,
    Lengths,
    Measurement,
    Moments,
    Summed,
    entries,
    one_change,
    one_row,
)
from partita.query.exact.program import Present, Rows, Tally, Total
from partita.query.language.expressions import Bounds, Times, Value

X, Y = Value("x"), Value("y")


def bounds(low: int, high: int, *, nullable: bool = False) -> Bounds:
    return Bounds(low, high, Fraction(1), nullable)


def vector(measurement: Measurement, x: int | None, y: int | None) -> list[int]:
    """What one row adds to a measurement."""
    values: dict[Tally, int] = {Rows(): 1}
    for of, value in ((X, x), (Y, y), (Times((X, X)), x and x * x), (Times((X, Y)), x and y and x * y)):
        values[Present(of)] = value is not None
        values[Total(of)] = value or 0
    return [sum(weight * values[tally] for tally, weight in entry.items()) for entry in entries(measurement)]


def lengths(numbers: list[int]) -> Lengths:
    return Lengths(sum(map(abs, numbers)), sum(number**2 for number in numbers), max(map(abs, numbers)))


def vectors(measurement: Measurement) -> Iterator[list[int]]:
    within = getattr(measurement, "bounds", bounds(0, 1))
    beside = measurement.beside if isinstance(measurement, Crossed) else bounds(0, 0)
    for x in range(within.low, within.high + 1):
        for y in range(beside.low, beside.high + 1):
            yield vector(measurement, x, y)
    if within.nullable:
        yield vector(measurement, None, None)


CASES = [
    Counted(),
    Summed(X, bounds(-3, 8)),
    Summed(X, bounds(-3, 8), slope=2, offset=-5),
    Balanced(X, bounds(-3, 8)),
    Balanced(X, bounds(2, 9, nullable=True)),
    Moments(X, bounds(0, 40)),
    Moments(X, bounds(-7, 12)),
    Moments(X, bounds(90, 105, nullable=True)),
    Crossed(X, bounds(0, 6), Y, bounds(-3, 3)),
    Crossed(X, bounds(4, 9, nullable=True), Y, bounds(0, 5, nullable=True)),
]


@pytest.mark.parametrize("measurement", CASES, ids=repr)
def test_no_row_is_longer_than_claimed_and_one_is_as_long(measurement):
    claimed, found = one_row(measurement), Lengths(0, 0, 0)
    for each in vectors(measurement):
        found = found | lengths(each)
    assert (found.l2_squared, found.linf) == (claimed.l2_squared, claimed.linf)
    # Between whole numbers the highest point of a curve can be missed by a little.
    assert 0.99 * claimed.l1 <= found.l1 <= claimed.l1


@pytest.mark.parametrize("measurement", CASES, ids=repr)
def test_no_change_of_a_row_is_longer_than_claimed_and_one_is_nearly_as_long(measurement):
    claimed, found = one_change(measurement, groups=1, partial=False), Lengths(0, 0, 0)
    every = list(vectors(measurement))
    for before in every:
        for after in every:
            found = found | lengths([one - two for one, two in zip(before, after, strict=True)])
    for norm in ("l1", "l2_squared", "linf"):
        assert 0.97 * getattr(claimed, norm) <= getattr(found, norm) <= getattr(claimed, norm)


@pytest.mark.parametrize("measurement", CASES, ids=repr)
def test_between_groups_a_change_is_two_rows(measurement):
    alone, moved = one_row(measurement), one_change(measurement, groups=2, partial=False)
    assert moved.l1 >= 2 * alone.l1
    assert moved.l2_squared >= 2 * alone.l2_squared


def test_every_row_adds_the_same_to_moments_and_crossed_sums_in_all():
    for measurement in CASES:
        if isinstance(measurement, Balanced | Moments | Crossed):
            assert len({sum(each) for each in vectors(measurement)}) == 1
