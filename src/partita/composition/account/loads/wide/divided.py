"""Better bounds with patience: a part of the domain is divided, and each of its parts is bounded by itself."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush
from typing import NamedTuple, final

from partita.composition.account.loads.allowance import Allowance
from partita.composition.account.loads.wide.cover import Cover, Restriction
from partita.composition.account.loads.wide.splits import Splits
from partita.region import codes as codes_of


@final
class Divisible(NamedTuple):
    """Groups of columns, the splits of any restriction on them, and how much may be looked at."""

    cover: Cover
    splits: Callable[[Restriction], Splits]
    turns: int
    allowance: Allowance

    def halves(self, splits: Splits) -> tuple[Restriction, Restriction] | None:
        """A restriction in two, cut where much is inside one cell and outside another; None if it is one cell."""
        for group in splits.contested():
            found = self.cover.groups[group].halves(splits.where)
            if found is not None:
                axis, cut = found
                size = self.cover.groups[group].sizes[self.cover.groups[group].axes.index(axis)]
                codes = splits.where.get(axis, ((0, size),))
                low, high = (codes_of.intersection(codes, part) for part in (((0, cut),), ((cut, size),)))
                return {**splits.where, axis: low}, {**splits.where, axis: high}
        return None


def divided(splits: Splits, upper: int, threshold: int, parts: int, divisible: Divisible) -> tuple[int, Splits]:
    """A bound on all loads of a restriction, the largest of the bounds of parts that make it up, and that part.

    The part with the largest bound is divided next, until that is within the threshold or there are many parts.
    """
    number = 0
    heap: list[tuple[int, int, Splits]] = [(-upper, number, splits)]
    for _ in range(parts):
        bound, _, whole = heap[0]
        halves = divisible.halves(whole)
        if -bound <= threshold or halves is None or divisible.allowance.looked <= 0:
            break
        heappop(heap)
        for where in halves:
            part = divisible.splits(where)
            found, _ = part.proven(threshold, divisible.turns, divisible.allowance)
            number += 1
            # A part holds nothing that the whole does not.
            heappush(heap, (-min(found, -bound), number, part))
    return -heap[0][0], heap[0][2]
