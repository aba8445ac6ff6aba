"""Pure ε: no output is more than e^ε times likelier with a record than without it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, final

from partita.calls import made_by_name
from partita.exact import Number, nonnegative, shown, whole
from partita.theory import numerics, readings
from partita.theory.measures.base import Measure, Reading
from partita.theory.numerics import ball


@final
@made_by_name
@dataclass(frozen=True, slots=True, init=False)
class Pure(Measure):
    """The privacy loss is at most ε on every output (theory B1).

    >>> Pure(epsilon="0.1") + Pure(epsilon=0.2)
    Pure(epsilon=Fraction(3, 10))
    """

    kind: ClassVar[str] = "pure"
    symbol: ClassVar[str] = "ε"
    epsilon: Fraction

    def __init__(self, *, epsilon: Number) -> None:
        object.__setattr__(self, "epsilon", nonnegative(epsilon, "epsilon"))

    def vector(self) -> tuple[Fraction, ...]:
        return (self.epsilon,)

    def describe(self) -> dict[str, object]:
        return {"kind": self.kind, "epsilon": str(self.epsilon)}

    @classmethod
    def restored(cls, parts: Mapping[str, object], read: Reading) -> Pure:
        return cls(epsilon=read(parts.get("epsilon"), "epsilon"))

    def like(self, vector: Sequence[Fraction]) -> Pure:
        (epsilon,) = vector
        return Pure(epsilon=epsilon)

    def _delta_at(self, epsilon: Fraction) -> Fraction:
        """Exact for randomised response, the worst of all ε-private mechanisms (theory B8)."""
        if epsilon >= self.epsilon:
            return Fraction(0)
        target = max(epsilon, -self.epsilon)
        if epsilon < -self.epsilon:
            return readings.clamp_up(numerics.upper(lambda: 1 - ball(epsilon).exp()))
        mine = self.epsilon
        return readings.clamp_up(
            numerics.upper(lambda: (1 - (ball(target) - ball(mine)).exp()) / (1 + (-ball(mine)).exp()))
        )

    def _epsilon_at(self, delta: Fraction) -> Fraction:
        """Theory B8 solved for ε: ln(e^ε - δ(1 + e^ε))."""
        mine = self.epsilon
        if delta == 0 or mine == 0:
            return mine
        if delta >= self.delta_at(Fraction(0)):
            return Fraction(0)
        return numerics.upper(lambda: ball(mine) + (1 - ball(delta) * (1 + (-ball(mine)).exp())).log())

    def _false_negatives(self, fpr: Fraction) -> Fraction:
        return readings.false_negatives_at(self.epsilon, Fraction(0), fpr)

    def advantage(self) -> Fraction:
        return readings.advantage_at(self.epsilon, Fraction(0))

    def group(self, k: int) -> Pure:
        return Pure(epsilon=whole(k, "k", least=1) * self.epsilon)

    def __str__(self) -> str:
        return f"ε = {shown(self.epsilon)}"
