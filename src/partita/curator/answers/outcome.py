"""An outcome: what a computation released, with its cost, what is left, and a receipt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, final

from partita.ledger.receipts.receipts import Receipt
from partita.theory.measures.base import Measure


@final
@dataclass(frozen=True)
class Outcome:
    """A released document that is in the ledger and may be looked at for ever."""

    document: Any
    cost: Measure
    costs: tuple[Measure, ...] = field(repr=False)
    reckon: Callable[[], tuple[Measure, ...]] = field(repr=False, compare=False)
    """Works out what is left; an outcome does not wait for it."""
    free: bool
    receipt: Receipt = field(repr=False)

    @cached_property
    def remaining(self) -> tuple[Measure, ...]:
        """What those whom it is about can still be charged, for each promise, when it is first looked at."""
        return self.reckon()
