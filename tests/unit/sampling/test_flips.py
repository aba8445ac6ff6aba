"""Permute-and-flip over runs: the law of flipping every coin, without flipping every coin."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import chisquare

from partita.errors import InvalidInput
from partita.mechanisms.permute_and_flip import PermuteAndFlip
from partita.sampling.bits import TestBits
from partita.sampling.choice import Urn, gaps_of
from partita.sampling.flips import _Race, run_permute_and_flip

LISTS = {
    "few": ([0, -1, -2], [1, 1, 1], Fraction(1, 2)),
    "several best": ([-4, 0, -1], [3, 4, 2], Fraction(1, 6)),
    "many heads": ([0, -2, -5], [1, 30, 200], Fraction(1, 4)),
    "one head": ([0, -60, -61], [1, 50, 7], Fraction(1)),
}


def race(name: str) -> _Race:
    scores, lengths, weight = LISTS[name]
    return _Race.of(Urn.of(gaps_of(scores, weight), np.array(lengths)), np.array(lengths))


@pytest.mark.slow
@pytest.mark.parametrize("exactly", [False, True], ids=["floats", "balls"])
@pytest.mark.parametrize("name", LISTS)
def test_runs_are_chosen_as_if_every_coin_were_flipped(name, exactly, monkeypatch):
    if exactly:
        monkeypatch.setattr(_Race, "_quickly", lambda *_: None)
    scores, lengths, weight = LISTS[name]
    bits, rounds = TestBits(3), 400 if exactly else 3_000
    drawn = Counter(run_permute_and_flip(scores, np.array(lengths), weight, bits) for _ in range(rounds))
    alone = PermuteAndFlip(epsilon=2 * weight).probabilities(np.repeat(scores, lengths))
    chances = np.array([part.sum() for part in np.split(alone, np.cumsum(lengths)[:-1])])
    seen = np.array([sum(times for (one, _), times in drawn.items() if one == run) for run in range(len(lengths))])
    assert seen[chances < 1e-9].sum() == 0
    common = chances >= 1e-9
    assert common.sum() == 1 or chisquare(seen[common], rounds * chances[common] / chances[common].sum()).pvalue > 1e-6
    assert all(0 <= place < lengths[run] for run, place in drawn)


@pytest.mark.parametrize("name", LISTS)
def test_floats_decide_as_balls_do(name):
    given, draws, bits, decided = race(name), np.random.default_rng(1), TestBits(1), 0
    for _ in range(60):
        run, window = int(draws.integers(3)), int(draws.integers(1 << given.halvings))
        moment, height = (int(draws.integers(1 << 63)) * 2 + 1 for _ in range(2))
        found = given._quickly(run, window, moment, height)
        decided += found is not None
        assert found in (None, given._exactly(run, window, moment, height, bits))
    assert decided >= 58


def test_a_moment_too_close_to_the_end_is_left_to_balls():
    given = race("one head")
    assert given._quickly(1, 0, (1 << 64) - 1, 5) is None
    assert given._exactly(1, 0, (1 << 64) - 1, 1 << 63, TestBits(1)) is False
    assert given._exactly(0, 0, (1 << 64) - 1, 1 << 63, TestBits(1)) is True


def test_the_rate_is_less_than_the_heads_of_all_but_one():
    for name, (scores, lengths, weight) in LISTS.items():
        heads = sum(length * np.exp(float(weight * score)) for score, length in zip(scores, lengths, strict=True))
        given = race(name)
        assert heads - 1 - 1e-5 <= float(given.rate) <= heads - 1
        assert given.rate <= 1 << given.halvings


def test_a_thousand_million_candidates_are_no_more_work_than_their_runs():
    run, place = run_permute_and_flip([-5, 0, -5], np.array([10**7, 10**9, 10**7]), Fraction(1), TestBits(1))
    assert run == 1
    assert 0 <= place < 10**9


@pytest.mark.parametrize("lengths", [[1], [1, 0], [1, -2]])
def test_runs_must_have_a_length_each(lengths):
    with pytest.raises(InvalidInput):
        run_permute_and_flip([0, 1], np.array(lengths), Fraction(1), TestBits(1))


def test_among_many_runs_floats_leave_what_their_sum_may_round_to_the_balls():
    runs = 1 << 18
    scores, lengths = np.full(runs, -12), np.ones(runs, dtype=np.int64)
    scores[0] = 0
    many = _Race.of(Urn.of(gaps_of(scores, Fraction(1)), lengths), lengths)
    chance = math.exp(float(np.log1p(-many.biases[1:] * 2.0 ** -(many.halvings + 1)).sum()))
    heights = [int(chance * share * 2**64) for share in (1 - 2.0**-20, 1 - 2.0**-35, 1 + 2.0**-20)]
    assert [many._quickly(0, 0, 1 << 63, height) for height in heights] == [True, None, False]
