"""Reads keys that are periods, days, or numbers of a lattice: each possible value of an expression is a group."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Final

from sqlglot import exp

from partita.query.language import clock
from partita.query.language.expressions import Expression, Number, Plus, Times, bounds
from partita.query.language.expressions import columns as columns_of
from partita.query.language.keys import Key, Shape, Valued
from partita.query.sql.times import number_of, periods, time_of
from partita.region.domain import Domain

if TYPE_CHECKING:
    from partita.query.sql.scalars import Reader

# What makes a day of a time.
_DATED: Final = (exp.TsOrDsToDate, exp.Date)


def key_of(reader: Reader, node: exp.Expr, text: str) -> Key | None:
    """Groups by a period, by a day, or by a number made of times."""
    domain = reader.table.domain
    found = periods(reader, node)
    if found is not None and columns_of(found.number):
        return valued(found.number, domain, text, found.width, found.start, found.shown)
    found = periods(reader, node.this.unnest()) if isinstance(node, _DATED) or node.is_type("date") else None
    if found is not None and columns_of(found.number) and (found.shown is Shape.MONTHS or not found.width % clock.DAY):
        # The day on which a period begins.
        if found.shown is Shape.MONTHS:
            return valued(found.number, domain, text, found.width, found.start, Shape.FIRSTS)
        return valued(found.number, domain, text, found.width / clock.DAY, found.start / clock.DAY, Shape.DAYS)
    time = time_of(reader, node)
    if time is not None and columns_of(time.of):
        if time.whole:
            return valued(time.of, domain, text, shown=Shape.DAYS)
        return valued(time.of, domain, text, shown=Shape.SECONDS)
    number = number_of(reader, node)
    return None if number is None or not columns_of(number) else valued(number, domain, text)


def valued(
    of: Expression,
    domain: Domain,
    text: str,
    width: Fraction = Fraction(1),
    start: Fraction = Fraction(0),
    shown: Shape = Shape.NUMBER,
) -> Valued | None:
    """Groups by the values of an expression; None if some of them would lie beyond the calendar.

    Of 100 * x + 3 only x makes groups, so that no group stands for a value that is never reached.
    """
    of, factor, added = _bare(of)
    width, start = width * factor, added * width + start
    within = bounds(of, domain)
    try:
        for end in (within.lowest, within.highest):
            shown.label(end * width + start)
    except (OverflowError, ValueError):
        return None
    return Valued(of, within, width, start, shown, text)


def _bare(of: Expression) -> tuple[Expression, Fraction, Fraction]:
    """An expression without the constants around it, by which positive factor it was multiplied, and what was added."""
    if not isinstance(of, Times | Plus):
        return of, Fraction(1), Fraction(0)
    numbers = [part.value for part in of.parts if isinstance(part, Number)]
    others = [part for part in of.parts if not isinstance(part, Number)]
    if len(others) != 1:
        return of, Fraction(1), Fraction(0)
    constant = Fraction(isinstance(of, Times))
    for number in numbers:
        if number is None:
            return of, Fraction(1), Fraction(0)
        constant = constant * number if isinstance(of, Times) else constant + number
    if isinstance(of, Times) and constant <= 0:
        return of, Fraction(1), Fraction(0)
    inner, factor, added = _bare(others[0])
    return (inner, constant * factor, constant * added) if isinstance(of, Times) else (inner, factor, added + constant)
