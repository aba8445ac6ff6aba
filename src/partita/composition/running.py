"""The running total of a plan after each release: what would be spent if this had been the plan."""

from __future__ import annotations

import math
from typing import final

import numpy as np

from partita.composition import saddle
from partita.composition.contour import Contour
from partita.composition.curve import LEAST_DELTA, profile
from partita.composition.live import Live
from partita.composition.plan import Plan
from partita.composition.straight import PLAIN, law_of
from partita.composition.total import Total
from partita.errors import composition as refuse
from partita.exact import Number, exact, float_down
from partita.granularity.base import Granularity, Relation
from partita.theory.losses.base import LossLaw
from partita.theory.losses.gaussian import GaussianLoss
from partita.theory.losses.laplace import LaplaceLoss
from partita.theory.losses.outward import FUNCTION, UNIT, Floats, up
from partita.theory.losses.randomized_response import RandomizedResponseLoss

# Beyond so many nodes, or where the slope of log δ has left the place by more than this, a new contour is placed.
_MOST_NODES = 1 << 12
_DRIFT = 0.7
# A contour that has to serve for a while has a longer period.
_STRETCH = 1.4
_TINY = 1e-300


@final
class Running(Live):
    """ε after each release of a plan, at one δ (theory D16).

    The figure is exact for a plan fixed beforehand that ends here. It is *not* a guarantee for an analyst who chooses
    mechanisms along the way, and no filter may compare it with a budget (theory D8): certify a budget with a filter, or
    declare slots.

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
        self.relation = Plan.of((), relation).relation
        self.epsilon = 0.0
        self._directions = [_Direction(self.delta)]

    def add(self, event: object) -> float:
        """Count one more release (or several equal ones), and say the ε of everything so far."""
        with self._lock:
            return self._add(event)

    def _add(self, event: object) -> float:
        # Randomised responses are proven under change-one only; once that is the relation they are read straight too.
        law = law_of(event) if type(event) in PLAIN or self.relation is Relation.CHANGE_ONE else None
        if law is not None:
            for direction in self._directions:
                direction.add(law, 1)
            self.epsilon = max([direction.least() for direction in self._directions])
            return self.epsilon
        plan = Plan.of((event,), self.relation)
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
        self.grid: _Grid | None = None
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
        if self.grid is not None and not self.grid.multiply(law, count):
            self.grid = None

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
        found = profile(total).least(self.delta)
        if math.isinf(found):
            raise refuse.delta_taken(self.delta, total.infinity)
        return found


def _place(parts: list[tuple[LossLaw, int]], delta: float, near: tuple[float, float] | None) -> _Grid | None:
    """A new contour for everything so far, or nothing where the transform does not die out soon enough."""
    total = Total.of(parts)
    if total.families <= {RandomizedResponseLoss}:
        return None
    goal = min(delta, 0.999)
    # Slopes fall as a plan grows, so a place somewhat below serves longer.
    place = saddle.for_delta(total, goal) if near is None else saddle.around(total, 0.9 * near[0], near[1])
    contour = Contour.at(total, place, goal, _STRETCH)
    if contour is None or len(contour.t) > _MOST_NODES:
        return None
    return _Grid(contour, place.epsilon)


@final
class _Grid:
    """Nodes of one contour with the product of all factors but later Gaussians, which wait in one exponent."""

    def __init__(self, contour: Contour, start: float) -> None:
        c, t = contour.c, contour.t
        self.c, self.start, self.step = c, start, contour.step
        self.a, self.furthest = c + 0.5, float(t[-1])
        self.turn = np.asarray(1j * t, dtype=np.complex128)
        half = 0.5 / (self.a + self.turn)
        self.plus, self.minus = 1 + half, 1 - half
        self.quadratic = np.asarray(-t * t + (2 * c + 1) * self.turn, dtype=np.complex128)
        self.values = contour.values.copy()
        # Applied to real and imaginary parts in turn: the real part of the sum, and of the sum times it.
        self.basis = np.zeros((2 * len(t), 2))
        self.basis[::2, 0], self.basis[1::2, 1] = 1.0, -t
        self.cumulant, self.cumulant_error = contour.cumulant, contour.cumulant_error
        self.log_tail = math.log(max(contour.tail, _TINY))
        # Moduli at most: every factor is at most one, so the weights alone bound all sums.
        s = c + self.turn
        modulus: Floats = np.abs(2 * c * (c + 1) / (s * (s + 1)))
        self.size, self.moment = float(modulus.sum()) + 1.0, float(modulus @ t)
        self.blur, self.error = contour.blur, 0.0
        self.log_height = math.log(c * (c + 1))
        self.share = self.step / (2 * math.pi)
        self.base = 8 * FUNCTION + (len(t) + 16) * UNIT
        self.answered, self.slope = self.cumulant, c
        above = [i for i, order in enumerate(contour.orders.tolist()) if order > 1.1 * c]
        best = sorted(above, key=lambda i: abs(contour.orders[i] - 1.6 * c))[:2]
        self.orders = [float(contour.orders[i]) for i in best]
        self.cumulants = [float(contour.cumulants[i]) for i in best]
        self.kappas = [order * math.log(order) - (order + 1) * math.log1p(order) for order in self.orders]
        self.beyond = 1 / (self.a**2 + self.furthest**2)

    def multiply(self, law: LossLaw, count: int) -> bool:
        """Take in one more law; false if it has no short form here."""
        if type(law) is GaussianLoss:
            rho = count * law.mu * law.mu / 2
            self.values *= np.exp(rho * self.quadratic)
            grown = rho * self.c * (self.c + 1)
            self.cumulant += grown
            self.cumulants = [k + rho * c * (c + 1) for c, k in zip(self.orders, self.cumulants, strict=True)]
            self.cumulant_error += 16 * UNIT * grown
            self.log_tail -= rho * self.furthest**2 * (1 - 1e-12)
            self.error += 4 * FUNCTION + 8 * UNIT * rho * self.furthest * (self.furthest + 2 * self.c + 1)
            return True
        if count != 1:
            return self._generic(law, count)
        if type(law) is LaplaceLoss:
            e, a = law.epsilon, self.a
            tilt = math.tanh(a * e)
            base = 1 / (1 + tilt * (0.5 / a))
            wave = np.exp(e * self.turn)
            self.values *= (0.5 * base * (1 + tilt)) * self.plus * wave + (
                0.5 * base * (1 - tilt)
            ) * self.minus * wave.conj()
            self.cumulant += _laplace(self.c, e)
            self.cumulants = [k + _laplace(c, e) for c, k in zip(self.orders, self.cumulants, strict=True)]
            rise = 0.5 * math.log1p((0.25 + tilt * a) * self.beyond) * (1 + 4 * FUNCTION)
            self.log_tail += min(0.0, rise + math.log(base) * (1 - 4 * FUNCTION)) * (1 - 1e-12)
            self._rounded(e, 20)
            return True
        if type(law) is RandomizedResponseLoss:
            e = law.epsilon
            tilt = math.tanh(self.a * e)
            wave = np.exp(e * self.turn)
            self.values *= (0.5 * (1 + tilt)) * wave + (0.5 * (1 - tilt)) * wave.conj()
            self.cumulant += _response(self.c, e)
            self.cumulants = [k + _response(c, e) for c, k in zip(self.orders, self.cumulants, strict=True)]
            if law.leak:
                self.cumulant += math.log1p(-law.leak)
            self._rounded(e, 16)
            return True
        return self._generic(law, count)

    def _rounded(self, epsilon: float, functions: int) -> None:
        """Count the rounding of one factor and of one cumulant."""
        self.error += functions * FUNCTION + 4 * UNIT * epsilon * self.furthest
        self.cumulant_error += 8 * FUNCTION + 4 * UNIT * (self.c * epsilon + abs(self.cumulant) + 2.0)

    def _generic(self, law: LossLaw, count: int) -> bool:
        batch = type(law).batch((law,), (count,))
        ratio, error = batch.ratio(self.c, self.turn.imag.copy())
        value, slack = batch.cumulant(np.array([self.c, *self.orders]))
        self.values *= ratio
        self.cumulants = [k + float(more) for k, more in zip(self.cumulants, value[1:], strict=True)]
        self.cumulant += float(value[0])
        self.cumulant_error += float(slack[0]) + 4 * UNIT * abs(self.cumulant)
        self.log_tail += min(0.0, float(batch.decay(self.c, np.array([self.furthest]))[0]))
        self.error += float(np.log1p(error).max()) + 4 * UNIT
        return True

    def ahead(self) -> float:
        """How far ε will have moved since the last answer, about: by what log M(c) has grown, over the slope."""
        grown, self.answered = self.cumulant - self.answered, self.cumulant
        return grown / self.slope

    def bound(self, x: float) -> tuple[float, float]:
        """log of the certified bound on δ at x, and about minus its derivative."""
        turned = self.values * np.exp(self.turn * -x)
        first, second = turned.view(np.float64).dot(self.basis).tolist()
        real = 1.0 + first
        blur = self.size * (math.expm1(self.error) + self.base) + 2 * UNIT * abs(x) * self.moment
        whole = self.share * (max(real, 0.0) + blur * (1 + 1e-9)) + self.blur + math.exp(self.log_tail)
        log = math.log(whole) + self.cumulant - self.c * x - self.log_height
        log += self.cumulant_error + 8 * UNIT * (abs(self.cumulant) + self.c * abs(x) + 4) + 4 * FUNCTION
        return log, self.c + second / real if real > 0 else math.inf

    def tight(self, x: float, delta: float) -> bool:
        """Whether the place is still near the slope of log δ, and tail and aliases are far below the sum."""
        near = _DRIFT < self.slope / self.c < 1 / _DRIFT
        return near and math.exp(self.log_tail) < 1e-6 * self.share and self.short_of(x, delta)

    def short_of(self, x: float, delta: float) -> bool:
        """Whether the aliases on both sides are far below δ."""
        period = 2 * math.pi / self.step
        level = math.log(delta) - 12
        right = min(
            cumulant + kappa - order * x - (order - self.c) * period
            for order, cumulant, kappa in zip(self.orders, self.cumulants, self.kappas, strict=True)
        )
        return -self.c * period < level and right < level

    def solve(self, x: float, delta: float) -> float | None:
        """The least ε certified here; nothing where no ε is found."""
        goal = math.log(delta) - 8 * UNIT
        limit = 2 / self.c
        for _ in range(12):
            log, slope = self.bound(x)
            if not 0 < slope < math.inf:
                return None
            move = (log - goal) / slope
            if -2e-6 * x <= move <= 0.0:
                self.slope = slope
                return x
            # Aim a little beyond, so that the last step lands on the certified side.
            x += move + 5e-7 * x if abs(move) < 0.2 * x + limit else math.copysign(limit, move)
            if x <= 0:
                return None
        return None


def _laplace(c: float, epsilon: float) -> float:
    """log M(c) of a Laplace loss."""
    a = c + 0.5
    return c * epsilon + math.log1p(-0.5 * math.expm1(-2 * a * epsilon) * (0.5 / a - 1))


def _response(c: float, epsilon: float) -> float:
    """log M(c) of a randomised response."""
    return c * epsilon + math.log1p(math.exp(-(2 * c + 1) * epsilon)) - math.log1p(math.exp(-epsilon))
