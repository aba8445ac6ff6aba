"""Reads parsed SQL into bounded expressions, conditions and keys, and underlines what it refuses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final, final

from sqlglot import exp
from sqlglot.errors import SqlglotError

from partita.effort import Work, spend
from partita.errors import InvalidInput, PartitaError, QueryRefused
from partita.errors.query import language as refuse
from partita.errors.query import people as refuse_people
from partita.errors.query import tables as refuse_public
from partita.errors.query.underlined import Refusal, Words, at
from partita.exact import exact
from partita.limits import current
from partita.query.functions.evaluating import Evaluator
from partita.query.functions.number_types import NumberType
from partita.query.language.conditions import Condition, condition, versus
from partita.query.language.expressions import (
    Case,
    Clamp,
    Expression,
    First,
    Number,
    Plus,
    Times,
    Value,
    numeric,
)
from partita.query.language.keys import Key
from partita.query.sql import likeness, open_text, rowwise, times
from partita.query.sql.advice import for_expression
from partita.query.sql.column_functions import Tabulated
from partita.query.sql.group_by import read_key
from partita.query.sql.joins import Joined
from partita.query.sql.places import words, written
from partita.query.tables.public import Fact, facts
from partita.query.tables.schema import Table
from partita.region.columns import Bounded, Column, Dates, Decimals, Identifier, Operator, TextKeys
from partita.region.columns import Key as LinkingKey
from partita.region.columns.stepped import Stepped
from partita.region.predicate import And, Between, Compare, IsNull, IsTrue, Not, Or, Predicate, Unknown
from partita.region.where import understood

COMPARISONS: Final[dict[type[exp.Expr], Operator]] = {
    exp.EQ: Operator.EQUAL,
    exp.NEQ: Operator.DIFFERENT,
    exp.LT: Operator.BELOW,
    exp.LTE: Operator.AT_MOST,
    exp.GT: Operator.ABOVE,
    exp.GTE: Operator.AT_LEAST,
}
# A function of a column with more values than these is arithmetic if it can be, and otherwise a CASE of as many.
MOST_CHOICES: Final = 64
# What is no arithmetic of columns may still be a function of one of them.
_STEPS_A_READING: Final = 120
_PERHAPS: Final = frozenset(
    (
        "query.function-not-answered",
        "query.not-numeric",
        "query.not-a-number",
        "query.division",
        "query.unknown-column",
        "query.unknown-table",
    )
)


@final
@dataclass(frozen=True, slots=True)
class Reader:
    """One question's words about one table."""

    text: str
    table: Table
    alias: str
    joined: tuple[Joined, ...] = ()
    texts: bool = False
    """Whether open texts may decide about rows: those of one table that is no part of a join."""
    each: str | None = None  # the owner column of gathered rows, if each owner has one of them
    evaluator: Evaluator = field(default_factory=Evaluator, compare=False, repr=False)

    # --- words -------------------------------------------------------------------------------------------------

    def words(self, node: exp.Expr) -> Words | None:
        """The part of the question that a node was read from."""
        return words(self.text, node)

    def written(self, node: exp.Expr) -> str:
        """The node as the question wrote it."""
        return written(self.text, node)

    def refused(self, node: exp.Expr, problem: Refusal) -> Refusal:
        """A refusal with the words of the node underlined."""
        return at(problem, self.words(node))

    # --- columns -----------------------------------------------------------------------------------------------

    def looked(self, node: exp.Column) -> tuple[str, Sequence[Fact]]:
        """The declared column that decides about a column, and what each of its codes stands for there."""
        found = [joined for joined in self.joined if joined.names(node)]
        if found and not self._declared(node):
            if len(found) > 1:
                names = [joined.alias for joined in found]
                raise self.refused(node, refuse_public.ambiguous(node.name, names))
            return found[0].column, found[0].facts(node.name)
        name, column = self.column(node)
        return name, facts(column) if column.size <= current().tabulated else range(column.size)  # type: ignore[return-value]

    def _declared(self, node: exp.Column) -> bool:
        return self.own(node) and node.name.lower() in {name.lower() for name in self.table.columns}

    def attributes(self, node: exp.Expr) -> bool:
        """Whether a node mentions a column of a public table."""
        columns = node.find_all(exp.Column)
        return any(not self._declared(column) and any(one.names(column) for one in self.joined) for column in columns)

    def tabulated(self, node: exp.Expr) -> Tabulated | None:
        """A function of one column, evaluated for each of its values."""
        found = self.evaluator.values(node, self.looked, self.number_type)
        return None if found is None else Tabulated(*found)

    def many(self, node: exp.Expr, most: int) -> bool:
        """Whether a node mentions a declared column with more values than these, and none of a public table."""
        mentioned = {column.name.lower() for column in node.find_all(exp.Column)}
        sizes = [self.table.columns[name] for name in self.table.columns if name.lower() in mentioned]
        large = any(isinstance(column, Bounded) and column.size > most for column in sizes)
        return large and not self.attributes(node)

    def number_type(self, node: exp.Column) -> NumberType:
        """Which kind of number a column holds; numbers of public tables are floating unless all are whole."""
        for joined in () if self._declared(node) else self.joined:
            if joined.names(node):
                broken = any(isinstance(fact, Fraction) and fact.denominator != 1 for fact in joined.facts(node.name))
                return NumberType.FLOATING if broken else NumberType.WHOLE
        declared = {name.lower(): column for name, column in self.table.columns.items()}
        return NumberType.DECIMAL if isinstance(declared.get(node.name.lower()), Decimals) else NumberType.WHOLE

    def column(self, node: exp.Column) -> tuple[str, Bounded]:
        """The declared name and the domain of a column that was mentioned."""
        qualifier = node.table
        if qualifier and qualifier.lower() not in (self.alias.lower(), self.table.name.lower()):
            raise self.refused(node, refuse.unknown_table(qualifier, (self.table.name,)))
        wanted = node.name.lower()
        for name, column in self.table.columns.items():
            if name.lower() == wanted:
                if isinstance(column, Bounded):
                    return name, column
                raise self.refused(node, _unread(name, column))
        quoted = bool(node.this.args.get("quoted"))
        raise self.refused(node, refuse.unknown_column(node.name, self.table.name, self.table.columns, quoted=quoted))

    def opened(self, node: exp.Column) -> str | None:
        """The column of open texts that was mentioned, if it is one."""
        for name, column in self.table.columns.items():
            if name.lower() == node.name.lower() and isinstance(column, TextKeys):
                return name
        return None

    def own(self, node: exp.Column) -> bool:
        """Whether a column is said to be one of this table, or not said to be of any."""
        return not node.table or node.table.lower() in (self.alias.lower(), self.table.name.lower())

    # --- expressions -------------------------------------------------------------------------------------------

    def expression(self, node: exp.Expr) -> Expression:
        """A bounded expression: arithmetic on columns, or a function of one column evaluated beforehand."""
        spend(_STEPS_A_READING, Work.WORDS)  # what stands inside others is read anew for each way to read these
        if (timed := self._timed(node)) is not None:
            return timed
        try:
            return self._expression(node)
        except QueryRefused as problem:
            if problem.code in _PERHAPS and self.many(node, MOST_CHOICES):
                computed = rowwise.function_of(self, node)
                if computed is not None:
                    return computed
            found = self.tabulated(node) if problem.code in _PERHAPS and node.find(exp.Column) is not None else None
            made = None if found is None else found.expression(self.table.domain)
            if made is None and problem.code in _PERHAPS:
                made = times.number_of(self, node) or rowwise.function_of(self, node)
            if made is None:
                if found is not None and self.attributes(node):
                    raise self.refused(node, self._unused(node, found)) from None
                raise
            return made

    def _timed(self, node: exp.Expr) -> Expression | None:
        """A number made of times, or of more days than are looked at one by one."""
        if isinstance(node, exp.Column | exp.Literal | exp.Paren) or not times.many(self, node):
            return None
        return times.number_of(self, node)

    def _unused(self, node: exp.Expr, found: Tabulated) -> QueryRefused:
        """Why a function of columns of public tables is no expression."""
        values = set(found.values)
        if all(value is None or isinstance(value, Fraction | bool) for value in values):
            return refuse_public.too_many_numbers(self.written(node), len(values), current().branches)
        return refuse_public.facts_not_numbers(self.written(node))

    def _expression(self, node: exp.Expr) -> Expression:
        match node:
            case exp.Paren():
                return self.expression(node.this)
            case exp.Column():
                name, _ = self.column(node)
                try:
                    numeric(name, self.table.domain)
                except QueryRefused as problem:
                    raise self.refused(node, problem) from None
                return Value(name)
            case exp.Literal():
                return Number(self.number(node))
            case exp.Null():
                return Number(None)
            case exp.Neg():
                return _scaled(Fraction(-1), self.expression(node.this))
            case exp.Add():
                return Plus((self.expression(node.this), self.expression(node.expression)))
            case exp.Sub() if (apart := self._apart(node.this, node.expression)) is not None:
                return apart
            case exp.DateDiff() if _daily(node) and (apart := self._apart(node.this, node.expression)) is not None:
                return apart
            case exp.Sub():
                minus = _scaled(Fraction(-1), self.expression(node.expression))
                return Plus((self.expression(node.this), minus))
            case exp.Mul():
                return Times((self.expression(node.this), self.expression(node.expression)))
            case exp.Div():
                divisor = self.constant(node.expression)
                if not divisor:
                    raise self.refused(node, refuse.division())
                return _scaled(1 / divisor, self.expression(node.this))
            case exp.Case():
                return self._case(node)
            case exp.If():
                otherwise = node.args.get("false")
                return Case(
                    ((self.condition(node.this), self.expression(node.args["true"])),),
                    Number(None) if otherwise is None else self.expression(otherwise),
                )
            case exp.Coalesce():
                return First(tuple(self.expression(part) for part in (node.this, *node.expressions)))
            case exp.Anonymous() if node.name.lower() == "clamp":
                return self._clamp(node)
            case exp.Anonymous() if (found := times.written(self, node) or rowwise.written(self, node)) is not None:
                return found
            case _:
                raise self._no_expression(node)

    def _ordinal(self, node: exp.Expr) -> Expression | None:
        """The number of a day in the calendar, if the node is a column of dates."""
        while isinstance(node, exp.Paren | exp.TsOrDsToDate) or (isinstance(node, exp.Cast) and node.is_type("date")):
            node = node.this
        if not isinstance(node, exp.Column) or self.attributes(node):
            return None
        name, column = self.column(node)
        since = Number(Fraction(column.low.toordinal())) if isinstance(column, Dates) else None
        return None if since is None else Plus((Value(name, timed=True), since))

    def _apart(self, end: exp.Expr, start: exp.Expr) -> Expression | None:
        """How many days lie between two columns of dates."""
        last, first = self._ordinal(end), self._ordinal(start)
        return None if last is None or first is None else Plus((last, _scaled(Fraction(-1), first)))

    def counted(self, node: exp.Expr) -> Expression:
        """An expression of which only matters whether it is NULL; it need not be a number."""
        match node:
            case exp.Paren():
                return self.counted(node.this)
            case exp.Literal() | exp.Boolean():
                return Number(Fraction(1))
            case exp.Column() if open_text.mentions(self, node) is not None:
                there = self.condition(exp.Not(this=exp.Is(this=node.copy(), expression=exp.Null())))
                return Case(((there, Number(Fraction(1))),), Number(None))
            case exp.Column():
                name, column = self.column(node)
                if isinstance(column, Stepped):
                    return Value(name)
                present = condition(Not(IsNull(name)), self.table.domain)
                return Case(((present, Number(Fraction(1))),), Number(None))
            case exp.Case() if node.this is None:
                branches = tuple(
                    (self.condition(branch.this), self.counted(branch.args["true"])) for branch in node.args["ifs"]
                )
                otherwise = node.args.get("default")
                return Case(branches, Number(None) if otherwise is None else self.counted(otherwise))
            case _:
                return self.expression(node)

    def number(self, node: exp.Literal) -> Fraction:
        """The number that was written."""
        if node.is_string:
            raise self.refused(node, refuse.not_a_number(f"'{node.name}'"))
        try:
            return exact(node.name, "the number")
        except InvalidInput as problem:
            raise self.refused(node, problem) from None

    def constant(self, node: exp.Expr) -> Fraction | None:
        """The value of an expression without columns, or None if it has columns."""
        match node:
            case exp.Paren():
                return self.constant(node.this)
            case exp.Literal():
                return self.number(node)
            case exp.Neg():
                inner = self.constant(node.this)
                return None if inner is None else -inner
            case _:
                return None

    def _case(self, node: exp.Case) -> Expression:
        subject = node.this
        branches = []
        for branch in node.args["ifs"]:
            test = branch.this if subject is None else exp.EQ(this=subject, expression=branch.this)
            branches.append((self.condition(test), self.expression(branch.args["true"])))
        otherwise = node.args.get("default")
        return Case(tuple(branches), Number(None) if otherwise is None else self.expression(otherwise))

    def _clamp(self, node: exp.Anonymous) -> Expression:
        parts = node.expressions
        if len(parts) != 3:
            raise self.refused(node, refuse.wrong_arguments("CLAMP", "CLAMP(x, low, high)"))
        low, high = self.constant(parts[1]), self.constant(parts[2])
        if low is None or high is None:
            raise self.refused(node, refuse.needs_constant("CLAMP(x, low, high)", "low and high"))
        if low > high:
            raise self.refused(node, refuse.bad_clamp(low, high))
        known = open_text.measured(self, parts[0], low, high) or rowwise.kept(self, parts[0], low, high)
        return Clamp(known or self.expression(parts[0]), low, high)

    def _no_expression(self, node: exp.Expr) -> QueryRefused:
        return self.refused(node, refuse.function_not_answered(*for_expression(self.text, node)))

    # --- conditions --------------------------------------------------------------------------------------------

    def condition(self, node: exp.Expr) -> Condition:
        """A condition, split into its region and what must be tested beyond it."""
        found = self.predicate(node)
        try:
            return condition(found, self.table.domain)
        except InvalidInput:
            self._blame(node)
            raise

    def _blame(self, node: exp.Expr) -> None:
        """Refuse the one comparison whose literal does not fit its column."""
        if isinstance(node, exp.Paren | exp.Not | exp.Is):
            self._blame(node.this)
        elif isinstance(node, exp.And | exp.Or):
            for part in node.flatten():
                self._blame(part)
        else:
            try:
                self.predicate(node).reach(self.table.domain)
            except InvalidInput as problem:
                raise self.refused(node, problem) from None

    def predicate(self, node: exp.Expr) -> Predicate:
        """A condition in three-valued logic; every part of it is understood, or it is refused."""
        match node:
            case exp.Paren():
                return self.predicate(node.this)
            case exp.And() | exp.Or():
                parts = tuple(self.predicate(part) for part in node.flatten())
                return And(parts) if isinstance(node, exp.And) else Or(parts)
            case exp.Not():
                return Not(self.predicate(node.this))
            case exp.Is() if isinstance(node.expression, exp.Boolean):
                inner = self.predicate(node.this)
                return IsTrue(inner if node.expression.this else Not(inner))
            case _:
                return self._leaf(node)

    def _leaf(self, node: exp.Expr) -> Predicate:
        subject = node.this
        if node.find(exp.Select) is not None:
            raise self.refused(node, refuse.question_in_condition())
        if node.find(exp.AggFunc) is not None:
            advice = f"Conditions on groups come after them: GROUP BY ... HAVING {_short(node)}."
            raise self.refused(node, refuse.function_not_answered("An aggregate in WHERE", advice))
        if (words := open_text.worded(self, node)) is not None:
            return words
        if (self.joined and self.attributes(node)) or node.meta.get("listed"):
            found = self._evaluated(node) or likeness.of(self, node, COMPARISONS.get(type(node)))
            if found is None:
                raise self.refused(node, refuse.not_a_condition(_short(node)))
            return found
        if isinstance(subject, exp.Column):
            # The commonest conditions, read without a second walk through the tree.
            operator = COMPARISONS.get(type(node))
            if operator is not None and isinstance(node.expression, exp.Literal):
                return Compare(self.column(subject)[0], operator, self._written(node.expression))
            if isinstance(node, exp.Between) and not node.args.get("symmetric"):
                low, high = node.args["low"], node.args["high"]
                if isinstance(low, exp.Literal) and isinstance(high, exp.Literal):
                    return Between(self.column(subject)[0], self._written(low), self._written(high))
        for column in node.find_all(exp.Column):
            self.column(column)
        try:
            found = understood(node, self.table.domain)
        except InvalidInput as problem:
            raise self.refused(node, problem) from None
        if not isinstance(found, Unknown):
            return found
        if times.many(self, node):
            try:
                return self._compared(node)
            except QueryRefused:
                found = self._evaluated(node)
                if found is None:
                    raise
                return found
        return self._evaluated(node) or self._compared(node)

    def _evaluated(self, node: exp.Expr) -> Predicate | None:
        """A condition on a function of one column."""
        found = self.tabulated(node) if node.find(exp.Column) is not None else None
        return None if found is None else found.predicate()

    def _written(self, node: exp.Literal) -> object:
        return node.name if node.is_string else self.number(node)

    def _compared(self, node: exp.Expr) -> Predicate:
        """A comparison of expressions rather than of a column with a constant."""
        operator = COMPARISONS.get(type(node))
        if operator is not None:
            return self._beside(node, node.this, operator, node.expression)
        if isinstance(node, exp.Between) and not node.args.get("symmetric"):
            low, high = node.args["low"], node.args["high"]
            above = self._beside(node, node.this, Operator.AT_LEAST, low)
            return And((above, self._beside(node, node.this, Operator.AT_MOST, high)))
        if isinstance(node, exp.In) and node.expressions:
            return Or(tuple(self._beside(node, node.this, Operator.EQUAL, side) for side in node.expressions))
        raise self.refused(node, refuse.not_a_condition(_short(node)))

    def _beside(self, whole: exp.Expr, left: exp.Expr, operator: Operator, right: exp.Expr) -> Predicate:
        """Two expressions compared: two times, one of which may be a text, or two numbers."""
        timely = times.compared(self, left, operator, right) or likeness.compared(self, left, operator, right)
        if timely is not None:
            return timely
        exactly = rowwise.compared(self, left, operator, right)
        if exactly is not None:
            return exactly
        first, last = self._side(whole, left), self._side(whole, right)
        window = times.window(first, operator, last, self.table.domain) if times.many(self, left) else None
        return window or versus(first, operator, last)

    def _side(self, whole: exp.Expr, node: exp.Expr) -> Expression:
        try:
            return self.expression(node)
        except QueryRefused as problem:
            if problem.code in {"query.function-not-answered", "query.not-numeric", "query.not-a-number"}:
                raise self.refused(whole, refuse.not_a_condition(_short(whole))) from None
            raise

    # --- keys --------------------------------------------------------------------------------------------------

    def key(self, node: exp.Expr) -> Key | None:
        """The key that a node stands for, or None if it is something else."""
        try:
            return read_key(self, node.unnest())
        except PartitaError as problem:
            raise self.refused(node, problem) from None


def _daily(node: exp.DateDiff) -> bool:
    unit = node.args.get("unit")
    return unit is None or str(unit.name).lower() in {"day", "days"}


def _scaled(factor: Fraction, expression: Expression) -> Expression:
    return Times((Number(factor), expression))


def _unread(name: str, column: Column) -> QueryRefused:
    """Why a column without public values is not read."""
    match column:
        case Identifier():
            return refuse.owner_column(name)
        case LinkingKey():
            return refuse_people.key_column(name)
        case _:
            return refuse.open_column(name)


def _short(node: exp.Expr) -> str:
    try:
        text = node.sql(dialect="duckdb")
    except SqlglotError:
        return "of that kind"
    return text if len(text) <= 60 else text[:57] + "..."
