"""Statements about the catalogue, from PostgreSQL's words to those of the database that holds it."""

from __future__ import annotations

import re
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
_TABLE_FUNCTIONS: Final = frozenset({"unnest", "generate_series", "generate_subscripts", "pg_get_keywords"})
_LONG: Final = (exp.Repeat, exp.Pad, exp.Space, exp.ReadCSV, exp.ReadParquet)
"""What makes long texts of short ones, which no clock stops, or reads what is no table."""
_PLAIN: Final = frozenset(
    (
        "version current_database current_schema current_schemas current_user session_user getpgusername current_role "
        "getdatabaseencoding pg_backend_pid current_setting set_config json_build_object jsonb_build_object "
        "row_to_json to_json all pg_get_keywords "
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
_CALLED: Final[dict[type[exp.Expr], str]] = {
    exp.GroupConcat: "string_agg",
    exp.StrPosition: "position",
    exp.Trim: "btrim",
    exp.CurrentCatalog: "current_catalog",
}
_OWN_NAMES: Final = {
    "int": "int4", "integer": "int4", "bigint": "int8", "smallint": "int2", "boolean": "bool", "real": "float4",
    "double precision": "float8", "decimal": "numeric", "char": "bpchar", "character varying": "varchar",
}  # fmt: skip
_SIMPLE: Final = re.compile(r"\{([^{}\"\\]*)\}")
"""A list as a text, without marks or lists in it."""
_SETTINGS_OF: Final = re.compile("%([IsL])")
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
        text = _operators(said).text
        tree = sqlglot.parse_one(text, dialect="postgres")
        if not isinstance(tree, exp.Query | exp.Values) or any(isinstance(one, _ODD) for one in tree.walk()):
            raise refuse.not_in_catalogue("it is not a SELECT.")
        _bounded(tree)
        tree = _named(tree, text)
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


def _named(tree: exp.Expr, text: str) -> exp.Expr:
    """Columns without a name have the one that PostgreSQL gives them."""
    for word in tree.find_all(exp.Identifier):
        if not word.quoted and isinstance(word.this, str):
            word.set("this", word.this.lower())
    if isinstance(tree, exp.Values):
        width = max((len(line.expressions) for line in tree.find_all(exp.Tuple)), default=1)
        names = [exp.to_identifier(f"column{place}") for place in range(1, width + 1)]
        lines = tree.copy()
        lines.set("alias", exp.TableAlias(this=exp.to_identifier("lines"), columns=names))
        return exp.select("*").from_(lines)
    first = tree
    while isinstance(first, exp.SetOperation | exp.Subquery):
        first = first.this
    if isinstance(first, exp.Select):
        # Set at once: each by itself would be moved past all others.
        first.set("expressions", [_with_name(item, text) for item in first.expressions])
    return tree


def _with_name(item: exp.Expr, text: str) -> exp.Expr:
    if isinstance(item, exp.Alias | exp.Star | exp.Column):
        return item
    name, _ = _name(item, text)
    return exp.alias_(item.copy(), name or "?column?", quoted=True)


def _name(item: exp.Expr | None, text: str) -> tuple[str, bool]:
    """The name of a column, and whether it is one of its own: the name of a type or of CASE gives way to such a one."""
    match item:
        case exp.Cast():
            inside, strong = _name(item.this, text)
            written = item.to.sql(dialect="postgres").lower().replace('"', "").partition("(")[0].rpartition(".")[2]
            return (inside, True) if strong else (_OWN_NAMES.get(written, written), False)
        case exp.Column():
            return item.name, True
        case exp.Dot():
            return _name(item.expression, text)
        case exp.Case():
            otherwise, strong = _name(item.args.get("default"), text)
            return (otherwise, True) if strong else ("case", False)
        case exp.Anonymous():
            return item.name.lower(), True
        case exp.Paren() | exp.Collate():
            return _name(item.this, text)
        case exp.Subquery() if isinstance(item.this, exp.Select) and item.this.expressions:
            inside = item.this.expressions[0]
            return (inside.alias, True) if isinstance(inside, exp.Alias) else _name(inside, text)
        case exp.Array():
            return "array", True
        case exp.Exists():
            return "exists", True
        case exp.CurrentVersion():
            return "version", True
        case exp.Func() if not isinstance(item, exp.Binary | exp.Connector):
            return _called_as(item, text), True
        case _:
            return "", False


def _called_as(item: exp.Func, text: str) -> str:
    """The name of a function as the statement has it, which may be one of several for the same."""
    start, end = item.meta.get("start"), item.meta.get("end")
    if start is not None and end is not None and text[start : end + 1].isidentifier():
        return text[start : end + 1].lower()
    return _CALLED.get(type(item), item.sql_name().lower())


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
        for said in list(tree.find_all(exp.Format)):
            _spread(said)
        for comparison in list(tree.find_all(exp.EQ, exp.NEQ)):
            _of_all(comparison)
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
            if called == "pg_get_keywords":
                alias = table.alias or called
                table.replace(exp.alias_(exp.to_table(f"{CATALOG}.keywords"), alias, table=True))
                return
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
        if text is not None and to.endswith("[]") and (listed := _SIMPLE.fullmatch(text)) is not None:
            parts = [one.strip() for one in listed[1].split(",")] if listed[1].strip() else []
            inside.replace(exp.Array(expressions=[exp.Literal.string(one) for one in parts]))
        match to:
            case "text" | "varchar" if _is_relation(inside):
                node.replace(exp.Literal.string(inside.this.name.rpartition(".")[2].replace('"', "")))
            case "regclass":
                if text is not None:
                    node.replace(_number(self._relation(text)))
                elif isinstance(inside, _JOINING) or (isinstance(inside, exp.Cast) and _textual(inside)):
                    node.replace(_call("to_regclass", node.this))
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
            case "current_database" | "current_catalog":
                node.replace(exp.Literal.string(self._names.database))
            case "current_user" | "session_user" | "getpgusername" | "current_role":
                node.replace(exp.Literal.string(self._names.account))
            case "current_schema":
                node.replace(exp.Literal.string("public"))
            case "current_schemas":
                given = said[0] if said else next(iter(node.args.values()), None)
                own = isinstance(given, exp.Boolean) and not given.this
                spaces = ["public"] if own else ["pg_catalog", "public"]
                node.replace(exp.Array(expressions=[exp.Literal.string(one) for one in spaces]))
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


def _is_relation(node: exp.Expr) -> bool:
    """Whether it is the name of a relation, written as one."""
    return (
        isinstance(node, exp.Cast)
        and isinstance(node.this, exp.Literal)
        and node.this.is_string
        and not node.this.name.isdecimal()
        and node.to.sql(dialect="postgres").lower().rpartition(".")[2] == "regclass"
    )


def _textual(node: exp.Cast) -> bool:
    return node.to.sql(dialect="postgres").lower().rpartition(".")[2] in (*_TEXTUAL, "text", "varchar")


def _spread(node: exp.Format) -> None:
    """FORMAT with %I, %s and %L as its parts, one after the other."""
    pattern, given = node.this.name, list(node.expressions)
    pieces = _SETTINGS_OF.split(pattern)
    if "%" in "".join(pieces[::2]) or len(pieces) // 2 != len(given):
        raise refuse.not_in_catalogue("FORMAT knows %I, %s and %L here, and a value for each.")
    parts: list[exp.Expr] = []
    for place, piece in enumerate(pieces):
        if place % 2 == 0:
            parts.append(exp.Literal.string(piece))
            continue
        value = exp.cast(given[place // 2].copy(), "TEXT")
        parts.append(value if piece == "s" else _call("quote_ident" if piece == "I" else "quote_literal", value))
    node.replace(exp.Concat(expressions=parts, safe=True, coalesce=False))


def _of_all(node: exp.Expr) -> None:
    """A comparison with ALL of a list, said by ANY."""
    listed = node.args.get("expression")
    if isinstance(listed, exp.Anonymous) and listed.name.lower() == "all" and len(listed.expressions) == 1:
        other = exp.NEQ if isinstance(node, exp.EQ) else exp.EQ
        some = exp.Any(this=exp.Paren(this=listed.expressions[0].copy()))
        node.replace(exp.Paren(this=exp.Not(this=exp.Paren(this=other(this=node.this.copy(), expression=some)))))


def _number(value: int) -> exp.Expr:
    return exp.Cast(this=exp.Literal.number(value), to=exp.DataType.build("BIGINT"))


def _call(name: str, *parts: exp.Expr) -> exp.Expr:
    return exp.Anonymous(this=name, expressions=[part.copy() for part in parts])
