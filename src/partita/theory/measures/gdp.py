"""Gaussian μ: telling neighbours apart is no easier than telling N(0, 1) from N(μ, 1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import ClassVar, final

from partita.calls import made_by_name
from partita.errors import theory as refuse
from partita.exact import Number, nonnegative, shown, whole
from partita.theory import numerics, readings
from partita.theory.measures.base import Measure, Reading
from partita.theory.numerics import ball, gaussian_delta, normal_cdf, normal_quantile


@final
@made_by_name
@dataclass(frozen=True, slots=True, init=False, repr=False)
class GDP(Measure):
    """The trade-off curve is nowhere below that of two unit Gaussians μ apart (theory B5).

    The exact number kept is μ squared, the one that adds up.

    >>> GDP(mu="0.3") + GDP(mu="0.4")
    GDP(mu=0.5)
    """

    kind: ClassVar[str] = "gdp"
    symbol: ClassVar[str] = "μ"
    squared: Fraction

    def __init__(self, *, mu: Number) -> None:
        object.__setattr__(self, "squared", nonnegative(mu, "mu") ** 2)

    @classmethod
    def from_squared(cls, squared: Number) -> GDP:
        """The loss whose μ squared is known exactly.

        >>> GDP.from_squared(2).mu > Fraction(141421356, 10**8)
        True
        """
        made = object.__new__(cls)
        object.__setattr__(made, "squared", nonnegative(squared, "mu squared"))
        return made

    @property
    def mu(self) -> Fraction:
        """μ itself, rounded up where it is irrational."""
        root = Fraction(isqrt(self.squared.numerator), isqrt(self.squared.denominator))
        if root * root == self.squared:
            return root
        return numerics.upper(lambda: ball(self.squared).sqrt())

    def vector(self) -> tuple[Fraction, ...]:
        return (self.squared,)

    def describe(self) -> dict[str, object]:
        return {"kind": self.kind, "mu_squared": str(self.squared)}

    @classmethod
    def restored(cls, parts: Mapping[str, object], read: Reading) -> GDP:
        return cls.from_squared(read(parts.get("mu_squared"), "mu_squared"))

    def like(self, vector: Sequence[Fraction]) -> GDP:
        (squared,) = vector
        return GDP.from_squared(squared)

    def _delta_at(self, epsilon: Fraction) -> Fraction:
        """Exact (theory B13), rounded up."""
        if self.squared == 0:
            return Fraction(0) if epsilon >= 0 else numerics.upper(lambda: 1 - ball(epsilon).exp())
        squared = self.squared
        return readings.clamp_up(numerics.upper(lambda: gaussian_delta(ball(squared).sqrt(), ball(epsilon))))

    def _epsilon_at(self, delta: Fraction) -> Fraction:
        if self.squared == 0:
            return Fraction(0)
        if delta == 0:
            raise refuse.delta_unreachable(str(self), 0, "more than 0 at every ε")
        mu = self.mu
        start = mu * mu / 2 + mu
        for _ in range(64):
            if self.delta_at(start) <= delta:
                break
            start *= 2
        else:
            raise refuse.beyond_numerics("ε at this δ")
        return readings.epsilon_at(self.delta_at, delta, start)

    def _false_negatives(self, fpr: Fraction) -> Fraction:
        """Φ(Φ⁻¹(1 - fpr) - μ), rounded down."""
        if fpr >= 1:
            return Fraction(0)
        if fpr <= 0:
            return Fraction(1)
        squared = self.squared
        return readings.clamp_down(
            numerics.lower(lambda: normal_cdf(-normal_quantile(ball(fpr)) - ball(squared).sqrt()))
        )

    def advantage(self) -> Fraction:
        squared = self.squared
        return readings.clamp_up(numerics.upper(lambda: (ball(squared) / 8).sqrt().erf()))

    def group(self, k: int) -> GDP:
        return GDP.from_squared(whole(k, "k", least=1) ** 2 * self.squared)

    def __repr__(self) -> str:
        return f"GDP(mu={shown(self.mu, 17)})"

    def __str__(self) -> str:
        return f"μ = {shown(self.mu)}"
