"""A certificate: what one promise means, for everybody in the data, whatever is still asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

from partita.explain.words import Explanation, Reader, explain
from partita.granularity import Granularity
from partita.ledger.ledger import Ledger
from partita.notebook import InWords
from partita.theory.measures.base import Measure


@final
@dataclass(frozen=True, slots=True)
class Certificate(InWords):
    """A budget that no sequence of questions can exceed (theory D6, E16), and what has been spent of it so far.

    The budget is what is certified, the largest that ever was in force; ``over_time`` says which larger ones may come
    by the schedule and the ceiling of the birth (theory I13), and ``changes`` how it came to be. What is spent so far
    is a fact about the past, not a smaller promise.
    """

    granularity: Granularity
    budget: Measure
    spent: Measure
    over_time: str = ""
    changes: tuple[str, ...] = ()

    def explain(self, *readers: str) -> Explanation:
        """The promise in plain words for the "person" in the data, the "analyst" or the "officer"; or for all."""
        return explain(self.budget, unit=self.granularity, readers=readers or tuple(Reader))

    def __str__(self) -> str:
        ever = f" now{self.over_time}," if self.over_time else ", ever,"
        told = "".join(f" The budget: {change}." for change in self.changes)
        who = f"where one unit is {self.granularity}"
        return f"Nobody loses more than {self.budget}{ever} {who}. So far: {self.spent}.{told}"


def certificates(ledger: Ledger, spent: Sequence[Measure]) -> tuple[Certificate, ...]:
    """The certificate of every promise of a ledger, with what was spent of it."""
    changes = ledger.budgets.changes
    return tuple(
        Certificate(
            promise.granularity,
            promise.budget,
            lost,
            promise.over_time,
            tuple(str(one) for one in changes if one.place == place),
        )
        for place, (promise, lost) in enumerate(zip(ledger.terms.promises, spent, strict=True))
    )
