"""Stored columns in SQL: the sanitising projection of one table, and conditions on the stored values themselves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import final

from partita.query.language.text import in_quotes as name
from partita.query.tables.schema import Table
from partita.query.tables.truncation import Truncation
from partita.region.codes import Codes, holds
from partita.region.columns import Bounded, Categories, Column, Identifier, Integers, TextKeys
from partita.region.columns.stepped import Stepped
from partita.region.columns.stored import Family, family, plain
from partita.region.dialects.base import Dialect
from partita.region.dialects.duckdb import DUCKDB
from partita.region.region import Region


@final
@dataclass(frozen=True)
class Stored:
    """A table as the engine holds it: a relation, and the stored type of each declared column.

    ``sanitised`` is the projection of DESIGN's data semantics, one expression a column, total and row by row.
    ``clean`` says that the relation holds sanitised values already, because it is a copy made through the projection;
    ``handed`` are the columns of which it holds sanitised values though it is none.
    A sanitised value does not tell whether it was stored so: ``told`` are the columns of which the relation says it,
    in a column beside them. ``parts`` are the tables that a relation of joined rows is made of. ``cut`` is the fixed
    truncation whose kept rows are all that the relation holds, each with its place among those of its owner.
    ``numbers`` says in which columns whole numbers stand for the owner, and for each key together with its owner.
    ``raw`` are the same columns as they are stored, under names of their own: a condition that means the same on the
    stored value lets the engine skip what it need not read.
    """

    table: Table
    relation: str
    types: Mapping[str, str]
    names: Mapping[str, str]
    dialect: Dialect = DUCKDB
    clean: bool = False
    handed: frozenset[str] = frozenset()
    told: frozenset[str] = frozenset()
    parts: tuple[Stored, ...] = ()
    cut: Truncation | None = None
    numbers: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def sanitised(self) -> dict[str, str]:
        """For each declared column, the SQL that maps its stored value into the public domain; numbers as they are."""
        found = {column: self._sanitised(column) for column in self.table.columns}
        return {**found, **{number: name(number) for number in self.numbers.values()}}

    @cached_property
    def mark(self) -> str:
        """The beginning of names that no declared column has."""
        return _mark(self.table)

    def telling_apart(self, owner: str) -> str:
        """The column by which owners are told apart: that of their numbers where there is one."""
        return self.numbers.get(owner, owner)

    def raw(self, column: str) -> str:
        """The name under which the stored value is carried along."""
        return name(self.dialect.carried(self.mark, column, list(self.table.columns).index(column)))

    def made(self, word: str) -> str:
        """A name for what a statement computes beside the columns; none of them has it, raw or sanitised."""
        return name(f"{self.mark}:{word}")

    def stored(self, column: str) -> str:
        """The stored column itself."""
        return name(self.names[column]) if self.clean else self._plain(column, name(self.names[column]))

    def _plain(self, column: str, value: str) -> str:
        """A stored value as it is compared."""
        return self.dialect.stored(value, self.types[column])

    def _sanitised(self, column: str) -> str:
        if self.clean or column in self.handed:
            declared, found = self.table.columns[column], self.stored(column)
            if isinstance(declared, TextKeys):
                return self.dialect.known(found)
            return f"CAST({found} AS {self.dialect.whole})" if isinstance(declared, Stepped) else found
        return self.mapped(column, self.names[column])

    @cached_property
    def _known(self) -> dict[tuple[str, str], str]:
        """What was rendered before: the same for every question."""
        return {}

    def within(self, column: str) -> str:
        """SQL that is true where the stored value is one of the declared values as it is (theory A4a)."""
        if column in self.told:
            return name(telling(self.table, column))
        declared = self.table.columns[column]
        assert isinstance(declared, Bounded)
        assert not self.clean
        return _told(self.dialect, declared, self.names[column], self.types[column])

    def mapped(self, column: str, stored_name: str) -> str:
        """The SQL that maps a stored value, found under some name, into the column's domain."""
        found = self._known.get((column, stored_name))
        if found is None:
            found = self._known[column, stored_name] = self._mapped(column, stored_name)
        return found

    def _mapped(self, column: str, stored_name: str) -> str:
        declared, stored_type = self.table.columns[column], self.types[column]
        if isinstance(declared, Identifier) and family(stored_type) is Family.INTEGER:
            # Owners are told apart by their numbers as they are by the texts of these.
            return self._plain(column, name(stored_name))
        if isinstance(declared, Integers) and family(stored_type) is Family.INTEGER:
            # Written so that the engine can fold it away where its statistics show that nothing is out of range.
            value, low, high = self._plain(column, name(stored_name)), declared.low, declared.high
            clamped = (
                f"CASE WHEN {value} < {low} THEN {low} WHEN {value} > {high} THEN {high} "
                f"ELSE {self.dialect.clamped(value, stored_type)} END"
            )
            return clamped if declared.missing is None else f"COALESCE({clamped}, {declared.missing})"
        found = _rendered(self.dialect, declared, stored_name, stored_type)
        # Questions put conditions of their own on open texts, and engines hand these to the file, as they would ours.
        return self.dialect.known(found) if isinstance(declared, TextKeys) else found

    def total(self, column: str) -> str | None:
        """The sum of a column from what is carried along of its stored values, where a dialect has a cheaper one."""
        if self.clean or column in self.handed:
            return None
        return self.dialect.stored_total(self.table.columns[column], self.raw(column), self.types[column])

    def late(self, column: str) -> bool:
        """Whether rows are grouped by the stored value first, and the few groups sanitised afterwards.

        That gives the same sums, because each group of stored values falls into one sanitised group.
        """
        if self.clean:
            return False
        declared = self.table.columns[column]
        if isinstance(declared, Categories):
            return family(self.types[column]) is Family.TEXT
        return isinstance(declared, Integers) and self.types[column] in self.dialect.few

    def doubtful(self) -> list[str]:
        """What may fail for some value: reading texts and times, and turning times into days. At least one column.

        Decimals cannot: a test tries every precision and scale with every kind of column.
        """
        kinds = {column: family(self.types[column]) for column in self.names}
        steady = {Family.INTEGER, Family.FLOAT, Family.BOOLEAN, Family.DATE}
        read = [self.stored(column) for column, kind in kinds.items() if kind not in steady]
        turned = [self.sanitised[column] for column, kind in kinds.items() if kind not in steady | {Family.TEXT}]
        return [*read, *turned] or [self.stored(next(iter(self.names)))]

    def copied(self) -> str:
        """SELECT list for a copy that holds sanitised values in the narrowest types, and tells which were stored so."""
        listed = []
        for column in self.table.columns:
            listed.append(f"{self.narrow(column, self.sanitised[column])} AS {name(column)}")
        # Only rows that have an owner can be truncated by parts.
        parts = () if self.table.owner is None else self.table.domain.axes
        listed += [f"{self.within(column)} AS {name(telling(self.table, column))}" for column in parts]
        return ", ".join(listed)

    def narrow(self, column: str, value: str) -> str:
        """A sanitised value in the narrowest type."""
        declared = self.table.columns[column]
        if isinstance(declared, Stepped):
            return f"CAST({value} AS {self.dialect.narrowest(declared.low, declared.high)})"
        return self.dialect.labelled(value, declared.labels) if isinstance(declared, Categories) else value

    def listed(self, column: str) -> str:
        """A sanitised column as rows are listed with it: a category by its place, as the texts of all rows are long."""
        declared = self.table.columns[column]
        return self.narrow(column, name(column)) if isinstance(declared, Categories) else name(column)

    # --- conditions on stored values ---------------------------------------------------------------------------

    def condition(self, region: Region, *, bare: bool = False) -> tuple[str, frozenset[str], frozenset[str]]:
        """SQL that is true exactly on the region, and the columns it needs: sanitised ones, and raw ones.

        If ``bare``, raw columns go by the names they are stored under.
        """
        if region.empty:
            return "FALSE", frozenset(), frozenset()
        clean: set[str] = set()
        raw: set[str] = set()
        terms = []
        for box in region.boxes:
            parts = []
            for column, declared, codes, full in zip(
                region.domain.axes, region.domain.bounded, box, region.domain.everything, strict=True
            ):
                if codes == full:
                    continue
                direct = self._direct(column, declared, codes, self.stored(column) if bare else self.raw(column))
                if direct is None:
                    from sqlglot import exp

                    clean.add(column)
                    parts.append(f"({self.dialect.sql(declared.condition(exp.column(column, quoted=True), codes))})")
                else:
                    raw.add(column)
                    parts.append(direct)
            terms.append(" AND ".join(parts) or "TRUE")
        text = terms[0] if len(terms) == 1 else " OR ".join(f"({term})" for term in terms)
        return text, frozenset(clean), frozenset(raw)

    @cached_property
    def compared(self) -> frozenset[str]:
        """The columns of which conditions compare the stored value itself."""
        whole = ((0, 1),)
        named = zip(self.table.domain.axes, self.table.domain.bounded, strict=True)
        return frozenset(column for column, kind in named if self._direct(column, kind, whole, "") is not None)

    def _direct(self, column: str, declared: Bounded, codes: Codes, value: str) -> str | None:
        kind = family(self.types[column])
        known = value if self.clean else self.dialect.known(value)
        if isinstance(declared, Stepped) and (
            self.clean or (isinstance(declared, Integers) and kind is Family.INTEGER)
        ):
            parts = _integers(value, known, declared, codes)
        elif isinstance(declared, Categories) and kind is Family.TEXT:
            if not self.clean and (declared.reading is not None or not plain(self.types[column])):
                return None
            parts = _categories(value, known, declared, codes)
        else:
            return None
        gone = declared.null if self.clean else declared.code(None)
        if gone is not None and holds(codes, gone):
            parts.append(f"{known} IS NULL")
        if not parts:
            return "FALSE"
        return parts[0] if len(parts) == 1 else f"({' OR '.join(parts)})"


def _integers(value: str, known: str, declared: Stepped, codes: Codes) -> list[str]:
    """Clamping moves what is below to the first code and what is above to the last.

    ``known`` is the value where it is only asked whether there is one.
    """
    parts = []
    last = declared.high - declared.low
    for low, high in codes:
        top = min(high - 1, last)
        if low > last:
            continue
        if low == 0 and top == last:
            parts.append(f"{known} IS NOT NULL")
        elif low == 0:
            parts.append(f"{value} <= {declared.low + top}")
        elif top == last:
            parts.append(f"{value} >= {declared.low + low}")
        elif low == top:
            parts.append(f"{value} = {declared.low + low}")
        else:
            parts.append(f"({value} >= {declared.low + low} AND {value} <= {declared.low + top})")
    return parts


def _categories(value: str, known: str, declared: Categories, codes: Codes) -> list[str]:
    """An unlisted text is OTHER, so a set with OTHER in it is what is left when the others are taken away."""
    other = declared.labels.index(declared.other)
    inside = [label for code, label in enumerate(declared.labels) if holds(codes, code)]
    if not inside:
        return []
    if not holds(codes, other):
        return [f"{value} IN ({', '.join(map(text, inside))})"] if len(inside) > 1 else [f"{value} = {text(inside[0])}"]
    outside = [label for label in declared.names if label not in inside]
    return [f"{value} NOT IN ({', '.join(map(text, outside))})"] if outside else [f"{known} IS NOT NULL"]


@lru_cache(maxsize=4096)
def _rendered(dialect: Dialect, declared: Column, stored_name: str, stored_type: str) -> str:
    """The SQL that maps a stored value into the domain: the same for every table that declares and stores it so."""
    from sqlglot import exp

    units = dialect.whole_units(declared, name(stored_name), stored_type)
    if units is not None:
        return units
    stored = dialect.value(exp.column(stored_name, quoted=True), stored_type)
    return dialect.mapped(declared.sanitise(stored, stored_type), declared)


@lru_cache(maxsize=4096)
def _told(dialect: Dialect, declared: Bounded, stored_name: str, stored_type: str) -> str:
    """The SQL that tells whether a stored value is one of the declared values as it is."""
    from sqlglot import exp

    stored = dialect.value(exp.column(stored_name, quoted=True), stored_type)
    return dialect.mapped(declared.is_within(stored, stored_type))


def telling(table: Table, column: str) -> str:
    """The name of a column that tells of another whether its value was stored so."""
    return f"{_mark(table)}:within {column}"


def _mark(table: Table) -> str:
    mark = "raw"
    while any(column.lower().startswith(mark) for column in table.columns):
        mark += "_"
    return mark


def text(value: str) -> str:
    """A text as a SQL literal."""
    return "'" + value.replace("'", "''") + "'"


__all__ = ["Stored", "telling", "text"]
