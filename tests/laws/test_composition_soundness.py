"""No certified ε is ever below the truth: random plans whose exact totals can be written down in Arb."""

from __future__ import annotations

import math
import random

import pytest
from flint import arb, ctx

from partita.composition.numerics.curve import profile
from partita.composition.numerics.total import Total
from partita.limits import using
from partita.theory.losses.atoms import AtomicLoss
from partita.theory.losses.gaussian import GaussianLoss
from partita.theory.losses.laplace import LaplaceLoss
from partita.theory.losses.randomized_response import RandomizedResponseLoss
from partita.theory.losses.subsampled_gaussian import SubsampledGaussianLoss
from tests.laws.limiting import limited, told
from tests.sizes import tried
from tests.unit.composition import exactly

SEED = 20260117
LIMITED = tried(6, soaking=300)


def spread(source: random.Random, low: float, high: float) -> float:
    return math.exp(source.uniform(math.log(low), math.log(high)))


def some_responses(source: random.Random, most: int) -> list[tuple[float, float, int]]:
    leak = spread(source, 1e-40, 1e-12) if source.random() < 0.3 else 0.0
    return [(spread(source, 0.005, 2.0), leak, source.randint(1, most)) for _ in range(source.randint(1, 2))]


def as_laws(parts):
    return [(RandomizedResponseLoss(e, d), n) for e, d, n in parts]


def gaussian_plan(source):
    mus = [(spread(source, 0.001, 3.0), source.randint(1, 50)) for _ in range(source.randint(1, 4))]
    square = sum((n * arb(mu) * arb(mu) for mu, n in mus), arb(0))
    return [(GaussianLoss(mu), n) for mu, n in mus], lambda x: exactly.gaussian(square.sqrt(), arb(x))


def gaussian_and_responses(source):
    mu, parts = spread(source, 0.01, 2.0), some_responses(source, 6)
    truth = lambda x: exactly.with_responses(parts, lambda at: exactly.gaussian(arb(mu), at), x)  # noqa: E731
    return [(GaussianLoss(mu), 1), *as_laws(parts)], truth


def many_responses(source):
    parts = [
        (spread(source, 0.005, 1.0), spread(source, 1e-40, 1e-12) * (source.random() < 0.5), source.randint(2, 400))
    ]
    return as_laws(parts), lambda x: exactly.laplace_and_responses([], parts, x)


def few_responses(source):
    parts = [(spread(source, 0.01, 2.0), 0.0, source.randint(1, 5)) for _ in range(source.randint(2, 4))]
    return as_laws(parts), lambda x: exactly.laplace_and_responses([], parts, x)


def unlike_responses(source):
    """Too many unlike ones to be listed, on a common lattice so that their total is a finite sum all the same."""
    unit = 2.0**-9
    sizes = source.sample(range(3, 200), source.randint(26, 40))
    masses = {0: arb(1)}
    for size in sizes:
        e = arb(size * unit)
        high = 1 / (1 + (-e).exp())
        moved: dict[int, arb] = {}
        for place, mass in masses.items():
            moved[place + size] = moved.get(place + size, arb(0)) + mass * high
            moved[place - size] = moved.get(place - size, arb(0)) + mass * (1 - high)
        masses = moved

    def truth(x: float) -> arb:
        at = arb(x)
        above = ((arb(place * unit), mass) for place, mass in masses.items() if place * unit > x)
        return sum((mass * (1 - (at - loss).exp()) for loss, mass in above), arb(0))

    return [(RandomizedResponseLoss(size * unit), 1) for size in sizes], truth


def laplaces(source):
    parts = [(spread(source, 0.01, 2.0), source.randint(1, 25))]
    return [(LaplaceLoss(e), n) for e, n in parts], lambda x: exactly.laplace_and_responses(parts, [], x)


def many_laplaces(source):
    """Enough of them for the transform to be summed lobe by lobe."""
    parts = [(spread(source, 0.003, 0.5), source.randint(32, 44))]
    return [(LaplaceLoss(e), n) for e, n in parts], lambda x: exactly.laplace_and_responses(parts, [], x)


def laplaces_and_responses(source):
    parts = [(spread(source, 0.01, 2.0), source.randint(1, 3)) for _ in range(2)]
    others = some_responses(source, 3)
    truth = lambda x: exactly.laplace_and_responses(parts, others, x)  # noqa: E731
    return [*((LaplaceLoss(e), n) for e, n in parts), *as_laws(others)], truth


def subsampled_and_responses(source):
    rate, sigma, removes = spread(source, 1e-3, 0.5), spread(source, 0.7, 5.0), source.random() < 0.5
    parts = some_responses(source, 4)
    truth = lambda x: exactly.with_responses(  # noqa: E731
        parts, lambda at: exactly.subsampled(rate, sigma, at, removes=removes), x
    )
    return [(SubsampledGaussianLoss(rate, sigma, removes=removes), 1), *as_laws(parts)], truth


def geometric_and_gaussian(source):
    mu, epsilon = spread(source, 0.05, 2.0), spread(source, 0.05, 1.0)
    # A geometric moved by one step is a randomised response.
    laws = [(GaussianLoss(mu), 1), (AtomicLoss.geometric(epsilon, 1), 2)]
    truth = lambda x: exactly.with_responses([(epsilon, 0.0, 2)], lambda at: exactly.gaussian(arb(mu), at), x)  # noqa: E731
    return laws, truth


# Every run tries the first few hundred of the plans that `make soak` tries.
FAMILIES = {
    gaussian_plan: tried(300, soaking=3000),
    gaussian_and_responses: tried(100, soaking=4000),
    many_responses: tried(80, soaking=3000),
    few_responses: tried(100, soaking=2500),
    unlike_responses: tried(3, soaking=80),
    laplaces: tried(60, soaking=2500),
    many_laplaces: tried(4, soaking=80),
    laplaces_and_responses: tried(60, soaking=3000),
    subsampled_and_responses: tried(20, soaking=1000),
    geometric_and_gaussian: tried(60, soaking=1500),
}


# A plan of these takes as long as a hundred others.
LONG = {unlike_responses, many_laplaces}

# One release on a tiny sample among a few coins, at δ down to 1e-30: its transform is ruled by a tail that its profile
# never sees, and the last digits are lost. Sound all the same; ordinary plans are held to 0.1% elsewhere.
LOOSE = {subsampled_and_responses: 0.1}


def test_there_are_hundreds_of_plans():
    assert sum(FAMILIES.values()) >= 700


@pytest.mark.slow
@pytest.mark.soak
@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__)
def test_no_certified_epsilon_is_below_the_truth(family):
    source = random.Random(f"{SEED}-{family.__name__}")
    before, ctx.prec = ctx.prec, exactly.PRECISION
    try:
        for trial in range(FAMILIES[family]):
            laws, truth = family(source)
            delta = spread(source, 1e-30, 1e-3)
            story = f"seed {SEED}, trial {trial}: {laws} at δ = {delta}"
            high = certified(laws, truth, delta, source.uniform(0.2, 1.0), story)
            if 1e-6 < high < math.inf:
                assert truth(high * (1 - LOOSE.get(family, 2e-3))) > arb(delta), f"{story}: too loose"
    finally:
        ctx.prec = before


def certified(laws, truth, delta: float, share: float, story: str) -> float:
    """The certified ε at δ; neither it nor any other bound is on the wrong side of the truth."""
    curve = profile(Total.of(laws))
    high, low = curve.least(delta), curve.most(delta)
    if math.isinf(high):
        # Only where the leak alone is more than δ.
        assert curve.upper(1e6) > delta, story
        return high
    # The ball of the truth may touch δ, but must not lie above it.
    assert not truth(high) > arb(delta), story
    assert low <= high, story
    if low > 0:
        assert not truth(low) < arb(delta), story
    middle = share * high
    assert not truth(middle) > arb(curve.upper(middle)), story
    assert not truth(middle) < arb(curve.lower(middle)), story
    return high


@pytest.mark.soak
@pytest.mark.parametrize("most", ["0", "1", "2", "mixed"])
@pytest.mark.parametrize("family", [f for f in FAMILIES if f not in LONG], ids=lambda f: f.__name__)
def test_no_certified_epsilon_is_below_the_truth_whatever_is_approximated(family, most):
    """With next to no nodes on contours and lattices a total is certified loosely, and never below the truth."""
    source = random.Random(f"{SEED}-{family.__name__}-{most}")
    before, ctx.prec = ctx.prec, exactly.PRECISION
    try:
        for trial in range(LIMITED):
            laws, truth = family(source)
            delta = spread(source, 1e-30, 1e-3)
            limits = limited(most, source)
            story = f"trial {trial}: {laws} at δ = {delta}, {told(limits)}"
            with using(limits):
                certified(laws, truth, delta, source.uniform(0.2, 1.0), story)
    finally:
        ctx.prec = before
