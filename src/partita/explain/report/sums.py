"""How what is spent adds up: the charges of those who lost most, one after another, up to the sum that was booked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import final

from partita.composition.account.booking import Release, Shape, booked, shape
from partita.composition.plans.promise import Promise
from partita.errors import PartitaError
from partita.ledger.charge import Priced, Reader
from partita.ledger.ledger import Ledger
from partita.theory.measures.base import Measure

# A sum that is further from what is booked than its roundings may add is not shown as one.
_ROUNDING = Fraction(1, 10**6)


@final
@dataclass(frozen=True, slots=True)
class Line:
    """One charge of those who lost most: what it adds, and the sum with it."""

    entry: int
    asked: str
    adds: Measure
    total: Measure


@final
@dataclass(frozen=True, slots=True)
class Sum:
    """The charges of one heaviest record value, the rounding of the account, and what is booked as spent."""

    who: str
    lines: tuple[Line, ...]
    rounding: Measure | None
    spent: Measure


def sums(ledger: Ledger, spent: Sequence[Measure], most: int) -> tuple[Sum | None, ...]:
    """For each promise how its sum is made up; none where it is no plain sum over one record value, or is too long."""
    if sum(ledger.states().values()) > most:
        return tuple(None for _ in spent)
    read = Reader(ledger.terms.tables)
    charges = [
        (entry.seq, str(entry.details().get("asked", "")), read(entry.charge))
        for entry, _ in reversed(ledger.newest(most))
        if entry.charge is not None
    ]
    return tuple(
        next(_found(ledger, place, promise, loss, charges), None)
        for place, (promise, loss) in enumerate(zip(ledger.terms.promises, spent, strict=True))
    )


def _found(
    ledger: Ledger, place: int, promise: Promise, spent: Measure, charges: Sequence[tuple[int, str, Priced]]
) -> Iterator[Sum]:
    """The sums over the heaviest value of each table that come to what is spent."""
    try:
        plain = shape(promise.granularity) is Shape.VALUES
    except PartitaError:
        return
    if not plain or spent.is_zero():
        return
    for table, domain in ledger.terms.tables.items():
        try:
            _, (_, _, witness) = ledger.peak(table, place)
        except PartitaError:
            continue
        if len(witness) != 1:
            continue
        made = _lines(promise, place, witness[0], [one for one in charges if one[2].table == table])
        rest = _rest(made, spent)
        if made and rest is not None:
            named = {name for _, _, priced in charges if priced.table == table for name in priced.region.constrained()}
            who = ", ".join(f"{name} = {value}" for name, value in domain.record(witness[0]).items() if name in named)
            yield Sum(who or "everybody", tuple(made), None if rest.is_zero() else rest, spent)


def _lines(
    promise: Promise, place: int, point: tuple[int, ...], charges: Sequence[tuple[int, str, Priced]]
) -> list[Line]:
    total, made = promise.budget.zero(), []
    for seq, asked, priced in charges:
        load = booked(promise.granularity, Release(priced.region, priced.costs[place]))
        if load.region.holds(point):
            adds = promise.budget.like(load.one)
            total = total + adds
            made.append(Line(seq, asked, adds, total))
    return made


def _rest(made: Sequence[Line], spent: Measure) -> Measure | None:
    """What the account rounded up beyond the sum; nothing where the sum is not what is spent."""
    if not made:
        return None
    pairs = list(zip(spent.vector(), made[-1].total.vector(), strict=True))
    if any(not 0 <= whole - part <= whole * _ROUNDING for whole, part in pairs):
        return None
    return spent.like([whole - part for whole, part in pairs])
