"""What was released: every release of a short book, the newest of a long one, and who was charged how often."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import final

from partita.composition.account.booking import Release, charged
from partita.composition.account.maps import LoadMap
from partita.errors import PartitaError
from partita.explain.report.noises import Noises
from partita.ledger.book.entries import Entry, Kind
from partita.ledger.book.store import State
from partita.ledger.charge import Priced
from partita.ledger.ledger import Ledger
from partita.theory.measures.base import Measure

_LONGEST = 300  # letters of a question or a region that are shown


@final
@dataclass(frozen=True, slots=True)
class Released:
    """One charge as a reader of the report sees it."""

    seq: int
    at: str
    analyst: str
    asked: str
    table: str
    region: str
    noise: tuple[str, ...]
    costs: tuple[str, ...]
    state: str
    columns: tuple[str, ...] = ()  # those that the question narrows

    def document(self) -> dict[str, object]:
        """The same as plain data."""
        return {
            "seq": self.seq,
            "at": self.at,
            "analyst": self.analyst,
            "asked": self.asked,
            "table": self.table,
            "region": self.region,
            "noise": [*self.noise],
            "costs": [*self.costs],
            "state": self.state,
        }


@final
@dataclass(frozen=True, slots=True)
class Share:
    """How often one analyst was charged for one table."""

    analyst: str
    table: str
    charges: int


def newest(ledger: Ledger, most: int) -> tuple[Released, ...]:
    """The newest charges, at most so many, oldest of them first."""
    eras, noises = ledger.eras, lru_cache(lambda place: Noises(ledger.eras.terms(place)))
    return tuple(
        _released(ledger, noises(eras.start(entry.seq)), entry, state) for entry, state in reversed(ledger.newest(most))
    )


def shares(ledger: Ledger) -> tuple[Share, ...]:
    """How often every analyst was charged for every table, over the whole book."""
    texts: Counter[str] = Counter()
    tallies = ledger.tallies()
    for _, tally in tallies:
        texts.update(tally.charges)
    for entry in ledger.entries(tallies[-1][0].seq if tallies else 0):
        if entry.kind is Kind.RESERVE and entry.charge is not None:
            texts[entry.charge] += 1
    found: Counter[tuple[str, str]] = Counter()
    for text, count in texts.items():
        charge = json.loads(text)
        found[charge["analyst"], charge["table"]] += count
    return tuple(Share(*key, count) for key, count in sorted(found.items()))


def maps(ledger: Ledger, released: tuple[Released, ...]) -> tuple[tuple[str, LoadMap], ...]:
    """For each table with two columns or more, who has been asked about how much, over those narrowed most often."""
    found = []
    for table, domain in ledger.terms.tables.items():
        narrowed = Counter(column for one in released if one.table == table for column in one.columns)
        columns = sorted(domain.axes, key=lambda axis: (-narrowed[axis], domain.axes.index(axis)))[:2]
        if len(columns) == 2 and narrowed:
            try:
                found.append((table, ledger.load_map(*columns, table=table)))
            except PartitaError:
                continue  # this account has no such picture; all else is told
    return tuple(found)


def kinds(released: tuple[Released, ...]) -> tuple[str, ...]:
    """The kinds of noise among these releases."""
    return tuple(sorted({noise.split(",")[0].split(" (")[0] for one in released for noise in one.noise}))


def _released(ledger: Ledger, noises: Noises, entry: Entry, state: State) -> Released:
    assert entry.charge is not None
    priced, details = ledger.eras.read(entry.charge, entry.seq), entry.details()
    asked = str(details.get("asked", ""))
    return Released(
        seq=entry.seq,
        at=str(details.get("at", "")),
        analyst=priced.analyst,
        asked=_short(asked),
        table=priced.table,
        region=_short(str(priced.region)),
        noise=noises.told(details.get("mechanism"), asked),
        costs=tuple(map(str, _booked(ledger, priced))),
        state=state.value,
        columns=tuple(priced.region.constrained()),
    )


def _booked(ledger: Ledger, priced: Priced) -> Iterator[Measure]:
    """What one protected unit was charged under each promise: what the accounts add up."""
    for promise, cost in zip(ledger.terms.promises, priced.costs, strict=True):
        yield charged(promise.granularity, promise.budget, Release(priced.region, cost))


def _short(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= _LONGEST else f"{plain[:_LONGEST]}…"
