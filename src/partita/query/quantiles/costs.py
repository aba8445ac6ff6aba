"""What chosen quantiles cost: how far neighbours move the scores of groups, and the sharpest choice for a price."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, permutations
from typing import final

from partita.composition.calibration import pricing
from partita.granularity import Granularity, Users
from partita.mechanisms.exponential import Exponential
from partita.mechanisms.gaussian import decimal_up
from partita.mechanisms.permute_and_flip import PermuteAndFlip
from partita.query.exact.burden import Moving, burden
from partita.query.exact.sensitivity import Sensitivity, behind
from partita.query.quantiles.ranks import step
from partita.query.tables.truncation import Truncation
from partita.theory import numerics
from partita.theory.distance import Distance
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.base import Measure, most
from partita.theory.measures.pure import Pure

Case = tuple[Fraction, ...]
Chooser = Exponential | PermuteAndFlip


@final
@dataclass(frozen=True, slots=True)
class Cases:
    """How far neighbours move the scores of the groups: in one of some ways, in each of so many steps.

    Each way lists the groups that move and how far, in rows.
    """

    ways: tuple[Case, ...]
    steps: int = 1

    def __or__(self, other: Cases) -> Cases:
        return Cases(self.ways + other.ways, max(self.steps, other.steps))

    def times(self, k: int) -> Cases:
        """So many times as many steps: losses of steps compose by group privacy, since scores are not added up."""
        return Cases(self.ways, k * self.steps)


def moves(
    shares: tuple[Fraction, ...],
    granularity: Granularity,
    *,
    groups: int,
    truncation: Truncation | None,
    keyed: bool | None = None,
    values: int | None = None,
) -> Sensitivity[Cases]:
    """The cases of quantiles that are chosen together (costs.proof.md).

    ``keyed`` is None for stored rows; for rows gathered by owner it says whether by other columns as well. ``values``
    is how many there are to choose from, where that is known.

    >>> from partita.granularity import Rows
    >>> moves((Fraction(9, 10),), Rows(), groups=5, truncation=None).substitution.ways
    ((Fraction(10, 9),), (Fraction(1, 1), Fraction(1, 1)))
    """
    # Of two values only the difference of their scores counts, and half of it may be put on either side.
    one = Fraction(1, 2) if values == 2 and len(shares) == 1 else Fraction(1)
    changed = one * Fraction(shares[0].denominator, step(shares[0])) if len(shares) == 1 else Fraction(2)
    alone = Cases(((one,),))
    change = Cases(((changed,), (one, one)) if groups > 1 else ((changed,),))
    users, kept = granularity.single, 1
    if isinstance(users, Users):
        kept = users.rows if truncation is None else min(users.rows, truncation.most)
    if keyed is None:
        row, substitution, swap, owner, altered = alone, change, alone | change, alone, alone | change
    else:
        # A stored row that comes or goes changes one derived row; an owner is one, or several with other columns.
        parted, kept = isinstance(users, Users) and users.per is not None, kept if keyed else 1
        # Another row of the same owner is in the same derived row, unless there are other columns.
        row, substitution, swap = change, _twice(change), _twice(change) if keyed else change
        owner = change if parted else alone
        altered = owner | (_twice(change) if parted and keyed else change)
    if behind(granularity, truncation):
        return Sensitivity.of(granularity, row=row, substitution=_twice(swap), owner=owner, swap=swap)
    in_any_way = altered if isinstance(users, Users) and users.altered else owner
    return Sensitivity.of(
        granularity, row=row, substitution=substitution, owner=owner.times(kept), altered=in_any_way.times(kept)
    )


def _twice(cases: Cases) -> Cases:
    """Two changes, each one of the cases."""
    return _together(cases, cases)


def _together(some: Cases, others: Cases) -> Cases:
    """Two changes, each one of its own cases."""
    return Cases(tuple(sorted({way for first in some.ways for other in others.ways for way in _sums(first, other)})))


def _sums(first: Case, other: Case) -> Iterator[Case]:
    """Two changes at once, with any of the groups of the one being groups of the other."""
    for shared in range(min(len(first), len(other)) + 1):
        for mine in combinations(range(len(first)), shared):
            for theirs in permutations(range(len(other)), shared):
                met = dict(zip(mine, theirs, strict=True))
                joined = [far + (other[met[place]] if place in met else 0) for place, far in enumerate(first)]
                yield tuple(sorted(joined + [far for place, far in enumerate(other) if place not in theirs]))


@lru_cache(maxsize=4096)
def cost(mechanism: Chooser, cases: Cases, budget: Measure) -> Measure:
    """The most that any of the cases costs: the groups that move compose, and so do the steps."""
    found = [pricing.total_cost([(mechanism, Distance.linf(far)) for far in way], budget) for way in cases.ways]
    return most(*found).group(cases.steps)


def loads(
    mechanism: Chooser, moved: Sensitivity[Cases], granularity: Granularity, budget: Measure, *, whole: bool
) -> tuple[Measure, Measure]:
    """What to book for a row, and for a row that becomes another."""
    swap = moved.swap
    if swap is None:
        return cost(mechanism, moved.row, budget), cost(mechanism, moved.substitution, budget)
    cases = {
        Moving.ROW: moved.row,
        Moving.SWAP: swap,
        Moving.ROW_TWICE: _twice(moved.row),
        Moving.ROW_AND_SWAP: _together(moved.row, swap),
        Moving.SWAP_TWICE: moved.substitution,
    }
    # Of two bounds on ρ the lesser is booked for a choice, so that it is not convex where they meet.
    return burden(granularity, lambda moving: cost(mechanism, cases[moving], budget), whole=whole, convex=False)


@lru_cache(maxsize=1024)
def affordable(moved: Sensitivity[Cases], budget: Measure) -> Exponential | None:
    """The sharpest choice whose cost for one step of the granularity fits the budget, or None if there is none.

    >>> from partita.granularity import Rows
    >>> affordable(moves((Fraction(1, 2),), Rows(), groups=1, truncation=None), Pure(epsilon=1)).epsilon
    Fraction(1, 1)
    """
    if isinstance(budget, Pure | Approximate):
        if not budget.epsilon:
            return None
        least = cost(Exponential(epsilon=Fraction(1)), moved.unit, Pure(epsilon=budget.epsilon))
        return Exponential(epsilon=budget.epsilon / least.vector()[0])

    def fits(scale: Fraction) -> bool:
        return cost(Exponential(epsilon=1 / scale), moved.unit, budget).fits(budget)

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
