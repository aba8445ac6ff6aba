"""Values that have to be refused, many at a time: one test for a law and a subject, not one for each value."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from partita.errors import PartitaError


def taken(call: Callable[[Any], object], values: Iterable[Any], kind: type[PartitaError] = PartitaError) -> list[str]:
    """Those of the values that a call does not refuse. What is raised instead of a refusal says for which value."""
    found = []
    for value in values:
        try:
            call(value)
        except kind:
            continue
        except BaseException as other:
            other.add_note(f"for {value!r}")
            raise
        found.append(repr(value))
    return found
