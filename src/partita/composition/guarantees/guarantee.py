"""What a plan promises in total: ε at δ, the whole profile and trade-off curve, and by which theorem."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, final

from partita.composition.guarantees.nearby import Bound, quick
from partita.composition.numerics.binomial import Binomial
from partita.composition.numerics.curve import Numeric
from partita.composition.numerics.gaussians import Gaussians
from partita.composition.plans.plan import Loose, Paired, Part, Plan, Run
from partita.composition.rules.base import Reading, Rule, Worst
from partita.errors import NotProven
from partita.errors import composition as refuse
from partita.errors import foundation as refuse_number
from partita.exact import Number, exact, float_down, float_up, nonnegative, whole
from partita.granularity.base import Relation
from partita.notebook import InWords
from partita.theory import readings
from partita.theory.losses.gaussian import GaussianLoss
from partita.theory.losses.laplace import LaplaceLoss
from partita.theory.losses.randomized_response import RandomizedResponseLoss
from partita.theory.losses.subsampled_gaussian import SubsampledGaussianLoss
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.gdp import GDP
from partita.theory.measures.pure import Pure

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Mode(StrEnum):
    """How freely an analyst may choose while a plan runs, and the guarantee still holds (theory D1)."""

    NON_ADAPTIVE = "non-adaptive"
    ADAPTIVE = "adaptive"
    FULLY_ADAPTIVE = "fully adaptive"


@final
@dataclass(frozen=True, eq=False)
class Guarantee(InWords):
    """The total of a plan: no pair of neighbours is told apart better than this.

    ``epsilon`` is certified: the truth is never above it. ``mode`` says what may be chosen along the way: questions,
    but not mechanisms, parameters or their number, unless it says fully adaptive (theory D3).

    >>> from partita import Laplace, compose
    >>> total = compose([(Laplace(epsilon="0.1"), 100)], delta=1e-6)
    >>> print(f"ε = {total.epsilon:.2f} at δ = {total.delta:g}")
    ε = 4.69 at δ = 1e-06
    >>> print(f"at 1% false alarms, at most {1 - total.tradeoff(0.01):.1%} are found")
    at 1% false alarms, at most 8.9% are found
    """

    epsilon: float
    delta: float
    method: str
    theorem: str
    relation: Relation | None
    # None where nothing is proven.
    mode: Mode | None
    concurrent: bool
    proven: bool
    plan: Plan = field(repr=False)
    curve: Reading = field(repr=False)

    @property
    def upper(self) -> float:
        """Never below the least ε at this δ: the same as ``epsilon``; infinite for what is only an approximation."""
        return self.epsilon if self.proven else math.inf

    @property
    def lower(self) -> float:
        """Never above the least ε that all mechanisms like these could be promised at this δ."""
        if not self.proven or math.isinf(self.epsilon) or not _exact(self.method, self.plan):
            return 0.0
        return min(self.epsilon, max(0.0, self.curve.most(self.delta))) if self.delta > 0 else self._largest_loss()

    def profile(self, epsilon: Number) -> float:
        """The δ that holds at another ε, rounded up; never above ``delta`` from ``epsilon`` on."""
        at = _down(epsilon)
        # A float is meant as it is where it is this guarantee's own.
        reached = (epsilon if isinstance(epsilon, float) else at) >= self.epsilon
        known = self.delta if reached else 1.0
        return min(known, self.curve.upper(at))

    def profile_lower(self, epsilon: Number) -> float:
        """A δ that is certainly not enough at an ε, rounded down."""
        if not _exact(self.method, self.plan):
            return 0.0
        return max(0.0, self.curve.lower(float_up(nonnegative(epsilon, "epsilon"))))

    def tradeoff(self, fpr: Number) -> float:
        """The fewest false negatives of any attack with this share of false positives, rounded down (theory B6)."""
        return max(0.0, float_down(self.false_negatives(nonnegative(fpr, "fpr"))))

    def delta_at(self, epsilon: Fraction) -> Fraction:
        """As for a loss: the δ at an ε."""
        return Fraction(self.profile(epsilon))

    def epsilon_at(self, delta: Fraction) -> Fraction:
        """As for a loss: the ε at a δ."""
        asked = nonnegative(delta, "delta")
        if asked >= 1:
            raise refuse.delta_out_of_range(delta)
        wanted = float_down(asked)
        found = self.curve.least(wanted) if wanted > 0 else self._pure()
        if math.isinf(found):
            raise refuse.delta_taken(float(asked), carried(self.plan, self.curve))
        return Fraction(found)

    def false_negatives(self, fpr: Fraction) -> Fraction:
        """As for a loss: the trade-off curve, the best over all points of the profile."""
        share = nonnegative(fpr, "fpr")
        if share > 1:
            raise refuse_number.outside_unit_interval("fpr", fpr)
        return readings.false_negatives(self._whole, self._quick[1], share)

    def advantage(self) -> Fraction:
        """As for a loss: the most by which true positives exceed false ones."""
        return readings.advantage(self._whole, self._quick[1])

    @cached_property
    def _quick(self) -> tuple[Bound, Bound]:
        """Bounds on δ that are read many times, and about the same in a hurry."""
        return quick(self.curve)

    def _whole(self, epsilon: Fraction) -> Fraction:
        """The bound on δ that a reading of the whole curve rests on."""
        known = self.delta if epsilon >= self.epsilon else 1.0
        return Fraction(min(known, self._quick[0](float_down(epsilon))))

    def loss(self) -> Approximate:
        """The guarantee as one (ε, δ) loss, to be composed with others; a refusal for an approximation."""
        if not self.proven:
            raise refuse.only_approximation("A loss to be composed with others")
        return Approximate.read(Fraction(self.epsilon), exact(self.delta))

    def group(self, k: int) -> Guarantee:
        """The same plan for k steps at once: mechanisms at k times the distance where that is proven (theory B19)."""
        from partita.composition.guarantees.compose import compose

        steps = whole(k, "k", least=1)
        if not self.proven:
            raise refuse.only_approximation("A guarantee for groups")
        if steps == 1:
            return self
        try:
            return compose(self.plan.group(steps), delta=self.delta, method=self.method)
        except NotProven:
            return compose([self.loss().group(steps)], delta=self.loss().group(steps).delta, relation=self.relation)

    def __str__(self) -> str:
        return self.explain()

    def explain(self) -> str:
        """The guarantee in words.

        >>> from partita.composition.guarantees.compose import compose
        >>> from partita.theory.measures.pure import Pure
        >>> print(compose([(Pure(epsilon="0.1"), 10)], delta=0).explain())
        10 releases together are (ε = 1, δ = 0) private, by basic composition: the ε and the δ add up (theory D5).
        They hold for questions chosen one after another, as long as the plan was fixed beforehand.
        """
        kind = "private" if self.proven else "private if an approximation holds, which is not proven"
        releases = f"{self.plan.size} release{'s' if self.plan.size != 1 else ''}"
        lines = [f"{releases} together are (ε = {self.epsilon:.6g}, δ = {self.delta:.6g}) {kind}, by {self.theorem}."]
        if self.delta > 0 and self.proven and self.lower > 0:
            lines.append(f"No proof can give less than ε = {self.lower:.6g} for all mechanisms like these.")
        if self.plan.unit is not None:
            lines.append(f"Neighbours differ by {self.plan.unit}.")
        elif self.relation is not None:
            lines.append(f"Neighbours differ by {self.relation.value}.")
        if not self.proven:
            return "\n".join(lines)
        lines.append("They hold for questions chosen one after another, as long as the plan was fixed beforehand.")
        if not self.concurrent:
            lines.append("Interactive releases must be finished one before the next.")
        return "\n".join(lines)

    def plot(self, others: Mapping[str, Guarantee] | None = None) -> Figure:
        """The profile and the trade-off curve of this guarantee, and of others beside it."""
        from partita.composition.guarantees.plot import profile_and_tradeoff

        return profile_and_tradeoff({self.method: self, **(others or {})})

    def to_json(self) -> dict[str, object]:
        """What there is to say, as plain data."""
        return {
            "version": 1,
            "epsilon": self.epsilon,
            "delta": self.delta,
            "lower": self.lower,
            "upper": self.upper if math.isfinite(self.upper) else None,
            "method": self.method,
            "theorem": self.theorem,
            "proven": self.proven,
            "relation": None if self.relation is None else self.relation.value,
            **({} if self.plan.unit is None else {"unit": str(self.plan.unit)}),
            "mode": None if self.mode is None else self.mode.value,
            "concurrent": self.concurrent,
            "releases": self.plan.size,
        }

    def _pure(self) -> float:
        """The least ε at δ = 0: the largest loss, if there is one."""
        return self.epsilon if self.delta == 0 else self._largest_loss(high=True)

    def _largest_loss(self, *, high: bool = False) -> float:
        try:
            totals = self.plan.totals
        except NotProven:
            return math.inf if high else 0.0
        if high and any(total.infinity for total in totals):
            return math.inf
        ends = [total.maximum for total in totals]
        return max(ends) if high else max(0.0, *(end * (1 - 1e-12) if math.isfinite(end) else 0.0 for end in ends))


def made(rule: Rule, plan: Plan, epsilon: float, delta: float, curve: Reading) -> Guarantee:
    """The guarantee that a theorem gives; a figure that its own curve does not confirm is refused."""
    if rule.proven and not _confirmed(epsilon, delta, curve):
        raise refuse.not_certified(rule.method, epsilon, delta)
    return Guarantee(
        epsilon,
        delta,
        rule.method,
        rule.theorem,
        plan.relation,
        Mode.ADAPTIVE if rule.proven else None,
        rule.concurrent,
        rule.proven,
        plan,
        curve,
    )


def carried(plan: Plan, curve: Reading) -> float:
    """The δ below which no ε helps: the mass of infinite losses, or what the theorem leaves far out."""
    try:
        return max(total.infinity for total in plan.totals)
    except NotProven:
        return curve.upper(1e6)


def _confirmed(epsilon: float, delta: float, curve: Reading) -> bool:
    """Whether the curve agrees, up to rounding; some were already asked at this very ε, and are dear."""
    if not 0.0 <= epsilon < math.inf:
        return False
    if delta == 0.0 or isinstance(curve, Numeric | Worst | Binomial | Gaussians):
        return True
    return curve.upper(epsilon) <= delta * (1 + _ROUNDING)


def _exact(method: str, plan: Plan) -> bool:
    """Whether a theorem reads every release at its exact curve, so that what it finds bounds the truth from below."""
    if method in ("pld", "basic"):
        return all(is_exact(part) for part in plan.parts)
    if method == "optimal":
        return all(_worst(part) for part in plan.parts)
    return False


def is_exact(part: Part) -> bool:
    """Whether the pair of a release is its exact curve: that of a mechanism, or of the worst of all with a loss."""
    match part:
        case Loose(measure=GDP()):
            return True
        case Loose():
            return _worst(part)
        case Run():
            return part.mechanism.is_exact(part.distance)
        case Paired(given=pair):
            return all(isinstance(law, _NAMED) for _, law in pair.directions())
        case _:
            return False


def _worst(part: Part) -> bool:
    """Whether some mechanism loses all that a bare loss allows; at several steps at once none does (theory B19)."""
    return isinstance(part, Loose) and isinstance(part.measure, Pure | Approximate) and part.steps == 1


# Laws that are no tables of bounds.
_NAMED = (GaussianLoss, LaplaceLoss, RandomizedResponseLoss, SubsampledGaussianLoss)
# Theorems that are read twice, for ε and for δ, may differ by their searches.
_ROUNDING = 1e-6


def _down(epsilon: Number) -> float:
    return float_down(nonnegative(epsilon, "epsilon"))
