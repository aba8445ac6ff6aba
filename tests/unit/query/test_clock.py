from __future__ import annotations

from datetime import date, timedelta
from fractions import Fraction

from partita.query.exact import operations as make
from partita.query.exact.operations import Load, Sign, Width
from partita.query.language.expressions import Bounds, Months, Quotient, Remainder, Value, bounds
from partita.region.calendar import month_number, period
from partita.region.columns import integers
from partita.region.domain import Domain

EPOCH = date(1970, 1, 1)


def test_the_month_of_a_day_is_that_of_the_calendar():
    """Both ends of every month of the years 1 to 9999."""
    first = date(1, 1, 1)
    while first.year < 9999:
        day, month = (first - EPOCH).days, period(first, "month")
        assert month_number(day) == month
        assert first.year == 1 or month_number(day - 1) == month - 1
        first = (first + timedelta(days=31)).replace(day=1)


def test_quotients_and_remainders_lie_where_they_say():
    for low in range(-7, 8):
        for high in range(low, 9):
            domain = Domain({"x": integers(low, high, missing=low)})
            for width in (Fraction(1, 2), Fraction(1), Fraction(3), Fraction(7, 2)):
                for made in (Quotient, Remainder):
                    within = bounds(made(Value("x"), width), domain)
                    found = [x // width if made is Quotient else x % width for x in map(Fraction, range(low, high + 1))]
                    assert all(within.lowest <= value <= within.highest for value in found)
                    assert all((value / within.unit).denominator == 1 for value in found)


def test_a_month_lies_between_those_of_the_ends():
    domain = Domain({"x": integers(-31, 59)})
    assert bounds(Months(Value("x")), domain) == Bounds(1969 * 12 + 11, 1970 * 12 + 2, Fraction(1), nullable=True)


def computed(operation: make.Computed, value: int) -> int:
    """What an engine computes, divisions cut towards zero."""
    match operation:
        case Load():
            return value
        case make.Constant(value=constant):
            assert constant is not None
            return constant
        case make.Cast(part=part):
            return computed(part, value)
        case make.Applied(sign=sign, left=left, right=right):
            one, other = computed(left, value), computed(right, value)
            found = {
                Sign.PLUS: one + other,
                Sign.TIMES: one * other,
                Sign.OVER: int(Fraction(one, other or 1)),
                Sign.MODULO: one - other * int(Fraction(one, other or 1)),
            }[sign]
            assert operation.low <= found <= operation.high
            return found
    raise AssertionError(operation)


def test_operations_round_down_on_both_sides_of_zero():
    for low, high in ((-20, 20), (3, 9), (-9, -3)):
        part = Load(low, high, Width.NARROW, 1, 1, "x")
        for divisor in (1, 2, 7, 100):
            for value in range(low, high + 1):
                assert computed(make.quotient(part, divisor), value) == value // divisor
                assert computed(make.remainder(part, divisor), value) == value % divisor


def test_an_engine_finds_the_month_as_the_calendar_does():
    day = Load(-719_162, 2_932_896, Width.NARROW, 1, 1, "x")
    for value in range(day.low, day.high, 9_973):
        assert computed(make.months(day), value) == period(EPOCH + timedelta(days=value), "month")
