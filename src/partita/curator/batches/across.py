"""Questions about people, fixed together: whatever tables they read, the same people are charged for all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import final

from partita.composition.account.people import PersonSpace
from partita.composition.plans.promise import Promise
from partita.curator.path.placed import PersonPromise, Placed, placed
from partita.query.batch.charging import Charging, Together, Vector
from partita.query.batch.joint import as_owners, saves, union
from partita.query.language.joined import identity
from partita.query.language.plan import Plan
from partita.query.noise.quote import Promised, Quote
from partita.query.tables.truncation import Truncation
from partita.region.meetings import Meeting, meetings
from partita.theory.cost import Cost
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.base import Measure, most


@final
@dataclass(frozen=True)
class AcrossTables(Charging):
    """One account for all tables: a person's losses through questions about different tables add up (theory I6).

    A plan books at every point of the wide domain at least what its questions book there by themselves; or, in (ε, δ)
    and about one table or join, what exact composition says of a whole person (across.proof.md).
    """

    promises: tuple[Promise, ...]
    space: PersonSpace
    seen: Callable[[Plan], tuple[Promised, ...]]
    cut: Callable[[Plan], Truncation | None]

    @property
    def budget(self) -> Measure:
        return self.promises[0].budget

    def promised(self, plan: Plan) -> tuple[Promised, ...]:
        return self.seen(plan)

    def kept(self, plan: Plan) -> Truncation | None:
        return self.cut(plan)

    def account(self, plan: Plan) -> str:
        return self.space.persons.column

    def sets(self, quotes: Sequence[Quote]) -> list[Meeting]:
        return list(meetings([placed(one).region for one in quotes]))

    def heaviest(self, quotes: Sequence[Quote], allowed: Measure) -> Vector:
        delta = allowed.delta if isinstance(allowed, Approximate) else Fraction(0)
        return self.together(quotes, [delta] * len(self.promises)).costs[0].row.vector()

    def together(self, quotes: Sequence[Quote], deltas: Sequence[Fraction]) -> Together:
        found = [placed(one) for one in quotes]
        region = found[0].region
        for one in found[1:]:
            region = region | one.region
        apart = summed(found)
        exact = self._exact(quotes, deltas, apart)
        if exact is None:
            return Together(self.space.persons.column, region, apart, apart, exact=False)
        return Together(self.space.persons.column, exact.region, exact.costs, apart, exact=True)

    def _exact(self, quotes: Sequence[Quote], deltas: Sequence[Fraction], apart: tuple[Cost, ...]) -> Placed | None:
        """The plan as one release that a whole person is charged for, where that is less; None where it is not."""
        people, place = next(
            (one, place) for place, one in enumerate(quotes[0].promises) if isinstance(one, PersonPromise)
        )
        if not isinstance(people.budget, Approximate) or not deltas[place]:
            return None
        if len({identity(one.plan.table) for one in quotes}) > 1:
            return None
        booking = people.whole(union(quotes), as_owners(quotes, place, deltas[place]))
        loss = people.budget.like(booking.one)
        if not saves(apart[place].row, loss):
            return None
        costs = tuple(Cost(loss) if at == place else cost for at, cost in enumerate(apart))
        return Placed(self.space.persons.column, booking.region, costs)


def summed(found: Sequence[Placed]) -> tuple[Cost, ...]:
    """Under each promise the most that charges put on one point, if each is booked by itself."""
    sets = meetings([one.region for one in found]) or (frozenset(),)
    costs = []
    for listed in zip(*(one.costs for one in found), strict=True):
        zero = listed[0].row.zero()
        costs.append(Cost(most(*(sum((listed[place].row for place in one), start=zero) for one in sets))))
    return tuple(costs)
