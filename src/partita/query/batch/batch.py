"""Batches: many questions priced together, so that one budget makes all of them as exact as possible."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final, final

import numpy as np

from partita.composition.calibration.pricing import Price, affordable
from partita.errors import PartitaError
from partita.errors.query import prices as refuse
from partita.exact import Number, positive
from partita.limits import current
from partita.query.batch.allotment import Allotment
from partita.query.batch.charging import Charging, times
from partita.query.batch.estimate import estimates, told
from partita.query.batch.levels import levels
from partita.query.batch.share import Share, shares_of, thrifty
from partita.query.language.joined import identity
from partita.query.language.plan import Lines, Plan
from partita.query.noise.accuracy import currency
from partita.query.noise.quote import Quote, quote
from partita.query.reuse.reuse import linears
from partita.query.reuse.sums import additive
from partita.query.reuse.wider import beside, wider
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.renyi import Renyi
from partita.threads import one_thread

_ROUNDS: Final = 6
# No weight counts as less than this part of the largest.
_LEAST: Final = 1e-9


@one_thread
def shared(
    plans: Sequence[Plan],
    charging: Charging,
    price: Price,
    weights: Sequence[Number] | None = None,
) -> list[Share]:
    """A share for each plan such that all of them together cost nobody more than the price.

    The same question twice is priced once. Accounts are divided apart, since nobody is charged to two of them. The
    total of the squared errors is least, each in units of what one row can do, times its weight; questions that no
    person is in together do not share anything. A question that follows from another is not released by itself where
    that makes the total smaller.
    """
    if not plans:
        raise refuse.no_questions()
    if weights is not None and len(weights) != len(plans):
        raise refuse.weights_of_batch(len(weights), len(plans))
    given = [Fraction(1)] * len(plans) if weights is None else [positive(weight, "weights") for weight in weights]
    worth: dict[_Asked, float] = {}
    distinct: dict[_Asked, Plan] = {}
    for plan, weight in zip(plans, given, strict=True):
        worth[_asked(plan)] = worth.get(_asked(plan), 0.0) + float(weight)
        distinct.setdefault(_asked(plan), plan)
    found: dict[_Asked, Share] = {}
    for account in {charging.account(plan): None for plan in plans}:
        # In an order of their own, so that the same questions in any order are the same batch.
        mine = sorted(name for name, plan in distinct.items() if charging.account(plan) == account)
        sharing = _Sharing([distinct[name] for name in mine], charging, price, [worth[name] for name in mine])
        found.update(zip(mine, sharing.best(), strict=True))
    return [_shown(plan, found[_asked(plan)]) for plan in plans]


_Asked = tuple[str, str]


def _asked(plan: Plan) -> _Asked:
    """The question and the margins it shows: what is estimated for it."""
    return plan.canonical, str(plan.lines.sets)


def _shown(plan: Plan, share: Share) -> Share:
    """The same release under the names that this asker gave."""
    if share.quote.plan is plan:
        return share
    named = replace(share.quote, plan=plan)
    own = share.quote.fingerprint
    return replace(share, quote=named, sources=tuple(named if one.fingerprint == own else one for one in share.sources))


@final
@dataclass(frozen=True, slots=True)
class _Way:
    """One way to spend the price: in which currency it is divided, and how squared errors fall with a share."""

    name: str
    whole: Fraction
    power: float
    noise: str | None = None
    delta: Fraction | None = None

    def price(self, share: Fraction) -> Price:
        given: dict[str, Any] = {self.name: share, "delta": self.delta}
        return Price.of(**given)


def _many(want: Quote) -> bool:
    """Whether a question with margins has more groups, or shows more numbers in them, than all levels tell of."""
    shown = {part for estimator in want.estimators for part in linears(estimator)}
    cells, numbers = want.program.cells.count, max(len(want.spreads), len(shown))
    return cells > current().margin_cells or cells * numbers > current().margin_numbers


@final
class _Sharing:
    """The questions of one account, and the price they share."""

    def __init__(self, plans: Sequence[Plan], charging: Charging, price: Price, worth: Sequence[float]) -> None:
        self.plans, self.charging, self.price = plans, charging, price
        # However little a question is worth, it is told: with next to no share its estimate would be rounding alone.
        self.worth = [max(one, _LEAST * max(worth)) for one in worth]
        if price.delta is not None and any(plan.opened for plan in plans):
            raise refuse.shared_naming()
        self.allowed = price.within(charging.budget)

    def best(self) -> list[Share]:
        """The way with the least total error."""
        found: list[tuple[float, list[Share]]] = []
        problem: PartitaError | None = None
        for way in self._ways():
            try:
                offered = self._spent(way)
            except PartitaError as reason:
                problem = reason
                continue
            found.append((sum(w * one.figure for w, one in zip(self.worth, offered, strict=True)), offered))
        if not found:
            assert problem is not None
            raise problem
        return min(found, key=lambda pair: pair[0])[1]

    def _ways(self) -> list[_Way]:
        allowed = self.allowed
        if isinstance(allowed, Renyi):
            if self.price.rho is None:
                raise refuse.batch_in_measure(allowed.symbol)
            return [self._in_rho(self.price.rho)]
        if isinstance(allowed, Approximate):
            ways = [_Way("epsilon", allowed.epsilon, 2, "laplace")]
            shift = affordable("gaussian", allowed, (Fraction(1),)) if allowed.delta else None
            if shift:
                ways.append(_Way("rho", shift / 2, 1, "gaussian", allowed.delta))
            return ways
        whole = allowed.vector()[0]
        if currency(allowed) == "epsilon":
            return [_Way("epsilon", whole, 2)]
        # The square of μ adds up, and ρ is half of it.
        return [self._in_rho(whole / 2 if allowed.kind == "gdp" else whole)]

    def _in_rho(self, whole: Fraction) -> _Way:
        """Up to ρ = 1 Gaussian noise has the smaller variance, where it has a proven cost under every promise."""
        way = _Way("rho", whole, 1, "gaussian")
        if whole <= 1:
            try:
                self._quoted(self.plans[0], way, whole, way.noise)
            except PartitaError:
                return _Way("rho", whole, 1)
            return way
        return _Way("rho", whole, 1)

    def _spent(self, way: _Way) -> list[Share]:
        asked = [self._quoted(plan, way, way.whole, way.noise) for plan in self.plans]
        helpers = beside(asked)
        if len(asked) == 1 and _many(asked[0]) and additive(asked[0]):
            by_level = self._levelled(way, asked[0], helpers)
            if by_level is not None:
                return [by_level]
        first = [*asked, *(self._quoted(plan, way, way.whole, way.noise) for plan in helpers)]
        problem = told(first, self.worth)
        if problem is None:
            return self._plainly(way, asked)
        families, alone = problem
        kinds: dict[tuple[object, ...], list[int]] = {}
        for place, one in enumerate(first):
            kinds.setdefault(
                (identity(one.plan.table), one.plan.keys, one.plan.aggregates, one.region.constrained()), []
            ).append(place)
        shares = Allotment(
            tuple(families),
            np.array(alone),
            tuple(map(tuple, kinds.values())),
            tuple(self.charging.sets(first)),
            way.power,
        ).best()
        released = self._offered(way, {place: share for place, share in enumerate(shares) if share}, first)
        own = {one.plan.fingerprint: one for one in released.values()}
        if any(
            one.offer.strategy.measurements != first[place].offer.strategy.measurements
            for place, one in released.items()
        ):
            # At a lower price other numbers may be the better ones to release: relate those.
            first = [*asked, *released.values()]
            released = dict(enumerate(first[len(asked) :], start=len(asked)))
            again = told(first, self.worth)
            if again is None:
                return shares_of(asked, list(released.values()))
            families = again[0]
        found = []
        for want, estimate in zip(asked, estimates(families, first, len(asked), released), strict=True):
            mine = own.get(want.plan.fingerprint, want)
            found.append(Share(mine, (mine,) if estimate is None else estimate.sources, estimate))
        return found

    def _levelled(self, way: _Way, want: Quote, helpers: Sequence[Plan]) -> Share | None:
        """One question with margins: an equal share for each of its levels."""
        sets = want.plan.lines.sets
        found = {frozenset(plan.keys): plan for plan in (*helpers, replace(want.plan, lines=Lines()))}
        if len(sets) < 2 or any(frozenset(keys) not in found for keys in sets):
            return None
        first = [self._quoted(found[frozenset(keys)], way, way.whole, way.noise) for keys in sets]
        released = self._offered(way, {place: 1 / len(sets) for place in range(len(sets))}, first)
        estimate = levels(want, list(released.values()))
        return None if estimate is None else Share(want, estimate.sources, estimate)

    def _plainly(self, way: _Way, asked: Sequence[Quote]) -> list[Share]:
        """Where there are too many cells to relate: questions from releases that tell them whole."""
        errors = [weight * one.figure for weight, one in zip(self.worth, asked, strict=True)]
        helpers = wider(asked)
        first = [*asked, *(self._quoted(plan, way, way.whole, way.noise) for plan in helpers)]
        kept, shares = thrifty(first, errors, self.charging.sets(first), way.power)
        return shares_of(asked, list(self._offered(way, {place: shares[place] for place in kept}, first).values()))

    def _offered(self, way: _Way, shares: Mapping[int, float], first: Sequence[Quote]) -> dict[int, Quote]:
        """The releases with their shares, which together cost nobody more than the price."""
        scale = Fraction(1)
        if not shares:
            return {}
        for _ in range(_ROUNDS):
            offered = {
                place: self._quoted(
                    first[place].plan,
                    way,
                    _rounded_down(way.whole * scale * Fraction(share)),
                    first[place].offer.noise or None,
                )
                for place, share in shares.items()
            }
            over = self._over(list(offered.values()))
            if over <= 1:
                return offered
            # Loads may be booked higher than the price of one answer (theory E14): take that much off. An ε at a
            # fixed δ falls no slower than the root of ρ.
            scale = scale / over ** (2 if way.delta else 1) * Fraction(9999, 10000)
        raise refuse.no_plan_for(
            str(self.charging.promised(self.plans[0])[0].granularity), "no split of this price was found"
        )

    def _quoted(self, plan: Plan, way: _Way, share: Fraction, noise: str | None) -> Quote:
        promises, kept = self.charging.promised(plan), self.charging.kept(plan)
        return quote(plan, promises, way.price(share), noise=noise, truncation=kept)

    def _over(self, offered: Sequence[Quote]) -> Fraction:
        """How many times the price the questions cost the heaviest unit together."""
        return times(self.charging.heaviest(offered, self.allowed), self.allowed)


def _rounded_down(price: Fraction, digits: int = 6) -> Fraction:
    """So many digits, downwards: all of them together stay within the price."""
    exponent = math.floor(math.log10(float(price))) - digits + 1
    unit = Fraction(10) ** exponent
    return max(price // unit, 1) * unit
