"""Every sampler has precisely the law it claims, zero and tails included; and the test would see it broken.

Each test compares one seeded sample with the law by chi-square and fails below p = 1e-8, so that all of them together
raise a false alarm less than once in a million seeds.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import chi2, laplace, norm

from partita.sampling import discrete_gaussian, geometric, rounded
from partita.sampling.bits import TestBits
from partita.sampling.lattice import SMALL

ALARM = 1e-8
MANY = 400_000
SCALES = [Fraction(1, 4), Fraction(2, 3), Fraction(1), Fraction(7, 2), Fraction(15), Fraction(16), Fraction(100)]
WIDE = [Fraction(128), Fraction(1000), Fraction(123457, 3), Fraction(10**6), Fraction(10**12), Fraction(10**30)]

Cdf = Callable[[np.ndarray, float], np.ndarray]


def rounded_gaussian_cdf(k, scale):
    return norm.cdf((k + 0.5) / scale)


def rounded_laplace_cdf(k, scale):
    return laplace.cdf((k + 0.5) / scale)


def rounded_exponential_cdf(k, scale):
    return np.where(k < 0, 0.0, -np.expm1(-(k + 0.5) / scale))


def geometric_cdf(k, scale):
    q = np.exp(-1 / scale)
    return np.where(k < 0, q ** np.abs(k) / (1 + q), 1 - q ** (np.abs(k) + 1) / (1 + q))


def discrete_gaussian_cdf(k, scale):
    if scale > 50:  # the sum over integers is the integral, but for less than a millionth
        return norm.cdf((k + 0.5) / scale)
    z = np.arange(-int(40 * scale) - 40, int(40 * scale) + 41)
    mass = np.exp(-((z / scale) ** 2) / 2)
    total = np.cumsum(mass) / mass.sum()
    return np.interp(k, z, total)


def discrete_gaussian_by_scale(scale, size, bits):
    return discrete_gaussian.discrete_gaussian(scale * scale, size, bits)


SAMPLERS = {
    "rounded gaussian": (rounded.gaussian, rounded_gaussian_cdf),
    "rounded laplace": (rounded.laplace, rounded_laplace_cdf),
    "rounded exponential": (rounded.exponential, rounded_exponential_cdf),
    "geometric": (geometric.geometric, geometric_cdf),
    "discrete gaussian": (discrete_gaussian_by_scale, discrete_gaussian_cdf),
}


def p_value(noise: np.ndarray, scale: Fraction, cdf: Cdf) -> float:
    """Chi-square over about sixty bins of neighbouring integers, the tails beyond one in 5,000 among them."""
    size = float(scale)
    shares = np.concatenate([[2e-4, 1e-3], np.linspace(0.005, 0.995, 56), [0.999, 0.9998]])
    # Ends of bins, as integers in units that floats can tell apart.
    unit = 1 if scale < 2**40 else 2 ** (int(scale).bit_length() - 40)
    noise = np.array([int(value) // unit for value in noise.tolist()], dtype=np.int64) if unit > 1 else noise
    size /= unit
    grid = np.unique(np.rint(np.concatenate([norm.ppf(shares), laplace.ppf(shares)]) * size)).astype(np.int64)
    ends = np.unique(np.concatenate([grid, [-2, -1, 0, 1]] if size < 1000 else [grid]))
    shift = 0.5 if unit > 1 else 0.0  # whole units hold their rounding to one part in 2^40
    below = cdf(ends + shift, size)
    expected = np.diff(np.concatenate([[0.0], below, [1.0]])) * len(noise)
    counts = np.bincount(np.searchsorted(ends, noise, side="left"), minlength=len(ends) + 1).astype(float)
    assert counts[expected <= 0].sum() == 0
    counts, expected = merged(counts, expected)
    statistic = float(((counts - expected) ** 2 / expected).sum())
    return float(chi2.sf(statistic, len(counts) - 1))


def merged(counts: np.ndarray, expected: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Neighbouring bins together until each expects ten or more."""
    found: list[list[float]] = [[0.0, 0.0]]
    for count, hope in zip(counts, expected, strict=True):
        if found[-1][1] >= 10:
            found.append([0.0, 0.0])
        found[-1][0] += count
        found[-1][1] += hope
    if len(found) > 1 and found[-1][1] < 10:
        count, hope = found.pop()
        found[-1][0] += count
        found[-1][1] += hope
    return np.array([pair[0] for pair in found]), np.array([pair[1] for pair in found])


@pytest.mark.parametrize("scale", SCALES + WIDE[:-1], ids=str)
@pytest.mark.parametrize("name", SAMPLERS)
def test_a_large_sample_has_the_law(name, scale):
    sample, cdf = SAMPLERS[name]
    assert p_value(sample(scale, MANY, bits=TestBits(101)), scale, cdf) > ALARM


@pytest.mark.parametrize("scale", SCALES + WIDE, ids=str)
@pytest.mark.parametrize("name", SAMPLERS)
def test_many_small_samples_have_the_law(name, scale):
    sample, cdf = SAMPLERS[name]
    bits = TestBits(102)
    noise = np.concatenate([sample(scale, SMALL, bits=bits) for _ in range(25)])
    assert p_value(noise, scale, cdf) > ALARM


@pytest.mark.parametrize("name", SAMPLERS)
@pytest.mark.parametrize("scale", [Fraction(10**6), Fraction(10**12)], ids=str)
@pytest.mark.parametrize("size", [SMALL, 200_000])
def test_the_low_bits_of_wide_noise_are_uniform(name, scale, size):
    sample, _ = SAMPLERS[name]
    bits = TestBits(103)
    noise = np.concatenate([sample(scale, size, bits=bits) for _ in range(max(1, 100_000 // size))])
    for shift in (0, 5):
        counts = np.bincount((noise >> shift) & 63, minlength=64)
        expected = len(noise) / 64
        assert chi2.sf(((counts - expected) ** 2 / expected).sum(), 63) > ALARM


@pytest.mark.parametrize("name", [name for name in SAMPLERS if name != "rounded exponential"])
@pytest.mark.parametrize("scale", [Fraction(2, 3), Fraction(100), Fraction(10**6)], ids=str)
def test_noise_is_as_often_above_zero_as_below(name, scale):
    sample, _ = SAMPLERS[name]
    signs = np.sign(sample(scale, MANY, bits=TestBits(104)))
    # Hoeffding: 2 exp(-t^2 / (2 n)) < 1e-8.
    assert abs(int(signs.sum())) < np.sqrt(2 * MANY * np.log(2e8))


@pytest.mark.parametrize("scale", [Fraction(1), Fraction(100), Fraction(10**6)], ids=str)
def test_neighbouring_draws_are_independent(scale):
    noise = rounded.gaussian(scale, MANY, bits=TestBits(105)).astype(float)
    product = (noise[1:] * noise[:-1]).mean() / noise.var()
    assert abs(product) < 6 / np.sqrt(MANY)


BROKEN = {
    "cut off in the tail": lambda noise, scale: np.clip(noise, -4 * scale, 4 * scale),
    "zero drawn again once": lambda noise, scale: np.where(noise == 0, np.roll(noise, 1), noise),
    "floor for round": lambda noise, scale: noise - (np.arange(len(noise)) % 2),
    "one per cent too narrow": lambda noise, scale: np.rint(noise * 0.99).astype(np.int64),
    "never one": lambda noise, scale: np.where(noise == 1, 2, noise),
}


@pytest.mark.parametrize("how", BROKEN)
@pytest.mark.parametrize("name", ["rounded laplace", "geometric"])
def test_a_broken_sampler_does_not_pass(name, how):
    sample, cdf = SAMPLERS[name]
    scale = Fraction(12)
    noise = sample(scale, MANY, bits=TestBits(106))
    assert p_value(noise, scale, cdf) > ALARM
    assert p_value(BROKEN[how](noise, 12), scale, cdf) < ALARM
