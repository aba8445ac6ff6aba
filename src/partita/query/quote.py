"""Quotes: a plan with its noise, its price for every promise and its expected error, before anything is spent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any, Protocol, final

import numpy as np
from numpy.typing import NDArray

from partita.errors import NotProven
from partita.errors import query as refuse
from partita.errors import selection as refuse_selection
from partita.exact import Number, probability
from partita.granularity import Granularity, Groups, Metric, Replace, Users
from partita.mechanisms.additive import AdditiveNoise
from partita.mechanisms.base import Mechanism
from partita.mechanisms.gaussian import GaussianNoise
from partita.mechanisms.laplace import Laplace
from partita.query import pricing, quantiles, selection
from partita.query.aggregates import Aggregate, Quantile, arguments
from partita.query.blocks import Block, entries
from partita.query.design import Design, designs
from partita.query.errorbars import Spread
from partita.query.expressions import bounds, columns
from partita.query.plan import Plan
from partita.query.pricing import Price
from partita.query.program import Owners, Program, Tally, Values, cells
from partita.query.quantiles import Choice
from partita.query.recipes import Recipe
from partita.query.results import Result
from partita.query.selection import Selection
from partita.query.stability import Movement, distance, gathered_movement, movement
from partita.query.truncation import Truncation
from partita.region.codes import holds, intersection
from partita.region.columns.stepped import Stepped
from partita.region.domain import Domain
from partita.region.region import Region
from partita.sampling.bits import BitSource
from partita.theory.distance import Norm
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.base import Measure
from partita.theory.measures.zcdp import ZCDP


class Promised(Protocol):
    """A promise, as far as a price is concerned: who is protected, and a budget in one measure."""

    @property
    def granularity(self) -> Granularity:
        """Who is protected."""

    @property
    def budget(self) -> Measure:
        """The most that may ever be lost."""


@final
@dataclass(frozen=True, slots=True)
class Toll:
    """What one release costs under one promise, by what happens to a row.

    ``row``: one row enters or leaves the region. ``both``: a row of the region becomes another row of the region.
    ``unit``: the most that one step of the promise's granularity can cost through this release alone.
    """

    row: Measure
    both: Measure
    unit: Measure

    def __add__(self, other: Toll) -> Toll:
        return Toll(self.row + other.row, self.both + other.both, self.unit + other.unit)


@final
@dataclass(frozen=True, slots=True)
class Part:
    """A block with its noise, and how far neighbours move it under each promise."""

    block: Block
    mechanism: AdditiveNoise
    movements: tuple[Movement, ...]


@final
@dataclass(frozen=True, slots=True)
class Offer:
    """The noise chosen for the aggregates of a question, whatever its region; kept and used again.

    Counts and sums are parts with additive noise; quantiles are choices.
    """

    noise: str
    design: Design
    parts: tuple[Part, ...]
    tolls: tuple[Toll, ...]
    reason: str
    choices: tuple[Choice, ...] = ()
    selection: Selection | None = None


@final
@dataclass(frozen=True)
class Quote:
    """What a question would cost and how exact its answer would be. Nothing is spent, and nothing was read."""

    plan: Plan
    program: Program
    price: Price
    promises: tuple[Promised, ...]
    offer: Offer

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
        pairs = zip(self.offer.design.weights, self.offer.parts, strict=True)
        linear = sum(float(weight) * _variance(part.mechanism) for weight, part in pairs)
        return linear + sum(choice.rank_error(0.68) ** 2 for choice in self.offer.choices)

    def by_parts(self, place: int) -> bool:
        """Whether the cost under a promise is that of the additive parts alone, which may then be composed instead."""
        found = _toll(self.offer.parts, place, self.promises[place].budget, self.price.delta)
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
        return self.texts + len(self.spreads) + len(self.offer.choices)

    @property
    def texts(self) -> int:
        """How many of the released columns are texts of open keys."""
        return len(self.program.opened)

    @property
    def by_owner(self) -> bool:
        """Whether an owner's loss is known to be less than that of so many single rows."""
        return bool(self.plan.caps or self.program.opened or self.plan.gathering) or Owners() in self.program.tallies

    @cached_property
    def _weights(self) -> NDArray[np.object_]:
        """From exact tallies to the numbers that get additive noise."""
        place = {tally: position for position, tally in enumerate(self._counted)}
        listed = [entry for part in self.offer.parts for entry in entries(part.block)]
        weights = np.zeros((len(place), len(listed)), dtype=object)
        for column, entry in enumerate(listed):
            for tally, weight in entry.items():
                weights[place[tally], column] = weight
        return weights

    def exact(self, tallies: NDArray[np.object_]) -> NDArray[Any]:
        """The exact numbers that get additive noise: a line for each group. They must not leave without it."""
        tallies = tallies[:, : len(self._counted)]
        most = max((abs(int(tally)) for tally in tallies.flat), default=0)
        if most * max((abs(int(weight)) for weight in self._weights.flat), default=0) * tallies.shape[1] < 2**62:
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
            end = start + len(entries(part.block))
            noisy[:, start:end] = part.mechanism.release(exact[:, start - first : end - first], bits=bits)
            start = end
        for choice in self.offer.choices:
            place = self.program.tallies.index(Values(choice.aggregate.of))
            for group, found in enumerate(tallies[:, place]):
                noisy[group, start] = choice.release(found, bits=bits)
            start += 1
        return noisy

    def result(self, noisy: NDArray[np.object_]) -> Result:
        """The answer that people see, made from the noisy numbers alone; the same for a stored answer."""
        linear = self.texts + len(self.spreads)
        return Result(
            self.plan,
            self.program.cells,
            noisy[:, self.texts : linear],
            self.recipes,
            self.spreads,
            chosen=quantiles.monotone(noisy[:, linear:], self.offer.choices),
            opened=noisy[:, : self.texts],
        )

    @cached_property
    def recipes(self) -> tuple[Recipe, ...]:
        """How each aggregate follows from the noisy numbers."""
        linear = iter(self.offer.design.recipes)
        chosen = iter(quantiles.chosen(self.offer.choices, self.plan.domain))
        return tuple(next(chosen) if isinstance(one, Quantile) else next(linear) for one in self.plan.aggregates)

    @cached_property
    def spreads(self) -> tuple[Spread, ...]:
        """The noise of each number with additive noise by itself."""
        found: list[Spread] = []
        for part in self.offer.parts:
            noise = part.mechanism
            alone = (
                Spread(scales=(float(noise.scale),), rounding=0.5)
                if isinstance(noise, Laplace)
                else Spread(sigma=float(noise.sigma), rounding=0.5)  # type: ignore[attr-defined]
            )
            found.extend([alone] * len(entries(part.block)))
        return tuple(found)

    def error(
        self, confidence: Number = 0.95, *, rows: int | None = None, simultaneous: bool = False
    ) -> dict[str, Any]:
        """The half-width of the error bar of each column of the answer.

        The error of a mean depends on how many rows it is of; give ``rows`` to see it for a group of that size,
        otherwise it is None. ``simultaneous`` makes all groups and columns hold at once.
        """
        sure = float(probability(confidence, "confidence"))
        empty = self.result(np.zeros((1, self.width), dtype=object))
        return empty.expected_error(sure, self.program.cells.count if simultaneous else 1, rows)

    def rank_error(self, confidence: Number = 0.95) -> dict[str, float]:
        """For each quantile, how many rows lie at most between the answer and the exact one."""
        sure = float(probability(confidence, "confidence"))
        return self.result(np.zeros((1, self.width), dtype=object)).rank_errors(sure)

    def explain(self) -> str:
        """Which noise was chosen, and why."""
        return self.offer.reason


def quote(
    plan: Plan,
    promises: Sequence[Promised],
    price: Price,
    *,
    noise: str | None = None,
    truncation: Truncation | None = None,
) -> Quote:
    """The quote of a plan at a price; the price is what the first promise may be charged.

    Of all designs and noises with a proven cost under every promise, the one with the least expected error for
    the same price is taken.
    """
    if noise is not None and noise not in pricing.NOISES:
        raise refuse.unknown_noise(noise)
    if plan.caps:
        truncation = _capped(plan, promises, truncation)
    if plan.gathering is not None:
        plan.gathering.check(plan.aggregates, capped=bool(plan.caps or plan.opened))
    grouped = cells(plan.keys, plan.met)
    owned = 1 if truncation is None else truncation.most if truncation.groups is None else truncation.groups
    count = max(2, owned) if plan.opened else grouped.count
    offer = _offer(
        plan.aggregates,
        narrowed(plan),
        min(count, max(2, owned)),
        bool(plan.where.tests),
        tuple((promise.granularity, promise.budget) for promise in promises),
        price,
        noise,
        truncation,
        min(owned, 1 if truncation is None else truncation.most) if plan.opened else 0,
        None if plan.gathering is None else bool(plan.gathering.keys),
    )
    tallies: dict[Tally, None] = {}
    for part in offer.parts:
        for entry in entries(part.block):
            tallies.update(dict.fromkeys(entry))
    tallies.update(dict.fromkeys(Values(choice.aggregate.of) for choice in offer.choices))
    program = Program(plan.table, plan.where, grouped, tuple(tallies), truncation, plan.opened, plan.gathering)
    return Quote(plan, program, price, tuple(promises), offer)


def _capped(plan: Plan, promises: Sequence[Promised], truncation: Truncation | None) -> Truncation:
    if truncation is None:
        raise refuse_selection.caps_need_owners("no promise is on owners")
    for promise in promises:
        if not isinstance(single(promise.granularity), Users):
            raise refuse_selection.caps_need_owners(f"one promise is on {promise.granularity}")
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


def _changes(granularity: Granularity) -> bool:
    return isinstance(single(granularity), Replace | Metric)


def single(granularity: Granularity) -> Granularity:
    """The relation that groups are made of, or the relation itself."""
    while isinstance(granularity, Groups):
        granularity = granularity.of
    return granularity


Protection = tuple[Granularity, Measure]


@lru_cache(maxsize=1024)
def _offer(
    aggregates: tuple[Aggregate, ...],
    domain: Domain,
    groups: int,
    partial: bool,  # noqa: FBT001
    protections: tuple[Protection, ...],
    price: Price,
    wanted: str | None,
    truncation: Truncation | None,
    keys: int,
    keyed: bool | None = None,  # noqa: FBT001
) -> Offer:
    if keys:
        return _selected(aggregates, domain, groups, partial, protections, price, wanted, truncation, keys)
    first = protections[0][1]
    linear = _linear(aggregates)
    chosen = [aggregate for aggregate in aggregates if isinstance(aggregate, Quantile)]
    share = Fraction(1, len(chosen) + bool(linear))
    allowed = pricing.part_of(price.within(first), share)
    choices, tolls = _chosen(chosen, domain, groups, protections, allowed, truncation)
    if not linear:
        return Offer("", Design("chosen", (), (), ()), (), tolls, _reason_of_choices(choices), choices)
    best: tuple[float, Offer] | None = None
    others: dict[str, float] = {}
    for design in designs(linear, domain):
        movements = [
            tuple(
                movement(block, granularity, groups=groups, partial=partial, truncation=truncation)
                if keyed is None
                else gathered_movement(block, granularity, groups=groups, keyed=keyed, truncation=truncation)
                for granularity, _ in protections
            )
            for block in design.blocks
        ]
        for noise in pricing.NOISES if wanted is None else (wanted,):
            found = _priced(design, noise, movements, protections, allowed, price)
            if found is None:
                continue
            error, offer = found
            others[noise] = min(error, others.get(noise, error))
            if best is None or error < best[0]:
                best = error, offer
    if best is None:
        raise refuse.noise_not_in_measure((wanted or "additive").capitalize(), first.symbol)
    reason = " ".join(filter(None, [_reason(best[1], best[0], others, wanted), _reason_of_choices(choices)]))
    return replace(
        best[1],
        reason=reason,
        choices=choices,
        tolls=tuple(mine + more for mine, more in zip(best[1].tolls, tolls, strict=True)),
    )


def _selected(
    aggregates: tuple[Aggregate, ...],
    domain: Domain,
    groups: int,
    partial: bool,  # noqa: FBT001
    protections: tuple[Protection, ...],
    price: Price,
    wanted: str | None,
    truncation: Truncation | None,
    keys: int,
) -> Offer:
    """The offer for groups that are named privately: a share of the price and all of δ go into naming them."""
    first = protections[0][1]
    if price.delta is None or not isinstance(first, Approximate | ZCDP):
        raise refuse_selection.no_delta(first.symbol)
    whole = replace(price, delta=None).within(first)
    budget = first.like([selection.SHARE * whole.vector()[0], price.delta])
    moved = [selection.steps_of(unit, truncation) for unit, _ in protections]
    chosen = selection.affordable(budget, moved[0].unit, keys)
    rest = price.times(1 - selection.SHARE, whole)
    offer = _offer(aggregates, domain, groups, partial, protections, rest, wanted, truncation, 0)
    try:
        tolls = tuple(
            toll
            + Toll(
                selection.cost(chosen, people.row, measure),
                # Only promises on changes ever book one; for the others it need not have a price.
                selection.cost(chosen, people.both if _changes(unit) else people.row, measure),
                selection.cost(chosen, people.unit, measure),
            )
            for toll, people, (unit, measure) in zip(offer.tolls, moved, protections, strict=True)
        )
    except NotProven:
        raise refuse_selection.no_delta(first.symbol) from None
    return replace(offer, tolls=tolls, selection=chosen, reason=f"{offer.reason} {chosen.explain()}")


def _linear(aggregates: tuple[Aggregate, ...]) -> tuple[Aggregate, ...]:
    """The aggregates that follow from counts and sums."""
    return tuple(aggregate for aggregate in aggregates if not isinstance(aggregate, Quantile))


def _chosen(
    aggregates: Sequence[Quantile],
    domain: Domain,
    groups: int,
    protections: tuple[Protection, ...],
    allowed: Measure,
    truncation: Truncation | None,
) -> tuple[tuple[Choice, ...], tuple[Toll, ...]]:
    """The choice for each quantile, each at the same price, and what they cost together under every promise."""
    choices = []
    tolls = [Toll(budget.zero(), budget.zero(), budget.zero()) for _, budget in protections]
    for aggregate in aggregates:
        moved = [
            quantiles.moves(aggregate.share, granularity, groups=groups, truncation=truncation)
            for granularity, _ in protections
        ]
        mechanism = quantiles.affordable(moved[0], protections[0][0], allowed)
        if mechanism is None:
            raise refuse.noise_not_in_measure("Exponential", protections[0][1].symbol)
        choices.append(Choice(aggregate, bounds(aggregate.of, domain), mechanism))
        for place, (granularity, budget) in enumerate(protections):
            tolls[place] += Toll(
                quantiles.cost(mechanism, moved[place].row, budget),
                quantiles.cost(mechanism, moved[place].both, budget),
                quantiles.unit_cost(mechanism, moved[place], granularity, budget),
            )
    return tuple(choices), tuple(tolls)


def _priced(
    design: Design,
    noise: str,
    movements: Sequence[tuple[Movement, ...]],
    protections: tuple[Protection, ...],
    allowed: Measure,
    price: Price,
) -> tuple[float, Offer] | None:
    """The design with one kind of noise at the price, and its expected squared error; None if it has no price."""
    norm = Norm.L1 if noise == "laplace" else Norm.L2
    distances = [distance(moves[0].unit, norm) for moves in movements]
    squares = [float(move.power**2 if norm is Norm.L1 else move.power) for move in distances]
    weighted = [float(weight) * square for weight, square in zip(design.weights, squares, strict=True)]
    shares = pricing.divided(weighted, 1 / 3 if noise == "laplace" else 1 / 2)
    strength = pricing.affordable(noise, allowed, shares)
    if strength is None:
        return None
    made = pricing.mechanisms(noise, strength, shares, distances)
    parts = tuple(Part(block, part, moves) for block, part, moves in zip(design.blocks, made, movements, strict=True))
    try:
        tolls = tuple(_toll(parts, place, budget, price.delta) for place, (_, budget) in enumerate(protections))
    except NotProven:
        return None
    assert tolls[0].unit.fits(allowed)
    error = sum(float(weight) * _variance(part) for weight, part in zip(design.weights, made, strict=True))
    return error, Offer(noise, design, parts, tolls, "")


def _toll(parts: Sequence[Part], place: int, budget: Measure, delta: Fraction | None) -> Toll:
    def cost(which: str) -> Measure:
        moved = [
            (part.mechanism, distance(getattr(part.movements[place], which), part.mechanism.norm)) for part in parts
        ]
        return pricing.total_cost([(noise, far) for noise, far in moved if far.power], budget, delta)

    return Toll(cost("row"), cost("both"), cost("unit"))


def _variance(noise: AdditiveNoise) -> float:
    if isinstance(noise, Laplace):
        return 2 * float(noise.scale) ** 2
    assert isinstance(noise, GaussianNoise)
    return float(noise.sigma) ** 2


def _reason(offer: Offer, error: float, others: Mapping[str, float], wanted: str | None) -> str:
    name = {"laplace": "Laplace", "gaussian": "Gaussian"}[offer.noise]
    how = {
        "joint": "count and sum come from one balanced release",
        "split": "each number has noise of its own" if len(offer.parts) > 1 else "one number is released",
    }[offer.design.name]
    rest = [other for kind, other in others.items() if kind != offer.noise]
    if wanted is not None:
        why = "because it was asked for"
    elif not rest:
        why = "because no other noise has a proven cost under every promise"
    else:
        why = f"because its typical error is {np.sqrt(rest[0] / error):.2f} times smaller at the same price"
    return f"{name} noise, {why}; {how}."


def _reason_of_choices(choices: Sequence[Choice]) -> str:
    if not choices:
        return ""
    which = "The quantile is" if len(choices) == 1 else f"The {len(choices)} quantiles are"
    return f"{which} chosen among all possible values by rank, with the exponential mechanism."


__all__ = ["Offer", "Part", "Promised", "Quote", "Toll", "quote"]
