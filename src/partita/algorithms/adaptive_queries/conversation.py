"""A conversation: one live session of multiplicative weights, asked query by query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import NDArray

from partita.algorithms.adaptive_queries.belief import Belief, Floats, read_query
from partita.errors import PartitaError
from partita.errors import algorithms as refuse
from partita.errors import mechanisms as refuse_mechanism
from partita.exact import whole
from partita.live import Live
from partita.mechanisms.integers import source_of
from partita.mechanisms.sparse_vector import Session
from partita.sampling.bits import BitSource

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from partita.algorithms.adaptive_queries.multiplicative_weights import OnlineMultiplicativeWeights

_REPLAYS = 8


@final
@dataclass(frozen=True, slots=True)
class Reply:
    """An answer, and whether it came free from the public guess."""

    value: float
    free: bool


@final
class Conversation(Live):
    """Adaptive queries about exact counts, answered from a guess that learns from noisy answers only.

    Every release goes through the mechanisms that were charged at the opening: a sparse vector for the tests, noise for
    each answer above the threshold, at most as many as were paid for (multiplicative_weights.proof.md).
    """

    def __init__(self, offer: OnlineMultiplicativeWeights, counts: NDArray[Any], bits: BitSource | None) -> None:
        super().__init__()
        self.offer = offer
        self._bits = source_of(bits)
        self._counts = counts
        self._left = offer.updates
        self._replies: list[Reply] = []
        total = int(offer.noises.total.release(int(counts.sum()), bits=self._bits))
        self._belief = Belief(offer.cells, float(total), offer.unit)
        self._tests = self._fresh()

    @property
    def updates_left(self) -> int:
        """How many noisy answers are left."""
        return self._left

    @property
    def replies(self) -> tuple[Reply, ...]:
        """Everything said so far."""
        return tuple(self._replies)

    @property
    def free(self) -> float:
        """The share of all answers so far that were free."""
        return sum(reply.free for reply in self._replies) / max(1, len(self._replies))

    @property
    def histogram(self) -> Floats:
        """The public guess: anything may be computed from it, also when the session is over."""
        return self._belief.histogram

    def ask(self, query: object) -> Reply:
        """How many rows a query counts: a weight for every cell."""
        weights = read_query(query, self.offer.cells, self.offer.unit)
        with self._lock:
            if self._left <= 0 or len(self._replies) >= self.offer.queries:
                raise refuse.conversation_over(self.offer.updates, self.offer.queries)
            guess, exact = self._belief.answer(weights), self._exact(weights)
            above = self._tests.ask(abs(exact - round(guess * self.offer.unit)))
            reply = self._learnt(weights, exact) if above else Reply(guess, free=True)
            self._replies.append(reply)
            return reply

    def range(self, low: int, high: int) -> Reply:
        """How many rows are in a range of cells, both ends included."""
        first, last = whole(low, "low"), whole(high, "high")
        if not first <= last < self.offer.cells:
            raise refuse.bad_range(low, high, self.offer.cells)
        query = np.zeros(self.offer.cells, dtype=np.int64)
        query[first : last + 1] = self.offer.unit
        return self.ask(query)

    def plot(self) -> Figure:
        """All answers so far with the bound that holds for all of them."""
        from partita.algorithms.pictures import answers

        values = np.array([reply.value for reply in self._replies])
        errors = np.full(len(values), self.offer.bound())
        title = f"{len(values)} answers, {self.free:.0%} of them free"
        return answers(values, errors, self.offer.confidence, title=title)

    def _exact(self, weights: NDArray[np.int64]) -> int:
        """The exact sum, in Python's integers where 64 bits could wrap: then one row would move it by far more."""
        if int(self._counts.sum()) * self.offer.unit < 1 << 62:
            return int(weights @ self._counts)
        return int(weights.astype(object) @ self._counts.astype(object))

    def _learnt(self, weights: NDArray[np.int64], exact: int) -> Reply:
        said = int(self.offer.noises.answers.release(exact, bits=self._bits)) / self.offer.unit
        self._left -= 1
        self._belief.learn(weights, said, noise=self.offer.answer_error(), replays=_REPLAYS)
        if self._left > 0 and self._tests.left <= 0:
            self._tests = self._fresh()
        return Reply(said, free=False)

    def _fresh(self) -> Session:
        return self.offer.noises.tests.open(self.offer.threshold * self.offer.unit, bits=self._bits)

    def _copied(self) -> PartitaError:
        return refuse_mechanism.session_copied()
