"""Statements about the catalogue, from PostgreSQL's words to those of the database that holds it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final, final

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from partita.errors import PartitaError
from partita.errors import wire as refuse
from partita.server.wire.functions import KNOWN
from partita.server.wire.relations import CATALOG, INFORMATION, OWN, PUBLIC, VIEWS, relations
from partita.server.wire.scanner import Sentence, Sort
from partita.server.wire.statements import MOST_WORDS, replaced
from partita.server.wire.values import NAMES
from partita.server.wire.variables import SERVER

_UNREADABLE: Final = (SqlglotError, RecursionError, ValueError, TypeError, AttributeError, LookupError, AssertionError)
_TEXTUAL: Final = frozenset(
    (
        "name char regproc regprocedure regoper regrole regoperator aclitem sql_identifier character_data "
        "cardinal_number yes_or_no cstring unknown"
    ).split()
)
_TABLE_FUNCTIONS: Final = frozenset({"unnest", "generate_series", "generate_subscripts"})
_LONG: Final = (exp.Repeat, exp.Pad, exp.Space, exp.ReadCSV, exp.ReadParquet)
"""What makes long texts of short ones, which no clock stops, or reads what is no table."""
_PLAIN: Final = frozenset(
    (
        "version current_database current_schema current_schemas current_user session_user getpgusername current_role "
        "getdatabaseencoding pg_backend_pid current_setting set_config json_build_object jsonb_build_object "
        "row_to_json to_json "
        "regclass_name namespace_name format_type generate_subscripts generate_series unnest array_length cardinality "
        "array_position array_remove array_append array_prepend array_cat array_to_string string_to_array string_agg "
        "array_agg bool_and bool_or every translate initcap char_length character_length octet_length bit_length ascii "
        "chr md5 overlay btrim ltrim rtrim strpos regexp_matches regexp_split_to_array date_part to_char age now "
        "clock_timestamp statement_timestamp transaction_timestamp timezone to_timestamp to_date greatest least "
        "pg_typeof inet_client_port has_foreign_data_wrapper_privilege has_language_privilege has_server_privilege "
        "has_tablespace_privilege split_part regexp_split_to_table "
        "row_number rank dense_rank lag lead first_value last_value mod div sign trunc reverse left right concat"
    ).split()
)
"""Functions that the catalogue's database has and clients of PostgreSQL call; no other name reaches it."""
_GROWING: Final = frozenset(
    (
        "format concat overlay translate array_cat array_append array_prepend array_to_string quote_literal quote_ident"
    ).split()
)
_JOINING: Final = (
    *(exp.DPipe, exp.Concat, exp.ConcatWs, exp.Format, exp.Overlay, exp.Translate),
    *(exp.ArrayConcat, exp.ArrayToString, exp.ArrayAppend, exp.ArrayPrepend),
)
"""What puts texts or lists together."""
_SHORT: Final = 256
_MOST_GROWN: Final = 10**8
_ODD: Final = (exp.Into, exp.Lock, exp.DML, exp.DDL, exp.Command)
_NUMBERS: Final = {"xid": "BIGINT", "oid": "BIGINT", "cid": "BIGINT"}


@final
@dataclass(frozen=True, slots=True)
class Names:
    """What names and words of a statement stand for."""

    public: Collection[str]
    tables: Mapping[str, int]
    settings: Mapping[str, str]
    account: str
    database: str
    number: int


def translated(said: Sentence, names: Names) -> tuple[str, set[str]]:
    """A statement for the catalogue's database, and the free views that it reads."""
    if len(said.words) > MOST_WORDS:
        raise refuse.not_in_catalogue(f"it has more than {MOST_WORDS:,} words.")
    try:
        tree = sqlglot.parse_one(_operators(said).text, dialect="postgres")
        if not isinstance(tree, exp.Query | exp.Values) or any(isinstance(one, _ODD) for one in tree.walk()):
            raise refuse.not_in_catalogue("it is not a SELECT.")
        _bounded(tree)
        _named(tree)
        views = _Translator(names).made(tree)
        return tree.sql(dialect="duckdb", comments=False), views
    except PartitaError:
        raise
    except _UNREADABLE:
        raise refuse.not_in_catalogue("it cannot be read.") from None


def _bounded(tree: exp.Expr) -> None:
    """Refuse what would make very long texts or lists of short ones: the engine looks at no clock while it does.

    A column may be what another SELECT of the statement makes, so that the growth of all of them is multiplied.
    """
    grown = max([_SHORT, *(len(one.name) for one in tree.find_all(exp.Literal))])
    for select in tree.find_all(exp.Select):
        grown *= max([1, *(_growth(part) for part in select.iter_expressions())])
        if grown > _MOST_GROWN:
            raise refuse.not_in_catalogue("it would make texts that are too long.")


def _growth(node: exp.Expr) -> int:
    """How many times as long as a text that goes in, a text that comes out can be."""
    if isinstance(node, exp.Select):
        return 1
    parts = [_growth(part) for part in node.iter_expressions()]
    match node:
        case exp.Replace() | exp.RegexpReplace():
            made = node.args.get("replacement")
            if made is not None and not isinstance(made, exp.Literal):
                raise refuse.not_in_catalogue("what replaces something in a text has to be written there.")
            return max(parts, default=1) * (2 if made is None else 2 + len(made.name))
        case _ if isinstance(node, _JOINING) or (isinstance(node, exp.Anonymous) and node.name.lower() in _GROWING):
            return 1 + sum(parts)
        case _:
            return max(parts, default=1)


def _operators(said: Sentence) -> Sentence:
    """OPERATOR(pg_catalog.~) as the sign alone."""
    parts, words = [], said.words
    for place, word in enumerate(words):
        if not word.says("operator") or place + 1 >= len(words) or not words[place + 1].says("("):
            continue
        end = next((one for one in range(place, len(words)) if words[one].says(")")), None)
        if end is not None:
            signs = [one.text for one in words[place + 2 : end] if one.sort is Sort.SIGN and one.text != "."]
            parts.append((word.start, words[end].end, f" {''.join(signs)} "))
    return replaced(said, parts) if parts else said


def _named(tree: exp.Expr) -> None:
    """Columns without a name have the one that PostgreSQL gives them."""
    first = tree
    while isinstance(first, exp.SetOperation | exp.Subquery):
        first = first.this
    if isinstance(first, exp.Select):
        # Set at once: each by itself would be moved past all others.
        first.set("expressions", [_with_name(item) for item in first.expressions])


def _with_name(item: exp.Expr) -> exp.Expr:
    if isinstance(item, exp.Alias | exp.Star | exp.Column):
        return item
    return exp.alias_(item.copy(), _name(item), quoted=True)


def _name(item: exp.Expr) -> str:
    match item:
        case exp.Cast():
            inside = _name(item.this)
            return inside if inside != "?column?" else item.to.sql(dialect="postgres").lower().rpartition(".")[2]
        case exp.Column():
            return item.name
        case exp.Dot():
            return _name(item.expression)
        case exp.Case():
            return "case"
        case exp.Anonymous():
            return item.name.lower()
        case exp.Paren() | exp.Collate():
            return _name(item.this)
        case exp.Array():
            return "array"
        case exp.Exists():
            return "exists"
        case exp.CurrentVersion():
            return "version"
        case exp.Func() if not isinstance(item, exp.Binary | exp.Connector):
            return item.sql_name().lower()
        case _:
            return "?column?"


@final
class _Translator:
    """Changes a tree in its place."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._views: set[str] = set()
        self._oids: dict[str, int] = {}

    def made(self, tree: exp.Expr) -> set[str]:
        """The free views that it reads, when it is changed."""
        for function in tree.find_all(exp.Func):
            self._called(function)
        given = {part.alias.lower() for part in tree.find_all(exp.CTE)}
        for table in list(tree.find_all(exp.Table)):
            self._table(table, given)
        for column in list(tree.find_all(exp.Column)):
            self._column(column)
        for node in list(tree.find_all(exp.Collate)):
            node.replace(node.this)
        for dot in list(tree.find_all(exp.Dot)):
            prefixed = dot.this.name.lower() in ("pg_catalog", "information_schema")
            if prefixed and not isinstance(dot.expression, exp.Identifier):
                dot.replace(dot.expression)
        for cast in list(tree.find_all(exp.Cast)):
            self._cast(cast)
        for function in list(tree.find_all(exp.Func)):
            self._function(function)
        return self._views

    def _called(self, node: exp.Func) -> None:
        """Refuse what is called and not known here: functions may read tables by a text, or wait."""
        name = node.name.lower() if isinstance(node, exp.Anonymous) else node.sql_name().lower()
        known = name in KNOWN or name in _PLAIN if isinstance(node, exp.Anonymous) else not isinstance(node, _LONG)
        if name == "format":
            # Signs between braces would say how long it is.
            pattern = next(iter(node.expressions), None) if isinstance(node, exp.Anonymous) else node.this
            known = isinstance(pattern, exp.Literal) and "{" not in pattern.name
        if not known:
            # Behind FROM it is what stands there for a table.
            raise (
                refuse.unknown_relation(name)
                if isinstance(node.parent, exp.Table)
                else refuse.not_in_catalogue(f"there is no function {name} in it.")
            )

    def _table(self, table: exp.Table, given: Collection[str]) -> None:
        if not isinstance(table.this, exp.Identifier):
            called = table.this.name.lower() if isinstance(table.this, exp.Anonymous) else table.this.sql_name().lower()
            if called not in _TABLE_FUNCTIONS and not isinstance(table.this, exp.ExplodingGenerateSeries | exp.Explode):
                raise refuse.unknown_relation(called)
            table.set("db", None)
            return
        name, schema = table.name.lower(), table.db.lower()
        if not schema and name in given:
            return
        if schema in ("", "pg_catalog") and ("pg_catalog", name) in relations():
            place = CATALOG
        elif schema == "information_schema" and (schema, name) in relations():
            place = INFORMATION
        elif schema == "partita" and name in VIEWS:
            place = OWN
            self._views.add(name)
        elif schema in ("", "public") and name in self._names.public:
            place = PUBLIC
        else:
            raise refuse.unknown_relation(table.sql(dialect="postgres"))
        if place == CATALOG:
            self._oids[table.alias_or_name.lower()] = relations()["pg_catalog", name].oid
        table.set("db", exp.to_identifier(place))
        table.set("catalog", None)
        table.set("only", None)

    def _column(self, column: exp.Column) -> None:
        if column.args.get("db"):
            column.set("db", None)
            column.set("catalog", None)
        if column.name.lower() == "tableoid":
            column.replace(_number(self._oids.get(column.table.lower(), next(iter(self._oids.values()), 0))))
            return
        if column.table or column.args.get("this") is None or column.this.args.get("quoted"):
            return
        found = {
            "current_database": self._names.database,
            "current_catalog": self._names.database,
            "current_user": self._names.account,
            "session_user": self._names.account,
            "current_role": self._names.account,
            "user": self._names.account,
            "current_schema": "public",
        }.get(column.name.lower())
        if found is not None:
            column.replace(exp.Literal.string(found))

    def _cast(self, node: exp.Cast) -> None:
        to = node.to.sql(dialect="postgres").lower().replace('"', "").rpartition(".")[2]
        inside = node.this.this if isinstance(node.this, exp.Paren) else node.this
        text = inside.name if isinstance(inside, exp.Literal) and inside.is_string else None
        match to:
            case "regclass":
                if text is not None:
                    node.replace(_number(self._relation(text)))
                else:
                    node.replace(_call("regclass_name", node.this))
            case "regtype":
                if text is not None:
                    node.replace(_number(NAMES.get(text.lower(), 0)))
                else:
                    node.replace(_call("format_type", node.this, exp.null()))
            case "regnamespace":
                node.replace(_call("namespace_name", node.this))
            case _ if to in _NUMBERS:
                node.set("to", exp.DataType.build("BIGINT"))
            case _ if to in _TEXTUAL:
                node.set("to", exp.DataType.build("TEXT"))
            case _ if to.endswith("[]") and to[:-2] in _TEXTUAL:
                node.set("to", exp.DataType.build("TEXT[]", dialect="postgres"))
            case _ if to == "oid[]":
                node.set("to", exp.DataType.build("BIGINT[]", dialect="postgres"))
            case _ if "." in node.to.sql(dialect="postgres"):
                node.set("to", exp.DataType.build(to, dialect="postgres"))

    def _relation(self, text: str) -> int:
        schema, _, name = text.replace('"', "").lower().rpartition(".")
        if not text or text.isdecimal():  # nothing is what a parameter is described with
            return int(text or 0)
        if schema in ("", "pg_catalog") and ("pg_catalog", name) in relations():
            return relations()["pg_catalog", name].oid
        if schema in ("", "public", "partita"):
            found = next((oid for one, oid in self._names.tables.items() if one.lower() == name), None)
            if found is not None:
                return found
        raise refuse.unknown_relation(text)

    def _function(self, node: exp.Func) -> None:
        name = node.name.lower() if isinstance(node, exp.Anonymous) else node.sql_name().lower()
        said = list(node.expressions) if isinstance(node, exp.Anonymous) else []
        first = said[0].name if said and isinstance(said[0], exp.Literal) else ""
        match name:
            case "version" | "current_version":
                shown = f"PostgreSQL {SERVER} (Partita: private answers, every one of them with noise)"
                node.replace(exp.Literal.string(shown))
            case "current_database":
                node.replace(exp.Literal.string(self._names.database))
            case "current_user" | "session_user" | "getpgusername" | "current_role":
                node.replace(exp.Literal.string(self._names.account))
            case "current_schema":
                node.replace(exp.Literal.string("public"))
            case "current_schemas":
                node.replace(exp.Array(expressions=[exp.Literal.string("pg_catalog"), exp.Literal.string("public")]))
            case "pg_backend_pid":
                node.replace(_number(self._names.number))
            case "current_setting":
                found = {key.lower(): value for key, value in self._names.settings.items()}.get(first.lower())
                node.replace(exp.null() if found is None else exp.Literal.string(found))
            case "set_config":
                node.replace(said[1].copy() if len(said) > 1 else exp.null())
            case "json_build_object" | "jsonb_build_object" | "row_to_json" | "to_json":
                node.replace(exp.cast(exp.null(), "TEXT"))  # about identities and collations, which no column has
            case _:
                pass


def _number(value: int) -> exp.Expr:
    return exp.Cast(this=exp.Literal.number(value), to=exp.DataType.build("BIGINT"))


def _call(name: str, *parts: exp.Expr) -> exp.Expr:
    return exp.Anonymous(this=name, expressions=[part.copy() for part in parts])
