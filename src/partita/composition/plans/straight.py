"""Plain noise of a plan, read straight into arrays: a plan of thousands is otherwise mostly rational arithmetic."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from fractions import Fraction
from typing import Any, final

import numpy as np

from partita.errors import composition as refuse
from partita.exact import whole
from partita.mechanisms.base import Event, Mechanism
from partita.theory.losses.base import LossLaw, Rows
from partita.theory.losses.outward import floats

LIMIT = 1 << 50


@final
class _Families(dict[type, Any]):
    """The laws with one parameter that mechanisms of a type have, or nothing; each type is looked at once."""

    def __missing__(self, kind: type) -> Any:
        self[kind] = found = kind.law_family if issubclass(kind, Mechanism) else None
        return found


@final
class _Serving(dict[type, bool]):
    """Whether events of a type are plain noise that serves any relation, so that there is nothing to check."""

    def __missing__(self, kind: type) -> bool:
        plain = _FAMILY[kind] is not None
        self[kind] = found = plain and kind.relations is Mechanism.relations  # type: ignore[attr-defined]
        return found


_FAMILY = _Families()
SERVES_ANY = _Serving()


def gather(events: Iterable[object]) -> tuple[tuple[Rows, ...], list[object]]:
    """Plain noise as one batch for each family, and every other event as it is.

    Plain is a mechanism that tells the parameter of its law, alone, with a count, or at a distance. The next float is
    not below the true parameter.

    >>> from partita.mechanisms.gaussian import GaussianNoise
    >>> from partita.mechanisms.laplace import Laplace
    >>> batches, rest = gather([Laplace(epsilon="0.1"), (GaussianNoise(sigma=10), 3), "something else"])
    >>> [type(batch).__name__ for batch in batches], rest
    (['GaussianBatch', 'LaplaceBatch'], ['something else'])
    """
    found: defaultdict[Any, tuple[list[float], list[int]]] = defaultdict(lambda: ([], []))
    rest = []
    for event in events:
        family = _FAMILY[type(event)]
        if family is not None:
            value, count = event.parameter(None), 1  # type: ignore[attr-defined]
        else:
            family, mechanism, power, count = _unfolded(event)
            value = None if family is None else mechanism.parameter(power)
        if value is None:
            rest.append(event)
        elif count:
            values, counts = found[family]
            values.append(value)
            counts.append(count)
    # Always in the same order, whatever that of the events.
    batches = [
        family.rows(floats(np.nextafter(found[family][0], math.inf)), floats(found[family][1]))
        for family in sorted(found, key=lambda family: str(family.__name__))
    ]
    return tuple(batches), rest


def law_of(event: object) -> LossLaw | None:
    """The law of one plain mechanism at distance one; nothing for other events."""
    family = _FAMILY[type(event)]
    value = None if family is None else event.parameter(None)  # type: ignore[attr-defined]
    return None if value is None else family(math.nextafter(value, math.inf))


def is_plain(event: object) -> bool:
    """Whether this is noise that serves any relation, alone, with a count, or at a distance."""
    held: object = event[0] if isinstance(event, tuple) and len(event) == 2 else event
    return SERVES_ANY[type(held.mechanism if isinstance(held, Event) else held)]


def count_of(value: object) -> int:
    """How often something happens, as the caller wrote it."""
    count = whole(value, "count")
    if count > LIMIT:
        raise refuse.too_many(value, LIMIT)
    return count


def _unfolded(event: object) -> tuple[Any, Any, Fraction | None, int]:
    """A family of laws, a mechanism that has one of them, its distance and a count; no family for other events."""
    count = 1
    if isinstance(event, tuple) and len(event) == 2:
        held, times = event
        family = _FAMILY[type(held)]
        if family is not None:
            return family, held, None, count_of(times)
        if type(held) is Event:
            event, count = held, count_of(times)
    if isinstance(event, Event) and event.distance.power:
        family = _FAMILY[type(event.mechanism)]
        if family is not None:
            return family, event.mechanism, event.distance.power, count_of(event.count * count)
    return None, None, None, count
