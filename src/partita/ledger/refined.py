"""What differs between two declarations of a ledger, and for each difference whether it is a refinement."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import assert_never, final

from partita.composition.account.booking import Shape, shape
from partita.composition.plans.promise import Promise
from partita.errors import refinement as words
from partita.granularity import (
    Edges,
    Events,
    Granularity,
    Metric,
    Nodes,
    Persons,
    Replace,
    Rows,
    Users,
    Windows,
)
from partita.ledger.birth import Terms
from partita.ledger.redeclared import domain_changes, promise_changes
from partita.region import Domain
from partita.region.columns import Bounded, Column, Identifier
from partita.region.refinement import Refinement, changes, stands


@final
@dataclass(frozen=True, slots=True)
class Difference:
    """A part of a declaration, how the ledger has it, how it is declared now, and why that is no refinement, if so."""

    part: str
    was: str
    now: str
    why: str = ""

    @property
    def refines(self) -> bool:
        """Whether the ledger can go on with it."""
        return not self.why

    def __str__(self) -> str:
        told = f"{self.part}: {self.was or 'none'} -> {self.now or 'none'}"
        return f"{told}: {'a refinement' if self.refines else f'no refinement: {self.why}'}"


def differences(written: Terms, given: Terms, *, sealed: bool = False) -> tuple[Difference, ...]:
    """Everything that differs; a ledger can go on if all of it is refined (theory I12).

    ``sealed``: rows are sealed in a vault. They are not read anew, so their values must stand as they are; and which
    rows of an owner are kept is decided, so that further columns cannot change it.

    >>> from partita.granularity import rows
    >>> from partita.region import categories, integers
    >>> from partita.theory.measures.pure import Pure
    >>> promises = [Promise(rows(), Pure(epsilon=1))]
    >>> old = Terms(promises, {"t": Domain({"age": integers(0, 99)})})
    >>> new = Terms(promises, {"t": Domain({"age": integers(0, 120), "sex": categories("F", "M")})})
    >>> [(one.part, one.refines) for one in differences(old, new)]
    [('t.age', True), ('t.sex', True)]
    """
    grown = _grown(written, given)
    changed = "" if grown else words.promise_changed()
    found = [Difference(*change, why=changed) for change in promise_changes(written, given)]
    said = {part: (was, now) for part, was, now in domain_changes(written, given)}
    if (written.declared or given.declared) and not sealed:
        # People keep rows in an order of all that is declared of their tables.
        named = str(written.promises[0].granularity)
        further = _owned(given) - _owned(written)
        added = {f"table {name}" for name in further if name not in written.declared} if grown else set()
        return (
            *found,
            *(
                Difference(part, *told, why="" if part in added else words.order_of_rows(named))
                for part, told in said.items()
            ),
        )
    # Of people it is their tables that are declared; the wide domain of their account follows from them.
    before, after = (terms.declared or terms.tables for terms in (written, given))
    for name in sorted({*before, *after}):
        old, new = before.get(name), after.get(name)
        if old is None or new is None:
            part = f"table {name}"
            came = words.sealed_table() if sealed else _refused(written.promises, None, sealed=False)
            why = words.table_gone() if new is None else came
            found.append(Difference(part, *said[part], why=why))
        elif old != new:
            found += _columns(name, old, new, said, written.promises, sealed=sealed)
    if sealed and all(one.refines for one in found):
        # Of people it is the wide domain in which charges are kept that has to be refined.
        unlike = [name for name, old in written.tables.items() if Refinement.of(old, given.tables[name]) is None]
        found += [Difference(name, "another", "this one", why=words.unproven("declarations")) for name in unlike]
    if not found and written != given:
        # Never to be met: whatever cannot be named cannot be shown to be refined either.
        found.append(Difference("the declaration", "another", "this one", why=words.unproven("declarations")))
    return tuple(found)


def _owned(terms: Terms) -> set[str]:
    """The tables that a promise on people names."""
    units = [promise.granularity for promise in terms.promises]
    return {name for unit in units if isinstance(unit, Persons) for name in unit.tables}


def _grown(written: Terms, given: Terms) -> bool:
    """Whether promises are the same but for people who have further tables, in a wide domain that refines theirs."""
    if len(written.promises) != len(given.promises) or set(written.tables) != set(given.tables):
        return False
    for old, new in zip(written.promises, given.promises, strict=True):
        was, now = old.granularity, new.granularity
        people = isinstance(was, Persons) and isinstance(now, Persons) and now.grown_from(was)
        if (replace(new, granularity=was) if people else new) != old:
            return False
    return all(Refinement.of(old, given.tables[name]) is not None for name, old in written.tables.items())


def _columns(
    table: str,
    old: Domain,
    new: Domain,
    said: dict[str, tuple[str, str]],
    promises: tuple[Promise, ...],
    *,
    sealed: bool,
) -> Iterator[Difference]:
    listed = list(changes(old, new))
    if not listed:
        # Nothing but the order of the columns.
        whole = f"table {table}"
        yield Difference(whole, *said[whole], why=_refused(promises, None, sealed=sealed))
    for change in listed:
        part = f"{table}.{change.column}"
        why = change.why or _refused(promises, change.column, sealed=sealed)
        if sealed and not why:
            why = _not_sealed(old.columns.get(change.column), new.columns[change.column])
        yield Difference(part, *said[part], why=why)


def _not_sealed(old: Column | None, new: Column) -> str:
    """Why rows that are sealed are no rows of another declaration of a column, if they are not."""
    if old is not None:
        return "" if stands(old, new) else words.sealed_otherwise()
    # What names owners, or claims something about all rows of one, is decided when rows are sealed.
    decided = isinstance(new, Identifier) or (isinstance(new, Bounded) and new.constant)
    return words.sealed_without() if decided else ""


def _refused(promises: tuple[Promise, ...], column: str | None, *, sealed: bool) -> str:
    """Why a promise cannot go on with another declaration of a column, if it cannot."""
    for promise in promises:
        why = _unit_refused(promise.granularity.single, column, str(promise.granularity), sealed=sealed)
        if why:
            return why
    return ""


def _unit_refused(unit: Granularity, column: str | None, named: str, *, sealed: bool) -> str:
    match unit:
        case Rows() | Replace() | Edges() | Nodes():
            return ""
        case Metric(column=about) | Windows(column=about):
            same = column is not None and column.lower() == about.lower()
            return words.named_by_promise(named) if same else ""
        case Users() | Persons() | Events() if sealed:
            per = None if isinstance(unit, Events) else unit.per
            same = column is not None and per is not None and column.lower() == per.lower()
            return words.named_by_promise(named) if same else ""
        case _:
            return words.order_of_rows(named)


def counts_anew(promise: Promise) -> bool:
    """Whether loads have to be counted anew: two values that were one may be booked as a pair, an owner otherwise."""
    if isinstance(promise.granularity.single, Users):
        return True
    match shape(promise.granularity):
        case Shape.PAIRS:
            return True
        case Shape.VALUES | Shape.WINDOWS:
            return False
        case other:
            assert_never(other)
