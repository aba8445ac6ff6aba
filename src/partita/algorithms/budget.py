"""What an algorithm may cost, as the caller says it: one of ε, (ε, δ), ρ and μ."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from partita.composition.calibration.pricing import NOISES, OFFERED, Price, affordable
from partita.composition.guarantees.compose import compose
from partita.errors import PartitaError
from partita.errors import algorithms as refuse
from partita.exact import Number
from partita.mechanisms.additive import AdditiveNoise
from partita.mechanisms.base import Event
from partita.mechanisms.gaussian import GaussianNoise, decimal_up
from partita.mechanisms.laplace import Laplace
from partita.theory.distance import Distance, Norm
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.base import Measure
from partita.theory.measures.gdp import GDP
from partita.theory.measures.pure import Pure
from partita.theory.measures.zcdp import ZCDP

_STEPS = 18


def budget_of(
    *,
    epsilon: Number | None = None,
    delta: Number | None = None,
    rho: Number | None = None,
    mu: Number | None = None,
) -> Measure:
    """The budget that was meant: exactly one of ε, ρ and μ, and δ only beside ε.

    >>> budget_of(epsilon=1, delta="1e-6")
    Approximate(epsilon=Fraction(1, 1), delta=Fraction(1, 1000000))
    >>> budget_of(rho="0.5")
    ZCDP(rho=Fraction(1, 2), delta=Fraction(0, 1))
    """
    price = Price.of(epsilon=epsilon, delta=delta, rho=rho, mu=mu)
    if price.epsilon is not None:
        if price.delta is None:
            return Pure(epsilon=price.epsilon)
        return Approximate(epsilon=price.epsilon, delta=price.delta)
    if price.delta is not None:
        raise refuse.delta_beside("rho" if price.rho is not None else "mu")
    if price.rho is not None:
        return ZCDP(rho=price.rho)
    assert price.mu is not None
    return GDP(mu=price.mu)


def noise_for(budget: Measure, distance: Distance) -> AdditiveNoise:
    """The least noise, of the kind whose norm the distance has, that a single release at this distance may have.

    >>> noise_for(budget_of(epsilon=2), Distance.l1(4))
    Laplace(scale=Fraction(2, 1))
    """
    if distance.norm is Norm.L2:
        return GaussianNoise.for_budget(budget, distance)
    strength = affordable("laplace", budget, (Fraction(1),))
    if strength is None:
        raise refuse.no_such_noise("Laplace", str(budget))
    scale = distance.power / strength
    short = max(scale.numerator, scale.denominator).bit_length() <= 96
    return Laplace(scale=scale if short else decimal_up(scale))


def norm_for(budget: Measure, noise: str | None) -> tuple[Norm, ...]:
    """The norms to try: that of the noise asked for, or of every kind of noise that the budget can have.

    >>> norm_for(budget_of(epsilon=1), None)
    (<Norm.L1: 'l1'>,)
    """
    if noise is None:
        return (Norm.L1,) if isinstance(budget, Pure) else (Norm.L2, Norm.L1)
    if noise not in NOISES:
        raise refuse.unknown_choice("noise", noise, NOISES)
    if noise == "gaussian" and isinstance(budget, Pure):
        raise refuse.no_such_noise("Gaussian", str(budget))
    return (OFFERED[noise].norm,)


def strongest(budget: Measure, releases: Callable[[Fraction], Sequence[Event]], guess: float) -> Fraction:
    """Nearly the largest strength whose releases fit the budget together; what is returned was found to fit.

    Under (ε, δ) by the exact composition of all releases, as a plan fixed beforehand; otherwise by the sum in the
    budget's measure.

    >>> half = strongest(budget_of(rho="0.5"), lambda s: [Event(GaussianNoise(sigma=1 / s), Distance.l2(1), 4)], 1.0)
    >>> round(float(half), 4)
    0.5
    """

    def fits(strength: Fraction) -> bool:
        try:
            listed = releases(strength)
            if isinstance(budget, Approximate):
                return compose(listed, delta=budget.delta).epsilon <= budget.epsilon
            return sum((one.cost(type(budget)) for one in listed), start=budget.zero()).fits(budget)
        except PartitaError:
            return False

    low, high = 0.0, guess
    while fits(_short(high)) and high < guess * 1024:
        low, high = high, 2 * high
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if fits(_short(middle)) else (low, middle)
    if low == 0.0:
        raise refuse.no_such_noise("Such", str(budget))
    return _short(low)


def _short(number: float) -> Fraction:
    return Fraction(f"{number:.12g}")
