from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from partita.errors import InvalidInput
from partita.sampling.bernoulli import bernoulli, bernoulli_exp
from partita.sampling.bits import TestBits
from partita.sampling.choice import permute_and_flip, proportional_to_exp
from partita.sampling.discrete_gaussian import discrete_gaussian
from partita.sampling.geometric import geometric
from partita.sampling.rounded import exponential, gaussian, laplace
from partita.sampling.uniform import below, permutation
from tests.refusals import taken
from tests.unit.sampling.scripted import Scripted

NOISES = [gaussian, laplace, exponential, geometric, discrete_gaussian]
SIZED = [*NOISES, bernoulli, bernoulli_exp, below]
BAD_SCALES = [
    0,
    -1,
    float("nan"),
    float("inf"),
    -float("inf"),
    True,
    None,
    "many",
    "",
    [],
    Fraction(-1, 2),
    b"1",
    1j,
    10**80,
]
BAD_SIZES = [-1, True, 2.0, 2.5, float("nan"), None, "3", (3,), Fraction(3), 1 << 60]


@pytest.mark.parametrize("noise", NOISES)
def test_a_scale_that_is_not_positive_and_finite_is_refused_before_a_bit_is_drawn(noise):
    bits = Scripted()
    assert taken(lambda scale: noise(scale, 10, bits=bits), BAD_SCALES, InvalidInput) == []
    assert bits.given == []


@pytest.mark.parametrize("sampler", SIZED)
def test_a_size_that_is_not_a_whole_number_is_refused_before_a_bit_is_drawn(sampler):
    bits = Scripted()
    assert taken(lambda size: sampler(1, size, bits=bits), BAD_SIZES, InvalidInput) == []
    assert bits.given == []


@pytest.mark.parametrize("sampler", SIZED)
@pytest.mark.parametrize("bits", [None, 7, "entropy"])
def test_what_is_not_a_source_of_bits_is_refused(sampler, bits):
    with pytest.raises(InvalidInput, match="source of random bits"):
        sampler(1, 3, bits=bits)


@pytest.mark.parametrize("scale", [2, 2.5, "2.5", Decimal("2.5"), Fraction(5, 2), np.float64(2.5), np.int32(2)])
@pytest.mark.parametrize("noise", NOISES)
def test_a_scale_may_be_written_as_any_exact_number(noise, scale):
    assert noise(scale, np.int64(3), bits=TestBits(1)).shape == (3,)


@pytest.mark.parametrize("p", [-1, "1.1", float("nan"), None, True])
def test_a_coin_needs_a_probability(p):
    with pytest.raises(InvalidInput):
        bernoulli(p, 3, bits=TestBits(1))


@pytest.mark.parametrize("x", [-1, "-0.1", float("nan"), float("inf"), None, True])
def test_an_exponential_coin_needs_an_exponent_of_zero_or_more(x):
    with pytest.raises(InvalidInput):
        bernoulli_exp(x, 3, bits=TestBits(1))


@pytest.mark.parametrize("n", [0, -5, 1.5, True, None, float("nan")])
def test_integers_below_a_bound_need_a_bound_of_one_or_more(n):
    with pytest.raises(InvalidInput):
        below(n, 3, bits=TestBits(1))


@pytest.mark.parametrize("n", [-1, True, 1.5, None])
def test_a_permutation_needs_a_whole_number(n):
    with pytest.raises(InvalidInput):
        permutation(n, bits=TestBits(1))


@pytest.mark.parametrize("choose", [proportional_to_exp, permute_and_flip])
@pytest.mark.parametrize(
    "scores",
    [[], [0.5], [True], "12", None, 3, [None], np.zeros(3), np.zeros((2, 2), dtype=int), [float("nan")]],
    ids=repr,
)
def test_a_choice_needs_exact_scores(choose, scores):
    bits = Scripted()
    with pytest.raises(InvalidInput):
        choose(scores, Fraction(1), bits=bits)
    assert bits.given == []


@pytest.mark.parametrize("choose", [proportional_to_exp, permute_and_flip])
@pytest.mark.parametrize("weight", [float("nan"), None, True, "x", float("inf")])
def test_a_choice_needs_an_exact_weight(choose, weight):
    with pytest.raises(InvalidInput):
        choose([1, 2], weight, bits=TestBits(1))
