"""Many questions in one call: each is charged as if it came alone, and they share the flushes of the ledger."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

from numpy.typing import NDArray

from partita.curator.path.path import Path, answered_many
from partita.errors import BudgetExceeded, PartitaError
from partita.ledger.states import Answered
from partita.query.noise.quote import Quote

TOGETHER: Final = 256
"""Questions that share flushes: no other process can charge while theirs are booked."""

Told = TypeVar("Told")


def paid(
    path: Path,
    asked: Sequence[tuple[Quote, str]],
    tell: Callable[[Quote, Answered, NDArray[Any]], Told],
    refused: Callable[[BudgetExceeded, Quote], PartitaError],
    *,
    analyst: str,
) -> list[Told]:
    """What is told of questions in order; one that cannot be paid is refused when all before it are in the book."""
    found: list[Told] = []
    while len(found) < len(asked):
        some = asked[len(found) : len(found) + TOGETHER]
        try:
            done = answered_many(path, some, analyst=analyst)
        except BudgetExceeded as refusal:
            raise refused(refusal, some[0][0]) from None
        found += [tell(quote, *one) for (quote, _), one in zip(some[: len(done)], done, strict=True)]
    return found
