"""The running total of a plan after each release: what would be spent if this had been the plan."""

from __future__ import annotations

import math
from contextlib import suppress
from typing import final

from partita.composition.numerics import saddle
from partita.composition.numerics.contour import Contour
from partita.composition.numerics.curve import LEAST_DELTA, profile
from partita.composition.numerics.divergences import Divergences
from partita.composition.numerics.grid import Grid
from partita.composition.numerics.total import Total
from partita.composition.plans.plan import Plan, unit_of
from partita.composition.plans.straight import SERVES_ANY, law_of
from partita.errors import NotProven
from partita.errors import composition as refuse
from partita.exact import Number, exact, float_down
from partita.granularity import Granularity, Relation
from partita.limits import current
from partita.live import Live
from partita.theory.losses.base import LossLaw
from partita.theory.losses.outward import UNIT, floats, up
from partita.theory.losses.randomized_response import RandomizedResponseLoss

# A contour that has to serve for a while has a longer period.
_STRETCH = 1.4


@final
class Running(Live):
    """ε after each release of a plan, at one δ (theory D16).

    The figure is exact for a plan fixed beforehand that ends here. It is *not* a guarantee for an analyst who chooses
    mechanisms along the way, and no filter may compare it with a budget (theory D8): certify a budget with a filter, or
    declare slots. Losses are those of one row; for a unit of several its steps are counted, as in ``compose``.

    >>> from partita.mechanisms.gaussian import GaussianNoise
    >>> running = Running(delta=1e-6)
    >>> [round(running.add(GaussianNoise(sigma=10)), 6) for _ in range(2)]
    [0.396858, 0.575055]
    """

    def __init__(self, *, delta: Number, relation: Relation | Granularity | str | None = None) -> None:
        wanted = exact(delta, "delta")
        if not 0 < wanted < 1:
            raise refuse.delta_out_of_range(delta)
        super().__init__()
        self.delta = float_down(wanted)
        self.relation = Plan.protecting((), relation).relation
        # A unit of several rows, whose steps are counted with each release.
        self._unit = unit_of(relation)
        self.epsilon = 0.0
        self._directions = [_Direction(self.delta)]

    def add(self, event: object) -> float:
        """Count one more release (or several equal ones), and say the ε of everything so far."""
        with self._lock:
            return self._add(event)

    def _add(self, event: object) -> float:
        # Randomised responses are proven under change-one only; once that is the relation they are read straight too.
        plain = self._unit is None and (SERVES_ANY[type(event)] or self.relation is Relation.CHANGE_ONE)
        law = law_of(event) if plain else None
        if law is not None:
            for direction in self._directions:
                direction.add(law, 1)
            self.epsilon = max([direction.least() for direction in self._directions])
            return self.epsilon
        plan = Plan.protecting((event,), self._unit or self.relation)
        totals = plan.totals
        if plan.relation is not None:
            self.relation = plan.relation
        if len(totals) == 2 and len(self._directions) == 1:
            self._directions.append(self._directions[0].copy())
        for direction, total in zip(self._directions, (totals[0], totals[-1]), strict=False):
            for law, count in total.parts:
                direction.add(law, count)
        self.epsilon = max(direction.least() for direction in self._directions)
        return self.epsilon


@final
class _Direction:
    """The product of transforms on the nodes of a contour, kept up to date one factor at a time."""

    def __init__(self, delta: float) -> None:
        self.delta = delta
        self.parts: list[tuple[LossLaw, int]] = []
        self.squared = 0.0
        self.infinity_logs = 0.0
        self.grid: Grid | None = None
        self.x = 0.0

    def copy(self) -> _Direction:
        twin = _Direction(self.delta)
        twin.parts, twin.squared, twin.infinity_logs, twin.x = (
            list(self.parts),
            self.squared,
            self.infinity_logs,
            self.x,
        )
        return twin

    def add(self, law: LossLaw, count: int) -> None:
        self.parts.append((law, count))
        if law.infinity:
            self.infinity_logs += count * math.log1p(-law.infinity)
        if self.grid is not None:
            self.grid.multiply(law, count)

    def least(self) -> float:
        spare = self.delta
        if self.infinity_logs:
            spare = (self.delta - up(-math.expm1(self.infinity_logs), 1e-12)) * (1 - 4 * UNIT)
        grid = self.grid
        if spare > LEAST_DELTA:
            for _ in range(3):
                if grid is None:
                    grid = _place(self.parts, spare, None)
                    if grid is None:
                        break
                    self.x = grid.start
                found = grid.solve(self.x + grid.ahead(), spare)
                if found is not None and grid.tight(found, spare):
                    self.grid, self.x = grid, found
                    return found
                # The slope of log δ has left the place: a new contour where it is now, or a search from nothing.
                drifted = found is not None and grid.short_of(found, spare)
                grid = _place(self.parts, spare, (grid.slope, found)) if drifted and found is not None else None
                self.x = self.x if found is None else found
        self.grid = None
        total = Total.of(self.parts)
        found = _exactly(total, self.delta)
        if math.isinf(found):
            raise refuse.delta_taken(self.delta, total.infinity)
        return found


def _exactly(total: Total, delta: float) -> float:
    """The exact total of everything so far; what its divergences say where there are too many releases for that."""
    with suppress(NotProven, OverflowError):
        return profile(total).least(delta)
    place = saddle.for_delta(total, min(delta, 0.999))
    return Divergences(place.orders, floats(place.cumulants + place.errors), total.infinity).least(delta)


def _place(parts: list[tuple[LossLaw, int]], delta: float, near: tuple[float, float] | None) -> Grid | None:
    """A new contour for everything so far, or nothing where a sum over few nodes would not do."""
    total = Total.of(parts)
    if total.families <= {RandomizedResponseLoss} and len(total.pooled) <= 1:
        return None
    goal = min(delta, 0.999)
    # Slopes fall as a plan grows, so a place somewhat below serves longer.
    place = saddle.for_delta(total, goal) if near is None else saddle.around(total, 0.9 * near[0], near[1])
    contour = Contour.at(total, place, goal, _STRETCH) or Contour.smoothed(total, place, goal, _STRETCH)
    if contour is None or len(contour.t) > current().running:
        return None
    return Grid(contour, place.epsilon)
