"""The relations of the catalogue: which there are, with which columns, and what they hold of declared tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final, final

from partita.query.tables.holding import holds
from partita.query.tables.public import PublicTable
from partita.query.tables.schema import Table
from partita.region.columns import Bounded
from partita.server.wire import values
from partita.server.wire.parameters import type_of
from partita.server.wire.variables import SHOWN

CATALOG: Final = "pgc"
INFORMATION: Final = "info"
OWN: Final = "own"
PUBLIC: Final = "published"
"""Schemas of the catalogue's database for pg_catalog, information_schema, partita and public tables."""
OWNER: Final = 10
_SPACES: Final = {"pg_catalog": 11, "public": 2200, "information_schema": 13000, "partita": 16000}
_FIRST: Final = 16384
_TYPES: Final = {
    "oid": "BIGINT", "xid": "BIGINT", "bigint": "BIGINT", "integer": "INTEGER", "smallint": "SMALLINT",
    "boolean": "BOOLEAN", "cardinal_number": "INTEGER", "real": "FLOAT", "double_precision": "DOUBLE",
    "numeric": "DOUBLE", "timestamp_with_time_zone": "TIMESTAMP", "time_stamp": "TIMESTAMP", "int2vector": "SMALLINT[]",
    "oidvector": "BIGINT[]", "smallint[]": "SMALLINT[]", "oid[]": "BIGINT[]", "boolean[]": "BOOLEAN[]",
    "real[]": "FLOAT[]", "double_precision[]": "DOUBLE[]",
}  # fmt: skip


@final
@dataclass(frozen=True, slots=True)
class Relation:
    """A relation of the catalogue, by the name that clients know."""

    schema: str
    name: str
    oid: int
    kind: str
    columns: tuple[tuple[str, str], ...]

    @property
    def place(self) -> str:
        """Where the catalogue's database has it."""
        return f'{CATALOG if self.schema == "pg_catalog" else INFORMATION}."{self.name}"'

    def statement(self) -> str:
        """The statement that makes it, empty."""
        shown = ", ".join(f'"{name}" {kind}' for name, kind in self.columns)
        return f"CREATE TABLE {self.place} ({shown})"


@cache
def relations() -> dict[tuple[str, str], Relation]:
    """All relations of the catalogue, by schema and name."""
    found = {}
    for line in _lines("relations.txt"):
        whole, oid, kind, *columns = line.split(" ")
        schema, _, name = whole.rpartition(".")
        pairs = tuple((one, _type(of)) for one, of in (column.split(":", 1) for column in columns))
        made = Relation(schema or "pg_catalog", name, int(oid), kind, pairs)
        found[made.schema, name] = made
    return found


def _type(of: str) -> str:
    return _TYPES.get(of, "VARCHAR[]" if of.endswith("[]") or of == "anyarray" else "VARCHAR")


def _lines(name: str) -> Iterator[str]:
    text = files("partita.server.wire").joinpath(name).read_text(encoding="utf-8")
    return (line for line in text.splitlines() if line and not line.startswith("#"))


@final
@dataclass(frozen=True, slots=True)
class Listed:
    """A table that a client sees: a protected one, a public one, or a view of what is free."""

    schema: str
    name: str
    oid: int
    kind: str
    comment: str
    columns: tuple[tuple[str, int, str, bool], ...]
    """Name, type, comment, and whether NULL is never there."""


VIEWS: Final[dict[str, tuple[str, tuple[tuple[str, int, str], ...]]]] = {
    "remaining": (
        "What may still be spent on everybody, by you and altogether; free.",
        (("promise", values.INT8, "Which promise."), ("protected", values.TEXT, "Who is protected."),
         ("yours", values.TEXT, "What you may still spend."), ("joint", values.TEXT, "What all may still spend.")),
    ),
    "promises": (
        "What is promised to everybody in the data; free.",
        (("promise", values.INT8, "Which promise."), ("protected", values.TEXT, "Who is protected."),
         ("budget", values.TEXT, "What may be lost at most."), ("meaning", values.TEXT, "What an attacker can learn.")),
    ),
    "columns": (
        "The columns that may be asked about; free.",
        (("table_name", values.TEXT, "The table."), ("column_name", values.TEXT, "The column."),
         ("kind", values.TEXT, "What kind of values it has."), ("holds", values.TEXT, "What it may hold.")),
    ),
    "answers": (
        "Your answers, newest first, which asking again gives free.",
        (("number", values.INT8, "The entry in the ledger."), ("at", values.TEXT, "When it was charged."),
         ("asked", values.TEXT, "The question."), ("charged", values.TEXT, "What it cost."),
         ("state", values.TEXT, "Whether it was answered.")),
    ),
}  # fmt: skip


def listed(tables: Sequence[Table], public: Sequence[PublicTable]) -> list[Listed]:
    """Everything that a client sees, numbered."""
    found: list[Listed] = []
    for table in tables:
        columns = tuple(
            (name, type_of(column), holds(column), isinstance(column, Bounded) and column.null is None)
            for name, column in table.columns.items()
        )
        about = "Protected: ask for counts, sums and means of its rows, at a price."
        found.append(Listed("public", table.name, _FIRST + len(found), "r", about, columns))
    for one in public:
        shown = tuple(
            (name, _public_type([row[place] for row in one.rows]), "", False) for place, name in enumerate(one.columns)
        )
        found.append(Listed("public", one.name, _FIRST + len(found), "r", "Public: free to read.", shown))
    for name, (about, described) in VIEWS.items():
        view = tuple((column, kind, comment, False) for column, kind, comment in described)
        found.append(Listed("partita", name, _FIRST + len(found), "v", about, view))
    return found


def _public_type(found: Sequence[Any]) -> int:
    from partita.query.answer.kinds import kind_of

    return values.OF_KIND[kind_of(found)]


def contents(shown: Sequence[Listed], database: str) -> Iterator[tuple[str, str, list[dict[str, Any]]]]:
    """What the relations hold: schema, name, and lines with the columns that say something."""
    yield (
        "pg_catalog",
        "pg_namespace",
        [{"oid": oid, "nspname": name, "nspowner": OWNER} for name, oid in _SPACES.items()],
    )
    yield "pg_catalog", "pg_type", list(_types())
    own = [
        Listed(one.schema, one.name, one.oid, one.kind, "", tuple((name, 0, "", False) for name, _ in one.columns))
        for one in relations().values()
    ]
    yield "pg_catalog", "pg_class", [_class(one) for one in (*own, *shown)]
    yield "pg_catalog", "pg_attribute", [line for one in shown for line in _attributes(one)]
    yield "pg_catalog", "pg_description", [line for one in shown for line in _comments(one)]
    yield "pg_catalog", "pg_database", [
        {
            "oid": 5, "datname": database, "datdba": OWNER, "encoding": 6, "datlocprovider": "c",
            "datistemplate": False, "datallowconn": True, "datconnlimit": -1, "dattablespace": 1663,
            "datcollate": "C", "datctype": "C",
        }
    ]  # fmt: skip
    roles = {
        "rolname": "partita", "rolsuper": False, "rolinherit": True, "rolcreaterole": False, "rolcreatedb": False,
        "rolcanlogin": True, "rolreplication": False, "rolconnlimit": -1, "rolbypassrls": False, "oid": OWNER,
    }  # fmt: skip
    yield "pg_catalog", "pg_roles", [roles]
    yield (
        "pg_catalog",
        "pg_user",
        [{"usename": "partita", "usesysid": OWNER, "usecreatedb": False, "usesuper": False, "userepl": False}],
    )
    yield "pg_catalog", "pg_am", [{"oid": 2, "amname": "heap", "amtype": "t"}]
    yield "pg_catalog", "pg_tablespace", [{"oid": 1663, "spcname": "pg_default", "spcowner": OWNER}]
    yield (
        "pg_catalog",
        "pg_collation",
        [
            {"oid": 100, "collname": "default", "collnamespace": 11, "collowner": OWNER, "collprovider": "d"},
            {"oid": 950, "collname": "C", "collnamespace": 11, "collowner": OWNER, "collprovider": "c"},
        ],
    )
    yield "pg_catalog", "pg_settings", [
        {"name": name, "setting": value, "context": "user", "vartype": "string", "source": "default",
         "boot_val": value, "reset_val": value, "pending_restart": False}
        for name, value in sorted(SHOWN.items())
    ]  # fmt: skip
    yield "pg_catalog", "pg_language", [{"oid": 14, "lanname": "sql", "lanowner": OWNER}]
    tables = [one for one in shown if one.kind == "r"]
    yield "pg_catalog", "pg_tables", [
        {
            "schemaname": one.schema, "tablename": one.name, "tableowner": "partita", "hasindexes": False,
            "hasrules": False, "hastriggers": False, "rowsecurity": False,
        }
        for one in tables
    ]  # fmt: skip
    yield (
        "pg_catalog",
        "pg_views",
        [{"schemaname": one.schema, "viewname": one.name, "viewowner": "partita"} for one in shown if one.kind == "v"],
    )
    yield from _information(shown, database)


def _information(shown: Sequence[Listed], database: str) -> Iterator[tuple[str, str, list[dict[str, Any]]]]:
    yield "information_schema", "information_schema_catalog_name", [{"catalog_name": database}]
    sets = {"character_set_name": "UTF8", "character_repertoire": "UCS", "form_of_use": "UTF8"}
    yield "information_schema", "character_sets", [{**sets, "default_collate_catalog": database}]
    spaces = [{"catalog_name": database, "schema_name": name, "schema_owner": "partita"} for name in _SPACES]
    yield "information_schema", "schemata", spaces
    kinds = {"r": "BASE TABLE", "v": "VIEW"}
    yield "information_schema", "tables", [
        {
            "table_catalog": database, "table_schema": one.schema, "table_name": one.name,
            "table_type": kinds[one.kind], "is_insertable_into": "NO", "is_typed": "NO",
        }
        for one in shown
    ]  # fmt: skip
    yield (
        "information_schema",
        "views",
        [
            {"table_catalog": database, "table_schema": one.schema, "table_name": one.name, "is_updatable": "NO"}
            for one in shown
            if one.kind == "v"
        ],
    )
    yield "information_schema", "columns", [
        {
            "table_catalog": database, "table_schema": one.schema, "table_name": one.name, "column_name": name,
            "ordinal_position": place, "is_nullable": "NO" if filled else "YES", "data_type": _named()[kind][0],
            "udt_catalog": database, "udt_schema": "pg_catalog", "udt_name": _named()[kind][1],
            "numeric_precision": {values.INT8: 64, values.FLOAT8: 53}.get(kind),
            "numeric_scale": 0 if kind == values.INT8 else None,
            "numeric_precision_radix": {values.INT8: 2, values.FLOAT8: 2, values.NUMERIC: 10}.get(kind),
            "datetime_precision": {values.DATE: 0, values.TIMESTAMP: 6}.get(kind),
            "is_identity": "NO", "is_generated": "NEVER", "is_updatable": "NO", "is_self_referencing": "NO",
        }
        for one in shown
        for place, (name, kind, _, filled) in enumerate(one.columns, start=1)
    ]  # fmt: skip


@cache
def _named() -> dict[int, tuple[str, str]]:
    """For each type the name that SQL has for it, and its own."""
    found = {}
    for line in _lines("types.txt"):
        parts = line.split(" ")
        found[int(parts[0])] = parts[-1].replace("_", " "), parts[1]
    return found


def type_names() -> list[tuple[int, str, str]]:
    """For each type its own name, and the one that SQL has for it."""
    return [(oid, name, shown) for oid, (shown, name) in _named().items()]


def _types() -> Iterator[dict[str, Any]]:
    for line in _lines("types.txt"):
        oid, name, length, by_value, kind, category, preferred, mark, element, array, align, storage, text, _ = (
            line.split(" ")
        )
        yield {
            "oid": int(oid), "typname": name, "typnamespace": 11, "typowner": OWNER, "typlen": int(length),
            "typbyval": by_value == "t", "typtype": kind, "typcategory": category, "typispreferred": preferred == "t",
            "typisdefined": True, "typdelim": mark, "typrelid": 0, "typelem": int(element), "typarray": int(array),
            **{f"typ{way}": _way(name, end) for way, end in _WAYS.items()}, "typalign": align,
            "typstorage": storage, "typnotnull": False, "typbasetype": 0, "typtypmod": -1, "typndims": 0,
            "typcollation": int(text),
        }  # fmt: skip


_WAYS: Final = {"input": "in", "output": "out", "receive": "recv", "send": "send"}
_APART: Final = frozenset(
    "any anyarray anyelement bit date interval inet json jsonb numeric record time timestamp timestamptz timetz uuid "
    "varbit void".split()
)
"""Types whose functions are named with a line between the words."""


def _way(name: str, end: str) -> str:
    """The function that takes values of a type in, or gives them out."""
    if name.startswith("_"):
        return f"array_{end}"
    return f"{name}_{end}" if name in _APART else f"{name}{end}"


def _class(one: Listed) -> dict[str, Any]:
    return {
        "oid": one.oid, "relname": one.name, "relnamespace": _SPACES[one.schema], "reltype": 0, "reloftype": 0,
        "relowner": OWNER, "relam": 2 if one.kind == "r" else 0, "relfilenode": 0, "reltablespace": 0, "relpages": 0,
        "reltuples": -1, "relallvisible": 0, "reltoastrelid": 0, "relhasindex": False, "relisshared": False,
        "relpersistence": "p", "relkind": one.kind, "relnatts": len(one.columns), "relchecks": 0,
        "relhasrules": False, "relhastriggers": False, "relhassubclass": False, "relrowsecurity": False,
        "relforcerowsecurity": False, "relispopulated": True, "relreplident": "d", "relispartition": False,
        "relrewrite": 0,
    }  # fmt: skip


def _attributes(one: Listed) -> Iterator[dict[str, Any]]:
    for place, (name, kind, _, filled) in enumerate(one.columns, start=1):
        yield {
            "attrelid": one.oid, "attname": name, "atttypid": kind, "attstattarget": -1,
            "attlen": values.SIZES.get(kind, -1), "attnum": place, "attndims": 0, "attcacheoff": -1, "atttypmod": -1,
            "attbyval": kind in values.SIZES, "attalign": "i", "attstorage": "p" if kind in values.SIZES else "x",
            "attcompression": "", "attnotnull": filled, "atthasdef": False, "atthasmissing": False, "attidentity": "",
            "attgenerated": "", "attisdropped": False, "attislocal": True, "attinhcount": 0,
            "attcollation": 100 if kind == values.TEXT else 0,
        }  # fmt: skip


def _comments(one: Listed) -> Iterator[dict[str, Any]]:
    told = [(0, one.comment), *((place, text) for place, (_, _, text, _) in enumerate(one.columns, start=1))]
    for place, text in told:
        if text:
            yield {"objoid": one.oid, "classoid": 1259, "objsubid": place, "description": text}
