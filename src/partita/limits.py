"""Every number beyond which something is approximated: one object, so that tests can make each of them tiny."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final


@final
@dataclass(frozen=True, slots=True)
class Limits:
    """How much memory and work may be taken; beyond them answers are bounds on the safe side, never guesses.

    >>> Limits(rectangles=2).rectangles
    2
    """

    numbers: int = 1 << 22
    """Numbers in the grid of an account; beyond, it is frozen."""
    frozen_numbers: int = 1 << 20
    """Numbers in a frozen grid, each of them a bound."""
    full_below: int = 1 << 17
    """Record values that are listed one by one from the start."""
    steps: int = 3000
    """Blocks looked at for one decision. Work limits count steps, never seconds."""
    pair_numbers: int = 1 << 23
    """Numbers computed for one decision about pairs, times axes."""
    rectangles: int = 4096
    """Rectangles of one region; with more, simpler boxes around it are charged in its place."""
    hulls: int = 64
    """Boxes of such a region that may each be simplified by itself."""
    wider: int = 256
    """Regions charged in a simpler form that are remembered as they were, for the sake of lower bounds."""
