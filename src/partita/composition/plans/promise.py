"""A promise: who is protected, and the most that they may ever lose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from partita.calls import made_by_name
from partita.errors import granularity as refuse_granularity
from partita.errors import theory as refuse_theory
from partita.granularity import Granularity
from partita.theory.measures.base import Measure


@final
@made_by_name
@dataclass(frozen=True, slots=True)
class Promise:
    """A granularity and a budget in one measure; a curator keeps one or more (theory A11).

    >>> from partita.granularity import rows
    >>> from partita.theory.measures.zcdp import ZCDP
    >>> str(Promise(rows(), ZCDP(rho="0.5")))
    'at most ρ = 0.5 for one row, added or removed'
    """

    granularity: Granularity
    budget: Measure

    def __post_init__(self) -> None:
        if not isinstance(self.granularity, Granularity):
            raise refuse_granularity.not_a_granularity("granularity", self.granularity)
        if not isinstance(self.budget, Measure):
            raise refuse_theory.not_a_loss("budget", self.budget)
        if self.budget.kind == "profile":
            raise refuse_theory.not_additive("budget given as a profile")
        if self.budget.is_zero():
            raise refuse_theory.empty_budget(str(self.granularity))

    def __str__(self) -> str:
        return f"at most {self.budget} for {self.granularity}"
