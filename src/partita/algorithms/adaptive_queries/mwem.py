"""MWEM: a histogram for a fixed list of queries, improved where it is worst, round by round."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, final

import numpy as np
from numpy.typing import NDArray

from partita.algorithms.adaptive_queries.belief import Belief, Floats
from partita.algorithms.budget import budget_of, strongest
from partita.algorithms.linear.counting import accept_cells, check_cells, counted, read_counts
from partita.algorithms.linear.strategy import matrix
from partita.algorithms.linear.workload import Workload
from partita.algorithms.progress import track
from partita.curator.computations.computation import Computation, Sample
from partita.errors import algorithms as refuse
from partita.exact import Number, positive, probability, whole
from partita.mechanisms.additive import AdditiveNoise
from partita.mechanisms.base import Event
from partita.mechanisms.exponential import Exponential
from partita.mechanisms.gaussian import GaussianNoise, decimal_up
from partita.mechanisms.laplace import Laplace
from partita.sampling.bits import BitSource
from partita.theory.distance import Distance, Norm
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.pure import Pure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from partita.curator.answers.outcome import Outcome
    from partita.curator.curator import Curator
    from partita.region.columns import Bounded

_TOTAL = Fraction(1, 50)
_REPLAYS = 20

# What is released: the noisy number of rows, and for each round which query was chosen and its noisy answer.
Rounds = list[list[int]]


@final
class MWEM(Computation):
    """Each round chooses a query that the guess answers badly, and releases its noisy answer (theory F7).

    Queries weigh the cells by 0 or 1. Half of the budget goes into choosing, half into answers, a fiftieth of all into
    the number of rows; under ε with Laplace noise as in the paper, otherwise with Gaussian noise and the bounded range
    of the exponential mechanism (ρ = ε²/8 a round), which is cheaper.

    >>> mwem = MWEM(Workload.ranges(16), rounds=8, rho="0.1")
    >>> [one.count for one in mwem.losses(1)]
    [8, 8, 1]
    """

    kind: ClassVar[str] = "mwem"

    def __init__(
        self,
        queries: object,
        *,
        rounds: int = 10,
        epsilon: Number | None = None,
        delta: Number | None = None,
        rho: Number | None = None,
        mu: Number | None = None,
        columns: Sequence[str] = (),
    ) -> None:
        given = queries.matrix if isinstance(queries, Workload) else queries
        if given is None:
            raise refuse.not_written()
        table = matrix(given, "queries")
        if not ((table == 0) | (table == 1)).all():
            raise refuse.not_a_counting_query(table.shape[1], 1)
        self.queries: NDArray[np.int64] = table.astype(np.int64)
        self.rounds = whole(rounds, "rounds", least=1)
        self.budget = budget_of(epsilon=epsilon, delta=delta, rho=rho, mu=mu)
        self.columns = tuple(columns)
        self.choice, self.noise, self.total = self._calibrated()

    # --- privacy ---------------------------------------------------------------------------------------------

    def losses(self, rows: int = 1, *, changed: bool = False) -> list[Event]:
        """The releases: choices, noisy answers, and the number of rows."""
        found = _losses(self.choice, self.noise, self.total, self.rounds, whole(rows, "rows", least=1))
        return found[:2] if changed else found

    def parameters(self) -> Mapping[str, object]:
        listed = hashlib.sha256(repr(self.queries.shape).encode() + self.queries.tobytes()).hexdigest()
        noises = [{"kind": noise.kind, **noise.parameters()} for noise in (self.choice, self.noise, self.total)]
        return {"queries": listed, "rounds": self.rounds, "noises": noises}

    def accepts(self, table: str, columns: Sequence[Bounded]) -> None:
        accept_cells(self.columns, columns, self.cells)

    def compute(self, sample: Sample, *, bits: BitSource | None) -> Rounds:
        return self._run(counted(sample.codes, sample.columns, self.cells), bits, progress=None)

    @property
    def delta(self) -> Number:
        return self.budget.delta if isinstance(self.budget, Approximate) else 0

    # --- results ---------------------------------------------------------------------------------------------

    @property
    def cells(self) -> int:
        """How many cells there are."""
        return int(self.queries.shape[1])

    def release(self, histogram: object, *, bits: BitSource | None = None, progress: bool | None = None) -> Fitted:
        """All rounds on exact counts."""
        counts = read_counts(histogram, self.cells)
        return Fitted(self, self._run(counts, bits, progress=progress))

    def release_from(
        self, curator: Curator, table: str, *, where: str | None = None, analyst: str = "", key: str | None = None
    ) -> tuple[Fitted, Outcome]:
        """The same on a curator's table, paid from its promises: cells are the joint codes of the columns, in order."""
        check_cells(curator, table, self.columns, self.cells)
        outcome = curator.run(self, table=table, where=where, analyst=analyst, key=key)
        return Fitted(self, outcome.document), outcome

    def believed(self, rounds: Rounds) -> Floats:
        """The guess after some rounds, made from what was released alone: the mean of the guesses of all rounds."""
        belief = Belief(self.cells, float(rounds[0][0]))
        total = np.zeros(self.cells)
        for chosen, said in rounds[1:]:
            belief.learn(self.queries[chosen], float(said), noise=self.noise_error(), replays=_REPLAYS)
            total = total + belief.histogram
        return total / (len(rounds) - 1) if len(rounds) > 1 else belief.histogram

    def noise_error(self) -> float:
        """What the noise of all answers hardly ever exceeds: beyond twice of it an earlier answer is learnt again."""
        return self.noise.error("0.999", self.rounds)

    def _run(self, counts: NDArray[Any], bits: BitSource | None, *, progress: bool | None) -> Rounds:
        exact = self.queries @ counts
        said: Rounds = [[int(self.total.release(int(counts.sum()), bits=bits))]]
        belief = Belief(self.cells, float(said[0][0]))
        for _ in track(range(self.rounds), "improving the guess", shown=progress, total=self.rounds):
            guessed = np.rint(self.queries @ belief.histogram).astype(np.int64)
            chosen = self.choice.release(np.abs(exact - guessed), bits=bits)
            answer = int(self.noise.release(int(exact[chosen]), bits=bits))
            said.append([chosen, answer])
            belief.learn(self.queries[chosen], float(answer), noise=self.noise_error(), replays=_REPLAYS)
        return said

    def _calibrated(self) -> tuple[Exponential, AdditiveNoise, AdditiveNoise]:
        if isinstance(self.budget, Pure):
            each = self.budget.epsilon * (1 - _TOTAL) / (2 * self.rounds)
            return Exponential(epsilon=each), Laplace(epsilon=each), Laplace(epsilon=self.budget.epsilon * _TOTAL)
        rounds = self.rounds

        def made(strength: Fraction) -> tuple[Exponential, AdditiveNoise, AdditiveNoise]:
            # Choices and answers take ρ = s²/8 each; all of them together forty-nine fiftieths.
            root = Fraction(math.isqrt(10**12 * rounds // 98) + 1, 10**6)
            return (
                Exponential(epsilon=strength),
                GaussianNoise(sigma=decimal_up(2 / strength)),
                GaussianNoise(sigma=decimal_up(1 / (strength * root))),
            )

        sigma = float(GaussianNoise.for_budget(self.budget, Distance.l2(1)).sigma)
        return made(strongest(self.budget, lambda s: _losses(*made(s), rounds, 1), math.sqrt(2 / rounds) / sigma))


@final
@dataclass(frozen=True, eq=False)
class Fitted:
    """A histogram that was fitted to noisy answers; everything asked of it is free."""

    mwem: MWEM
    rounds: Rounds

    @property
    def cells(self) -> Floats:
        """The estimated counts, none negative."""
        return self.mwem.believed(self.rounds)

    @property
    def answers(self) -> Floats:
        """The answers to all queries."""
        found: Floats = self.mwem.queries @ self.cells
        return found

    def error(self, rows: int, confidence: Number = 0.95) -> float:
        """A bound on the error of every query at once, if there are about so many rows; confidence at most 0.999.

        A round whose chosen query is off by g lowers the relative entropy by (g² - e²)/4 in shares of the rows, where
        e is the error of its answer; it was at most ln|X|. So the mean of g is at most 2n √(ln|X| / T) + e, the worst
        query of a round is off by no more than the choice may miss beyond that, and the last guess counts for n/T.
        """
        sure = 1 - (1 - probability(confidence, "confidence")) / 3
        rounds, people = self.mwem.rounds, whole(rows, "rows", least=1)
        chosen = self.mwem.choice.error(1 - (1 - sure) / rounds, len(self.mwem.queries))
        said = max(self.mwem.noise.error(sure, rounds), self.mwem.noise_error())
        spread = 2 * people * math.sqrt(math.log(self.mwem.cells) / rounds)
        return spread + chosen + said + self.mwem.total.error(sure) + people / rounds

    def plot(self, rows: int, confidence: Number = 0.95) -> Figure:
        """The answers to all queries, with the bound on their errors."""
        from partita.algorithms.pictures import answers

        found = self.answers
        return answers(found, np.full(len(found), self.error(rows, confidence)), confidence)


def mwem_bound(rows: int, cells: int, queries: int, rounds: int, epsilon: Number) -> float:
    """The bound of the paper: 2n √(ln|X| / T) + 10 T ln|Q| / ε, with probability at least 1 - 2T/|Q| (theory F7).

    >>> round(mwem_bound(10_000, 1024, 1000, 10, 1), 5)
    17341.86775
    """
    people, times = whole(rows, "rows", least=1), whole(rounds, "rounds", least=1)
    spread = 2 * people * math.sqrt(math.log(whole(cells, "cells", least=1)) / times)
    return spread + 10 * times * math.log(whole(queries, "queries", least=1)) / float(positive(epsilon, "epsilon"))


def _losses(choice: Exponential, noise: AdditiveNoise, total: AdditiveNoise, rounds: int, rows: int) -> list[Event]:
    far = Distance(noise.norm, Fraction(rows * rows if noise.norm is Norm.L2 else rows))
    return [Event(choice, Distance.linf(rows), rounds), Event(noise, far, rounds), Event(total, far)]
