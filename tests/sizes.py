"""How much is tried: enough to notice a mistake at every run, and far more in `make soak`."""

from __future__ import annotations

import os
from typing import TypeVar

SOAKING = os.environ.get("SOAK", "") not in ("", "0")


Size = TypeVar("Size")


def tried(usually: Size, *, soaking: Size) -> Size:
    """How many examples, plans or kills a test tries, or which. A test that asks carries the mark `soak`."""
    return soaking if SOAKING else usually
