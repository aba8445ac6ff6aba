"""The transform of a running total on the nodes of one contour, kept up to date one factor at a time."""

from __future__ import annotations

import math
from typing import final

import numpy as np

from partita.composition.numerics.contour import Contour
from partita.limits import current
from partita.theory.losses.base import LossLaw
from partita.theory.losses.gaussian import GaussianLoss
from partita.theory.losses.laplace import LaplaceLoss
from partita.theory.losses.outward import FUNCTION, UNIT, Floats, floats
from partita.theory.losses.randomized_response import RandomizedResponseLoss

# Where the slope of log δ has left the place by more than this, a new contour is placed.
_DRIFT = 0.7
_TINY = 1e-300
# The share of ε that the tail may add.
_LOOSE = 2e-5
# Every so many factors the nodes that no longer matter are dropped.
_THIN = 8


@final
class Grid:
    """Nodes of one contour with the product of all factors but later Gaussians, which wait in one exponent."""

    def __init__(self, contour: Contour, start: float) -> None:
        c, t = contour.c, contour.t
        self.c, self.start, self.step = c, start, contour.step
        self.a, self.furthest, self.gap = c + 0.5, float(t[-1]), contour.gap
        # What the nodes that were dropped may add: factors are at most one, so what is faint stays so.
        self.faint, self.steps = 0.0, 0
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
        self.beyond = 1 / (self.a**2 + self.gap**2)

    def multiply(self, law: LossLaw, count: int) -> None:
        """Take in one more law."""
        self.steps += 1
        if self.steps % _THIN == 0 and len(self.values) > current().thick:
            self._thin()
        if type(law) is GaussianLoss:
            rho = count * law.mu * law.mu / 2
            self.values *= np.exp(rho * self.quadratic)
            grown = rho * self.c * (self.c + 1)
            self.cumulant += grown
            self.cumulants = [k + rho * c * (c + 1) for c, k in zip(self.orders, self.cumulants, strict=True)]
            self.cumulant_error += 16 * UNIT * grown
            self.log_tail -= rho * self.gap**2 * (1 - 1e-12)
            self.error += 4 * FUNCTION + 8 * UNIT * rho * self.furthest * (self.furthest + 2 * self.c + 1)
        elif count != 1:
            self._generic(law, count)
        elif type(law) is LaplaceLoss:
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
        elif type(law) is RandomizedResponseLoss:
            e = law.epsilon
            tilt = math.tanh(self.a * e)
            wave = np.exp(e * self.turn)
            self.values *= (0.5 * (1 + tilt)) * wave + (0.5 * (1 - tilt)) * wave.conj()
            self.cumulant += _response(self.c, e)
            self.cumulants = [k + _response(c, e) for c, k in zip(self.orders, self.cumulants, strict=True)]
            if law.leak:
                self.cumulant += math.log1p(-law.leak)
            self._rounded(e, 16)
        else:
            self._generic(law, count)

    def _rounded(self, epsilon: float, functions: int) -> None:
        """Count the rounding of one factor and of one cumulant."""
        self.error += functions * FUNCTION + 4 * UNIT * epsilon * self.furthest
        self.cumulant_error += 8 * FUNCTION + 4 * UNIT * (self.c * epsilon + abs(self.cumulant) + 2.0)

    def _generic(self, law: LossLaw, count: int) -> None:
        batch = type(law).batch((law,), (count,))
        ratio, error = batch.ratio(self.c, floats(self.turn.imag))
        value, slack = batch.cumulant(np.array([self.c, *self.orders]))
        self.values *= ratio
        self.cumulants = [k + float(more) for k, more in zip(self.cumulants, value[1:], strict=True)]
        self.cumulant += float(value[0])
        self.cumulant_error += float(slack[0]) + 4 * UNIT * abs(self.cumulant)
        self.log_tail += min(0.0, float(batch.decay(self.c, np.array([self.gap]))[0]))
        self.error += float(np.log1p(error).max()) + 4 * UNIT

    def _thin(self) -> None:
        """Drop the nodes that no longer matter, and count what they may add."""
        moduli = np.abs(self.values)
        kept = moduli > 1e-17
        if kept.all():
            return
        self.faint += float(moduli[~kept].sum()) * (1 + 1e-9) + len(moduli) * _TINY
        for name in ("turn", "plus", "minus", "quadratic", "values"):
            setattr(self, name, getattr(self, name)[kept])
        self.basis = self.basis[np.repeat(kept, 2)]

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
        whole = self.share * (max(real, 0.0) + self.faint + blur * (1 + 1e-9)) + self.blur + math.exp(self.log_tail)
        log = math.log(whole) + self.cumulant - self.c * x - self.log_height
        log += self.cumulant_error + 8 * UNIT * (abs(self.cumulant) + self.c * abs(x) + 4) + 4 * FUNCTION
        return log, self.c + second / real if real > 0 else math.inf

    def tight(self, x: float, delta: float) -> bool:
        """Whether the place is still near the slope of log δ, and tail and aliases are far below the sum."""
        near = _DRIFT < self.slope / self.c < 1 / _DRIFT
        # δ may grow by c for each unit of ε.
        little = max(1e-6, _LOOSE * self.c * x) * self.share
        return near and math.exp(self.log_tail) < little and self.short_of(x, delta)

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
