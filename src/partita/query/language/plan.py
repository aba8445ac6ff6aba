"""A plan: what a question computes, as a small closed language with a normal form and a fingerprint."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, final

from partita.errors import curator as refuse
from partita.query.language.aggregates import Aggregate
from partita.query.language.conditions import Condition
from partita.query.language.formulas import Formula, aggregates_of
from partita.query.language.joined import joined_of
from partita.query.language.keys import Key, Opened
from partita.query.language.per_user import PerUser
from partita.query.tables.schema import Table
from partita.query.tables.truncation import UNCAPPED, Caps
from partita.region.domain import Domain


@final
@dataclass(frozen=True, slots=True)
class KeyColumn:
    """A column of the answer that shows a key of the groups."""

    name: str
    key: Key


@final
@dataclass(frozen=True, slots=True)
class ValueColumn:
    """A column of the answer that shows an aggregate, or a formula of aggregates."""

    name: str
    formula: Formula


ShownColumn = KeyColumn | ValueColumn


@final
@dataclass(frozen=True, slots=True)
class Order:
    """One thing that lines are ordered by."""

    by: Formula
    descending: bool = False
    nulls_first: bool = False


@final
@dataclass(frozen=True, slots=True)
class Lines:
    """Which lines of the answer are shown, and in which order: HAVING, ORDER BY, LIMIT, OFFSET and DISTINCT.

    ``sets`` are the keys by which lines are summed up (ROLLUP, CUBE, GROUPING SETS); without any, a group is a line.
    Made from noisy numbers alone, so it costs nothing and takes no part in the fingerprint.
    """

    having: Formula | None = None
    order: tuple[Order, ...] = ()
    limit: int | None = None
    offset: int = 0
    distinct: bool = False
    sets: tuple[tuple[Key, ...], ...] = ()

    def formulas(self) -> Iterator[Formula]:
        """Every formula that decides about lines."""
        if self.having is not None:
            yield self.having
        for order in self.order:
            yield order.by

    def changed(self, change: Callable[[Formula], Formula]) -> Lines:
        """The same with a change made to every formula."""
        return replace(
            self,
            having=None if self.having is None else change(self.having),
            order=tuple(replace(order, by=change(order.by)) for order in self.order),
        )


# Steps after the aggregates, which read SQL; the builder brings them.
STEPS: dict[str, Callable[..., Plan]] = {}


@final
@dataclass(frozen=True)
class Plan:
    """Aggregates of the rows that meet a condition, for every possible value of some keys.

    ``table``, ``where``, ``gathering``, ``keys``, ``aggregates`` and ``caps`` are the release: what is computed,
    charged and fingerprinted. ``shown`` and ``lines`` are its presentation: names, formulas of released numbers, which
    lines and in which order. The same release presented in another way is the same question.
    """

    table: Table
    where: Condition
    keys: tuple[Key, ...]
    aggregates: tuple[Aggregate, ...]
    shown: tuple[ShownColumn, ...]
    lines: Lines = Lines()
    caps: Caps = UNCAPPED
    per_user: PerUser | None = None

    @property
    def domain(self) -> Domain:
        """What the rows that are aggregated may hold: those of the table, or those gathered from them."""
        return self.table.domain if self.per_user is None else self.per_user.table.domain

    @property
    def met(self) -> Condition:
        """What the rows that are aggregated meet; ``where`` is what the stored rows meet."""
        return self.where if self.per_user is None else self.per_user.where

    @cached_property
    def canonical(self) -> str:
        """The question in its one normal form, as text."""
        from partita.query.language.text import canonical_key, shown_aggregate, shown_condition

        joined = joined_of(self.table)
        return "\n".join(
            (
                f"table {self.table.name} {self.table.version}",
                *(() if joined is None else (joined.canonical(),)),
                f"where {shown_condition(self.where)}",
                *(() if self.per_user is None else (self.per_user.canonical(),)),
                *(f"by {canonical_key(key)}" for key in self.keys),
                *(f"aggregate {shown_aggregate(aggregate)}" for aggregate in self.aggregates),
                *((f"an owner has {self.caps.rows} rows in {self.caps.groups} groups",) if self.caps else ()),
                *((f"{self.caps.each} of them in one group",) if self.caps.each is not None else ()),
            )
        )

    def capped(self, caps: Caps) -> Plan:
        """The plan with these caps on what one owner adds; caps it has already stay where nothing is said."""
        return replace(self, caps=caps.over(self.caps)) if caps else self

    @property
    def opened(self) -> tuple[Opened, ...]:
        """The open keys, of which only those that are named privately come back."""
        return tuple(key for key in self.keys if isinstance(key, Opened))

    @cached_property
    def fingerprint(self) -> str:
        """The same for the same question, however it was asked."""
        return hashlib.sha256(self.canonical.encode()).hexdigest()

    @property
    def empty(self) -> bool:
        """Whether no line is shown, whatever the rows are: LIMIT 0. The answer is public then."""
        return self.lines.limit == 0

    def __reduce__(self) -> str:
        raise refuse.not_sent("A plan", "Keep plan.sql(), which makes it again.")

    def sql(self) -> str:
        """The plan as SQL that would make it again."""
        from partita.query.language.text import shown_plan

        return shown_plan(self)

    def sort(self, *by: Any) -> Plan:
        """The question with the lines of its answer in this order: names of columns or formulas, DESC for downward."""
        return STEPS["sort"](self, *by)

    def filter(self, *conditions: Any) -> Plan:
        """The question with only the lines whose noisy numbers and keys meet all conditions; free."""
        return STEPS["filter"](self, *conditions)

    def limit(self, lines: int, *, offset: int = 0) -> Plan:
        """The question with at most so many lines of its answer; free."""
        return STEPS["limit"](self, lines, offset)

    def select(self, *names: str) -> Plan:
        """The question with only these columns of its answer."""
        return STEPS["select"](self, *names)

    def formulas(self) -> Iterator[Formula]:
        """Every formula of the presentation."""
        for column in self.shown:
            if isinstance(column, ValueColumn):
                yield column.formula
        yield from self.lines.formulas()

    def presenting(self, change: Callable[[Formula], Formula]) -> Plan:
        """The plan with a change made to every formula; it releases the aggregates that the formulas then need."""
        shown = tuple(
            column if isinstance(column, KeyColumn) else replace(column, formula=change(column.formula))
            for column in self.shown
        )
        lines = self.lines.changed(change)
        return replace(self, shown=shown, lines=lines, aggregates=needed(shown, lines))


def needed(shown: tuple[ShownColumn, ...], lines: Lines) -> tuple[Aggregate, ...]:
    """The aggregates that a presentation is made of, each once."""
    found: dict[Aggregate, None] = {}
    for column in shown:
        if isinstance(column, ValueColumn):
            found.update(dict.fromkeys(aggregates_of(column.formula)))
    for formula in lines.formulas():
        found.update(dict.fromkeys(aggregates_of(formula)))
    return tuple(found)
