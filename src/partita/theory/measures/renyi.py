"""Rényi divergence on a fixed grid of orders: one number τ for each order α."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, final

from partita.calls import made_by_name
from partita.errors import theory as refuse
from partita.exact import Number, exact, float_up, nonnegative, shown
from partita.theory import numerics, readings
from partita.theory.measures.base import Measure, Reading
from partita.theory.numerics import ball

ORDERS: tuple[Fraction, ...] = tuple(
    Fraction(order)
    for order in (
        *(
            "1.05",
            "1.1",
            "1.25",
            "1.5",
            "1.75",
            "2",
            "2.5",
            "3",
            "3.5",
            "4",
            "5",
            "6",
            "7",
            "8",
            "10",
            "12",
            "14",
        ),
        *(
            "16",
            "20",
            "24",
            "28",
            "32",
            "40",
            "48",
            "56",
            "64",
            "80",
            "96",
            "128",
            "192",
            "256",
            "384",
            "512",
            "1024",
        ),
    )
)

_LEAST, _MOST = Fraction("1.000001"), Fraction(10**6)


@final
@made_by_name
@dataclass(frozen=True, slots=True, init=False, repr=False)
class Renyi(Measure):
    """The Rényi divergence of order α is at most τ(α), for every α of a grid (theory B4).

    >>> Renyi(order=8, tau="0.5") + Renyi(order=8, tau="0.25")
    Renyi(order=8, tau=0.75)
    """

    kind: ClassVar[str] = "renyi"
    symbol: ClassVar[str] = "τ(α)"
    orders: tuple[Fraction, ...]
    taus: tuple[Fraction, ...]

    def __init__(
        self,
        *,
        order: Number | None = None,
        tau: Number | None = None,
        orders: Sequence[Number] | None = None,
        taus: Sequence[Number] | None = None,
    ) -> None:
        if order is not None or tau is not None:
            if order is None or tau is None or orders is not None or taus is not None:
                raise refuse.ill_formed_curve(1, 1)
            orders, taus = [order], [tau]
        grid, values = _listed(ORDERS if orders is None else orders), _listed(taus)
        if not values or len(values) != len(grid):
            raise refuse.ill_formed_curve(len(grid), len(values))
        alphas = tuple(exact(alpha, "order") for alpha in grid)
        for alpha, next_alpha in zip((Fraction(1), *alphas), alphas, strict=False):
            if next_alpha <= alpha or not _LEAST <= next_alpha <= _MOST:
                raise refuse.unknown_order(shown(next_alpha), "in increasing order, between 1.000001 and 1000000")
        object.__setattr__(self, "orders", alphas)
        object.__setattr__(self, "taus", tuple(nonnegative(value, "tau") for value in values))

    def vector(self) -> tuple[Fraction, ...]:
        return self.taus

    def describe(self) -> dict[str, object]:
        return {"kind": self.kind, "orders": [*map(str, self.orders)], "taus": [*map(str, self.taus)]}

    @classmethod
    def restored(cls, parts: Mapping[str, object], read: Reading) -> Renyi:
        listed = (parts.get("orders"), parts.get("taus"))
        orders, taus = (
            [read(item, name) for item in found] if isinstance(found, list) else []
            for name, found in zip(("orders", "taus"), listed, strict=True)
        )
        return cls(orders=orders, taus=taus)

    def like(self, vector: Sequence[Fraction]) -> Renyi:
        return Renyi(orders=self.orders, taus=vector)

    def at(self, order: Number) -> Fraction:
        """τ at an order: the value of the least grid order not below it, as divergence grows with the order."""
        wanted = exact(order, "order")
        for alpha, tau in zip(self.orders, self.taus, strict=True):
            if 1 < wanted <= alpha:
                return tau
        raise refuse.unknown_order(shown(wanted), f"at most {float(self.orders[-1]):g} here")

    def on(self, orders: Sequence[Fraction]) -> Renyi:
        """The same curve on some of its orders."""
        return Renyi(orders=orders, taus=[self.at(order) for order in orders])

    def _delta_at(self, epsilon: Fraction) -> Fraction:
        """The best order of the grid (theory B15)."""
        rough = float_up(epsilon)
        # Any order gives a bound; the one that is best in floats is evaluated rigorously.
        best = min(
            range(len(self.orders)),
            key=lambda at: _log_delta(float_up(self.orders[at]), float_up(self.taus[at]), rough),
        )
        return readings.clamp_up(_delta_of_order(self.orders[best], self.taus[best], epsilon))

    def _epsilon_at(self, delta: Fraction) -> Fraction:
        if self.is_zero():
            return Fraction(0)
        if delta == 0:
            raise refuse.delta_unreachable(str(self), 0, "more than 0 at every ε")
        rough = math.log(delta.numerator) - math.log(delta.denominator)
        best = min(
            range(len(self.orders)),
            key=lambda at: (
                float_up(self.taus[at]) - (rough + _log_room(float_up(self.orders[at]))) / float_up(self.orders[at] - 1)
            ),
        )
        return epsilon_of_order(self.orders[best], self.taus[best], delta)

    def _false_negatives(self, fpr: Fraction) -> Fraction:
        return readings.false_negatives(self.delta_at, self._rough_delta(), fpr)

    def advantage(self) -> Fraction:
        return readings.advantage(self.delta_at, self._rough_delta())

    def group(self, k: int) -> Renyi:
        if exact(k, "k") == 1:
            return self
        raise refuse.no_group_rule(
            "A Rényi curve",
            "the triangle inequality loses order. Use ρ, or the mechanism at k times the distance.",
        )

    def _rough_delta(self) -> readings.Rough:
        curve = [(float_up(alpha), float_up(tau)) for alpha, tau in zip(self.orders, self.taus, strict=True)]
        return lambda epsilon: math.exp(min(0.0, *(_log_delta(alpha, tau, epsilon) for alpha, tau in curve)))

    def _must_match(self, other: object) -> None:
        Measure._must_match(self, other)
        if isinstance(other, Renyi) and other.orders != self.orders:
            raise refuse.unlike_orders(len(self.orders), len(other.orders))

    def __repr__(self) -> str:
        if len(self.orders) == 1:
            return f"Renyi(order={float(self.orders[0]):g}, tau={shown(self.taus[0], 17)})"
        ends = f"{float(self.orders[0]):g}..{float(self.orders[-1]):g}"
        return f"Renyi({len(self.orders)} orders {ends}, tau {shown(self.taus[0])}..{shown(self.taus[-1])})"

    def __str__(self) -> str:
        middle = len(self.orders) // 2
        return f"τ({float(self.orders[middle]):g}) = {shown(self.taus[middle])}"


def _listed(values: object) -> list[Number]:
    return list(values) if isinstance(values, list | tuple) else []


def epsilon_of_order(order: Fraction, tau: Fraction, delta: Fraction) -> Fraction:
    """The ε of (α, τ) at δ (theory B15).

    >>> round(float(epsilon_of_order(Fraction(8), Fraction(1), Fraction(1, 10**5))), 9)
    2.214109168
    """
    value = numerics.upper(
        lambda: (
            ball(tau)
            + (-ball(delta).log() + ball(order - 1) * (1 - 1 / ball(order)).log() - ball(order).log()) / ball(order - 1)
        )
    )
    return max(Fraction(0), value)


def _delta_of_order(order: Fraction, tau: Fraction, epsilon: Fraction) -> Fraction:
    if tau == 0 and epsilon >= 0:
        return Fraction(0)
    # A bound above one says nothing; it is not worth computing a huge exponential for.
    if _log_delta(float_up(order), float_up(tau), float_up(epsilon)) > 50:
        return Fraction(1)
    return numerics.upper(
        lambda: (
            (ball(order - 1) * (ball(tau) - ball(epsilon)) + ball(order) * (1 - 1 / ball(order)).log()).exp()
            / ball(order - 1)
        )
    )


def _log_delta(order: float, tau: float, epsilon: float) -> float:
    """The logarithm of the bound B15 on δ at ε."""
    return (order - 1) * (tau - epsilon) + order * math.log1p(-1 / order) - math.log(order - 1)


def _log_room(order: float) -> float:
    """The part of B15 that depends on the order alone, as it enters ε."""
    return math.log(order) - (order - 1) * math.log1p(-1 / order)
