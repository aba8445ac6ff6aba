"""A statement around releases: which of its SELECTs are questions about protected rows, and what is made of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, final

from sqlglot import exp

from partita.effort import Work, spend
from partita.errors import QueryRefused
from partita.errors.query import language as refuse
from partita.errors.query import presenting as refuse_shown
from partita.errors.query.underlined import at
from partita.query.language.plan import Plan
from partita.query.sql.places import words, written
from partita.query.sql.releases.distributions import spread_out
from partita.query.sql.releases.lifted import asked_keys, lifted, sums_up
from partita.query.tables.public import PublicTable
from partita.query.tables.schema import Table

MOST_RELEASES: Final = 32
_ODD: Final = (exp.TableSample, exp.Into, exp.Lock, exp.Command, exp.DML, exp.DDL)
_SCHEMAS: Final = ("", "main", "public")

Read = Callable[[exp.Select], Plan]


@final
@dataclass(frozen=True)
class Statement:
    """What is computed from released numbers: ``outer`` is SQL over tables that hold the answers to some questions.

    Only the questions are charged. ``outer`` names no protected table: each SELECT that reads one was taken out of it.
    """

    text: str
    outer: exp.Expr
    questions: Mapping[str, Plan]
    public: tuple[str, ...] = ()

    def sql(self) -> str:
        """The outer statement, as the engine that shows released numbers is given it."""
        return self.outer.sql(dialect="duckdb", comments=False)

    @property
    def empty(self) -> bool:
        """Whether it shows no line, whatever is released: LIMIT 0."""
        limit = self.outer.args.get("limit")
        return limit is not None and isinstance(limit.expression, exp.Literal) and limit.expression.name == "0"

    def unordered(self) -> str:
        """The same with every line, in any order: without what chooses among lines when all is computed."""
        made = self.outer.copy()
        clauses = ["order", "limit", "offset"]
        if isinstance(made, exp.Select) and made.args.get("distinct") is None:
            clauses.append("qualify")
        for clause in clauses:
            made.set(clause, None)
        return made.sql(dialect="duckdb", comments=False)


@final
@dataclass(frozen=True, slots=True)
class _Rows:
    """Something that stands for protected rows; ``owners`` are the names under which it has whose they are.

    ``named`` is the part of WITH that gave it its name, if one did.
    """

    owners: frozenset[str]
    named: exp.CTE | None = None


_Scope = Mapping[str, _Rows | None]


@final
@dataclass
class Splitter:
    """Takes the questions out of one statement; ``read`` makes the plan of a SELECT over protected rows."""

    text: str
    tables: Mapping[str, Table]
    public: Mapping[str, PublicTable]
    read: Read
    questions: dict[str, Plan] = field(default_factory=dict)
    used: dict[str, None] = field(default_factory=dict)

    def split(self, tree: exp.Expr) -> Statement | None:
        """The statement without its questions; None where protected rows themselves would be its lines."""
        holder = exp.Paren(this=tree)
        spend(10 * sum(1 for _ in tree.walk()), Work.WORDS)
        if self._kind(tree, {}) is not None:
            return None
        self._shown(tree, {})
        made = holder.this
        self._closed(made)
        return Statement(self.text, self._named(made), self.questions, tuple(self.used)) if self.questions else None

    # --- what stands for protected rows ----------------------------------------------------------------------------

    def _kind(self, tree: exp.Expr, scope: _Scope) -> _Rows | None:
        """The rows that a question in brackets gives, if it gives protected ones and not a release of them."""
        while isinstance(tree, exp.Subquery | exp.Paren):
            tree = tree.this
        scope = self._within(tree, scope)
        if isinstance(tree, exp.SetOperation):
            sides = [self._kind(side, scope) for side in (tree.this, tree.expression)]
            found = [side for side in sides if side is not None]
            return found[0] if len(found) == len(sides) else None
        if not isinstance(tree, exp.Select):
            return None
        read = [rows for source in _sources(tree) if (rows := self._source(source, scope)) is not None]
        if not read:
            return None
        owners = frozenset(owner for rows in read for owner in rows.owners)
        if not sums_up(tree):
            return _Rows(_projected(tree, owners))
        keys = asked_keys(tree, self._declared(tree, scope))
        if any(column.name.lower() in owners for key in keys for column in key.find_all(exp.Column)):
            return _Rows(_projected(tree, owners))
        return None

    def _declared(self, tree: exp.Select, scope: _Scope) -> frozenset[str]:
        """The names that columns of the rows after FROM may have; rather too many than one too few."""
        found = {name.lower() for table in self.tables.values() for name in table.columns}
        found |= {name.lower() for table in self.public.values() for name in table.columns}
        inside: list[exp.Expr] = []
        for source in _sources(tree):
            rows = scope.get(source.name.lower()) if isinstance(source, exp.Table) else None
            inside.append(source if rows is None or rows.named is None else rows.named)
        queries = (query for one in inside for query in one.find_all(exp.Select))
        return frozenset(found).union(item.alias_or_name.lower() for query in queries for item in query.expressions)

    def _source(self, node: exp.Expr, scope: _Scope) -> _Rows | None:
        if isinstance(node, exp.Subquery):
            return self._kind(node.this, scope)
        if not isinstance(node, exp.Table) or not isinstance(node.this, exp.Identifier):
            return None
        name = node.name.lower()
        if not node.db and name in scope:
            return scope[name]
        table = self.tables.get(name)
        if table is None or node.db.lower() not in _SCHEMAS:
            return None
        return _Rows(frozenset(name.lower() for name, column in table.columns.items() if column.kind == "identifier"))

    def _within(self, tree: exp.Expr, scope: _Scope) -> _Scope:
        """The names that WITH adds."""
        given = tree.args.get("with_")
        if given is None:
            return scope
        if given.args.get("recursive"):
            raise self._refused(given, refuse.recursive())
        found = dict(scope)
        for part in given.expressions:
            name = part.alias.lower()
            if name in self.public:
                raise self._refused(part, refuse.name_taken(part.alias))
            if name in found:
                raise self._refused(part, refuse_shown.name_given_twice(part.alias))
            rows = self._kind(part.this, found)
            found[name] = None if rows is None else replace(rows, named=part.copy())
        return found

    # --- what is shown ---------------------------------------------------------------------------------------------

    def _shown(self, tree: exp.Expr, scope: _Scope) -> None:
        """Make a query, where it stands, one over releases."""
        if isinstance(tree, exp.Subquery | exp.Paren):
            self._shown(tree.this, scope)
            return
        inner = self._within(tree, scope)
        self._with(tree, scope)
        if isinstance(tree, exp.SetOperation):
            self._shown(tree.this, inner)
            self._shown(tree.expression, inner)
        elif isinstance(tree, exp.Select):
            protected = [self._source(source, inner) is not None for source in _sources(tree)]
            if any(protected):
                self._asked(tree, inner)
            else:
                self._presented(tree, inner)
        elif not isinstance(tree, exp.Values):
            raise self._refused(tree, refuse.not_a_select(tree.key.upper()))

    def _with(self, tree: exp.Expr, scope: _Scope) -> None:
        """WITH: releases stay, and what stands for protected rows is kept for the questions about it."""
        given = tree.args.get("with_")
        if given is None:
            return
        known, before, kept = self._within(tree, scope), dict(scope), []
        for part in list(given.expressions):
            name = part.alias.lower()
            if known[name] is None:
                self._shown(part.this, dict(before))
                kept.append(part)
            before[name] = known[name]
        given.set("expressions", kept)
        if not kept:
            tree.set("with_", None)

    def _presented(self, tree: exp.Select, scope: _Scope) -> None:
        """A SELECT over releases: what stands in it is looked at, part by part."""
        for source in _sources(tree):
            self._checked(source, scope)
        for table in _tables(tree):
            self._checked(table, scope)
        for query in list(_nested(tree)):
            self._shown(query, scope)

    def _checked(self, source: exp.Expr, scope: _Scope) -> None:
        if isinstance(source, exp.Table):
            name = source.name.lower() if isinstance(source.this, exp.Identifier) else ""
            if not source.db and name in scope and scope[name] is None:
                return
            if name in self.public and source.db.lower() in _SCHEMAS:
                source.set("db", None)
                source.set("catalog", None)
                self.used[name] = None
                return
            if not name:
                raise self._refused(source, refuse.not_a_table("A function"))
            raise self._refused(source, refuse.unknown_table(source.sql(dialect="duckdb"), self._known()))
        if isinstance(source, exp.Subquery) and not isinstance(source.unnest(), exp.Query):
            raise self._refused(source, refuse.not_a_table("This"))
        if not isinstance(source, exp.Subquery | exp.Values):
            raise self._refused(source, refuse.not_a_table("This"))

    def _asked(self, tree: exp.Select, scope: _Scope) -> None:
        """A SELECT over protected rows: it becomes a table of its answer, or what is shown of one."""
        for source in _sources(tree):
            if self._source(source, scope) is None and not self._looked_up(source, scope):
                if isinstance(source, exp.Table) and source.name.lower() not in scope and source.name:
                    raise self._refused(source, refuse.unknown_table(source.sql(dialect="duckdb"), self._known()))
                raise self._refused(source, refuse_shown.release_beside_rows())
        try:
            self._replaced(tree, exp.select("*"), self.read(self._whole(tree, scope)))
        except QueryRefused as problem:
            refusal = problem
        else:
            return
        taken = lifted(self.text, tree, self._declared(tree, scope))
        if taken is None:
            raise refusal
        spread = spread_out(self.text, taken, lambda asked: self._release(tree, self.read(self._whole(asked, scope))))
        if spread is not None:
            _exchanged(tree, spread)
        else:
            self._replaced(tree, taken.outer, self.read(self._whole(taken.inner, scope)))
        for query in list(_nested(tree, "from_", "joins")):
            self._shown(query, scope)

    def _known(self) -> list[str]:
        return sorted([*(one.name for one in self.tables.values()), *(one.name for one in self.public.values())])

    def _looked_up(self, source: exp.Expr, scope: _Scope) -> bool:
        """Whether a source is a public table, which may be joined to protected rows."""
        named = isinstance(source, exp.Table) and source.name.lower() not in scope
        return named and source.name.lower() in self.public

    def _whole(self, tree: exp.Select, scope: _Scope) -> exp.Select:
        """A question with the names that WITH gave to rows around it."""
        made = tree.copy()
        kept = [rows.named.copy() for rows in scope.values() if rows is not None and rows.named is not None]
        made.set("with_", exp.With(expressions=kept) if kept else None)
        return made

    def _replaced(self, tree: exp.Select, outer: exp.Select, plan: Plan) -> None:
        table = self._release(tree, plan)
        _exchanged(tree, outer)
        tree.set("from_", exp.From(this=table))

    def _release(self, tree: exp.Select, plan: Plan) -> exp.Table:
        """The table that holds the answer to a question."""
        name = next((name for name, known in self.questions.items() if _same(known, plan)), None)
        if name is None:
            if len(self.questions) >= MOST_RELEASES:
                raise self._refused(tree, refuse_shown.too_many_releases(MOST_RELEASES))
            name = f"released {len(self.questions) + 1}"
            self.questions[name] = plan
        return exp.Table(this=exp.to_identifier(name, quoted=True))

    def _closed(self, tree: exp.Expr) -> None:
        """Refuse whatever else the statement would read, or do."""
        named = {part.alias.lower() for part in tree.find_all(exp.CTE)} | set(self.questions) | set(self.used)
        for node in tree.walk():
            if isinstance(node, exp.Table):
                elsewhere = not isinstance(node.this, exp.Identifier) or node.db or node.catalog
                if elsewhere or node.name.lower() not in named:
                    raise self._refused(node, refuse.not_a_table("This"))
            elif isinstance(node, _ODD):
                raise self._refused(node, refuse.clause_not_answered(node.key.upper(), "Leave it out."))

    def _named(self, tree: exp.Expr) -> exp.Expr:
        """The same, with the columns of the outermost SELECT called as they were written."""
        first = tree
        while isinstance(first, exp.SetOperation | exp.Subquery):
            first = first.this
        for item in first.expressions if isinstance(first, exp.Select) else ():
            if not isinstance(item, exp.Alias | exp.Star | exp.Column | exp.Columns):
                item.replace(exp.alias_(item.copy(), written(self.text, item), quoted=True))
        return tree

    def _refused(self, node: exp.Expr, problem: QueryRefused) -> QueryRefused:
        return at(problem, words(self.text, node))


def _exchanged(tree: exp.Select, other: exp.Select) -> None:
    """Make one SELECT another, where it stands."""
    for clause in list(tree.args):
        tree.set(clause, None)
    for clause, value in other.args.items():
        tree.set(clause, value)


def _same(one: Plan, other: Plan) -> bool:
    """Whether two questions have one answer, shown alike."""
    return one is other or (one.canonical == other.canonical and one.shown == other.shown and one.lines == other.lines)


def _sources(tree: exp.Select) -> list[exp.Expr]:
    """What stands after FROM and JOIN."""
    first = tree.args.get("from_")
    found = [] if first is None else [first.this]
    return [*found, *(join.this for join in tree.args.get("joins") or ())]


def _tables(tree: exp.Select) -> Iterator[exp.Table]:
    """Every table that a SELECT names itself, in whatever brackets; those of queries in it and of WITH left aside."""
    stack = [value for name, value in tree.args.items() if name != "with_"]
    while stack:
        node = stack.pop()
        if isinstance(node, list):
            stack.extend(node)
        elif isinstance(node, exp.Expr) and not isinstance(node, exp.Select | exp.SetOperation):
            if isinstance(node, exp.Table):
                yield node
            stack.extend(node.args.values())


def _nested(tree: exp.Select, *but: str) -> Iterator[exp.Expr]:
    """The queries that stand in a SELECT, each outermost one once; those of WITH, and of other clauses, left aside."""
    stack = [value for name, value in tree.args.items() if name not in ("with_", *but)]
    while stack:
        node = stack.pop()
        if isinstance(node, list):
            stack.extend(node)
        elif isinstance(node, exp.Select | exp.SetOperation):
            yield node
        elif isinstance(node, exp.Expr):
            stack.extend(node.args.values())


def _projected(tree: exp.Select, owners: frozenset[str]) -> frozenset[str]:
    """The names that owners have among the columns of a SELECT."""
    found: set[str] = set()
    for item in tree.expressions:
        bare = item.this if isinstance(item, exp.Alias) else item
        if isinstance(bare, exp.Star) or (isinstance(bare, exp.Column) and isinstance(bare.this, exp.Star)):
            found |= owners
        elif isinstance(bare, exp.Column) and bare.name.lower() in owners:
            found.add(item.alias_or_name.lower())
    return frozenset(found)
