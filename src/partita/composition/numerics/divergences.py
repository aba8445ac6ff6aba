"""What the Rényi divergences of a total on a ladder of orders say about δ and ε (theory B15)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import numpy as np

from partita.composition.numerics.contour import log_kappa
from partita.theory.losses.outward import UNIT, Floats, up


@final
@dataclass(frozen=True, slots=True, eq=False)
class Divergences:
    """Bounds on c times the Rényi divergence of order c + 1 of a whole plan, on a ladder of orders."""

    orders: Floats
    exponents: Floats
    infinity: float

    def upper(self, epsilon: float) -> float:
        """The least bound on δ over the ladder (theory B15)."""
        logs = self.exponents + log_kappa(self.orders) - self.orders * epsilon
        slack = 16 * UNIT * (np.abs(self.exponents) + self.orders * (abs(epsilon) + 60) + 4)
        return min(1.0, up(math.exp(min(0.0, float(np.min(logs + slack)))) + self.infinity))

    def least(self, delta: float) -> float:
        """The least ε over the ladder (theory B15)."""
        spare = (delta - self.infinity) * (1 - 4 * UNIT)
        if spare <= 0:
            return math.inf
        tops = self.exponents + log_kappa(self.orders) - math.log(spare)
        slack = 16 * UNIT * (np.abs(self.exponents) + self.orders * 60 + abs(math.log(spare)) + 4)
        return max(0.0, up(float(np.min((tops + slack) / self.orders)), 8 * UNIT))
