"""The table agrees with high precision on every word that matters: thresholds, their neighbours, ends and ties."""

from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx, fmpq

from partita.sampling.laws import Discrete, Envelope, Rounded
from partita.sampling.sampler import Direct
from partita.sampling.shapes import Gaussian, Laplace
from partita.sampling.thresholds import UNSURE, Thresholds
from tests.unit.sampling import reference
from tests.unit.sampling.scripted import ONES, Scripted

SCALES = [Fraction(1, 10), Fraction(1, 3), Fraction(1), Fraction(22, 7), Fraction(15)]


def shape_of(name, scale):
    return Gaussian(scale * scale) if name == "gaussian" else Laplace(scale)


def law_and_cdf(kind, name, scale):
    if kind == "rounded":
        return Rounded(shape_of(name, scale)), reference.rounded_cdf
    return Discrete(shape_of(name, scale)), reference.discrete_cdf


@pytest.mark.parametrize("name", ["gaussian", "laplace"])
@pytest.mark.parametrize("scale", SCALES, ids=str)
@pytest.mark.parametrize("kind", ["rounded", "discrete"])
def test_every_threshold_is_the_integer_part_of_the_exact_probability(kind, name, scale):
    law, cdf = law_and_cdf(kind, name, scale)
    table = Thresholds.of(law)
    places = (
        range(len(table.words)) if kind == "rounded" else range(0, len(table.words), max(1, len(table.words) // 12))
    )
    for i in places:
        assert int(table.words[i]) == reference.scaled(cdf(name, scale, table.first + i), 64)
    assert cdf(name, scale, table.first) < 2.0**-44


@pytest.mark.parametrize("name", ["gaussian", "laplace"])
@pytest.mark.parametrize("unit", [1 << 1, 1 << 20])
@pytest.mark.parametrize("inset", [Fraction(0), Fraction(1, 2)], ids=str)
def test_the_cells_of_an_envelope_have_the_probabilities_of_their_bounds(name, unit, inset):
    scale = Fraction(9 * unit)
    table = Thresholds.of(Envelope(shape_of(name, scale), unit, inset))
    starts = [reference.real(max(Fraction(0), j * unit - inset)) for j in range(2500)]
    weights = [reference.weight(name, scale, start) for start in starts]
    total = 2 * sum(weights)
    for i in range(0, len(table.words), 17):
        below = table.first + i + 1  # the first cell at or above the threshold
        mass = sum(weights[: max(below, 0)]) + total / 2 if below >= 0 else sum(weights[-below:])
        assert int(table.words[i]) == reference.scaled(mass / total, 64)


@pytest.mark.parametrize(
    "law",
    [Rounded(Gaussian(Fraction(10000))), Rounded(Laplace(Fraction(100))), Discrete(Laplace(Fraction(7, 3)))],
    ids=repr,
)
def test_the_guide_agrees_with_the_whole_word_in_all_its_buckets(law):
    table = Thresholds.of(law)
    guide = table.guide()
    low = np.arange(1 << 16, dtype=np.uint64) << np.uint64(48)
    high = low | np.uint64((1 << 48) - 1)
    sure = guide != UNSURE
    for ends in (low, high):
        values, undecided = table.find(ends[sure])
        assert (values == guide[sure]).all()
        assert not undecided.any()
    assert sure.mean() > 0.9


@pytest.mark.parametrize("name", ["gaussian", "laplace"])
def test_a_word_that_ties_with_a_threshold_is_decided_by_more_bits_of_the_same_number(name):
    scale = Fraction(5, 2)
    table = Thresholds.of(Rounded(shape_of(name, scale)))
    for i in range(len(table.words)):
        tie = int(table.words[i])
        for more in ([0], [ONES], [1 << 63], [0, 5], [ONES, 0]):
            bits = Scripted(more, seed=i)
            value = int(table.quantiles(np.array([tie], dtype=np.uint64), bits)[0])
            used = [int(word) for part in bits.given for word in part]
            assert 1 <= len(used) <= 3
            prefix = tie
            for word in used:
                prefix = (prefix << 64) | word
            before = reference.rounded_cdf(name, scale, value - 1)
            at = reference.rounded_cdf(name, scale, value)
            assert reference.is_quantile(before, at, prefix, 64 * (1 + len(used)))


@pytest.mark.parametrize("name", ["gaussian", "laplace"])
@pytest.mark.parametrize("scale", [Fraction(1, 10**6), Fraction(1, 2), Fraction(3)], ids=str)
@pytest.mark.parametrize("start", [[0], [ONES], [0, 0], [ONES, ONES]], ids=str)
def test_the_all_zero_and_the_all_ones_word_are_not_decided_by_themselves(name, scale, start):
    table = Thresholds.of(Rounded(shape_of(name, scale)))
    _, undecided = table.find(np.array(start[:1], dtype=np.uint64))
    assert undecided.all()
    bits = Scripted(start[1:], seed=4)
    value = table.decide(start[0], bits)
    assert bits.given or scale >= 1
    prefix, length = start[0], 64
    for part in bits.given:
        prefix, length = (prefix << 64) | int(part[0]), length + 64
    before = reference.rounded_cdf(name, scale, value - 1)
    upper = reference.real_tail(name, scale, Fraction(2 * value + 1, 2))
    # Near one the tail is compared, which keeps its digits.
    assert before <= reference.share(prefix, length)
    assert upper <= reference.share((1 << length) - prefix - 1, length)


def test_the_words_next_to_a_threshold_are_decided_at_once_and_rightly():
    scale = Fraction(3, 2)
    table = Thresholds.of(Rounded(Gaussian(scale * scale)))
    inner = table.words[1:-1]
    below, at_below = table.find(inner - np.uint64(1))
    above, at_above = table.find(inner + np.uint64(1))
    assert not at_below.any()
    assert not at_above.any()
    assert (above - below == 1).all()


@pytest.mark.parametrize("name", ["gaussian", "laplace"])
@pytest.mark.parametrize("scale", [Fraction(1, 3), Fraction(100)], ids=str)
def test_the_table_agrees_with_the_inverse_cdf_on_a_hundred_thousand_words(name, scale):
    words = Scripted(seed=11).words(100_000)
    values = Thresholds.of(Rounded(shape_of(name, scale))).quantiles(words, Scripted(seed=12))
    before, ctx.prec = ctx.prec, 192
    try:
        size = arb(fmpq(scale.numerator, scale.denominator))
        root = arb(2).sqrt()
        for word, value in zip(words.tolist(), values.tolist(), strict=True):
            u = arb(word).union(arb(word + 1)) / arb(2) ** 64
            if name == "gaussian":
                x = -size * root * (2 * u).erfcinv()
            else:
                x = size * (2 * u).log() if word < 1 << 63 else -size * (2 - 2 * u).log()
            nearest = (x + fmpq(1, 2)).floor().unique_fmpz()
            # The table refines what 64 bits leave open; on these words nothing was left open.
            assert nearest is not None
            assert int(nearest) == value
    finally:
        ctx.prec = before


def test_a_guided_draw_is_the_quantile_of_the_bits_it_was_given():
    sampler = Direct.of(Rounded(Gaussian(Fraction(10000))), guided=True)
    bits = Scripted(seed=5)
    values = sampler.draw(50_000, bits)
    first = bits.given[0].view(np.uint16)[:50_000]
    unsure = np.flatnonzero(sampler.guide[first] == UNSURE)
    whole = first.astype(np.uint64) << np.uint64(48)
    whole[unsure] |= bits.given[1] >> np.uint64(16)
    assert len(bits.given) == 2
    assert 0.01 < len(unsure) / len(first) < 0.05
    assert (values == sampler.thresholds.quantiles(whole, Scripted())).all()
