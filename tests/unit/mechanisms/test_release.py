"""Releasing: exact integers in, noisy integers out, and nothing else."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.errors import InvalidInput, PartitaError
from partita.mechanisms.discrete_gaussian import DiscreteGaussian
from partita.mechanisms.exponential import Exponential
from partita.mechanisms.gaussian import GaussianNoise
from partita.mechanisms.geometric import Geometric
from partita.mechanisms.integers import add, read
from partita.mechanisms.laplace import Laplace
from partita.mechanisms.noisy_max import NoisyMax
from partita.mechanisms.permute_and_flip import PermuteAndFlip
from partita.mechanisms.randomized_response import RandomizedResponse
from partita.mechanisms.sparse_vector import SparseVector
from partita.sampling.bits import BitSource, TestBits
from tests.refusals import taken

ADDITIVE = [Laplace(scale=3), GaussianNoise(sigma=3), Geometric(scale=3), DiscreteGaussian(variance=9)]
CHOICES = [Exponential(epsilon=1), PermuteAndFlip(epsilon=1), NoisyMax(epsilon=1)]
RELEASING = [*ADDITIVE, *CHOICES, RandomizedResponse(epsilon=1)]
TOP = 2**63 - 1

additive = pytest.mark.parametrize("noise", ADDITIVE, ids=lambda noise: noise.kind)
releasing = pytest.mark.parametrize("mechanism", RELEASING, ids=lambda mechanism: mechanism.kind)


class Untouched(BitSource):
    """A source that must not be asked."""

    def words(self, count):
        raise AssertionError("bits were drawn before the input was checked")


@additive
def test_one_draw_is_added_to_each_entry(noise):
    values = np.arange(12).reshape(3, 4) * 1000
    noisy = noise.release(values, bits=TestBits(1))
    assert noisy.shape == values.shape
    assert (noisy - values == noise.draw(12, TestBits(1)).reshape(3, 4)).all()


@additive
def test_a_bare_number_gives_a_bare_number(noise):
    for value in (7, np.int8(7), np.array(7)):
        noisy = noise.release(value, bits=TestBits(1))
        assert type(noisy) is int
        assert noisy == 7 + int(noise.draw(1, TestBits(1))[0])


@additive
def test_real_bits_are_used_unless_a_test_passes_its_own(noise):
    zeros = np.zeros(200, dtype=np.int64)
    assert (noise.release(zeros) != noise.release(zeros)).any()


@additive
def test_every_kind_of_integer_array_is_read(noise):
    expected = noise.release([1, 2, 3], bits=TestBits(2)).tolist()
    for dtype in (np.int8, np.uint8, np.int16, np.int32, np.uint32, np.int64, np.uint64, object):
        assert noise.release(np.array([1, 2, 3], dtype=dtype), bits=TestBits(2)).tolist() == expected
    assert noise.release((1, 2, 3), bits=TestBits(2)).tolist() == expected
    assert noise.release(pd.Series([1, 2, 3]), bits=TestBits(2)).tolist() == expected


@additive
@pytest.mark.parametrize("values", [[TOP] * 40, [-TOP - 1] * 40, [2**70, -(2**80), 0], [TOP, 2**64]])
def test_sums_beyond_64_bits_are_exact_and_never_wrap(noise, values):
    noisy = noise.release(values, bits=TestBits(3))
    drawn = noise.draw(len(values), TestBits(3))
    assert [int(x) for x in noisy] == [value + int(z) for value, z in zip(values, drawn, strict=True)]
    assert (noisy.dtype == object) == any(not -TOP - 1 <= int(x) <= TOP for x in noisy)


@given(
    st.lists(st.integers(-(2**65), 2**65), min_size=1, max_size=8),
    st.lists(st.integers(-(2**65), 2**65), min_size=8, max_size=8),
)
def test_addition_is_exact_and_its_type_depends_on_the_sum_alone(values, noise):
    noise = noise[: len(values)]
    total = add(read(values).values, read(noise).values)
    exact = [a + b for a, b in zip(values, noise, strict=True)]
    assert [int(x) for x in total] == exact
    assert (total.dtype == object) == any(not -TOP - 1 <= x <= TOP for x in exact)


def test_huge_noise_is_added_exactly():
    noisy = Laplace(scale=Fraction(10) ** 40).release([0] * 50, bits=TestBits(1))
    assert noisy.dtype == object
    assert max(abs(int(x)) for x in noisy) > 10**38


@additive
def test_nothing_gives_nothing(noise):
    for empty in ([], (), np.array([], dtype=np.int64), np.zeros((0, 3), dtype=np.int32)):
        assert noise.release(empty, bits=TestBits(1)).size == 0


BAD = [
    1.0,
    [1.5],
    [1.0, 2.0],
    [float("nan")],
    [float("inf")],
    np.array([1.0]),
    np.array([np.nan]),
    np.array([], dtype=float),
    "12",
    ["12"],
    np.array(["1"]),
    b"12",
    None,
    [None],
    [1, None],
    [1, 2.0],
    {"a": 1},
    {1},
    [[1], [1, 2]],
    [[1, 2], 3],
    Fraction(1, 2),
    [Fraction(1, 2)],
    Decimal(1),
    [Decimal(1)],
    1j,
    Ellipsis,
    np.array(["2026-01-01"], dtype="datetime64[D]"),
    pd.Series([1.5]),
    pd.Series([1, None]),
    pd.Series([1, None], dtype="Int64"),
    range,
]


@releasing
def test_what_is_not_exact_integers_is_refused_before_anything_is_drawn(mechanism):
    assert taken(lambda values: mechanism.release(values, bits=Untouched()), BAD, InvalidInput) == []


@releasing
@pytest.mark.parametrize("values", [True, [True, False], np.array([True, False])], ids=repr)
def test_yes_and_no_are_answers_to_a_survey_and_no_integers_elsewhere(mechanism, values):
    if isinstance(mechanism, RandomizedResponse) and mechanism.values == 2:
        assert np.isin(mechanism.release(values, bits=TestBits(1)), [0, 1]).all()
    else:
        with pytest.raises(InvalidInput):
            mechanism.release(values, bits=Untouched())


@additive
def test_floats_are_refused_with_what_to_do(noise):
    with pytest.raises(InvalidInput, match="Scale the values to integers in units of a public step"):
        noise.release([0.25])


@releasing
def test_a_refusal_never_shows_a_value(mechanism):
    with pytest.raises(InvalidInput) as refusal:
        mechanism.release([123456789.5])
    assert "123456789" not in str(refusal.value)


@releasing
@pytest.mark.parametrize("bits", [7, "bits", np.random.default_rng(1)], ids=["number", "text", "numpy"])
def test_only_a_source_of_bits_is_drawn_from(mechanism, bits):
    with pytest.raises(PartitaError, match="not a source of random bits"):
        mechanism.release([1, 0], bits=bits)


@pytest.mark.parametrize("choice", CHOICES, ids=lambda choice: choice.kind)
def test_a_choice_needs_a_flat_list_with_something_in_it(choice):
    for scores in ([], np.array([], dtype=int), 5, [[1, 2], [3, 4]]):
        with pytest.raises(InvalidInput):
            choice.release(scores, bits=Untouched())


@pytest.mark.parametrize("choice", CHOICES, ids=lambda choice: choice.kind)
def test_scores_of_any_size_are_compared_exactly(choice):
    scores = [0, 2**80, 2**80 - 10**6, -(2**90)]
    assert choice.release(scores, bits=TestBits(1)) == 1
    assert choice.release([7], bits=TestBits(1)) == 0
    assert choice.release(np.array([-(2**63), 2**63 - 1]), bits=TestBits(1)) == 1


def test_a_session_refuses_after_its_last_positive_and_bad_values_before():
    session = SparseVector(epsilon=100, positives=1).open(0, bits=TestBits(1))
    for value in (1.5, None, [1, 2], "x", True):
        with pytest.raises(PartitaError):
            session.ask(value)
    assert session.left == 1
    assert session.ask(-(10**6)) is False
    assert session.ask(10**6) is True
    with pytest.raises(PartitaError, match="is over"):
        session.ask(10**6)
    for threshold in (1.5, None, [1], "x"):
        with pytest.raises(PartitaError):
            SparseVector(epsilon=1).open(threshold)


def test_questions_beyond_64_bits_are_compared_exactly():
    session = SparseVector(epsilon=1, positives=3).open(2**80, bits=TestBits(1))
    assert session.ask(2**80 + 10**6)
    assert not session.ask(2**80 - 10**6)


def test_noise_declared_for_one_number_takes_one():
    noise = DiscreteGaussian(variance=4, alone=True)
    assert isinstance(noise.release(5, bits=TestBits(1)), int)
    assert noise.release([5], bits=TestBits(1)).shape == (1,)
    with pytest.raises(InvalidInput, match="declared for one number"):
        noise.release([1, 2], bits=Untouched())
