"""Keys of groups: each maps the codes of one declared column to a public list of labels."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from enum import Enum, unique
from fractions import Fraction
from itertools import product
from typing import assert_never, final

from partita.effort import Work, spend
from partita.errors.query import language as refuse
from partita.query.language.expressions import EPOCH, Bounds, Expression, bounds, numeric
from partita.query.language.expressions import columns as columns_of
from partita.region.box import Box
from partita.region.calendar import UNITS, period
from partita.region.codes import Codes, holds, intersection, joined, of, size, span
from partita.region.columns import Bounded, Dates
from partita.region.columns.stepped import Stepped
from partita.region.domain import Domain
from partita.region.region import Region

__all__ = ["UNITS"]

MOST_GROUPS = 2**20
# So many intervals of one column are looked at one by one.
_MOST_PIECES = 64


@final
@dataclass(frozen=True, slots=True)
class Each:
    """One group for each value of a column, its OTHER and NULL atoms included."""

    column: str


@final
@dataclass(frozen=True, slots=True)
class Bucket:
    """Groups of a numeric column of equal width, labelled by the lower end: BUCKET(age, 10)."""

    column: str
    width: Fraction


@final
@dataclass(frozen=True, slots=True)
class Truncated:
    """Groups of a date column by week, month, quarter or year, labelled by the first day: DATE_TRUNC('month', day)."""

    column: str
    unit: str


@final
@dataclass(frozen=True, slots=True)
class Opened:
    """One group for each text of an open column that is named by private selection, and one for all others.

    ``function`` is SQL that makes another text of it, row by row: LOWER("term").
    """

    column: str
    function: str | None = None


@final
@dataclass(frozen=True, slots=True)
class Mapped:
    """Groups of a column by a function that was evaluated for each of its codes beforehand: EXTRACT(month FROM day).

    ``labels`` holds the label of each code. ``text`` says how the question wrote it.
    """

    column: str
    labels: tuple[Shown, ...]
    text: str = field(compare=False)
    distinct: tuple[Shown, ...] = field(init=False, compare=False, repr=False)
    places: tuple[int, ...] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        """The labels of the groups, each once, in order, None at the end; and the place of each code among them."""
        distinct = _distinct(self.labels)
        index = {label: place for place, label in enumerate(distinct)}
        object.__setattr__(self, "distinct", distinct)
        object.__setattr__(self, "places", tuple(index[label] for label in self.labels))


@final
@dataclass(frozen=True, slots=True)
class Cases:
    """Groups by the first of some regions that a row lies in: CASE WHEN age < 18 THEN 'child' ELSE 'adult' END."""

    branches: tuple[tuple[Region, Shown], ...]
    otherwise: Shown
    text: str = field(compare=False)
    distinct: tuple[Shown, ...] = field(init=False, compare=False, repr=False)
    places: tuple[int, ...] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        """The labels of the groups, each once, in the order of the question; and the place of each branch's label."""
        labels = [*(label for _, label in self.branches), self.otherwise]
        distinct = tuple(dict.fromkeys(labels))
        index = {label: place for place, label in enumerate(distinct)}
        object.__setattr__(self, "distinct", distinct)
        object.__setattr__(self, "places", tuple(index[label] for label in labels))


@final
@dataclass(frozen=True, slots=True)
class Valued:
    """Groups by a bounded expression that gives whole numbers of a unit: HOUR(seen), DATE_TRUNC('day', seen).

    ``within`` is where it lies on all rows. A label is the value times ``width``, after ``start``: a number, or so many
    seconds, days or months of the calendar; or one of ``labels``, which the values then count from 0. ``text`` says
    how the question wrote it.
    """

    of: Expression
    within: Bounds
    width: Fraction
    start: Fraction
    shown: Shape
    text: str = field(compare=False)
    labels: tuple[Shown, ...] = ()


@final
@unique
class Shape(Enum):
    """What a value counts: itself, seconds since 1970, days since 1970, or months since the year 0.

    Months are shown as the time at which they begin, or as the day.
    """

    NUMBER = "number"
    SECONDS = "seconds"
    DAYS = "days"
    MONTHS = "months"
    FIRSTS = "first days"

    def label(self, value: Fraction) -> object:
        """What people see."""
        match self:
            case Shape.NUMBER:
                return _plain(value)
            case Shape.SECONDS:
                return EPOCH + timedelta(microseconds=int(value * 10**6))
            case Shape.DAYS:
                return EPOCH.date() + timedelta(days=int(value))
            case Shape.MONTHS:
                return datetime(int(value) // 12, int(value) % 12 + 1, 1)  # noqa: DTZ001
            case Shape.FIRSTS:
                return date(int(value) // 12, int(value) % 12 + 1, 1)
            case _:
                assert_never(self)


def _distinct(labels: tuple[Shown, ...]) -> tuple[Shown, ...]:
    known = {label for label in labels if label is not None}
    # A CASE may mix numbers and texts: then each kind is in order by itself.
    ordered = sorted(known, key=lambda label: (type(label).__name__, label))
    return (*ordered, None) if None in labels else tuple(ordered)


Shown = str | Fraction | bool | date | None
Single = Each | Bucket | Truncated | Mapped
Several = Cases | Valued
Key = Single | Several | Opened


def columns(key: Key) -> frozenset[str]:
    """The columns that decide about a row's group."""
    if isinstance(key, Cases):
        return frozenset().union(*(region.constrained() for region, _ in key.branches))
    if isinstance(key, Valued):
        return columns_of(key.of)
    return frozenset((key.column,))


def reached(key: Key, domain: Domain, box: Box) -> tuple[int, ...]:
    """The places of the groups that rows of a box can fall into, in order."""
    assert not isinstance(key, Opened)
    if isinstance(key, Valued):
        return _valued(key, domain, box)
    if not isinstance(key, Cases):
        return spread(key, domain, box[domain.axis(key.column)])
    found: set[int] = set()
    left = Region(domain, (box,))
    for (region, _), where in zip(key.branches, key.places, strict=False):
        if not left:
            break
        if left.meets(region):
            found.add(where)
            left = left - region
    if left:
        found.add(key.places[-1])
    return tuple(sorted(found))


def group(key: Single | Cases | Opened, domain: Domain, codes: tuple[int, ...]) -> int:
    """The group that a record falls into."""
    assert not isinstance(key, Opened)
    if not isinstance(key, Cases):
        return place(key, domain, codes[domain.axis(key.column)])
    for (region, _), where in zip(key.branches, key.places, strict=False):
        if region.holds(codes):
            return where
    return key.places[-1]


def _valued(key: Valued, domain: Domain, box: Box) -> tuple[int, ...]:
    """The groups between the ends that interval arithmetic gives; such as no row can reach may be among them."""
    # Open texts decide as well, and have no bounds.
    names = sorted(columns_of(key.of).intersection(domain.axes))
    options = [_pieces(domain.bounded[axis], box[axis], apart=len(names) == 1) for axis in map(domain.axis, names)]
    found: list[tuple[int, int]] = []
    for chosen in product(*options):
        within = bounds(key.of, Domain({**domain.columns, **dict(zip(names, chosen, strict=True))}))
        low, high = max(within.low, key.within.low), min(within.high, key.within.high)
        found.append((low - key.within.low, high - key.within.low + 1))
        if within.nullable:
            found.append((last(key), last(key) + 1))
    places = joined(found)
    if (groups := size(places)) > MOST_GROUPS:
        raise refuse.too_many_groups(groups, MOST_GROUPS)
    spend(16 * len(found) + (groups >> 3), Work.GROUPS)
    return tuple(where for low, high in places for where in range(low, high))


def _pieces(column: Bounded, along: Codes, *, apart: bool) -> list[Bounded]:
    """The column narrowed to some of its codes: interval by interval if they are few, or from the first to the last."""
    if not isinstance(column, Stepped) or not along:
        return [column]
    present = intersection(along, column.values) or ((0, 1),)
    if not apart or len(present) > _MOST_PIECES:
        present = span(present[0][0], present[-1][1])
    ends = [(column.low + low, column.low + high - 1) for low, high in present]
    found = [replace(column, low=low, high=high, missing=low) for low, high in ends]  # type: ignore[type-var]
    if column.null is not None and holds(along, column.null):
        found[0] = replace(found[0], missing=None)  # type: ignore[type-var]
    return list(found)


def last(key: Valued) -> int:
    """The place of the NULL group."""
    return key.within.high - key.within.low + 1


def spread(key: Single, domain: Domain, codes: Codes) -> tuple[int, ...]:
    """The places of the groups that some codes of the column fall into, in order.

    >>> from partita.region.columns import integers
    >>> domain = Domain({"age": integers(0, 99, missing=0)})
    >>> spread(Bucket("age", Fraction(10)), domain, ((25, 47),))
    (2, 3, 4)
    """
    spans = _spans(key, domain, codes)
    if (groups := sum(high - low for low, high in spans)) > MOST_GROUPS:
        raise refuse.too_many_groups(groups, MOST_GROUPS)
    spend(groups >> 3, Work.GROUPS)
    return tuple(where for low, high in spans for where in range(low, high))


def _spans(key: Single, domain: Domain, codes: Codes) -> Codes:
    """The places of the groups as intervals, because there may be very many: buckets of a range are a range."""
    if isinstance(key, Each):
        return codes
    if isinstance(key, Mapped):
        spend(size(codes) >> 1, Work.GROUPS)
        return of({where for low, high in codes for where in key.places[low:high]})
    column = domain.bounded[domain.axis(key.column)]
    null = getattr(column, "null", None)
    found = []
    for low, high in codes:
        end = high
        if null is not None and high > null:
            last = place(key, domain, null)
            found.append((last, last + 1))
            end = null
        if low < end:
            found.append((place(key, domain, low), place(key, domain, end - 1) + 1))
    spend(4 * len(codes), Work.GROUPS)
    return joined(found)


def place(key: Single, domain: Domain, code: int) -> int:
    """The group that one code of the column falls into.

    >>> from partita.region.columns import integers
    >>> place(Bucket("age", Fraction(10)), Domain({"age": integers(5, 99)}), 7)
    1
    """
    match key:
        case Each():
            return code
        case Bucket(name):
            column = numeric(name, domain)
            step = units(key, domain)
            first = column.low // step
            if code == column.null:
                return column.high // step - first + 1
            return (column.low + code) // step - first
        case Truncated(_, unit):
            dates = dated(key, domain)
            if code == dates.null:
                return period(dates.high, unit) - period(dates.low, unit) + 1
            return period(dates.low + timedelta(days=code), unit) - period(dates.low, unit)
        case Mapped():
            return key.places[code]
        case _:
            assert_never(key)


def label(key: Key, domain: Domain, where: int) -> object:
    """What people see for a group; None for the NULL group."""
    match key:
        case Each(name):
            return domain.bounded[domain.axis(name)].value(where)
        case Bucket(name, width):
            column = numeric(name, domain)
            step = units(key, domain)
            first = column.low // step
            if column.null is not None and where == column.high // step - first + 1:
                return None
            return _plain((first + where) * width)
        case Truncated(_, unit):
            dates = dated(key, domain)
            start = period(dates.low, unit)
            if dates.null is not None and where == period(dates.high, unit) - start + 1:
                return None
            return _opening(start + where, unit)
        case Valued(labels=labels) if labels:
            found = None if where == last(key) else labels[where]
            return _plain(found) if isinstance(found, Fraction) else found
        case Valued(_, within, width, start, shown):
            return None if where == last(key) else shown.label((within.low + where) * within.unit * width + start)
        case Mapped() | Cases():
            found = key.distinct[where]
            return _plain(found) if isinstance(found, Fraction) else found
        case Opened():
            raise AssertionError
        case _:
            assert_never(key)


def units(key: Bucket, domain: Domain) -> int:
    """The width of a bucket in units of the column's step."""
    step = numeric(key.column, domain).step
    ratio = key.width / step
    if ratio.denominator != 1 or ratio < 1:
        raise refuse.uneven_bucket(key.column, key.width, step)
    return int(ratio)


def dated(key: Truncated, domain: Domain) -> Dates:
    """The date column of the key."""
    column = domain.bounded[domain.axis(key.column)]
    if not isinstance(column, Dates):
        raise refuse.not_a_date(key.column, column.kind)
    return column


def _opening(period: int, unit: str) -> date:
    match unit:
        case "day":
            return date.fromordinal(period)
        case "week":
            return date.fromordinal(period * 7 + 1)
        case "month":
            return date(period // 12, period % 12 + 1, 1)
        case "quarter":
            return date(period // 4, period % 4 * 3 + 1, 1)
        case _:
            return date(period, 1, 1)


def _plain(number: Fraction) -> int | Decimal | Fraction:
    if number.denominator == 1:
        return int(number)
    shown = Decimal(number.numerator) / Decimal(number.denominator)
    return shown if Fraction(shown) == number else number
