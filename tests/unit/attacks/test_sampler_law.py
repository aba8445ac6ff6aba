"""Noise is compared with its law: the right law stands, a slightly wrong one does not."""

from __future__ import annotations

import math

import numpy as np
import pytest

from partita.attacks.audits.sampler_law import law_test, sampler_laws
from partita.mechanisms.additive import AdditiveNoise
from partita.mechanisms.family import family
from partita.mechanisms.geometric import Geometric
from partita.sampling.bits import TestBits


def mass(k):
    return math.tanh(0.5) * np.exp(-np.abs(k))


DRAWN = Geometric(epsilon=1).release(np.zeros(40_000, dtype=np.int64), bits=TestBits(5))


def test_every_noise_follows_its_law():
    found = list(sampler_laws(bits=TestBits(12)))
    additive = {kind for kind, one in family().items() if issubclass(one, AdditiveNoise)}
    assert {test.noise.split(",")[0] for test in found} == additive
    assert all(test.stands for test in found)


def test_the_right_law_stands():
    assert law_test("geometric", DRAWN, mass).stands


@pytest.mark.parametrize(
    "wrong",
    [DRAWN + 1, np.clip(DRAWN, -4, 4), np.abs(DRAWN), np.where(DRAWN == 0, 1, DRAWN), DRAWN * 2],
    ids=["off by one", "truncated", "one side", "never zero", "twice as wide"],
)
def test_a_wrong_law_is_refuted(wrong):
    assert not law_test("geometric", wrong, mass).stands
