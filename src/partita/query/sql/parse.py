"""The SQL front end: one SELECT of aggregates over one table becomes a plan."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Final, final

from sqlglot import errors as sql_errors
from sqlglot import exp
from sqlglot.dialects.duckdb import DuckDB

from partita.effort import within_effort
from partita.errors import QueryRefused
from partita.errors.query import language as refuse
from partita.errors.query.underlined import Words, at
from partita.query.exact.program import cells
from partita.query.language.aggregates import CountDifferent
from partita.query.language.conditions import Condition, everywhere
from partita.query.language.formulas import Constant, Formula, Label, leaves
from partita.query.language.joined import joined_of
from partita.query.language.keys import Key, Opened
from partita.query.language.plan import KeyColumn, Lines, Order, Plan, ShownColumn, ValueColumn, needed
from partita.query.rewrite import rewritten
from partita.query.sql import null_tests
from partita.query.sql.advice import CLAUSES, DISTINCT, for_aggregate, for_select, for_window, why
from partita.query.sql.column_functions import slab
from partita.query.sql.grouping_sets import Sets, grouping_sets, summable
from partita.query.sql.joins import paired, read_join
from partita.query.sql.people.derived_tables import derived_tables
from partita.query.sql.people.per_user import GatheringWords
from partita.query.sql.people.person_joins import person_join
from partita.query.sql.places import words
from partita.query.sql.releases.stages import Staged, staged
from partita.query.sql.releases.statement import Splitter, Statement
from partita.query.sql.scalars import Reader
from partita.query.sql.select_list import Selecting
from partita.query.sql.spelling import spelled
from partita.query.sql.subqueries import Inliner, inlined
from partita.query.sql.synonyms import plain, steady
from partita.query.tables.people import People
from partita.query.tables.public import PublicTable
from partita.query.tables.schema import Table

LONGEST: Final = 50_000
# Groups times groupings of them: each line of a margin is summed up from the groups.
MOST_SUMMED: Final = 2**22
# Behind comments and brackets.
_FIRST_WORD: Final = re.compile(r"(?:\s|--[^\n]*\n|/\*.*?\*/|\()*+([A-Za-z]+)", re.DOTALL)
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
_READ: Final = {
    "kind",
    "expressions",
    "from_",
    "joins",
    "where",
    "group",
    "having",
    "order",
    "limit",
    "offset",
    "distinct",
}


@within_effort
def read(
    text: str,
    tables: Mapping[str, Table] | Iterable[Table],
    public: Mapping[str, PublicTable] | None = None,
    most: Mapping[str, int] | None = None,
    people: People | None = None,
) -> Plan:
    """The plan of a question in SQL, rewritten into its normal form.

    ``most`` says for each table how many rows of one owner the promises let any question use. ``people`` are those
    whose tables these are: then they may be joined, and each has its own cap.

    >>> from partita.region.columns import integers
    >>> visits = Table("visits", [], {"age": integers(0, 120)})
    >>> print(read("select count(*) as n from visits where age >= 65 and age < 70", [visits]).sql())
    SELECT COUNT(*) AS n
    FROM visits
    WHERE age BETWEEN 65 AND 69
    """
    return Asked.of(text, tables, public, most, people).plan(None)


@within_effort
def read_statement(
    text: str,
    tables: Mapping[str, Table] | Iterable[Table],
    public: Mapping[str, PublicTable] | None = None,
    most: Mapping[str, int] | None = None,
    people: People | None = None,
) -> Plan | Statement | Staged:
    """The plan of a question, or the questions of a statement that computes something from their answers.

    What is one question in this language stays one, whatever is said around it. A question that has others inside its
    conditions is asked in stages.
    """
    asked = Asked.of(text, tables, public, most, people)
    with _readable():
        try:
            return _second(asked, None)
        except QueryRefused as problem:
            refusal = problem
        with _no_further_than(refusal):
            tree, second = query(text), lambda one: _second(asked, one)
            found = None if tree is None else staged(text, tree, asked.tables, asked.plan, second)
    if found is None:
        raise refusal
    return found


def _second(asked: Asked, tree: exp.Expr | None) -> Plan | Statement:
    """A text, or a tree made of it: one question, or a statement about the answers to some."""
    try:
        if tree is None or isinstance(tree, exp.Select):
            return asked.plan(None if tree is None else tree.copy())
        raise refuse.union_of_aggregates()
    except QueryRefused as problem:
        refusal = problem
    with _no_further_than(refusal):
        found = _statement(asked, query(asked.text) if tree is None else tree)
    if found is None:
        raise refusal
    return found


@contextmanager
def _no_further_than(refusal: QueryRefused) -> Iterator[None]:
    """Another reading is tried; where the steps are used up by it, what was said first stands."""
    try:
        yield
    except QueryRefused as problem:
        raise (refusal if problem.code == "query.too-much-work" else problem) from None


def _statement(asked: Asked, tree: exp.Expr | None) -> Statement | None:
    """The questions inside a statement; None where it is none about their answers."""
    if tree is None:
        return None
    facts = {name.lower(): table for name, table in asked.public.items()}
    found = Splitter(asked.text, asked.tables, facts, asked.plan).split(tree)
    if found is not None:
        steady(asked.text, found.outer)
    return found


@contextmanager
def _readable() -> Iterator[None]:
    try:
        yield
    except RecursionError:
        raise refuse.too_deep() from None
    except sql_errors.SqlglotError:
        # Something that parses and still cannot be written again, such as DATE().
        raise refuse.unreadable("part of it has no meaning") from None


def query(text: str) -> exp.Expr | None:
    """A question's text as a tree, if it is a SELECT or several put together."""
    tree = _parsed_one(text)
    return tree if isinstance(tree, exp.Select | exp.SetOperation) else None


def _parsed(text: str) -> exp.Select:
    tree = _parsed_one(text)
    if isinstance(tree, exp.Union):
        raise at(refuse.union_of_aggregates(), words(text, tree))
    if isinstance(tree, exp.Except | exp.Intersect):
        raise refuse.set_operation(tree.key.upper())
    if not isinstance(tree, exp.Select):
        raise refuse.not_a_select(tree.key.upper())
    return tree


def _parsed_one(text: str) -> exp.Expr:
    opening = _FIRST_WORD.match(text)
    if opening is not None and (advice := for_select(opening[1])) is not None:
        raise refuse.not_a_select(opening[1].upper(), advice)
    try:
        statements = [tree for tree in DuckDB().parse(text) if tree is not None]
    except sql_errors.ParseError as problem:
        raise _unreadable(text, problem) from None
    except _UNREADABLE:
        raise refuse.unreadable("it does not parse") from None
    if len(statements) != 1:
        raise refuse.several_statements(len(statements)) if statements else refuse.unreadable("it is empty")
    tree = statements[0]
    while isinstance(tree, exp.Subquery):
        for clause, value in tree.args.items():
            if value and clause != "this":
                raise at(refuse.not_simple(clause.strip("_").upper()), words(text, tree))
        tree = tree.this
    return spelled(null_tests.checked(text, tree))


def _unreadable(text: str, problem: sql_errors.ParseError) -> QueryRefused:
    details = problem.errors[0] if problem.errors else {}
    refusal = refuse.unreadable(why(text, str(details.get("description") or "")))
    line, column, highlight = details.get("line"), details.get("col"), str(details.get("highlight") or "")
    if not isinstance(line, int) or not isinstance(column, int) or not highlight:
        return refusal
    opening = sum(len(row) + 1 for row in text.split("\n")[: line - 1])
    start = max(0, min(opening + column - len(highlight), max(0, len(text) - 1)))
    return at(refusal, Words(text, start, start + len(highlight)))


@final
@dataclass(frozen=True, slots=True)
class Asked:
    """A question's text, and what it may speak of."""

    text: str
    tables: Mapping[str, Table]
    public: Mapping[str, PublicTable]
    most: Mapping[str, int]
    people: People | None = None

    @classmethod
    def of(
        cls,
        text: str,
        tables: Mapping[str, Table] | Iterable[Table],
        public: Mapping[str, PublicTable] | None,
        most: Mapping[str, int] | None,
        people: People | None,
    ) -> Asked:
        """A text about some tables, or about those of some people."""
        if not isinstance(text, str):
            raise refuse.not_text(text)
        if len(text) > LONGEST:
            raise refuse.too_long(len(text), LONGEST)
        if people is not None:
            tables, most = people.tables, {name: people.altogether(name) for name in people.keepings}
        listed = tables.values() if isinstance(tables, Mapping) else tables
        known = {table.name.lower(): table for table in listed}
        return cls(text, known, public or {}, most or {}, people)

    def among(self, people: People) -> Asked:
        """The same text about the tables of these people."""
        return Asked.of(self.text, {}, self.public, None, people)

    def plan(self, tree: exp.Select | None) -> Plan:
        """The plan of a part of the text, or of all of it, in its normal form."""
        with _readable():
            return rewritten(_plan(self, _parsed(self.text) if tree is None else tree))

    def rows(self, table: Table) -> int | None:
        """How many rows of one owner any question may use, if there is a limit."""
        return self.most.get(table.name) if (joined := joined_of(table)) is None else joined.altogether


def _plan(asked: Asked, given: exp.Select) -> Plan:
    text = asked.text
    given = plain(text, given, asked.public)
    if asked.people is not None:
        own = asked
        asked = own.among(derived_tables(text, given, asked.people, lambda one, tree: _based(own.among(one), tree)))
    made = inlined(text, given, (table.owner for table in asked.tables.values()))
    tree, stored = made.tree, made.tree
    inner = _gathering(tree)
    if inner is not None:
        stored = inner
    base, met = _based(asked, stored)
    base = replace(base, texts=True)
    _check_apart(base, made.apart)
    reader, per_user = base, None
    if inner is not None:
        met = met if (where := inner.args.get("where")) is None else met & base.condition(where.this)
        per_user, rest = GatheringWords(base, inner, asked.rows(base.table)).read()
        alias = tree.args["from_"].this.alias
        tree = Inliner(text).merged(tree, rest, alias)
        each = None if per_user.keys else per_user.owner
        reader = Reader(text, per_user.table, alias or per_user.table.name, each=each)
    _check_clauses(text, tree)
    selected = [_named(item) for item in tree.expressions]
    for item, _ in selected:
        if item.find(exp.Window) is not None:
            raise reader.refused(item, refuse.function_not_answered(*for_window(item)))
    keys, sets = _keys(reader, tree, selected)
    shown: list[ShownColumn] = []
    selecting = Selecting(reader, keys, {})
    for item, name in selected:
        shown.append(_shown(selecting, item, name, tree))
        if any(shown[-1].name.lower() == column.name.lower() for column in shown[:-1]):
            raise reader.refused(item, refuse.repeated_name(shown[-1].name))
    named = {column.name.lower(): _meaning(column) for column in shown}
    written = {column.name.lower(): item for column, (item, _) in zip(shown, selected, strict=True)}
    lines = _lines(Selecting(reader, keys, named, written), tree, shown)
    lines = replace(lines, sets=sets)
    aggregates = needed(tuple(shown), lines)
    if sets and not summable(keys, aggregates):
        raise at(refuse.margins_of_unlike(), words(text, tree.args["group"]))
    if any(isinstance(key, Opened) for key in keys) and any(isinstance(one, CountDifferent) for one in aggregates):
        raise refuse.function_not_answered("COUNT(DISTINCT ...) beside keys of open text", DISTINCT)
    if not aggregates:
        raise at(refuse.no_aggregate(), words(text, tree.expressions[0]) if tree.expressions else None)
    condition = everywhere(reader.table.domain) if per_user is not None else met
    condition = condition if (where := tree.args.get("where")) is None else condition & reader.condition(where.this)
    try:
        grouped = cells(keys, condition)
        if len(sets) * grouped.count > MOST_SUMMED:
            raise refuse.too_many_groups(len(sets) * grouped.count, MOST_SUMMED)
    except QueryRefused as problem:
        raise at(problem, words(text, tree.args["group"])) from None
    if per_user is None:
        return Plan(reader.table, condition, keys, aggregates, tuple(shown), lines)
    kept = replace(per_user, where=condition)
    return Plan(base.table, met, keys, aggregates, tuple(shown), lines, per_user=kept)


def _check_clauses(text: str, tree: exp.Select) -> None:
    for clause, value in tree.args.items():
        if value and clause not in _READ:
            word, advice = CLAUSES.get(clause, (clause.strip("_").upper(), "Leave it out."))
            node = value[0] if isinstance(value, list) else value
            raise at(
                refuse.clause_not_answered(word, advice), words(text, node) if isinstance(node, exp.Expr) else None
            )


def _gathering(tree: exp.Select) -> exp.Select | None:
    """The question in brackets that gathers rows, if there is one."""
    source = tree.args.get("from_")
    inner = None if source is None else source.this
    return inner.this if isinstance(inner, exp.Subquery) and isinstance(inner.this, exp.Select) else None


def _based(asked: Asked, tree: exp.Select) -> tuple[Reader, Condition]:
    """Who reads the words of a question about stored rows, and what its joins leave of them."""
    joined = None if asked.people is None else person_join(asked.text, tree, asked.people, asked.public)
    reader = _reader(asked.text, tree, asked.tables if joined is None else {joined.name.lower(): joined})
    domain = reader.table.domain
    met = everywhere(domain)
    known = {name.lower(): table for name, table in asked.public.items()}
    paired(tree, known)
    for node in tree.args.get("joins") or ():
        join = read_join(node, asked.tables, known, reader.looked, reader.refused)
        reader = replace(reader, joined=(*reader.joined, join.joined))
        if join.inner:
            codes = [code for code, row in enumerate(join.joined.rows) if row is not None]
            met = met & Condition(slab(domain, join.joined.column, codes))
    return reader, met


def _check_apart(reader: Reader, unions: tuple[tuple[exp.Expr, ...], ...]) -> None:
    """Parts of a UNION ALL must exclude each other, or a row would count twice."""
    for parts in unions:
        found = [reader.condition(part) for part in parts]
        for place, one in enumerate(found):
            for other in found[:place]:
                if one.region.meets(other.region):
                    raise reader.refused(parts[place], refuse.union_that_overlaps())


def _reader(text: str, tree: exp.Select, tables: Mapping[str, Table]) -> Reader:
    source = tree.args.get("from_")
    if source is None:
        raise refuse.no_table()
    named = source.this
    if not isinstance(named, exp.Table) or not isinstance(named.this, exp.Identifier):
        called = {exp.Subquery: "A question that aggregates", exp.Table: "A function"}
        kind = called.get(type(named), "This")
        raise at(refuse.not_a_table(kind), words(text, named))
    table = tables.get(named.name.lower())
    if table is None or named.db.lower() not in ("", "main", "public"):
        raise at(
            refuse.unknown_table(named.sql(dialect="duckdb"), sorted(table.name for table in tables.values())),
            words(text, named),
        )
    for clause in ("sample", "pivots", "joins", "laterals", "version", "when", "partition"):
        if named.args.get(clause):
            name, advice = CLAUSES.get(clause, (clause.upper(), "Leave it out."))
            raise at(refuse.clause_not_answered(name, advice), words(text, named))
    if named.alias_column_names:
        raise at(refuse.columns_unclear(f"{named.alias}({', '.join(named.alias_column_names)})"), words(text, named))
    return Reader(text, table, named.alias or table.name)


def _named(item: exp.Expr) -> tuple[exp.Expr, str | None]:
    if isinstance(item, exp.Alias):
        return item.this, item.alias
    return item, None


def _keys(
    reader: Reader, tree: exp.Select, selected: list[tuple[exp.Expr, str | None]]
) -> tuple[tuple[Key, ...], Sets]:
    group = tree.args.get("group")
    if group is None:
        return (), ()
    if group.args.get("all"):
        listed = [item for item, _ in selected if item.find(exp.AggFunc) is None and not isinstance(item, exp.Literal)]
        group = exp.Group(expressions=listed)
    for option, value in group.args.items():
        if value and option != "expressions":
            raise reader.refused(
                group, refuse.clause_not_answered(f"GROUP BY {option.upper()}", "Name the keys one by one.")
            )
    sets = grouping_sets(group.expressions, lambda node: _key(reader, node, selected))
    keys = tuple({id(key): key for one in sets for key in one}.values())
    return keys, () if len(sets) == 1 else sets


def _key(reader: Reader, node: exp.Expr, selected: list[tuple[exp.Expr, str | None]]) -> Key:
    key = reader.key(_meant(reader, node, selected))
    if key is None:
        raise reader.refused(node, refuse.not_a_key(reader.written(_meant(reader, node, selected))))
    return key


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


def _shown(selecting: Selecting, item: exp.Expr, name: str | None, tree: exp.Select) -> ShownColumn:
    reader = selecting.reader
    if isinstance(item, exp.Star) or (isinstance(item, exp.Column) and isinstance(item.this, exp.Star)):
        raise reader.refused(item, refuse.rows_themselves("SELECT *"))
    if not selecting.keys and tree.find(exp.AggFunc) is None:
        if isinstance(item, exp.Anonymous):
            raise reader.refused(item, refuse.function_not_answered(*for_aggregate(reader.text, item)))
        raise reader.refused(item, refuse.rows_themselves(item.sql(dialect="duckdb")))
    formula = selecting.formula(item)
    if isinstance(formula, Label):
        plain = item.name if isinstance(item, exp.Column) else reader.written(item)
        return KeyColumn(name or plain, formula.key)
    return ValueColumn(name or reader.written(item), formula)


def _meaning(column: ShownColumn) -> Formula:
    return Label(column.key) if isinstance(column, KeyColumn) else column.formula


def _lines(selecting: Selecting, tree: exp.Select, shown: list[ShownColumn]) -> Lines:
    """HAVING, ORDER BY, LIMIT, OFFSET and DISTINCT: chosen from noisy numbers, for nothing."""
    reader = selecting.reader
    having, order, distinct = tree.args.get("having"), tree.args.get("order"), tree.args.get("distinct")
    if distinct is not None and distinct.args.get("on"):
        raise reader.refused(distinct, refuse.clause_not_answered("DISTINCT ON", "Use GROUP BY."))
    ordered = []
    for item in order.expressions if order is not None else ():
        by = _ordered_by(selecting, item.this, shown)
        ordered.append(Order(by, bool(item.args.get("desc")), bool(item.args.get("nulls_first"))))
    return Lines(
        having=None if having is None else selecting.condition(having.this),
        order=tuple(ordered),
        limit=_whole(reader, tree.args.get("limit"), "LIMIT"),
        offset=_whole(reader, tree.args.get("offset"), "OFFSET") or 0,
        distinct=distinct is not None,
    )


def _ordered_by(selecting: Selecting, node: exp.Expr, shown: list[ShownColumn]) -> Formula:
    if isinstance(node, exp.Literal) and not node.is_string:
        place = selecting.reader.number(node)
        if place.denominator == 1 and 1 <= place <= len(shown):
            return _meaning(shown[int(place) - 1])
    by = selecting.formula(node)
    if isinstance(by, Constant) or not any(True for _ in leaves(by)):
        raise selecting.reader.refused(node, refuse.not_an_order(node.sql(dialect="duckdb")))
    return by


def _whole(reader: Reader, node: exp.Expr | None, clause: str) -> int | None:
    """The number of lines that LIMIT or OFFSET names."""
    if node is None:
        return None
    options = node.args.get("limit_options")
    given = node.args.get("count") if isinstance(node, exp.Fetch) else node.args.get("expression")
    number = None if given is None else reader.constant(given)
    odd = options is not None and (options.args.get("percent") or options.args.get("with_ties"))
    if number is None or number.denominator != 1 or number < 0 or odd:
        raise reader.refused(node, refuse.needs_constant(clause, "a whole number of lines"))
    return int(number)
