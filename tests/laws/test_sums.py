"""No sum of amounts leaves 64 bits: every shape of account against Python numbers, with amounts beyond all measure.

Budgets are the largest there are, amounts reach from nothing to far beyond what is counted and are booked up to
millions of times, so that a sum over values, regions or steps that was done in 64 bits would come out negative or
small. `Limits.single` at 0 makes the sums in two halves the ordinary case.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import product

import pytest

from partita.composition.account.engine import Engine, OfPairs, OfValues, OfWindows
from partita.composition.account.load import Load
from partita.composition.account.loads.units import LARGEST, ROOM
from partita.composition.account.loads.windows import Steps
from partita.limits import Limits, using
from partita.region.box import Box

SEARCHES = {"numbers": 1, "frozen_numbers": 1, "full_below": 0}
LIMITS = {
    "0": Limits.all(0),
    "1": Limits.all(1),
    "2": Limits.all(2),
    "default": Limits(),
    "halves": Limits(single=0),
    "profiles": Limits(coarse=0, **SEARCHES),
    "cells": Limits(**SEARCHES),
    "single cells": Limits(dense=0, single=0, **SEARCHES),
    "bulk": Limits(bulk=0),
}
BUDGETS = (LARGEST, LARGEST - 1, 720_720, 1, 0)
CASES = 6
Value = tuple[int, ...]


def amount(rng: random.Random, budget: int) -> int:
    few = (0, 1, budget // 40, budget // 3, budget // 2, budget, budget + 1, 3 * budget)
    return rng.choice((*few, ROOM // 16, ROOM - 1, ROOM, ROOM + 1, 2**62, 2**63, 2**64))


def box(rng: random.Random, shape: Value) -> Box:
    found = []
    for size in shape:
        low = rng.randrange(size)
        found.append(((low, rng.randint(low + 1, size)),))
    return tuple(found)


def charges(rng: random.Random, shape: Value, budget: int, kind: str) -> Iterator[tuple[Load, int]]:
    if rng.random() < 0.4:
        # Everybody apart, at one price: only sums over regions are large.
        alone, times = rng.choice((budget // 2, budget, ROOM)), rng.choice((1, 1, 2))
        for value in product(*map(range, shape)):
            yield loaded(((tuple(((code, code + 1),) for code in value)),), alone, alone, kind), times
    for _ in range(rng.randrange(6)):
        one, both = amount(rng, budget), amount(rng, budget)
        yield loaded((box(rng, shape),), one, both, kind), rng.choice((1, 1, 1, 3, 2**20))


def loaded(boxes: tuple[Box, ...], one: int, both: int, kind: str) -> Load:
    same = (both,) if kind == "pairs" and one % 2 else ()
    return Load(boxes, (one,), (both if kind == "pairs" else one,), same)


def engine(kind: str, shape: Value, budget: int, limits: Limits, width: int) -> Engine:
    if kind == "values":
        return OfValues(shape, (budget,), limits)
    if kind == "pairs":
        return OfPairs(shape, (budget,), limits)
    return OfWindows(shape, (budget,), limits, steps(shape, width))


def steps(shape: Value, width: int) -> Steps:
    return Steps(0, width, shape[0] - 1, shape[0] - 1) if shape[0] > 1 else Steps(0, width, 1, 0)


def worst(kind: str, shape: Value, booked: list[tuple[Load, int]], asked: Load, width: int, *, raised: bool) -> int:
    """The heaviest value, pair or window that a charge touches, in Python numbers.

    Decisions (``raised``) are about pairs that the charge costs anything, and about all windows.
    """
    values = list(product(*map(range, shape)))
    inside = [value for value in values if asked.holds(value)]
    if kind == "pairs":
        pairs = [(v, w) for v in inside for w in values if not raised or asked.costs(v, w)[0]]
        return max((sum(times * load.costs(v, w)[0] for load, times in booked) for v, w in pairs), default=0)
    loads = {value: sum(times * load.one[0] for load, times in booked if load.holds(value)) for value in values}
    if kind == "values":
        return max((loads[value] for value in inside), default=0)
    way = steps(shape, width)
    peaks = [max(load for value, load in loads.items() if value[0] == step) for step in range(shape[0])]
    sums = []
    for last in range(way.count + width - 1):
        window = [min(max(step, 0), way.count - 1) for step in range(last - width + 1, last + 1)]
        if raised or not {value[0] for value in inside}.isdisjoint({*window, way.astray}):
            sums.append(sum(max(peaks[step], peaks[way.astray]) for step in window))
    return max(sums, default=0)


@pytest.mark.parametrize("limits", LIMITS, ids=str)
@pytest.mark.parametrize("kind", ["values", "pairs", "windows"])
def test_no_sum_of_amounts_comes_out_below_the_truth(kind, limits):
    rng = random.Random(f"{kind} {limits}")
    chosen = LIMITS[limits]
    admitted = 0
    for _ in range(CASES):
        budget = rng.choice(BUDGETS)
        shape = rng.choice([(33,), (9,), (2,), (5, 7), (2, 3, 3)] if kind != "pairs" else [(9,), (2,), (3, 4)])
        width = rng.choice((1, 2, 16, 32, 64))
        with using(chosen):
            account = engine(kind, shape, budget, chosen, width)
            booked = list(charges(rng, shape, budget, kind))
            account.load(booked)
            for _ in range(6):
                asked = loaded((box(rng, shape),), amount(rng, budget), amount(rng, budget), kind)
                answer = account.decide(asked)
                after = [*booked, (asked, 1)]
                truth = (
                    worst(kind, shape, after, asked, width, raised=True)
                    if any((*asked.one, *asked.substitution))
                    else 0
                )
                wide = account.widened(asked) is not asked
                if answer.fits:
                    admitted += 1
                    assert truth <= budget
                    account.book(asked, answer)
                    booked = after
                elif account.exact and not wide and answer.proven:
                    assert worst(kind, shape, after, asked, width, raised=kind == "windows") > budget
                extent = account.highest(asked.boxes, 0)
                heaviest = worst(kind, shape, booked, asked, width, raised=False)
                assert extent.lower <= heaviest
                assert extent.upper >= min(heaviest, ROOM)
    assert admitted


@pytest.mark.parametrize("limits", ["default", "halves", "bulk"])
@pytest.mark.parametrize("kind", ["values", "pairs", "windows"])
def test_exact_accounts_admit_all_that_fits(kind, limits):
    rng = random.Random(f"all {kind} {limits}")
    chosen = LIMITS[limits]
    for _ in range(CASES):
        shape, width, budget = (9,), rng.choice((1, 3, 40)), LARGEST
        with using(chosen):
            account = engine(kind, shape, budget, chosen, width)
            booked: list[tuple[Load, int]] = []
            for _ in range(12):
                price = rng.choice((budget // 2, budget // 40, budget // 41, budget // 100, 1))
                asked = loaded((box(rng, shape),), price, price, kind)
                after = [*booked, (asked, 1)]
                fits = worst(kind, shape, after, asked, width, raised=True) <= budget
                assert account.decide(asked).fits == fits
                if fits:
                    account.book(asked)
                    booked = after
