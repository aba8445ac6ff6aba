"""Approximate (ε, δ): pure ε up to an additive δ on every event."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Final, final

from flint import arb

from partita.calls import made_by_name
from partita.errors import theory as refuse
from partita.exact import Number, nonnegative, shown, whole
from partita.theory import numerics, readings
from partita.theory.measures.base import Measure, Reading
from partita.theory.measures.pure import Pure
from partita.theory.numerics import ball

LEAST: Final = Fraction(1, 2**64)


@final
@made_by_name
@dataclass(frozen=True, slots=True, init=False)
class Approximate(Measure):
    """Every event is at most e^ε times likelier, plus δ (theory B2).

    >>> Approximate(epsilon=1, delta="1e-6") + Approximate(epsilon=1, delta="1e-6")
    Approximate(epsilon=Fraction(2, 1), delta=Fraction(1, 500000))
    """

    kind: ClassVar[str] = "approximate"
    symbol: ClassVar[str] = "(ε, δ)"
    epsilon: Fraction
    delta: Fraction

    def __init__(self, *, epsilon: Number, delta: Number) -> None:
        object.__setattr__(self, "epsilon", nonnegative(epsilon, "epsilon"))
        object.__setattr__(self, "delta", nonnegative(delta, "delta"))
        if self.delta >= 1:
            raise refuse.delta_too_large(float(self.delta))
        if self.epsilon == 0 and self.delta > 0:
            raise refuse.additive_secrecy("ε", float(self.delta))

    @classmethod
    def read(cls, epsilon: Fraction, delta: Fraction) -> Approximate:
        """What a curve was found to be at a δ: where it needs no ε at all, the least that is ever written.

        A loss of ε = 0 beside a δ is not accepted (theory B25), and a larger ε is true as well.

        >>> Approximate.read(Fraction(0), Fraction(1, 1000)).epsilon == LEAST
        True
        """
        return cls(epsilon=LEAST if delta and not epsilon else epsilon, delta=delta)

    def vector(self) -> tuple[Fraction, ...]:
        return (self.epsilon, self.delta)

    def describe(self) -> dict[str, object]:
        return {"kind": self.kind, "epsilon": str(self.epsilon), "delta": str(self.delta)}

    @classmethod
    def restored(cls, parts: Mapping[str, object], read: Reading) -> Approximate:
        epsilon, delta = (read(parts.get(name), name) for name in ("epsilon", "delta"))
        return cls(epsilon=Fraction(1), delta=Fraction(0)).like([epsilon, delta])

    def like(self, vector: Sequence[Fraction]) -> Approximate:
        epsilon, delta = vector
        made = object.__new__(Approximate)
        object.__setattr__(made, "epsilon", nonnegative(epsilon, "epsilon"))
        object.__setattr__(made, "delta", nonnegative(delta, "delta"))
        return made

    def _delta_at(self, epsilon: Fraction) -> Fraction:
        """Theory B8: the leaky randomised response is the worst case."""
        if epsilon >= self.epsilon:
            return min(Fraction(1), self.delta)
        rest = Pure(epsilon=self.epsilon).delta_at(epsilon)
        return readings.clamp_up(self.delta + (1 - min(self.delta, Fraction(1))) * rest)

    def _epsilon_at(self, delta: Fraction) -> Fraction:
        if delta < self.delta:
            raise refuse.delta_unreachable(str(self), float(delta), float(self.delta))
        if delta == self.delta:
            return self.epsilon
        return Pure(epsilon=self.epsilon).epsilon_at((delta - self.delta) / (1 - self.delta))

    def _false_negatives(self, fpr: Fraction) -> Fraction:
        return readings.false_negatives_at(self.epsilon, min(self.delta, Fraction(1)), fpr)

    def advantage(self) -> Fraction:
        return readings.advantage_at(self.epsilon, min(self.delta, Fraction(1)))

    def group(self, k: int) -> Approximate:
        steps = whole(k, "k", least=1)
        if steps == 1:
            return self
        epsilon, delta = self.epsilon, self.delta
        if delta == 0 or epsilon == 0:
            return self.like([steps * epsilon, steps * delta])
        total = numerics.upper(lambda: ball(delta) * _geometric_sum(ball(epsilon), steps), "the delta of a group")
        if total >= 1:
            raise refuse.group_too_large(str(self), steps, shown(total, 3))
        return self.like([steps * epsilon, total])

    def __str__(self) -> str:
        return f"(ε = {shown(self.epsilon)}, δ = {shown(self.delta, 3)})"


def _geometric_sum(epsilon: arb, steps: int) -> arb:
    """1 + e^ε + ... + e^{(k-1)ε}, by the quotient, which Arb raises the precision for."""
    return (epsilon * steps).expm1() / epsilon.expm1()
