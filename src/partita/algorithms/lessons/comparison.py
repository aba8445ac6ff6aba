"""The four steps of many linear queries: budget and number of queries, noise, error, sample complexity."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import final

import numpy as np
from numpy.typing import NDArray

from partita.algorithms.budget import budget_of, noise_for
from partita.errors import algorithms as refuse
from partita.exact import Number, positive, probability, whole
from partita.mechanisms.gaussian import GaussianNoise
from partita.mechanisms.laplace import Laplace
from partita.mechanisms.randomized_response import RandomizedResponse
from partita.sampling.bits import BitSource
from partita.theory.distance import Distance
from partita.theory.measures.base import Measure
from partita.theory.measures.pure import Pure

# Sums are released in parts of a row this small, so that rounding the noise adds next to nothing to the error.
_FINE = 1 << 20

KINDS = ("laplace", "gaussian", "randomised response")


@final
@dataclass(frozen=True, slots=True)
class FourSteps:
    """What so many averages of numbers in [0, 1] cost in accuracy, when the number of rows is public (theory F3, F4).

    Under change-one every average moves by 1/n, so all k sums together by k in L1 and √k in L2. Randomised response
    releases every row's bit once and answers any number of averages from those.

    >>> steps = four_steps(100, epsilon=1)
    >>> round(steps.error(10_000, confidence="0.95"), 9), round(steps.rows_for("0.01", confidence="0.95"))
    (0.076009025, 76009)
    """

    queries: int
    budget: Measure
    noise: Laplace | GaussianNoise | RandomizedResponse

    @property
    def kind(self) -> str:
        """Which of the three mechanisms it is."""
        match self.noise:
            case Laplace():
                return "laplace"
            case GaussianNoise():
                return "gaussian"
            case RandomizedResponse():
                return "randomised response"

    def error(self, rows: int, *, confidence: Number = 0.95) -> float:
        """What the errors of all averages stay within at once, with this confidence, for so many rows.

        Laplace: (k/nε) ln(k/β). Gaussian: σ √(2 ln(2k/β)) / n. Randomised response: (e^ε + 1)/(e^ε - 1) √(ln(2k/β)/2n).
        """
        count, reach = whole(rows, "rows", least=1), self._reach(confidence)
        return reach / math.sqrt(count) if isinstance(self.noise, RandomizedResponse) else reach / count

    def rows_for(self, within: Number, *, confidence: Number = 0.95) -> float:
        """The sample complexity: how many rows make the error as small as asked."""
        goal, reach = float(positive(within, "within")), self._reach(confidence)
        return (reach / goal) ** 2 if isinstance(self.noise, RandomizedResponse) else reach / goal

    def answer(self, values: object, queries: object, *, bits: BitSource | None = None) -> NDArray[np.float64]:
        """The noisy averages of rows that hold a number from 0 to 1 each; queries are lines of 0 and 1 over the rows.

        Numbers are read to a millionth, each by itself; randomised response takes 0 and 1 only.
        """
        rows, asked = _numbers(values), _numbers(queries)
        local = isinstance(self.noise, RandomizedResponse)
        if (
            rows.ndim != 1
            or asked.shape != (self.queries, len(rows))
            or not (_zero_or_one(rows) if local else bool(((rows >= 0) & (rows <= 1)).all()))
            or not _zero_or_one(asked)
        ):
            raise refuse.not_bits(self.queries)
        if isinstance(self.noise, RandomizedResponse):
            reported = np.asarray(self.noise.release(rows.astype(np.int64), bits=bits), dtype=np.float64)
            kept = float(self.noise.keep())
            return asked @ (0.5 + (reported - 0.5) / (2 * kept - 1)) / len(rows)
        parts = np.rint(rows * _FINE).astype(np.int64)
        noisy = _finer(self.noise).release(asked.astype(np.int64) @ parts, bits=bits)
        return np.asarray(noisy, dtype=np.float64) / _FINE / len(rows)

    def _reach(self, confidence: Number) -> float:
        """The error of a single row's worth of data: of the sums, or of one reported bit."""
        miss = 1 - float(probability(confidence, "confidence"))
        match self.noise:
            case Laplace(scale=scale):
                return float(scale) * math.log(self.queries / miss)
            case GaussianNoise(sigma=sigma):
                return float(sigma) * math.sqrt(2 * math.log(2 * self.queries / miss))
            case RandomizedResponse(epsilon=epsilon):
                return math.sqrt(math.log(2 * self.queries / miss) / 2) / math.tanh(float(epsilon) / 2)

    def __str__(self) -> str:
        return f"{self.queries} averages by {self.kind} within {self.budget}"


def four_steps(
    queries: int,
    *,
    epsilon: Number | None = None,
    delta: Number | None = None,
    rho: Number | None = None,
    mu: Number | None = None,
    kind: str = "laplace",
) -> FourSteps:
    """Step one and two: a budget and a number of queries become the least noise of a kind."""
    count, budget = whole(queries, "queries", least=1), budget_of(epsilon=epsilon, delta=delta, rho=rho, mu=mu)
    match kind:
        case "laplace":
            return FourSteps(count, budget, _laplace(budget, count))
        case "gaussian":
            if isinstance(budget, Pure):
                raise refuse.no_such_noise("Gaussian", str(budget))
            return FourSteps(count, budget, GaussianNoise.for_budget(budget, Distance.l2_squared(count)))
        case "randomised response":
            loss = getattr(budget, "epsilon", None)
            if loss is None:
                raise refuse.no_such_noise("Randomised response", str(budget))
            return FourSteps(count, budget, RandomizedResponse(epsilon=loss))
        case _:
            raise refuse.unknown_choice("kind", kind, KINDS)


def compare_linear(
    queries: int,
    rows: int,
    *,
    epsilon: Number,
    delta: Number | None = None,
    confidence: Number = 0.95,
) -> dict[str, float]:
    """The error of each kind side by side: Laplace wins for few queries, randomised response for very many (theory F4).

    >>> few, many = compare_linear(10, 10_000, epsilon=1), compare_linear(10_000, 10_000, epsilon=1)
    >>> min(few, key=few.get), min(many, key=many.get)
    ('laplace', 'randomised response')
    """
    kinds = KINDS if delta is not None else ("laplace", "randomised response")
    return {
        kind: four_steps(queries, epsilon=epsilon, delta=delta, kind=kind).error(rows, confidence=confidence)
        for kind in kinds
    }


def _laplace(budget: Measure, count: int) -> Laplace:
    found = noise_for(budget, Distance.l1(Fraction(count)))
    assert isinstance(found, Laplace)
    return found


def _finer(noise: Laplace | GaussianNoise) -> Laplace | GaussianNoise:
    """The same noise in parts of a row: sums and noise are both so many times larger, so the cost is the same."""
    if isinstance(noise, Laplace):
        return Laplace(scale=noise.scale * _FINE)
    return GaussianNoise(sigma=noise.sigma * _FINE)


def _numbers(values: object) -> NDArray[np.float64]:
    """An array of numbers; what cannot be one is an empty array of a shape that nothing matches."""
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        return np.empty((0, 0, 0))


def _zero_or_one(values: NDArray[np.float64]) -> bool:
    return bool(((values == 0) | (values == 1)).all())
