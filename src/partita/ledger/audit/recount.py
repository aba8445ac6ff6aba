"""Every balance counted once more in the plainest way, by code that shares nothing with the accounts' own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import final

import numpy as np
import numpy.typing as npt

from partita.composition.account.booking import Release, Shape, booked, shape
from partita.composition.plans.promise import Promise
from partita.granularity import Granularity, Windows
from partita.limits import current
from partita.region import Domain, Region
from partita.region.box import Box
from partita.theory.cost import Cost

Integers = npt.NDArray[np.int64]
_UNITS = 1 << 53


@final
@dataclass(frozen=True, slots=True)
class Count:
    """How many times its budget the heaviest load is, at least and at most; None where there were too many cells."""

    least: Fraction
    most: Fraction | None

    @property
    def exceeds(self) -> bool:
        """Whether the budget was certainly passed, by more than the rounding of this count."""
        return self.least > 1

    @property
    def proven(self) -> bool:
        """Whether the budget was certainly kept, up to the rounding of this count."""
        return self.most is not None and self.most <= 1


def recount(domain: Domain, promise: Promise, charges: Iterable[tuple[Region, Cost, int]]) -> Count:
    """The heaviest load of charges in units of the budget, coordinate by coordinate, and the worst of them.

    All ends of all regions cut the domain into cells; corner differences and running sums give the load of each
    cell (theory E10), of each window (theory E8), and a bound on each pair (theory E11), exact where cells are few.
    """
    budget = promise.budget.vector()
    sums: dict[tuple[Box, ...], list[list[Fraction]]] = {}
    for region, cost, count in charges:
        made = booked(promise.granularity, Release(region, cost))
        found = sums.setdefault(made.region.boxes, [[Fraction(0)] * len(budget) for _ in range(3)])
        for total, parts in zip(found, (made.one, made.substitution or made.one, made.same or ()), strict=True):
            for place, part in enumerate(parts):
                total[place] += count * part
    rectangles = [(_spans(boxes), one, substitution, same) for boxes, (one, substitution, same) in sums.items()]
    counts = [_coordinate(domain, promise, rectangles, place) for place in range(len(budget))]
    most = [count.most for count in counts]
    known = [part for part in most if part is not None]
    return Count(max(count.least for count in counts), max(known) if len(known) == len(most) else None)


Spans = list[list[tuple[int, int]]]
Rectangles = Sequence[tuple[Spans, list[Fraction], list[Fraction], list[Fraction]]]


def _spans(boxes: Sequence[Box]) -> Spans:
    return [list(spans) for box in boxes for spans in product(*box)]


def _coordinate(domain: Domain, promise: Promise, charges: Rectangles, place: int) -> Count:
    budget = promise.budget.vector()[place]
    used = [
        (spans, one[place], substitution[place], same[place])
        for spans, one, substitution, same in charges
        if one[place] or substitution[place]
    ]
    if not used:
        return Count(Fraction(0), Fraction(0))
    if budget == 0:
        return Count(Fraction(2), None)
    # Amounts in units of the budget, rounded up; the whole rounding is at most one unit for each charge.
    amounts = [
        (_up(one / budget), _up(substitution / budget), _up(same / budget)) for _, one, substitution, same in used
    ]
    slack = Fraction(4 * len(used), _UNITS)
    spans = np.asarray([ends for spans, *_ in used for ends in spans], dtype=np.int64)
    owner = np.asarray([number for number, (spans, *_) in enumerate(used) for _ in spans])
    match shape(promise.granularity):
        case Shape.VALUES:
            loads = _loads(spans, np.asarray([one for one, *_ in amounts])[owner], domain.shape)
            return Count(Fraction(0), None) if loads is None else _bounds(int(loads.max()), slack)
        case Shape.WINDOWS:
            return _windows(domain, promise.granularity, spans, np.asarray([one for one, *_ in amounts])[owner], slack)
        case Shape.PAIRS:
            return _pairs(domain, spans, owner, amounts, slack)


def _bounds(units: int, slack: Fraction) -> Count:
    """Rounding up made the count too large by at most the slack, which is forgiven."""
    least = Fraction(units, _UNITS) - slack
    return Count(max(Fraction(0), least), max(Fraction(0), least))


def _up(share: Fraction) -> int:
    return min(-(-share.numerator * _UNITS // share.denominator), 4 * _UNITS)


def _loads(spans: Integers, amounts: Integers, ends: Sequence[int]) -> Integers | None:
    """The load of every cell; a sum that would not fit in 64 bits is held at its largest."""
    cuts = [np.unique(np.append(spans[:, axis].ravel(), 0)) for axis in range(len(ends))]
    size = 1
    for along in cuts:
        size *= len(along)
    if size > current().recount_cells:
        return None
    exact = np.zeros([len(along) for along in cuts], dtype=np.int64)
    rough = np.zeros(exact.shape, dtype=np.float64)
    places = [np.searchsorted(along, spans[:, axis]) for axis, along in enumerate(cuts)]
    for corner in product((0, 1), repeat=len(ends)):
        sign = -1 if sum(corner) % 2 else 1
        where = tuple(places[axis][:, side] for axis, side in enumerate(corner))
        np.add.at(exact, where, sign * amounts)
        np.add.at(rough, where, sign * amounts.astype(np.float64))
    for axis in range(len(ends)):
        np.cumsum(exact, axis=axis, out=exact)
        np.cumsum(rough, axis=axis, out=rough)
    # Sums wrap around at 64 bits and come out right where the truth fits; floats tell where it does not.
    exact[rough > 2.0**62] = 1 << 62
    return exact


def _windows(domain: Domain, granularity: Granularity, spans: Integers, amounts: Integers, slack: Fraction) -> Count:
    unit = granularity.single
    assert isinstance(unit, Windows)
    axis = domain.axis(unit.column)
    loads = _loads(spans, amounts, domain.shape)
    if loads is None:
        return Count(Fraction(0), None)
    cuts = np.unique(np.append(spans[:, axis].ravel(), 0))
    heaviest = loads.max(axis=tuple(other for other in range(loads.ndim) if other != axis))
    widths = np.diff(np.append(cuts, max(domain.shape[axis], int(cuts[-1]) + 1)))
    steps = [int(load) for load, width in zip(heaviest, widths, strict=True) for _ in range(int(width))]
    # Times outside the declared steps were clamped to either end, and any row may lack a time.
    column, more = domain.bounded[axis], unit.width - 1
    lost = steps[column.code(None)]
    inside = [max(load, lost) for load in steps[: domain.shape[axis] - (column.null is not None)]]
    steps = [inside[0]] * more + inside + [inside[-1]] * more
    window = sum(steps[: unit.width])
    worst = window
    for last in range(unit.width, len(steps)):
        window += steps[last] - steps[last - unit.width]
        worst = max(worst, window)
    return _bounds(worst, unit.width * slack)


def _pairs(
    domain: Domain, spans: Integers, owner: npt.NDArray[np.int64], amounts: list[tuple[int, int, int]], slack: Fraction
) -> Count:
    """Every pair is within twice the heaviest value, each charge counted as the larger of one and half a substitution.

    Equal values are a pair as well, of records that differ elsewhere, and lose ``same`` of what holds them (E11a).
    """
    weights = np.asarray([max(one, -(-max(substitution, same) // 2)) for one, substitution, same in amounts])[owner]
    loads = _loads(spans, weights, domain.shape)
    if loads is not None and 2 * int(loads.max()) <= _UNITS:
        return Count(Fraction(0), Fraction(2 * int(loads.max()), _UNITS))
    cuts = [np.unique(np.append(spans[:, axis].ravel(), 0)) for axis in range(len(domain.shape))]
    starts = [along[along < size] for along, size in zip(cuts, domain.shape, strict=True)]
    cells = int(np.prod([len(along) for along in starts]))
    if cells * len(spans) > current().recount_pairs:
        return Count(Fraction(0), None)
    points = np.asarray(list(product(*starts)))
    member = np.zeros((cells, len(amounts)), dtype=np.int8)
    for (low, high), number in zip(np.moveaxis(spans, 2, 1), owner, strict=True):
        member[((points >= low) & (points < high)).all(axis=1), number] = 1
    # Cells that are in the same charges are alike; only how many values they have together matters.
    classes, kind = np.unique(member, axis=0, return_inverse=True)
    if len(classes) ** 2 * len(amounts) > current().recount_pairs:
        return Count(Fraction(0), None)
    held = classes.astype(object)
    one = np.asarray([one for one, *_ in amounts], dtype=object)
    rest = np.asarray([substitution - 2 * one for one, substitution, _ in amounts], dtype=object)
    load = held @ one
    worst = int((held @ np.asarray([same for *_, same in amounts], dtype=object)).max())
    sizes = [np.diff(np.append(along, size)) for along, size in zip(starts, domain.shape, strict=True)]
    volume = np.bincount(kind.ravel(), np.asarray(list(product(*sizes)), dtype=np.float64).prod(axis=1))
    for place in range(len(classes)):
        pairs = load[place] + load + (held * (held[place] * rest)).sum(axis=1)
        if volume[place] == 1:
            pairs[place] = 0  # a value is not changed to itself
        worst = max(worst, int(pairs.max()))
    return _bounds(worst, slack)
