"""Public tables with several rows for a key, beside joined rows: for each value of a column, the rows that it meets."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from math import lcm
from typing import final

from partita.effort import Work, spend
from partita.errors import PartitaError
from partita.errors.query import tables as refuse
from partita.query.tables.public import Fact, PublicTable, facts
from partita.region.columns import Bounded, booleans, categories, dates, decimals, integers
from partita.region.columns.stepped import Stepped

MOST_FANNED = 2_000
"""Public rows that one statement spells out."""


@final
@dataclass(frozen=True, slots=True)
class Fan:
    """A public table under the name that its columns are known by, met by the value of one column of an occurrence.

    ``rows`` are the codes of that column, each with the codes of the public row that it meets. ``optional`` keeps rows
    that meet none, with NULL in the public columns, as a left join does.
    """

    name: str
    table: PublicTable
    occurrence: str
    column: str
    optional: bool
    columns: tuple[tuple[str, Bounded], ...]
    rows: tuple[tuple[int, tuple[int, ...]], ...]

    @classmethod
    def of(
        cls, name: str, table: PublicTable, occurrence: str, column: str, declared: Bounded, *, optional: bool
    ) -> Fan:
        """The public rows that the values of a declared column meet, with columns as narrow as their facts."""
        spend(declared.size + len(table.rows), Work.VALUES)
        codes: dict[Fact, list[int]] = {}
        for code, fact in enumerate(facts(declared)):
            if fact is not None:
                codes.setdefault(fact, []).append(code)
        key = table.columns.index(table.key)
        met = [(code, row) for row in table.rows for code in codes.get(row[key], ())]
        if len(met) > MOST_FANNED:
            raise refuse.too_many_fanned(table.name, len(met), MOST_FANNED)
        columns = tuple(
            (shown, _declared(table.name, shown, [row[place] for _, row in met], optional=optional))
            for place, shown in enumerate(table.columns)
        )
        rows = sorted(
            (code, tuple(_code(kind, fact) for (_, kind), fact in zip(columns, row, strict=True))) for code, row in met
        )
        return cls(name, table, occurrence, column, optional, columns, tuple(rows))

    @property
    def most(self) -> int:
        """The fan-out: the most joined rows that one row becomes (theory I4)."""
        most = max(Counter(code for code, _ in self.rows).values(), default=0)
        return max(most, 1)

    @property
    def key(self) -> str:
        """The joined column whose value leads here."""
        return f"{self.occurrence}.{self.column}"

    def joined(self, column: str) -> str:
        """What a public column is called in joined rows."""
        return f"{self.name}.{column}"

    def canonical(self) -> str:
        """The fan in its one normal form; it pins the public rows that are met."""
        kinds = [(column, kind.describe()) for column, kind in self.columns]
        digest = hashlib.sha256(repr((kinds, self.rows)).encode()).hexdigest()
        return f"{'LEFT JOIN' if self.optional else 'JOIN'} public {self.table.name} AS {self.name} {self.key} {digest}"


def _declared(table: str, column: str, found: Sequence[Fact], *, optional: bool) -> Bounded:
    """The narrowest column that holds some facts; without a NULL atom where there is nothing to be NULL."""
    present = [fact for fact in found if fact is not None]
    nullable = optional or len(present) < len(found)
    if all(isinstance(fact, bool) for fact in present):
        return booleans(missing=None if nullable else False)
    if all(isinstance(fact, str) for fact in present):
        names = sorted({str(fact) for fact in present})
        return categories(*names, other=names[0], missing=None if nullable else names[0])
    if all(isinstance(fact, date) for fact in present):
        days = [fact for fact in present if isinstance(fact, date)]
        return dates(min(days), max(days), missing=None if nullable else min(days))
    if not all(isinstance(fact, Fraction) for fact in present):
        raise refuse.mixed_facts(table, column)
    numbers = [Fraction(fact) for fact in present if isinstance(fact, Fraction)]
    low, high, step = min(numbers), max(numbers), Fraction(1, lcm(*(one.denominator for one in numbers)))
    absent = None if nullable else low
    try:
        if step == 1:
            return integers(int(low), int(high), missing=None if absent is None else int(absent))
        return decimals(low, high, step=step, missing=absent)
    except PartitaError:
        raise refuse.mixed_facts(table, column) from None


def _code(column: Bounded, fact: Fact) -> int:
    if isinstance(column, Stepped) and isinstance(fact, Fraction):
        return int(fact / column.step) - column.low
    return column.code(fact)


__all__ = ["Fan"]
