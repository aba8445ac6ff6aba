"""The SQL front end: one SELECT of aggregates over one table becomes a plan."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Final

from sqlglot import errors as sql_errors
from sqlglot import exp
from sqlglot.dialects.duckdb import DuckDB

from partita.errors import QueryRefused
from partita.errors import query as refuse
from partita.query.conditions import Condition, everywhere
from partita.query.expressions import Case, Expression, Number
from partita.query.keys import Each, Key
from partita.query.plan import Aggregate, Average, Count, CountRows, KeyColumn, Plan, ShownColumn, Sum, ValueColumn
from partita.query.program import cells
from partita.query.reading import Reader, words
from partita.query.rewrite import rewritten
from partita.query.schema import Table
from partita.query.text import shown_key

LONGEST: Final = 50_000
# What the parser is known to raise on text that is not SQL.
_UNREADABLE: Final = (
    sql_errors.SqlglotError,
    ValueError,
    TypeError,
    AttributeError,
    IndexError,
    KeyError,
    AssertionError,
    OverflowError,
)
_READ: Final = {"expressions", "from_", "where", "group"}
_AFTERWARDS: Final = "It costs nothing to do that with the answer afterwards."
_CLAUSES: Final[dict[str, tuple[str, str]]] = {
    "distinct": ("SELECT DISTINCT", "Use GROUP BY: every possible key comes back with its aggregates."),
    "having": ("HAVING", _AFTERWARDS),
    "order": ("ORDER BY", _AFTERWARDS),
    "limit": ("LIMIT", _AFTERWARDS),
    "offset": ("OFFSET", _AFTERWARDS),
    "with_": ("WITH", "Ask one SELECT about the table itself."),
    "qualify": ("QUALIFY", "It would make one row depend on others. Use WHERE."),
    "windows": ("WINDOW", "It would make one row depend on others. Use GROUP BY."),
    "laterals": ("LATERAL", "A question reads one table as it is."),
    "pivots": ("PIVOT", "Use GROUP BY, and turn the answer afterwards."),
    "sample": ("TABLESAMPLE", "Every question reads all rows; noise protects them."),
    "into": ("INTO", "A question changes nothing."),
    "locks": ("FOR UPDATE", "A question changes nothing."),
}
_OTHER_AGGREGATES: Final[dict[str, str]] = {
    "MIN": "The least value is one person's value.",
    "MAX": "The greatest value is one person's value.",
}


def read(text: str, tables: Mapping[str, Table] | Iterable[Table]) -> Plan:
    """The plan of a question in SQL, rewritten into its normal form.

    >>> from partita.region.columns import integers
    >>> visits = Table("visits", [], {"age": integers(0, 120)})
    >>> print(read("select count(*) as n from visits where age >= 65 and age < 70", [visits]).sql())
    SELECT COUNT(*) AS n
    FROM visits
    WHERE age BETWEEN 65 AND 69
    """
    if not isinstance(text, str):
        raise refuse.not_text(text)
    if len(text) > LONGEST:
        raise refuse.too_long(len(text), LONGEST)
    listed = tables.values() if isinstance(tables, Mapping) else tables
    known = {table.name.lower(): table for table in listed}
    try:
        return rewritten(_plan(text, _parsed(text), known))
    except RecursionError:
        raise refuse.too_deep() from None
    except sql_errors.SqlglotError:
        # Something that parses and still cannot be written again, such as DATE().
        raise refuse.unreadable("part of it has no meaning") from None


def _parsed(text: str) -> exp.Select:
    try:
        statements = [tree for tree in DuckDB().parse(text) if tree is not None]
    except sql_errors.ParseError as problem:
        raise _unreadable(text, problem) from None
    except _UNREADABLE:
        raise refuse.unreadable("it does not parse") from None
    if len(statements) != 1:
        raise refuse.several_statements(len(statements)) if statements else refuse.unreadable("it is empty")
    tree = statements[0]
    if isinstance(tree, exp.Subquery):
        tree = tree.unnest()
    if not isinstance(tree, exp.Select):
        raise refuse.not_a_select(tree.key.upper())
    return tree


def _unreadable(text: str, problem: sql_errors.ParseError) -> QueryRefused:
    details = problem.errors[0] if problem.errors else {}
    reason = str(details.get("description") or "it does not parse").rstrip(".")
    refusal = refuse.unreadable(reason[:1].lower() + reason[1:])
    line, column, highlight = details.get("line"), details.get("col"), str(details.get("highlight") or "")
    if not isinstance(line, int) or not isinstance(column, int) or not highlight:
        return refusal
    opening = sum(len(row) + 1 for row in text.split("\n")[: line - 1])
    start = max(0, min(opening + column - len(highlight), max(0, len(text) - 1)))
    return refuse.at(refusal, refuse.Words(text, start, start + len(highlight)))


def _plan(text: str, tree: exp.Select, tables: Mapping[str, Table]) -> Plan:
    for clause, value in tree.args.items():
        if value and clause not in _READ:
            if clause == "joins":
                raise refuse.at(refuse.several_tables(), words(text, value[0]))
            word, advice = _CLAUSES.get(clause, (clause.strip("_").upper(), "Leave it out."))
            node = value[0] if isinstance(value, list) else value
            raise refuse.at(
                refuse.clause_not_answered(word, advice), words(text, node) if isinstance(node, exp.Expr) else None
            )
    reader = _reader(text, tree, tables)
    where = tree.args.get("where")
    selected = [_named(item) for item in tree.expressions]
    keys = _keys(reader, tree, selected)
    shown: list[ShownColumn] = []
    for item, name in selected:
        shown.append(_shown(reader, item, name, keys, tree))
        if any(shown[-1].name.lower() == column.name.lower() for column in shown[:-1]):
            raise reader.refused(item, refuse.repeated_name(shown[-1].name))
    aggregates = tuple(column.aggregate for column in shown if isinstance(column, ValueColumn))
    if not aggregates:
        raise refuse.at(refuse.no_aggregate(), words(text, tree.expressions[0]) if tree.expressions else None)
    condition = everywhere(reader.table.domain) if where is None else reader.condition(where.this)
    try:
        cells(keys, condition)
    except QueryRefused as problem:
        raise refuse.at(problem, words(text, tree.args["group"])) from None
    return Plan(reader.table, condition, keys, aggregates, tuple(shown))


def _reader(text: str, tree: exp.Select, tables: Mapping[str, Table]) -> Reader:
    source = tree.args.get("from_")
    if source is None:
        raise refuse.no_table()
    named = source.this
    if not isinstance(named, exp.Table) or not isinstance(named.this, exp.Identifier):
        kind = (
            "A query" if isinstance(named, exp.Subquery) else "A function" if isinstance(named, exp.Table) else "This"
        )
        raise refuse.at(refuse.not_a_table(kind), words(text, named))
    table = tables.get(named.name.lower())
    if table is None or named.args.get("db") or named.args.get("catalog"):
        raise refuse.at(
            refuse.unknown_table(named.sql(dialect="duckdb"), sorted(table.name for table in tables.values())),
            words(text, named),
        )
    for clause in ("sample", "pivots", "joins", "laterals", "version", "when", "partition"):
        if named.args.get(clause):
            name, advice = _CLAUSES.get(clause, (clause.upper(), "Leave it out."))
            raise refuse.at(refuse.clause_not_answered(name, advice), words(text, named))
    return Reader(text, table, named.alias or table.name)


def _named(item: exp.Expr) -> tuple[exp.Expr, str | None]:
    if isinstance(item, exp.Alias):
        return item.this, item.alias
    return item, None


def _keys(reader: Reader, tree: exp.Select, selected: list[tuple[exp.Expr, str | None]]) -> tuple[Key, ...]:
    group = tree.args.get("group")
    if group is None:
        return ()
    for option, value in group.args.items():
        if value and option != "expressions":
            raise reader.refused(
                group, refuse.clause_not_answered(f"GROUP BY {option.upper()}", "Name the keys one by one.")
            )
    found: list[Key] = []
    for node in group.expressions:
        if isinstance(node, exp.Rollup | exp.Cube | exp.GroupingSets):
            raise reader.refused(
                node, refuse.clause_not_answered(node.key.upper(), "Ask one question for each grouping you need.")
            )
        key = reader.key(_meant(reader, node, selected))
        if key is None:
            raise reader.refused(node, refuse.not_a_key(node.sql(dialect="duckdb")))
        if key not in found:
            found.append(key)
    return tuple(found)


def _meant(reader: Reader, node: exp.Expr, selected: list[tuple[exp.Expr, str | None]]) -> exp.Expr:
    """What GROUP BY 1 or GROUP BY alias stand for."""
    if isinstance(node, exp.Literal) and not node.is_string:
        place = reader.number(node)
        if place.denominator == 1 and 1 <= place <= len(selected):
            return selected[int(place) - 1][0]
    if isinstance(node, exp.Column) and not node.table:
        declared = {name.lower() for name in reader.table.columns}
        for item, name in selected:
            if name is not None and name.lower() == node.name.lower() and name.lower() not in declared:
                return item
    return node


def _shown(reader: Reader, item: exp.Expr, name: str | None, keys: tuple[Key, ...], tree: exp.Select) -> ShownColumn:
    if isinstance(item, exp.Star) or (isinstance(item, exp.Column) and isinstance(item.this, exp.Star)):
        raise reader.refused(item, refuse.rows_themselves("SELECT *"))
    aggregate = _aggregate(reader, item)
    if aggregate is not None:
        return ValueColumn(name or reader.written(item), aggregate)
    key = reader.key(item)
    if key is None:
        if item.find(exp.AggFunc) is not None:
            raise reader.refused(item, refuse.aggregate_arithmetic())
        raise reader.refused(item, refuse.rows_themselves(item.sql(dialect="duckdb")))
    if key not in keys:
        shown = shown_key(key)
        if keys or tree.find(exp.AggFunc) is not None:
            raise reader.refused(item, refuse.not_grouped(shown))
        raise reader.refused(item, refuse.rows_themselves(shown))
    return KeyColumn(name or (key.column if isinstance(key, Each) else reader.written(item)), key)


def _aggregate(reader: Reader, node: exp.Expr) -> Aggregate | None:
    match node:
        case exp.Paren():
            return _aggregate(reader, node.this)
        case exp.Filter():
            inner = _aggregate(reader, node.this)
            where = node.expression.this if isinstance(node.expression, exp.Where) else node.expression
            return None if inner is None else _only(inner, reader.condition(where))
        case exp.CountIf():
            return _only(CountRows(), reader.condition(node.this))
        case exp.Count():
            return _count(reader, node)
        case exp.Sum() | exp.Avg():
            if isinstance(node.this, exp.Distinct):
                raise reader.refused(
                    node, refuse.function_not_answered(f"{node.sql_name()}(DISTINCT ...)", "Leave DISTINCT out.")
                )
            of = reader.expression(node.this)
            return Sum(of) if isinstance(node, exp.Sum) else Average(of)
        case exp.Window():
            raise reader.refused(
                node,
                refuse.function_not_answered("A window function", "It makes one row depend on others. Use GROUP BY."),
            )
        case exp.AggFunc():
            name = node.sql_name()
            advice = _OTHER_AGGREGATES.get(name, "")
            raise reader.refused(node, refuse.function_not_answered(name, f"{advice} Write COUNT, SUM or AVG.".strip()))
        case _:
            return None


def _count(reader: Reader, node: exp.Count) -> Aggregate:
    of = node.this
    if of is None or isinstance(of, exp.Star):
        return CountRows()
    if isinstance(of, exp.Distinct):
        raise reader.refused(
            node,
            refuse.function_not_answered(
                "COUNT(DISTINCT ...)", "Count rows with COUNT(*), or the rows of each value with GROUP BY."
            ),
        )
    if node.expressions:
        raise reader.refused(node, refuse.wrong_arguments("COUNT", "COUNT(*) or COUNT(x)"))
    return Count(reader.counted(of))


def _only(aggregate: Aggregate, condition: Condition) -> Aggregate:
    """FILTER (WHERE ...): rows that do not meet the condition count as NULL."""

    def kept(of: Expression) -> Expression:
        return Case(((condition, of),), Number(None))

    match aggregate:
        case CountRows():
            return Count(kept(Number(Fraction(1))))
        case Count(of):
            return Count(kept(of))
        case Sum(of):
            return Sum(kept(of))
        case Average(of):
            return Average(kept(of))
