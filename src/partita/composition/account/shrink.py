"""Auto-shrink: the part of a region that can still pay (theory E20)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from partita.composition.account.engine import Engine, OfPairs, OfValues, OfWindows
from partita.composition.account.load import Amounts, Load
from partita.composition.account.loads.grid import Grid
from partita.composition.account.loads.pairs import PairLoads
from partita.composition.account.loads.values import ValueLoads
from partita.composition.account.loads.wide.pairs import WidePairLoads
from partita.composition.account.loads.wide.values import WideLoads
from partita.region import codes as codes_of
from partita.region.box import Box
from partita.region.region import Region

Flags = npt.NDArray[np.bool_]


def payable(engine: Engine, region: Region, load: Load) -> Region:
    """A part of the region on which the charge fits; all of it that fits, where values pay on their own.

    For pairs and windows there is no largest part, and the part found is shown to fit as a whole.
    """
    if not load.boxes or engine.decide(load).fits:
        return region
    match engine:
        case OfValues(loads=ValueLoads() as loads):
            return region - _marked(region, loads.grid, _over_values(loads, load.one), engine.limits.shrunk)
        case OfValues() | OfPairs(loads=WidePairLoads()):
            return _one_by_one(engine, region, load)
        case OfPairs():
            return _of_pairs(engine, region, load)
        case OfWindows():
            return _of_windows(engine, region, load)
        case _:
            return Region.nothing(region.domain)


def _over_values(loads: ValueLoads, one: Amounts) -> Flags:
    """The cells where the cost would exceed the budget."""
    over = np.zeros(loads.grid.loads.shape[1:], dtype=bool)
    for component, amount in enumerate(one):
        if amount:
            left = loads.budget[component] - loads.base[component] - amount
            over |= loads.grid.loads[component] > left
    return over


def _one_by_one(engine: Engine, region: Region, load: Load) -> Region:
    """Without the booked regions that hold a value which cannot pay, one value after another."""
    kept = region
    assert isinstance(engine, OfValues | OfPairs)
    loads = engine.loads
    assert isinstance(loads, WideLoads | WidePairLoads)
    for _ in range(engine.limits.shrinks):
        answer = engine.decide(load._replace(boxes=kept.boxes))
        inside = [codes for codes in answer.witness if kept.holds(codes)]
        if answer.fits or not inside:
            break
        kept = kept - Region(region.domain, (loads.booked.around(inside[0], region.domain.everything),))
        if kept.empty:
            break
    return kept if engine.decide(load._replace(boxes=kept.boxes)).fits else Region.nothing(region.domain)


def _of_pairs(engine: OfPairs, region: Region, load: Load) -> Region:
    """Values light enough to pay with any partner; then, if that is too little, without those a pair was found for."""
    loads = engine.loads
    assert isinstance(loads, PairLoads)
    light = region
    for component, (a, s) in enumerate(zip(load.one, load.substitution, strict=True)):
        weight = max(a, -(-s // 2))
        numbers = loads.grid.loads[component]
        heaviest = max(int(numbers.max()), loads.grid.highest(region.boxes, component) + weight)
        left = loads.budget[component] - loads.base[component]
        light = light - _marked(region, loads.grid, numbers + weight + heaviest > left, engine.limits.shrunk)
    dropped = region
    for _ in range(engine.limits.shrinks):
        answer = engine.decide(load._replace(boxes=dropped.boxes))
        if answer.fits or dropped.empty or not answer.witness:
            break
        inside = [codes for codes in answer.witness if dropped.holds(codes)]
        if not inside:
            break  # only the box around a ragged region holds the pair
        heavier = max(inside, key=lambda codes: loads.weight_of(codes)[answer.component])
        dropped = dropped - _cell(region, loads.grid, heavier)
    if dropped.size > light.size and engine.decide(load._replace(boxes=dropped.boxes)).fits:
        return dropped
    return light if engine.decide(load._replace(boxes=light.boxes)).fits else Region.nothing(region.domain)


def _of_windows(engine: OfWindows, region: Region, load: Load) -> Region:
    """Without the steps of the windows that cannot pay, one window after another; fewer where steps are many."""
    kept = region
    full = region.domain.everything
    turns = engine.limits.looked // (engine.steps.count + 2 * engine.steps.width)
    for _ in range(min(turns, 16 * engine.limits.shrinks)):
        answer = engine.decide(load._replace(boxes=kept.boxes))
        if answer.fits or not answer.witness:
            break
        axis = engine.steps.axis
        codes = codes_of.of({value[axis] for value in answer.witness})
        kept = kept - Region(region.domain, ((*full[:axis], codes, *full[axis + 1 :]),))
    return kept if engine.decide(load._replace(boxes=kept.boxes)).fits else Region.nothing(region.domain)


def _cell(region: Region, grid: Grid, codes: tuple[int, ...]) -> Region:
    """The cell of the grid that holds a value."""
    box = []
    for axis, code in enumerate(codes):
        bounds = grid.bounds(axis)
        cell = int(np.searchsorted(bounds, code, side="right")) - 1
        box.append(codes_of.span(int(bounds[cell]), int(bounds[cell + 1])))
    return Region(region.domain, (tuple(box),))


def _marked(region: Region, grid: Grid, marks: Flags, most: int) -> Region:
    """The marked cells near a region, as boxes: runs along the last axis, put together where they match."""
    domain = region.domain
    bounds = [grid.bounds(axis) for axis in range(grid.axes)]
    near = np.zeros_like(marks)
    for box in region.boxes:
        near[grid.index(grid.touched(box))] = True
    marks = marks & near
    if not marks.any():
        return Region.nothing(domain)
    if int(marks.sum()) > most:
        return region
    return Region(domain, _boxes(marks, bounds))


def _boxes(marks: Flags, bounds: list[npt.NDArray[np.int64]]) -> tuple[Box, ...]:
    """Disjoint boxes of the marked cells, built axis by axis from the last."""
    found: dict[tuple[int, ...], list[Box]] = {}
    lines = marks.reshape(-1, marks.shape[-1])
    for number in np.flatnonzero(lines.any(axis=1)):
        cells = np.flatnonzero(lines[number])
        along = codes_of.joined((int(bounds[-1][cell]), int(bounds[-1][cell + 1])) for cell in cells)
        place = tuple(int(at) for at in np.unravel_index(int(number), marks.shape[:-1])) if marks.ndim > 1 else ()
        found[place] = [(along,)]
    for axis in range(marks.ndim - 2, -1, -1):
        grouped: dict[tuple[int, ...], dict[Box, list[tuple[int, int]]]] = {}
        for place, boxes in found.items():
            interval = (int(bounds[axis][place[-1]]), int(bounds[axis][place[-1] + 1]))
            for box in boxes:
                grouped.setdefault(place[:-1], {}).setdefault(box, []).append(interval)
        found = {
            place: [(codes_of.joined(intervals), *box) for box, intervals in boxes.items()]
            for place, boxes in grouped.items()
        }
    return tuple(sorted(found[()]))
