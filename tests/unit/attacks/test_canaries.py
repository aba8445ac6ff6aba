"""Canaries find out training that protects nobody, and say nothing of training that does."""

from __future__ import annotations

import numpy as np
import pytest

from partita.attacks.laboratory.canaries import audit_training
from partita.errors import InvalidInput
from partita.mechanisms.laplace import Laplace
from partita.sampling.bits import TestBits


def test_training_that_keeps_every_record_is_found_out():
    shown = audit_training(lambda included: included * 2.0 - 1, 400, bits=TestBits(1))
    assert shown.correct == shown.guesses == 200
    assert shown.falsifies(3)


@pytest.mark.parametrize("epsilon", [1, 2, 4])
def test_a_noisy_sum_is_never_said_to_cost_more_than_it_does(epsilon):
    noise = Laplace(epsilon=epsilon)

    def train(included):
        return noise.release(included.astype(np.int64), bits=TestBits(9)).astype(float)

    shown = audit_training(train, 2000, confidence=1 - 1e-6, bits=TestBits(2))
    assert 0 < shown.epsilon <= epsilon
    assert not shown.falsifies(epsilon)


def test_half_the_noise_is_found_out():
    noise = Laplace(epsilon=4)
    shown = audit_training(
        lambda included: noise.release(included.astype(np.int64), bits=TestBits(9)), 4000, bits=TestBits(2)
    )
    assert shown.falsifies(2)


def test_training_may_not_change_the_coins():
    def cheat(included):
        included[:] = True
        return np.ones(100)

    assert audit_training(cheat, 100, bits=TestBits(2)).epsilon < 3


def test_scores_must_be_one_for_each_canary():
    with pytest.raises(InvalidInput, match="one number for each of the 10 canaries"):
        audit_training(lambda included: [1.0, 2.0], 10)
    with pytest.raises(InvalidInput, match="more than the 10"):
        audit_training(lambda included: included, 10, guesses=11)


def test_it_says_what_it_showed():
    said = str(audit_training(lambda included: included, 100, delta="1e-6", bits=TestBits(1)))
    assert "50 were guessed and 50 of them right" in said
    assert "proves nothing" in said
