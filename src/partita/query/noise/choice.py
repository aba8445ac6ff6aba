"""Offers: the noise chosen for the aggregates of a question at a price, and what it costs under every promise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Final, final

import numpy as np

from partita.composition.calibration import pricing
from partita.composition.calibration.pricing import Price
from partita.errors import NotProven
from partita.errors.query import prices as refuse
from partita.errors.query import quantiles as refuse_quantiles
from partita.granularity import Granularity
from partita.query.answer.intervals import Spread
from partita.query.exact.measurements import Lengths, Measurement
from partita.query.exact.per_user_sensitivity import Steady
from partita.query.exact.sensitivity import Parted, Sensitivity, distance, gathered_movement, movement
from partita.query.language.aggregates import Aggregate, Quantile
from partita.query.language.expressions import Expression, bounds
from partita.query.noise import partition_selection as selection
from partita.query.noise.partition_selection import Selection
from partita.query.noise.strategy import Strategy, strategies_of
from partita.query.noise.tolls import Part, Protection, Toll, named_toll, toll_of
from partita.query.quantiles import costs as quantile_costs
from partita.query.quantiles import quantiles
from partita.query.quantiles.quantiles import Choice
from partita.query.tables.truncation import Truncation
from partita.region.domain import Domain
from partita.theory.cost import Cost
from partita.theory.distance import Norm
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.base import Measure
from partita.theory.measures.zcdp import ZCDP

# Noise is made a little stronger, and again, where a loss that is rounded up exceeds the price in its last bits.
_TRIES: Final = 4
_LITTLE: Final = Fraction(1, 1 << 40)
# A value that is chosen beside a quantile has this part of the price of a quantile.
_BESIDE: Final = Fraction(1, 4)


@final
@dataclass(frozen=True, slots=True)
class NoiseChoice:
    """The noise chosen for the aggregates of a question, whatever its region; kept and used again.

    Counts and sums are parts with additive noise; quantiles are choices.
    """

    noise: str
    strategy: Strategy
    parts: tuple[Part, ...]
    tolls: tuple[Toll, ...]
    reason: str
    choices: tuple[Choice, ...] = ()
    selection: Selection | None = None


@final
@dataclass(frozen=True, slots=True)
class Request:
    """What an offer is made for: all that its noise and its cost depend on, so that equal requests have one offer.

    ``groups`` is how many groups a row may move between; ``partial`` says that a row of the region may fail another
    test of the condition, ``whole`` that every row is in the region. ``keys`` is how many open keys one person may have
    (none if there are no open keys); ``keyed`` whether rows are gathered by keys besides their owner (None if they are
    not gathered), ``steady`` and ``parted`` what is known of gathered rows.
    """

    aggregates: tuple[Aggregate, ...]
    domain: Domain
    protections: tuple[Protection, ...]
    price: Price
    groups: int
    partial: bool
    whole: bool
    noise: str | None
    truncation: Truncation | None
    keys: int
    keyed: bool | None
    steady: Steady | None
    parted: Parted | None = None


@lru_cache(maxsize=1024)
def offered(request: Request) -> NoiseChoice:
    """The offer of some aggregates at a price: of all strategies and noises, the one with the least expected error."""
    if request.keys:
        return _selected(request)
    domain, price, protections, wanted = request.domain, request.price, request.protections, request.noise
    first = protections[0][1]
    linear = _linear(request.aggregates)
    asked = [one for one in request.aggregates if isinstance(one, Quantile)]
    companies = quantiles.companies(asked)
    beside = [one for one in asked if one.side]
    smaller = _BESIDE if companies or linear else Fraction(1)
    share = 1 / (len(companies) + int(bool(linear)) + len(beside) * smaller)
    allowed, less = (pricing.part_of(price.within(first), part) for part in (share, share * smaller))
    parts = [(of, shares, 0, allowed) for of, shares in companies]
    parts += [(one.of, (one.share,), one.side, less) for one in beside]
    choices, tolls = _chosen(request, parts)
    if not linear:
        return NoiseChoice("", Strategy("chosen", (), (), ()), (), tolls, _reason_of_choices(choices), choices)
    best: tuple[float, NoiseChoice] | None = None
    others: dict[str, float] = {}
    for strategy in strategies_of(linear, domain):
        movements = [
            tuple(_moved(request, measurement, granularity) for granularity, _ in protections)
            for measurement in strategy.measurements
        ]
        for noise in pricing.NOISES if wanted is None else (wanted,):
            found = _priced(request, strategy, noise, movements, allowed)
            if found is None:
                continue
            error, offer = found
            others[noise] = min(error, others.get(noise, error))
            if best is None or error < best[0]:
                best = error, offer
    if best is None:
        raise refuse.noise_not_in_measure((wanted or "additive").capitalize(), first.symbol)
    reason = " ".join(filter(None, [_reason(request, best[1], best[0], others), _reason_of_choices(choices)]))
    return replace(
        best[1],
        reason=reason,
        choices=choices,
        tolls=tuple(mine + more for mine, more in zip(best[1].tolls, tolls, strict=True)),
    )


def _moved(request: Request, measurement: Measurement, granularity: Granularity) -> Sensitivity[Lengths]:
    """How far one protected unit moves a measurement."""
    if request.keyed is None:
        return movement(
            measurement,
            granularity,
            groups=request.groups,
            partial=request.partial,
            truncation=request.truncation,
            whole=request.whole,
        )
    return gathered_movement(
        measurement,
        granularity,
        groups=request.groups,
        keyed=request.keyed,
        truncation=request.truncation,
        steady=request.steady,
        parted=request.parted,
    )


def _selected(request: Request) -> NoiseChoice:
    """The offer for groups that are named privately: a share of the price and all of δ go into naming them."""
    price, protections, truncation = request.price, request.protections, request.truncation
    first = protections[0][1]
    if price.delta is None or not isinstance(first, Approximate | ZCDP):
        raise refuse.no_delta(first.symbol)
    allowed = replace(price, delta=None).within(first)
    budget = first.like([selection.SHARE * allowed.vector()[0], price.delta])
    moved = [selection.people_moved(unit, truncation) for unit, _ in protections]
    chosen = selection.affordable(budget, moved[0].unit.l1, request.keys)
    rest = price.times(1 - selection.SHARE, allowed)
    offer = offered(replace(request, price=rest, keys=0, keyed=None, steady=None, parted=None))
    try:
        tolls = tuple(
            toll + named_toll(chosen, people, unit, measure, whole=request.whole)
            for toll, people, (unit, measure) in zip(offer.tolls, moved, protections, strict=True)
        )
    except NotProven:
        raise refuse.no_delta(first.symbol) from None
    return replace(offer, tolls=tolls, selection=chosen, reason=f"{offer.reason} {chosen.explain()}")


def _linear(aggregates: tuple[Aggregate, ...]) -> tuple[Aggregate, ...]:
    """The aggregates that follow from counts and sums."""
    return tuple(aggregate for aggregate in aggregates if not isinstance(aggregate, Quantile))


def _chosen(
    request: Request, companies: Sequence[tuple[Expression, tuple[Fraction, ...], int, Measure]]
) -> tuple[tuple[Choice, ...], tuple[Toll, ...]]:
    """The choice for each company of quantiles, each at its part of the price, and their cost under every promise."""
    choices, protections = [], request.protections
    zeros = [budget.zero() for _, budget in protections]
    tolls = [Toll(Cost(zero, zero, zero), zero) for zero in zeros]
    for of, shares, side, allowed in companies:
        within = bounds(of, request.domain)
        moved = [
            quantile_costs.moves(
                shares,
                granularity,
                groups=request.groups,
                truncation=request.truncation,
                keyed=request.keyed,
                values=within.high - within.low + 1 + abs(side),
            )
            for granularity, _ in protections
        ]
        fitting = quantile_costs.affordable(moved[0], allowed)
        if fitting is None:
            raise refuse.noise_not_in_measure("Exponential", protections[0][1].symbol)
        mechanism = quantile_costs.sharpest(fitting, shares, [budget for _, budget in protections])
        choices.append(choice := Choice(of, shares, within, mechanism, side))
        if choice.candidates > quantiles.MOST_VALUES:
            raise refuse_quantiles.quantile_of_too_many(choice.candidates, quantiles.MOST_VALUES)
        for place, (granularity, budget) in enumerate(protections):
            row, substitution = quantile_costs.loads(mechanism, moved[place], granularity, budget, whole=request.whole)
            owner, unit = (
                quantile_costs.cost(mechanism, cases, budget) for cases in (moved[place].owner, moved[place].unit)
            )
            tolls[place] += Toll(Cost(row, substitution, owner), unit)
    return tuple(choices), tuple(tolls)


def _priced(
    request: Request,
    strategy: Strategy,
    noise: str,
    movements: Sequence[tuple[Sensitivity[Lengths], ...]],
    allowed: Measure,
) -> tuple[float, NoiseChoice] | None:
    """The strategy with one kind of noise at the price, and its expected squared error; None if it has no price."""
    norm = pricing.OFFERED[noise].norm
    distances = [distance(moves[0].unit, norm) for moves in movements]
    squares = [float(move.power**2 if norm is Norm.L1 else move.power) for move in distances]
    weighted = [float(weight) * square for weight, square in zip(strategy.weights, squares, strict=True)]
    shares = pricing.divided(weighted, 1 / 3 if norm is Norm.L1 else 1 / 2)
    # What is known without looking (the variance of a constant) releases no numbers, and any noise will do.
    strength = pricing.affordable(noise, allowed, shares) if shares else Fraction(1)
    if strength is None:
        return None
    for _ in range(_TRIES):
        made = pricing.mechanisms(noise, strength, shares, distances)
        parts = tuple(
            Part(measurement, part, moves)
            for measurement, part, moves in zip(strategy.measurements, made, movements, strict=True)
        )
        try:
            tolls = tuple(
                toll_of(parts, place, protection, request.price.delta, whole=request.whole)
                for place, protection in enumerate(request.protections)
            )
        except NotProven:
            return None
        if tolls[0].unit.fits(allowed):
            break
        # The same loss, evaluated in another way and rounded up, may be larger in its last bit.
        strength *= 1 - _LITTLE
    assert tolls[0].unit.fits(allowed)
    error = sum(float(weight) * Spread.of(part).variance for weight, part in zip(strategy.weights, made, strict=True))
    return error, NoiseChoice(noise, strategy, parts, tolls, "")


def _reason(request: Request, offer: NoiseChoice, error: float, others: Mapping[str, float]) -> str:
    name = {"laplace": "Laplace", "gaussian": "Gaussian"}[offer.noise]
    grouped = " for each group" if request.groups > 1 else ""
    how = {
        "joint": f"count and sum come from one balanced release{grouped}",
        "split": "each number has noise of its own" if len(offer.parts) > 1 else f"one number is released{grouped}",
    }[offer.strategy.name]
    rest = [other for kind, other in others.items() if kind != offer.noise]
    if request.noise is not None:
        why = "because it was asked for"
    elif not rest:
        why = "because no other noise has a proven cost under every promise"
    elif not error:
        why = "which changes nothing here, because the answer is known beforehand"
    else:
        why = f"because its typical error is {np.sqrt(rest[0] / error):.2f} times smaller at the same price"
    return f"{name} noise, {why}; {how}."


def _reason_of_choices(choices: Sequence[Choice]) -> str:
    if not choices:
        return ""
    count = len(quantiles.listed(choices))
    which = "The quantile is" if count == 1 else f"The {count} quantiles are"
    jointly = ", several at once" if count > len(choices) else ""
    names = {"exponential": "the exponential mechanism", "permute_and_flip": "permute-and-flip"}
    by = " and ".join(dict.fromkeys(names[choice.mechanism.kind] for choice in choices))
    return f"{which} chosen among all possible values by rank{jointly}, with {by}."
