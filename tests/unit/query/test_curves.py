"""Curves are the functions that they stand for, to the nearest step at their knots, and never fall."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.query.language.curves import NAMES, curve, lattice, level

FUNCTIONS = {"sqrt": math.sqrt, "ln": math.log, "log10": math.log10, "log2": math.log2, "exp": math.exp}


@given(
    name=st.sampled_from(sorted(NAMES)),
    argument=st.fractions(min_value=Fraction(1, 1000), max_value=50, max_denominator=1000),
    digits=st.integers(0, 9),
)
def test_a_level_is_the_nearest_number_of_steps(name, argument, digits):
    step = Fraction(1, 10**digits)
    found = FUNCTIONS[name](float(argument))
    assert abs(level(name, argument, step) * step - Fraction(found)) <= step / 2 + Fraction(abs(found)) / 10**12


@pytest.mark.parametrize(
    ("name", "argument", "step", "steps"),
    [
        ("sqrt", Fraction(9, 4), 1, 2),
        ("log10", Fraction(10), 2, 1),
        ("exp", Fraction(0), 2, 1),
        ("log2", Fraction(1, 8), 2, -1),
    ],
)
def test_a_value_that_lies_between_two_steps_goes_up(name, argument, step, steps):
    assert level(name, argument, Fraction(step)) == steps


@pytest.mark.parametrize("name", sorted(NAMES))
@pytest.mark.parametrize("high", [30, 3000, 50_000_000])
def test_a_curve_never_falls_and_stays_near_its_function(name, high):
    unit = Fraction(1, 100) if name != "exp" else Fraction(50, high)
    low, top = (unit, high * unit) if name != "exp" else (Fraction(-20), Fraction(30))
    step = lattice(Fraction(max(abs(FUNCTIONS[name](float(end))) for end in (low, top))))
    made = curve(name, low, top, unit, step)
    places = sorted({*range(min(made.last, 400) + 1), *(made.last * at // 997 for at in range(998)), made.last})
    values = [made.at(place) for place in places]
    assert values == sorted(values)
    size = max(map(abs, values))
    for place, value in zip(places, values, strict=True):
        meant = FUNCTIONS[name](float(low + place * unit)) / float(step)
        assert abs(value - meant) <= 2 + max(4e-5 / float(step), size * 4e-5) * (made.last >= 2048)
