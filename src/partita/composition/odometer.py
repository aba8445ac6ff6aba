"""An odometer: a bound on what was lost so far that holds at every moment at once, without a budget."""

from __future__ import annotations

from fractions import Fraction
from typing import final

from flint import arb

from partita.composition.filters import Filter
from partita.errors import NotProven
from partita.exact import Number, float_up, positive, probability
from partita.theory import numerics
from partita.theory.measures.pure import Pure
from partita.theory.measures.zcdp import ZCDP
from partita.theory.numerics import ball


@final
class Odometer:
    """A running bound on the privacy loss, for fully adaptive releases (theory D10).

    With probability at least 1 - δ the loss is below ``bound()`` at every moment at once. It is tightest when the sum
    of the ρ is about the ``rho`` it was made for. While every release is purely private, the running sum of ε is a
    bound too, on every path.

    >>> odometer = Odometer(rho="0.5", delta="1e-6")
    >>> odometer.record(ZCDP(rho="0.3"))
    >>> round(odometer.bound(), 8)
    4.50521742
    """

    def __init__(self, *, rho: Number, delta: Number) -> None:
        self._rho = positive(rho, "rho")
        self.delta = probability(delta, "delta")
        self.spent = ZCDP(rho=Fraction(0))
        self.pure: Fraction | None = Fraction(0)
        # Only prices; its budget is never reached.
        self._prices = Filter(ZCDP(rho=Fraction(1)))

    def record(self, cost: object) -> None:
        """Count one release; a cost that carries a δ of its own has no odometer."""
        loss = self._prices.priced(cost)
        if loss.delta:
            raise _no_odometer(str(loss))
        self.spent += loss
        self.pure = None if self.pure is None else _plus(self.pure, cost)

    def bound(self) -> float:
        """(λ + 1) Σρ + ln(1/δ)/λ with λ = sqrt(ln(1/δ)/ρ0), rounded up; or the sum of ε while all are pure."""
        if self.spent.rho == 0:
            return 0.0
        rho, spent, delta = self._rho, self.spent.rho, self.delta

        def ville() -> arb:
            level = -ball(delta).log()
            slope = (level / ball(rho)).sqrt()
            return (slope + 1) * ball(spent) + level / slope

        found = numerics.upper(ville, "an odometer")
        return float_up(found if self.pure is None else min(found, self.pure))


def _plus(total: Fraction, cost: object) -> Fraction | None:
    try:
        return total + Filter(Pure(epsilon=Fraction(1))).priced(cost).epsilon
    except NotProven:
        return None


def _no_odometer(loss: str) -> NotProven:
    from partita.errors import composition as refuse

    return refuse.not_a_filter(loss, "an odometer is proven for releases without a δ of their own (theory D10).")
