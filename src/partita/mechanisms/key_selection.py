"""Private key selection by a threshold: release the keys of an open set whose noisy count is large."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import ceil, sqrt
from typing import Any, ClassVar, final

from flint import arb

from partita.errors import mechanisms as refuse
from partita.exact import Number, exact, float_up, positive, probability, whole
from partita.granularity.base import Relation
from partita.mechanisms.base import Forms, Mechanism, identical
from partita.mechanisms.gaussian import GaussianNoise, gaussian_quantile
from partita.mechanisms.histogram import relation_of
from partita.mechanisms.integers import Integers, add, source_of
from partita.mechanisms.keys import read_counts
from partita.mechanisms.laplace import Laplace, laplace_rho
from partita.mechanisms.strength import Setting, Strength, least_threshold, short_up
from partita.mechanisms.trial import Trial
from partita.sampling.bits import BitSource
from partita.theory import numerics
from partita.theory.distance import Distance, Norm
from partita.theory.losses.base import LossLaw
from partita.theory.losses.gaussian import GaussianLoss
from partita.theory.losses.laplace import LaplaceLoss
from partita.theory.losses.pair import Pair
from partita.theory.losses.product import ProductLoss
from partita.theory.losses.randomized_response import RandomizedResponseLoss
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.gdp import GDP
from partita.theory.measures.zcdp import ZCDP
from partita.theory.numerics import ball, normal_cdf


class KeyThreshold(Mechanism):
    """Release each key that occurs and whose count, with noise, is above a threshold, and that noisy count.

    A person counts for at most ``keys`` keys and at most ``rows`` in each; the caller enforces both before counting.
    The distance is the number of people that neighbours differ in, in L1 (key_selection.proof.md).
    """

    __slots__ = ()

    whole_region: ClassVar[bool] = True
    theorems: ClassVar[str] = "C15"
    leaks: ClassVar[bool] = True
    takes_relation: ClassVar[bool] = True
    threshold: int
    keys: int
    rows: int
    relation: Relation

    def _check(self) -> None:
        # A threshold between integers would let more through than the formula says: rounded noise needs a whole one.
        object.__setattr__(self, "threshold", ceil(exact(self.threshold, "threshold")))
        object.__setattr__(self, "keys", whole(self.keys, "keys", least=1))
        object.__setattr__(self, "rows", whole(self.rows, "rows", least=1))
        object.__setattr__(self, "relation", relation_of(self.relation))

    @property
    def relations(self) -> frozenset[Relation]:
        """The one it was made for."""
        return frozenset({self.relation})

    @property
    def sides(self) -> int:
        """How many people's contributions one neighbour step moves: one who comes or goes, or the old and the new."""
        return 1 if self.relation is Relation.ADD_REMOVE else 2

    @abstractmethod
    def draw(self, size: int, bits: BitSource) -> Integers:
        """The noise alone."""

    @abstractmethod
    def tail(self, beyond: Fraction) -> Callable[[], arb]:
        """The probability that real noise of this kind exceeds a number."""

    @abstractmethod
    def law(self, people: int) -> LossLaw:
        """The loss on the keys that both neighbours have."""

    def leak(self, people: int = 1) -> Fraction:
        """The probability that a key is released which only these people have (theory C15), rounded up."""
        one = self.tail(Fraction(self.threshold - people * self.rows))
        return numerics.upper(lambda: -(people * self.keys * (-one()).log1p()).expm1(), "the δ of a threshold")

    def pair(self, distance: Distance) -> Pair:
        """The noise on common keys, and everything with the probability that an exclusive key is released."""
        self.require(distance)
        people = ceil(distance.power)
        if people == 0:
            return identical()
        leak = min(float_up(self.leak(people)), 1.0 - 2.0**-53)
        return Pair.of(ProductLoss.of([(self.law(people), 1), (RandomizedResponseLoss(0.0, leak), 1)]))

    def tried(self, claim: Approximate) -> Iterator[Trial]:
        """A key that one person alone has, and a key that both neighbours have."""
        for first, second in ((1, 0), (4, 3)):
            name = f"{self.kind.replace('_', ' ')}, {first} or {second} people"
            yield Trial(name, Relation.ADD_REMOVE, partial(thresholded, self), first, second, (claim,))

    def release(self, counts: object, *, bits: BitSource | None = None) -> dict[Any, int]:
        """The keys whose noisy count is above the threshold, in canonical order, with their noisy counts."""
        found, times = read_counts(counts)
        noisy = add(times, self.draw(len(found), source_of(bits)))
        return {key: int(value) for key, value in zip(found, noisy, strict=True) if value > self.threshold}

    def parameters(self) -> dict[str, str]:
        return {
            "threshold": str(self.threshold),
            "keys": str(self.keys),
            "rows": str(self.rows),
            "relation": self.relation.value,
        }


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class LaplaceThreshold(KeyThreshold):
    """Key selection with rounded Laplace noise of the given scale (theory C15).

    >>> chosen = LaplaceThreshold.for_budget(Approximate(epsilon=1, delta="1e-6"))
    >>> chosen.threshold, chosen.cost(Distance.l1(1), Approximate).fits(Approximate(epsilon=1, delta="1e-6"))
    (15, True)
    """

    kind: ClassVar[str] = "laplace_threshold"
    norm: ClassVar[Norm] = Norm.L1
    strength: ClassVar[Strength | None] = Strength.EPSILON
    scale: Fraction
    threshold: int
    keys: int = 1
    rows: int = 1
    relation: Relation = Relation.ADD_REMOVE

    def __post_init__(self) -> None:
        object.__setattr__(self, "scale", positive(self.scale, "scale"))
        self._check()

    @classmethod
    def for_budget(
        cls, budget: Approximate, *, keys: int = 1, rows: int = 1, relation: Relation = Relation.ADD_REMOVE
    ) -> LaplaceThreshold:
        """All of ε into the noise, all of δ into the threshold."""
        if not isinstance(budget, Approximate):
            raise refuse.not_a_budget(budget)
        if budget.delta == 0 or budget.epsilon == 0:
            raise refuse.no_threshold_fits(float(budget.delta))
        people = cls(scale=Fraction(1), threshold=0, keys=keys, rows=rows, relation=relation)
        scale = people.sides * people.keys * people.rows / budget.epsilon
        limit = laplace_threshold(scale, budget.delta, people.keys, people.rows)
        made = cls(scale=scale, threshold=ceil(limit), keys=keys, rows=rows, relation=relation)
        # The formula for the threshold holds above the largest contribution; below it the δ itself is checked.
        while made.leak() > budget.delta:
            made = cls(scale=scale, threshold=made.threshold + 1, keys=keys, rows=rows, relation=relation)
        return made

    def forms(self, distance: Distance) -> Forms:
        people = ceil(distance.power)
        epsilon = self._epsilon(people)
        return {
            Approximate: lambda: Approximate(epsilon=epsilon, delta=self.leak(people)),
            ZCDP: lambda: ZCDP(rho=laplace_rho(epsilon), delta=self.leak(people)),
        }

    @classmethod
    def of_strength(cls, strength: Fraction, setting: Setting) -> LaplaceThreshold:
        """The strength is the ε on common keys; the threshold is the least that the part of δ allows."""

        def made(threshold: int, scale: Fraction = Fraction(1)) -> LaplaceThreshold:
            return cls(scale=scale, threshold=threshold, **setting.parameters)

        probe = made(0)
        scale = probe.sides * probe.keys * probe.rows / strength
        return made(least_threshold(lambda least: made(least, scale).leak(setting.people), setting), scale)

    @classmethod
    def trials(cls) -> Iterator[Trial]:
        rule = LaplaceThreshold(scale=Fraction(2), threshold=3)
        return rule.tried(rule.cost(Distance.l1(1), Approximate))

    def law(self, people: int) -> LossLaw:
        return LaplaceLoss(float_up(self._epsilon(people)))

    def _epsilon(self, people: int) -> Fraction:
        return self.sides * people * self.keys * self.rows / self.scale

    def tail(self, beyond: Fraction) -> Callable[[], arb]:
        if beyond >= 0:
            return lambda: ball(-beyond / self.scale).exp() / 2
        return lambda: 1 - ball(beyond / self.scale).exp() / 2

    def draw(self, size: int, bits: BitSource) -> Integers:
        return Laplace(scale=self.scale).draw(size, bits)

    def parameters(self) -> dict[str, str]:
        return {"scale": str(self.scale), **KeyThreshold.parameters(self)}

    def error(self, confidence: Number = 0.95, entries: int = 1) -> float:
        """The half-width around each released count."""
        return Laplace(scale=self.scale).error(confidence, entries)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianThreshold(KeyThreshold):
    """Key selection with rounded Gaussian noise of the given standard deviation (theory C15).

    >>> GaussianThreshold(sigma=10, threshold=60, keys=4).cost(Distance.l1(1), ZCDP).rho
    Fraction(1, 50)
    """

    kind: ClassVar[str] = "gaussian_threshold"
    norm: ClassVar[Norm] = Norm.L1
    strength: ClassVar[Strength | None] = Strength.MU
    sigma: Fraction
    threshold: int
    keys: int = 1
    rows: int = 1
    relation: Relation = Relation.ADD_REMOVE

    def __post_init__(self) -> None:
        object.__setattr__(self, "sigma", positive(self.sigma, "sigma"))
        self._check()

    @classmethod
    def for_budget(
        cls, budget: ZCDP, *, keys: int = 1, rows: int = 1, relation: Relation = Relation.ADD_REMOVE
    ) -> GaussianThreshold:
        """All of ρ into the noise, all of δ into the threshold."""
        if not isinstance(budget, ZCDP):
            raise refuse.not_a_budget(budget)
        if budget.delta == 0 or budget.rho == 0:
            raise refuse.no_threshold_fits(float(budget.delta))
        people = cls(sigma=Fraction(1), threshold=0, keys=keys, rows=rows, relation=relation)
        noise = GaussianNoise.for_budget(ZCDP(rho=budget.rho), Distance.l2_squared(people._square(1)))
        # Two tails of all keys leave more than one: a threshold from above, then the least that is enough.
        reach = gaussian_quantile(noise.sigma, 1 - budget.delta, people.keys)
        high = people.rows + ceil(reach)
        low = people.rows

        def enough(threshold: int) -> bool:
            made = cls(sigma=noise.sigma, threshold=threshold, keys=keys, rows=rows, relation=relation)
            return made.leak() <= budget.delta

        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if enough(middle) else (middle, high)
        return cls(sigma=noise.sigma, threshold=high, keys=keys, rows=rows, relation=relation)

    def forms(self, distance: Distance) -> Forms:
        people = ceil(distance.power)
        rho = self._square(people) / (2 * self.sigma**2)
        return {ZCDP: lambda: ZCDP(rho=rho, delta=self.leak(people))}

    def _square(self, people: int) -> Fraction:
        """The square of the L2 distance on common keys."""
        return Fraction(self.sides * people**2 * self.keys * self.rows**2)

    def _loss(self, people: int) -> GDP:
        return GDP.from_squared(self._square(people) / self.sigma**2)

    @classmethod
    def of_strength(cls, strength: Fraction, setting: Setting) -> GaussianThreshold:
        """The strength is the μ on common keys; the threshold is the least that the part of δ allows."""

        def made(threshold: int, sigma: Fraction = Fraction(1)) -> GaussianThreshold:
            return cls(sigma=sigma, threshold=threshold, **setting.parameters)

        probe = made(0)
        sigma = short_up(Fraction(sqrt(probe.sides * probe.keys)) * probe.rows / strength)
        return made(least_threshold(lambda least: made(least, sigma).leak(setting.people), setting), sigma)

    @classmethod
    def trials(cls) -> Iterator[Trial]:
        rule = GaussianThreshold(sigma=Fraction(1), threshold=3)
        return rule.tried(rule.cost(Distance.l1(1), Approximate, delta="0.1"))

    def law(self, people: int) -> LossLaw:
        return GaussianLoss(float_up(self._loss(people).mu))

    def _approximate(self, distance: Distance, delta: Fraction) -> Approximate:
        """What is left of δ after the threshold is read off the Gaussian curve."""
        people = ceil(distance.power)
        leak = self.leak(people)
        if not leak < delta < 1:
            raise refuse.threshold_takes_more(float(delta), float(leak))
        rest = (delta - leak) / (1 - leak)
        return Approximate.read(self._loss(people).epsilon_at(rest), delta)

    def tail(self, beyond: Fraction) -> Callable[[], arb]:
        return lambda: normal_cdf(ball(-beyond / self.sigma))

    def draw(self, size: int, bits: BitSource) -> Integers:
        return GaussianNoise(sigma=self.sigma).draw(size, bits)

    def parameters(self) -> dict[str, str]:
        return {"sigma": str(self.sigma), **KeyThreshold.parameters(self)}

    def error(self, confidence: Number = 0.95, entries: int = 1) -> float:
        """The half-width around each released count."""
        return GaussianNoise(sigma=self.sigma).error(confidence, entries)


def thresholded(mechanism: KeyThreshold, bits: BitSource, people: int, count: int) -> list[int | None]:
    """What is released of so many keys, each with so many people: its noisy count, or nothing; for an audit."""
    released = mechanism.release(dict.fromkeys(range(count), people) if people else {}, bits=bits)
    return [released.get(key) for key in range(count)]


def laplace_threshold(scale: Fraction, delta: Number, keys: int = 1, rows: int = 1) -> Fraction:
    """The threshold whose δ is the one given: rows - scale ln(2 (1 - (1 - δ)^(1/keys))), rounded up (theory C15).

    >>> round(float(laplace_threshold(Fraction(1), "1e-6")), 6)
    14.122363
    """
    share = probability(delta, "delta")
    return numerics.upper(lambda: rows - ball(scale) * (-2 * ((-ball(share)).log1p() / keys).expm1()).log())
