"""Steadiness: how far one stored row can move what is computed from the rows of its owner."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import final

from partita.query.exact.measurements import Balanced, Counted, Lengths, Measurement, Summed
from partita.query.language.expressions import Bounds, Clamp, Expression, Number, Plus, Times, Value, bounds, columns
from partita.query.language.keys import columns as columns_of_key
from partita.query.language.per_user import Gathers, PerUserColumn
from partita.query.language.plan import Plan
from partita.region.domain import Domain


@final
@dataclass(frozen=True, slots=True)
class Drift:
    """What a stored row that comes does to a derived value.

    A value that there was rises by ``down`` to ``up``; one that there was not (no derived row, or NULL) is then from
    ``low`` to ``high``. A row that goes does the reverse.
    """

    down: Fraction
    up: Fraction
    low: Fraction
    high: Fraction

    def times(self, factor: Fraction) -> Drift:
        """The drift of so many times the value."""
        if factor < 0:
            return Drift(factor * self.up, factor * self.down, factor * self.high, factor * self.low)
        return Drift(factor * self.down, factor * self.up, factor * self.low, factor * self.high)

    def __add__(self, other: Drift) -> Drift:
        return Drift(self.down + other.down, self.up + other.up, self.low + other.low, self.high + other.high)


@final
@dataclass(frozen=True, slots=True)
class Moved:
    """How far one derived row moves a measurement: ``row`` if a stored row comes or goes, ``swap`` for one of each.

    ``apart`` is for one of each in two derived rows, which may be in two groups.
    """

    row: Lengths
    swap: Lengths
    apart: Lengths


@final
@dataclass(frozen=True, slots=True)
class Steady:
    """Derived rows that are all counted, each in the group of its own keys.

    So a stored row that comes or goes moves the values of one derived row, or makes it appear or disappear.
    """

    domain: Domain
    drifts: tuple[tuple[str, Drift], ...]

    def moved(self, measurement: Measurement, groups: int) -> Moved | None:
        """How far stored rows move a measurement through their owner's derived row, where that is less than any row."""
        match measurement:
            case Counted(None):
                return _moved(0, 1, groups)
            case Summed(of, within, slope, offset):
                drift = self._of(of)
                if drift is None:
                    return None
                down, up = _outwards(drift.down / within.unit, drift.up / within.unit)
                low, high = _outwards(drift.low / within.unit, drift.high / within.unit)
                rises = [slope * down, slope * up]
                appears = [slope * low + offset, slope * high + offset]
                return _moved(min(0, *rises, *appears), max(0, *rises, *appears), groups)
            case Balanced(of, within) if not within.nullable:
                drift = self._of(of)
                if drift is None:
                    return None
                far = max(map(abs, _outwards(drift.down / within.unit, drift.up / within.unit)))
                width = within.high - within.low
                ends = [
                    (end - within.low) ** 2 + (within.high - end) ** 2
                    for end in _outwards(drift.low / within.unit, drift.high / within.unit)
                ]
                row = Lengths(max(width, 2 * far), max(2 * far**2, *ends), max(width, far))
                return Moved(row, row.times(2), row.times(2))
            case _:
                return None

    def _of(self, expression: Expression) -> Drift | None:
        known = _drift(expression, dict(self.drifts))
        if known is None:
            # Nothing is known of other expressions: a CASE may even become NULL because a row came.
            return None
        within = bounds(expression, self.domain)
        width = within.highest - within.lowest
        low, high = max(known.low, within.lowest), min(known.high, within.highest)
        if within.nullable and len(columns(expression)) > 1:
            # One column may get its first value while the others have any.
            low, high = within.lowest, within.highest
        return Drift(max(known.down, -width), min(known.up, width), low, high)


def steady(plan: Plan) -> Steady | None:
    """What is known of the derived rows of a plan; None if one of them may be left out, or may change its group."""
    per_user = plan.per_user
    if per_user is None or per_user.where.tests or not per_user.where.region.whole:
        return None
    if any(not columns_of_key(key) <= set(per_user.keys) for key in plan.keys):
        return None
    drifts = tuple((column.name, _column(column, plan)) for column in per_user.columns)
    return Steady(per_user.table.domain, drifts)


def _column(column: PerUserColumn, plan: Plan) -> Drift:
    """What a stored row that comes does to one derived column (per_user_sensitivity.proof.md)."""
    within, zero, one = column.bounds, Fraction(0), Fraction(1)
    width = within.highest - within.lowest
    match column.gathers:
        case Gathers.ROWS:
            # With a filter, the first row of an owner may be one that is not counted.
            return Drift(zero, min(one, width), *_kept(within, one if column.of is None else zero, one))
        case Gathers.PRESENT:
            return Drift(zero, min(one, width), *_kept(within, zero, one))
        case Gathers.TOTAL:
            assert column.of is not None
            added = bounds(column.of, plan.table.domain)
            down, up = min(added.lowest, zero), max(added.highest, zero)
            return Drift(max(down, -width), min(up, width), *_kept(within, added.lowest, added.highest))
        case Gathers.LEAST:
            return Drift(-width, zero, within.lowest, within.highest)
        case Gathers.GREATEST:
            return Drift(zero, width, within.lowest, within.highest)
        case Gathers.MEAN:
            return Drift(-width, width, within.lowest, within.highest)


def _kept(within: Bounds, low: Fraction, high: Fraction) -> tuple[Fraction, Fraction]:
    """A range after the clamp of a derived column."""
    kept = [min(max(end, within.lowest), within.highest) for end in (low, high)]
    return kept[0], kept[1]


def _drift(expression: Expression, known: Mapping[str, Drift]) -> Drift | None:
    """The drift of an expression that is linear in derived columns, or a clamp of one; None for any other."""
    match expression:
        case Value(name):
            return known.get(name)
        case Number(value):
            return None if value is None else Drift(Fraction(0), Fraction(0), value, value)
        case Plus(parts):
            found = [_drift(part, known) for part in parts]
            listed = [drift for drift in found if drift is not None]
            return sum(listed[1:], start=listed[0]) if len(listed) == len(found) else None
        case Times(parts):
            others = [part for part in parts if not isinstance(part, Number)]
            factors = [part.value for part in parts if isinstance(part, Number)]
            if len(others) != 1 or None in factors:
                return None
            inner = _drift(others[0], known)
            times = math.prod((factor for factor in factors if factor is not None), start=Fraction(1))
            return None if inner is None else inner.times(times)
        case Clamp(part, low, high):
            inner = _drift(part, known)
            if inner is None:
                return None
            kept = [min(max(end, low), high) for end in (inner.low, inner.high)]
            return Drift(min(inner.down, Fraction(0)), max(inner.up, Fraction(0)), kept[0], kept[1])
        case _:
            return None


def _outwards(low: Fraction, high: Fraction) -> tuple[int, int]:
    return math.floor(low), math.ceil(high)


def _moved(down: int, up: int, groups: int) -> Moved:
    """One number that moves by ``down`` to ``up`` when a row comes, and by the reverse when one goes."""
    most, width = max(-down, up), up - down
    row, swap = Lengths(most, most**2, most), Lengths(width, width**2, width)
    return Moved(row, swap, swap | Lengths(2 * most, 2 * most**2, most) if groups > 1 else swap)
