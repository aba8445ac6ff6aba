"""Every number beyond which something is approximated: one object, so that tests can make each of them tiny."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, fields
from typing import final


@final
@dataclass(frozen=True, slots=True)
class Limits:
    """How much memory and work may be taken; beyond them answers are bounds on the safe side, never guesses.

    Whatever the numbers, nothing is decided, booked or claimed below the truth. What is refused beyond a number is not
    here: it stays with the refusal.

    >>> Limits.all(2).rectangles
    2
    """

    numbers: int = 1 << 22
    """Numbers in the grid of an account; beyond, it is frozen."""
    frozen_numbers: int = 1 << 20
    """Numbers in a frozen grid, each of them a bound."""
    full_below: int = 1 << 17
    """Record values that are listed one by one from the start."""
    many: int = 40
    """Cuts of an axis; beyond, all of its codes are cut."""
    steps: int = 3000
    """Blocks looked at for one decision. Work limits count steps, never seconds."""
    extra: int = 24
    """Steps spent on the exact maximum of a cell, before the threshold alone is asked for."""
    dense: int = 1 << 15
    """Elementary cells that are computed at once; beyond, a block is split."""
    coarse: int = 3
    """Axes with missing cuts; beyond, a rectangle is searched as a whole and not cell by cell."""
    pair_numbers: int = 1 << 23
    """Numbers computed for one decision about pairs, times axes."""
    together: int = 1 << 17
    """Numbers in the fields of blocks that are looked at together."""
    rectangles: int = 4096
    """Rectangles of one region; with more, simpler boxes around it are charged in its place."""
    hulls: int = 64
    """Boxes of such a region that may each be simplified by itself."""
    wider: int = 256
    """Regions charged in a simpler form that are remembered as they were, for the sake of lower bounds."""
    keys: int = 1 << 18
    """Rectangles looked up before another one is listed; beyond, equal ones are listed again."""
    hot: int = 128
    """Values whose exact load is remembered, to refuse at once."""
    hot_pairs: int = 64
    """Pairs whose exact load is remembered."""
    recount: int = 64
    """Bookings after which the bound on the heaviest load is brought back to the truth."""
    bulk: int = 64
    """Charges that are loaded one by one; from there on they are loaded together."""
    single: int = 1 << 62
    """What amounts may come to all together, to be summed in one number each; beyond, in two."""
    shrinks: int = 64
    """Pairs taken out, one by one, of a region that cannot pay; sixteen times as many windows."""
    shrunk: int = 50_000
    """Cells taken out of a region that cannot pay; beyond, all of it is."""
    stretches: int = 10
    """Halvings on the way to the largest cost of a pair that fits."""
    nodes: int = 200_000
    """Branches that the verifier of a certificate looks at."""
    boxes: int = 2048
    """Boxes of a condition; beyond, its region is the box around it and every row is tested."""
    meetings: int = 4096
    """Sets of regions that may share a value; beyond, all are said to meet."""
    joint_sets: int = 64
    """Sets of questions of a plan whose unlike losses are composed one by one."""
    joint_pairs: int = 4096
    """Pairs of such sets."""
    recount_cells: int = 20_000_000
    """Cells of the plain count of a book."""
    recount_pairs: int = 300_000_000
    """Numbers computed in the plain count of pairs."""
    searched: int = 20_000
    """Branches looked at for the certificate of a book."""
    searched_charges: int = 300
    """Charges of a book up to which they are looked at."""

    @classmethod
    def all(cls, most: int) -> Limits:
        """Every limit the same: at 0, 1 or 2 the approximate paths are the ordinary ones."""
        return cls(**dict.fromkeys((field.name for field in fields(cls)), most))


_FORCE: ContextVar[Limits] = ContextVar("limits", default=Limits())  # noqa: B039


def current() -> Limits:
    """The limits in force."""
    return _FORCE.get()


@contextmanager
def using(limits: Limits) -> Iterator[Limits]:
    """Put other limits in force, for tests; what was made before keeps its own.

    >>> with using(Limits.all(1)):
    ...     current().boxes
    1
    >>> current().boxes
    2048
    """
    token = _FORCE.set(limits)
    try:
        yield limits
    finally:
        _FORCE.reset(token)
