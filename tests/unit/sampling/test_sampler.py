from typing import final

import numpy as np

from partita.sampling.bits import TestBits
from partita.sampling.sampler import Sampler, put


@final
class Stubborn(Sampler):
    """Gives the number of the attempt, and refuses all but the first entry of each."""

    def __init__(self, large_from=None):
        self.attempts = 0
        self.large_from = large_from

    def attempt(self, size, bits):
        self.attempts += 1
        values = np.full(size, self.attempts, dtype=np.int64)
        if self.attempts == self.large_from:
            values = values.astype(object) + (1 << 80)
        return values, np.arange(1, size)


def test_refused_draws_are_made_anew_until_none_is_left():
    assert Stubborn().draw(5, TestBits(1)).tolist() == [1, 2, 3, 4, 5]


def test_a_large_value_at_any_attempt_turns_the_noise_to_python_integers():
    assert Stubborn(large_from=3).draw(4, TestBits(1)).tolist() == [1, 2, 3 + (1 << 80), 4]


def test_no_draws_need_one_attempt():
    sampler = Stubborn()
    assert sampler.draw(0, TestBits(1)).tolist() == []
    assert sampler.attempts == 1


def test_small_values_leave_the_array_as_it_is():
    found = np.zeros(2, dtype=np.int64)
    assert put(found, np.array([1]), np.array([5])) is found
    assert found.tolist() == [0, 5]
