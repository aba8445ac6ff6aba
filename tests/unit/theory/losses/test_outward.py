"""What is assumed of the platform: elementary functions within four units in the last place."""

from __future__ import annotations

import math

import numpy as np
import pytest
from flint import arb

from partita.theory.losses.outward import FUNCTION, down, probability_up, up


def worst(values, exact, scale=None):
    """The largest error in units of FUNCTION, relative to the value (or to a scale)."""
    errors = []
    for value, true in zip(values, exact, strict=True):
        size = abs(true) if scale is None else arb(scale)
        errors.append(float(((arb(float(value)) - true).abs_upper() / (size * FUNCTION)).upper()))
    return max(errors)


POINTS = np.concatenate([np.linspace(-40, 40, 801), np.geomspace(1e-12, 700, 400), -np.geomspace(1e-12, 700, 400)])
POSITIVE = np.geomspace(1e-12, 1e12, 801)
ANGLES = np.concatenate([np.linspace(-50, 50, 1001), np.geomspace(50, 1e9, 300)])


@pytest.mark.parametrize(
    ("function", "exact", "points"),
    [
        (np.exp, lambda x: x.exp(), POINTS),
        (np.expm1, lambda x: x.expm1(), POINTS[POINTS != 0]),
        (np.tanh, lambda x: x.tanh(), POINTS[POINTS != 0]),
        (np.log, lambda x: x.log(), POSITIVE[POSITIVE != 1]),
        (np.log1p, lambda x: x.log1p(), POSITIVE),
        (np.vectorize(math.erfc), lambda x: x.erfc(), np.linspace(0, 26, 700)),
        (np.vectorize(math.lgamma), lambda x: x.lgamma(), np.linspace(3, 200, 300)),
    ],
    ids=["exp", "expm1", "tanh", "log", "log1p", "erfc", "lgamma"],
)
def test_elementary_functions_are_within_the_assumed_error(function, exact, points):
    assert worst(function(points), [exact(arb(float(x))) for x in points]) <= 1


@pytest.mark.parametrize(("function", "exact"), [(np.sin, lambda x: x.sin()), (np.cos, lambda x: x.cos())])
def test_sines_are_within_the_assumed_error_of_one(function, exact):
    assert worst(function(ANGLES), [exact(arb(float(x))) for x in ANGLES], scale=1.0) <= 1


def test_complex_waves_are_within_the_assumed_error():
    values = np.exp(1j * ANGLES)
    assert worst(values.real, [arb(float(x)).cos() for x in ANGLES], scale=1.0) <= 1
    assert worst(values.imag, [arb(float(x)).sin() for x in ANGLES], scale=1.0) <= 1


def test_rounding_goes_outward():
    assert up(1.0) > 1.0 > down(1.0)
    assert up(-1.0) > -1.0 > down(-1.0)
    assert up(float("nan")) == math.inf
    assert probability_up(0.0) == 0.0
    assert probability_up(2.0) == 1.0
