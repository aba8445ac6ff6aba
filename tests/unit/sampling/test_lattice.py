from fractions import Fraction

import numpy as np
import pytest

from partita.sampling import lattice
from partita.sampling.bits import TestBits
from partita.sampling.cells import Cells
from partita.sampling.discrete_gaussian import discrete_gaussian
from partita.sampling.geometric import geometric
from partita.sampling.lattice import HALF, SMALL, table
from partita.sampling.rounded import exponential, gaussian, laplace
from partita.sampling.sampler import Direct
from partita.sampling.shapes import Gaussian, Laplace

NOISES = [gaussian, laplace, exponential, geometric, discrete_gaussian]


@pytest.mark.parametrize("scale", [16, 17, 31, 32, 128, 200, 10**3, 10**6, 10**12, 10**30, 10**300, Fraction(10**9, 7)])
@pytest.mark.parametrize("least", [8, 32])
def test_a_scale_holds_at_least_so_many_cells_and_fewer_than_twice_as_many(scale, least):
    for shape in (Gaussian(Fraction(scale) ** 2), Laplace(Fraction(scale))):
        sampler = table(shape, HALF, 2 * least, least, guided=False)
        if scale < 2 * least:
            assert isinstance(sampler, Direct)
        else:
            assert isinstance(sampler, Cells)
            assert least <= scale / Fraction(1 << sampler.power) < 2 * least


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("size", [0, 1, 2, SMALL, SMALL + 1, 70_000])
@pytest.mark.parametrize("scale", [Fraction(1, 10**6), Fraction(1, 2), 100, 10**6])
def test_noise_comes_as_one_integer_a_draw(noise, size, scale):
    values = noise(scale, size, bits=TestBits(2))
    assert values.shape == (size,)
    assert values.dtype == np.int64


@pytest.mark.parametrize("noise", [gaussian, laplace, geometric])
@pytest.mark.parametrize("size", [50, 5000])
@pytest.mark.parametrize("power", [30, 70])
def test_noise_beyond_64_bits_is_python_integers_of_the_right_size(noise, size, power):
    values = noise(10**power, size, bits=TestBits(2))
    assert values.dtype == object
    assert {type(value) for value in values.tolist()} == {int}
    spread = np.median([abs(value) for value in values.tolist()] / np.float64(10) ** power)
    assert 0.3 < spread < 1.2
    # All the low bits are there, not only the 53 of a float.
    assert sum(value & 1 for value in values.tolist()) in range(size // 4, 3 * size // 4)


@pytest.mark.parametrize("noise", NOISES)
def test_noise_of_a_tiny_scale_is_zero(noise):
    for size in (10, 10_000):
        assert not noise(Fraction(1, 10**6), size, bits=TestBits(2)).any()
        assert not noise(Fraction(1, 10**75), size, bits=TestBits(2)).any()


@pytest.mark.parametrize("noise", NOISES)
def test_the_same_bits_give_the_same_noise(noise):
    for scale in (3, 10**9):
        for size in (20, 5000):
            assert (noise(scale, size, bits=TestBits(8)) == noise(scale, size, bits=TestBits(8))).all()


def test_the_tables_kept_are_bounded():
    for cache in (lattice._coarse, lattice._fine):
        assert cache.cache_info().maxsize <= 512
