"""Leaks that floats cannot see: the auditor must."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest

import partita as pt


@pytest.mark.parametrize(
    ("release", "batch"),
    [
        (lambda data: 2**60 + data, False),
        (lambda data, runs: np.full(runs, 2**60 + data), True),
        (lambda data: 10**30 + data, False),
        (lambda data: Fraction(1, 3) + Fraction(data, 10**30), False),
        (lambda data: random.Random(data).randrange(2**60) * 2 + data, False),
    ],
)
def test_a_leak_beyond_the_precision_of_floats_is_found(release: object, batch: bool) -> None:
    assert pt.audit(release, 0, 1, trials=4000, batch=batch).epsilon > 3  # type: ignore[arg-type]


def test_a_leak_in_the_last_bit_of_wide_noise_is_found() -> None:
    source = random.Random(5)
    assert pt.audit(lambda data: source.randrange(2**60) * 2 + data, 0, 1, trials=4000).epsilon > 3
