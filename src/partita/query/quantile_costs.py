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
    """How far neighbours move the scores of the groups: each case lists the groups that move and how far.

    ``row`` when one row enters or leaves the region; ``both`` when a row of the region becomes another one; ``owned``
    is the most rows of one owner that a release uses.
    """

    row: tuple[Case, ...]
    both: tuple[Case, ...]
    owned: int | None = None


def moves(
    shares: tuple[Fraction, ...], granularity: Granularity, *, groups: int, truncation: Truncation | None
) -> Moves:
    """The cases of quantiles that are chosen together, in rows (quantile_costs.proof.md).

    >>> moves((Fraction(9, 10),), Rows(), groups=5, truncation=None)
    Moves(row=((Fraction(1, 1),),), both=((Fraction(10, 9),), (Fraction(1, 1), Fraction(1, 1))), owned=None)
    """
    one = Fraction(1)
    changed = Fraction(shares[0].denominator, step(shares[0])) if len(shares) == 1 else Fraction(2)
    row: tuple[Case, ...] = ((one,),)
    both: tuple[Case, ...] = ((changed,), (one, one)) if groups > 1 else ((changed,),)
    if truncation is not None and not isinstance(granularity.single, Users):
        # A row may let another of its owner in or out: two changes, in the same groups or in others.
        both = tuple(sorted({case for first in row + both for other in row + both for case in _sums(first, other)}))
        row = tuple(sorted(set(_sums((one,), (one,)))))
    return Moves(row, both, None if truncation is None else truncation.most)


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
            return cost(mechanism, moved.row, budget)
        case Replace() | Metric():
            return cost(mechanism, moved.row + moved.both, budget)
        case Groups(size, of):
            return unit_cost(mechanism, moved, of, budget).group(size)
        case Users():
            kept = granularity.rows if moved.owned is None else min(granularity.rows, moved.owned)
            return cost(mechanism, moved.row, budget).group(2 * kept if granularity.altered else kept)
        case _:
            return cost(mechanism, moved.row, budget).group(steps(Rows(), granularity))


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
