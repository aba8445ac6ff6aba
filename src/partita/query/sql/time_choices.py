"""Reads choices between dates or times: COALESCE, GREATEST, LEAST and CASE of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

from sqlglot import exp

from partita.query.language import clock
from partita.query.language.expressions import Case, Expression, Extreme, First, Number

if TYPE_CHECKING:
    from partita.query.sql.scalars import Reader


@final
@dataclass(frozen=True, slots=True)
class Time:
    """A date or a time: days or seconds since the beginning of 1970.

    ``rising``: it is a function of one column that never falls as the column grows.
    """

    of: Expression
    rising: bool = True
    whole: bool = False

    @property
    def seconds(self) -> Expression:
        """As a time; a day is its midnight."""
        return clock.times(self.of, clock.DAY) if self.whole else self.of

    @property
    def days(self) -> Expression:
        """The day."""
        return self.of if self.whole else clock.days(self.of)


Read = Callable[[exp.Expr], Time | None]


def among(read: Read, node: exp.Coalesce | exp.Greatest | exp.Least) -> Time | None:
    """The first of some times that is there, or the latest, or the earliest."""
    found = _alike([read(part) for part in (node.this, *node.expressions)])
    if found is None:
        return None
    parts, whole = found
    of = First(parts) if isinstance(node, exp.Coalesce) else Extreme(parts, isinstance(node, exp.Greatest))
    return Time(of, rising=False, whole=whole)


def chosen(reader: Reader, read: Read, node: exp.Case | exp.If) -> Time | None:
    """A choice between times."""
    whens = node.args["ifs"] if isinstance(node, exp.Case) else [node]
    default = node.args.get("default" if isinstance(node, exp.Case) else "false")
    subject = node.this if isinstance(node, exp.Case) else None
    shown = [when.args["true"] for when in whens] + ([] if default is None else [default])
    there = [part for part in shown if not isinstance(part, exp.Null)]
    found = _alike([read(part) for part in there])
    if found is None:
        return None
    parts, whole = iter(found[0]), found[1]
    values = [Number(None) if isinstance(part, exp.Null) else next(parts) for part in shown]
    tests = [when.this if subject is None else exp.EQ(this=subject, expression=when.this) for when in whens]
    branches = tuple((reader.condition(test), value) for test, value in zip(tests, values, strict=False))
    return Time(Case(branches, Number(None) if default is None else values[-1]), rising=False, whole=whole)


def _alike(times: list[Time | None]) -> tuple[tuple[Expression, ...], bool] | None:
    """Some times as days, if all of them are, or else as seconds; one at least has a column."""
    found = [time for time in times if time is not None]
    if len(found) < len(times) or all(isinstance(time.of, Number) for time in found):
        return None
    whole = all(time.whole or _midnight(time.of) for time in found)
    return tuple(_day(time) if whole else time.seconds for time in found), whole


def _midnight(of: Expression) -> bool:
    return isinstance(of, Number) and of.value is not None and of.value % clock.DAY == 0


def _day(time: Time) -> Expression:
    return time.of if time.whole or not isinstance(time.of, Number) else Number((time.of.value or 0) / clock.DAY)
