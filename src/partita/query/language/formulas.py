"""Formulas: what is computed from released numbers and public keys, line by line, without touching the data again."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from enum import Enum, unique
from fractions import Fraction
from typing import Any, Final, final

from partita.query.language.aggregates import Aggregate
from partita.query.language.keys import Key

Interval = tuple[float, float]
ANYTHING: Final[Interval] = (-math.inf, math.inf)
# More digits than a number has change nothing, and would take for ever.
MOST_DIGITS: Final = 30


@final
@unique
class Operation(Enum):
    """The functions of released numbers."""

    ADD = "+"
    SUBTRACT = "-"
    MULTIPLY = "*"
    DIVIDE = "/"
    ROUND = "ROUND"
    WHOLE = "CAST"
    FLOOR = "FLOOR"
    CEILING = "CEIL"
    ABSOLUTE = "ABS"
    ROOT = "SQRT"
    LOGARITHM = "LN"
    EXPONENTIAL = "EXP"
    FIRST = "COALESCE"
    UNLESS = "NULLIF"
    GREATEST = "GREATEST"
    LEAST = "LEAST"
    EQUAL = "="
    DIFFERENT = "<>"
    BELOW = "<"
    AT_MOST = "<="
    ABOVE = ">"
    AT_LEAST = ">="
    AND = "AND"
    OR = "OR"
    NOT = "NOT"
    ABSENT = "IS NULL"


ARITHMETIC: Final = frozenset((Operation.ADD, Operation.SUBTRACT, Operation.MULTIPLY, Operation.DIVIDE))
TRUTHS: Final = frozenset(
    (
        Operation.EQUAL,
        Operation.DIFFERENT,
        Operation.BELOW,
        Operation.AT_MOST,
        Operation.ABOVE,
        Operation.AT_LEAST,
        Operation.AND,
        Operation.OR,
        Operation.NOT,
        Operation.ABSENT,
    )
)


@final
@dataclass(frozen=True, slots=True)
class Label:
    """The key of the line's group, as people see it."""

    key: Key


@final
@dataclass(frozen=True, slots=True)
class Margin:
    """1 where the line sums over all values of a key, and 0 where it is one of them: GROUPING(region)."""

    key: Key


@final
@dataclass(frozen=True, slots=True)
class Constant:
    """A number, text, date or truth that was written down; None is NULL."""

    value: Fraction | str | bool | date | None


@final
@dataclass(frozen=True, slots=True)
class Apply:
    """A function of other formulas; NULL where it has no value."""

    operation: Operation
    parts: tuple[Formula, ...]


@final
@dataclass(frozen=True, slots=True)
class Choice:
    """The formula beside the first condition that is true, or else the last one."""

    branches: tuple[tuple[Formula, Formula], ...]
    otherwise: Formula


Formula = Aggregate | Label | Margin | Constant | Apply | Choice
Leaf = Aggregate | Label | Margin


def leaves(formula: Formula) -> Iterator[Leaf]:
    """The aggregates and keys that a formula is made of, from left to right."""
    match formula:
        case Constant():
            return
        case Apply(_, parts):
            for part in parts:
                yield from leaves(part)
        case Choice(branches, otherwise):
            for test, value in branches:
                yield from leaves(test)
                yield from leaves(value)
            yield from leaves(otherwise)
        case _:
            yield formula


def aggregates_of(formula: Formula) -> Iterator[Aggregate]:
    """The aggregates that a formula is made of."""
    for leaf in leaves(formula):
        if not isinstance(leaf, Label | Margin):
            yield leaf


def replaced(formula: Formula, change: Callable[[Formula], Formula]) -> Formula:
    """The formula with the change made to its parts first and then to itself."""
    match formula:
        case Apply(operation, parts):
            return change(Apply(operation, tuple(replaced(part, change) for part in parts)))
        case Choice(branches, otherwise):
            made = tuple((replaced(test, change), replaced(value, change)) for test, value in branches)
            return change(Choice(made, replaced(otherwise, change)))
        case _:
            return change(formula)


def numeric(formula: Formula) -> bool:
    """Whether a formula gives numbers that noise has touched, so that it has an error bar."""
    match formula:
        case Apply(operation, parts):
            return operation not in TRUTHS and any(numeric(part) for part in parts)
        case Choice(branches, otherwise):
            values = [value for _, value in branches] + [otherwise]
            known = all(numeric(value) or _is_number(value) for value in values)
            return known and (
                any(map(numeric, values)) or any(any(True for _ in aggregates_of(test)) for test, _ in branches)
            )
        case Label() | Margin() | Constant():
            return False
        case _:
            return True


def _is_number(formula: Formula) -> bool:
    return isinstance(formula, Constant) and (formula.value is None or isinstance(formula.value, Fraction))


# --- values ------------------------------------------------------------------------------------------------------


def evaluate(formula: Formula, value: Callable[[Leaf], Any]) -> Any:
    """The value of a formula for one line; None where SQL has NULL.

    >>> from partita.query.language.aggregates import CountRows
    >>> share = Apply(Operation.DIVIDE, (CountRows(), Constant(Fraction(4))))
    >>> evaluate(share, lambda leaf: 10)
    2.5
    """
    match formula:
        case Constant(constant):
            return _plain(constant)
        case Apply(operation, parts):
            return _applied(operation, [evaluate(part, value) for part in parts])
        case Choice(branches, otherwise):
            for test, chosen in branches:
                if evaluate(test, value) is True:
                    return evaluate(chosen, value)
            return evaluate(otherwise, value)
        case _:
            return value(formula)


def _plain(constant: object) -> Any:
    if isinstance(constant, Fraction):
        return int(constant) if constant.denominator == 1 else float(constant)
    return constant


def _applied(operation: Operation, parts: list[Any]) -> Any:
    match operation:
        case Operation.FIRST:
            return next((part for part in parts if part is not None), None)
        case Operation.ABSENT:
            return parts[0] is None
        case Operation.AND:
            return False if False in parts else None if None in parts else True
        case Operation.OR:
            return True if True in parts else None if None in parts else False
        case Operation.UNLESS:
            return None if parts[0] == parts[1] else parts[0]
        case Operation.GREATEST | Operation.LEAST:
            known = [part for part in parts if part is not None]
            return None if not known else max(known) if operation is Operation.GREATEST else min(known)
        case _:
            return None if None in parts else _strict(operation, parts)


def _strict(operation: Operation, parts: list[Any]) -> Any:
    """Functions that are NULL where one part is; too large for a number is NULL as well."""
    try:
        match operation:
            case Operation.ADD:
                return sum(parts[1:], parts[0])
            case Operation.SUBTRACT:
                apart = parts[0] - parts[1]
                return apart.days if isinstance(apart, timedelta) else apart
            case Operation.MULTIPLY:
                return math.prod(parts)
            case Operation.DIVIDE:
                return None if parts[1] == 0 else parts[0] / parts[1]
            case Operation.NOT:
                return not parts[0]
            case Operation.EQUAL:
                return parts[0] == parts[1]
            case Operation.DIFFERENT:
                return parts[0] != parts[1]
            case Operation.BELOW:
                return parts[0] < parts[1]
            case Operation.AT_MOST:
                return parts[0] <= parts[1]
            case Operation.ABOVE:
                return parts[0] > parts[1]
            case Operation.AT_LEAST:
                return parts[0] >= parts[1]
            case _:
                return _monotone(operation, parts)
    except (OverflowError, TypeError, ValueError):
        return None


def _monotone(operation: Operation, parts: list[Any]) -> Any:
    first = parts[0]
    match operation:
        case Operation.ROUND:
            digits = max(-MOST_DIGITS, min(MOST_DIGITS, int(parts[1]))) if len(parts) > 1 else 0
            return _rounded(first, digits)
        case Operation.WHOLE:
            # A cast takes halves to the even neighbour.
            return round(first)
        case Operation.FLOOR:
            return math.floor(first)
        case Operation.CEILING:
            return math.ceil(first)
        case Operation.ABSOLUTE:
            return abs(first)
        case Operation.ROOT:
            # A noisy number that should not be negative can be; the nearest root is zero.
            return math.sqrt(max(0.0, first))
        case Operation.LOGARITHM:
            return math.log(first) if first > 0 else None
        case Operation.EXPONENTIAL:
            return math.exp(first)
        case _:
            raise AssertionError(operation)


def _rounded(number: float, digits: int) -> float:
    """To the nearest number of so many digits, halves away from zero, by the steps that DuckDB takes."""
    if isinstance(number, int):
        if digits >= 0:
            return number
        unit = int(10**-digits)
        away = (abs(number) + unit // 2) // unit * unit
        return away if number >= 0 else -away
    power = 10.0 ** abs(digits)
    scaled = number * power if digits >= 0 else number / power
    if not math.isfinite(scaled):
        return number
    below = math.floor(abs(scaled))
    nearest = math.copysign(below + (abs(scaled) - below >= 0.5), number)
    return nearest / power if digits >= 0 else nearest * power


# --- intervals ---------------------------------------------------------------------------------------------------


def enclosure(formula: Formula, interval: Callable[[Formula], Interval | None]) -> Interval:
    """Where a formula must lie if its parts lie in their intervals, by interval arithmetic.

    ``interval`` may know the answer for a whole part, which is then not taken apart.

    >>> from partita.query.language.aggregates import CountRows
    >>> gap = Apply(Operation.SUBTRACT, (CountRows(), Constant(Fraction(4))))
    >>> enclosure(gap, lambda part: (9.0, 11.0) if isinstance(part, CountRows) else None)
    (5.0, 7.0)
    """
    known = interval(formula)
    if known is not None:
        return known
    match formula:
        case Constant(constant):
            plain = _plain(constant)
            return ANYTHING if not isinstance(plain, int | float) else (float(plain), float(plain))
        case Apply(Operation.ROUND, (part, *digits)):
            ends = enclosure(part, interval)
            places = digits[0].value if digits and isinstance(digits[0], Constant) else Fraction(0)
            if not isinstance(places, Fraction):
                return ANYTHING
            return _ends(_monotone(Operation.ROUND, [end, places]) if math.isfinite(end) else end for end in ends)
        case Apply(operation, parts):
            return _enclosed(operation, [enclosure(part, interval) for part in parts])
        case Choice(branches, otherwise):
            return _hull([enclosure(value, interval) for value in (*(value for _, value in branches), otherwise)])
        case _:
            return ANYTHING


def _enclosed(operation: Operation, parts: list[Interval]) -> Interval:
    match operation:
        case Operation.ADD:
            return sum(low for low, _ in parts), sum(high for _, high in parts)
        case Operation.SUBTRACT:
            return parts[0][0] - parts[1][1], parts[0][1] - parts[1][0]
        case Operation.MULTIPLY:
            found = parts[0]
            for part in parts[1:]:
                found = _ends(_times(one, other) for one in found for other in part)
            return found
        case Operation.DIVIDE:
            low, high = parts[1]
            if low <= 0 <= high:
                return ANYTHING
            return _ends(_times(end, 1 / other) for end in parts[0] for other in (low, high))
        case (
            Operation.WHOLE
            | Operation.FLOOR
            | Operation.CEILING
            | Operation.ROOT
            | Operation.LOGARITHM
            | Operation.EXPONENTIAL
        ):
            return _increasing(operation, parts[0])
        case Operation.ABSOLUTE:
            low, high = parts[0]
            return (0.0 if low <= 0 <= high else min(abs(low), abs(high))), max(abs(low), abs(high))
        case Operation.FIRST:
            return _hull(parts)
        case Operation.UNLESS:
            return parts[0]
        case Operation.GREATEST:
            return max(low for low, _ in parts), max(high for _, high in parts)
        case Operation.LEAST:
            return min(low for low, _ in parts), min(high for _, high in parts)
        case _:
            return ANYTHING


def _increasing(operation: Operation, part: Interval) -> Interval:
    ends = []
    for end in part:
        try:
            found = end if math.isinf(end) else _monotone(operation, [end])
        except OverflowError:
            found = math.inf
        ends.append(-math.inf if found is None else float(found))
    low, high = ends
    if operation in (Operation.ROOT, Operation.EXPONENTIAL):
        low = max(0.0, low)
    return low, high


def _times(one: float, other: float) -> float:
    """Zero times anything is zero: an unbounded interval is still made of finite numbers."""
    return 0.0 if one == 0 or other == 0 else one * other


def _ends(values: Iterator[float] | list[float]) -> Interval:
    listed = list(values)
    return min(listed), max(listed)


def _hull(parts: list[Interval]) -> Interval:
    return min(low for low, _ in parts), max(high for _, high in parts)
