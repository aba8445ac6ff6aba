"""Strength: the one number that is turned when noise is calibrated, and what stays fixed meanwhile."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Any, final

from partita.errors import composition as refuse
from partita.exact import exact, float_up


class Strength(StrEnum):
    """What the strength of a mechanism is about: its ε or its μ, of one release at distance one."""

    EPSILON = "epsilon"
    MU = "mu"


@final
@dataclass(frozen=True, slots=True)
class Setting:
    """What is fixed while the strength is turned: other parameters, and for key selection its own part of δ.

    ``leak`` is the δ that one release may take for keys which only those people have in whom neighbours differ.
    """

    parameters: Mapping[str, Any]
    leak: Fraction = Fraction(0)
    people: int = 1

    def needed_leak(self) -> Fraction:
        """The part of δ, or a refusal where there is none."""
        if self.leak <= 0:
            raise refuse.needs_delta("key selection")
        return self.leak


def least_threshold(leak: Callable[[int], Fraction], setting: Setting) -> int:
    """The least threshold whose δ is within the part that is left for it.

    >>> least_threshold(lambda threshold: Fraction(1, 2**threshold), Setting({}, Fraction(1, 1000)))
    10
    """
    most = setting.needed_leak()
    low, high = 0, 1
    while leak(high) > most:
        low, high = high, 2 * high
        if high > 1 << 60:
            raise refuse.cannot_calibrate("threshold", f"none leaks as little as δ = {float(most):g}.")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if leak(middle) <= most else (middle, high)
    return high


def short_up(number: Fraction) -> Fraction:
    """A decimal of about fifteen digits that is not below the number.

    >>> short_up(Fraction(1, 3)) >= Fraction(1, 3)
    True
    """
    top = float_up(number)
    found = exact(f"{top:.15g}")
    while found < number:
        top *= 1 + 1e-15
        found = exact(f"{math.nextafter(top, math.inf):.16g}")
    return found
