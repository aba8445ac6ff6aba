"""An independent verifier: the heaviest value or pair recomputed from the list of charges alone (theory E23)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import final

from partita.limits import current
from partita.region import codes as codes_of
from partita.region.box import Box
from partita.region.codes import Codes

Point = tuple[int, ...]
Signature = frozenset[int]


@final
@dataclass(frozen=True, slots=True)
class Item:
    """One charge in one coordinate: disjoint boxes, the cost with one value inside, with both, with two equal ones."""

    boxes: tuple[Box, ...]
    one: Fraction
    substitution: Fraction = Fraction(0)
    same: Fraction = Fraction(0)


@final
@dataclass(frozen=True, slots=True)
class _Piece:
    """One box of one item; a value is in an item if it is in one of its boxes, and these are disjoint."""

    item: int
    box: Box


def heaviest_value(
    shape: Sequence[int], items: Sequence[Item], nodes: int | None = None
) -> tuple[Fraction, Fraction, Point]:
    """The largest sum of ``one`` over the items that hold a value: lower and upper bound, and a value for the lower.

    Branch and bound over the axes on exact rationals; it shares no code with the account.

    >>> boxes = [(((0, 3),),), (((2, 5),),), (((4, 6),),)]
    >>> heaviest_value([6], [Item((box,), Fraction(1)) for box in boxes])
    (Fraction(2, 1), Fraction(2, 1), (4,))
    """
    nodes = current().nodes if nodes is None else nodes
    pieces = [_Piece(place, box) for place, item in enumerate(items) for box in item.boxes]
    ordered = [_classes(pieces, axis, size) for axis, size in enumerate(shape)]
    best: tuple[Fraction, Point] = (Fraction(-1), ())
    open_bound = Fraction(-1)
    stack: list[tuple[int, Signature, Point]] = [(0, frozenset(range(len(pieces))), ())]
    while stack:
        axis, alive, point = stack.pop()
        bound = sum((items[place].one for place in {pieces[p].item for p in alive}), Fraction(0))
        if bound <= best[0]:
            continue
        if axis == len(shape):
            best = (bound, point)
            continue
        if nodes <= 0:
            open_bound = max(open_bound, bound)
            continue
        nodes -= 1
        children = _maximal({signature & alive: code for signature, code in ordered[axis].items()})
        weighed = sorted(children.items(), key=lambda child: sum(items[pieces[p].item].one for p in child[0]))
        stack.extend((axis + 1, signature, (*point, code)) for signature, code in weighed)
    return max(best[0], Fraction(0)), max(best[0], open_bound, Fraction(0)), best[1]


def heaviest_pair(
    shape: Sequence[int], items: Sequence[Item], nodes: int | None = None
) -> tuple[Fraction, Fraction, tuple[Point, Point]]:
    """The largest loss of a change from one value to another: lower and upper bound, and a pair for the lower.

    No class of values is dropped for being inside another: the loss of a pair may fall when a value is in more
    items. A change between records of equal values costs ``same``: nothing if they are alike.
    """
    nodes = current().nodes if nodes is None else nodes
    pieces = [_Piece(place, box) for place, item in enumerate(items) for box in item.boxes]
    ordered = [_classes(pieces, axis, size) for axis, size in enumerate(shape)]
    single = [{s: _count(pieces, axis, size, s) for s in ordered[axis]} for axis, size in enumerate(shape)]
    everything = frozenset(range(len(pieces)))
    best: tuple[Fraction, tuple[Point, Point]] = (Fraction(-1), ((), ()))
    open_bound = Fraction(-1)
    # axis, alive for the first and the second value, the two values, whether they can still be the same cell only
    stack: list[tuple[int, Signature, Signature, Point, Point, bool]] = [(0, everything, everything, (), (), True)]
    while stack:
        axis, left, right, first, second, same = stack.pop()
        bound = _pair_bound(pieces, items, left, right, settled=False)
        if bound <= best[0]:
            continue
        if axis == len(shape):
            if not same:
                loss = _pair_bound(pieces, items, left, right, settled=True)
                best = (loss, (first, second)) if loss > best[0] else best
            if left == right:
                alike = sum((items[place].same for place in {pieces[p].item for p in left}), Fraction(0))
                if alike > max(best[0], Fraction(0)):
                    best = (alike, (first, first))
            continue
        if nodes <= 0:
            open_bound = max(open_bound, bound)
            continue
        nodes -= 1
        for mine, code in ordered[axis].items():
            for theirs, other in ordered[axis].items():
                shifted = other
                stays = same
                if mine != theirs:
                    stays = False
                elif same and single[axis][mine] > 1:
                    shifted, stays = _next(pieces, axis, shape[axis], mine, code), False
                stack.append((axis + 1, left & mine, right & theirs, (*first, code), (*second, shifted), stays))
    return max(best[0], Fraction(0)), max(best[0], open_bound, Fraction(0)), best[1]


def heaviest_window(
    shape: Sequence[int],
    items: Sequence[Item],
    axis: int,
    width: int,
    nodes: int | None = None,
    *,
    last: int | None = None,
    astray: int | None = None,
) -> tuple[Fraction, Fraction, int]:
    """The largest sum, over consecutive steps, of the heaviest value of each step; and the first step of it.

    With ``last``, times before the first step and after the last were moved there, so windows reach beyond both ends;
    with ``astray``, any row of a window may be at that code in place of its step.
    """
    lower, upper = [], []
    for step in range(shape[axis]):
        here = [item for item in (_at(item, axis, step) for item in items) if item.boxes]
        least, most, _ = heaviest_value(shape, here, nodes)
        lower.append(least)
        upper.append(most)
    if last is None:
        reach = range(max(1, shape[axis] - width + 1))
        spans = [range(first, min(first + width, shape[axis])) for first in reach]
    else:
        spans = [range(first, first + width) for first in range(1 - width, last + 1)]

    def summed(loads: Sequence[Fraction], span: range) -> Fraction:
        total = Fraction(0)
        for step in span:
            own = loads[step if last is None else min(max(step, 0), last)]
            total += own if astray is None else max(own, loads[astray])
        return total

    best = max(spans, key=lambda span: summed(lower, span))
    return summed(lower, best), max(summed(upper, span) for span in spans), max(0, best[0])


def _at(item: Item, axis: int, step: int) -> Item:
    """The part of an item at one step, spread over all steps so that only the step counts."""
    return Item(tuple(box for box in item.boxes if codes_of.holds(box[axis], step)), item.one)


def _pair_bound(
    pieces: Sequence[_Piece], items: Sequence[Item], left: Signature, right: Signature, *, settled: bool
) -> Fraction:
    mine, theirs = {pieces[p].item for p in left}, {pieces[p].item for p in right}
    total = Fraction(0)
    for place in mine | theirs:
        item = items[place]
        if place in mine and place in theirs:
            total += item.substitution if settled else max(item.one, item.substitution, item.same)
        else:
            total += item.one
    return total


def _classes(pieces: Sequence[_Piece], axis: int, size: int) -> dict[Signature, int]:
    """The codes of an axis by which pieces hold them, each class with its first code."""
    found: dict[Signature, int] = {}
    for start, _, signature in _intervals(pieces, axis, size):
        found.setdefault(signature, start)
    return found


def _intervals(pieces: Sequence[_Piece], axis: int, size: int) -> list[tuple[int, int, Signature]]:
    cuts = sorted({0, size, *(end for piece in pieces for interval in piece.box[axis] for end in interval)})
    return [
        (start, stop, frozenset(p for p, piece in enumerate(pieces) if codes_of.holds(piece.box[axis], start)))
        for start, stop in pairwise(cuts)
    ]


def _count(pieces: Sequence[_Piece], axis: int, size: int, wanted: Signature) -> int:
    return sum(stop - start for start, stop, found in _intervals(pieces, axis, size) if found == wanted)


def _next(pieces: Sequence[_Piece], axis: int, size: int, wanted: Signature, code: int) -> int:
    """Another code of the same class."""
    held: Codes = tuple((start, stop) for start, stop, found in _intervals(pieces, axis, size) if found == wanted)
    return next(other for other in codes_of.members(held) if other != code)


def _maximal(children: dict[Signature, int]) -> dict[Signature, int]:
    """Without the classes inside another one, which can weigh no more."""
    ordered = sorted(children.items(), key=lambda child: -len(child[0]))
    kept: dict[Signature, int] = {}
    for signature, code in ordered:
        if not any(signature <= other for other in kept):
            kept[signature] = code
    return kept
