"""The low bits of an answer tell nothing: every output is possible for every input (theory G6)."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from partita.attacks.audits.low_bits import impossible, naive_laplace
from partita.sampling import rounded
from partita.sampling.bits import TestBits
from partita.sampling.laws import Discrete, Law, Rounded
from partita.sampling.shapes import Gaussian, Laplace
from partita.sampling.thresholds import Thresholds
from tests.unit.sampling.scripted import Scripted

LAWS: dict[str, Law] = {
    "rounded laplace": Rounded(Laplace(Fraction(1))),
    "rounded gaussian": Rounded(Gaussian(Fraction(1))),
    "geometric": Discrete(Laplace(Fraction(1))),
    "discrete gaussian": Discrete(Gaussian(Fraction(1))),
}


def can_draw(law: Law, value: int) -> bool:
    """Whether some bits make the sampler draw this value: a word in the middle of its share, or a longer number."""
    tails = law.tails(400)
    reach = abs(value)
    above = 1 if reach == 0 else float(tails[reach - 1].mid())
    between = (above + float(tails[reach].mid())) / 2 if reach else 0.5
    prefix = round(Fraction(between) * (1 << 448))
    if value > 0:
        prefix = (1 << 448) - prefix
    words = [(prefix >> shift) & ((1 << 64) - 1) for shift in range(384, -1, -64)]
    table = Thresholds.of(law)
    drawn = table.quantiles(np.array(words[:1], dtype=np.uint64), Scripted(words[1:]))
    return int(drawn[0]) == value


def test_most_outputs_of_naive_floating_point_noise_betray_the_input():
    uniforms = (TestBits(1).words(4000) >> np.uint64(11)) * 2.0**-53
    outputs = naive_laplace(uniforms, 0.0)
    assert impossible(outputs, 1.0).mean() > 0.75
    assert not impossible(outputs, 0.0).any()


@pytest.mark.parametrize("name", LAWS)
def test_every_output_around_one_input_is_possible_around_its_neighbour(name):
    law = LAWS[name]
    outputs = Thresholds.of(law).quantiles(TestBits(2).words(4000), TestBits(3))
    seen = set(outputs.tolist())
    assert len(seen) >= 7
    for shift in (-1, 1):
        assert [value for value in seen if not can_draw(law, value + shift)] == []


@pytest.mark.parametrize("name", LAWS)
def test_values_far_beyond_any_64_bit_word_are_possible_too(name):
    reach = 15 if "gaussian" in name else 150
    assert can_draw(LAWS[name], reach)
    assert can_draw(LAWS[name], -reach)


@pytest.mark.parametrize("scale", [Fraction(1), Fraction(1000), Fraction(10**12)], ids=str)
def test_released_values_are_integers_whatever_the_exact_value(scale):
    for exact in (0, 1, -(10**15)):
        noisy = exact + rounded.laplace(scale, 100, bits=TestBits(4))
        assert noisy.dtype == np.int64
