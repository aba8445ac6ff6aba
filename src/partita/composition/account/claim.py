"""What an account will book for a release, as plain data for whoever checks it a second way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from partita.composition.account.booking import Shape, Vector
from partita.region.box import Box


@final
@dataclass(frozen=True, slots=True)
class Claim:
    """Disjoint boxes of codes and amounts in the coordinates of the promise, exactly as they are decided and booked.

    Values: each value inside carries ``one``; for owners that is the load of all their rows (booking.proof.md). Pairs:
    a change loses ``one`` with exactly one value inside, ``substitution`` with two, ``same`` if the two are equal.
    Windows: a window loses the sum, over its steps, of the heaviest ``one`` in the step. ``widened``: the boxes hold
    more than the release's own region.
    """

    shape: Shape
    boxes: tuple[Box, ...]
    one: Vector
    substitution: Vector
    same: Vector
    widened: bool
