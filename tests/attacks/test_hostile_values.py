"""Objects that would carry exact values past the noise, or one price past several answers."""

from __future__ import annotations

import copy
import pickle
import threading
from typing import Any

import numpy as np
import pytest

import partita as pt
from partita.sampling.bits import TestBits


class Sneaky(np.ndarray):
    """An array whose own addition forgets the noise."""

    def __add__(self, other: Any) -> Any:
        return self

    def __radd__(self, other: Any) -> Any:
        return self


def test_a_masked_entry_is_not_released_without_noise() -> None:
    for masked in (np.ma.array([10**6, 222222], mask=[0, 1]), np.ma.array(12345, mask=True)):
        with pytest.raises(pt.InvalidInput, match="masked array"):
            pt.GaussianNoise(sigma=1000).release(masked)


def test_an_array_with_arithmetic_of_its_own_gets_noise_all_the_same() -> None:
    values = np.full(50, 7).view(Sneaky)
    released = pt.GaussianNoise(sigma=1000).release(values, bits=TestBits(3))
    assert type(released) is np.ndarray
    assert len(set(released.tolist())) > 40


def test_durations_are_not_integers() -> None:
    with pytest.raises(pt.InvalidInput):
        pt.GaussianNoise(sigma=1).release(np.array([1, "NaT"], dtype="timedelta64[s]"))


def test_a_session_gives_no_more_positives_to_many_threads_than_to_one() -> None:
    for seed in range(20):
        session = pt.SparseVector(epsilon=1000).open(0, bits=TestBits(seed))
        positives: list[bool] = []
        start = threading.Barrier(8)

        def ask(session: Any = session, positives: list[bool] = positives, start: Any = start) -> None:
            start.wait()
            for _ in range(5):
                try:
                    positives.append(session.ask(100))
                except pt.PartitaError:
                    return

        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sum(positives) == 1
        assert session.left == 0


def test_a_session_is_not_copied_and_keeps_its_noise() -> None:
    session = pt.SparseVector(epsilon=1).open(10)
    for copying in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(pt.InvalidInput, match="cannot be copied"):
            copying(session)
    with pytest.raises(AttributeError):
        session.mechanism = pt.SparseVector(epsilon=10**6)


def test_a_strong_gaussian_is_not_taken_for_a_far_tail() -> None:
    pair = pt.GaussianNoise(sigma="1e-9").pair(pt.l2(1))
    assert pair.delta(2e17) > 0.999
    tiny = pt.GaussianNoise(sigma="1e70").pair(pt.l2("1e-70"))
    assert tiny.delta(0.0) >= 3.98e-141


def test_a_narrow_discrete_gaussian_answers_at_once() -> None:
    noise = pt.DiscreteGaussian(variance="1e-50")
    assert noise.error() == 0.0
    assert noise.true_variance() >= 0.0
