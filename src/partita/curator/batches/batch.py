"""A batch: questions priced together, with what each would show and what all would cost, before anything is spent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, final

from partita.curator.answers.answer import Answer
from partita.curator.batches.planned import Planned, distinct_quotes, released
from partita.exact import Number
from partita.notebook import InWords
from partita.query.batch.joint import inner_delta
from partita.query.batch.share import Share
from partita.query.noise.quote import Quote
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.base import Measure


@final
@dataclass(frozen=True)
class Batch(InWords):
    """Offers for several questions at once, in the order in which they were given.

    ``cost`` is what all of them together cost the person they touch most, under the first promise; ``apart`` what it
    would be if each were charged by itself. ``ask`` answers them all; ``reserve`` charges them all and leaves the
    asking for later.

    >>> from partita import Curator, Promise, Table, ZCDP, integers, rows
    >>> visits = Table("visits", [{"age": i % 90} for i in range(900)], {"age": integers(0, 120, missing=0)})
    >>> questions = [f"SELECT COUNT(*) AS n FROM visits WHERE age = {age}" for age in (20, 30, 40)]
    >>> with Curator(tables=[visits], promises=[Promise(rows(), ZCDP(rho="0.5"))], ledger=":memory:") as curator:
    ...     batch = curator.batch(questions, rho="0.1")
    >>> print(len(batch.quotes), "quotes; together", batch.cost)
    3 quotes; together ρ = 0.1
    """

    shares: tuple[Share, ...] = field(repr=False)
    costs: tuple[Measure, ...]
    apart: tuple[Measure, ...]
    exact: bool
    fits: bool
    free: bool
    """Whether all of it is in the ledger as one plan already."""
    _ask: Callable[[Batch], list[Answer]] = field(repr=False)
    _reserve: Callable[[Batch], Planned] = field(repr=False)
    _admit: Callable[[], None] = field(repr=False)

    @property
    def cost(self) -> Measure:
        """The joint cost under the first promise."""
        return self.costs[0]

    @property
    def quotes(self) -> tuple[Quote, ...]:
        """Everything that is released, each once."""
        return released(self.shares)

    def __len__(self) -> int:
        return len(self.shares)

    def error(
        self, confidence: Number = 0.95, *, rows: int | None = None, simultaneous: bool = False
    ) -> list[dict[str, Any]]:
        """The half-width of each column's error bar, question by question."""
        return [one.error(confidence, rows=rows, simultaneous=simultaneous) for one in self.shares]

    def ask(self) -> list[Answer]:
        """Answer all questions; the same question twice is answered once.

        Where exact composition makes them cheaper together they are charged as one plan, otherwise each to the people
        it is about.
        """
        if self.exact:
            return self.reserve().answers()
        return self._ask(self)

    def admit(self) -> None:
        """Refuse the questions if they no longer fit together; nothing is booked."""
        self._admit()

    def reserve(self) -> Planned:
        """Charge all questions now, in one durable step, and ask them later in any order."""
        return self._reserve(self)

    def __str__(self) -> str:
        return self.explain()

    def __repr__(self) -> str:
        return self.explain()

    def explain(self) -> str:
        """What the questions cost together, and what apart."""
        lines = [f"{len(self.shares)} questions, together: {self.cost}; one by one: {self.apart[0]}."]
        if not self.fits:
            lines.append("Together they no longer fit.")
        for one, found in zip(self.shares, self.error(), strict=True):
            bars = ", ".join(f"{name} ± {'?' if half is None else f'{half:.6g}'}" for name, half in found.items())
            made = "" if one.quote in one.sources else " (made from others)"
            lines.append(f"  {' '.join(one.quote.plan.sql().split())}: {bars}{made}")
        return "\n".join(lines)


def deltas_of(quotes: Sequence[Quote], delta: Fraction | None, epsilon: Fraction | None = None) -> tuple[Fraction, ...]:
    """The δ at which a plan is composed under each promise.

    What the caller gave; or what the questions have anyway; or, where they have none, a tenth of the promise's: ε grows
    only with the logarithm of 1/δ, and nine such plans may follow.
    """
    found: list[Fraction] = []
    for place, promise in enumerate(quotes[0].promises):
        budget = promise.budget
        if not isinstance(budget, Approximate):
            found.append(Fraction(0))
            continue
        own = sum((_delta(one.tolls[place].unit) for one in distinct_quotes(quotes)), Fraction(0))
        whole = delta if delta is not None else own or budget.delta / 10
        found.append(inner_delta(promise, whole, budget.epsilon if epsilon is None else epsilon))
    return tuple(found)


def _delta(loss: Measure) -> Fraction:
    return loss.delta if isinstance(loss, Approximate) else Fraction(0)
