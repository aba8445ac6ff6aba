"""How much is tried: enough to notice a mistake at every run, and far more in `make soak`."""

from __future__ import annotations

import os

SOAKING = os.environ.get("SOAK", "") not in ("", "0")


def tried(usually: int, *, soaking: int) -> int:
    """How many examples, plans or kills a test tries. A test that asks carries the mark `soak`."""
    return soaking if SOAKING else usually
