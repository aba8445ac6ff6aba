"""Plans and calibrations as plain JSON: what the command line and other programs hand over."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from partita.composition.calibration.calibrate import calibrate
from partita.composition.exchange import interchange
from partita.composition.guarantees.compose import compose
from partita.composition.guarantees.guarantee import Guarantee
from partita.composition.plans.plan import Part, Run, read, relation_of
from partita.effort import Work, bounded, spend_composing
from partita.errors import PartitaError
from partita.errors import composition as refuse
from partita.exact import exact, whole
from partita.granularity import Granularity, Relation, groups, replace, rows, steps, users
from partita.mechanisms.base import Mechanism
from partita.mechanisms.family import family
from partita.mechanisms.shuffled import Shuffled
from partita.mechanisms.subsampled import Subsampled
from partita.theory.distance import Distance, Norm
from partita.theory.documents import from_document as loss_from

VERSION = 1
# About a microsecond each; plans that people write take some thousands.
MOST_STEPS = 1_000_000
_EVENT = 200
# Said by what surrounds a mechanism: a rate, or a number of people.
_AROUND = (Subsampled.kind, Shuffled.kind)
_UNIT = {"relation", "users", "owner", "groups"}


_Given = ParamSpec("_Given")
_Made = TypeVar("_Made")


def _bounded(function: Callable[_Given, _Made]) -> Callable[_Given, _Made]:
    """A function of a document from outside: its work is bounded, and numbers beyond all floats are refused."""

    @wraps(function)
    def limited(*args: _Given.args, **kwargs: _Given.kwargs) -> _Made:
        with bounded(MOST_STEPS, composing=True) as effort:
            try:
                return function(*args, **kwargs)
            except PartitaError:
                raise
            except (ArithmeticError, RecursionError, ValueError):
                raise refuse.bad_document("the numbers", "they are beyond what can be computed.") from None
            finally:
                # Where one way was given up for want of steps, what another way found is not the best there is.
                effort.spend(0, Work.COMPOSITION)

    return limited


@_bounded
def compose_document(document: object) -> Guarantee:
    """The total of a plan written as JSON.

    >>> plan = {"version": 1, "delta": "1e-6", "events": [{"mechanism": "laplace", "epsilon": "0.1", "count": 100}]}
    >>> round(compose_document(plan).epsilon, 3)
    4.693
    """
    known = {"version", "events", "delta", "method", "vocabulary", "event", "bounds"}
    fields = _checked(document, known | _UNIT)
    return compose(
        events_of(fields),
        delta=fields.get("delta", 0),
        method=fields.get("method", "best"),
        relation=relation_in(fields),
    )


def relation_in(fields: Mapping[str, Any]) -> Relation | Granularity | None:
    """Whom a document protects: single rows under its relation, or ``users`` or ``groups`` of so many of them.

    >>> str(relation_in({"relation": "change-one", "groups": 3}))
    'any 3 at once of: the value of one row, with the number of rows public'
    """
    relation = relation_of(fields.get("relation"))
    one = replace() if relation is Relation.CHANGE_ONE else rows()
    owned, grouped = fields.get("users"), fields.get("groups")
    if owned is not None and grouped is not None:
        raise refuse.bad_document("users", "users and groups exclude each other.")
    if grouped is not None:
        return groups(whole(grouped, "groups"), of=one)
    if owned is None:
        return relation
    unit = users(fields.get("owner") or "owner", rows=whole(owned, "users"))
    steps(one, unit)  # rows that only change say nothing of owners who come or go
    return unit


@_bounded
def calibrate_document(document: object) -> Mechanism:
    """The mechanism with the least noise, from a question written as JSON.

    >>> question = {"version": 1, "mechanism": "gaussian", "count": 100, "epsilon": 1, "delta": "1e-6"}
    >>> round(float(calibrate_document(question).sigma), 4)
    42.2468
    """
    known = {"version", "mechanism", "count", "epsilon", "delta", "method", "distance", "leak", *_UNIT}
    fields = _checked(document, known | {"rate", "scheme", "people", "parameters"})
    kind = _kind(fields.get("mechanism"), "mechanism")
    others = fields.get("parameters", {})
    if not isinstance(others, Mapping) or not all(isinstance(name, str) for name in others) or known & set(others):
        raise refuse.bad_document("parameters", "an object with other parameters of the mechanism is needed.")
    sampled: dict[str, Any] = {name: fields[name] for name in ("rate", "scheme") if name in fields}
    shuffled: dict[str, Any] = {name: fields[name] for name in ("people",) if name in fields}
    if sampled and shuffled:
        raise refuse.bad_document("people", "reports are sampled or shuffled, not both.")
    around: dict[str, Any] = {"mechanism": kind, **sampled, **shuffled} if sampled or shuffled else {}
    found: Mechanism = calibrate(
        Subsampled if sampled else Shuffled if shuffled else kind,
        epsilon=fields.get("epsilon", 0),
        delta=fields.get("delta", 0),
        count=fields.get("count", 1),
        method=fields.get("method", "best"),
        distance=_distance(fields.get("distance"), kind.norm),
        relation=relation_in(fields),
        leak=fields.get("leak"),
        **{**others, **around},
    )
    return found


def events_of(document: Mapping[str, Any]) -> list[Part]:
    """The events of a plan, in Partita's own words or in those of dp_accounting."""
    if "vocabulary" in document:
        return interchange.from_document(
            {key: document[key] for key in ("version", "vocabulary", "event") if key in document}
        )
    events = document.get("events")
    if not isinstance(events, list):
        raise refuse.bad_document("events", "a list of events is needed.")
    spend_composing(_EVENT * len(events))
    return [_event(one, f"events[{i}]") for i, one in enumerate(events)]


def _event(event: object, where: str) -> Part:
    if not isinstance(event, Mapping):
        raise refuse.bad_document(where, "an event must be an object.")
    fields = dict(event)
    count = whole(fields.pop("count", 1), "count")
    if "loss" in fields:
        loss = fields.pop("loss")
        if fields:
            raise refuse.bad_document(f"{where}.{min(map(str, fields))}", "a loss stands alone, beside its count.")
        if not isinstance(loss, Mapping):
            raise refuse.bad_document(
                f"{where}.loss", 'a loss is an object such as {"kind": "pure", "epsilon": "0.1"}.'
            )
        return read((loss_from(loss), count))
    given = fields.pop("distance", None)
    mechanism = _mechanism(fields, where)
    distance = _distance(given, mechanism.norm)
    return read((Run(mechanism, mechanism.unit() if distance is None else distance, 1), count))


def _mechanism(fields: dict[str, Any], where: str) -> Mechanism:
    rate, people = fields.pop("rate", None), fields.pop("people", None)
    if rate is not None and people is not None:
        raise refuse.bad_document(f"{where}.people", "reports are sampled or shuffled, not both.")
    scheme = fields.pop("scheme", "poisson")
    kind = _kind(fields.pop("mechanism", None), f"{where}.mechanism")
    try:
        made = kind(**fields)
    except TypeError as problem:
        raise refuse.bad_document(where, f"{kind.kind} does not take these parameters ({problem}).") from None
    if people is not None:
        return Shuffled(made, people=people)
    return made if rate is None else Subsampled(made, rate=rate, scheme=scheme)


def _kind(name: object, where: str) -> type[Mechanism]:
    known = family()
    if not isinstance(name, str) or name not in known or name in _AROUND:
        raise refuse.bad_document(where, f"{name!r} is no mechanism; known are {', '.join(sorted(known))}.")
    return known[name]


def _distance(given: object, norm: Norm) -> Distance | None:
    if given is None:
        return None
    length: Fraction = exact(given, "distance")
    return Distance.l2(length) if norm is Norm.L2 else Distance(norm, length)


def _checked(document: object, known: set[str]) -> dict[str, Any]:
    if not isinstance(document, Mapping):
        raise refuse.bad_document("the top", "it must be an object.")
    if document.get("version") != VERSION:
        raise refuse.bad_document("version", f"it must be {VERSION}.")
    strange = set(document) - known
    if strange:
        raise refuse.bad_document(min(strange), "no such field is known.")
    return dict(document)
