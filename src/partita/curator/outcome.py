"""An outcome: what a computation released, with its cost, what is left, and a receipt."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, final

from partita.ledger.receipts import Receipt
from partita.theory.measures.base import Measure


@final
@dataclass(frozen=True)
class Outcome:
    """A released document that is in the ledger and may be looked at for ever."""

    document: Any
    cost: Measure
    costs: tuple[Measure, ...] = field(repr=False)
    remaining: tuple[Measure, ...]
    free: bool
    receipt: Receipt = field(repr=False)
