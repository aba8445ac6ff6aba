"""Plain noise of a plan, read straight into arrays: a plan of thousands is otherwise mostly rational arithmetic."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

import numpy as np

from partita.errors import composition as refuse
from partita.exact import whole
from partita.mechanisms.base import Event
from partita.mechanisms.gaussian import GaussianNoise
from partita.mechanisms.laplace import Laplace
from partita.mechanisms.randomized_response import RandomizedResponse
from partita.theory.losses.base import LossLaw, Rows
from partita.theory.losses.gaussian import GaussianLoss
from partita.theory.losses.laplace import LaplaceLoss
from partita.theory.losses.outward import floats
from partita.theory.losses.randomized_response import RandomizedResponseLoss

LIMIT = 1 << 50
# Noise that serves any relation.
PLAIN = frozenset({Laplace, GaussianNoise})
_ONE = Fraction(1)


def gather(events: Iterable[object]) -> tuple[tuple[Rows, ...], list[object]]:
    """Plain noise as one batch for each family, and every other event as it is.

    Plain is a Laplace or Gaussian mechanism alone, with a count, or at a distance, and a binary randomised response.
    Integer division rounds to nearest, so the next float is not below the quotient.

    >>> batches, rest = gather([Laplace(epsilon="0.1"), (GaussianNoise(sigma=10), 3), "something else"])
    >>> [type(batch).__name__ for batch in batches], rest
    (['LaplaceBatch', 'GaussianBatch'], ['something else'])
    """
    found: dict[type, tuple[list[float], list[int]]] = {kind: ([], []) for kind in _READ}
    rest = []
    for event in events:
        mechanism, power, count = (event, _ONE, 1) if type(event) in _READ else _unfolded(event)
        value = _READ[type(mechanism)](mechanism, power) if mechanism is not None else None
        if value is None:
            rest.append(event)
        elif count:
            values, counts = found[type(mechanism)]
            values.append(value)
            counts.append(count)
    batches = [
        _FAMILIES[kind].rows(floats(np.nextafter(values, math.inf)), floats(counts))
        for kind, (values, counts) in found.items()
        if values
    ]
    return tuple(batches), rest


def law_of(event: object) -> LossLaw | None:
    """The law of one plain mechanism at distance one; nothing for other events."""
    read = _READ.get(type(event))
    value = None if read is None else read(event, _ONE)
    return None if value is None else _FAMILIES[type(event)](math.nextafter(value, math.inf))


def is_plain(event: object) -> bool:
    """Whether this is noise that serves any relation, alone, with a count, or at a distance."""
    held: object = event[0] if isinstance(event, tuple) and len(event) == 2 else event
    return type(held.mechanism if isinstance(held, Event) else held) in PLAIN


def count_of(value: object) -> int:
    """How often something happens, as the caller wrote it."""
    count = whole(value, "count")
    if count > LIMIT:
        raise refuse.too_many(value, LIMIT)
    return count


def _unfolded(event: object) -> tuple[Any, Fraction, int]:
    """A mechanism, its distance and a count; no mechanism where the event is not plain."""
    count = 1
    if isinstance(event, tuple) and len(event) == 2 and type(event[0]) in _HELD:
        held, times = event
        event, count = held, count_of(times)
    if type(event) in _READ:
        return event, _ONE, count
    if isinstance(event, Event) and type(event.mechanism) in _READ and event.distance.power:
        return event.mechanism, event.distance.power, count_of(event.count * count)
    return None, _ONE, count


def _laplace(event: Any, power: Fraction) -> float | None:
    top, bottom = event.scale.as_integer_ratio()
    if power is not _ONE:
        top, bottom = top * power.denominator, bottom * power.numerator
    return float(bottom / top)


def _gaussian(event: Any, power: Fraction) -> float | None:
    top, bottom = event.sigma.as_integer_ratio()
    if power is _ONE:
        return float(bottom / top)
    square = (bottom * bottom * power.numerator) / (top * top * power.denominator)
    # One float for the quotient and one for the root; the caller adds one more. Near zero floats have fewer digits.
    return math.nextafter(math.sqrt(square), math.inf) if square > 1e-280 else None


def _response(event: Any, power: Fraction) -> float | None:
    top, bottom = event.epsilon.as_integer_ratio()
    return float(top / bottom) if event.values == 2 and power == 1 else None


_READ: dict[type, Callable[[Any, Fraction], float | None]] = {
    Laplace: _laplace,
    GaussianNoise: _gaussian,
    RandomizedResponse: _response,
}
_FAMILIES: dict[type, Any] = {
    Laplace: LaplaceLoss,
    GaussianNoise: GaussianLoss,
    RandomizedResponse: RandomizedResponseLoss,
}
_HELD = frozenset({*_READ, Event})
