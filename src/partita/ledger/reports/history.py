"""How the losses of a book grew: what was spent after so many charges, at a bounded number of moments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import final

from partita.exact import whole
from partita.ledger.admission import Balances
from partita.ledger.book.entries import Entry, Kind
from partita.ledger.ledger import Ledger
from partita.ledger.payer import RegionPayer
from partita.theory.measures.base import Measure

# Checkpoints hold many charges each: so many times fewer moments are taken from them, and so many charges remembered.
_FEWER = 5
_REMEMBERED = 50_000


@final
@dataclass(frozen=True, slots=True)
class Moment:
    """The largest loss of anybody, for each promise, after so many charges."""

    charges: int
    at: str
    spent: tuple[Measure, ...]


def history(ledger: Ledger, points: int = 60) -> tuple[Moment, ...]:
    """The losses at about so many moments between the first charge and the last, the last included.

    A long book is read by its checkpoints, which count equal charges together, so that the time it takes does not
    grow with how often the same was charged.
    """
    most = whole(points, "points", least=1)
    terms = ledger.terms
    balances, read = Balances(terms, RegionPayer), lru_cache(_REMEMBERED)(ledger.eras.lifted)
    zero = tuple(promise.budget.zero() for promise in terms.promises)
    moments = [Moment(0, ledger.birth.at, zero)]
    for at, charges in _chunks(ledger, most):
        balances.load([(read(*charge), count) for charge, count in charges.items()])
        spent = tuple(
            promise.budget.zero() if loss is None else loss
            for loss, promise in zip(balances.spent(), terms.promises, strict=True)
        )
        moments.append(Moment(moments[-1].charges + charges.total(), at, spent))
    return tuple(moments)


def _chunks(ledger: Ledger, most: int) -> Iterator[tuple[str, Counter[tuple[str, int]]]]:
    """The charges in order, each with a place of its declaration, counted in chunks, each with the time of its last."""
    tallies, place_of = ledger.tallies(), ledger.eras.start
    held: Counter[tuple[str, int]] = Counter()
    stride = max(1, -(-len(tallies) // max(1, most // _FEWER)))
    for place, (entry, tally) in enumerate(tallies, start=1):
        era = place_of(entry.seq)
        for text, count in tally.charges.items():
            held[text, era] += count
        if place % stride == 0 or place == len(tallies):
            if held:
                yield _time(entry), held
            held = Counter()
    tail = [entry for entry in ledger.entries(tallies[-1][0].seq if tallies else 0) if entry.kind is Kind.RESERVE]
    size = max(1, -(-len(tail) // most))
    for start in range(0, len(tail), size):
        part = tail[start : start + size]
        yield (
            _time(part[-1]),
            Counter((entry.charge, place_of(entry.seq)) for entry in part if entry.charge is not None),
        )


def _time(entry: Entry) -> str:
    return str(entry.details().get("at", ""))
