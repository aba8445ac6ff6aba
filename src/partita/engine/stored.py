"""Stored columns in SQL: the sanitising projection of one table, and conditions on the stored values themselves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import final

from partita.engine.lowering import name
from partita.query.schema import Table
from partita.region.codes import Codes, holds
from partita.region.columns import Bounded, Categories, Integers
from partita.region.columns.stored import Family, family
from partita.region.region import Region

_SIGNED = frozenset({"TINYINT", "SMALLINT", "INTEGER", "BIGINT"})


@final
@dataclass(frozen=True)
class Stored:
    """A table as the engine holds it: a relation, and the stored type of each declared column.

    ``sanitised`` is the projection of DESIGN's data semantics, one expression a column, total and row by row.
    ``raw`` are the same columns as they are stored, under names of their own: a condition that means the same on the
    stored value lets the engine skip what it need not read.
    """

    table: Table
    relation: str
    types: Mapping[str, str]
    names: Mapping[str, str]
    dialect: str = "duckdb"

    @cached_property
    def sanitised(self) -> dict[str, str]:
        """For each declared column, the SQL that maps its stored value into the public domain."""
        return {column: self._sanitised(column) for column in self.table.columns}

    @cached_property
    def mark(self) -> str:
        """The beginning of names that no declared column has."""
        mark = "raw"
        while any(column.lower().startswith(mark) for column in self.table.columns):
            mark += "_"
        return mark

    def raw(self, column: str) -> str:
        """The name under which the stored value is carried along."""
        return name(f"{self.mark} {column}")

    def stored(self, column: str) -> str:
        """The stored column itself."""
        return name(self.names[column])

    def _sanitised(self, column: str) -> str:
        from sqlglot import exp

        declared, stored_type = self.table.columns[column], self.types[column]
        if isinstance(declared, Integers) and family(stored_type) is Family.INTEGER:
            # Written so that the engine can fold it away where its statistics show that nothing is out of range.
            value, low, high = self.stored(column), declared.low, declared.high
            cast = "CAST" if stored_type in _SIGNED else "TRY_CAST"
            clamped = (
                f"CASE WHEN {value} < {low} THEN {low} WHEN {value} > {high} THEN {high} "
                f"ELSE {cast}({value} AS BIGINT) END"
            )
            return clamped if declared.missing is None else f"COALESCE({clamped}, {declared.missing})"
        stored = exp.column(self.names[column], quoted=True)
        return declared.sanitise(stored, stored_type).sql(dialect=self.dialect)

    # --- conditions on stored values ---------------------------------------------------------------------------

    def condition(self, region: Region) -> tuple[str, frozenset[str], frozenset[str]]:
        """SQL that is true exactly on the region, and the columns it needs: sanitised ones, and raw ones."""
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
                direct = self._direct(column, declared, codes)
                if direct is None:
                    from sqlglot import exp

                    clean.add(column)
                    parts.append(
                        f"({declared.condition(exp.column(column, quoted=True), codes).sql(dialect=self.dialect)})"
                    )
                else:
                    raw.add(column)
                    parts.append(direct)
            terms.append(" AND ".join(parts) or "TRUE")
        text = terms[0] if len(terms) == 1 else " OR ".join(f"({term})" for term in terms)
        return text, frozenset(clean), frozenset(raw)

    def _direct(self, column: str, declared: Bounded, codes: Codes) -> str | None:
        kind = family(self.types[column])
        value = self.raw(column)
        if isinstance(declared, Integers) and kind is Family.INTEGER:
            parts = _integers(value, declared, codes)
        elif isinstance(declared, Categories) and kind is Family.TEXT and "ENUM" not in self.types[column].upper():
            parts = _categories(value, declared, codes)
        else:
            return None
        gone = declared.code(None)
        if holds(codes, gone):
            parts.append(f"{value} IS NULL")
        if not parts:
            return "FALSE"
        return parts[0] if len(parts) == 1 else f"({' OR '.join(parts)})"


def _integers(value: str, declared: Integers, codes: Codes) -> list[str]:
    """Clamping moves what is below to the first code and what is above to the last."""
    parts = []
    last = declared.high - declared.low
    for low, high in codes:
        top = min(high - 1, last)
        if low > last:
            continue
        if low == 0 and top == last:
            parts.append(f"{value} IS NOT NULL")
        elif low == 0:
            parts.append(f"{value} <= {declared.low + top}")
        elif top == last:
            parts.append(f"{value} >= {declared.low + low}")
        elif low == top:
            parts.append(f"{value} = {declared.low + low}")
        else:
            parts.append(f"({value} >= {declared.low + low} AND {value} <= {declared.low + top})")
    return parts


def _categories(value: str, declared: Categories, codes: Codes) -> list[str]:
    """An unlisted text is OTHER, so a set with OTHER in it is what is left when the others are taken away."""
    other = declared.labels.index(declared.other)
    inside = [label for code, label in enumerate(declared.labels) if holds(codes, code)]
    if not inside:
        return []
    if not holds(codes, other):
        return [f"{value} IN ({', '.join(map(text, inside))})"] if len(inside) > 1 else [f"{value} = {text(inside[0])}"]
    outside = [label for label in declared.names if label not in inside]
    return [f"{value} NOT IN ({', '.join(map(text, outside))})"] if outside else [f"{value} IS NOT NULL"]


def text(value: str) -> str:
    """A text as a SQL literal."""
    return "'" + value.replace("'", "''") + "'"


__all__ = ["Stored", "text"]
