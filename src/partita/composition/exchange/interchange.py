"""Plans in the vocabulary of Google's dp_accounting, as versioned JSON and as its own objects.

>>> from partita import GaussianNoise
>>> document = to_document([(GaussianNoise(sigma=10), 3)])
>>> (run,) = from_document(document)
>>> run.mechanism, run.count
(GaussianNoise(sigma=Fraction(10, 1)), 3)
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from partita.composition.exchange.vocabulary import Document, together, written
from partita.composition.plans.plan import Loose, Paired, Part, Plan, Run, read
from partita.errors import composition as refuse
from partita.exact import exact, float_up, whole
from partita.granularity.base import Granularity, Relation
from partita.mechanisms.base import Event
from partita.mechanisms.family import home_of
from partita.mechanisms.words import GaussianShift, GeometricSteps, LaplaceShift, Responses, Sample, Word
from partita.theory import numerics
from partita.theory.losses.pair import Pair
from partita.theory.losses.randomized_response import RandomizedResponseLoss
from partita.theory.measures.zcdp import ZCDP
from partita.theory.numerics import ball

VERSION = 1
# Events that have no proven meaning under add/remove or change-one here, each with the reason.
_UNREAD = {
    "NonPrivateDpEvent": "promises nothing.",
    "UnsupportedDpEvent": "promises nothing.",
    "SingleEpochTreeAggregationDpEvent": "is proven only where a record is replaced by an empty one.",
    "SampledWithReplacementDpEvent": "draws a record more than once, and no amplification is proven here.",
    "RepeatAndSelectDpEvent": "selects among repeated runs, and no bound is proven here.",
    "MixtureOfGaussiansDpEvent": "has no dominating pair here.",
    "TruncatedSubsampledGaussianDpEvent": "has no dominating pair here.",
}
_VOCABULARY = "dp_accounting"


def to_document(events: object, relation: Relation | Granularity | str | None = None) -> Document:
    """A plan as JSON that anyone can read back into dp_accounting's events, with the relation that it is proven under.

    Numbers are rounded towards the larger loss, so that what is read back never promises more. Where the vocabulary has
    no word a larger event is written, and the release is named under ``bounds``. For a unit of several rows the events
    are those of all its steps at once.

    >>> from partita.mechanisms.gaussian import GaussianNoise
    >>> to_document([(GaussianNoise(sigma=10), 3)])["event"]
    {'type': 'SelfComposedDpEvent', 'event': {'type': 'GaussianDpEvent', 'noise_multiplier': 10.0}, 'count': 3}
    """
    plan = Plan.protecting(events, relation)
    parts = [written(part) for part in plan.parts]
    made: Document = {"version": VERSION, "vocabulary": _VOCABULARY, "event": together([one.event for one in parts])}
    larger = sorted({part.name for part, one in zip(plan.parts, parts, strict=True) if not one.exact})
    if larger:
        made["bounds"] = larger
    return made if plan.relation is None else {**made, "relation": plan.relation.value}


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


def _read(event: object, where: str) -> list[Part]:
    if not isinstance(event, Mapping):
        raise refuse.bad_document(where, "an event must be an object.")
    match event.get("type"):
        case "NoOpDpEvent":
            return []
        case "ComposedDpEvent":
            return _composed(event, where)
        case "SelfComposedDpEvent":
            count = whole(event.get("count"), "count")
            return [read((part, count)) for part in _read(event.get("event"), f"{where}.event")]
        case "ZCDpEvent":
            if exact(event.get("xi", 0), "xi") != 0:
                raise refuse.bad_document(f"{where}.xi", "only ξ = 0 is known.")
            return [Loose(ZCDP(rho=_number(event, "rho", where)), 1)]
        case "PoissonSampledDpEvent" if (leak := _leak(event, where)) is not None:
            return [Paired(Pair.of(RandomizedResponseLoss(0.0, float_up(leak))), 1)] if leak else []
        case "PoissonSampledDpEvent" if _number(event, "sampling_probability", where) == 0:
            return []
        case _:
            return [read(_release(event, where))]


def _composed(event: Mapping[str, Any], where: str) -> list[Part]:
    inner = event.get("events")
    if not isinstance(inner, list):
        raise refuse.bad_document(f"{where}.events", "a list of events is needed.")
    match inner:
        case [{"type": "ZCDpEvent"} as first, {"type": "PoissonSampledDpEvent"} as second]:
            leak = _leak(second, f"{where}.events[1]")
            curve = _read(first, f"{where}.events[0]")[0]
            if leak is not None and isinstance(curve, Loose) and isinstance(curve.measure, ZCDP):
                return [Loose(ZCDP(rho=curve.measure.rho, delta=leak), 1)]
        case _:
            pass
    return [part for i, one in enumerate(inner) for part in _read(one, f"{where}.events[{i}]")]


def _leak(event: Mapping[str, Any], where: str) -> Fraction | None:
    """The probability with which a sampled event gives everything away; nothing for other events."""
    inner = event.get("event")
    if not isinstance(inner, Mapping) or inner.get("type") != "NonPrivateDpEvent":
        return None
    leak = _number(event, "sampling_probability", where)
    if not 0 <= leak < 1:
        raise refuse.bad_document(f"{where}.sampling_probability", "it must be between 0 and 1.")
    return leak


def _release(event: Mapping[str, Any], where: str) -> Event:
    """The release of an event: that of the mechanism whose word it is."""
    word = _word(event, where)
    return home_of(word).heard(word)


def _word(event: Mapping[str, Any], where: str) -> Word:
    match event.get("type"):
        case "GaussianDpEvent":
            return GaussianShift(_number(event, "noise_multiplier", where))
        case "LaplaceDpEvent":
            return LaplaceShift(_number(event, "noise_multiplier", where))
        case "DiscreteLaplaceDpEvent":
            steps = whole(event.get("sensitivity"), "sensitivity", least=1)
            return GeometricSteps(_number(event, "noise_parameter", where), steps)
        case "RandomizedResponseDpEvent":
            p, k = _number(event, "noise_parameter", where), whole(event.get("num_buckets"), "num_buckets", least=2)
            if not 0 < p < 1:
                raise refuse.bad_document(f"{where}.noise_parameter", "it must be between 0 and 1.")
            return Responses(p, k)
        case "PoissonSampledDpEvent":
            inner = _sampled(event, where)
            return Sample(inner, _number(event, "sampling_probability", where), "poisson", Relation.ADD_REMOVE)
        case "SampledWithoutReplacementDpEvent":
            size = whole(event.get("source_dataset_size"), "source_dataset_size", least=1)
            drawn = whole(event.get("sample_size"), "sample_size", least=1)
            if drawn > size:
                raise refuse.bad_document(f"{where}.sample_size", "it must not be more than source_dataset_size.")
            return Sample(_sampled(event, where), Fraction(drawn, size), "without_replacement", Relation.CHANGE_ONE)
        case other:
            raise refuse.bad_document(f"{where}.type", f"{other!r} {_UNREAD.get(str(other), 'is not known here.')}")


def _sampled(event: Mapping[str, Any], where: str) -> Event:
    """What is released from a sample: one mechanism, or several Gaussian ones, which are as good as one."""
    inner = event.get("event")
    if not isinstance(inner, Mapping):
        raise refuse.bad_document(f"{where}.event", "an event is needed.")
    if inner.get("type") not in ("ComposedDpEvent", "SelfComposedDpEvent"):
        return _release(inner, f"{where}.event")
    square = Fraction(0)
    for part in _read(inner, f"{where}.event"):
        shift = part.mechanism.shift(part.distance) if isinstance(part, Run) else None
        if shift is None:
            raise refuse.bad_document(
                f"{where}.event", "of several releases from one sample only Gaussian ones are known."
            )
        square += part.count * shift
    if square == 0:
        raise refuse.bad_document(f"{where}.event", "nothing is released from the sample.")
    pooled = GaussianShift(numerics.lower(lambda: 1 / ball(square).sqrt()))
    return home_of(pooled).heard(pooled)


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
