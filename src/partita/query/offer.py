"""Offers: the noise chosen for the aggregates of a question at a price, and what it costs under every promise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Final, final

import numpy as np

from partita.errors import NotProven
from partita.errors import prices as refuse
from partita.errors import quantiles as refuse_quantiles
from partita.errors import selection as refuse_selection
from partita.mechanisms.additive import AdditiveNoise
from partita.mechanisms.gaussian import GaussianNoise
from partita.mechanisms.laplace import Laplace
from partita.query import pricing, quantile_costs, quantiles, selection
from partita.query.aggregates import Aggregate, Quantile
from partita.query.design import Design, designs
from partita.query.expressions import Expression, bounds
from partita.query.pricing import Price
from partita.query.quantiles import Choice
from partita.query.selection import Selection
from partita.query.stability import Movement, distance, gathered_movement, movement
from partita.query.steadiness import Steady
from partita.query.tolls import Part, Protection, Toll, named_toll, toll_of
from partita.query.truncation import Truncation
from partita.region.domain import Domain
from partita.theory.distance import Norm
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.base import Measure
from partita.theory.measures.zcdp import ZCDP

# Noise is made a little stronger, and again, where a loss that is rounded up exceeds the price in its last bits.
_TRIES: Final = 4
_LITTLE: Final = Fraction(1, 1 << 40)


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


@lru_cache(maxsize=1024)
def offered(
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
    whole: bool = False,  # noqa: FBT001, FBT002
    steady: Steady | None = None,
) -> Offer:
    """The offer of some aggregates at a price: of all designs and noises, the one with the least expected error.

    ``groups`` is how many groups a row may move between, ``keys`` how many open keys one person may have (none if there
    are no open keys); ``whole`` says that every row is in the region, ``steady`` what is known of gathered rows.
    """
    if keys:
        return _selected(aggregates, domain, groups, partial, protections, price, wanted, truncation, keys, whole)
    first = protections[0][1]
    linear = _linear(aggregates)
    companies = quantiles.companies([aggregate for aggregate in aggregates if isinstance(aggregate, Quantile)])
    share = Fraction(1, len(companies) + bool(linear))
    allowed = pricing.part_of(price.within(first), share)
    choices, tolls = _chosen(companies, domain, groups, protections, allowed, truncation, keyed, whole)
    if not linear:
        return Offer("", Design("chosen", (), (), ()), (), tolls, _reason_of_choices(choices), choices)
    best: tuple[float, Offer] | None = None
    others: dict[str, float] = {}
    for design in designs(linear, domain):
        movements = [
            tuple(
                movement(block, granularity, groups=groups, partial=partial, truncation=truncation, whole=whole)
                if keyed is None
                else gathered_movement(
                    block, granularity, groups=groups, keyed=keyed, truncation=truncation, steady=steady
                )
                for granularity, _ in protections
            )
            for block in design.blocks
        ]
        for noise in pricing.NOISES if wanted is None else (wanted,):
            found = _priced(design, noise, movements, protections, allowed, price, whole)
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
    whole: bool,  # noqa: FBT001
) -> Offer:
    """The offer for groups that are named privately: a share of the price and all of δ go into naming them."""
    first = protections[0][1]
    if price.delta is None or not isinstance(first, Approximate | ZCDP):
        raise refuse_selection.no_delta(first.symbol)
    allowed = replace(price, delta=None).within(first)
    budget = first.like([selection.SHARE * allowed.vector()[0], price.delta])
    moved = [selection.steps_of(unit, truncation) for unit, _ in protections]
    chosen = selection.affordable(budget, moved[0].unit, keys)
    rest = price.times(1 - selection.SHARE, allowed)
    offer = offered(aggregates, domain, groups, partial, protections, rest, wanted, truncation, 0, None, whole)
    try:
        tolls = tuple(
            toll + named_toll(chosen, people, unit, measure, truncation, whole=whole)
            for toll, people, (unit, measure) in zip(offer.tolls, moved, protections, strict=True)
        )
    except NotProven:
        raise refuse_selection.no_delta(first.symbol) from None
    return replace(offer, tolls=tolls, selection=chosen, reason=f"{offer.reason} {chosen.explain()}")


def _linear(aggregates: tuple[Aggregate, ...]) -> tuple[Aggregate, ...]:
    """The aggregates that follow from counts and sums."""
    return tuple(aggregate for aggregate in aggregates if not isinstance(aggregate, Quantile))


def _chosen(
    companies: Sequence[tuple[Expression, tuple[Fraction, ...]]],
    domain: Domain,
    groups: int,
    protections: tuple[Protection, ...],
    allowed: Measure,
    truncation: Truncation | None,
    keyed: bool | None,  # noqa: FBT001
    whole: bool,  # noqa: FBT001
) -> tuple[tuple[Choice, ...], tuple[Toll, ...]]:
    """The choice for each company of quantiles, all at the same price, and what they cost under every promise."""
    choices = []
    tolls = [Toll(*[budget.zero()] * 4) for _, budget in protections]
    for of, shares in companies:
        within = bounds(of, domain)
        moved = [
            quantile_costs.moves(
                shares,
                granularity,
                groups=groups,
                truncation=truncation,
                keyed=keyed,
                values=within.high - within.low + 1,
            )
            for granularity, _ in protections
        ]
        fitting = quantile_costs.affordable(moved[0], protections[0][0], allowed)
        if fitting is None:
            raise refuse.noise_not_in_measure("Exponential", protections[0][1].symbol)
        mechanism = quantile_costs.sharpest(fitting, shares, [budget for _, budget in protections])
        choices.append(choice := Choice(of, shares, within, mechanism))
        if choice.candidates > quantiles.MOST_VALUES:
            raise refuse_quantiles.too_many_values(choice.candidates, quantiles.MOST_VALUES)
        for place, (granularity, budget) in enumerate(protections):
            tolls[place] += Toll(
                *quantile_costs.loads(mechanism, moved[place], granularity, budget, whole=whole),
                quantile_costs.unit_cost(mechanism, moved[place], granularity, budget),
                quantile_costs.owner_cost(mechanism, moved[place], budget),
            )
    return tuple(choices), tuple(tolls)


def _priced(
    design: Design,
    noise: str,
    movements: Sequence[tuple[Movement, ...]],
    protections: tuple[Protection, ...],
    allowed: Measure,
    price: Price,
    whole: bool,  # noqa: FBT001
) -> tuple[float, Offer] | None:
    """The design with one kind of noise at the price, and its expected squared error; None if it has no price."""
    norm = Norm.L1 if noise == "laplace" else Norm.L2
    distances = [distance(moves[0].unit, norm) for moves in movements]
    squares = [float(move.power**2 if norm is Norm.L1 else move.power) for move in distances]
    weighted = [float(weight) * square for weight, square in zip(design.weights, squares, strict=True)]
    shares = pricing.divided(weighted, 1 / 3 if noise == "laplace" else 1 / 2)
    # What is known without looking (the variance of a constant) releases no numbers, and any noise will do.
    strength = pricing.affordable(noise, allowed, shares) if shares else Fraction(1)
    if strength is None:
        return None
    for _ in range(_TRIES):
        made = pricing.mechanisms(noise, strength, shares, distances)
        parts = tuple(
            Part(block, part, moves) for block, part, moves in zip(design.blocks, made, movements, strict=True)
        )
        try:
            tolls = tuple(
                toll_of(parts, place, protection, price.delta, whole=whole)
                for place, protection in enumerate(protections)
            )
        except NotProven:
            return None
        if tolls[0].unit.fits(allowed):
            break
        # The same loss, evaluated in another way and rounded up, may be larger in its last bit.
        strength *= 1 - _LITTLE
    assert tolls[0].unit.fits(allowed)
    error = sum(float(weight) * variance(part) for weight, part in zip(design.weights, made, strict=True))
    return error, Offer(noise, design, parts, tolls, "")


def variance(noise: AdditiveNoise) -> float:
    """The variance of one draw, rounding left aside."""
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
