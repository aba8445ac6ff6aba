"""Reads comparisons of what has no arithmetic: texts of two columns, and times of the day."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from sqlglot import exp

from partita.effort import Work, spend
from partita.query.language import clock
from partita.query.language.conditions import Condition, versus
from partita.query.language.expressions import Case, Expression, Number, Remainder
from partita.query.sql.column_functions import Tabulated, slab
from partita.query.sql.times import time_of
from partita.region.columns import Operator
from partita.region.predicate import Predicate

if TYPE_CHECKING:
    from partita.query.sql.scalars import Reader

# So many texts that two columns share are told apart; each is a branch of a CASE.
MOST_SHARED: Final = 1_000
_OF_DAY: Final = re.compile(r"(\d\d?):(\d\d)(?::(\d\d)(?:\.(\d{1,6}))?)?")
_SAME: Final = (Operator.EQUAL, Operator.DIFFERENT)


def of(reader: Reader, node: exp.Expr, operator: Operator | None) -> Predicate | None:
    """A comparison of two texts or times of the day, if the node is one."""
    return None if operator is None else compared(reader, node.this, operator, node.expression)


def compared(reader: Reader, left: exp.Expr, operator: Operator, right: exp.Expr) -> Predicate | None:
    """Two texts, or two times of the day; None where the sides are something else."""
    return _by_text(reader, left, operator, right) or _by_clock(reader, left, operator, right)


def _by_text(reader: Reader, left: exp.Expr, operator: Operator, right: exp.Expr) -> Predicate | None:
    """Functions of two columns that give texts or truths: equal if both are the same one, NULL if one is."""
    if operator not in _SAME:
        return None
    if left.find(exp.Column) is None or right.find(exp.Column) is None:
        # One of a list of which another member is a column.
        kind = exp.EQ if operator is Operator.EQUAL else exp.NEQ
        whole = reader.tabulated(kind(this=left.copy(), expression=right.copy()))
        return None if whole is None else whole.predicate()
    first, last = reader.tabulated(left), reader.tabulated(right)
    if first is None or last is None:
        return None
    kinds = {type(value) for value in (*first.values, *last.values) if value is not None}
    others = set(last.values)
    shared = [value for value in dict.fromkeys(first.values) if value is not None and value in others]
    if kinds not in ({str}, {bool}) or len(shared) > MOST_SHARED:
        return None
    spend(4 * (len(first.values) + len(last.values)), Work.VALUES)
    numbers = {value: Fraction(place + 2) for place, value in enumerate(shared)}
    # What only one of the two can be is 0 on the one side and 1 on the other, so that it equals nothing.
    return versus(_numbered(reader, first, numbers, 0), operator, _numbered(reader, last, numbers, 1))


def _numbered(reader: Reader, found: Tabulated, numbers: dict[object, Fraction], rest: int) -> Expression:
    """The number of each text; NULL for none."""
    codes: dict[Fraction | None, list[int]] = {}
    for code, value in enumerate(found.values):
        codes.setdefault(None if value is None else numbers.get(value, Fraction(rest)), []).append(code)
    branches = tuple(
        (Condition(slab(reader.table.domain, found.column, listed)), Number(number)) for number, listed in codes.items()
    )
    return Case(branches, Number(None))


def _by_clock(reader: Reader, left: exp.Expr, operator: Operator, right: exp.Expr) -> Predicate | None:
    """CAST(seen AS TIME) beside another one, or beside TIME '22:00'."""
    sides = [_of_day(reader, side) for side in (left, right)]
    if not any(side is not None and not isinstance(side, Number) for side in sides):
        return None
    first, last = (_written(side) if found is None else found for side, found in zip((left, right), sides, strict=True))
    return None if first is None or last is None else versus(first, operator, last)


def _of_day(reader: Reader, node: exp.Expr) -> Expression | None:
    """The seconds since midnight."""
    node = node.unnest()
    if not isinstance(node, exp.Cast) or not node.is_type("time"):
        return None
    time = time_of(reader, node.this)
    if time is None:
        return _written(node.this)
    return Remainder(time.seconds, clock.DAY)


def _written(node: exp.Expr) -> Expression | None:
    """A time of the day as it is written."""
    node = node.unnest()
    found = _OF_DAY.fullmatch(node.name) if isinstance(node, exp.Literal) and node.is_string else None
    if found is None:
        return None
    hours, minutes, seconds = (int(part or 0) for part in found.groups()[:3])
    if hours > 23 or minutes > 59 or seconds > 59:
        return None
    parts = Fraction(int((found[4] or "0").ljust(6, "0")), 10**6)
    return Number(3600 * hours + 60 * minutes + seconds + parts)
