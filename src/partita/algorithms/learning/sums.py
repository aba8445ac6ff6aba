"""Sums over rows that are released with noise: how far one row moves them, and how they share one price."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import final

import numpy as np
from numpy.typing import NDArray

from partita.composition.calibration.pricing import NOISES, OFFERED, Price, affordable, mechanisms
from partita.errors import algorithms as refuse
from partita.granularity.base import Relation
from partita.mechanisms.additive import AdditiveNoise
from partita.mechanisms.base import Event
from partita.mechanisms.gaussian import GaussianNoise
from partita.mechanisms.laplace import Laplace
from partita.sampling.bits import BitSource
from partita.theory.conversions import convert
from partita.theory.distance import Distance, Norm
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.base import Measure
from partita.theory.measures.gdp import GDP
from partita.theory.measures.pure import Pure
from partita.theory.measures.zcdp import ZCDP

_FINE = 10**6


@final
@dataclass(frozen=True, slots=True)
class Reach:
    """How far a sum of whole numbers can move: in L1, and squared in L2."""

    l1: int
    square: int

    def doubled(self) -> Reach:
        """One row leaves and another comes: by the triangle inequality at most twice as far."""
        return Reach(2 * self.l1, 4 * self.square)


@final
@dataclass(frozen=True, slots=True)
class Sum:
    """A vector of whole numbers, each a sum over rows, that is released so many times with equal noise.

    ``enters`` is how far one row that comes or goes moves it, ``changes`` how far one row that becomes another does.

    >>> Sum("histogram", Reach(1, 1), Reach(2, 2)).distance(Norm.L2, changed=True).power
    Fraction(2, 1)
    """

    name: str
    enters: Reach
    changes: Reach
    share: Fraction = Fraction(1)
    count: int = 1

    def distance(self, norm: Norm, rows: int = 1, *, changed: bool = False) -> Distance:
        """How far so many rows move it."""
        reach = self.changes if changed else self.enters
        power = reach.square if norm is Norm.L2 else reach.l1
        return Distance(norm, Fraction(power)).times(rows)


@final
@dataclass(frozen=True, slots=True)
class Noisy:
    """Sums with the noise that one price buys for all of them (sums.proof.md)."""

    sums: tuple[Sum, ...]
    noises: tuple[AdditiveNoise, ...]

    def losses(self, rows: int = 1, *, changed: bool = False) -> list[Event]:
        """Every release with the distance that so many rows can move it, and how often: what a curator composes."""
        return [
            Event(noise, item.distance(noise.norm, rows, changed=changed), item.count)
            for item, noise in zip(self.sums, self.noises, strict=True)
        ]

    def events(self, relation: Relation) -> list[Event]:
        """The plan of all releases for one row under a relation: what pt.compose reads."""
        return self.losses(changed=relation is Relation.CHANGE_ONE)

    def noise(self, name: str) -> AdditiveNoise:
        """The noise of one sum."""
        return next(noise for item, noise in zip(self.sums, self.noises, strict=True) if item.name == name)

    def release(
        self, name: str, values: NDArray[np.float64] | NDArray[np.int64], bits: BitSource | None
    ) -> NDArray[np.float64]:
        """Exact whole numbers with noise on each; floats are used for arithmetic afterwards only."""
        return np.asarray(self.noise(name).release(np.asarray(values).astype(np.int64), bits=bits), dtype=np.float64)

    def spread(self, name: str) -> float:
        """The standard deviation of the noise on one entry, rounding to whole numbers included."""
        return spread(self.noise(name))


def spread(noise: AdditiveNoise) -> float:
    """The standard deviation of additive noise, with 1/12 for its rounding.

    >>> round(spread(Laplace(scale=10)), 3)
    14.145
    """
    if isinstance(noise, GaussianNoise):
        return float((noise.sigma**2 + Fraction(1, 12)) ** Fraction(1, 2))
    assert isinstance(noise, Laplace)
    return float((2 * noise.scale**2 + Fraction(1, 12)) ** Fraction(1, 2))


def budget_of(price: Price) -> Measure:
    """What the price allows in total, in the measure it was named in.

    >>> budget_of(Price.of(epsilon=1))
    Pure(epsilon=Fraction(1, 1))
    """
    if price.rho is not None:
        return ZCDP(rho=price.rho)
    if price.mu is not None:
        return GDP(mu=price.mu)
    assert price.epsilon is not None
    return Pure(epsilon=price.epsilon) if price.delta is None else Approximate(epsilon=price.epsilon, delta=price.delta)


def priced(
    sums: Sequence[Sum], price: Price, relation: Relation = Relation.ADD_REMOVE, *, noise: str | None = None
) -> Noisy:
    """The sums with the least noise that the price buys: Laplace, or Gaussian where that is less.

    Each share of a sum is divided equally among its releases. Which noise is less is read from the plan alone.

    >>> noisy = priced([Sum("count", Reach(1, 1), Reach(1, 1))], Price.of(epsilon="0.1"))
    >>> noisy.noises
    (Laplace(scale=Fraction(10, 1)),)
    """
    if noise not in (None, *NOISES):
        raise refuse.one_of("noise", noise, NOISES)
    budget = budget_of(price)
    whole = sum((item.share for item in sums), Fraction(0))
    shares = tuple(item.share / whole / item.count for item in sums)
    each = tuple(share for share, item in zip(shares, sums, strict=True) for _ in range(item.count))
    changed = relation is Relation.CHANGE_ONE
    found: list[tuple[float, tuple[AdditiveNoise, ...]]] = []
    for kind in NOISES if noise is None else (noise,):
        strength = affordable(kind, budget, each)
        if strength is None:
            continue
        norm = OFFERED[kind].norm
        made = mechanisms(kind, strength, shares, [item.distance(norm, changed=changed) for item in sums])
        # The larger a share, the more its noise matters.
        size = sum(float(item.share / whole) * np.log(spread(one)) for item, one in zip(sums, made, strict=True))
        found.append((size, made))
    if not found:
        raise refuse.needs_delta(f"{noise} noise" if noise else "This price")
    return Noisy(tuple(sums), min(found, key=lambda pair: pair[0])[1])


def divided(price: Price, share: Fraction) -> tuple[Price, Price]:
    """A price in two parts that together cost no more: the first without a δ, the second this share with it.

    ε and ρ add up, and so do the squares of μ.

    >>> [str(part) for part in divided(Price.of(epsilon=1), Fraction(1, 4))]
    ['ε = 0.75', 'ε = 0.25']
    """
    parts = (1 - share, share)
    if price.mu is not None:
        large, small = (price.mu * Fraction(isqrt(int(part * _FINE**2)), _FINE) for part in parts)
        return Price(mu=large), Price(mu=small, delta=price.delta)
    if price.rho is not None:
        return Price(rho=price.rho * parts[0]), Price(rho=price.rho * share, delta=price.delta)
    assert price.epsilon is not None
    return Price(epsilon=price.epsilon * parts[0]), Price(epsilon=price.epsilon * share, delta=price.delta)


def pure_of(price: Price) -> Fraction:
    """The largest ε, to a part in a million, whose pure loss costs no more than the price.

    >>> float(pure_of(Price.of(rho="0.5")))  # ε tanh(ε/2) = 1/2
    1.04...
    """
    if price.epsilon is not None:
        return price.epsilon
    budget = budget_of(price)
    low, high = Fraction(0), Fraction(64)
    while high - low > high / 10**6:
        middle = (low + high) / 2
        fits = convert(Pure(epsilon=middle), type(budget)).fits(budget)
        low, high = (middle, high) if fits else (low, middle)
    return low
