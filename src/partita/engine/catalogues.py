"""What a PostgreSQL server says of a relation: its columns and the types behind their domains, in names of ours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, final

from partita.engine.servers import Server
from partita.engine.statements.stored import text
from partita.errors import engine as refuse
from partita.query.language.text import in_quotes as name
from partita.query.tables.schema import Table

# What a type of the server is called in ``region.columns.stored``; every other holds nothing that can be declared.
_TYPES = {
    "int2": "SMALLINT",
    "int4": "INTEGER",
    "int8": "BIGINT",
    "float4": "REAL",
    "float8": "DOUBLE",
    "numeric": "NUMERIC",
    "text": "TEXT",
    "varchar": "VARCHAR",
    "bpchar": "CHAR",
    "uuid": "UUID",
    "bool": "BOOLEAN",
    "date": "DATE",
    "timestamp": "TIMESTAMP",
    "timestamptz": "TIMESTAMP WITH TIME ZONE",
}
# Every decimal of so many digits before and behind the point has a double.
_DIGITS = 300


@final
@dataclass(frozen=True, slots=True)
class Relation:
    """A table or a view: its name in SQL, what kind it is, and the types of its columns."""

    name: str
    kind: str
    types: Mapping[str, str]

    @property
    def lockable(self) -> bool:
        """Whether a lock on it is one on its rows."""
        return self.kind in "rpm"


def described(cursor: Any, table: Table, server: Server) -> Relation:
    """The relation that a table's source names, as it is at this moment; no row is read."""
    schema, relation = _named(table)
    shown = f"{schema}.{relation}"
    found = cursor.execute(
        "SELECT c.oid, CAST(c.relkind AS TEXT), has_schema_privilege(n.oid, 'USAGE') "
        "AND has_table_privilege(c.oid, 'SELECT') FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace "
        f"WHERE n.nspname = {text(schema)} AND c.relname = {text(relation)} AND c.relkind IN ('r', 'p', 'm', 'v', 'f')"
    ).fetchall()
    if not found:
        raise refuse.no_relation(table.name, shown)
    ((oid, kind, allowed),) = found
    if not allowed:
        raise refuse.no_right(table.name, shown)
    columns = cursor.execute(_COLUMNS.format(oid=int(oid))).fetchall()
    declared = {column.lower() for column in table.columns}
    computed = kind in ("v", "f") or any(made == "v" and column.lower() in declared for column, made, *_ in columns)
    if computed and not server.views:
        raise refuse.computed_rows(table.name, shown)
    types = {column: _typed(*parts, steady=kind not in ("v", "f")) for column, _, *parts in columns}
    return Relation(f"{name(schema)}.{name(relation)}", kind, types)


_COLUMNS = """
WITH RECURSIVE behind AS (
    SELECT attnum, CAST(attname AS TEXT) AS name, CAST(attgenerated AS TEXT) AS made,
        atttypid AS type, atttypmod AS extra
    FROM pg_attribute WHERE attrelid = {oid} AND attnum > 0 AND NOT attisdropped
    UNION ALL
    SELECT b.attnum, b.name, b.made, t.typbasetype, CASE WHEN b.extra = -1 THEN t.typtypmod ELSE b.extra END
    FROM behind AS b JOIN pg_type AS t ON t.oid = b.type WHERE t.typtype = 'd'
)
SELECT b.name, b.made, CAST(t.typname AS TEXT), CAST(t.typtype AS TEXT), CAST(s.nspname AS TEXT), b.extra
FROM behind AS b JOIN pg_type AS t ON t.oid = b.type JOIN pg_namespace AS s ON s.oid = t.typnamespace
WHERE t.typtype <> 'd' ORDER BY b.attnum
"""


def _typed(kind: str, sort: str, schema: str, extra: int, *, steady: bool) -> str:
    """The name of a type; of decimals, their digits where these are few and certain."""
    if sort == "e":
        return "ENUM"
    found = _TYPES.get(kind) if schema == "pg_catalog" else None
    if found is None:
        return f"other {kind}"
    if found == "NUMERIC" and steady and extra >= 4:
        digits, scale = (extra - 4) >> 16 & 0xFFFF, (((extra - 4) & 0x7FF) ^ 1024) - 1024
        if 0 <= scale <= _DIGITS and digits - scale <= _DIGITS:
            return f"NUMERIC({digits},{scale})"
    return found


def _named(table: Table) -> tuple[str, str]:
    """The schema and the name of a source such as "clinic.visits"."""
    parts = table.source.split(".") if isinstance(table.source, str) else []
    if len(parts) != 2 or not all(parts) or "\x00" in str(table.source):
        raise refuse.no_relation_name(table.name)
    return parts[0], parts[1]
