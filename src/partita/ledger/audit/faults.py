"""Which charges version 0.1 booked too low, and why: the rules as they were beside the rules as they are."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from enum import Enum, unique
from math import prod
from typing import final

from partita.composition.account.booking import Booking, Release, Shape, Vector, booked, charged, shape
from partita.granularity import Granularity, Groups, Users
from partita.ledger.birth import Terms
from partita.ledger.charge import Priced
from partita.region import Domain, Region
from partita.region import box as boxes_of
from partita.region import codes as codes_of
from partita.region.box import Box
from partita.region.codes import Codes
from partita.region.columns import Bounded, Categories
from partita.theory.cost import Cost
from partita.theory.measures.base import Measure, most

# Regions of more rectangles than this were replaced by a box around them.
_MOST_RECTANGLES = 4096


@final
@unique
class Fault(Enum):
    """Why too little was booked; the name is that of the case on the page of past vulnerabilities."""

    WIDENED = "a ragged region was booked as the box around it, inside which a change seemed to cost nothing"
    OPEN_KEYS = "a change between records of equal declared values and other open keys was left out"
    CLAMPED = "values outside the declared range shared a part of their owner with others"


Finding = tuple[int, Fault | None, Measure, Measure]


def concerned(unit: Granularity) -> bool:
    """Whether charges under a promise to this unit can have been booked too low."""
    single = unit.single
    parted = isinstance(single, Users) and single.per is not None and not single.altered
    return parted or shape(unit) is Shape.PAIRS


def faults(terms: Terms, priced: Priced, reading: str) -> Iterator[Finding]:
    """For each promise whether a charge was booked too low and why, what was booked, and what it cost at most."""
    if priced.region.empty:
        return
    for place, (promise, cost) in enumerate(zip(terms.promises, priced.costs, strict=False)):
        unit = promise.granularity
        if shape(unit) is Shape.PAIRS:
            fault, load = _changed(unit, priced.region, cost, reading)
            if fault is not None and load.substitution is not None:
                now = load.substitution if load.region.whole else tuple(map(max, load.one, load.substitution))
                yield place, fault, promise.budget.like(_before(load)), promise.budget.like(now)
                continue
        was = charged(unit, promise.budget, _release(priced.region, cost))
        if concerned(unit) and isinstance(unit.single, Users):
            within = shared(terms, priced, place).region
            if not within.empty:
                more = charged(altered(unit), promise.budget, _release(within, cost))
                yield place, Fault.CLAMPED, was, most(was, more)
                continue
        yield place, None, was, was


def _changed(unit: Granularity, region: Region, cost: Cost, reading: str) -> tuple[Fault | None, Booking]:
    """Whether a charge for changed records is of one of the two kinds that were booked too low."""
    load = booked(unit, _release(region, cost))
    parts = list(zip(load.one, load.substitution or load.one, strict=True))
    if _count(load.region.boxes) > _MOST_RECTANGLES and any(one > substitution for one, substitution in parts):
        return Fault.WIDENED, load
    if (
        any(substitution > one for one, substitution in parts)
        and not load.region.whole
        and _open(region.domain, reading)
    ):
        return Fault.OPEN_KEYS, load
    return None, load


def _before(load: Booking) -> Vector:
    """The most that version 0.1 booked for a changed record: on the box around, and never for equal declared values."""
    assert load.substitution is not None
    boxes = _around(load.region.boxes)
    values = sum(prod(codes_of.size(codes) for codes in box) for box in boxes)
    whole = values == load.region.domain.size
    if values == 1:
        return load.one if not whole else tuple(0 * part for part in load.one)
    return load.substitution if whole else tuple(map(max, load.one, load.substitution))


def _around(boxes: tuple[Box, ...]) -> list[Box]:
    """The boxes as version 0.1 booked them."""
    if _count(boxes) <= _MOST_RECTANGLES:
        return list(boxes)
    spans = [tuple(((codes[0][0], codes[-1][1]),) for codes in box) for box in boxes]
    apart = boxes_of.disjoint(spans) if len(spans) <= 64 else []
    if apart and _count(apart) <= _MOST_RECTANGLES:
        return apart
    hull = boxes_of.hull(spans)
    return [] if hull is None else [tuple(((codes[0][0], codes[-1][1]),) for codes in hull)]


def _count(boxes: Iterable[Box]) -> int:
    return sum(prod(len(codes) for codes in box) for box in boxes)


def _release(region: Region, cost: Cost) -> Release:
    return Release(region, Cost(cost.row, cost.substitution, cost.owner))


def reading_of(mechanism: object) -> str:
    """What the book says of the question and its noise, but for the first line with the table's own name."""
    if not isinstance(mechanism, dict):
        return ""
    return json.dumps({**mechanism, "question": str(mechanism.get("question", "")).partition("\n")[2]})


def _open(domain: Domain, reading: str) -> bool:
    """Whether a release speaks of a column whose values are not declared."""
    names = [name for name, column in domain.columns.items() if not isinstance(column, Bounded)]
    return any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", reading, re.IGNORECASE) for name in names)


def shared(terms: Terms, priced: Priced, place: int) -> Priced:
    """A charge on the cells that several stored parts of one owner could share, under one promise."""
    unit = terms.promises[place].granularity.single
    assert isinstance(unit, Users)
    assert unit.per is not None
    domain = terms.tables[priced.table]
    axis = domain.axis(unit.per)
    shared = _merging(domain.bounded[axis])
    cells = Region.of(domain, [tuple(shared if at == axis else full for at, full in enumerate(domain.everything))])
    return replace(priced, analyst="", region=priced.region & cells, costs=(priced.costs[place],))


def _merging(column: Bounded) -> Codes:
    """The codes that stored values of other meanings are mapped to: both ends, OTHER, and what stands for nothing."""
    found = {column.code(None)}
    if isinstance(column, Categories):
        found.add(column.labels.index(column.other))
    elif column.ordered:
        found |= {0, codes_of.size(column.values) - 1}
    return codes_of.of(sorted(found))


def altered(unit: Granularity) -> Granularity:
    """The same relation with parts that are altered in place of parts that come or go."""
    if isinstance(unit, Groups):
        return replace(unit, of=altered(unit.of))
    assert isinstance(unit, Users)
    return replace(unit, altered=True)
