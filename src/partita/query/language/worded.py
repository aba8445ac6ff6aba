"""Conditions on open text: what a row's own text says, by functions that no text fails; they narrow no region."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from partita.region.domain import Domain
from partita.region.predicate import Predicate, Side
from partita.region.region import Region


@final
@dataclass(frozen=True, slots=True)
class Worded(Predicate):
    """A condition on one column of open texts, as SQL over its sanitised texts (worded.proof.md).

    The text of a row is no value of the declared domain. So it can be true anywhere and false anywhere: the region of a
    question is that of its other conditions, and two rows of equal declared values may differ in it (theory E11a, E24).
    """

    column: str
    sql: str

    def columns(self) -> frozenset[str]:
        return frozenset((self.column,))

    def side(self, domain: Domain, *, truth: bool) -> Side:
        return Side(Region.everything(domain), exact=False)
