"""Prices so small that the noise leaves 64 bits: everything is still computed exactly, and nothing wraps."""

from __future__ import annotations

import numpy as np
import pytest

from partita.algorithms import MWEM, Axes, OnlineMultiplicativeWeights
from partita.algorithms.adaptive_queries.belief import MOST_ROWS, Belief
from partita.algorithms.synthetic.graphical import GraphicalModel
from partita.mechanisms.gaussian import GaussianNoise
from partita.mechanisms.laplace import Laplace
from partita.sampling.bits import TestBits

ALL = np.array([[1, 1], [1, 0], [0, 1]])


@pytest.mark.parametrize("noise", [Laplace(scale=10**20), GaussianNoise(sigma=10**20)], ids=lambda noise: noise.kind)
def test_a_bare_number_gets_noise_of_any_size(noise):
    assert isinstance(noise.release(5, bits=TestBits(1)), int)
    assert noise.release(5, bits=TestBits(1)) - noise.release([0], bits=TestBits(1))[0] == 5


def test_one_row_does_not_turn_a_choice_whose_guess_is_beyond_64_bits():
    # A wrapped score would move by 2^64 for one row, and the choice would tell whether there is any.
    mwem = MWEM(ALL, rounds=1, epsilon="1e-18")
    for seed in range(60):
        empty, one = (mwem._run(np.array([rows, 0]), TestBits(seed), progress=False) for rows in (0, 1))
        assert [chosen for chosen, _ in empty[1:]] == [chosen for chosen, _ in one[1:]]


def test_a_query_of_large_weights_is_summed_without_wrapping():
    unit = 1 << 61
    offer = OnlineMultiplicativeWeights(2, rows=9, queries=5, updates=1, rho=1, unit=unit)
    live = offer.open([8, 1], bits=TestBits(1))
    assert live._exact(np.array([unit, 0])) == 8 * unit


@pytest.mark.parametrize("total", [1e19, 1e300, float("inf")])
def test_no_guess_is_larger_than_can_be_compared(total):
    assert Belief(2, total).histogram.sum() <= MOST_ROWS
    model = GraphicalModel(Axes({"a": 2}), {("a",): np.zeros(2)}, total)
    assert np.rint(model.table(("a",))).astype(np.int64).sum() <= MOST_ROWS
