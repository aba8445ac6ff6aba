"""The last bit of a float, and the outputs a naive sampler cannot give."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from partita.attacks.audits.low_bits import impossible, last_bit, naive_laplace


@given(number=st.floats(allow_nan=False, allow_infinity=False).filter(bool))
def test_the_last_bit_divides_the_number_and_twice_it_does_not(number):
    exponent = int(last_bit([number])[0])
    top, bottom = number.as_integer_ratio()
    shifted = top * 2 ** max(-exponent, 0), bottom * 2 ** max(exponent, 0)
    assert shifted[0] % shifted[1] == 0
    assert (shifted[0] // shifted[1]) % 2 == 1


def test_what_is_no_finite_number_has_no_last_bit():
    assert last_bit([0.0, -0.0, math.nan, math.inf, -math.inf]).tolist() == [math.inf] * 5


def test_most_outputs_of_naive_laplace_noise_betray_the_input():
    outputs = naive_laplace(np.random.default_rng(6).random(4000), 0.0)
    assert impossible(outputs, 1.0).mean() > 0.75
    assert not impossible(outputs, 0.0).any()


def test_integers_betray_nothing():
    outputs = np.arange(-100.0, 100.0)
    assert (last_bit(outputs[outputs != 0]) >= 0).all()
