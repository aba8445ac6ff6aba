from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import partita as pt
from partita.exact import exact, float_down, float_up, fraction_down, fraction_up, positive, probability, whole

numbers = st.fractions(min_value=-(10**30), max_value=10**30)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (0.1, Fraction(1, 10)),
        ("0.1", Fraction(1, 10)),
        (" 1e-6 ", Fraction(1, 10**6)),
        ("1/3", Fraction(1, 3)),
        ("-2.50", Fraction(-5, 2)),
        (Decimal("0.1"), Fraction(1, 10)),
        (7, Fraction(7)),
        (Fraction(2, 7), Fraction(2, 7)),
        (np.float64(0.1), Fraction(1, 10)),
        (np.float32(0.1), Fraction(1, 10)),
        (np.int8(-3), Fraction(-3)),
        (1e-70, Fraction(1, 10**70)),
        (1e70, Fraction(10**70)),
    ],
)
def test_a_number_means_what_was_written(written: object, meant: Fraction) -> None:
    assert exact(written) == meant


@pytest.mark.parametrize(
    "bad",
    [
        *(math.nan, math.inf, -math.inf, "nan", "-inf", "Infinity", True, False, None, "", ".", "1e", "1/0", "1/-2"),
        *("0x10", "1_000", "١", [1], b"1", 1j, "1e999999", "9" * 5000, Decimal("NaN"), Decimal("1e99999"), np.nan),
        *(np.True_, object(), 5e-324, 1e300, 10**400, pytest.param(-(10**5000), id="huge"), "1e-80", Decimal("1e80")),
    ],
)
def test_what_is_no_finite_number_is_refused_with_the_value_shown(bad: object) -> None:
    with pytest.raises(pt.InvalidInput) as refusal:
        exact(bad, "epsilon")
    assert "epsilon" in refusal.value.message


@given(numbers)
def test_rounding_goes_the_way_it_says_and_not_far(number: Fraction) -> None:
    for down, up in [(float_down, float_up), (fraction_down, fraction_up)]:
        low, high = Fraction(down(number)), Fraction(up(number))
        assert low <= number <= high
        assert high - low <= abs(number) * Fraction(1, 2**51)


def test_rounding_beyond_the_floats_is_infinite_only_upwards() -> None:
    huge = Fraction(10) ** 400
    assert float_up(huge) == math.inf
    assert math.isfinite(float_down(huge))
    assert float_up(-huge) == -math.nextafter(math.inf, 0)


def test_ten_tenths_are_one() -> None:
    assert sum([exact(0.1)] * 10) == 1


@pytest.mark.parametrize("zero", [0, "0.0", -0.0, Fraction(0)])
def test_zero_is_refused_where_it_makes_no_sense(zero: object) -> None:
    with pytest.raises(pt.InvalidInput, match="more than zero"):
        positive(zero, "scale")


@pytest.mark.parametrize("outside", [0, 1, 2, -1, "1.5"])
def test_a_probability_lies_strictly_inside(outside: object) -> None:
    with pytest.raises(pt.InvalidInput, match="between 0 and 1"):
        probability(outside, "confidence")


def test_a_count_is_whole_and_large_enough() -> None:
    assert whole(3.0) == 3
    for bad in (2.5, -1, True):
        with pytest.raises(pt.InvalidInput):
            whole(bad, "count")
