"""A whole privacy profile: δ at every ε, as the exact curve of a dominating pair."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, final

from partita.errors import NotProven
from partita.errors import theory as refuse
from partita.exact import Number, exact, float_down, float_up, nonnegative, whole
from partita.theory import readings
from partita.theory.losses.base import LossLaw
from partita.theory.losses.pair import Pair
from partita.theory.losses.product import ProductLoss
from partita.theory.losses.tabulated import tabulated
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.base import Measure
from partita.theory.measures.pure import Pure

_STEPS = 400
_SHARES = 150


@final
@dataclass(frozen=True, slots=True)
class Profile(Measure):
    """The curve δ(ε) of a dominating pair in both directions, dual to its trade-off curve (theory B6).

    Curves add for a plan fixed beforehand; they are not vectors of sums, and no filter may use them (theory D8).

    >>> from fractions import Fraction
    >>> Profile.from_points([(0, "0.2"), (1, 0)]).delta_at(Fraction(1))
    Fraction(0, 1)
    """

    kind: ClassVar[str] = "profile"
    symbol: ClassVar[str] = "δ(ε)"
    pair: Pair

    @classmethod
    def from_points(cls, points: Sequence[tuple[Number, Number]]) -> Profile:
        """The profile of a mechanism known to be (ε, δ)-private at each of these points (theory D14)."""
        try:
            pairs = [(epsilon, delta) for epsilon, delta in points]
        except (TypeError, ValueError):
            raise refuse.not_points(points) from None
        table = [(float_up(nonnegative(e, "epsilon")), float_up(nonnegative(d, "delta"))) for e, d in pairs]
        return cls(Pair.of(tabulated(table)))

    def vector(self) -> tuple[Fraction, ...]:
        raise refuse.not_additive("profile")

    def like(self, vector: Sequence[Fraction]) -> Profile:
        raise refuse.not_additive("profile")

    def zero(self) -> Profile:
        return Profile(Pair.of(ProductLoss(())))

    def is_zero(self) -> bool:
        return self.delta_at(Fraction(0)) == 0

    def __add__(self, other: Profile) -> Profile:
        """Both releases of a plan fixed beforehand; ``pt.compose`` reads such a sum exactly."""
        self._must_match(other)
        return Profile(Pair(_both(self.pair.remove, other.pair.remove), _both(self.pair.add, other.pair.add)))

    def times(self, count: int) -> Profile:
        copies = whole(count, "count")
        if copies == 0:
            return self.zero()
        remove, add = ((ProductLoss.of([(law, copies)])) for law in (self.pair.remove, self.pair.add))
        return Profile(Pair(remove, add))

    def fits(self, budget: Measure) -> bool:
        """Whether the curve passes below a budget in ε, or in ε and δ."""
        match budget:
            case Pure():
                return self.delta_at(budget.epsilon) == 0
            case Approximate():
                return self.delta_at(budget.epsilon) <= budget.delta
            case Measure():
                raise refuse.unlike_losses(self.symbol, budget.symbol)
            case _:
                raise refuse.not_a_loss("budget", budget)

    def left_after(self, spent: Measure) -> Profile:
        raise refuse.not_additive("profile")

    def _delta_at(self, epsilon: Fraction) -> Fraction:
        return Fraction(min(1.0, self._rough_delta(float_down(exact(epsilon, "epsilon")))))

    def _epsilon_at(self, delta: Fraction) -> Fraction:
        # Below the floor no ε helps: that much of the loss is infinite.
        floor = self.pair.delta(1e300)
        if delta < Fraction(floor):
            raise refuse.delta_unreachable("This profile", float(delta), floor)
        start = Fraction(1)
        for _ in range(80):
            if self.delta_at(start) <= delta:
                return readings.epsilon_at(self.delta_at, delta, start)
            start *= 2
        raise refuse.delta_unreachable("This profile", float(delta), floor)

    def _false_negatives(self, fpr: Fraction) -> Fraction:
        return readings.false_negatives(self.delta_at, self._rough_delta, fpr)

    def advantage(self) -> Fraction:
        return readings.advantage(self.delta_at, self._rough_delta)

    def group(self, k: int) -> Profile:
        """Chaining k steps composes the map from false to true positives with itself (theory B19)."""
        steps = whole(k, "k", least=1)
        if steps == 1:
            return self

        def chained(fpr: Fraction) -> Fraction:
            for _ in range(steps):
                fpr = min(Fraction(1), 1 - self.false_negatives(fpr))
            return fpr

        # The chained map is increasing, so between two grid points it is at most its value at the right one.
        grid = [Fraction(0), *(Fraction(math.exp(-28 * (1 - i / _SHARES))) for i in range(_SHARES)), Fraction(1)]
        values = [chained(share) for share in grid]
        reach = min(2 * steps * max(1.0, float_up(self._scale())), 700.0)
        return Profile.from_points(_conjugate(grid, values, [reach * i / 200 for i in range(201)]))

    def _rough_delta(self, epsilon: float) -> float:
        return self.pair.delta(epsilon)

    def _scale(self) -> Fraction:
        try:
            return self.epsilon_at(max(Fraction(1, 10**9), Fraction(self.pair.delta(1e300)) * 2))
        except NotProven:
            return Fraction(64)

    def __str__(self) -> str:
        return f"δ(1) = {float(self.delta_at(Fraction(1))):.3g}"


def profile_of_curve(delta_at: Callable[[Fraction], Fraction], reach: Fraction) -> Profile:
    """The profile through many proven points of a curve, up to an ε beyond which its last δ is kept."""
    epsilons = [reach * i / _STEPS for i in range(_STEPS + 1)]
    points, least = [], Fraction(1)
    for epsilon in epsilons:
        least = min(least, delta_at(epsilon))
        points.append((epsilon, least))
    return Profile.from_points(points)


def _both(first: LossLaw, second: LossLaw) -> LossLaw:
    return ProductLoss.of([(first, 1), (second, 1)])


def _conjugate(grid: list[Fraction], values: list[Fraction], epsilons: list[float]) -> list[tuple[Number, Number]]:
    """δ at each ε from a map of false to true positives: the largest value minus e^ε times the share."""
    shares, tops = [float(share) for share in grid], [float_up(value) for value in values]
    points: list[tuple[Number, Number]] = []
    least = 1.0
    for epsilon in epsilons:
        factor = math.exp(epsilon) * (1 - 2**-48)
        worst = max(top - factor * share for share, top in zip(shares, tops[1:], strict=False))
        least = min(least, max(0.0, worst + 2**-48))
        points.append((epsilon, least))
    return points
