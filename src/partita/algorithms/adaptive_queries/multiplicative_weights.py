"""Online private multiplicative weights: very many adaptive queries, most of them answered free from a public guess."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, final

from numpy.typing import NDArray

from partita.algorithms.adaptive_queries.conversation import Conversation
from partita.algorithms.budget import budget_of, strongest
from partita.algorithms.linear.counting import accept_cells, check_cells, counted, read_counts
from partita.curator.computations.computation import Computation, Sample
from partita.errors import algorithms as refuse
from partita.exact import Number, positive, probability, whole
from partita.live import Live
from partita.mechanisms.additive import AdditiveNoise
from partita.mechanisms.base import Event
from partita.mechanisms.gaussian import GaussianNoise, decimal_up
from partita.mechanisms.laplace import Laplace
from partita.mechanisms.sparse_vector import SparseVector
from partita.sampling.bits import BitSource
from partita.theory.distance import Distance, Norm
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.base import Measure
from partita.theory.measures.pure import Pure

if TYPE_CHECKING:
    from partita.curator.answers.outcome import Outcome
    from partita.curator.curator import Curator
    from partita.region.columns import Bounded

# Variants of the sparse vector that are in circulation and lose more than they say (theory C12).
UNSOUND = {
    "no threshold noise": "the loss grows with the number of questions: 16.6 after 50 at a nominal ε of 1",
    "show the compared value": "its noise is meant for a comparison and does not hide the answer",
    "never stop": "every answer above the threshold has to be paid for",
    "noise for one positive": "the noise of the questions must grow with the number of positive answers",
}
_TESTS = Fraction(4, 5)
_TOTAL = Fraction(1, 50)


@final
@dataclass(frozen=True, slots=True)
class Noises:
    """What a session is made of: the tests, the noisy answers, and the noisy number of rows."""

    tests: SparseVector
    answers: AdditiveNoise
    total: AdditiveNoise


@final
class OnlineMultiplicativeWeights(Computation):
    """Answers counting queries about a histogram, chosen one after the other, from one budget (theory F6).

    A public guess is kept. For each query a sparse vector says whether the guess is off by more than the threshold; if
    not, the guess answers for free; if so, a noisy answer is released and the guess learns from it. After ``updates``
    such answers the session ends: privacy rests on that alone (multiplicative_weights.proof.md).

    ``rows`` is about how many rows there are, in public; it only places the threshold. Without ``updates`` their number
    is the one with the least guaranteed error. Queries weigh every cell by a whole number from 0 to ``unit``.

    >>> offer = OnlineMultiplicativeWeights(64, rows=1_000_000, queries=1000, rho="0.5")
    >>> offer.bound() < 200_000, offer.lasts
    (True, True)
    """

    kind: ClassVar[str] = "multiplicative-weights"
    opens: ClassVar[type[Live] | None] = Conversation

    def __init__(
        self,
        cells: int,
        *,
        rows: int,
        queries: int,
        epsilon: Number | None = None,
        delta: Number | None = None,
        rho: Number | None = None,
        mu: Number | None = None,
        updates: int | None = None,
        threshold: Number | None = None,
        confidence: Number = 0.95,
        unit: int = 1,
        columns: Sequence[str] = (),
        variant: str = "standard",
    ) -> None:
        if variant != "standard":
            raise refuse.unsound_variant(variant, UNSOUND)
        self.cells, self.rows = whole(cells, "cells", least=2), whole(rows, "rows", least=1)
        self.queries, self.unit = whole(queries, "queries", least=1), whole(unit, "unit", least=1)
        self.confidence = probability(confidence, "confidence")
        self.budget = budget_of(epsilon=epsilon, delta=delta, rho=rho, mu=mu)
        self.columns = tuple(columns)
        self.updates = self._fewest() if updates is None else min(whole(updates, "updates", least=1), self.queries)
        self.noises = _calibrated(self.budget, self.updates, self.unit)
        self._needed = self._least_threshold(self.updates, self.noises)
        self.threshold = math.ceil(self._needed if threshold is None else positive(threshold, "threshold"))

    # --- privacy ---------------------------------------------------------------------------------------------

    def losses(self, rows: int = 1, *, changed: bool = False) -> list[Event]:
        """The releases of a whole session, and how far so many rows move each."""
        moved = whole(rows, "rows", least=1)
        tests, answers, total = _losses(self.noises, self.updates, self.unit, moved)
        # A changed row leaves the number of rows as it is.
        return [tests, answers] if changed else [tests, answers, total]

    def parameters(self) -> Mapping[str, object]:
        parts = (self.noises.tests, self.noises.answers, self.noises.total)
        return {
            "cells": self.cells,
            "noises": [{"kind": noise.kind, **noise.parameters()} for noise in parts],
            "queries": self.queries,
            "threshold": self.threshold,
            "unit": self.unit,
            "updates": self.updates,
        }

    def accepts(self, table: str, columns: Sequence[Bounded]) -> None:
        accept_cells(self.columns, columns, self.cells)

    def compute(self, sample: Sample, *, bits: BitSource | None) -> Conversation:
        return self._opened(counted(sample.codes, sample.columns, self.cells), bits)

    @property
    def delta(self) -> Number:
        return self.budget.delta if isinstance(self.budget, Approximate) else 0

    # --- results ---------------------------------------------------------------------------------------------

    @property
    def lasts(self) -> bool:
        """Whether the updates suffice for every sequence of so many queries, with the stated confidence (theory F6)."""
        return self.threshold >= self._needed

    def bound(self) -> float:
        """What the errors of all answers stay within at once, with the stated confidence."""
        return max(self.threshold + self._reach(self.updates, self.noises), self.answer_error())

    def open(self, histogram: object, *, bits: BitSource | None = None) -> Conversation:
        """A session on exact counts; charge its full cost before the first query."""
        return self._opened(read_counts(histogram, self.cells), bits)

    def open_from(
        self, curator: Curator, table: str, *, where: str | None = None, analyst: str = ""
    ) -> tuple[Conversation, Outcome]:
        """A session on a curator's table, charged in full now; cells are the joint codes of the columns, in order."""
        check_cells(curator, table, self.columns, self.cells)
        live, outcome = curator.open(self, table=table, where=where, analyst=analyst)
        assert isinstance(live, Conversation)
        return live, outcome

    def _opened(self, counts: NDArray[Any], bits: BitSource | None) -> Conversation:
        return Conversation(self, counts, bits)

    # --- numbers ---------------------------------------------------------------------------------------------

    def answer_error(self) -> float:
        """What the errors of all noisy answers stay within."""
        return self._answer_error(self.updates, self.noises)

    def _share(self) -> Fraction:
        """Each of four things may go wrong a quarter as often."""
        return 1 - (1 - self.confidence) / 4

    def _reach(self, updates: int, noises: Noises) -> float:
        """How far from the threshold a test may be wrong: the noise of all thresholds and of all queries."""
        thresholds = 1 if noises.tests.positives > 1 else updates
        sure = self._share()
        noise = Laplace(scale=noises.tests.threshold_scale).reach(sure, thresholds)
        return (noise + Laplace(scale=noises.tests.query_scale).reach(sure, self.queries)) / self.unit

    def _answer_error(self, updates: int, noises: Noises) -> float:
        return noises.answers.error(self._share(), updates) / self.unit

    def _least_threshold(self, updates: int, noises: Noises) -> float:
        """A test that comes out above means a true gap of at least this less the reach of the tests.

        The relative entropy falls by (g² - e²)/4 where answers are off by e; it starts below ln|X| (theory F6).
        """
        wrong = noises.total.error(self._share(), 1)
        lasting = 2 * self.rows * math.sqrt(math.log(self.cells) / updates)
        return self._reach(updates, noises) + wrong + math.hypot(lasting, self._answer_error(updates, noises))

    def _fewest(self) -> int:
        """The number of updates with the least guaranteed error."""
        tried = sorted({min(self.queries, round(1.5**power)) for power in range(1, 40)})
        rough = {count: _rough(self.budget, count, self.unit) for count in tried}

        def error(count: int) -> float:
            return self._least_threshold(count, rough[count]) + self._reach(count, rough[count])

        return min(tried, key=error)


def _losses(noises: Noises, updates: int, unit: int, rows: int) -> list[Event]:
    norm = noises.answers.norm

    def far(moved: int) -> Distance:
        return Distance(norm, Fraction(moved * moved if norm is Norm.L2 else moved))

    sessions = 1 if noises.tests.positives > 1 else updates
    return [
        Event(noises.tests, Distance.linf(rows * unit), sessions),
        Event(noises.answers, far(rows * unit), updates),
        Event(noises.total, far(rows)),
    ]


def _of_strength(strength: Fraction, updates: int, unit: int) -> Noises:
    """One sparse vector an update; Gaussian answers take a fifth of ρ, and the total a fiftieth more."""
    root = Fraction(math.isqrt(10**12 * updates // 40) + 1, 10**6)
    return Noises(
        SparseVector(epsilon=strength / unit),
        GaussianNoise(sigma=decimal_up(2 * unit / strength)),
        GaussianNoise(sigma=decimal_up(1 / (strength * root))),
    )


def _rough(budget: Measure, updates: int, unit: int) -> Noises:
    """Nearly what the budget buys, at once: for choosing the number of updates only."""
    if isinstance(budget, Pure):
        return _pure(budget, updates, unit)
    return _of_strength(Fraction(_guess(budget, updates)).limit_denominator(10**9), updates, unit)


def _guess(budget: Measure, updates: int) -> float:
    return math.sqrt(0.8 / (float(GaussianNoise.for_budget(budget, Distance.l2(1)).sigma) ** 2 * updates))


def _pure(budget: Pure, updates: int, unit: int) -> Noises:
    rest = budget.epsilon * (1 - _TOTAL)
    return Noises(
        SparseVector(epsilon=rest * _TESTS / unit, positives=updates),
        Laplace(scale=unit * updates / (rest * (1 - _TESTS))),
        Laplace(scale=1 / (budget.epsilon * _TOTAL)),
    )


def _calibrated(budget: Measure, updates: int, unit: int) -> Noises:
    """The least noise whose whole session fits the budget."""
    if isinstance(budget, Pure):
        return _pure(budget, updates, unit)

    def releases(strength: Fraction) -> list[Event]:
        return _losses(_of_strength(strength, updates, unit), updates, unit, 1)

    return _of_strength(strongest(budget, releases, _guess(budget, updates)), updates, unit)
