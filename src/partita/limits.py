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
    axes: int = 16
    """Columns that all have an axis in the grid; of more, only those that charges constrain, and then in groups."""
    grouped: int = 64
    """Cells in the grid of a group of columns; columns that make more are kept in groups apart."""
    splits: int = 24
    """Splits of the charges over such groups that are tried for one bound."""
    eliminated: int = 1 << 15
    """Numbers in one table when columns are eliminated one by one, which is exact; beyond, there are splits alone."""
    divided: int = 8
    """Parts into which a region is divided, for each patience beyond the usual, so that each is bounded by itself."""
    shown: int = 32
    """Bounds that were looked for on request and are kept."""
    steps: int = 3000
    """Blocks looked at in one search. Work limits count steps, never seconds."""
    looked: int = 1 << 23
    """Numbers looked at for one decision, in all its searches together: blocks times rectangles times axes."""
    extra: int = 24
    """Steps spent on the exact maximum of a cell, before the threshold alone is asked for."""
    dense: int = 1 << 15
    """Elementary cells that are computed at once; beyond, a block is split."""
    coarse: int = 3
    """Axes with missing cuts; beyond, a rectangle is searched as a whole and not cell by cell."""
    pair_numbers: int = 1 << 23
    """Numbers computed for one decision about pairs, times axes, in all its searches together."""
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
    batch: int = 48
    """Blocks that are narrowed at once."""
    bands: int = 400
    """Bands of a map of loads along one column, each as heavy as its heaviest value."""
    maps: int = 1024
    """Cells of such a map of many columns, each bounded by itself."""
    evaluated: int = 50_000
    """Days of a column for each of which its year, month or day is compared; beyond, that narrows no region."""
    tabulated: int = 50_000
    """Values of a column for each of which a function is evaluated; beyond, it is an expression, or not read at all."""
    branches: int = 512
    """Different numbers that such a function may give; beyond, the same."""
    batch_pairs: int = 2000
    """Pairs of sets of questions that a changed row may leave and enter; beyond, it is said to be in all of them."""
    related_cells: int = 900
    """Cells of several questions; beyond, their numbers are not related to each other."""
    dependent_sums: int = 64
    """Aggregates of one question among which sums that follow from others are looked for."""
    margin_cells: int = 200
    """Groups of one question whose margins are estimated from each other; beyond, each level is its own release."""
    margin_numbers: int = 600
    """Numbers in all groups of such a question; beyond, every level is released with an equal share."""
    related_values: int = 50_000
    """Values of a column with keys; beyond, the same."""
    related_numbers: int = 1500
    """Cells times sums; beyond, the same."""
    matched: int = 200_000
    """Values of a column along which released groups are matched with others; beyond, only with themselves."""
    helpers: int = 24
    """Wider questions that are tried in the place of those asked, or beside them."""
    helper_aggregates: int = 6
    """Aggregates of such a question."""
    shelved: int = 20_000
    """Newest entries of a book that are looked through for answers that tell another."""
    tried: int = 48
    """Released answers that are tried for one question."""
    chosen_together: int = 3
    """Quantiles that are chosen together; more are chosen in several companies."""
    fractions: int = 5
    """Laplace noises whose sum has its tail by partial fractions; beyond, by an inverse transform."""
    frequencies: int = 1 << 16
    """Places at which that transform is read; what is cut off widens the bar."""
    held_rows: int = 1_000_000
    """Rows of a table whose codes are held in memory; beyond, rows are counted by the engine."""
    held_boxes: int = 64
    """Boxes of a region whose rows are counted in memory; beyond, by the engine."""
    combinations: int = 1 << 16
    """Values of a total loss that are listed; beyond, its transform is turned back."""
    contour: int = 1 << 17
    """Nodes of a contour; where more are needed the total is put on a lattice."""
    rough_contour: int = 1 << 10
    """Nodes of a contour for bounded losses, of which a lattice is the better bound sooner."""
    contour_work: int = 1 << 21
    """Nodes times laws of a contour; beyond, the same."""
    lattice: int = 1 << 16
    """Nodes of a lattice; with fewer, losses are moved further up to be on it."""
    running: int = 1 << 12
    """Nodes that are kept up to date; beyond, the total is computed anew after each release."""
    thick: int = 128
    """Nodes of them from which on faint ones are dropped and bounded."""
    geometric: int = 4096
    """Steps of geometric noise with its exact law; beyond, that of the worst mechanism with the same ε."""
    reports: int = 512
    """Changed reports with their exact law; beyond, that of each by itself."""
    summed: int = 10_000
    """Variance of discrete noise whose tail is summed; beyond, it is bounded by that of Gaussian noise."""

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
