"""A trial: neighbours that tell much about a mechanism, how it runs on them, and what it claims for them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, final

import numpy as np
from numpy.typing import NDArray

from partita.granularity.base import Relation
from partita.sampling.bits import BitSource
from partita.theory.measures.base import Measure


@final
@dataclass(frozen=True, slots=True)
class Trial:
    """What an audit runs, and the losses that are claimed for it.

    ``run`` takes a source of bits, one of the two exact values, and how often to release it; one that can only be run
    once at a time (``batch`` is false) takes no number. An audit tries to refute the first claim, and holds what it
    finds against all of them.
    """

    name: str
    relation: Relation
    run: Callable[..., object]
    first: object
    second: object
    claims: tuple[Measure, ...]
    batch: bool = True


class Releases(Protocol):
    """A mechanism that releases arrays of integers entry by entry."""

    def release(self, values: object, *, bits: BitSource | None = None) -> Any:
        """The noisy values."""


def entry_by_entry(mechanism: Releases, bits: BitSource, value: object, count: int) -> NDArray[np.int64]:
    """So many releases of one number or one vector: entries are independent, so they are one large release."""
    exact = np.asarray(value, dtype=np.int64)
    noisy: NDArray[np.int64] = mechanism.release(np.broadcast_to(exact, (count, *exact.shape)), bits=bits)
    return noisy
