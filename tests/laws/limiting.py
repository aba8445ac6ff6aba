"""Limits for the laws: every one of them next to nothing, here one and there another, or as outside of tests."""

from __future__ import annotations

import random
from dataclasses import fields, replace

from hypothesis import strategies as st

from partita.limits import Limits

NAMES = ("0", "1", "2", "mixed", "default")


def limited(name: str, rng: random.Random) -> Limits:
    """The limits of a name; mixed ones bind here and there, so that every path is met behind an exact one."""
    if name == "mixed":
        return Limits(**{field.name: rng.choice([0, 1, 2, field.default, field.default]) for field in fields(Limits)})
    return Limits() if name == "default" else Limits.all(int(name))


_OFTEN = st.sampled_from(["default", "default", "default", "0", "1", "2", "mixed"])
anyhow = st.builds(lambda name, number: limited(name, random.Random(number)), _OFTEN, st.integers(0, 2**32))
"""Limits of any kind, for laws that draw: those outside of tests often enough to be held to the truth itself."""


def readable(limits: Limits, rng: random.Random) -> Limits:
    """Mostly with functions of columns, without which little is left of the language."""
    return replace(limits, tabulated=Limits().tabulated) if rng.random() < 0.75 else limits


def told(limits: Limits) -> str:
    """Those that are not as outside of tests."""
    other = [field.name for field in fields(Limits) if getattr(limits, field.name) != field.default]
    same = {getattr(limits, name) for name in other}
    if len(other) == len(fields(Limits)) and len(same) == 1:
        return f"Limits.all({same.pop()})"
    return f"Limits({', '.join(f'{name}={getattr(limits, name)}' for name in other)})"
