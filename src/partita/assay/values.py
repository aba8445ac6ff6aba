"""Which record values to try: both sides of every end that anything in a question or a claim has, and a few others."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from math import prod
from struct import unpack
from typing import final

from partita.assay.claim import Claim
from partita.assay.meaning import TEXTS, Boxes, Codes
from partita.assay.release import Reading
from partita.query.exact.program import Present, Program, Total
from partita.query.exact.program import Values as Histograms
from partita.query.language.conditions import Condition, Versus
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
from partita.query.language.keys import Bucket, Cases, Key, Valued
from partita.region.columns.stepped import Stepped
from partita.region.domain import Domain
from partita.region.predicate import And, IsTrue, Not, OfColumn, Or, Predicate

_MOST_ENDS = 24  # of one axis


def values(readings: Sequence[Reading], claims: Sequence[Claim], *, most: int, seed: str) -> list[Codes]:
    """At most so many values: all of a small domain, or else those where something changes, and a few at random."""
    found = _declared(readings, claims, most=most, seed=seed)
    if not any(reading.program.worded for reading in readings):
        return found
    # A condition on open text divides records of equal declared values: each is tried with every kind of text.
    return [(*codes, text) for codes in found for text in range(TEXTS)]


def _declared(readings: Sequence[Reading], claims: Sequence[Claim], *, most: int, seed: str) -> list[Codes]:
    domain = readings[0].domain
    if domain.size <= most:
        return list(product(*map(range, domain.shape)))
    ends = Ends(domain)
    for reading in readings:
        ends.program(reading.program)
    for claim in claims:
        ends.boxes(claim.boxes)
    along = ends.listed()
    found: dict[Codes, None] = {}
    if prod(map(len, along)) <= most:
        found.update(dict.fromkeys(product(*along)))
    else:
        found.update(dict.fromkeys(_corners(along, readings, claims, most)))
    drawn = lots(seed)
    for _ in range(min(most - len(found), most // 4) // 2):
        found[tuple(one[next(drawn) % len(one)] if len(one) > 1 else one[0] for one in along)] = None
        found[tuple(next(drawn) % size for size in domain.shape)] = None
    return list(found)


def _corners(along: list[list[int]], readings: Sequence[Reading], claims: Sequence[Claim], most: int) -> list[Codes]:
    """The corners of the boxes, each varied along one axis at a time; two thirds of all that may be tried."""
    boxes = [box for reading in readings for box in reading.program.where.region.boxes[:4]]
    boxes += [box for claim in claims for box in claim.boxes[:4]]
    found: dict[Codes, None] = {}
    starts = dict.fromkeys(
        corner for box in boxes for corner in (tuple(one[0][0] for one in box), tuple(one[-1][1] - 1 for one in box))
    )
    for start in starts:
        found[start] = None
    told = [(axis, one) for axis, one in enumerate(along) if len(one) > 1]  # few, of many columns
    for place in range(_MOST_ENDS):
        for start in starts:
            for axis, one in told:
                if place < len(one):
                    found[(*start[:axis], one[place], *start[axis + 1 :])] = None
                if len(found) >= 2 * most // 3:
                    return list(found)
    return list(found)


def derived_ends(program: Program) -> list[tuple[str, int]]:
    """Where something that is computed from derived rows may change: a derived column, and a code of it."""
    per_user = program.per_user
    assert per_user is not None
    domain = per_user.table.domain
    ends = Ends(domain)
    ends.condition(per_user.where)
    ends.counted(program)
    found = zip(domain.axes, ends.listed(), strict=True)
    names = {column.name for column in per_user.columns}
    return [(name, code) for name, codes in found if name in names for code in codes]


def lots(seed: str) -> Iterator[int]:
    """Numbers that look random and are the same for the same seed; nothing secret is drawn from them."""
    count = 0
    while True:
        yield from unpack(">64Q", hashlib.shake_256(f"{seed}/{count}".encode()).digest(512))
        count += 1


@final
class Ends:
    """For each axis the codes on both sides of every end."""

    def __init__(self, domain: Domain) -> None:
        self.domain = domain
        self._codes: list[dict[int, None]] = [{} for _ in domain.shape]

    def listed(self) -> list[list[int]]:
        """The codes to try along each axis; one will do where nothing is known of it."""
        found = []
        for size, codes in zip(self.domain.shape, self._codes, strict=True):
            kept = [code for code in codes if 0 <= code < size]
            found.append(kept[:_MOST_ENDS] or [0])
        return found

    def near(self, axis: int, code: int) -> None:
        """A boundary between a code and the one before."""
        self._codes[axis][code] = None
        self._codes[axis][code - 1] = None

    def whole(self, name: str) -> None:
        """The extremes of a column, its NULL, and its middle."""
        axis = self.domain.axis(name)
        size = self.domain.shape[axis]
        last = size - 1 if self.domain.bounded[axis].null is None else size - 2
        self._codes[axis].update(dict.fromkeys((last, 0, size - 1, last // 2, 1)))

    def boxes(self, boxes: Boxes) -> None:
        """Where boxes begin and end."""
        for box in boxes[:_MOST_ENDS]:
            for axis, along in enumerate(box):
                if along == ((0, self.domain.shape[axis]),):
                    continue
                for low, high in (along[0], along[-1], *along[1:_MOST_ENDS]):
                    self.near(axis, low)
                    self.near(axis, high)

    def program(self, program: Program) -> None:
        """Everything that a program looks at; of rows gathered by owner, what is gathered."""
        self.condition(program.where)
        per_user = program.per_user
        if per_user is not None:
            for name in per_user.keys:
                self.whole(name)
            self.expressions(column.of for column in per_user.columns if column.of is not None)
        else:
            self.counted(program)

    def counted(self, program: Program) -> None:
        """What is looked at of the rows that are counted."""
        for key in program.cells.keys:
            self.key(key)
        self.expressions(tally.of for tally in program.tallies if isinstance(tally, Total | Present | Histograms))

    def key(self, key: Key) -> None:
        """Where one group ends and the next begins."""
        if isinstance(key, Cases):
            for region, _ in key.branches:
                self.boxes(region.boxes)
            return
        if isinstance(key, Valued):
            self.expressions((key.of,))
            return
        self.whole(key.column)
        column = self.domain.bounded[self.domain.axis(key.column)]
        if isinstance(key, Bucket) and isinstance(column, Stepped):
            width = int(key.width / column.step)
            self.near(self.domain.axis(key.column), width - column.low % width)

    def condition(self, condition: Condition) -> None:
        """The ends of its region, and of what is tested beyond it."""
        self.boxes(condition.region.boxes)
        for test in condition.tests:
            self.predicate(test)

    def predicate(self, predicate: Predicate) -> None:
        """Where a predicate may change."""
        match predicate:
            case Versus(left, _, right):
                self.expressions((left, right))
            case And(parts) | Or(parts):
                for part in parts:
                    self.predicate(part)
            case Not(part) | IsTrue(part):
                self.predicate(part)
            case OfColumn():
                axis = self.domain.axis(predicate.column)
                for codes in predicate.split(self.domain, axis):
                    for low, high in codes[:_MOST_ENDS]:
                        self.near(axis, low)
                        self.near(axis, high)
            case _:
                pass

    def expressions(self, expressions: Iterable[Expression]) -> None:
        """The extremes of every column that is computed with, and the ends of what is clamped or told apart."""
        for expression in expressions:
            match expression:
                case Value(name):
                    self.whole(name)
                case Number():
                    pass
                case Plus(parts) | Times(parts) | First(parts) | Extreme(parts):
                    self.expressions(parts)
                case Ratio(part, divisor):
                    self.expressions((part, divisor))
                case Clamp(part, low, high):
                    self.expressions((part,))
                    if isinstance(part, Value):
                        self.clamped(part.column, int(low), int(high))
                case Quotient(part) | Remainder(part) | Months(part) | Curved(_, part):
                    self.expressions((part,))
                case Case(branches, otherwise):
                    for condition, then in branches:
                        self.condition(condition)
                        self.expressions((then,))
                    self.expressions((otherwise,))

    def clamped(self, name: str, low: int, high: int) -> None:
        """Where a column leaves the range that it is kept within."""
        axis = self.domain.axis(name)
        column = self.domain.bounded[axis]
        if isinstance(column, Stepped):
            for end in (low, high):
                self.near(axis, int(end / column.step) - column.low)
