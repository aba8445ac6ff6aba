"""A certificate: what one promise means, for everybody in the data, whatever is still asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from partita.explain.words import Explanation, Reader, explain
from partita.granularity import Granularity
from partita.notebook import in_notebook
from partita.theory.measures.base import Measure


@final
@dataclass(frozen=True, slots=True)
class Certificate:
    """A budget that no sequence of questions can exceed (theory D6, E16), and what has been spent of it so far.

    The budget is what is certified. What is spent so far is a fact about the past, not a smaller promise.
    """

    granularity: Granularity
    budget: Measure
    spent: Measure

    def explain(self, *readers: str) -> Explanation:
        """The promise in plain words for the "person" in the data, the "analyst" or the "officer"; or for all."""
        return explain(self.budget, unit=self.granularity, readers=readers or tuple(Reader))

    def _repr_html_(self) -> str:
        """How a notebook shows it."""
        return in_notebook(str(self))

    def __str__(self) -> str:
        return (
            f"Nobody loses more than {self.budget}, ever, where one unit is {self.granularity}. So far: {self.spent}."
        )
