"""Every law of the privacy loss: transform, profile, decay and lattice against each other and against Arb."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from flint import acb, arb, ctx

from partita.errors import InvalidInput
from partita.theory.losses.atoms import AtomicLoss
from partita.theory.losses.gaussian import GaussianLoss
from partita.theory.losses.laplace import LaplaceLoss
from partita.theory.losses.product import ProductLoss
from partita.theory.losses.randomized_response import RandomizedResponseLoss
from partita.theory.losses.subsampled_gaussian import SubsampledGaussianLoss
from partita.theory.losses.tabulated import tabulated
from tests.unit.theory.losses.families import LAWS, name, transform

every_law = pytest.mark.parametrize("law", LAWS, ids=name)


def real(x: float) -> arb:
    return arb(float(x))


@every_law
@pytest.mark.parametrize("c", [0.2, 1.0, 7.5])
def test_transforms_are_within_their_stated_error(law, c):
    before, ctx.prec = ctx.prec, 128
    try:
        batch = type(law).batch((law,), (1,))
        t = np.array([0.0, 0.3, 1.0, 5.0, 17.0])
        value, slack = batch.cumulant(np.array([c]))
        ratio, error = batch.ratio(c, t)
        whole = transform(law, acb(real(c)))
        assert abs(float((whole.real.log() - real(value[0])).mid())) <= slack[0] + 1e-28
        for at, got, allowed in zip(t, ratio, error, strict=True):
            true = transform(law, acb(real(c), real(at))) / whole
            gap = (true - acb(real(got.real), real(got.imag))).abs_upper()
            assert float(gap) <= allowed + 1e-25
            assert allowed < 1e-9
    finally:
        ctx.prec = before


@every_law
def test_repeating_a_law_is_multiplying_its_transform(law):
    t = np.linspace(0.0, 4.0, 9)
    once, _ = type(law).batch((law,), (1,)).ratio(1.5, t)
    many, error = type(law).batch((law, law), (3, 2)).ratio(1.5, t)
    assert np.all(np.abs(many - once**5) <= error + 1e-13)


@every_law
@pytest.mark.parametrize("c", [0.3, 2.0, 12.0])
def test_no_transform_is_above_the_decay_it_promises(law, c):
    batch = type(law).batch((law,), (1,))
    starts = np.array([0.5, 2.0, 8.0, 30.0])
    fall = batch.decay(c, starts)
    assert np.all(np.diff(fall) <= 1e-12)
    for start, bound in zip(starts, fall, strict=True):
        t = np.linspace(start, start + 40.0, 301)
        ratio, error = batch.ratio(c, t)
        assert np.all(np.abs(ratio) <= math.exp(bound) + error)


@every_law
def test_the_profile_falls_from_one_to_the_mass_at_infinity(law):
    points = [-30.0, -2.0, -0.5, 0.0, 0.05, 0.3, 1.0, 3.0]
    deltas = [law.delta(x) for x in points]
    assert all(0 <= delta <= 1 for delta in deltas)
    assert all(b <= a * (1 + 1e-12) for a, b in itertools.pairwise(deltas))
    assert all(delta >= -math.expm1(x) * (1 - 1e-9) for x, delta in zip(points, deltas, strict=True) if x < 0)


@pytest.mark.parametrize("law", [law for law in LAWS if not isinstance(law, ProductLoss)], ids=name)
@pytest.mark.parametrize("share", [0.013, 0.11, 0.5])
def test_a_lattice_above_dominates_and_one_below_is_dominated(law, share):
    scale = law.maximum if math.isfinite(law.maximum) else 1.0
    span = share * max(scale, 1e-9)
    above = law.lattice(span, upward=True, floor=1e-30)
    below = law.lattice(span, upward=False, floor=1e-30)

    def profile(lattice, at: float) -> float:
        losses = (lattice.start + np.arange(len(lattice.masses))) * span
        over = losses > at
        return lattice.infinity + math.fsum(lattice.masses[over] * -np.expm1(at - losses[over]))

    assert (above.masses >= 0).all()
    assert (below.masses >= 0).all()
    for at in np.linspace(-1.5, 1.5, 41) * scale:
        true = law.delta(float(at))
        assert profile(above, float(at)) >= true * (1 - 1e-12) - 1e-15
        assert profile(below, float(at)) <= true * (1 + 1e-12) + 1e-15


@every_law
def test_cumulant_and_ratio_of_a_law_alone_are_its_transform(law):
    alone = type(law).batch((law,), (1,))
    for point in (0.5 + 0j, 1.0 + 2j, 1.0 - 0j):
        (cumulant,), (error,) = alone.cumulant(np.array([point.real]))
        (ratio,), (apart,) = alone.ratio(point.real, np.array([point.imag]))
        true = transform(law, acb(real(point.real), real(point.imag)))
        scale = float(transform(law, acb(real(point.real))).real)
        gap = abs(math.exp(cumulant) * complex(ratio) - complex(float(true.real), float(true.imag)))
        assert gap <= (apart + 2 * error + 1e-13) * scale


def test_connecting_the_dots_goes_through_the_points_and_above_the_curve():
    curve = LaplaceLoss(1.0)
    points = [(-0.5, curve.delta(-0.5)), (0.0, curve.delta(0.0)), (0.4, curve.delta(0.4)), (1.0, 0.0)]
    law = tabulated(points)
    for at, delta in points:
        assert law.delta(at) == pytest.approx(delta, rel=1e-12, abs=1e-12)
    for at in np.linspace(-2, 1.2, 60):
        assert law.delta(float(at)) >= curve.delta(float(at)) * (1 - 1e-12)


def test_a_point_above_the_line_between_its_neighbours_is_passed_over():
    assert tabulated([(0.0, 0.2), (0.5, 0.19), (1.0, 0.0)]).losses == (0.0, 1.0)


def test_the_geometric_at_distance_one_is_randomised_response():
    geometric, response = AtomicLoss.geometric(0.7, 1), RandomizedResponseLoss(0.7)
    for at in np.linspace(-1, 1, 21):
        assert geometric.delta(float(at)) == pytest.approx(response.delta(float(at)), rel=1e-12)


def test_the_discrete_gaussian_loses_more_than_the_continuous_one():
    assert AtomicLoss.discrete_gaussian(1.0, 1).delta(4.3) == pytest.approx(2.5303643729761605e-05, rel=1e-9)
    assert AtomicLoss.discrete_gaussian(1.0, 1).delta(4.3) > 1.8 * GaussianLoss(1.0).delta(4.3)


def test_an_outcome_that_only_one_side_has_is_an_infinite_loss():
    law = AtomicLoss.between([0.5, 0.25, 0.25], [0.5, 0.5, 0.0])
    assert law.delta(50.0) == pytest.approx(0.25)


@pytest.mark.parametrize(
    "build",
    [
        lambda: GaussianLoss(-1.0),
        lambda: GaussianLoss(math.nan),
        lambda: LaplaceLoss(math.inf),
        lambda: RandomizedResponseLoss(1.0, 1.0),
        lambda: RandomizedResponseLoss(-1.0),
        lambda: SubsampledGaussianLoss(0.0, 1.0, removes=True),
        lambda: SubsampledGaussianLoss(0.5, 0.0, removes=True),
        lambda: AtomicLoss((1.0,), ()),
        lambda: AtomicLoss((math.nan,), (1.0,)),
        lambda: AtomicLoss((1.0,), (1.0,), 2.0),
        lambda: AtomicLoss.between([0.5, 0.4], [0.5, 0.5]),
        lambda: AtomicLoss.between([1.0], [0.5, 0.5]),
        lambda: AtomicLoss.between([-0.5, 1.5], [0.5, 0.5]),
        lambda: AtomicLoss.between([1.0, 0.0], [0.0, 1.0]),
        lambda: AtomicLoss.geometric(0.0, 1),
        lambda: AtomicLoss.geometric(1.0, 0),
        lambda: AtomicLoss.discrete_gaussian(-1.0, 1),
        lambda: AtomicLoss.discrete_gaussian(1.0, 0),
        lambda: AtomicLoss.discrete_gaussian(1e12, 1),
        lambda: tabulated([]),
        lambda: tabulated([(0.0, 0.1), (0.0, 0.1)]),
        lambda: tabulated([(0.0, 0.1), (1.0, 0.2)]),
        lambda: tabulated([(0.0, math.nan)]),
        lambda: ProductLoss.of([(LaplaceLoss(1.0), 0)]),
    ],
)
def test_what_is_no_law_is_refused(build):
    with pytest.raises(InvalidInput):
        build()
