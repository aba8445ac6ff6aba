"""What differs between two declarations of a ledger, and for each difference whether it is a refinement."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import assert_never, final

from partita.composition.account.booking import Shape, shape
from partita.composition.plans.promise import Promise
from partita.errors import refinement as words
from partita.granularity import Edges, Granularity, Metric, Nodes, Replace, Rows, Windows
from partita.ledger.birth import Terms
from partita.ledger.redeclared import domain_changes, promise_changes
from partita.region import Domain
from partita.region.refinement import changes


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


def differences(written: Terms, given: Terms) -> tuple[Difference, ...]:
    """Everything that differs; a ledger can go on if all of it is refined (theory I12).

    >>> from partita.granularity import rows
    >>> from partita.region import categories, integers
    >>> from partita.theory.measures.pure import Pure
    >>> promises = [Promise(rows(), Pure(epsilon=1))]
    >>> old = Terms(promises, {"t": Domain({"age": integers(0, 99)})})
    >>> new = Terms(promises, {"t": Domain({"age": integers(0, 120), "sex": categories("F", "M")})})
    >>> [(one.part, one.refines) for one in differences(old, new)]
    [('t.age', True), ('t.sex', True)]
    """
    found = [Difference(*change, why=words.promise_changed()) for change in promise_changes(written, given)]
    said = {part: (was, now) for part, was, now in domain_changes(written, given)}
    if written.declared or given.declared:
        # People keep rows in an order of all that is declared of their tables.
        named = str(written.promises[0].granularity)
        return (*found, *(Difference(part, *told, why=words.order_of_rows(named)) for part, told in said.items()))
    for name in sorted({*written.tables, *given.tables}):
        old, new = written.tables.get(name), given.tables.get(name)
        if old is None or new is None:
            part = f"table {name}"
            found.append(Difference(part, *said[part], why=words.table_gone() if new is None else ""))
        elif old != new:
            found += _columns(name, old, new, said, written.promises)
    return tuple(found)


def _columns(
    table: str, old: Domain, new: Domain, said: dict[str, tuple[str, str]], promises: tuple[Promise, ...]
) -> Iterator[Difference]:
    listed = list(changes(old, new))
    if not listed:
        # Nothing but the order of the columns.
        whole = f"table {table}"
        yield Difference(whole, *said[whole], why=_refused(promises, None))
    for change in listed:
        part = f"{table}.{change.column}"
        yield Difference(part, *said[part], why=change.why or _refused(promises, change.column))


def _refused(promises: tuple[Promise, ...], column: str | None) -> str:
    """Why a promise cannot go on with another declaration of a column, if it cannot."""
    for promise in promises:
        why = _unit_refused(promise.granularity.single, column, str(promise.granularity))
        if why:
            return why
    return ""


def _unit_refused(unit: Granularity, column: str | None, named: str) -> str:
    match unit:
        case Rows() | Replace() | Edges() | Nodes():
            return ""
        case Metric(column=about) | Windows(column=about):
            same = column is not None and column.lower() == about.lower()
            return words.named_by_promise(named) if same else ""
        case _:
            return words.order_of_rows(named)


def counts_pairs(promise: Promise) -> bool:
    """Whether two new values that were one may be booked as a pair, so that the loads have to be counted anew."""
    match shape(promise.granularity):
        case Shape.PAIRS:
            return True
        case Shape.VALUES | Shape.WINDOWS:
            return False
        case other:
            assert_never(other)
