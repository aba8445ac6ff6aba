"""Reading one profile at many ε: bounds that are cheap to ask again, and a rougher idea of them for searches."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from partita.composition.numerics.curve import Numeric
from partita.composition.rules.base import Curve, Least, Reading, Worst
from partita.theory.losses.outward import Floats, floats

Bound = Callable[[float], float]
_RUNGS = floats([0.0, *2.0 ** (np.arange(-40, 37) / 4.0)])
_TINY = 1e-300


def quick(reading: Reading) -> tuple[Bound, Bound]:
    """Bounds on δ as ``upper`` gives them, and about the same, to search with.

    >>> from partita.composition.numerics.gaussians import Gaussians
    >>> bound, rough = quick(Gaussians(1.0))
    >>> bound(1.0) == rough(1.0)
    True
    """
    match reading:
        case Numeric():
            bound = reading.nearby()
            return bound, bound
        case Worst(readings=several):
            return _joined([quick(one) for one in several], max)
        case Least(readings=several):
            return _joined([quick(one) for one in several], min)
        case Curve():
            return reading.upper, _interpolated(reading.upper)
        case _:
            return reading.upper, reading.upper


def _joined(pairs: list[tuple[Bound, Bound]], choose: Callable[[list[float]], float]) -> tuple[Bound, Bound]:
    return (
        lambda epsilon: choose([bound(epsilon) for bound, _ in pairs]),
        lambda epsilon: choose([rough(epsilon) for _, rough in pairs]),
    )


def _interpolated(upper: Bound) -> Bound:
    """log δ on a ladder of ε, joined by lines; the ladder is read when it is first needed."""
    logs: list[Floats] = []

    def rough(epsilon: float) -> float:
        if not logs:
            logs.append(floats([math.log(max(upper(rung), _TINY)) for rung in _RUNGS.tolist()]))
        return math.exp(float(np.interp(epsilon, _RUNGS, logs[0])))

    return rough
