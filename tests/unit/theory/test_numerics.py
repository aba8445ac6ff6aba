"""Floats beside a value: certainly on their side of it, and next to each other."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from partita.exact import float_down, float_up
from partita.theory import numerics
from partita.theory.numerics import ball


@pytest.mark.parametrize("value", ["1e-320", "0.1", "3", "2.5e307", "-0.1", "-1e-300"])
def test_floats_beside_a_value_are_those_that_exact_rounding_gives(value):
    exactly = Fraction(value)
    assert numerics.float_below(lambda: ball(exactly)) == float_down(exactly)
    assert numerics.float_above(lambda: ball(exactly)) == float_up(exactly)


def test_what_no_float_holds_is_rounded_outward():
    huge, least = Fraction("1e400"), Fraction("1e-400")
    assert numerics.float_above(lambda: ball(huge)) == math.inf
    assert numerics.float_below(lambda: ball(huge)) == math.nextafter(math.inf, 0)
    assert numerics.float_above(lambda: ball(least)) == math.ulp(0.0)
    assert numerics.float_below(lambda: ball(least)) <= 0.0


@pytest.mark.parametrize("power", [1, 2, 7])
@pytest.mark.parametrize("goal", ["1e-30", "0.3", "1", "2000", "7e40"])
def test_a_hint_changes_no_least_value_and_asks_seldom(goal, power):
    """Not even a hint that is wrong, that is nothing, or that cannot be had."""
    asked = []

    def holds(value: Fraction) -> bool:
        asked.append(value)
        return value**power >= Fraction(goal)

    def away(value: Fraction) -> float:
        raise ZeroDivisionError

    plain = numerics.least_positive(holds)
    usual, asked[:] = len(asked), []
    assert numerics.least_positive(holds, ratio=lambda x: float(Fraction(goal) / x**power)) == plain
    assert len(asked) < usual / 2
    for hint in (lambda x: float(x), lambda x: 0.0, lambda x: 3.0, lambda x: math.nan, away, lambda x: 1.0):
        assert numerics.least_positive(holds, ratio=hint) == plain
    assert holds(plain)
    assert not holds(plain * (1 - Fraction(1, 2**58)))
