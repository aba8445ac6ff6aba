"""What expressions, conditions and keys mean for one record, written a second time: plain functions of its codes."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from datetime import date, timedelta
from fractions import Fraction
from functools import reduce
from math import gcd, lcm
from operator import gt, le
from typing import Final, assert_never, final

from partita.query.language.conditions import Condition, Versus
from partita.query.language.curves import curve
from partita.query.language.expressions import (
    Case,
    Clamp,
    Curved,
    Expression,
    Extreme,
    First,
    Months,
    Number,
    Plus,
    Quotient,
    Ratio,
    Remainder,
    Times,
    Value,
)
from partita.query.language.keys import Bucket, Cases, Each, Key, Mapped, Opened, Truncated, Valued
from partita.query.language.worded import Worded
from partita.region.calendar import period
from partita.region.columns import Dates, Operator
from partita.region.columns.stepped import Stepped
from partita.region.domain import Domain
from partita.region.predicate import And, IsTrue, Known, Not, OfColumn, Or, Predicate

Codes = tuple[int, ...]
Boxes = tuple[tuple[tuple[tuple[int, int], ...], ...], ...]
Amount = int | Fraction | None
Truth = bool | None


@final
class Unknown(Exception):
    """Something that the second opinion has no meaning for: then it cannot agree, and the charge is refused."""


# How many kinds of made-up texts there are.
TEXTS: Final = 4


def inside(boxes: Boxes, codes: Codes) -> bool:
    """Whether a record lies in one of some boxes; of many records, `holding` is asked."""
    for box in boxes:
        # Behind the codes of the columns there may be one of a text, which no box knows.
        for along, code in zip(box, codes, strict=False):
            if not any(low <= code < high for low, high in along):
                break
        else:
            return True
    return False


def holding(boxes: Boxes) -> Callable[[Codes], bool]:
    """Whether a record lies in one of some boxes, as a function of the record.

    >>> holds = holding(((((0, 2), (4, 5)), ((0, 9),)),))
    >>> holds((4, 8)), holds((3, 8)), holds((4, 9))
    (True, False, False)
    """
    # First the lows and highs of all axes together, since there may be many; then those with gaps, one by one.
    prepared = [
        (
            tuple(along[0][0] for along in box),
            tuple(along[-1][1] for along in box),
            tuple((axis, along) for axis, along in enumerate(box) if len(along) > 1),
        )
        for box in boxes
        if all(box)
    ]

    def holds(codes: Codes) -> bool:
        # Behind the codes of the columns there may be one of a text, which no box knows.
        if prepared and not 0 <= len(codes) - len(prepared[0][0]) <= 1:
            raise Unknown("a record of another table")
        return any(
            all(map(le, lows, codes))
            and all(map(gt, highs, codes))
            and all(any(low <= codes[axis] < high for low, high in along) for axis, along in gaps)
            for lows, highs, gaps in prepared
        )

    return holds


def value(expression: Expression, domain: Domain) -> Callable[[Codes], Amount]:
    """The exact value of an expression as a function of a record; None is NULL."""
    match expression:
        case Value(name):
            return _column(domain, name)
        case Number(constant):
            return lambda _: constant
        case Plus(parts):
            terms = [value(part, domain) for part in parts]
            return lambda codes: _together([term(codes) for term in terms], lambda one, other: one + other)
        case Times(parts):
            factors = [value(part, domain) for part in parts]
            return lambda codes: _together([factor(codes) for factor in factors], lambda one, other: one * other)
        case Clamp(part, low, high):
            inner = value(part, domain)
            return lambda codes: None if (found := inner(codes)) is None else min(max(found, low), high)
        case Quotient(part, width):
            divided = value(part, domain)
            return lambda codes: None if (found := divided(codes)) is None else Fraction(found) // width
        case Months(part):
            day = value(part, domain)
            return lambda codes: None if (found := day(codes)) is None else _month(found // 1)
        case Remainder(part, width):
            left = value(part, domain)
            return lambda codes: None if (found := left(codes)) is None else Fraction(found) % width
        case Extreme(parts, greatest):
            rivals = [value(part, domain) for part in parts]
            return lambda codes: _most([rival(codes) for rival in rivals], greatest=greatest)
        case Ratio(part, divisor, step):
            upper, lower, least = value(part, domain), value(divisor, domain), unit(divisor, domain)
            return lambda codes: _over(upper(codes), lower(codes), least, step)
        case Curved(name, part, low, high, grain, step):
            bent, argument = curve(name, low, high, grain, step), value(part, domain)
            return lambda codes: None if (found := argument(codes)) is None else bent.at((found - low) // grain) * step
        case First(parts):
            options = [value(part, domain) for part in parts]
            return lambda codes: next((found for one in options if (found := one(codes)) is not None), None)
        case Case(branches, otherwise):
            tried = [(meets(condition, domain), value(then, domain)) for condition, then in branches]
            last = value(otherwise, domain)
            return lambda codes: next((then for test, then in tried if test(codes)), last)(codes)
        case _:
            assert_never(expression)


def _most(amounts: list[Amount], *, greatest: bool) -> Amount:
    known = sorted(amount for amount in amounts if amount is not None)
    return None if not known else known[-1] if greatest else known[0]


def _over(upper: Amount, lower: Amount, least: Fraction, step: Fraction) -> Amount:
    """The nearest multiple of the step to a quotient of what is not below zero and what is not below its unit."""
    if upper is None or lower is None:
        return None
    exact = Fraction(max(upper, 0)) / max(lower, least)
    below = exact // step * step
    return below if exact - below < below + step - exact else below + step


def _month(day: int) -> Fraction:
    # The calendar repeats itself after four hundred years.
    cycles, left = divmod(day, 146_097)
    found = date(1970, 1, 1) + timedelta(days=left)
    return Fraction(12 * (found.year + 400 * cycles) + found.month - 1)


def _column(domain: Domain, name: str) -> Callable[[Codes], Amount]:
    axis = domain.axis(name)
    column = domain.bounded[axis]
    null, low, step = column.null, 0, Fraction(1)
    if isinstance(column, Stepped):
        low, step = column.low, column.step
    else:
        assert isinstance(column, Dates), "only numbers and days are added up"
    if step == 1:
        return lambda codes: None if codes[axis] == null else low + codes[axis]
    return lambda codes: None if codes[axis] == null else (low + codes[axis]) * step


def _together(amounts: list[Amount], join: Callable[[int | Fraction, int | Fraction], int | Fraction]) -> Amount:
    known = [amount for amount in amounts if amount is not None]
    return reduce(join, known) if len(known) == len(amounts) else None


def unit(expression: Expression, domain: Domain) -> Fraction:
    """The unit that an engine counts an expression in: the coarsest of which every value must be a multiple."""
    match expression:
        case Value(name):
            column = domain.bounded[domain.axis(name)]
            return column.step if isinstance(column, Stepped) else Fraction(1)
        case Number(constant):
            return Fraction(1, 1 if constant is None else constant.denominator)
        case Times(parts):
            return reduce(lambda one, other: one * other, (unit(part, domain) for part in parts))
        case Plus(parts) | First(parts) | Extreme(parts):
            return _common([unit(part, domain) for part in parts])
        case Clamp(part, low, high):
            return _common([unit(part, domain), low, high])
        case Quotient() | Months():
            return Fraction(1)
        case Ratio(_, _, step) | Curved(_, _, _, _, _, step):
            return step
        case Remainder(part, width):
            return _common([unit(part, domain), width])
        case Case(branches, otherwise):
            return _common([unit(part, domain) for part in (*(then for _, then in branches), otherwise)])
        case _:
            assert_never(expression)


def _common(units: list[Fraction]) -> Fraction:
    """The largest number of which all are whole multiples."""
    bottom = lcm(*(one.denominator for one in units))
    return Fraction(gcd(*(int(one * bottom) for one in units)), bottom)


def whole(amount: Amount, grain: Fraction) -> int | None:
    """An amount in units, which is always a whole number of them."""
    if amount is None:
        return None
    steps = amount / grain
    assert steps.denominator == 1, "a value is a whole number of its unit"
    return int(steps)


def meets(condition: Condition, domain: Domain) -> Callable[[Codes], bool]:
    """Whether a record meets a condition: in its region, and every test true."""
    tests = [truth(test, domain) for test in condition.tests]
    held = holding(condition.region.boxes)
    return lambda codes: held(codes) and all(test(codes) is True for test in tests)


def truth(predicate: Predicate, domain: Domain) -> Callable[[Codes], Truth]:
    """A predicate of a record in SQL's three-valued logic."""
    match predicate:
        case Versus(left, operator, right):
            first, second = value(left, domain), value(right, domain)
            return lambda codes: _compared(first(codes), operator, second(codes))
        case Not(part):
            inner = truth(part, domain)
            return lambda codes: None if (found := inner(codes)) is None else not found
        case And(parts):
            tests = [truth(part, domain) for part in parts]
            return lambda codes: _all([test(codes) for test in tests])
        case Or(parts):
            options = [truth(part, domain) for part in parts]
            return lambda codes: _any([test(codes) for test in options])
        case IsTrue(part):
            asked = truth(part, domain)
            return lambda codes: asked(codes) is True
        case Known(known):
            return lambda _: known
        case Worded(sql=sql):
            return _said(len(domain.shape), sometimes=zlib.crc32(sql.encode()) % 2 == 0)
        case OfColumn():
            axis = domain.axis(predicate.column)
            true, false = (
                {code for low, high in codes for code in range(low, high)} if _few(codes) else codes
                for codes in predicate.split(domain, axis)
            )
            return lambda codes: True if _among(true, codes[axis]) else False if _among(false, codes[axis]) else None
        case _:
            raise Unknown(type(predicate).__name__)


def _said(at: int, *, sometimes: bool) -> Callable[[Codes], Truth]:
    """What a condition says of a made-up text, whose code stands behind those of the columns.

    Nothing is known of texts, so that a condition on one may be true or false of it, or NULL, as may all of them at
    once: a text is the one of which all are true, the one of which none is, that of which nothing is known, or one of
    which some are true.
    """
    truths = (True, False, None, sometimes)
    return lambda codes: truths[codes[at]] if len(codes) > at else True


def _few(codes: tuple[tuple[int, int], ...]) -> bool:
    return sum(high - low for low, high in codes) <= 256


def _among(codes: set[int] | tuple[tuple[int, int], ...], code: int) -> bool:
    return code in codes if isinstance(codes, set) else any(low <= code < high for low, high in codes)


def _all(truths: list[Truth]) -> Truth:
    return False if False in truths else None if None in truths else True


def _any(truths: list[Truth]) -> Truth:
    return True if True in truths else None if None in truths else False


def _compared(first: Amount, operator: Operator, second: Amount) -> Truth:
    if first is None or second is None:
        return None
    match operator:
        case Operator.EQUAL:
            return first == second
        case Operator.DIFFERENT:
            return first != second
        case Operator.BELOW:
            return first < second
        case Operator.AT_MOST:
            return first <= second
        case Operator.ABOVE:
            return first > second
        case Operator.AT_LEAST:
            return first >= second
        case _:
            assert_never(operator)


def _counted(found: int | None, low: int, gone: int) -> int:
    """A value's place in a list of whole numbers, with nothing at its end."""
    assert found is None or 0 <= found - low < gone, "a value lies within the bounds of its key"
    return gone if found is None else found - low


def place(key: Key, domain: Domain) -> Callable[[Codes], int]:
    """The place of the group that a record falls into along a key."""
    match key:
        case Cases(branches, otherwise):
            labels = list(dict.fromkeys([*(label for _, label in branches), otherwise]))
            tried = [(holding(region.boxes), labels.index(label)) for region, label in branches]
            last = labels.index(otherwise)
            return lambda codes: next((at for held, at in tried if held(codes)), last)
        case Valued(of, within):
            amount, grain = value(of, domain), unit(of, domain)
            gone = within.high - within.low + 1
            return lambda codes: _counted(whole(amount(codes), grain), within.low, gone)
        case Opened():
            raise Unknown("open keys have texts, not places")
        case _:
            pass
    axis = domain.axis(key.column)
    column = domain.bounded[axis]
    match key:
        case Each():
            return lambda codes: codes[axis]
        case Bucket(_, width):
            assert isinstance(column, Stepped)
            first, step, low = column.low * column.step // width, column.step, column.low
            after = column.high * column.step // width - first + 1
            return lambda codes: after if codes[axis] == column.null else (low + codes[axis]) * step // width - first
        case Truncated(_, by):
            assert isinstance(column, Dates)
            since, start = period(column.low, by), column.low.toordinal()
            beyond = period(column.high, by) - since + 1
            return lambda codes: (
                beyond if codes[axis] == column.null else period(date.fromordinal(start + codes[axis]), by) - since
            )
        case Mapped(_, _, _):
            places = key.places
            return lambda codes: places[codes[axis]]
        case _:
            assert_never(key)
