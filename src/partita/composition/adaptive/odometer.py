"""An odometer: a bound on what was lost so far that holds at every moment at once, without a budget."""

from __future__ import annotations

from fractions import Fraction
from typing import final

from flint import arb

from partita.composition.adaptive.filters import Filter, agreed
from partita.composition.plans.plan import Plan, counted, unit_of
from partita.errors import NotProven
from partita.exact import Number, float_up, positive, probability
from partita.granularity.base import Granularity, Relation
from partita.live import Live
from partita.theory import numerics
from partita.theory.measures.pure import Pure
from partita.theory.measures.zcdp import ZCDP
from partita.theory.numerics import ball


@final
class Odometer(Live):
    """A running bound on the privacy loss, for fully adaptive releases (theory D10).

    With probability at least 1 - δ the loss is below ``bound()`` at every moment at once. It is tightest when the sum
    of the ρ is about the ``rho`` it was made for. While every release is purely private, the running sum of ε is a
    bound too, on every path. A cost is that of one row; for a unit of several its steps are counted.

    >>> odometer = Odometer(rho="0.5", delta="1e-6")
    >>> odometer.record(ZCDP(rho="0.3"))
    >>> round(odometer.bound(), 8)
    4.50521742
    """

    def __init__(self, *, rho: Number, delta: Number, relation: Relation | Granularity | str | None = None) -> None:
        super().__init__()
        self._relation = Plan.protecting((), relation).relation
        self._unit = unit_of(relation)
        self._rho = positive(rho, "rho")
        self.delta = probability(delta, "delta")
        self.spent = ZCDP(rho=Fraction(0))
        self.pure: Fraction | None = Fraction(0)
        # Only prices; its budget is never reached.
        self._prices = Filter(ZCDP(rho=Fraction(1)))

    def record(self, cost: object) -> None:
        """Count one release; a cost that carries a δ of its own has no odometer."""
        with self._lock:
            relation, cost = agreed(self._relation, cost), counted(cost, self._unit)
            loss = self._prices.priced(cost)
            if loss.delta:
                raise _no_odometer(str(loss))
            pure = None if self.pure is None else _plus(self.pure, cost)
            self.spent, self.pure, self._relation = self.spent + loss, pure, relation

    @property
    def relation(self) -> Relation | None:
        """Under which relation costs add up: as given, or that of the first cost that is proven under one only."""
        return self._relation

    def bound(self) -> float:
        """(λ + 1) Σρ + ln(1/δ)/λ with λ = sqrt(ln(1/δ)/ρ0), rounded up; or the sum of ε while all are pure."""
        with self._lock:
            rho, spent, pure, delta = self._rho, self.spent.rho, self.pure, self.delta
        if spent == 0:
            return 0.0

        def ville() -> arb:
            level = -ball(delta).log()
            slope = (level / ball(rho)).sqrt()
            return (slope + 1) * ball(spent) + level / slope

        found = numerics.upper(ville, "an odometer")
        return float_up(found if pure is None else min(found, pure))


def _plus(total: Fraction, cost: object) -> Fraction | None:
    try:
        return total + Filter(Pure(epsilon=Fraction(1))).priced(cost).epsilon
    except NotProven:
        return None


def _no_odometer(loss: str) -> NotProven:
    from partita.errors import composition as refuse

    return refuse.not_a_filter(loss, "an odometer is proven for releases without a δ of their own (theory D10).")
