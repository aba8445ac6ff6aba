"""Pr[|noise| > h] of each additive noise, from its definition and in floats."""

from __future__ import annotations

import math


def beyond(kind: str, noise: float, h: int) -> float:
    """The probability that noise of this kind leaves [-h, h]."""
    if kind == "laplace":
        return math.exp(-(h + 0.5) / noise)
    if kind == "gaussian":
        return math.erfc((h + 0.5) / noise / math.sqrt(2))
    weight = {
        "geometric": lambda z: math.exp(-z / noise),
        "discrete_gaussian": lambda z: math.exp(-z * z / (2 * noise * noise)),
    }[kind]
    reach = h + 60 + round(60 * noise)
    total = 1 + 2 * math.fsum(weight(z) for z in range(1, reach))
    return 2 * math.fsum(weight(z) for z in range(h + 1, reach)) / total
