"""The best of several private runs, whose number is drawn at random and told to nobody."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import ceil, exp, expm1, log, log1p
from typing import Any, ClassVar, TypeVar, final

from flint import arb

from partita.errors import mechanisms as refuse
from partita.exact import Number, exact, float_up, positive, probability, whole
from partita.granularity.base import Relation
from partita.mechanisms.base import Forms, Mechanism, identical
from partita.mechanisms.coin import coins
from partita.mechanisms.integers import source_of
from partita.mechanisms.randomized_response import RandomizedResponse
from partita.mechanisms.strength import Setting, Strength
from partita.mechanisms.trial import Trial
from partita.sampling.bernoulli import bernoulli
from partita.sampling.bits import BitSource
from partita.sampling.uniform import below
from partita.theory import numerics
from partita.theory.conversions import convert, pure_to_mu, pure_to_rho, pure_to_tau
from partita.theory.distance import Distance, Norm
from partita.theory.losses.pair import Pair
from partita.theory.losses.randomized_response import RandomizedResponseLoss
from partita.theory.measures.gdp import GDP
from partita.theory.measures.profile import Profile
from partita.theory.measures.pure import Pure
from partita.theory.measures.renyi import ORDERS, Renyi
from partita.theory.measures.zcdp import ZCDP
from partita.theory.numerics import ball

Output = TypeVar("Output")

# Beyond, the two ends are as good as any order between them.
_EXTREME = Fraction(10**100)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Repeated(Mechanism):
    """Run something private again and again, and release the one output with the best score (theory C19).

    One run is anything that loses ``epsilon`` (pure) or ``rho``, score included: a model with random parameters, say,
    and its noisy accuracy. The number of runs follows a truncated negative binomial law: with ``shape`` 1 each run is
    the last with probability ``stop``; a smaller shape (more than -1) costs less for the same mean and varies more.
    What is lost does not depend on how many candidates there are. The distance is a number of neighbouring steps.

    >>> Repeated(epsilon="0.1", stop="1/100").cost(Distance.l1(1), Pure)
    Pure(epsilon=Fraction(3, 10))
    """

    kind: ClassVar[str] = "repeated"
    norm: ClassVar[Norm] = Norm.L1
    theorems: ClassVar[str] = "C19"
    strength: ClassVar[Strength | None] = Strength.EPSILON
    epsilon: Fraction | None = None
    rho: Fraction | None = None
    stop: Fraction = Fraction(1, 10)
    shape: Fraction = Fraction(1)

    def __post_init__(self) -> None:
        if (self.epsilon is None) == (self.rho is None):
            raise refuse.one_loss_of_a_run()
        for name in ("epsilon", "rho"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, positive(getattr(self, name), name))
        stop = positive(self.stop, "stop")
        if stop > 1:
            raise refuse.stop_too_large(self.stop)
        shape = exact(self.shape, "shape")
        if shape <= -1:
            raise refuse.shape_too_small(self.shape)
        object.__setattr__(self, "stop", stop)
        object.__setattr__(self, "shape", shape)

    def forms(self, distance: Distance) -> Forms:
        """(2 + shape) times a pure loss; divergences by their own theorem, which pays for ρ too."""
        steps = ceil(distance.power)
        if self.epsilon is None:
            return {Renyi: partial(self._divergences, steps)}
        whole_loss = (2 + self.shape) * steps * self.epsilon
        return {
            Pure: lambda: Pure(epsilon=whole_loss),
            ZCDP: lambda: ZCDP(rho=pure_to_rho(whole_loss)),
            GDP: lambda: GDP(mu=pure_to_mu(whole_loss)),
            Renyi: partial(self._divergences, steps),
        }

    def _divergences(self, steps: int) -> Renyi:
        """τ(λ) + (1 + η)((1 - 1/λ')τ(λ') + log(1/γ)/λ') + log E[K]/(λ - 1), at the best λ', for every λ."""
        rest = (1 + self.shape) * self._excess(steps)
        many = numerics.upper(lambda: self._mean().log()) if self.stop < 1 else Fraction(0)
        taus = []
        for order in ORDERS:
            tau = self._tau(steps, order) + rest + max(many, Fraction(0)) / (order - 1)
            if self.epsilon is not None:
                tau = min(tau, pure_to_tau((2 + self.shape) * steps * self.epsilon, order))
            taus.append(tau)
        return Renyi(orders=ORDERS, taus=taus)

    def _tau(self, steps: int, order: Fraction) -> Fraction:
        """The divergence of one run, of any order from one on."""
        if self.epsilon is None:
            assert self.rho is not None
            return steps**2 * self.rho * order
        return pure_to_tau(steps * self.epsilon, order) if order > 1 else steps * self.epsilon

    def _excess(self, steps: int) -> Fraction:
        """The least (1 - 1/λ)τ(λ) + log(1/γ)/λ that was tried; each is a bound."""
        if self.stop == 1:
            return Fraction(0)
        length = numerics.upper(lambda: -ball(self.stop).log())
        found = [length]
        if self.epsilon is not None:
            found.append(steps * self.epsilon)
        rate = steps**2 * (pure_to_rho(self.epsilon) if self.epsilon is not None else self.rho or Fraction(1))
        if not 1 / _EXTREME < rate < _EXTREME:
            return min(found)
        best = exp(max((log(length) - log(rate)) / 2, 0.0))
        for order in (Fraction(best), Fraction(best) * 2):
            if order > 1:
                found.append((1 - 1 / order) * self._tau(steps, order) + length / order)
        return min(found)

    def _mean(self) -> arb:
        """The expected number of runs."""
        stop, shape = ball(self.stop), ball(self.shape)
        if self.shape == 0:
            return (1 / stop - 1) / -stop.log()
        return shape * (1 - stop) / (stop * -(shape * stop.log()).expm1())

    @property
    def mean(self) -> float:
        """How many runs there are on average.

        >>> Repeated(epsilon=1, stop="1/50").mean
        50.0
        """
        return 1.0 if self.stop == 1 else float(numerics.upper(self._mean))

    def pair(self, distance: Distance) -> Pair:
        self.require(distance)
        if distance.power == 0:
            return identical()
        if self.epsilon is None:
            curve = convert(self._divergences(ceil(distance.power)), Profile)
            assert isinstance(curve, Profile)
            return curve.pair
        return Pair.of(RandomizedResponseLoss(float_up((2 + self.shape) * ceil(distance.power) * self.epsilon)))

    @classmethod
    def argument(cls) -> str:
        return (
            "Runs are private each, and their number is random and secret: how much better the best of them is under "
            "one neighbour is bounded by a law of that number whose tails are heavy enough."
        )

    @classmethod
    def of_strength(cls, strength: Fraction, setting: Setting) -> Repeated:
        """The pure loss of everything."""
        shape = exact(setting.parameters.get("shape", 1), "shape")
        if shape <= -1:
            raise refuse.shape_too_small(shape)
        return cls(epsilon=strength / (2 + shape), **setting.parameters)

    @classmethod
    def trials(cls) -> Iterator[Trial]:
        """The best of some randomised responses, whose score is what they say."""
        for shape in ("0", "1"):
            made = cls(epsilon=Fraction(1, 2), stop=Fraction(1, 4), shape=Fraction(shape))
            claims = made.closed_forms(Distance.l1(1))
            name = f"best of repeated runs, shape {shape}"
            yield Trial(name, Relation.CHANGE_ONE, partial(best, made), 0, 1, claims, batch=False)

    def parameters(self) -> dict[str, str]:
        loss = {"epsilon": str(self.epsilon)} if self.epsilon is not None else {"rho": str(self.rho)}
        return {**loss, "stop": str(self.stop), "shape": str(self.shape)}

    def runs(self, *, bits: BitSource | None = None) -> int:
        """How many runs this time, exactly by the law: one after the other, each may be the last.

        >>> from partita.sampling.bits import TestBits
        >>> Repeated(epsilon=1, stop=1).runs(bits=TestBits(1))
        1
        """
        drawing, k = source_of(bits), 1
        hazard = _Hazard(self.stop, self.shape)
        while True:
            if self.shape == 1 or self.stop == 1:
                last = bernoulli(self.stop, 1, drawing)[0]
            else:
                last = coins(partial(hazard.at, k), 1, drawing)[0]
            if last:
                return k
            k += 1

    def release(self, run: Callable[[BitSource], tuple[float, Output]], *, bits: BitSource | None = None) -> Output:
        """The output with the best score of as many runs as were drawn; of equal scores, any.

        Neither may their number be told, nor the time they take.
        """
        drawing = source_of(bits)
        kept: Any = None
        top, equal = -float("inf"), 0
        for turn in range(self.runs(bits=drawing)):
            score, output = run(drawing)
            score = score if score == score else -float("inf")
            if turn == 0 or score > top:
                kept, top, equal = output, score, 1
            elif score == top:
                equal += 1
                if int(below(equal, 1, drawing)[0]) == 0:
                    kept = output
        found: Output = kept
        return found

    def error(self, confidence: Number = 0.95, entries: int = 1) -> float:
        """The share p such that, with this confidence, some run is among the best p of all runs there might be.

        >>> round(Repeated(epsilon=1, stop="1/100").error(0.9), 3)
        0.083
        """
        miss = (1 - probability(confidence, "confidence")) / whole(entries, "entries", least=1)
        low, high = 0.0, 1.0
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (low, middle) if self._none_above(middle) <= miss else (middle, high)
        return high

    def _none_above(self, share: float) -> float:
        """The chance that no run is among the best share: the generating function of the number of runs."""
        stop, shape = float(self.stop), float(self.shape)
        if self.stop == 1:
            return 1 - share
        left = log1p(-(1 - stop) * (1 - share))
        return left / log(stop) if shape == 0 else expm1(-shape * left) / expm1(-shape * log(stop))


@final
class _Hazard:
    """The chance that the k-th run is the last, given that there is one."""

    def __init__(self, stop: Fraction, shape: Fraction) -> None:
        self.stop = stop
        self.shape = shape

    def at(self, k: int) -> arb:
        """Pr[K = k] / Pr[K >= k], at the precision that is in force."""
        stop, shape = ball(self.stop), ball(self.shape)
        # Up to a factor: the law is proportional to (1 - γ)^k / k! times (η + 1) ... (η + k - 1).
        term = (1 - stop) * (shape if self.shape else arb(1))
        whole_law = -stop.log() if self.shape == 0 else (-shape * stop.log()).expm1()
        before: arb = arb(0)
        for j in range(1, k):
            before += term
            term *= (1 - stop) * (shape + j) / (j + 1)
        return term / (whole_law - before)


def best(mechanism: Repeated, bits: BitSource, answer: int) -> int:
    """The largest of repeated responses to one answer, for an audit."""
    assert mechanism.epsilon is not None
    once = RandomizedResponse(epsilon=mechanism.epsilon)

    def run(drawing: BitSource) -> tuple[float, int]:
        said = int(once.release(answer, bits=drawing))
        return said, said

    return mechanism.release(run, bits=bits)
