"""Prices: what may be lost through one answer, how it is divided among blocks, and which noise it buys."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Final, TypedDict, final

from partita.errors import NotProven, PartitaError
from partita.errors.query import prices as refuse
from partita.exact import Number, fraction_up, positive, probability
from partita.mechanisms.additive import AdditiveNoise
from partita.mechanisms.base import Mechanism
from partita.mechanisms.gaussian import GaussianNoise, decimal_up
from partita.mechanisms.laplace import Laplace
from partita.theory import numerics
from partita.theory.distance import Distance
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.base import Measure
from partita.theory.measures.pure import Pure
from partita.theory.measures.zcdp import ZCDP

# The noises that answers are offered with: a choice of the planner, which the second opinion has to know too.
OFFERED: Final[dict[str, type[AdditiveNoise]]] = {one.kind: one for one in (Laplace, GaussianNoise)}
NOISES: Final = tuple(OFFERED)
SHARES: Final = 1000
# Of the denominator of a loss; beyond it is rounded up.
LONGEST_BITS: Final = 4096


class Prices(TypedDict, total=False):
    """Keywords for a price; whoever takes them hands them on to :meth:`Price.of`."""

    epsilon: Number | None
    rho: Number | None
    mu: Number | None
    delta: Number | None


@final
@dataclass(frozen=True, slots=True)
class Price:
    """What an answer may cost, as the caller said it: one of ε, ρ and μ, exactly.

    >>> Price.of(rho="0.01")
    Price(epsilon=None, rho=Fraction(1, 100), mu=None, delta=None)
    """

    epsilon: Fraction | None = None
    rho: Fraction | None = None
    mu: Fraction | None = None
    delta: Fraction | None = None

    @classmethod
    def of(
        cls,
        *,
        epsilon: Number | None = None,
        rho: Number | None = None,
        mu: Number | None = None,
        delta: Number | None = None,
    ) -> Price:
        """The price, if exactly one was given and it can be used."""
        given = {"epsilon": epsilon, "rho": rho, "mu": mu}
        named = [name for name, value in given.items() if value is not None]
        if not named:
            raise refuse.no_price()
        if len(named) > 1:
            raise refuse.several_prices(named)
        exactly = {name: positive(value, name) for name, value in given.items() if value is not None}
        return cls(**exactly, delta=None if delta is None else probability(delta, "delta"))

    def times(self, share: Fraction, whole: Measure) -> Price:
        """A share of this price, without its δ, where the whole is what it comes to in the measure of a promise."""
        if isinstance(whole, ZCDP):
            return Price(rho=share * whole.rho)
        return Price(epsilon=share * whole.vector()[0])

    def within(self, budget: Measure) -> Measure:
        """The price in the measure of a promise: what its account may be charged for this answer.

        An ε is what an ε-private Laplace answer costs there; a ρ or μ is what a Gaussian answer of that loss costs,
        under (ε, δ) with the δ that was given.

        >>> from partita.theory.measures.gdp import GDP
        >>> Price.of(rho="0.01").within(GDP(mu=1)).vector()
        (Fraction(1, 50),)
        """
        if self.delta is not None and not isinstance(budget, Approximate):
            raise refuse.delta_without_use(budget.symbol)
        if isinstance(budget, Approximate):
            if self.epsilon is None and self.delta is not None:
                return _gaussian_at(self.rho, self.mu, self.delta)
            if self.epsilon is None:
                raise refuse.price_not_in_measure(str(self), budget.symbol, "epsilon=, with delta= for Gaussian noise")
            return budget.like([self.epsilon, self.delta or Fraction(0)])
        try:
            return _translated(self.epsilon, self.rho, self.mu, type(budget))
        except NotProven:
            raise refuse.price_not_in_measure(str(self), budget.symbol, "epsilon=") from None

    def document(self) -> dict[str, str]:
        """The price as plain data.

        >>> Price.of(rho="0.01").document()
        {'rho': '1/100'}
        """
        given = {"epsilon": self.epsilon, "rho": self.rho, "mu": self.mu, "delta": self.delta}
        return {name: str(value) for name, value in given.items() if value is not None}

    def __str__(self) -> str:
        for symbol, value in (("ε", self.epsilon), ("ρ", self.rho), ("μ", self.mu)):
            if value is not None:
                return f"{symbol} = {float(value):g}"
        return "no price"


@lru_cache(maxsize=1024)
def _translated(epsilon: Fraction | None, rho: Fraction | None, mu: Fraction | None, kind: type[Measure]) -> Measure:
    if epsilon is not None:
        return Laplace(epsilon=epsilon).cost(Distance.l1(1), kind)
    if rho is not None:
        if kind is ZCDP:
            return ZCDP(rho=rho)
        return GaussianNoise(sigma=Fraction(1)).cost(Distance.l2_squared(2 * rho), kind)
    assert mu is not None
    return GaussianNoise(sigma=Fraction(1)).cost(Distance.l2(mu), kind)


@lru_cache(maxsize=1024)
def _gaussian_at(rho: Fraction | None, mu: Fraction | None, delta: Fraction) -> Measure:
    shift = Distance.l2(mu) if mu is not None else Distance.l2_squared(2 * (rho or Fraction(0)))
    return GaussianNoise(sigma=Fraction(1)).cost(shift, Approximate, delta=delta)


@lru_cache(maxsize=4096)
def affordable(noise: str, budget: Measure, shares: tuple[Fraction, ...]) -> Fraction | None:
    """How strong a noise the budget buys for blocks at distance one that share it, or None if it buys none.

    Laplace: the total ε, of which each block has its share. Gaussian: the total squared shift μ², likewise. Found by
    closed form where there is one, otherwise by bisection, always on the side that costs less, and checked forward.
    """
    try:
        if noise == "gaussian":
            return 1 / GaussianNoise.for_budget(budget, Distance.l2(1)).sigma ** 2
        if isinstance(budget, Pure | Approximate):
            return budget.epsilon
        return 1 / _least_scale(budget, shares)
    except PartitaError:
        return None


def _least_scale(budget: Measure, shares: tuple[Fraction, ...]) -> Fraction:
    counted = Counter(shares)

    def total(scale: Fraction) -> Measure:
        found = _nothing(budget)
        for share, count in counted.items():
            found = found + Laplace(scale=scale / share).cost(Distance.l1(1), type(budget)).times(count)
        return found

    def ratio(scale: Fraction) -> float:
        pairs = zip(total(scale).vector(), budget.vector(), strict=True)
        return max(float(part / whole) for part, whole in pairs if whole)

    return decimal_up(numerics.least_positive(lambda scale: total(scale).fits(budget), ratio=ratio))


def mechanisms(
    noise: str, strength: Fraction, shares: Sequence[Fraction], distances: Sequence[Distance]
) -> tuple[AdditiveNoise, ...]:
    """The noise for each block, at its own distance and with its own share; rounded towards more noise.

    >>> mechanisms("laplace", Fraction(1, 10), [Fraction(1)], [Distance.l1(2)])
    (Laplace(scale=Fraction(20, 1)),)
    """
    made: list[AdditiveNoise] = []
    for share, distance in zip(shares, distances, strict=True):
        if noise == "laplace":
            made.append(Laplace(scale=_short(distance.power / (share * strength))))
        else:
            made.append(GaussianNoise(sigma=_root(distance.power / (share * strength))))
    return tuple(made)


def total_cost(parts: Sequence[tuple[Mechanism, Distance]], budget: Measure, delta: Fraction | None = None) -> Measure:
    """What the parts of one release cost together, in the measure of a promise.

    Independent noises compose, so losses add; Gaussian noises of unlike sizes are one Gaussian noise after
    rescaling, so an (ε, δ) is read off their common curve.
    """
    if isinstance(budget, Approximate):
        shifts = [part.shift(distance) for part, distance in parts]
        costs = [
            _cost(part, distance, Approximate, None)
            for (part, distance), own in zip(parts, shifts, strict=True)
            if own is None
        ]
        shift = sum((own for own in shifts if own is not None), Fraction(0))
        if shift:
            costs.append(_cost(GaussianNoise(sigma=Fraction(1)), Distance.l2_squared(shift), Approximate, delta))
        return _written_short(sum(costs, start=_nothing(budget)))
    total = _nothing(budget)
    for part, distance in parts:
        total = total + _cost(part, distance, type(budget), None)
    return _written_short(total)


def _written_short(loss: Measure) -> Measure:
    """The same loss, or one a very little larger where many parts together would take thousands of digits to write."""
    amounts = loss.vector()
    if all(amount.denominator.bit_length() <= LONGEST_BITS for amount in amounts):
        return loss
    return loss.like([fraction_up(amount, LONGEST_BITS) for amount in amounts])


def _nothing(budget: Measure) -> Measure:
    return budget.zero()


@lru_cache(maxsize=4096)
def _cost(part: Mechanism, distance: Distance, kind: type[Measure], delta: Fraction | None) -> Measure:
    if delta is not None:
        return part.cost(distance, kind, delta=delta)
    if kind is Approximate:
        return Approximate(epsilon=part.cost(distance, Pure).epsilon, delta=Fraction(0))
    return part.cost(distance, kind)


def part_of(budget: Measure, share: Fraction) -> Measure:
    """A share of a budget, in its own measure; a δ stays whole, for only one kind of part can use it.

    >>> part_of(ZCDP(rho="0.1"), Fraction(1, 2))
    ZCDP(rho=Fraction(1, 20), delta=Fraction(0, 1))
    """
    if isinstance(budget, Approximate | ZCDP):
        first, delta = budget.vector()
        return budget.like([share * first, delta])
    return budget.like([share * part for part in budget.vector()])


def divided(weights: Sequence[float], power: float) -> tuple[Fraction, ...]:
    """Shares of a price in proportion to a power of the weights: exact, in thousandths, none of them zero.

    >>> divided([1.0, 1.0], 1 / 3)
    (Fraction(1, 2), Fraction(1, 2))
    """
    raw = [max(weight, 0.0) ** power for weight in weights]
    whole = sum(raw)
    if whole == 0:
        return tuple(Fraction(1, len(weights)) for _ in weights)
    parts = [max(1, round(SHARES * part / whole)) for part in raw]
    return tuple(Fraction(part, sum(parts)) for part in parts)


def _short(scale: Fraction) -> Fraction:
    """The same scale, or one a little larger where it would be long to write."""
    return scale if max(scale.numerator, scale.denominator).bit_length() <= 96 else decimal_up(scale)


def _root(square: Fraction) -> Fraction:
    return decimal_up(numerics.upper(lambda: numerics.ball(square).sqrt()))
