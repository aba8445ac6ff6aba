"""Randomised response: each person reports their own answer, or now and then another one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import ceil
from typing import Any, ClassVar, final

import numpy as np
from flint import arb
from numpy.typing import NDArray

from partita.errors import mechanisms as refuse
from partita.exact import Number, float_down, float_up, positive, probability, whole
from partita.granularity.base import Relation
from partita.limits import current
from partita.mechanisms.base import Event, Forms, Mechanism, identical
from partita.mechanisms.coin import coins
from partita.mechanisms.integers import answers_of, read, read_flat, source_of
from partita.mechanisms.strength import Strength
from partita.mechanisms.trial import Trial, entry_by_entry
from partita.mechanisms.words import Responses, Word
from partita.sampling.bits import BitSource
from partita.sampling.uniform import below
from partita.theory import numerics
from partita.theory.conversions import pure_to_mu, pure_to_rho
from partita.theory.distance import Distance, Norm
from partita.theory.losses.atoms import AtomicLoss
from partita.theory.losses.base import LossLaw
from partita.theory.losses.outward import FUNCTION, UNIT
from partita.theory.losses.pair import Pair
from partita.theory.losses.product import ProductLoss
from partita.theory.losses.randomized_response import RandomizedResponseLoss
from partita.theory.measures.gdp import GDP
from partita.theory.measures.pure import Pure
from partita.theory.measures.zcdp import ZCDP
from partita.theory.numerics import ball

# As many answers as are listed, one estimate each.
_LISTED = 1 << 24
# Up to so large a loss the exact law is tabulated.
_FURTHEST = 500.0


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class RandomizedResponse(Mechanism):
    """Report the truth with odds e^ε to 1 against each other answer (theory C1, C2).

    It protects what a person answers (change-one), not whether they answer. The distance is the number of reports that
    change, in L1.

    >>> RandomizedResponse(epsilon=1).cost(Distance.l1(1), Pure)
    Pure(epsilon=Fraction(1, 1))
    """

    kind: ClassVar[str] = "randomized_response"
    norm: ClassVar[Norm] = Norm.L1
    theorems: ClassVar[str] = "C2"
    strength: ClassVar[Strength | None] = Strength.EPSILON
    law_family: ClassVar[type[LossLaw] | None] = RandomizedResponseLoss
    word: ClassVar[type | None] = Responses
    epsilon: Fraction
    values: int = 2

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", positive(self.epsilon, "epsilon"))
        object.__setattr__(self, "values", whole(self.values, "values", least=2))

    @property
    def relations(self) -> frozenset[Relation]:
        """Only change-one: the number of reports is there for all to see."""
        return frozenset({Relation.CHANGE_ONE})

    def forms(self, distance: Distance) -> Forms:
        """Reports are independent, so those that change compose: ε, ρ and μ² add up."""
        reports, epsilon = ceil(distance.power), self.epsilon
        return {
            Pure: lambda: Pure(epsilon=reports * epsilon),
            ZCDP: lambda: ZCDP(rho=reports * pure_to_rho(epsilon)),
            GDP: lambda: GDP.from_squared(reports * pure_to_mu(epsilon) ** 2),
        }

    def pair(self, distance: Distance) -> Pair:
        self.require(distance)
        reports, epsilon = ceil(distance.power), float_up(self.epsilon)
        if reports == 0:
            return identical()
        one: LossLaw = self._atoms(1) if self.values > 2 and epsilon <= _FURTHEST else RandomizedResponseLoss(epsilon)
        if reports == 1:
            return Pair.of(one)
        if reports <= current().reports and reports * epsilon <= _FURTHEST:
            return Pair.of(self._atoms(reports))
        return Pair.of(ProductLoss.of([(one, reports)]))

    def _atoms(self, reports: int) -> AtomicLoss:
        """Each report loses ε, 0 or -ε: it is the true answer, a third one, or the neighbour's; losses add up."""
        low, high = float_down(self.epsilon), float_up(self.epsilon)
        other = self.other()
        one = np.array([float_up(other), float_up((self.values - 2) * other), float_up(self.keep())])
        masses = one
        for _ in range(reports - 1):
            masses = np.convolve(masses, one)
        steps = np.arange(-reports, reports + 1)
        keep = masses > 0
        losses = np.where(steps > 0, steps * high, steps * low) + 4 * UNIT * reports * high
        return AtomicLoss(
            tuple(losses[keep].tolist()),
            tuple(masses[keep].tolist()),
            0.0,
            # Three products and two sums of positive numbers a step, from masses within a unit.
            reports * FUNCTION,
            FUNCTION * reports * high,
        )

    def parameter(self, power: Fraction | None) -> float | None:
        """ε, of one report with two answers."""
        top, bottom = self.epsilon.as_integer_ratio()
        return top / bottom if self.values == 2 and (power is None or power == 1) else None

    def is_exact(self, distance: Distance) -> bool:
        return True

    def said(self, distance: Distance) -> Word | None:
        k, e = self.values, self.epsilon
        uniform = numerics.lower(lambda: ball(k) / (ball(e).exp() + (k - 1)))
        return Responses(uniform, k, ceil(distance.power))

    @classmethod
    def heard(cls, word: Word) -> Event:
        assert isinstance(word, Responses)
        k, p = word.answers, word.uniform
        epsilon = numerics.upper(lambda: (ball(k) / ball(p) - (k - 1)).log())
        return RandomizedResponse(epsilon=epsilon, values=k).at(Distance.l1(word.reports))

    @classmethod
    def trials(cls) -> Iterator[Trial]:
        """One answer changes, among two and among five."""
        for values in (2, 5):
            answers = RandomizedResponse(epsilon=Fraction(1), values=values)
            claims = answers.closed_forms(Distance.l1(1))
            run = partial(entry_by_entry, answers)
            name = f"randomised response, {values} answers"
            yield Trial(name, Relation.CHANGE_ONE, run, 0, values - 1, claims)

    def parameters(self) -> dict[str, str]:
        return {"epsilon": str(self.epsilon), "values": str(self.values)}

    def keep(self) -> Fraction:
        """The probability of reporting the truth, e^ε / (e^ε + k - 1), to 64 bits.

        >>> round(float(RandomizedResponse(epsilon=1).keep()), 9)
        0.731058579
        """
        return numerics.upper(lambda: 1 / (1 + (self.values - 1) * (-ball(self.epsilon)).exp()))

    def other(self) -> Fraction:
        """The probability of reporting one particular other answer, 1 / (e^ε + k - 1), to 64 bits."""
        return numerics.upper(lambda: 1 / (ball(self.epsilon).exp() + (self.values - 1)))

    def release(self, values: object, *, bits: BitSource | None = None) -> Any:
        """One report for each answer 0, ..., k - 1: the truth, or a uniform answer instead of it.

        A uniform answer is the truth now and then, so it is drawn with probability k / (e^ε + k - 1) only.
        """
        given = read(answers_of(values) if self.values == 2 else values)
        truth = given.values
        if truth.size and not (truth.min() >= 0 and truth.max() < self.values):
            raise refuse.outside_answers(self.values)
        drawing = source_of(bits)
        lies = coins(self._lie, truth.size, drawing).reshape(truth.shape)
        uniform = below(self.values, truth.size, drawing).reshape(truth.shape)
        reports = np.where(lies, uniform, truth)
        return int(reports[()]) if given.scalar else reports

    def _lie(self) -> arb:
        fall = (-ball(self.epsilon)).exp()
        return self.values * fall / (1 + (self.values - 1) * fall)

    def estimate(self, reports: object, *, answers: object = None) -> NDArray[np.float64]:
        """Unbiased estimates of the share of each answer among the truths, from the reports alone (theory C2).

        With ``answers``, only of those: where there are very many a list of all of them would not fit.

        >>> RandomizedResponse(epsilon=50, values=3).estimate([0, 0, 1, 2]).round(6).tolist()
        [0.5, 0.25, 0.25]
        >>> RandomizedResponse(epsilon=80, values=10**12).estimate([7, 7, 5, 8], answers=[7]).round(6).tolist()
        [0.5]
        """
        seen = read(answers_of(reports) if self.values == 2 else reports).values.reshape(-1)
        if seen.size == 0:
            raise refuse.no_reports()
        if not (seen.min() >= 0 and seen.max() < self.values):
            raise refuse.outside_answers(self.values)
        if answers is None:
            if self.values > _LISTED:
                raise refuse.too_many_answers(self.values, _LISTED)
            shares = np.bincount(seen.astype(np.int64), minlength=self.values) / seen.size
        else:
            shares = np.array([np.mean(seen == answer) for answer in read_flat(answers)])
        likely, other = float(self.keep()), float(self.other())
        estimates: NDArray[np.float64] = (shares - other) / (likely - other)
        return estimates

    def variance(self) -> float:
        """The variance that one report adds to a binary estimate, e^ε / (e^ε - 1)² (theory C1).

        For k answers: of the indicator of one answer, for a person who gives another; e^ε + k - 2 in place of e^ε.

        >>> round(RandomizedResponse(epsilon=1).variance(), 9)
        0.920673594
        """
        value = numerics.upper(lambda: (ball(self.epsilon).exp() + (self.values - 2)) / ball(self.epsilon).expm1() ** 2)
        return float_up(value)

    def error(self, confidence: Number = 0.95, entries: int = 1, *, reports: int = 1) -> float:
        """How far an estimated share is from the share among the truths, for several questions at once (Hoeffding).

        One set of reports answers any number of questions about which answers lie in which set (theory C1, F4).

        >>> round(RandomizedResponse(epsilon=1).error(reports=10_000), 9)
        0.029388684
        """
        sure, questions = probability(confidence, "confidence"), whole(entries, "entries", least=1)
        people = whole(reports, "reports", least=1)
        value = numerics.upper(
            lambda: (
                (ball(self.epsilon).exp() + (self.values - 1))
                / ball(self.epsilon).expm1()
                * ((2 * questions / (1 - ball(sure))).log() / (2 * people)).sqrt()
            ),
            "the error of randomised response",
        )
        return float_up(value)
