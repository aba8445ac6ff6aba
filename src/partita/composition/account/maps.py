"""The data behind a picture: how much each combination of two columns has been asked about."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import isqrt
from typing import final

import numpy as np
import numpy.typing as npt

from partita.composition.account.account import RegionAccount
from partita.composition.account.engine import OfPairs, OfValues, OfWindows
from partita.composition.account.loads.pairs import PairLoads
from partita.composition.account.loads.values import ValueLoads
from partita.composition.account.loads.wide.pairs import WidePairLoads
from partita.composition.account.loads.wide.values import WideLoads
from partita.errors import region as refuse
from partita.limits import current

Shares = npt.NDArray[np.float64]


@final
@dataclass(frozen=True, slots=True, eq=False)
class LoadMap:
    """The share of the budget spent on the heaviest record of each combination, between 0 and 1.

    ``spent[i, j]`` is for ``x[i]`` and ``y[j]``; a long column is shown in bands, each as heavy as its heaviest.
    """

    column_x: str
    column_y: str
    x: tuple[object, ...]
    y: tuple[object, ...]
    spent: Shares

    @property
    def left(self) -> Shares:
        """The share of the budget that is left."""
        found: Shares = 1.0 - self.spent
        return found


def load_map(account: RegionAccount, column_x: str, column_y: str) -> LoadMap:
    """How much of the promise has been spent on whom, over two columns.

    >>> from partita.composition.plans.promise import Promise
    >>> from partita.granularity import rows
    >>> from partita.region import Domain, Region, booleans
    >>> from partita.theory.measures.pure import Pure
    >>> domain = Domain({"a": booleans(missing=False), "b": booleans(missing=False)})
    >>> account = RegionAccount(domain, Promise(rows(), Pure(epsilon=2)))
    >>> account.charge(Region.where("a", domain), Pure(epsilon=1))
    >>> load_map(account, "a", "b").spent.tolist()
    [[0.0, 0.0], [0.5, 0.5]]
    """
    domain = account.domain
    axes = domain.axis(column_x), domain.axis(column_y)
    if axes[0] == axes[1]:
        raise refuse.not_pictured(column_x)
    flat, ends = _wide(account, axes) or _flat(account, axes)
    labels = []
    for place, axis in enumerate(axes):
        flat, label = _spread(flat, place, ends[place], domain.shape[axis])
        labels.append(tuple(domain.bounded[axis].value(int(code)) for code in label))
    return LoadMap(domain.axes[axes[0]], domain.axes[axes[1]], labels[0], labels[1], flat)


def _flat(account: RegionAccount, axes: tuple[int, int]) -> tuple[Shares, list[npt.NDArray[np.int64]]]:
    """The heaviest cell of each two cells of the columns, and the ends of their cells."""
    cells, bounds = _shares(account)
    others = tuple(axis for axis in range(cells.ndim) if axis not in axes)
    flat = cells.max(axis=others) if others else cells
    return flat if axes[0] < axes[1] else flat.T, [bounds[axis] for axis in axes]


def _wide(account: RegionAccount, axes: tuple[int, int]) -> tuple[Shares, list[npt.NDArray[np.int64]]] | None:
    """The same for many columns, which have no grid of all of them: a bound for every two cells."""
    engine, budget, domain = account.engine, account.units.budget, account.domain
    assert isinstance(engine, OfValues | OfPairs | OfWindows)
    inner = engine.loads.values if isinstance(engine, OfWindows) else engine.loads
    if not isinstance(inner, WideLoads | WidePairLoads):
        return None
    most = max(1, isqrt(current().maps))
    ends = [inner.ends(axis, most) for axis in axes]
    share = np.zeros([len(along) - 1 for along in ends])
    full = domain.everything
    for place in np.ndindex(share.shape):
        spans = {
            axis: ((int(along[at]), int(along[at + 1])),) for axis, along, at in zip(axes, ends, place, strict=True)
        }
        box = tuple(spans.get(axis, codes) for axis, codes in enumerate(full))
        uppers = [engine.highest([box], component).upper for component in range(len(budget))]
        share[place] = max((upper / limit for upper, limit in zip(uppers, budget, strict=True) if limit), default=0.0)
    return np.minimum(share, 1.0), ends


def _shares(account: RegionAccount) -> tuple[Shares, list[npt.NDArray[np.int64]]]:
    """For every cell the largest share of the budget, over all coordinates: of its value, pair or window."""
    engine, budget = account.engine, account.units.budget
    assert isinstance(engine, OfValues | OfPairs | OfWindows)
    inner = engine.loads.values if isinstance(engine, OfWindows) else engine.loads
    assert isinstance(inner, ValueLoads | PairLoads)
    grid = inner.grid
    share = np.zeros(grid.loads.shape[1:])
    for component, limit in enumerate(budget):
        if limit:
            loads = grid.loads[component] + inner.base[component]
            if isinstance(engine, OfPairs):
                loads = loads + int(grid.loads[component].max())
            if isinstance(engine, OfWindows):
                loads = np.maximum(loads, _of_windows(engine, component, grid.bounds(engine.steps.axis), loads.ndim))
            share = np.maximum(share, loads / limit)
    return np.minimum(share, 1.0), [grid.bounds(axis) for axis in range(grid.axes)]


def _of_windows(engine: OfWindows, component: int, bounds: npt.NDArray[np.int64], axes: int) -> npt.NDArray[np.int64]:
    """For each cell along the axis of time, the heaviest window that has a row in it."""
    axis = engine.steps.axis
    found = [
        engine.loads.around([tuple(((int(low), int(high)),) if at == axis else () for at in range(axes))], component)
        for low, high in pairwise(bounds)
    ]
    return np.asarray(found, dtype=np.int64).reshape([-1 if at == axis else 1 for at in range(axes)])


def _spread(cells: Shares, axis: int, bounds: npt.NDArray[np.int64], size: int) -> tuple[Shares, npt.NDArray[np.int64]]:
    """Cells of different width as codes, or as at most so many bands of codes."""
    most = max(1, current().bands)
    starts = np.arange(size) if size <= most else np.unique(np.linspace(0, size, most, endpoint=False).astype(np.int64))
    ends = np.append(starts[1:], size)
    first = np.searchsorted(bounds, starts, side="right") - 1
    last = np.searchsorted(bounds, ends, side="left")
    bands = [np.take(cells, range(a, b), axis=axis).max(axis=axis) for a, b in zip(first, last, strict=True)]
    return np.stack(bands, axis=axis), starts.astype(np.int64)
