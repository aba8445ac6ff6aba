"""Reads AT TIME ZONE: what clocks of another zone show, as a column plus an offset that is constant in its ranges."""

from __future__ import annotations

from bisect import bisect_right
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from sqlglot import exp

from partita.effort import Work, spend
from partita.errors import InvalidInput
from partita.errors.query import tables as refuse
from partita.query.language.conditions import Condition
from partita.query.language.expressions import Case, Expression, Number, Plus, Value
from partita.region.codes import Codes, joined
from partita.region.columns import Timestamps
from partita.region.domain import Domain
from partita.region.region import Region
from partita.region.zones import SECOND, Offsets, found, offsets

if TYPE_CHECKING:
    from partita.query.sql.scalars import Reader

# More changes than this in a declared range are those of centuries.
MOST_CHANGES: Final = 512
_TIMES: Final = ("timestamp", "timestamptz", "timestampntz", "datetime")


def zone_of(node: exp.Expr) -> tuple[exp.Expr, exp.Expr] | None:
    """What is moved to another zone, and the zone: x AT TIME ZONE z, or TIMEZONE(z, x)."""
    match node:
        case exp.AtTimeZone():
            return node.this, node.args["zone"]
        case exp.Anonymous() if node.name.lower() == "timezone" and len(node.expressions) == 2:
            return node.expressions[1], node.expressions[0]
        case _:
            return None


def moved(reader: Reader, node: exp.Expr) -> tuple[Expression, bool]:
    """The seconds that clocks of a zone show at the moments of a column, and whether they never fall as it grows.

    A column of times is one of moments, told in its declared zone. Naming that zone first changes nothing, as in
    ``seen AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Berlin'``. Of an hour that clocks of the declared zone show twice,
    the first is meant.
    """
    zones: list[str] = []
    subject = node
    while (step := zone_of(subject)) is not None:
        subject, zone = step[0].unnest(), step[1].unnest()
        if not isinstance(zone, exp.Literal) or not zone.is_string:
            raise reader.refused(node, refuse.zones_unclear())
        zones.insert(0, zone.name)
        if isinstance(subject, exp.Cast) and subject.is_type(*_TIMES):
            subject = subject.this.unnest()
    if not isinstance(subject, exp.Column) or reader.attributes(subject) or reader.opened(subject) is not None:
        raise reader.refused(node, refuse.zones_unclear())
    name, column = reader.column(subject)
    if not isinstance(column, Timestamps):
        raise reader.refused(node, refuse.zones_unclear())
    wanted = zones[1:] if zones[0] == column.zone and len(zones) > 1 else zones
    if len(wanted) != 1:
        raise reader.refused(node, refuse.zones_unclear())
    value = Value(name, timed=True)
    if wanted[0] == column.zone:
        return value, True
    try:
        found(wanted[0])
    except InvalidInput as problem:
        raise reader.refused(node, problem) from None
    shifts = _shifts(column, wanted[0])
    if shifts is None:
        raise reader.refused(node, refuse.zones_unclear())
    return Plus((value, _chosen(name, shifts, reader.table.domain))), len(shifts) == 1


def _shifts(column: Timestamps, zone: str) -> dict[int, Codes] | None:
    """The codes of a column for which clocks of the zone are so many microseconds ahead of those of the column's."""
    first, last = column.low * column.tick, column.high * column.tick
    own, other = column.offsets, offsets(zone, first, last)
    amounts = set(own.amounts)
    if (len(own.starts) + len(other.starts)) * len(amounts) > MOST_CHANGES:
        return None
    turns = _turns(own)
    places = {*turns, *(start + amount for start in other.starts for amount in amounts)}
    inside = sorted(place for place in places if first < place <= last)
    spend(20 * len(inside), Work.VALUES)
    starts = [0, *(-(-place // column.tick) - column.low for place in inside), column.high - column.low + 1]
    found: dict[int, list[tuple[int, int]]] = {}
    for low, high in pairwise(starts):
        if low < high:
            local = (column.low + low) * column.tick
            moment = local - own.amounts[bisect_right(turns, local)]
            found.setdefault(other.local(moment) - local, []).append((low, high))
    return {shift: joined(parts) for shift, parts in found.items()}


def _turns(own: Offsets) -> list[int]:
    """What clocks of a zone show when they are past each of its changes, for the first and the second time."""
    return [start + max(pair) for start, pair in zip(own.starts, pairwise(own.amounts), strict=True)]


def _chosen(name: str, shifts: dict[int, Codes], domain: Domain) -> Expression:
    """The shift of a row in seconds, by the range that its time lies in; the commonest is not asked for."""
    rest = max(shifts, key=lambda shift: sum(high - low for low, high in shifts[shift]))
    axis, full = domain.axis(name), domain.everything
    branches = tuple(
        (Condition(Region(domain, ((*full[:axis], codes, *full[axis + 1 :]),))), Number(Fraction(shift, SECOND)))
        for shift, codes in sorted(shifts.items())
        if shift != rest
    )
    last = Number(Fraction(rest, SECOND))
    return Case(branches, last) if branches else last
