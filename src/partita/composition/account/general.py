"""General composition written out for a finite class of databases: distances through maps, added (theory E1, E6).

>>> def steps(first, second):
...     return Fraction(abs(first - second))
>>> coarse = through(steps, lambda database: database // 10, range(30))
>>> composed([steps, coarse])(0, 19)  # 19 steps apart, and one step apart after rounding to tens
Fraction(20, 1)
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from typing import TypeVar

Database = TypeVar("Database", bound=Hashable)

Distance = Callable[[Database, Database], Fraction | None]
"""A loss between two databases; None is no guarantee at all."""


def through(
    distance: Distance[Database], image: Callable[[Database], Hashable], databases: Sequence[Database]
) -> Distance[Database]:
    """The loss of a mechanism that only depends on an image: the least over databases with the same images.

    >>> def steps(first, second):
    ...     return Fraction(abs(first - second))
    >>> coarse = through(steps, lambda database: database // 10, range(30))
    >>> coarse(3, 9), coarse(0, 19)
    (Fraction(0, 1), Fraction(1, 1))
    """
    images: dict[Hashable, list[Database]] = {}
    for database in databases:
        images.setdefault(image(database), []).append(database)

    def least(first: Database, second: Database) -> Fraction | None:
        losses = [
            loss
            for one in images[image(first)]
            for other in images[image(second)]
            if (loss := distance(one, other)) is not None
        ]
        return min(losses, default=None)

    return least


def composed(distances: Sequence[Distance[Database]]) -> Distance[Database]:
    """The loss of several releases together: the sum, or none at all if one has none.

    >>> def steps(first, second):
    ...     return Fraction(abs(first - second))
    >>> composed([steps, steps])(0, 3)
    Fraction(6, 1)
    """

    def total(first: Database, second: Database) -> Fraction | None:
        losses = [distance(first, second) for distance in distances]
        if any(loss is None for loss in losses):
            return None
        return sum((loss for loss in losses if loss is not None), Fraction(0))

    return total


def largest(
    distance: Distance[Database],
    neighbours: Callable[[Database, Database], bool],
    databases: Sequence[Database],
) -> Fraction | None:
    """The largest loss between neighbours of the class; None if some pair has no guarantee.

    >>> def steps(first, second):
    ...     return Fraction(abs(first - second))
    >>> largest(steps, lambda first, second: abs(first - second) <= 2, range(10))
    Fraction(2, 1)
    """
    worst = Fraction(0)
    for first in databases:
        for second in databases:
            if neighbours(first, second):
                loss = distance(first, second)
                if loss is None:
                    return None
                worst = max(worst, loss)
    return worst
