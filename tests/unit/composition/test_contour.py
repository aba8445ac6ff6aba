"""Wherever the contour or the lattice is placed, and however coarse, its bounds hold: only tightness depends on it."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from flint import arb, ctx

from partita.composition.numerics import contour as contours
from partita.composition.numerics import convolution as lattices
from partita.composition.numerics import saddle as saddles
from partita.composition.numerics.contour import Contour
from partita.composition.numerics.curve import Numeric
from partita.composition.numerics.lobes import Lobes
from partita.composition.numerics.total import Total
from partita.theory.losses.gaussian import GaussianLoss
from partita.theory.losses.laplace import LaplaceLoss
from partita.theory.losses.randomized_response import RandomizedResponseLoss
from partita.theory.losses.subsampled_gaussian import SubsampledGaussianLoss
from tests.unit.composition import exactly


@pytest.fixture(autouse=True)
def precise():
    before, ctx.prec = ctx.prec, exactly.PRECISION
    yield
    ctx.prec = before


def some_plan(source: random.Random):
    parts = [(source.uniform(0.1, 1.0), 0.0, source.randint(1, 5))]
    laws = [(RandomizedResponseLoss(e, d), n) for e, d, n in parts]
    if source.random() < 0.5:
        mu = source.uniform(0.1, 1.5)
        return [*laws, (GaussianLoss(mu), 1)], lambda x: exactly.with_responses(
            parts, lambda at: exactly.gaussian(arb(mu), at), x
        )
    rate, sigma, removes = source.uniform(0.05, 0.5), source.uniform(0.7, 2.0), source.random() < 0.5
    return [*laws, (SubsampledGaussianLoss(rate, sigma, removes=removes), 1)], lambda x: exactly.with_responses(
        parts, lambda at: exactly.subsampled(rate, sigma, at, removes=removes), x
    )


@pytest.mark.parametrize("seed", range(60))
def test_a_contour_bounds_delta_wherever_it_is_placed(seed, monkeypatch):
    source = random.Random(seed)
    # Coarse on purpose: the tail that is cut off is then as large as the sum, and must be counted.
    monkeypatch.setattr(contours, "TOLERANCE", 10.0 ** source.uniform(-12, 1))
    laws, truth = some_plan(source)
    total = Total.of(laws)
    x = source.uniform(0.1, 2.0)
    best = saddles.for_epsilon(total, x).c
    place = saddles.around(total, best * math.exp(source.uniform(-1.2, 1.2)), x)
    found = Contour.at(total, place, 0.5, stretch=source.uniform(0.2, 1.5))
    if found is None:
        return
    true = truth(x)
    assert not true > arb(found.upper(x))
    assert not true < arb(found.lower(x))


def test_the_sum_without_its_tail_would_be_below_the_truth():
    """A few nodes of RR(1)³ at ε = 0.5 (theory D16): what is cut off is not small."""
    total = Total.of([(RandomizedResponseLoss(1.0), 3), (GaussianLoss(0.05), 1)])
    place = saddles.around(total, 1.0, 0.5)
    fine = Contour.at(total, place, 1e-6)
    assert fine is not None
    step = fine.step
    values = []
    for nodes in (4, 8, 16, 24, 32):
        partial = 1.0 + sum(
            (fine.values[:nodes] * [complex(math.cos(-t * 0.5), math.sin(-t * 0.5)) for t in fine.t[:nodes]]).real
        )
        values.append(partial * step / (2 * math.pi) * fine._scale(0.5, high=True))
    true = fine.lower(0.5)
    assert min(values) < true
    assert fine.upper(0.5) >= true


@pytest.mark.parametrize("seed", range(40))
def test_a_lattice_bounds_delta_however_coarse(seed):
    source = random.Random(1000 + seed)
    if source.random() < 0.5:
        laws, truth = some_plan(source)
    else:
        parts, others = [(source.uniform(0.1, 1.0), source.randint(1, 4))], [(source.uniform(0.1, 1.0), 0.0, 2)]
        laws = [*((LaplaceLoss(e), n) for e, n in parts), *((RandomizedResponseLoss(e), n) for e, _, n in others)]
        truth = lambda x: exactly.laplace_and_responses(parts, others, x)  # noqa: E731
    total = Total.of(laws)
    x = source.uniform(0.1, 1.5)
    place = saddles.around(total, saddles.for_epsilon(total, x).c * math.exp(source.uniform(-0.7, 0.7)), x)
    period = contours.alias_period(total, place, 0.1) * source.uniform(0.6, 1.5)
    true = truth(x)
    for nodes in (32, 400):
        above = lattices.compose(total, place, period, 1e-6, upward=True, nodes=nodes)
        below = lattices.compose(total, place, period, 1e-6, upward=False, nodes=nodes)
        assert not true > arb(above.upper(x))
        assert not true < arb(below.lower(x))
        if above.least(0.01) < 1e6:
            assert not truth(above.least(0.01)) > arb("0.01")
        assert not truth(below.most(0.01)) < arb("0.01") or below.most(0.01) == 0.0


@pytest.mark.parametrize("delta", [1e-12, 2.0**-50, 1e-30])
@pytest.mark.parametrize("count", [3, 1000, 100_000])
def test_tiny_deltas_cost_nothing_extra(delta, count):
    for law in (LaplaceLoss(0.1), GaussianLoss(0.02)):
        total = Total.of([(law, count), (RandomizedResponseLoss(0.01), 1)])
        from partita.composition.numerics.curve import profile

        high, low = profile(total).least(delta), profile(total).most(delta)
        assert low <= high <= low * 1.0005


def test_a_mix_with_no_closed_transform_is_tight():
    from partita.composition.numerics.curve import profile
    from partita.theory.losses.atoms import AtomicLoss
    from partita.theory.losses.tabulated import tabulated

    total = Total.of(
        [
            (SubsampledGaussianLoss(0.01, 1.0, removes=True), 500),
            (AtomicLoss.between([0.2, 0.5, 0.3], [0.25, 0.5, 0.25]), 20),
            (tabulated([(0.0, 0.02), (0.05, 0.01), (0.1, 0.0)]), 20),
            (AtomicLoss.discrete_gaussian(100.0, 1), 10),
        ]
    )
    for delta in (1e-3, 1e-6, 1e-12):
        high, low = profile(total).least(delta), profile(total).most(delta)
        assert low <= high <= low * 1.001


@pytest.mark.parametrize("seed", range(16))
def test_what_is_left_out_around_the_lobes_is_within_its_bound(seed):
    source = random.Random(seed)
    epsilon = math.exp(source.uniform(math.log(0.003), math.log(0.5)))
    count = round(math.exp(source.uniform(math.log(40), math.log(20_000))))
    c = math.exp(source.uniform(math.log(0.3), math.log(40)))
    step = source.uniform(0.4, 1.2) / (epsilon * math.sqrt(count))
    total = Total.of([(LaplaceLoss(epsilon), count)])
    found = Lobes(c, epsilon, count).nodes(step, 1e-12, source.choice([1e-1, 1e-2, 1e-3]), 4096)
    if found is None:
        return
    kept, tail = found
    numbers = np.arange(1, 60_000)
    left_out = np.setdiff1d(numbers, kept)
    t = left_out * step
    ratio, _ = total.batch.ratio(c, t)
    terms = np.abs(c * (c + 1) / ((c + 1j * t) * (c + 1 + 1j * t)) * ratio)
    assert 2 * step / (2 * math.pi) * terms.sum() <= tail


def test_lobes_are_used_for_many_equal_laplace_releases_and_are_tight():
    total = Total.of([(LaplaceLoss(0.0075), 1000)])
    place = saddles.for_delta(total, 1e-6)
    contour = Contour.at(total, place, 1e-6)
    assert contour is not None
    assert len(contour.t) < 1500
    assert np.diff(contour.t).max() > 3 * contour.step
    least = Numeric(total).least(1e-6)
    assert least == pytest.approx(Numeric(total).most(1e-6), rel=2e-5)
