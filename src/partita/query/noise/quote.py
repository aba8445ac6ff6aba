"""Quotes: a plan with its noise, its price for every promise and its expected error, before anything is spent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, Final, Protocol, final

import numpy as np
from numpy.typing import NDArray

from partita.composition.calibration import pricing
from partita.composition.calibration.pricing import Price
from partita.effort import Work, spend, within_effort
from partita.errors.query import language as refuse_query
from partita.errors.query import prices as refuse
from partita.exact import Number, probability
from partita.granularity import Granularity, Users
from partita.mechanisms.base import Mechanism
from partita.query.answer.estimators import Estimator
from partita.query.answer.intervals import Spread
from partita.query.answer.results import Result
from partita.query.exact.measurements import entries
from partita.query.exact.per_user_sensitivity import steady
from partita.query.exact.program import Different, Owners, Program, Tally, Values, cells
from partita.query.exact.sensitivity import parted
from partita.query.exact.workings import computed, typed
from partita.query.language.aggregates import Average, Correlation, Covariance, Quantile, Variance, arguments
from partita.query.language.expressions import columns
from partita.query.language.plan import Plan
from partita.query.noise import partition_selection as selection
from partita.query.noise.choice import NoiseChoice, Request, offered
from partita.query.noise.tolls import Part, Toll, toll_of
from partita.query.quantiles import quantiles
from partita.query.tables.truncation import Truncation
from partita.region.codes import holds, intersection
from partita.region.columns import Bounded
from partita.region.columns.stepped import Stepped
from partita.region.domain import Domain
from partita.region.region import Region
from partita.sampling.bits import BitSource
from partita.theory.cost import Cost
from partita.theory.measures.base import Measure
from partita.theory.powers import powers

# How many numbers and combinations of them an aggregate takes.
_WEIGHTS: Final = {Average: 2, Variance: 6, Covariance: 8, Correlation: 10}

# Beside open keys, each of which gets a line for every listed group before any key is named.
MOST_BESIDE = 1024


class Promised(Protocol):
    """A promise, as far as a price is concerned: who is protected, and a budget in one measure."""

    @property
    def granularity(self) -> Granularity:
        """Who is protected."""

    @property
    def budget(self) -> Measure:
        """The most that may ever be lost."""


@final
@dataclass(frozen=True)
class Quote:
    """What a question would cost and how exact its answer would be. Nothing is spent, and nothing was read."""

    plan: Plan
    program: Program
    price: Price
    promises: tuple[Promised, ...]
    offer: NoiseChoice

    @property
    def region(self) -> Region:
        """The record values that the release may depend on: whom it is charged to (theory E9)."""
        return self.plan.where.region

    @property
    def tolls(self) -> tuple[Toll, ...]:
        """The cost under each promise, in their order."""
        return self.offer.tolls

    @property
    def cost(self) -> Measure:
        """The most that one protected unit can lose through this answer, under the first promise."""
        return self.offer.tolls[0].unit

    @property
    def costs(self) -> tuple[Measure, ...]:
        """The same under every promise."""
        return tuple(toll.unit for toll in self.offer.tolls)

    @property
    def mechanisms(self) -> tuple[Mechanism, ...]:
        """The noise of each part, the mechanism of each choice, and the one that names keys."""
        return (
            *(part.mechanism for part in self.offer.parts),
            *(choice.mechanism for choice in self.offer.choices),
            *(() if self.offer.selection is None else (self.offer.selection.mechanism,)),
        )

    @property
    def figure(self) -> float:
        """The expected squared error of all aggregates, each in units of what one row can do to it."""
        pairs = zip(self.offer.strategy.weights, self.offer.parts, strict=True)
        linear = sum(float(weight) * Spread.of(part.mechanism).variance for weight, part in pairs)
        return linear + sum(len(choice.shares) * choice.rank_error(0.68) ** 2 for choice in self.offer.choices)

    def by_parts(self, place: int) -> bool:
        """Whether the cost under a promise is that of the additive parts alone, which may then be composed instead."""
        promise = self.promises[place]
        protection = promise.granularity, promise.budget
        found = toll_of(self.offer.parts, place, protection, self.price.delta, whole=self.region.whole)
        return found == self.offer.tolls[place]

    @property
    def fingerprint(self) -> str:
        """The question and its noise: the same for the same question at the same price, however it was asked."""
        noise = ";".join(f"{mechanism.kind} {mechanism.parameters()}" for mechanism in self.mechanisms)
        return f"{self.plan.fingerprint}:{noise}"

    @cached_property
    def _counted(self) -> tuple[Tally, ...]:
        """The tallies that are numbers; they come first."""
        return tuple(tally for tally in self.program.tallies if not isinstance(tally, Values))

    @property
    def width(self) -> int:
        """How many columns are released: texts of open keys, numbers with additive noise, and those that are chosen."""
        return self.texts + len(self.spreads) + len(quantiles.listed(self.offer.choices))

    @property
    def texts(self) -> int:
        """How many of the released columns are texts of open keys."""
        return len(self.program.opened)

    @property
    def by_owner(self) -> bool:
        """Whether an owner's loss is known to be less than that of so many single rows."""
        return bool(self.plan.caps or self.program.opened or self.plan.per_user) or Owners() in self.program.tallies

    @property
    def declared(self) -> bool:
        """Whether nothing is read but declared values: no open keys, and no owners, which a truncation reads too."""
        program, owners = self.program, Owners() in self.program.tallies
        told = [program.table.columns.get(one.column) for one in program.tallies if isinstance(one, Different)]
        texts = not all(isinstance(column, Bounded) for column in told)
        return not (program.truncation or program.opened or program.per_user or owners or texts or program.worded)

    def proportional(self, place: int) -> bool:
        """Whether fewer rows of an owner lose at most in proportion, so that rows may be charged one by one (E14)."""
        users, cut = self.promises[place].granularity.single, self.program.truncation
        if not isinstance(users, Users) or self.by_owner or not powers(self.tolls[place].unit):
            return False
        return cut is None or cut.most >= (users.in_region or users.rows)

    def stated(self, place: int, *, once: bool) -> Cost:
        """The cost under a promise as an account is told of it.

        The loss of a whole owner is told where owners are charged as such (``once``), and that of an altered one where
        it is proven for as many rows as it is charged by.
        """
        users, toll = self.promises[place].granularity, self.tolls[place]
        owner, altered = None, None
        if isinstance(users, Users):
            owner = toll.cost.owner if once else None
            altered = toll.unit if users.altered and (once or self.proportional(place)) else None
        return replace(toll.cost, owner=owner, altered=altered, declared=self.declared)

    @cached_property
    def _weights(self) -> NDArray[np.object_]:
        """From exact tallies to the numbers that get additive noise."""
        place = {tally: position for position, tally in enumerate(self._counted)}
        listed = [entry for part in self.offer.parts for entry in entries(part.measurement)]
        weights = np.zeros((len(place), len(listed)), dtype=object)
        for column, entry in enumerate(listed):
            for tally, weight in entry.items():
                weights[place[tally], column] = weight
        return weights

    def exact(self, tallies: NDArray[np.object_]) -> NDArray[Any]:
        """The exact numbers that get additive noise: a line for each group. They must not leave without it."""
        tallies = tallies[:, : len(self._counted)]
        most, weight = (max(map(abs, every.ravel().tolist()), default=0) for every in (tallies, self._weights))
        if most * weight * tallies.shape[1] < 2**62:
            found: NDArray[Any] = tallies.astype(np.int64).dot(self._weights.astype(np.int64))
        else:
            found = tallies.dot(self._weights)
        return found

    def release(self, tallies: NDArray[np.object_], *, bits: BitSource | None = None) -> NDArray[np.object_]:
        """The noisy numbers: noise from each part's mechanism on each of its columns, then the choices."""
        keys: NDArray[np.object_] = np.empty((len(tallies), 0), dtype=object)
        if self.offer.selection is not None:
            keys, tallies = selection.named(self.offer.selection, self.program, tallies, bits=bits)
        exact = self.exact(tallies)
        noisy, start = np.empty((len(exact), self.width), dtype=object), self.texts
        noisy[:, :start] = keys
        first = start
        for part in self.offer.parts:
            end = start + len(entries(part.measurement))
            noisy[:, start:end] = part.mechanism.release(exact[:, start - first : end - first], bits=bits)
            start = end
        for choice in self.offer.choices:
            place = self.program.tallies.index(Values(choice.of))
            end = start + len(choice.shares)
            for group, found in enumerate(tallies[:, place]):
                noisy[group, start:end] = choice.release(found, bits=bits)
            start = end
        return noisy

    def result(self, noisy: NDArray[np.object_]) -> Result:
        """The answer that people see, made from the noisy numbers alone; the same for a stored answer."""
        linear = self.texts + len(self.spreads)
        return Result(
            self.plan,
            self.program.cells,
            noisy[:, self.texts : linear],
            self.estimators,
            self.spreads,
            chosen=quantiles.monotone(noisy[:, linear:], self.offer.choices),
            opened=noisy[:, : self.texts],
        )

    @cached_property
    def estimators(self) -> tuple[Estimator, ...]:
        """How each aggregate follows from the noisy numbers."""
        linear = iter(self.offer.strategy.estimators)
        chosen = quantiles.chosen(self.offer.choices, self.plan.domain)
        return tuple(chosen[one] if isinstance(one, Quantile) else next(linear) for one in self.plan.aggregates)

    @cached_property
    def spreads(self) -> tuple[Spread, ...]:
        """The noise of each number with additive noise by itself."""
        found: list[Spread] = []
        for part in self.offer.parts:
            found.extend([Spread.of(part.mechanism)] * len(entries(part.measurement)))
        return tuple(found)

    def error(
        self,
        confidence: Number = 0.95,
        *,
        rows: int | None = None,
        simultaneous: bool = False,
        floors: Mapping[str, Fraction] | None = None,
    ) -> dict[str, Any]:
        """The half-width of the error bar of each column of the answer.

        The error of a mean depends on how many rows it is of; give ``rows`` to see it for a group of that size,
        otherwise it is None. Quotients and deviations are longest near zero; ``floors`` says from which size on the
        values of a column count. ``simultaneous`` makes all groups and columns hold at once.
        """
        sure = float(probability(confidence, "confidence"))
        empty = self.result(np.zeros((1, self.width), dtype=object))
        return empty.expected_error(sure, self.program.cells.count if simultaneous else 1, rows, floors)

    def rank_error(self, confidence: Number = 0.95, *, simultaneous: bool = False) -> dict[str, float]:
        """For each quantile, how many rows lie at most between the answer and the exact one."""
        sure = float(probability(confidence, "confidence"))
        empty = self.result(np.zeros((1, self.width), dtype=object))
        return empty.rank_errors(sure, self.program.cells.count if simultaneous else 1)

    def explain(self) -> str:
        """Which noise was chosen, and why."""
        return self.offer.reason


@within_effort
def quote(
    plan: Plan,
    promises: Sequence[Promised],
    price: Price,
    *,
    noise: str | None = None,
    truncation: Truncation | None = None,
) -> Quote:
    """The quote of a plan at a price; the price is what the first promise may be charged.

    Of all strategies and noises with a proven cost under every promise, the one with the least expected error for
    the same price is taken.
    """
    if noise is not None and noise not in pricing.NOISES:
        raise refuse.unknown_noise(noise)
    if plan.caps:
        truncation = _capped(plan, promises, truncation)
    if plan.per_user is not None:
        plan.per_user.check(capped=bool(plan.caps.groups or plan.caps.each or plan.opened))
    # Before anything that is kept from other questions, so that the steps are those of this one.
    spend(_steps(plan), Work.AGGREGATES)
    grouped = cells(plan.keys, plan.met)
    if plan.opened and grouped.count > MOST_BESIDE:
        raise refuse_query.too_many_beside(grouped.count, MOST_BESIDE)
    owned = 1 if truncation is None else truncation.most if truncation.groups is None else truncation.groups
    # An altered owner may be in other groups afterwards than before.
    count = 2 * owned if plan.opened else grouped.count
    request = Request(
        aggregates=plan.aggregates,
        domain=narrowed(plan),
        protections=tuple((promise.granularity, promise.budget) for promise in promises),
        price=price,
        groups=min(count, 2 * owned),
        partial=bool(plan.where.tests),
        whole=plan.where.region.whole,
        noise=noise,
        truncation=truncation,
        keys=min(owned, 1 if truncation is None else truncation.most) if plan.opened else 0,
        keyed=None if plan.per_user is None else bool(plan.per_user.keys),
        steady=steady(plan),
        parted=parted(plan.per_user, plan.keys),
    )
    offer = offered(request)
    tallies: dict[Tally, None] = {}
    for part in offer.parts:
        for entry in entries(part.measurement):
            tallies.update(dict.fromkeys(entry))
    tallies.update(dict.fromkeys(Values(choice.of) for choice in offer.choices))
    program = Program(plan.table, plan.where, grouped, tuple(tallies), truncation, plan.opened, plan.per_user)
    for operation in computed(program):
        typed(operation, lambda: "What this question adds up")
    return Quote(plan, program, price, tuple(promises), offer)


def _steps(plan: Plan) -> int:
    """How many steps it takes to choose the noise of all aggregates together: each is weighed against all others."""
    weight = sum(_WEIGHTS.get(type(aggregate), 1) for aggregate in plan.aggregates)
    return 300 * weight + weight**2


def _capped(plan: Plan, promises: Sequence[Promised], truncation: Truncation | None) -> Truncation:
    if truncation is None:
        raise refuse.caps_need_owners("no promise is on owners")
    for promise in promises:
        if not isinstance(promise.granularity.single, Users):
            raise refuse.caps_need_owners(f"one promise is on {promise.granularity}")
    return truncation.capped(plan.caps)


def narrowed(plan: Plan) -> Domain:
    """The domain that the rows of the plan's region have: what is outside adds nothing, so it bounds nothing.

    Only columns that are added up are narrowed.
    """
    region, domain = plan.met.region, plan.domain
    used = frozenset().union(*(columns(of) for aggregate in plan.aggregates for of in arguments(aggregate)))
    found = dict(domain.columns)
    for name in used.intersection(region.constrained()) if region else ():
        column, along = domain.bounded[domain.axis(name)], region.along(name)
        if not isinstance(column, Stepped):
            continue
        present = intersection(along, column.values)
        if not present:
            continue
        low, high = column.low + present[0][0], column.low + present[-1][1] - 1
        gap = column.null is not None and holds(along, column.null)
        found[name] = replace(column, low=low, high=high, missing=None if gap else low)  # type: ignore[type-var]
    return domain if found == dict(domain.columns) else Domain(found)


__all__ = ["NoiseChoice", "Part", "Promised", "Quote", "Toll", "quote"]
