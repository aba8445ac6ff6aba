"""The proposals for wide noise are accepted exactly when high precision says so."""

from fractions import Fraction

import numpy as np
import pytest

from partita.sampling.cells import MARGIN, Cells
from partita.sampling.shapes import Gaussian, Laplace
from partita.sampling.thresholds import UNSURE
from tests.unit.sampling import reference
from tests.unit.sampling.scripted import ONES, Scripted

CASES = [
    (name, scale, power, inset)
    for name in ("gaussian", "laplace")
    for scale, power in ((Fraction(35, 2), 1), (Fraction(10**6), 14), (Fraction(10**30), 96))
    for inset in (Fraction(0), Fraction(1, 2))
]


def shape_of(name, scale):
    return Gaussian(scale * scale) if name == "gaussian" else Laplace(scale)


def exact_ratio(name, scale, power, inset, cell, place, length):
    """The density over the weight of the cell, at a place known exactly."""
    unit = 1 << power
    if inset == 0:
        position = Fraction(cell * unit + (place >> (length - power)))
    else:
        position = (cell + Fraction(place, 1 << length)) * unit - inset
    away = cell if cell >= 0 else -1 - cell
    near = max(away * unit - inset, Fraction(0))
    far, near = reference.real(abs(position)), reference.real(near)
    return reference.weight(name, scale, far) / reference.weight(name, scale, near)


@pytest.mark.parametrize(("name", "scale", "power", "inset"), CASES, ids=str)
def test_proposals_are_accepted_exactly_when_the_ratio_says_so(name, scale, power, inset):
    cells = Cells.of(shape_of(name, scale), power, inset, guided=False)
    bits, n = Scripted(seed=21), 8500
    u, v = bits.words(n), bits.words(n)
    r = [bits.words(n) for _ in range(-(-power // 64))]
    which, accepted = cells.test(u, v, r, bits)
    for i in range(n):
        place = int.from_bytes(b"".join(int(word[i]).to_bytes(8, "big") for word in r), "big")
        ratio = exact_ratio(name, scale, power, inset, int(which[i]), place, 64 * len(r))
        assert ratio <= 1
        assert bool(accepted[i]) == (reference.share(int(v[i]), 64) < ratio)
    assert 0.5 < accepted.mean() < 1


@pytest.mark.parametrize(("name", "scale", "power", "inset"), CASES, ids=str)
def test_the_float_ratio_is_well_within_its_margin(name, scale, power, inset):
    cells = Cells.of(shape_of(name, scale), power, inset, guided=False)
    bits = Scripted(seed=22)
    which, _ = cells.thresholds.find(bits.words(2000))
    which[:20] = np.arange(-10, 10)
    place = bits.words(2000)
    place[:40:2], place[1:40:2] = 0, ONES
    ratio, known = cells.ratio(which, place)
    assert known.all()
    for j, r, found in zip(which.tolist(), place.tolist(), ratio.tolist(), strict=True):
        length = max(64, power)
        exact = exact_ratio(name, scale, power, inset, j, r << (length - 64), length)
        assert abs(exact - reference.mpf(found)) < MARGIN / 4


@pytest.mark.parametrize(("name", "scale", "power", "inset"), [case for case in CASES if case[2] < 48], ids=str)
def test_the_squeeze_is_below_the_ratio_all_over_its_cell(name, scale, power, inset):
    cells = Cells.of(shape_of(name, scale), power, inset, guided=True)
    guide, squeeze = cells.shortcuts
    assert (squeeze[guide == UNSURE] == 0).all()
    for cell in np.unique(guide[guide != UNSURE]).tolist():
        bound = reference.share(int(squeeze[guide == cell].max()), 16)
        for place in (0, (1 << 64) - 1):
            assert bound <= exact_ratio(name, scale, power, inset, cell, place, 64)


@pytest.mark.parametrize("inset", [Fraction(0), Fraction(1, 2)], ids=str)
@pytest.mark.parametrize("name", ["gaussian", "laplace"])
@pytest.mark.parametrize("nudge", [-1, 0, 1])
def test_a_height_that_ties_with_the_ratio_is_decided_by_more_bits(name, inset, nudge):
    scale, power = Fraction(1000), 5
    cells = Cells.of(shape_of(name, scale), power, inset, guided=False)
    for cell in (-40, -3, -1, 0, 1, 2, 40):
        for r in (0, 1 << 63, ONES, 0x0123456789ABCDEF):
            v = reference.scaled(exact_ratio(name, scale, power, inset, cell, r, 64), 64) + nudge
            if not 0 <= v <= ONES:
                continue
            bits = Scripted(seed=23)
            accepted = cells.accepts(cell, r, 64, v, bits)
            more = [int(part[0]) for part in bits.given]
            height, place, length = v, r, 64
            for extra_v, extra_r in zip(more[::2], more[1::2], strict=True):
                height, place, length = (height << 64) | extra_v, (place << 64) | extra_r, length + 64
            ratio = exact_ratio(name, scale, power, inset, cell, place, length)
            assert accepted == (reference.share(height, length) < ratio)


@pytest.mark.parametrize("name", ["gaussian", "laplace"])
def test_a_cell_that_the_first_word_leaves_open_is_decided_by_more_bits(name):
    cells = Cells.of(shape_of(name, Fraction(1000)), 5, Fraction(1, 2), guided=False)
    ties = [0, ONES, *cells.thresholds.words[::211].tolist()]
    for tie in ties:
        for more in (0, ONES):
            u = np.array([tie], dtype=np.uint64)
            zero = np.zeros(1, dtype=np.uint64)
            bits = Scripted([more], seed=25)
            which, accepted = cells.test(u, zero, [zero], bits)
            assert bits.given or tie == 1 << 63  # the middle is exactly one half: known without more bits
            assert int(which[0]) == cells.thresholds.decide(tie, Scripted([more], seed=25))
            assert accepted.all()


@pytest.mark.parametrize("power", [1, 48, 49, 64, 65, 96, 200])
def test_values_beyond_64_bits_are_python_integers_and_never_wrap(power):
    cells = Cells.of(Laplace(Fraction(9 << power)), power, Fraction(1, 2), guided=False)
    which = np.array([0, -1, 7, -7, 1 << 13, -(1 << 13), 1 << 40, -(1 << 40)])
    r = [Scripted(seed=power + i).words(len(which)) for i in range(-(-power // 64))]
    for part in (slice(0, 6), slice(0, 8)):
        values = cells.values(which[part], [word[part] for word in r])
        assert (values.dtype == object) == (power > 48 or part.stop == 8)
        for i, value in enumerate(values.tolist()):
            place = int.from_bytes(b"".join(int(word[i]).to_bytes(8, "big") for word in r), "big")
            assert value == (int(which[i]) << power) + (place >> (64 * len(r) - power))
