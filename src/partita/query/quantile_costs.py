"""What chosen quantiles cost: how far neighbours move the scores of groups, and the sharpest choice for a price."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, permutations
from typing import final

from partita.granularity import Granularity, Groups, Metric, Replace, Rows, Users, steps
from partita.mechanisms.exponential import Exponential
from partita.mechanisms.gaussian import decimal_up
from partita.mechanisms.permute_and_flip import PermuteAndFlip
from partita.query import pricing
from partita.query.burden import Moving, burden
from partita.query.ranks import step
from partita.query.truncation import Truncation
from partita.theory import numerics
from partita.theory.distance import Distance
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.base import Measure
from partita.theory.measures.pure import Pure

Case = tuple[Fraction, ...]
Chooser = Exponential | PermuteAndFlip


@final
@dataclass(frozen=True, slots=True)
class Moves:
    """How far neighbours move the scores of the groups: each case lists the groups that move and how far, in rows.

    ``row`` when one row enters or leaves the region; ``both`` when a row of the region becomes another one; ``owner``
    in each of the ``times`` steps that one owner of a promise on users is who comes or goes, ``altered`` in each step
    of one who is altered. ``swap``, behind a truncation: one row comes and another of the same owner goes for it.
    """

    row: tuple[Case, ...]
    both: tuple[Case, ...]
    owner: tuple[Case, ...]
    times: int = 1
    altered: tuple[Case, ...] = ()
    swap: tuple[Case, ...] | None = None


def moves(
    shares: tuple[Fraction, ...],
    granularity: Granularity,
    *,
    groups: int,
    truncation: Truncation | None,
    keyed: bool | None = None,
    values: int | None = None,
) -> Moves:
    """The cases of quantiles that are chosen together (quantile_costs.proof.md).

    ``keyed`` is None for stored rows; for rows gathered by owner it says whether by other columns as well. ``values``
    is how many there are to choose from, where that is known.

    >>> moves((Fraction(9, 10),), Rows(), groups=5, truncation=None).both
    ((Fraction(10, 9),), (Fraction(1, 1), Fraction(1, 1)))
    """
    # Of two values only the difference of their scores counts, and half of it may be put on either side.
    one = Fraction(1, 2) if values == 2 and len(shares) == 1 else Fraction(1)
    changed = one * Fraction(shares[0].denominator, step(shares[0])) if len(shares) == 1 else Fraction(2)
    alone: tuple[Case, ...] = ((one,),)
    change: tuple[Case, ...] = ((changed,), (one, one)) if groups > 1 else ((changed,),)
    user = granularity.single
    times = 1
    if isinstance(user, Users):
        times = user.rows if truncation is None else min(user.rows, truncation.most)
    behind = truncation is not None and not isinstance(user, Users)
    if keyed is None:
        swap = alone + change
        if behind:
            return Moves(alone, _twice(swap), alone, 1, swap=swap)
        return Moves(alone, change, alone, times, change)
    # A stored row that comes or goes changes one derived row; an owner is one, or several if there are other columns.
    parted = isinstance(user, Users) and user.per is not None
    owner, times = change if parted else alone, times if keyed else 1
    # Another row of the same owner is in the same derived row, unless there are other columns.
    swap = _twice(change) if keyed else change
    if behind:
        return Moves(change, _twice(swap), owner, 1, swap=swap)
    return Moves(change, _twice(change), owner, times, _twice(change) if parted and keyed else change)


def _twice(cases: tuple[Case, ...]) -> tuple[Case, ...]:
    """Two changes, each one of the cases."""
    return tuple(sorted({case for first in cases for other in cases for case in _sums(first, other)}))


def _sums(first: Case, other: Case) -> Iterator[Case]:
    """Two changes at once, with any of the groups of the one being groups of the other."""
    for shared in range(min(len(first), len(other)) + 1):
        for mine in combinations(range(len(first)), shared):
            for theirs in permutations(range(len(other)), shared):
                met = dict(zip(mine, theirs, strict=True))
                joined = [far + (other[met[place]] if place in met else 0) for place, far in enumerate(first)]
                yield tuple(sorted(joined + [far for place, far in enumerate(other) if place not in theirs]))


@lru_cache(maxsize=4096)
def cost(mechanism: Chooser, cases: tuple[Case, ...], budget: Measure) -> Measure:
    """The most that any of the cases costs: the groups that move compose."""
    found = [pricing.total_cost([(mechanism, Distance.linf(far)) for far in case], budget).vector() for case in cases]
    return budget.like([max(parts) for parts in zip(*found, strict=True)])


def unit_cost(mechanism: Chooser, moved: Moves, granularity: Granularity, budget: Measure) -> Measure:
    """The most that one step of the granularity can cost through this choice."""
    match granularity:
        case Rows():
            return cost(mechanism, moved.swap or moved.row, budget)
        case Replace() | Metric():
            return cost(mechanism, moved.row + moved.both, budget)
        case Groups(size, of):
            return unit_cost(mechanism, moved, of, budget).group(size)
        case Users(altered=True):
            return cost(mechanism, moved.owner + moved.altered, budget).group(moved.times)
        case Users():
            return owner_cost(mechanism, moved, budget)
        case _:
            return cost(mechanism, moved.swap or moved.row, budget).group(steps(Rows(), granularity))


def owner_cost(mechanism: Chooser, moved: Moves, budget: Measure) -> Measure:
    """What all rows of one owner cost who comes or goes."""
    return cost(mechanism, moved.owner, budget).group(moved.times)


def loads(
    mechanism: Chooser, moved: Moves, granularity: Granularity, budget: Measure, *, whole: bool
) -> tuple[Measure, Measure]:
    """What to book for a row, and for a row that becomes another."""
    swap = moved.swap
    if swap is None:
        return cost(mechanism, moved.row, budget), cost(mechanism, moved.both, budget)
    cases = {
        Moving.ROW: moved.row,
        Moving.SWAP: swap,
        Moving.ROW_TWICE: _twice(moved.row),
        Moving.SWAP_TWICE: moved.both,
    }
    return burden(granularity, lambda moving: cost(mechanism, cases[moving], budget), whole=whole)


@lru_cache(maxsize=1024)
def affordable(moved: Moves, granularity: Granularity, budget: Measure) -> Exponential | None:
    """The sharpest choice whose cost for one step of the granularity fits the budget, or None if there is none.

    >>> affordable(moves((Fraction(1, 2),), Rows(), groups=1, truncation=None), Rows(), Pure(epsilon=1)).epsilon
    Fraction(1, 1)
    """
    if isinstance(budget, Pure | Approximate):
        if not budget.epsilon:
            return None
        least = unit_cost(Exponential(epsilon=Fraction(1)), moved, granularity, Pure(epsilon=budget.epsilon))
        return Exponential(epsilon=budget.epsilon / least.vector()[0])

    def fits(scale: Fraction) -> bool:
        return unit_cost(Exponential(epsilon=1 / scale), moved, granularity, budget).fits(budget)

    high = Fraction(1)
    for _ in range(200):
        if fits(high):
            break
        high *= 2
    else:
        return None
    low = high / 2
    while fits(low):
        high, low = low, low / 2
    return Exponential(epsilon=1 / decimal_up(numerics.least(fits, low, high, steps=60)))


def sharpest(mechanism: Exponential, shares: tuple[Fraction, ...], budgets: Sequence[Measure]) -> Chooser:
    """The better of two choices of the same ε: permute-and-flip for one quantile, where only ε counts.

    The exponential mechanism is cheaper in every other measure, and is the one that chooses several at once.

    >>> sharpest(Exponential(epsilon=1), (Fraction(1, 2),), [Pure(epsilon=1)]).kind
    'permute_and_flip'
    """
    if len(shares) > 1 or not all(isinstance(budget, Pure) for budget in budgets):
        return mechanism
    return PermuteAndFlip(epsilon=mechanism.epsilon)
