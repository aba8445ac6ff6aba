"""Plans in the vocabulary of Google's dp_accounting, as versioned JSON and as its own objects."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from partita.composition.plan import Loose, Part, Plan, Release, read
from partita.errors import composition as refuse
from partita.exact import exact, float_down, float_up, whole
from partita.granularity.base import Granularity, Relation
from partita.mechanisms.base import Mechanism
from partita.mechanisms.discrete_gaussian import DiscreteGaussian
from partita.mechanisms.gaussian import GaussianNoise
from partita.mechanisms.geometric import Geometric
from partita.mechanisms.laplace import Laplace
from partita.mechanisms.randomized_response import RandomizedResponse
from partita.mechanisms.subsampled import Scheme, Subsampled
from partita.theory import numerics
from partita.theory.distance import Distance, Norm
from partita.theory.measures.gdp import GDP
from partita.theory.measures.zcdp import ZCDP
from partita.theory.numerics import ball

VERSION = 1
_VOCABULARY = "dp_accounting"

Document = dict[str, Any]


def to_document(events: object, relation: Relation | Granularity | str | None = None) -> Document:
    """A plan as JSON that anyone can read back into dp_accounting's events, with the relation that it is proven under.

    Numbers are rounded towards the larger loss, so that what is read back never promises more.

    >>> to_document([(GaussianNoise(sigma=10), 3)])["event"]
    {'type': 'SelfComposedDpEvent', 'event': {'type': 'GaussianDpEvent', 'noise_multiplier': 10.0}, 'count': 3}
    """
    plan = Plan.of(events, relation)
    parts = [_write(part) for part in plan.parts]
    event = parts[0] if len(parts) == 1 else {"type": "ComposedDpEvent", "events": parts}
    written = {"version": VERSION, "vocabulary": _VOCABULARY, "event": event if parts else {"type": "NoOpDpEvent"}}
    return written if plan.relation is None else {**written, "relation": plan.relation.value}


def from_document(document: object) -> list[Part]:
    """The events of a document, ready to be composed.

    >>> from_document(
    ...     {"version": 1, "vocabulary": "dp_accounting", "event": {"type": "LaplaceDpEvent", "noise_multiplier": 10}}
    ... )[0].name
    'Laplace(scale=10)'
    """
    return list(plan_from_document(document).parts)


def plan_from_document(document: object) -> Plan:
    """The plan of a document, with its relation; refuses events that are not proven under it."""
    if not isinstance(document, Mapping):
        raise refuse.bad_document("the top", "it must be an object.")
    if document.get("vocabulary") != _VOCABULARY:
        raise refuse.bad_document("vocabulary", f"only {_VOCABULARY!r} is known here.")
    if document.get("version") != VERSION:
        raise refuse.bad_document("version", f"only version {VERSION} is known.")
    return Plan.of(_read(document.get("event"), "event"), document.get("relation"))


def to_dp_accounting(events: object) -> Any:
    """The plan as an event of dp_accounting, which must be installed."""
    import dp_accounting

    return _object(to_document(events)["event"], dp_accounting)


def from_dp_accounting(event: object) -> list[Part]:
    """An event of dp_accounting, ready to be composed here."""
    return _read(_plain(event), "event")


def _write(part: Part) -> Document:
    one = _write_one(part)
    return one if part.count == 1 else {"type": "SelfComposedDpEvent", "event": one, "count": part.count}


def _write_one(part: Part) -> Document:
    if isinstance(part, Loose):
        match part.measure:
            case ZCDP(rho=rho, delta=delta) if delta == 0:
                return {"type": "ZCDpEvent", "rho": _up(rho), "xi": 0.0}
            case GDP() if part.measure.squared > 0:
                return {"type": "GaussianDpEvent", "noise_multiplier": _down(1 / part.measure.mu)}
            case _:
                raise refuse.unwritable(part.name, "it knows mechanisms, not bare losses of this kind.")
    if not isinstance(part, Release):
        raise refuse.unwritable(part.name, "it knows mechanisms, not pairs.")
    return _write_mechanism(part.mechanism, part.distance, part.name)


def _write_mechanism(mechanism: Mechanism, distance: Distance, name: str) -> Document:
    match mechanism:
        case GaussianNoise() if distance.power > 0:
            return {"type": "GaussianDpEvent", "noise_multiplier": _down(mechanism.sigma / distance.length())}
        case Laplace() if distance.power > 0:
            return {"type": "LaplaceDpEvent", "noise_multiplier": _down(mechanism.scale / distance.power)}
        case Geometric() if distance.power.denominator == 1 and distance.power > 0:
            return {
                "type": "DiscreteLaplaceDpEvent",
                "noise_parameter": _up(1 / mechanism.scale),
                "sensitivity": int(distance.power),
            }
        case RandomizedResponse() if distance.power == 1:
            # Its parameter is the probability of an answer drawn uniformly from all buckets.
            k, e = mechanism.values, mechanism.epsilon
            uniform = numerics.lower(lambda: ball(k) / (ball(e).exp() + (k - 1)))
            return {"type": "RandomizedResponseDpEvent", "noise_parameter": _down(uniform), "num_buckets": k}
        case Subsampled(scheme=Scheme.POISSON, presence=None, relation=Relation.ADD_REMOVE):
            inner = _write_mechanism(mechanism.mechanism, distance, name)
            rate = min(1.0, _up(mechanism.rate))
            return {"type": "PoissonSampledDpEvent", "sampling_probability": rate, "event": inner}
        case DiscreteGaussian():
            raise refuse.unwritable(name, "it has no discrete Gaussian.")
        case _:
            raise refuse.unwritable(name, "it has no such mechanism.")


def _read(event: object, where: str) -> list[Part]:
    if not isinstance(event, Mapping):
        raise refuse.bad_document(where, "an event must be an object.")
    match event.get("type"):
        case "NoOpDpEvent":
            return []
        case "ComposedDpEvent":
            inner = event.get("events")
            if not isinstance(inner, list):
                raise refuse.bad_document(f"{where}.events", "a list of events is needed.")
            return [part for i, one in enumerate(inner) for part in _read(one, f"{where}.events[{i}]")]
        case "SelfComposedDpEvent":
            count = whole(event.get("count"), "count")
            return [read((part, count)) for part in _read(event.get("event"), f"{where}.event")]
        case "ZCDpEvent":
            if exact(event.get("xi", 0), "xi") != 0:
                raise refuse.bad_document(f"{where}.xi", "only ξ = 0 is known.")
            return [Loose(ZCDP(rho=_number(event, "rho", where)), 1)]
        case _:
            mechanism, distance = _read_mechanism(event, where)
            return [Release(mechanism, distance, 1)]


def _read_mechanism(event: Mapping[str, Any], where: str) -> tuple[Mechanism, Distance]:
    one = Distance(Norm.L1, Fraction(1))
    match event.get("type"):
        case "GaussianDpEvent":
            return GaussianNoise(sigma=_number(event, "noise_multiplier", where)), Distance(Norm.L2, Fraction(1))
        case "LaplaceDpEvent":
            return Laplace(scale=_number(event, "noise_multiplier", where)), one
        case "DiscreteLaplaceDpEvent":
            steps = whole(event.get("sensitivity"), "sensitivity", least=1)
            return Geometric(epsilon=_number(event, "noise_parameter", where)), Distance.l1(steps)
        case "RandomizedResponseDpEvent":
            p, k = _number(event, "noise_parameter", where), whole(event.get("num_buckets"), "num_buckets", least=2)
            if not 0 < p < 1:
                raise refuse.bad_document(f"{where}.noise_parameter", "it must be between 0 and 1.")
            epsilon = numerics.upper(lambda: (ball(k) / ball(p) - (k - 1)).log())
            return RandomizedResponse(epsilon=epsilon, values=k), one
        case "PoissonSampledDpEvent":
            inner = event.get("event")
            if not isinstance(inner, Mapping):
                raise refuse.bad_document(f"{where}.event", "an event is needed.")
            mechanism, distance = _read_mechanism(inner, f"{where}.event")
            return Subsampled(mechanism, rate=_number(event, "sampling_probability", where)), distance
        case other:
            raise refuse.bad_document(f"{where}.type", f"{other!r} is not known here.")


def _down(number: Fraction) -> float:
    """A float that is not above a number, nor is what is read back from its shortest text."""
    found = float_down(number)
    return found if exact(found) <= number else math.nextafter(found, 0.0)


def _up(number: Fraction) -> float:
    found = float_up(number)
    return found if exact(found) >= number else math.nextafter(found, math.inf)


def _number(event: Mapping[str, Any], key: str, where: str) -> Fraction:
    if key not in event:
        raise refuse.bad_document(f"{where}.{key}", "it is missing.")
    return exact(event[key], key)


def _plain(event: Any) -> Document:
    """An event object of dp_accounting as plain data, by its class name and attributes."""
    kind = type(event).__name__
    fields = [field.name for field in getattr(type(event), "__attrs_attrs__", ())]
    plain: Document = {"type": kind}
    for name in fields:
        value = getattr(event, name)
        if name == "events":
            plain[name] = [_plain(one) for one in value]
        else:
            plain[name] = _plain(value) if name == "event" else value
    return plain


def _object(document: Document, library: Any) -> Any:
    fields: dict[str, Any] = {
        key: [_object(one, library) for one in value] if key == "events" else value
        for key, value in document.items()
        if key != "type"
    }
    if "event" in fields:
        fields["event"] = _object(fields["event"], library)
    if document["type"] == "RandomizedResponseDpEvent":
        return library.dp_event.RandomizedResponseDpEvent(**fields)
    return getattr(library.dp_event, document["type"])(**fields)
