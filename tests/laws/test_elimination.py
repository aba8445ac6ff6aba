"""Columns eliminated one by one against brute force: the heaviest value of any restriction, exactly (theory I14 c)."""

from __future__ import annotations

import random
from itertools import product

import numpy as np
import pytest

from partita.composition.account.loads.allowance import Allowance
from partita.composition.account.loads.wide.booked import Scoped
from partita.composition.account.loads.wide.elimination import Cells, Elimination
from partita.composition.account.loads.wide.values import WideLoads
from partita.limits import Limits
from partita.region import box as boxes_of
from partita.region import codes as codes_of
from partita.region.codes import Codes

Value = tuple[int, ...]


def some(rng: random.Random, size: int) -> Codes:
    return codes_of.of(rng.sample(range(size), rng.randint(1, size)))


def region(rng: random.Random, shape: Value) -> Scoped:
    axes = tuple(sorted(rng.sample(range(len(shape)), rng.randint(1, min(3, len(shape))))))
    boxes = [tuple(some(rng, shape[axis]) for axis in axes) for _ in range(rng.randint(1, 2))]
    return Scoped(axes, tuple(boxes_of.disjoint(boxes)))


def brute(regions: list[Scoped], weight: list[int], shape: Value, where: dict[int, Codes]) -> int:
    values = product(
        *(
            [c for c in range(size) if axis not in where or codes_of.holds(where[axis], c)]
            for axis, size in enumerate(shape)
        )
    )
    return max(sum(w for one, w in zip(regions, weight, strict=True) if one.holds(value)) for value in values)


@pytest.mark.parametrize("most", [0, 1, 2, 12, 1 << 15])
def test_it_is_the_heaviest_value_or_nothing(most):
    found = 0
    for seed in range(60):
        rng = random.Random(f"{most} {seed}")
        shape = tuple(rng.randint(2, 4) for _ in range(rng.randint(1, 5)))
        regions = [region(rng, shape) for _ in range(rng.randint(1, 9))]
        weight = [rng.randint(0, 20) for _ in regions]
        cuts: dict[int, set[int]] = {}
        for one in regions:
            for at, axis in enumerate(one.axes):
                ends = {end for box in one.boxes for interval in box[at] for end in interval}
                cuts.setdefault(axis, {0}).update(ends - {shape[axis]})
        where = {axis: some(rng, size) for axis, size in enumerate(shape) if rng.random() < 0.4}
        steps = Elimination(cuts, shape, where, most, Allowance(Limits()))
        answer = steps.heaviest(regions, np.asarray(weight, dtype=np.int64))
        if answer is None:
            assert most < 1 << 15
            continue
        found += 1
        heaviest, codes = answer
        value = tuple(codes.get(axis, where[axis][0][0] if axis in where else 0) for axis in range(len(shape)))
        assert all(codes_of.holds(along, value[axis]) for axis, along in where.items())
        assert heaviest == brute(regions, weight, shape, where)
        assert heaviest == sum(w for one, w in zip(regions, weight, strict=True) if one.holds(value))
    assert found > {0: 0, 1: 0, 2: 2, 12: 20}.get(most, 59) - 1


def test_cells_of_a_restriction_are_those_that_hold_a_code_of_it():
    for seed in range(40):
        rng = random.Random(seed)
        size = rng.randint(2, 9)
        cuts, codes = {0, *rng.sample(range(size), rng.randint(0, size - 1))}, some(rng, size)
        cells = Cells(cuts, size, codes)
        held = {
            at
            for at, (a, b) in enumerate(zip(cells.starts, cells.ends, strict=True))
            for c in range(a, b)
            if codes_of.holds(codes, c)
        }
        assert sorted(held) == cells.allowed
        assert {c for c in range(size) if codes_of.holds(codes, c)} <= {
            c for a, b in zip(cells.starts, cells.ends, strict=True) for c in range(a, b)
        }
        for at in cells.allowed:
            code = cells.code(at, codes)
            assert cells.starts[at] <= code < cells.ends[at]
            assert codes_of.holds(codes, code)


def test_a_chain_of_forty_columns_is_decided_exactly():
    """No grid holds it, and splits over groups do not come to the truth."""
    rng, many, size, budget = random.Random(5), 40, 3, 40
    loads = WideLoads((size,) * many, (budget,), Limits(grouped=0))
    tables = [np.zeros((size, size), dtype=int) for _ in range(many - 1)]

    def heaviest(at: int, first: Codes, second: Codes) -> int:
        """By going along the chain; the two columns of one link are held to some codes."""
        best = np.zeros(size, dtype=int)
        for link, table in enumerate(tables):
            if link == at:
                best = np.where([codes_of.holds(first, code) for code in range(size)], best, -(10**6))
            best = (best[:, None] + table).max(axis=0)
            if link == at:
                best = np.where([codes_of.holds(second, code) for code in range(size)], best, -(10**6))
        return int(best.max())

    outcomes = set()
    for _ in range(260):
        at = rng.randrange(many - 1)
        first, second = some(rng, size), some(rng, size)
        box = tuple(first if axis == at else second if axis == at + 1 else ((0, size),) for axis in range(many))
        answer, truth = loads.decide([box], (1,)), heaviest(at, first, second)
        assert answer.fits == (truth + 1 <= budget)
        assert answer.fits or answer.proven
        outcomes.add(answer.fits)
        if answer.fits:
            loads.book([box], (1,))
            for one, other in product(range(size), repeat=2):
                tables[at][one, other] += codes_of.holds(first, one) and codes_of.holds(second, other)
    assert outcomes == {True, False}
    assert not loads.exact
