"""The book for readers: a summary with its newest questions, and an export that anyone can check line by line."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import final

from partita.composition.account.booking import Release, charged
from partita.composition.plans.promise import Promise
from partita.errors import ledger as refuse
from partita.ledger.book.anchor import Mark
from partita.ledger.book.entries import GENESIS, Entry, Kind, chained, line
from partita.ledger.book.store import State
from partita.ledger.canonical import canonical
from partita.ledger.ledger import Ledger
from partita.theory.cost import Cost
from partita.theory.measures.base import Measure


@final
@dataclass(frozen=True, slots=True)
class Balance:
    """A promise, the largest loss of anybody under it so far, and what is left for those who bear it.

    The promise is kept with the largest budget that ever was in force; ``changes`` says how it became another, and
    ``lowered`` what is in force if that is less (theory I13).
    """

    promise: Promise
    spent: Measure
    left: Measure
    changes: tuple[str, ...] = ()
    lowered: Measure | None = None


@final
@dataclass(frozen=True, slots=True)
class Asked:
    """One question as the book has it, and what one protected unit was charged for it under each promise."""

    seq: int
    at: str
    analyst: str
    asked: str
    table: str
    region: str
    costs: tuple[Cost, ...]
    charged: tuple[Measure, ...]
    state: State


@final
@dataclass(frozen=True, slots=True)
class Summary:
    """A ledger at a glance."""

    name: str
    born: str
    mark: Mark
    balances: tuple[Balance, ...]
    accounts: dict[str, tuple[tuple[Measure | None, Measure | None], ...]]
    states: dict[State, int]
    newest: tuple[Asked, ...]


def summary(ledger: Ledger, newest: int = 20) -> Summary:
    """A ledger at a glance, with its newest questions; for each analyst with limits, limit and loss by promise."""
    balances = []
    budgets = ledger.budgets
    for place, (promise, spent) in enumerate(zip(ledger.terms.promises, ledger.spent(), strict=True)):
        loss = promise.budget.zero() if spent is None else spent
        state = budgets.now[place]
        changes = tuple(str(one) for one in budgets.changes if one.place == place)
        lowered = None if state.budget == state.largest else state.budget
        balances.append(Balance(promise, loss, state.budget.left_after(loss), changes, lowered))
    accounts = {
        analyst: tuple(zip(limits, ledger.spent(analyst), strict=True)) for analyst, limits in ledger.accounts().items()
    }
    return Summary(
        name=ledger.name,
        born=ledger.birth.at,
        mark=ledger.mark(),
        balances=tuple(balances),
        accounts=accounts,
        states=ledger.states(),
        newest=tuple(asked_of(ledger, entry, state) for entry, state in ledger.newest(newest)),
    )


def asked_of(ledger: Ledger, entry: Entry, state: State) -> Asked:
    """One charge as readers see it."""
    assert entry.charge is not None
    priced = ledger.eras.read(entry.charge, entry.seq)
    details = entry.details()
    return Asked(
        seq=entry.seq,
        at=str(details["at"]),
        analyst=priced.analyst,
        asked=str(details["asked"]),
        table=priced.table,
        region=str(priced.region),
        costs=priced.costs,
        charged=tuple(
            charged(promise.granularity, promise.budget, Release(priced.region, cost))
            for promise, cost in zip(ledger.terms.promises, priced.costs, strict=True)
        ),
        state=state,
    )


def export(ledger: Ledger, *, answers: bool = False) -> Iterator[str]:
    """The whole book as JSON lines, each with its hash; on request with the answers that were released.

    The hash of a line is the SHA-256 of the hash before it (thirty-two zero bytes for the first) followed by the text
    of its ``entry``, in the canonical form in which it stands here. The truncation key is never part of it.
    """
    for entry in ledger.entries():
        text = line(entry.seq, entry.kind, entry.of, entry.question, entry.key, entry.charge, entry.note)
        extra = ""
        if answers and entry.kind is Kind.COMMIT:
            content = base64.b64encode(ledger.content(entry)).decode()
            extra = f'"answer":"{content}",'
        yield f'{{{extra}"entry":{text},"hash":"{entry.hash.hex()}"}}\n'


def check_export(lines: Iterable[str], name: str = "export") -> Mark:
    """How far an exported book goes, after checking that each line follows from the one before it.

    >>> from partita import Curator, Promise, Table, ZCDP, integers, rows
    >>> from partita.ledger.reports.report import export
    >>> visits = Table("visits", [{"age": i % 90} for i in range(900)], {"age": integers(0, 120, missing=0)})
    >>> with Curator(tables=[visits], promises=[Promise(rows(), ZCDP(rho="0.5"))], ledger=":memory:") as curator:
    ...     answer = curator.ask("SELECT COUNT(*) AS n FROM visits", rho="0.1")
    ...     lines = list(export(curator.ledger))
    >>> check_export(lines).seq == len(lines)
    True
    """
    before, seq = GENESIS, 0
    for text in lines:
        try:
            document = json.loads(text)
            entry, found = document["entry"], bytes.fromhex(document["hash"])
            place = entry["seq"]
        except (ValueError, KeyError, TypeError):
            raise refuse.broken_chain(name, seq + 1) from None
        before, seq = chained(before, canonical(entry)), seq + 1
        if place != seq or found != before:
            raise refuse.broken_chain(name, seq)
    return Mark(seq, before)
