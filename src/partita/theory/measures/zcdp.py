"""Zero-concentrated ρ, with an optional δ: the privacy loss is no worse than a Gaussian's."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, final

from partita.calls import made_by_name
from partita.errors import theory as refuse
from partita.exact import Number, float_up, nonnegative, shown, whole
from partita.theory import numerics, readings
from partita.theory.measures.base import Measure, Reading
from partita.theory.numerics import ball
from partita.theory.search import golden_by_scale


@final
@made_by_name
@dataclass(frozen=True, slots=True, init=False)
class ZCDP(Measure):
    """Rényi divergence at most ρα at every order α, outside an event of probability δ (theory B3).

    >>> ZCDP(rho="0.1") + ZCDP(rho="0.4", delta="1e-9")
    ZCDP(rho=Fraction(1, 2), delta=Fraction(1, 1000000000))
    """

    kind: ClassVar[str] = "zcdp"
    symbol: ClassVar[str] = "ρ"
    rho: Fraction
    delta: Fraction

    def __init__(self, *, rho: Number, delta: Number = 0) -> None:
        object.__setattr__(self, "rho", nonnegative(rho, "rho"))
        object.__setattr__(self, "delta", nonnegative(delta, "delta"))
        if self.delta >= 1:
            raise refuse.delta_too_large(float(self.delta))
        if self.rho == 0 and self.delta > 0:
            raise refuse.additive_secrecy("ρ", float(self.delta))

    def vector(self) -> tuple[Fraction, ...]:
        return (self.rho, self.delta)

    def describe(self) -> dict[str, object]:
        return {"kind": self.kind, "rho": str(self.rho), "delta": str(self.delta)}

    @classmethod
    def restored(cls, parts: Mapping[str, object], read: Reading) -> ZCDP:
        rho, delta = read(parts.get("rho"), "rho"), read(parts.get("delta", 0), "delta")
        return cls(rho=Fraction(1)).like([rho, delta])

    def like(self, vector: Sequence[Fraction]) -> ZCDP:
        rho, delta = vector
        made = object.__new__(ZCDP)
        object.__setattr__(made, "rho", nonnegative(rho, "rho"))
        object.__setattr__(made, "delta", nonnegative(delta, "delta"))
        return made

    def _delta_at(self, epsilon: Fraction) -> Fraction:
        """Theory B14 in its tight form, and B16 for the δ already there."""
        own = min(self.delta, Fraction(1))
        return readings.clamp_up(own + (1 - own) * _delta_of_rho(self.rho, epsilon))

    def _epsilon_at(self, delta: Fraction) -> Fraction:
        if self.rho == 0 and delta >= self.delta:
            return Fraction(0)
        if delta <= self.delta:
            raise refuse.delta_unreachable(str(self), float(delta), float(self.delta))
        return epsilon_of_rho(self.rho, (delta - self.delta) / (1 - self.delta))

    def _false_negatives(self, fpr: Fraction) -> Fraction:
        return readings.false_negatives(self.delta_at, self._rough_delta, fpr)

    def advantage(self) -> Fraction:
        return readings.advantage(self.delta_at, self._rough_delta)

    def group(self, k: int) -> ZCDP:
        steps = whole(k, "k", least=1)
        if self.delta > 0 and steps > 1:
            raise refuse.no_group_rule(
                "ρ with δ", "convert it to (ε, δ) first: pt.convert(loss, to=pt.Approximate, delta=...)."
            )
        return self.like([steps**2 * self.rho, self.delta])

    def _rough_delta(self, epsilon: float) -> float:
        rho = float_up(self.rho)
        return float(self.delta) + math.exp(min(0.0, _log_delta(rho, epsilon, _rough_order(rho, epsilon))))

    def __str__(self) -> str:
        alone = f"ρ = {shown(self.rho)}"
        return f"({alone}, δ = {shown(self.delta, 3)})" if self.delta else alone


def epsilon_of_rho(rho: Fraction, delta: Fraction) -> Fraction:
    """The ε of ρ at δ by the tight conversion (theory B14b); any order gives a bound, the best is searched.

    >>> round(float(epsilon_of_rho(Fraction(1, 2), Fraction(1, 10**6))), 9)
    5.221534445
    """
    log_inverse = -_log(delta)
    root = float_up(rho)

    def bound(order: float) -> float:
        return root * order + (log_inverse + (order - 1) * math.log1p(-1 / order) - math.log(order)) / (order - 1)

    order = 1 + Fraction(golden_by_scale(lambda gap: bound(1 + gap), math.sqrt(log_inverse / root) if root else 1.0))
    value = numerics.upper(
        lambda: (
            ball(rho) * ball(order)
            + (-ball(delta).log() + ball(order - 1) * (1 - 1 / ball(order)).log() - ball(order).log()) / ball(order - 1)
        )
    )
    return max(Fraction(0), value)


def simple_epsilon_of_rho(rho: Fraction, delta: Fraction) -> Fraction:
    """The textbook ε = ρ + 2√(ρ ln(1/δ)) (theory B14a): valid, and always above the tight form.

    >>> round(float(simple_epsilon_of_rho(Fraction(1, 2), Fraction(1, 10**6))), 9)
    5.75652177
    """
    return numerics.upper(lambda: ball(rho) + 2 * (-ball(rho) * ball(delta).log()).sqrt())


def _delta_of_rho(rho: Fraction, epsilon: Fraction) -> Fraction:
    if rho == 0:
        # The two laws are the same, so only a negative ε has a δ.
        return Fraction(0) if epsilon >= 0 else numerics.upper(lambda: 1 - ball(epsilon).exp())
    gap = Fraction(_order(float_up(rho), float_up(epsilon)))
    order = 1 + gap
    return numerics.upper(
        lambda: (
            (ball(gap) * (ball(order) * ball(rho) - ball(epsilon)) + ball(order) * (1 - 1 / ball(order)).log()).exp()
            / ball(gap)
        )
    )


def _order(rho: float, epsilon: float) -> float:
    """About the best order above one for δ at ε, less one."""
    guess = max((epsilon - rho) / (2 * rho), 1e-3) if rho else 1e6
    return golden_by_scale(lambda gap: _log_delta(rho, epsilon, gap), guess)


def _rough_order(rho: float, epsilon: float) -> float:
    """The same order, found in a dozen steps: where the slope (1 + 2g)ρ - ε - ln(1 + 1/g) of the bound is zero.

    The slope grows with g and is concave, so that Newton's rule walks up to the zero from a place below it.
    """
    if not rho:
        return 1e6
    over = rho - epsilon
    if over > 700:
        return 1 / math.expm1(700.0)  # δ is one to all digits
    gap = -over / (2 * rho) if over < -0.5 else min(1 / (2 * rho), 1 / math.expm1(min(over + 1, 700.0)))
    for _ in range(64):
        step = ((1 + 2 * gap) * rho - epsilon - math.log1p(1 / gap)) / (2 * rho + 1 / (gap * (1 + gap)))
        gap -= step
        if abs(step) <= 1e-7 * gap:
            break
    return gap


def _log_delta(rho: float, epsilon: float, gap: float) -> float:
    """The logarithm of the bound B14b on δ at the order 1 + gap."""
    order = 1 + gap
    return gap * (order * rho - epsilon) + order * (math.log(gap) - math.log(order)) - math.log(gap)


def _log(number: Fraction) -> float:
    return math.log(number.numerator) - math.log(number.denominator)
