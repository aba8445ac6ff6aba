"""Reads SQL conditions into predicates; what is not understood becomes Unknown, never something narrower."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from fractions import Fraction
from typing import Final

from sqlglot import errors as sql_errors
from sqlglot import exp, parse_one

from partita.effort import Work, spend
from partita.errors import region as refuse
from partita.exact import exact
from partita.limits import current
from partita.region.calendar import PARTS
from partita.region.codes import members
from partita.region.columns import Bounded, Categories, Column, Dates, Identifier, Operator
from partita.region.domain import Domain
from partita.region.like import pattern as like
from partita.region.predicate import (
    And,
    Between,
    Codewise,
    Compare,
    In,
    IsNull,
    IsTrue,
    Known,
    Not,
    Or,
    Predicate,
    Unknown,
)

DEEPEST: Final = 200
LONGEST: Final = 50_000

# What the parser is known to raise on text that is not SQL.
UNREADABLE: Final = (
    sql_errors.SqlglotError,
    RecursionError,
    ValueError,
    TypeError,
    AttributeError,
    IndexError,
    KeyError,
    AssertionError,
    OverflowError,
)
_COMPARISONS: Final[dict[type[exp.Expr], Operator]] = {
    exp.EQ: Operator.EQUAL,
    exp.NEQ: Operator.DIFFERENT,
    exp.LT: Operator.BELOW,
    exp.LTE: Operator.AT_MOST,
    exp.GT: Operator.ABOVE,
    exp.GTE: Operator.AT_LEAST,
}
_BINARY: Final = frozenset(("this", "expression"))
_ARGUMENTS: Final[dict[type[exp.Expr], frozenset[str]]] = {
    exp.In: frozenset(("this", "expressions")),
    exp.Like: frozenset(("this", "expression", "negate")),
    exp.Between: frozenset(("this", "low", "high")),
    exp.Column: frozenset(("this", "table", "db", "catalog")),
}
_PARTS: Final[dict[type[exp.Expr], str]] = {
    exp.Year: "year",
    exp.Month: "month",
    exp.Day: "day",
    exp.Quarter: "quarter",
}


def parse(text: str, domain: Domain, dialect: str = "duckdb") -> Predicate:
    """The predicate of a SQL condition, such as the words after WHERE.

    >>> from partita.region.columns import integers
    >>> parse("age BETWEEN 18 AND 64", Domain({"age": integers(0, 120)}))
    Between(column='age', low=Fraction(18, 1), high=Fraction(64, 1))
    """
    if not text.strip():
        raise refuse.unreadable(text, "it is empty")
    if len(text) > LONGEST:
        raise refuse.unreadable(text, f"it has more than {LONGEST} characters")
    try:
        tree = parse_one(text, dialect=dialect, into=exp.Condition)
    except UNREADABLE as problem:
        raise refuse.unreadable(text, _reason(problem)) from None
    return understood(tree, domain)


def understood(tree: exp.Expr, domain: Domain) -> Predicate:
    """The predicate of a parsed condition.

    Every column it mentions must be declared, and none may say whom a row belongs to.
    """
    for column in tree.find_all(exp.Column):
        _check(column, domain)
    return _read(tree, domain, 0)


def _check(column: exp.Column, domain: Domain) -> None:
    for known, declared in domain.columns.items():
        if known.lower() == column.name.lower():
            if isinstance(declared, Identifier):
                raise refuse.owner_in_region(known)
            return
    raise refuse.unknown_column(column.name, tuple(domain.columns))


def _read(tree: exp.Expr, domain: Domain, depth: int) -> Predicate:
    if depth > DEEPEST or not _plain(tree):
        return _unknown(tree)
    match tree:
        case exp.Paren():
            return _read(tree.this, domain, depth + 1)
        case exp.And() | exp.Or():
            parts = tuple(_read(part, domain, depth + 1) for part in tree.flatten())
            return And(parts) if isinstance(tree, exp.And) else Or(parts)
        case exp.Not():
            return Not(_read(tree.this, domain, depth + 1))
        case exp.Boolean():
            return Known(bool(tree.this))
        case exp.Null():
            return Known(None)
        case exp.Is():
            return _is(tree, domain, depth)
        case exp.In():
            return _in(tree, domain)
        case exp.Between():
            return _between(tree, domain)
        case exp.Like():
            return _like(tree, domain)
        case exp.Column():
            column = _axis(tree, domain)
            if column is None or column[1].kind != "booleans":
                return _unknown(tree)
            return Compare(column[0], Operator.EQUAL, True)
        case exp.EQ() | exp.NEQ() | exp.LT() | exp.LTE() | exp.GT() | exp.GTE():
            return _comparison(tree, domain)
        case _:
            return _unknown(tree)


def _plain(tree: exp.Expr) -> bool:
    """Whether a node says no more than its parts: an argument we do not know might turn its meaning round."""
    known = _ARGUMENTS.get(type(tree), _BINARY)
    return all(key in known for key, value in tree.args.items() if value)


def _comparison(tree: exp.Expr, domain: Domain) -> Predicate:
    operator = _COMPARISONS[type(tree)]
    left, right = tree.this.unnest(), tree.expression.unnest()
    if not _constant(right):
        left, right, operator = right, left, operator.mirrored()
    if not _constant(right):
        return _unknown(tree)
    column = _axis(left, domain)
    if column is not None:
        return Compare(column[0], operator, _literal(right))
    return _by_part(tree, left, operator, _literal(right), domain)


def _by_part(tree: exp.Expr, left: exp.Expr, operator: Operator, literal: object, domain: Domain) -> Predicate:
    """A year, month, day or quarter of a date column, evaluated for each of its days."""
    if not _plain(left):
        return _unknown(tree)
    name, argument = _PARTS.get(type(left), ""), left.this if isinstance(left.this, exp.Expr) else left
    if isinstance(left, exp.Extract):
        name, argument = left.name.lower(), left.expression
    if name not in _PARTS.values() or not isinstance(literal, Fraction):
        return _unknown(tree)
    column = _axis(_uncast(argument), domain)
    if column is None or not isinstance(column[1], Dates) or column[1].size > current().evaluated:
        return _unknown(tree)
    part, test, dates = PARTS[name], _TESTS[operator], column[1]
    spend(2 * dates.size, Work.VALUES)
    true: set[int] = set()
    false: set[int] = set()
    for code in members(dates.values):
        day = dates.value(code)
        assert isinstance(day, date)
        (true if test(Fraction(part(day)), literal) else false).add(code)
    return Codewise(column[0], frozenset(true), frozenset(false))


_TESTS: Final[dict[Operator, Callable[[Fraction, Fraction], bool]]] = {
    Operator.EQUAL: lambda left, right: left == right,
    Operator.DIFFERENT: lambda left, right: left != right,
    Operator.BELOW: lambda left, right: left < right,
    Operator.AT_MOST: lambda left, right: left <= right,
    Operator.ABOVE: lambda left, right: left > right,
    Operator.AT_LEAST: lambda left, right: left >= right,
}


def _is(tree: exp.Is, domain: Domain, depth: int) -> Predicate:
    right = tree.expression
    if isinstance(right, exp.Null):
        column = _axis(tree.this.unnest(), domain)
        return _unknown(tree) if column is None else IsNull(column[0])
    if isinstance(right, exp.Boolean):
        inner = _read(tree.this, domain, depth + 1)
        return IsTrue(inner if right.this else Not(inner))
    return _unknown(tree)


def _in(tree: exp.In, domain: Domain) -> Predicate:
    column = _axis(tree.this.unnest(), domain)
    listed = tree.expressions
    if column is None or not listed:
        return _unknown(tree)
    values = [value.unnest() for value in listed]
    if not all(_constant(value) for value in values):
        return _unknown(tree)
    return In(column[0], tuple(_literal(value) for value in values))


def _between(tree: exp.Between, domain: Domain) -> Predicate:
    column = _axis(tree.this.unnest(), domain)
    low, high = tree.args["low"].unnest(), tree.args["high"].unnest()
    if column is None or not (_constant(low) and _constant(high)):
        return _unknown(tree)
    return Between(column[0], _literal(low), _literal(high))


def _like(tree: exp.Like, domain: Domain) -> Predicate:
    """LIKE on a category column with only % and _ in its pattern, evaluated for each name."""
    column = _axis(tree.this.unnest(), domain)
    pattern = tree.expression
    if (
        column is None
        or not isinstance(column[1], Categories)
        or not (isinstance(pattern, exp.Literal) and pattern.is_string and "\\" not in pattern.name)
    ):
        return _unknown(tree)
    test = like(pattern.name)
    true = frozenset(code for code, label in enumerate(column[1].labels) if test.meets(label))
    false = frozenset(range(len(column[1].labels))) - true
    return Codewise(column[0], *((false, true) if tree.args.get("negate") else (true, false)))


def _axis(tree: exp.Expr, domain: Domain) -> tuple[str, Bounded] | None:
    """The declared name and column of a plain column reference with a finite domain."""
    if not isinstance(tree, exp.Column) or not _plain(tree):
        return None
    for name, column in domain.columns.items():
        if name.lower() == tree.name.lower():
            return (name, column) if isinstance(column, Bounded) else None
    return None


def _uncast(tree: exp.Expr) -> exp.Expr:
    """The date itself, where the parser wraps it in a cast to a date or timestamp."""
    while isinstance(tree, exp.TsOrDsToDate | exp.Paren) or (
        isinstance(tree, exp.Cast) and tree.is_type("date", "timestamp")
    ):
        tree = tree.this
    return tree


def _constant(tree: exp.Expr) -> bool:
    match tree:
        case exp.Literal() | exp.Boolean() | exp.Null():
            return True
        case exp.Neg():
            inner = tree.this.unnest()
            return isinstance(inner, exp.Literal) and not inner.is_string
        case exp.Cast():
            return (
                tree.is_type("date", "timestamp", "timestampntz", "datetime")
                and not tree.args.get("format")
                and isinstance(tree.this, exp.Literal)
                and tree.this.is_string
            )
        case _:
            return False


def _literal(tree: exp.Expr) -> object:
    match tree:
        case exp.Literal():
            return tree.name if tree.is_string else exact(tree.name, "the number")
        case exp.Boolean():
            return bool(tree.this)
        case exp.Null():
            return None
        case exp.Neg():
            value = _literal(tree.this.unnest())
            assert isinstance(value, Fraction)
            return -value
        case _:
            # A time of day has no place in a date.
            return tree.this.name[:10] if tree.is_type("date") else tree.this.name


def _unknown(tree: exp.Expr) -> Unknown:
    names = frozenset(column.name for column in tree.find_all(exp.Column))
    return Unknown(tree.sql(dialect="duckdb"), names)


def _reason(problem: Exception) -> str:
    if isinstance(problem, sql_errors.ParseError) and problem.errors:
        return str(problem.errors[0].get("description", "it does not parse")).rstrip(".")
    return "it does not parse"


__all__ = ["Column", "parse", "understood"]
