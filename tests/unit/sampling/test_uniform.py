import math
from itertools import permutations

import numpy as np
import pytest
from scipy.stats import chi2

from partita.sampling.bits import TestBits
from partita.sampling.uniform import below, permutation
from tests.unit.sampling.scripted import ONES, Scripted


def p_value(counts, expected):
    counts, expected = np.asarray(counts, dtype=float), np.asarray(expected, dtype=float)
    return chi2.sf(((counts - expected) ** 2 / expected).sum(), len(counts) - 1)


@pytest.mark.parametrize("n", [1, 2, 3, 6, 100, 1000, 1024, 1025])
def test_integers_below_a_bound_are_equally_likely(n):
    drawn = below(n, 200_000, bits=TestBits(n))
    assert drawn.min() >= 0
    assert drawn.max() < n
    if n > 1:
        assert p_value(np.bincount(drawn, minlength=n), np.full(n, 200_000 / n)) > 1e-7


@pytest.mark.parametrize("n", [(1 << 63) - 1, 1 << 63, (1 << 63) + 1, 1 << 64, 10**30, 3 << 200])
def test_integers_below_a_huge_bound_fill_it_evenly(n):
    drawn = below(n, 4000, bits=TestBits(5)).tolist()
    assert all(isinstance(value, int) and 0 <= value < n for value in drawn)
    parts = np.bincount([value * 10 // n for value in drawn], minlength=10)
    assert p_value(parts, np.full(10, 400)) > 1e-7


def test_a_refused_word_is_replaced_and_not_folded_back():
    top = [value << 61 for value in (7, 6, 5, 2)]
    assert below(6, 2, bits=Scripted(top)).tolist() == [5, 2]
    assert below(6, 1, bits=Scripted([ONES] * 100, seed=1)).max() < 6


@pytest.mark.parametrize("n", [0, 1, 2, 5, 1000])
def test_a_permutation_holds_each_index_once(n):
    assert sorted(permutation(n, bits=TestBits(n)).tolist()) == list(range(n))


def test_all_orders_are_equally_likely():
    bits = TestBits(9)
    seen = dict.fromkeys(permutations(range(4)), 0)
    for _ in range(12_000):
        seen[tuple(permutation(4, bits=bits).tolist())] += 1
    assert p_value(list(seen.values()), np.full(math.factorial(4), 500)) > 1e-7


def test_equal_keys_are_all_drawn_again():
    bits = Scripted([7, 7, 1, 5, 3, 9])
    assert permutation(3, bits=bits).tolist() == [1, 0, 2]
    assert len(bits.given) == 2
