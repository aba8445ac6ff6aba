"""The least Gaussian noise for releases on secret samples, found by composing the whole plan."""

from __future__ import annotations

from fractions import Fraction

from partita.algorithms.learning.sums import Noisy
from partita.composition.calibration.pricing import Price
from partita.composition.guarantees.compose import compose
from partita.errors import NotProven
from partita.exact import float_down
from partita.granularity.base import Relation
from partita.mechanisms.gaussian import GaussianNoise, decimal_up
from partita.mechanisms.subsampled import Subsampled
from partita.theory.distance import Norm

_TURNS, _HALVINGS = 12, 40


def least_noise(whole: Noisy, name: str, rate: Fraction, price: Price, relation: Relation) -> GaussianNoise:
    """The least noise of one sum if each of its releases sees a Poisson sample, the other sums as they are.

    Bisection on the exact total: the answer was composed and found to fit, where a noise without a total does not. The
    noise for all rows is where it starts, and a sample never needs more.
    """
    assert price.epsilon is not None
    assert price.delta is not None
    changed = relation is Relation.CHANGE_ONE
    target = float_down(price.epsilon)

    def fits(sigma: Fraction) -> bool:
        events = []
        for item, noise in zip(whole.sums, whole.noises, strict=True):
            distance = item.distance(Norm.L2, changed=changed)
            if item.name != name:
                events.append((noise.at(distance), item.count))
                continue
            own = GaussianNoise(sigma=sigma)
            presence = item.distance(Norm.L2) if changed else None
            events.append((Subsampled(own, rate=rate, relation=relation, presence=presence).at(distance), item.count))
        try:
            return compose(events, delta=price.delta or 0, method="pld", relation=relation).epsilon <= target
        except NotProven:
            return False

    start = whole.noise(name)
    assert isinstance(start, GaussianNoise)
    high = start.sigma
    low = high / 2
    for _ in range(_HALVINGS):
        if not fits(decimal_up(low, 6)):
            break
        high, low = decimal_up(low, 6), low / 2
    for _ in range(_TURNS):
        middle = decimal_up((low + high) / 2, 8)
        if not low < middle < high or high - low < high / 1000:
            break
        low, high = (low, middle) if fits(middle) else (middle, high)
    return GaussianNoise(sigma=high)
