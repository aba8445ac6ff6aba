"""Parts of a plan as events of dp_accounting: the same loss where there is a word for it, never a smaller one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, assert_never, final

from partita.composition.plans.plan import Loose, Paired, Part, Run
from partita.errors import NotProven
from partita.errors import composition as refuse
from partita.exact import exact, float_down, float_up
from partita.granularity.base import Relation
from partita.mechanisms.base import Mechanism
from partita.mechanisms.words import GaussianShift, GeometricSteps, LaplaceShift, Responses, Sample
from partita.theory.distance import Distance
from partita.theory.losses.base import LossLaw
from partita.theory.losses.gaussian import GaussianLoss
from partita.theory.losses.laplace import LaplaceLoss
from partita.theory.losses.pair import Pair
from partita.theory.losses.product import ProductLoss
from partita.theory.losses.randomized_response import RandomizedResponseLoss
from partita.theory.losses.subsampled_gaussian import SubsampledGaussianLoss
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.gdp import GDP
from partita.theory.measures.profile import Profile
from partita.theory.measures.pure import Pure
from partita.theory.measures.zcdp import ZCDP

Document = dict[str, Any]
_SIZE = 1 << 53


@final
@dataclass(frozen=True, slots=True)
class Written:
    """An event, and whether it loses exactly as much as what it stands for, or more."""

    event: Document
    exact: bool = True


def written(part: Part) -> Written:
    """A part as an event.

    Geometric noise of one step is randomised response, the worst of all ε-private mechanisms, so a bare ε is written as
    that; a δ as a sample that gives everything away, drawn with that probability (theory B8, C4).

    >>> written(Loose(Pure(epsilon="0.5"), 1)).event
    {'type': 'DiscreteLaplaceDpEvent', 'noise_parameter': 0.5, 'sensitivity': 1}
    """
    one = _one(part)
    if part.count == 1:
        return one
    return Written({"type": "SelfComposedDpEvent", "event": one.event, "count": part.count}, one.exact)


def together(events: Sequence[Document]) -> Document:
    """Several events as one."""
    if not events:
        return {"type": "NoOpDpEvent"}
    return events[0] if len(events) == 1 else {"type": "ComposedDpEvent", "events": list(events)}


def _one(part: Part) -> Written:
    match part:
        case Loose():
            return _loss(part)
        case Paired():
            return _pair(part.given, part.name)
        case Run():
            return _mechanism(part.mechanism, part.distance, part.name)
        case _:
            raise refuse.unwritable(part.name, "it is no mechanism, loss or pair.")


def _loss(part: Loose) -> Written:
    match part.measure:
        case Pure(epsilon=epsilon):
            return Written(_leaky(epsilon, Fraction(0)))
        case Approximate(epsilon=epsilon, delta=delta):
            return Written(_leaky(epsilon, delta))
        case ZCDP(rho=rho, delta=delta):
            curve: Document = {"type": "ZCDpEvent", "rho": _up(rho), "xi": 0.0}
            return Written(together([curve, _leak(delta)]) if delta else curve)
        case GDP():
            squared = part.measure.squared
            return Written(_gaussian(part.measure.mu) if squared else {"type": "NoOpDpEvent"})
        case Profile(pair=pair):
            return _pair(pair, part.name)
        case _:
            raise refuse.unwritable(part.name, "it has no word for a curve of Rényi divergences.")


def _mechanism(mechanism: Mechanism, distance: Distance, name: str) -> Written:
    if distance.power == 0:
        return Written({"type": "NoOpDpEvent"})
    match mechanism.said(distance):
        case GaussianShift(noise=noise):
            return Written({"type": "GaussianDpEvent", "noise_multiplier": _down(noise)})
        case LaplaceShift(noise=noise):
            return Written({"type": "LaplaceDpEvent", "noise_multiplier": _down(noise)})
        case GeometricSteps(loss=loss, steps=steps, exact=exactly):
            event = {"type": "DiscreteLaplaceDpEvent", "noise_parameter": _up(loss), "sensitivity": steps}
            return Written(event, exactly)
        case Responses(uniform=uniform, answers=answers, reports=reports):
            one = {"type": "RandomizedResponseDpEvent", "noise_parameter": _down(uniform), "num_buckets": answers}
            return Written(one if reports == 1 else {"type": "SelfComposedDpEvent", "event": one, "count": reports})
        case Sample() as sample:
            return _sampled(sample, name)
        case None:
            return _by_its_losses(mechanism, distance, name)
        case other:
            assert_never(other)


def _sampled(sample: Sample, name: str) -> Written:
    """More loss without the sample is more loss with it, so a larger event inside is one outside."""
    if (sample.scheme, sample.relation) == ("poisson", Relation.CHANGE_ONE):
        raise refuse.unwritable(name, "it has no Poisson samples under change-one.")
    inner = _mechanism(sample.of.mechanism, sample.of.distance, name)
    if sample.scheme == "poisson":
        rate = min(1.0, _up(sample.rate))
        return Written(
            {"type": "PoissonSampledDpEvent", "sampling_probability": rate, "event": inner.event}, inner.exact
        )
    top, bottom = sample.rate.as_integer_ratio()
    if bottom > _SIZE:
        # A slightly larger share of a smaller table.
        top, bottom = math.ceil(sample.rate * _SIZE), _SIZE
    sizes = {"source_dataset_size": bottom, "sample_size": top}
    exactly = inner.exact and sample.rate == Fraction(top, bottom)
    return Written({"type": "SampledWithoutReplacementDpEvent", **sizes, "event": inner.event}, exactly)


def _by_its_losses(mechanism: Mechanism, distance: Distance, name: str) -> Written:
    """A mechanism without a word of its own: by its dominating pair, or by its ε, or by its ρ."""
    try:
        found = _named(mechanism.pair(distance))
    except NotProven:
        found = None
    if found is not None:
        return Written(found)
    for measure in (Pure, ZCDP):
        try:
            loss = mechanism.cost(distance, measure)
        except NotProven:
            continue
        return Written(_loss(Loose(loss, 1)).event, exact=False)
    raise refuse.unwritable(name, "it has no such mechanism.")


def _pair(pair: Pair, name: str) -> Written:
    """By its laws; otherwise as anything with the largest loss of both directions, if that is finite."""
    found = _named(pair)
    if found is not None:
        return Written(found)
    largest = max(law.maximum for _, law in pair.directions())
    if math.isinf(largest):
        raise refuse.unwritable(name, "it has no word for a pair with unbounded losses.")
    leak = max(law.infinity for _, law in pair.directions())
    return Written(_leaky(Fraction(max(largest, 0.0)), Fraction(leak)), exact=False)


def _named(pair: Pair) -> Document | None:
    """The events of a pair whose laws all have a word."""
    match pair.remove, pair.add:
        case (
            SubsampledGaussianLoss(rate=rate, sigma=sigma, removes=True),
            SubsampledGaussianLoss(rate=other, sigma=same, removes=False),
        ) if (rate, sigma) == (other, same):
            inner = {"type": "GaussianDpEvent", "noise_multiplier": _down(Fraction(sigma))}
            return {"type": "PoissonSampledDpEvent", "sampling_probability": _up(Fraction(rate)), "event": inner}
    return _law(pair.remove) if pair.symmetric else None


def _law(law: LossLaw) -> Document | None:
    match law:
        case LaplaceLoss(epsilon=epsilon) if epsilon > 0:
            return {"type": "LaplaceDpEvent", "noise_multiplier": _down(1 / Fraction(epsilon))}
        case GaussianLoss(mu=mu) if mu > 0:
            return _gaussian(Fraction(mu))
        case RandomizedResponseLoss(epsilon=epsilon, leak=leak):
            return _leaky(Fraction(epsilon), Fraction(leak))
        case ProductLoss(parts=parts):
            events = []
            for part, count in parts:
                one = _law(part)
                if one is None:
                    return None
                events.append(one if count == 1 else {"type": "SelfComposedDpEvent", "event": one, "count": count})
            return together(events)
        case _:
            return None


def _gaussian(mu: Fraction) -> Document:
    return {"type": "GaussianDpEvent", "noise_multiplier": _down(1 / mu)}


def _leaky(epsilon: Fraction, delta: Fraction) -> Document:
    """The worst of all (ε, δ)-private mechanisms: randomised response, and everything with probability δ."""
    response = {"type": "DiscreteLaplaceDpEvent", "noise_parameter": _up(epsilon), "sensitivity": 1}
    return together([*([response] if epsilon else []), *([_leak(delta)] if delta else [])])


def _leak(delta: Fraction) -> Document:
    everything = {"type": "NonPrivateDpEvent"}
    return {"type": "PoissonSampledDpEvent", "sampling_probability": min(1.0, _up(delta)), "event": everything}


def _down(number: Fraction) -> float:
    """A float that is not above a number, nor is what is read back from its shortest text."""
    found = float_down(number)
    return found if exact(found) <= number else math.nextafter(found, 0.0)


def _up(number: Fraction) -> float:
    found = float_up(number)
    return found if exact(found) >= number else math.nextafter(found, math.inf)
