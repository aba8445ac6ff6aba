"""Axes: the columns of a table of codes, each with its number of values, and the marginal tables of some of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, final

import numpy as np
from numpy.typing import NDArray

from partita.errors import algorithms as refuse
from partita.errors.query import language as refuse_query
from partita.exact import whole

if TYPE_CHECKING:
    from partita.curator.curator import Curator
    from partita.region.columns import Bounded

Names = tuple[str, ...]


@final
@dataclass(frozen=True, init=False)
class Axes:
    """Named columns whose values are the codes 0, 1, 2, ...

    >>> Axes({"sex": 2, "region": 4}).cells(("region", "sex"))
    8
    """

    names: Names
    sizes: tuple[int, ...]

    def __init__(self, sizes: Mapping[str, int]) -> None:
        if not isinstance(sizes, Mapping) or not sizes:
            raise refuse.no_axes()
        object.__setattr__(self, "names", tuple(map(str, sizes)))
        object.__setattr__(self, "sizes", tuple(whole(size, name, least=1) for name, size in sizes.items()))

    def table(self, columns: Iterable[str]) -> Names:
        """Some columns in the order of the axes, each once; refuses unknown ones."""
        asked = set((columns,) if isinstance(columns, str) else columns)
        for name in sorted(map(str, asked)):
            if name not in self.names:
                raise refuse.unknown_axis(name, self.names)
        return tuple(name for name in self.names if name in asked)

    def shape(self, table: Names) -> tuple[int, ...]:
        """How many values each column of a table has."""
        return tuple(self._sizes[name] for name in table)

    def cells(self, table: Iterable[str]) -> int:
        """How many cells a marginal table has."""
        sizes = self._sizes
        return prod(sizes[name] for name in table)

    @cached_property
    def _sizes(self) -> dict[str, int]:
        return dict(zip(self.names, self.sizes, strict=True))

    def counts(self, codes: NDArray[np.int64], table: Names) -> NDArray[np.int64]:
        """The exact counts of a marginal table, flat; a row with a code beyond its axis is in no cell."""
        places = np.zeros(len(codes), dtype=np.int64)
        within = np.ones(len(codes), dtype=bool)
        for name in table:
            column = self.names.index(name)
            places = places * self.sizes[column] + codes[:, column]
            within &= (codes[:, column] >= 0) & (codes[:, column] < self.sizes[column])
        return np.bincount(places[within], minlength=prod(self.shape(table))).astype(np.int64)

    def accept(self, table: str, columns: Sequence[Bounded]) -> None:
        """Refuse declared columns with other numbers of values."""
        sizes = tuple(column.size for column in columns)
        if sizes != self.sizes:
            raise refuse.other_axes(table, dict(zip(self.names, sizes, strict=True)))

    def read(self, codes: object) -> NDArray[np.int64]:
        """Rows of codes, after a check that they lie within the axes; a refusal names no code."""
        rows = np.asarray(codes)
        if rows.ndim != 2 or rows.shape[1] != len(self.names) or rows.dtype.kind not in "iu":
            raise refuse.not_codes(self.names)
        found = rows.astype(np.int64)
        if len(found) and ((found < 0).any() or (found >= np.array(self.sizes)).any()):
            raise refuse.not_codes(self.names)
        return found


def columns_of(curator: Curator, table: str, columns: Sequence[str]) -> tuple[Bounded, ...]:
    """The declared columns of a curator's table; refuses what is not there, and nothing is spent."""
    declared = {one.name: one for one in curator.tables}.get(table)
    if declared is None:
        raise refuse_query.unknown_table(table, tuple(one.name for one in curator.tables))
    domain = declared.domain
    return tuple(domain.bounded[domain.axis(column)] for column in columns)


def axes_of(curator: Curator, table: str, columns: Sequence[str]) -> Axes:
    """The axes of some columns of a curator's table: all their codes, with OTHER and NULL where they have them."""
    found = columns_of(curator, table, columns)
    return Axes({name: column.size for name, column in zip(columns, found, strict=True)})
