"""Unary encoding: each person reports one bit for every possible answer, and each bit is flipped now and then."""

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
from partita.exact import Number, float_up, positive, probability, whole
from partita.granularity.base import Relation
from partita.mechanisms.base import Forms, Mechanism, identical
from partita.mechanisms.coin import coins
from partita.mechanisms.integers import answers_of, read, source_of
from partita.mechanisms.switch import switch
from partita.mechanisms.trial import Trial
from partita.sampling.bits import BitSource
from partita.theory import numerics
from partita.theory.conversions import pure_to_mu, pure_to_rho
from partita.theory.distance import Distance, Norm
from partita.theory.losses.pair import Pair
from partita.theory.losses.product import ProductLoss
from partita.theory.losses.randomized_response import RandomizedResponseLoss
from partita.theory.measures.gdp import GDP
from partita.theory.measures.pure import Pure
from partita.theory.measures.zcdp import ZCDP
from partita.theory.numerics import ball


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class UnaryEncoding(Mechanism):
    """Report, for each of k answers, a bit that says whether it is one's own, flipped with some probability.

    Symmetric: every bit is kept with odds e^(ε/2) to 1. Optimised: one's own bit is a fair coin, and each other bit is
    kept with odds e^ε to 1, which estimates rare answers better. It protects what a person answers (change-one), not
    whether they answer (unary_encoding.proof.md). The distance is the number of reports that change, in L1.

    >>> UnaryEncoding(epsilon=1, values=10).cost(Distance.l1(1), Pure)
    Pure(epsilon=Fraction(1, 1))
    """

    kind: ClassVar[str] = "unary_encoding"
    norm: ClassVar[Norm] = Norm.L1
    theorems: ClassVar[str] = "B8, C1"
    epsilon: Fraction
    values: int = 2
    optimised: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", positive(self.epsilon, "epsilon"))
        object.__setattr__(self, "values", whole(self.values, "values", least=2))
        object.__setattr__(self, "optimised", switch(self.optimised, "optimised"))

    @property
    def relations(self) -> frozenset[Relation]:
        """Only change-one: the number of reports is there for all to see."""
        return frozenset({Relation.CHANGE_ONE})

    def forms(self, distance: Distance) -> Forms:
        """Reports are independent; a changed answer changes two bits, which are independent too."""
        reports, epsilon = ceil(distance.power), self.epsilon
        bits, each = (reports, epsilon) if self.optimised else (2 * reports, epsilon / 2)
        return {
            Pure: lambda: Pure(epsilon=reports * epsilon),
            ZCDP: lambda: ZCDP(rho=bits * pure_to_rho(each)),
            GDP: lambda: GDP.from_squared(bits * pure_to_mu(each) ** 2),
        }

    def pair(self, distance: Distance) -> Pair:
        self.require(distance)
        reports = ceil(distance.power)
        if reports == 0:
            return identical()
        bits, each = (reports, self.epsilon) if self.optimised else (2 * reports, self.epsilon / 2)
        one = RandomizedResponseLoss(float_up(each))
        return Pair.of(one if bits == 1 else ProductLoss.of([(one, bits)]))

    def parameters(self) -> dict[str, str]:
        return {"epsilon": str(self.epsilon), "values": str(self.values), "optimised": str(self.optimised).lower()}

    @classmethod
    def trials(cls) -> Iterator[Trial]:
        """One answer of three changes."""
        for optimised in (False, True):
            encoding = UnaryEncoding(epsilon=Fraction(1), values=3, optimised=optimised)
            name = f"unary encoding, {'optimised' if optimised else 'symmetric'}"
            claims = encoding.closed_forms(Distance.l1(1))
            yield Trial(name, Relation.CHANGE_ONE, partial(encoded, encoding), 0, 2, claims)

    def release(self, answers: object, *, bits: BitSource | None = None) -> NDArray[np.bool_]:
        """One row of k bits for each answer 0, ..., k - 1."""
        truth = read(answers_of(answers) if self.values == 2 else answers).values.reshape(-1)
        if truth.size and not (truth.min() >= 0 and truth.max() < self.values):
            raise refuse.outside_answers(self.values)
        drawing = source_of(bits)
        reports = coins(self._false, truth.size * self.values, drawing).reshape(truth.size, self.values)
        reports[np.arange(truth.size), truth.astype(np.int64)] = coins(self._true, truth.size, drawing)
        return reports

    def _true(self) -> arb:
        """The probability that the bit of one's own answer is set."""
        return arb(1) / 2 if self.optimised else 1 / (1 + (-ball(self.epsilon) / 2).exp())

    def _false(self) -> arb:
        """The probability that the bit of another answer is set."""
        each = ball(self.epsilon) if self.optimised else ball(self.epsilon) / 2
        return 1 / (1 + each.exp())

    def estimate(self, reports: object) -> NDArray[np.float64]:
        """Unbiased estimates of the share of each answer among the truths, from the reports alone.

        >>> UnaryEncoding(epsilon=80, values=3).estimate([[1, 0, 0], [0, 1, 0]]).round(3).tolist()
        [0.5, 0.5, -0.0]
        """
        seen = self.counted(reports)
        likely, other = self.chances()
        estimates: NDArray[np.float64] = (seen.mean(axis=0) - other) / (likely - other)
        return estimates

    def counted(self, reports: object) -> NDArray[np.bool_]:
        """The reports as rows of k bits each."""
        found: Any = np.asarray(reports)
        if found.ndim != 2 or found.shape[1] != self.values or found.dtype.kind not in "biu":
            raise refuse.not_bit_reports(self.values)
        if len(found) == 0:
            raise refuse.no_reports()
        if found.dtype != np.bool_ and not ((found == 0) | (found == 1)).all():
            raise refuse.not_bit_reports(self.values)
        return np.asarray(found, dtype=np.bool_)

    def chances(self) -> tuple[float, float]:
        """The probabilities that a bit is set, for one's own answer and for another."""
        return float(numerics.upper(self._true)), float(numerics.upper(self._false))

    def variance(self) -> float:
        """The variance that one report adds to the estimate of an answer that the person does not have.

        >>> round(UnaryEncoding(epsilon=1, values=9, optimised=True).variance(), 6)  # 4 e^ε / (e^ε - 1)²
        3.682694
        """
        value = numerics.upper(lambda: self._false() * (1 - self._false()) / (self._true() - self._false()) ** 2)
        return float_up(value)

    def error(self, confidence: Number = 0.95, entries: int = 1, *, reports: int = 1) -> float:
        """How far an estimated share is from the share among the truths, for several answers at once (Hoeffding)."""
        sure, questions = probability(confidence, "confidence"), whole(entries, "entries", least=1)
        people = whole(reports, "reports", least=1)
        value = numerics.upper(
            lambda: ((2 * questions / (1 - ball(sure))).log() / (2 * people)).sqrt() / (self._true() - self._false()),
            "the error of unary encoding",
        )
        return float_up(value)


def encoded(mechanism: UnaryEncoding, bits: BitSource, answer: int, count: int) -> NDArray[np.int64]:
    """So many reports of one answer, each row of bits as one number, for an audit."""
    reports = mechanism.release([answer] * count, bits=bits)
    found: NDArray[np.int64] = reports @ (1 << np.arange(mechanism.values))
    return found
