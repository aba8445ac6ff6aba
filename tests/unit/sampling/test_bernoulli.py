from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binomtest

from partita.sampling.bernoulli import bernoulli, bernoulli_exp, bernoulli_exp_each
from partita.sampling.bits import TestBits
from tests.unit.sampling import reference
from tests.unit.sampling.scripted import ONES, Scripted

N = 200_000


@pytest.mark.parametrize("p", ["0", "1e-9", "0.001", "1/3", "1/2", "0.9999", "1"])
def test_a_coin_has_its_bias(p):
    heads = int(bernoulli(p, N, bits=TestBits(3)).sum())
    assert binomtest(heads, N, float(Fraction(p))).pvalue > 1e-7


@pytest.mark.parametrize("x", ["0", "1e-12", "0.1", "1", "7.5", "40", "1000"])
def test_an_exponential_coin_has_its_bias(x):
    heads = int(bernoulli_exp(x, N, bits=TestBits(4)).sum())
    assert binomtest(heads, N, float(reference.exp(-Fraction(x)))).pvalue > 1e-7


@pytest.mark.parametrize("p", [Fraction(0), Fraction(1)])
def test_a_sure_coin_is_sure_for_every_word(p):
    words = [0, 1, 1 << 63, ONES - 1, ONES]
    assert bernoulli(p, 5, bits=Scripted(words)).tolist() == [bool(p)] * 5


@pytest.mark.parametrize(("word", "heads"), [((1 << 62) - 1, True), (1 << 62, False)])
def test_a_dyadic_bias_is_met_to_the_last_word(word, heads):
    bits = Scripted([word])
    assert bernoulli(Fraction(1, 4), 1, bits=bits).tolist() == [heads]
    assert len(bits.given) == 1


@pytest.mark.parametrize("more", [0, ONES, (1 << 64) // 3, (1 << 64) // 3 + 1])
def test_a_tie_with_a_rational_bias_is_decided_by_more_bits(more):
    bits = Scripted([(1 << 64) // 3, more], seed=2)
    found = bool(bernoulli(Fraction(1, 3), 1, bits=bits)[0])
    words = [int(part[0]) for part in bits.given]
    prefix = 0
    for word in words:
        prefix = (prefix << 64) | word
    assert len(words) >= 2
    assert found == (Fraction(prefix + 1, 1 << 64 * len(words)) <= Fraction(1, 3))


@pytest.mark.parametrize("x", [Fraction(1, 7), Fraction(1), Fraction(30)])
@pytest.mark.parametrize("nudge", [-1, 0, 1])
@pytest.mark.parametrize("more", [0, ONES])
def test_a_tie_with_an_exponential_bias_is_decided_by_more_bits(x, nudge, more):
    bias = reference.exp(-x)
    word = reference.scaled(bias, 64) + nudge
    for draw in (
        lambda bits: bernoulli_exp(x, 1, bits=bits),
        lambda bits: bernoulli_exp_each(np.array([float(x)]), lambda _: x, bits),
    ):
        found = bool(draw(Scripted([word, more]))[0])
        assert found == (reference.share((word << 64) | more, 128) < bias)


def test_coins_of_many_biases_have_each_its_own():
    exponents = [Fraction(k, 8) for k in range(0, 400, 5)]
    near = np.array([float(x) for x in exponents])
    bits = TestBits(6)
    rounds = 20_000
    heads = sum(bernoulli_exp_each(near, exponents.__getitem__, bits).astype(int) for _ in range(rounds))
    for x, count in zip(near, heads.tolist(), strict=True):
        assert binomtest(count, rounds, float(np.exp(-x))).pvalue > 1e-8
