"""A program: what an engine must compute, exactly and in integers, for each group of a question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from math import prod
from typing import final

import numpy as np
from numpy.typing import NDArray

from partita.effort import Work, spend
from partita.errors.query import language as refuse
from partita.query.language import keys as keys_of
from partita.query.language.conditions import Condition
from partita.query.language.expressions import Expression, columns
from partita.query.language.keys import MOST_GROUPS, Key, Opened, Single
from partita.query.language.per_user import PerUser
from partita.query.tables.schema import Table
from partita.query.tables.truncation import Truncation
from partita.region.codes import members, size
from partita.region.columns import Bounded


@final
@dataclass(frozen=True, slots=True)
class Rows:
    """How many rows."""


@final
@dataclass(frozen=True, slots=True)
class Present:
    """For how many rows the expression is not NULL."""

    of: Expression


@final
@dataclass(frozen=True, slots=True)
class Total:
    """The sum of the expression over the rows for which it is not NULL, in its own units."""

    of: Expression


@final
@dataclass(frozen=True, slots=True)
class Owners:
    """How many owners have a row."""


@final
@dataclass(frozen=True, slots=True)
class Different:
    """How many values of a column occur in rows that meet a condition: declared ones that are not NULL, or texts."""

    column: str
    among: Condition | None = None


@final
@dataclass(frozen=True, slots=True)
class Values:
    """How often each value of the expression occurs, in its own units; a histogram rather than a number."""

    of: Expression


Tally = Rows | Present | Total | Owners | Different | Values


@final
@dataclass(frozen=True, slots=True, eq=False)
class Histogram:
    """The values that occur, in rising order, and how often each does."""

    values: NDArray[np.int64]
    counts: NDArray[np.int64]

    @classmethod
    def of(cls, several: Sequence[Histogram]) -> Histogram:
        """The histogram of several sets of rows together."""
        values, place = np.unique(np.concatenate([one.values for one in several]), return_inverse=True)
        counts = np.zeros(len(values), dtype=np.int64)
        np.add.at(counts, place, np.concatenate([one.counts for one in several]))
        return cls(values, counts)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Histogram):
            return NotImplemented
        return np.array_equal(self.values, other.values) and np.array_equal(self.counts, other.counts)

    __hash__ = None  # type: ignore[assignment]


EMPTY = Histogram(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))


@final
@dataclass(frozen=True)
class Cells:
    """The groups that rows of a region can fall into: known in public, in a fixed order.

    ``places`` lists the possible places along each key. ``kept`` are the positions in their product that some row
    of the region can reach, or None if all are.
    """

    keys: tuple[Key, ...]
    places: tuple[tuple[int, ...], ...]
    kept: tuple[int, ...] | None = None

    @property
    def count(self) -> int:
        """How many groups there are."""
        return prod(map(len, self.places)) if self.kept is None else len(self.kept)

    @cached_property
    def listed(self) -> tuple[tuple[int, ...], ...]:
        """The places of each group, in order."""
        every = list(product(*self.places))
        return tuple(every) if self.kept is None else tuple(every[position] for position in self.kept)

    @cached_property
    def position(self) -> dict[tuple[int, ...], int]:
        """Where a group stands in the order."""
        return {places: position for position, places in enumerate(self.listed)}

    def margins(self, sets: tuple[tuple[Key, ...], ...]) -> list[tuple[tuple[Key, ...], list[int]]]:
        """For each line of ROLLUP, CUBE or GROUPING SETS, its keys and the groups that it sums up."""
        found: list[tuple[tuple[Key, ...], list[int]]] = []
        for keys in sets:
            places = [self.keys.index(key) for key in keys]
            members: dict[tuple[int, ...], list[int]] = {}
            for line, cell in enumerate(self.listed):
                members.setdefault(tuple(cell[place] for place in places), []).append(line)
            found.extend((keys, lines) for lines in members.values())
        return found


@final
@dataclass(frozen=True)
class Program:
    """Tallies of the rows that meet a condition, group by group, after the fixed truncation if there is one."""

    table: Table
    where: Condition
    cells: Cells
    tallies: tuple[Tally, ...]
    truncation: Truncation | None = None
    opened: tuple[Opened, ...] = ()
    per_user: PerUser | None = None

    def derived(self) -> Program:
        """The same tallies of the rows that were gathered, as if they were stored."""
        assert self.per_user is not None
        return replace(self, table=self.per_user.table, where=self.per_user.where, truncation=None, per_user=None)

    @property
    def counts_rows(self) -> bool:
        """Whether it asks for nothing but the number of rows in a region."""
        alone = all(isinstance(tally, Rows) for tally in self.tallies) and not self.cells.keys and not self.opened
        return alone and not self.where.tests and self.truncation is None and self.per_user is None

    @property
    def worded(self) -> bool:
        """Whether a condition on open text decides about rows: records of equal declared values may differ in it."""
        named = self.where.columns().union(*map(keys_of.columns, self.cells.keys))
        for tally in self.tallies:
            match tally:
                case Present(of) | Total(of) | Values(of):
                    named |= columns(of)
                case Different(_, among):
                    named |= frozenset() if among is None else among.columns()
                case Rows() | Owners():
                    pass
        if self.per_user is not None:
            named = named.union(*(columns(one.of) for one in self.per_user.columns if one.of is not None))
        opened = {name for name, column in self.table.columns.items() if not isinstance(column, Bounded)}
        return not opened.isdisjoint(named)

    @property
    def people(self) -> Rows | Owners:
        """What is counted to decide whether a key may be named: owners where there are promises to them."""
        return Rows() if self.truncation is None else Owners()

    def empty(self) -> NDArray[np.object_]:
        """The result for a table without rows: a line for each group, a column for each tally.

        With open keys, the columns are preceded by the texts of the keys and by how many people have them, and there is
        a line for each group of each key that occurs; a text that is missing is None.
        """
        return self.blank([])

    def blank(self, keys: Sequence[tuple[str | None, ...]]) -> NDArray[np.object_]:
        """The result before anything is counted."""
        extra = len(self.opened) + 1 if self.opened else 0
        lines = self.cells.count * (len(keys) if self.opened else 1)
        made = np.zeros((lines, extra + len(self.tallies)), dtype=object)
        for column, tally in enumerate(self.tallies):
            if isinstance(tally, Values):
                made[:, extra + column].fill(EMPTY)
        for place, key in enumerate(keys if self.opened else ()):
            for column, text in enumerate(key):
                made[place * self.cells.count : (place + 1) * self.cells.count, column] = text
        return made


def ordered_texts(texts: tuple[str | None, ...]) -> tuple[tuple[bool, str], ...]:
    """Where the texts of an open key stand: a function of the texts alone, what is missing first."""
    return tuple((text is not None, text or "") for text in texts)


def cells(keys: tuple[Key, ...], where: Condition) -> Cells:
    """The groups that rows meeting the condition can fall into.

    >>> from partita.query.language.keys import Each
    >>> from partita.region.columns import categories, integers
    >>> from partita.region.domain import Domain
    >>> from partita.region.region import Region
    >>> domain = Domain({"age": integers(0, 120), "sex": categories("F", "M", other="M", missing="M")})
    >>> cells((Each("sex"),), Condition(Region.where("age > 5", domain))).listed
    ((0,), (1,))
    """
    region, domain = where.region, where.region.domain
    keys = tuple(key for key in keys if not isinstance(key, keys_of.Opened))
    places = []
    for key in keys:
        if isinstance(key, keys_of.Cases | keys_of.Valued):
            found = {place for box in region.boxes for place in keys_of.reached(key, domain, box)}
            places.append(tuple(sorted(found)))
            continue
        places.append(keys_of.spread(_single(key), domain, region.along(key.column)))
    if (groups := prod(map(len, places))) > MOST_GROUPS:
        raise refuse.too_many_groups(groups, MOST_GROUPS)
    mentioned = [column for key in keys for column in keys_of.columns(key)]
    if len(keys) < 2 or (len(region.boxes) < 2 and len(set(mentioned)) == len(mentioned)):
        return Cells(keys, tuple(places), None if region.boxes or not keys else ())
    return Cells(keys, tuple(places), _reached(keys, where, places))


def _reached(keys: tuple[Key, ...], where: Condition, places: list[tuple[int, ...]]) -> tuple[int, ...]:
    """The positions that some row of the region can reach, as far as keys of one column decide together."""
    domain = where.region.domain
    shape = tuple(map(len, places))
    order = [{place: position for position, place in enumerate(along)} for along in places]
    together: dict[str, list[int]] = {}
    for at, key in enumerate(keys):
        together.setdefault(f" {at}" if isinstance(key, keys_of.Cases | keys_of.Valued) else key.column, []).append(at)
    mask = np.zeros(shape, dtype=bool)
    spend(len(where.region.boxes) * (4 + mask.size * (1 + len(keys)) // 1000), Work.GROUPS)
    for box in where.region.boxes:
        inside = np.ones(shape, dtype=bool)
        for column, axes in together.items():
            met = np.zeros(tuple(shape[at] for at in axes), dtype=bool)
            if len(axes) == 1:
                met[[order[axes[0]][place] for place in keys_of.reached(keys[axes[0]], domain, box)]] = True
            else:
                spend(size(box[domain.axis(column)]) * 2 * len(axes), Work.GROUPS)
                for code in members(box[domain.axis(column)]):
                    met[tuple(order[at][keys_of.place(_single(keys[at]), domain, code)] for at in axes)] = True
            inside &= np.expand_dims(met, [at for at in range(len(keys)) if at not in axes])
        mask |= inside
    return tuple(int(position) for position in np.flatnonzero(mask))


def _single(key: Key) -> Single:
    assert not isinstance(key, keys_of.Cases | keys_of.Valued | keys_of.Opened)
    return key
