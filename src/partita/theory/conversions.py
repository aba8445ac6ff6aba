"""Which measure gives which: every proven direction with its theorem, every other with the reason there is none."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Protocol, Self, TypeVar

from partita.calls import called
from partita.errors import theory as refuse
from partita.exact import Number, float_up, nonnegative
from partita.theory import numerics
from partita.theory.losses.gaussian import GaussianLoss
from partita.theory.losses.pair import Pair
from partita.theory.losses.randomized_response import RandomizedResponseLoss
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.base import Measure
from partita.theory.measures.gdp import GDP
from partita.theory.measures.profile import Profile, profile_of_curve
from partita.theory.measures.pure import Pure
from partita.theory.measures.renyi import ORDERS, Renyi
from partita.theory.measures.zcdp import ZCDP
from partita.theory.numerics import ball, normal_quantile


class Groupable(Protocol):
    """Anything that has a rule for groups: a loss, or a composed guarantee."""

    def group(self, k: int) -> Self:
        """The same for k steps at once."""


Group = TypeVar("Group", bound=Groupable)


@called
def convert(loss: Measure, to: type[Measure], *, delta: Number | None = None, epsilon: Number | None = None) -> Measure:
    """The loss read in another measure, by theorem; a refusal with the reason where there is none.

    To (ε, δ) say at which δ (or at which ε): ``convert(loss, to=Approximate, delta="1e-6")``.

    >>> convert(Pure(epsilon=1), to=ZCDP).fits(ZCDP(rho="0.4622"))
    True
    """
    if not isinstance(loss, Measure):
        raise refuse.not_a_loss("loss", loss)
    if not (isinstance(to, type) and issubclass(to, Measure)):
        raise refuse.not_a_measure(to)
    if to is Approximate:
        return _to_approximate(loss, delta, epsilon)
    if delta is not None or epsilon is not None:
        raise refuse.needless_delta(to.symbol)
    if type(loss) is to:
        return loss
    if to in _ZEROS and loss.is_zero():
        return _ZEROS[to]
    way = _WAYS.get((type(loss), to))
    # A measure of its own file knows its own theorems.
    found = way(loss) if way is not None else loss.gives(to) or to.given_by(loss)
    if found is None:
        raise refuse.no_conversion(loss.symbol, to.symbol, _why_not(type(loss), to))
    return found


def group_privacy(guarantee: Group, k: int) -> Group:
    """The guarantee for any k steps at once: a family of four, all rows of a household (theory B19).

    >>> group_privacy(Pure(epsilon="0.5"), 4)
    Pure(epsilon=Fraction(2, 1))
    """
    if not hasattr(guarantee, "group"):
        raise refuse.not_a_loss("guarantee", guarantee)
    return guarantee.group(k)


def pure_to_rho(epsilon: Fraction) -> Fraction:
    """ρ = ε tanh(ε/2), tight (theory B10), rounded up.

    >>> round(float(pure_to_rho(Fraction(1))), 9)
    0.462117157
    """
    return numerics.upper(lambda: ball(epsilon) * (ball(epsilon) / 2).tanh()) if epsilon else Fraction(0)


def pure_to_tau(epsilon: Fraction, order: Fraction) -> Fraction:
    """The Rényi divergence of randomised response, tight for pure ε (theory B9), rounded up.

    >>> round(float(pure_to_tau(Fraction(1), Fraction(2))), 9)
    0.735325664
    """
    if epsilon == 0:
        return Fraction(0)
    gap = order - 1
    tau = numerics.upper(
        lambda: (
            ball(epsilon)
            - ((1 + (-ball(epsilon)).exp()) / (1 + (-ball(2 * order - 1) * ball(epsilon)).exp())).log() / ball(gap)
        )
    )
    return min(epsilon, tau)


def pure_to_mu(epsilon: Fraction) -> Fraction:
    """μ = -2 Φ⁻¹(1/(1+e^ε)), tight (theory B11), rounded up.

    >>> round(float(pure_to_mu(Fraction(1))), 9)
    1.232035385
    """
    if epsilon == 0:
        return Fraction(0)
    return numerics.upper(lambda: -2 * normal_quantile(1 / (1 + ball(epsilon).exp())))


def _to_approximate(loss: Measure, delta: Number | None, epsilon: Number | None) -> Measure:
    if delta is not None and epsilon is not None:
        raise refuse.both_epsilon_and_delta()
    if delta is not None:
        wanted = nonnegative(delta, "delta")
        if wanted >= 1:
            raise refuse.delta_too_large(float(wanted))
        found = loss.epsilon_at(wanted)
        # Below ε = 0 there is nothing to claim: the δ that is really there is the one to state.
        return _reading(found, wanted if found else min(wanted, loss.delta_at(Fraction(0))))
    if epsilon is not None:
        wanted = nonnegative(epsilon, "epsilon")
        return _reading(wanted, loss.delta_at(wanted))
    if isinstance(loss, Approximate):
        return loss
    if isinstance(loss, Pure):
        return Approximate(epsilon=loss.epsilon, delta=Fraction(0))
    raise refuse.needs_delta(loss.symbol)


def _reading(epsilon: Fraction, delta: Fraction) -> Approximate:
    """A point of a curve; unlike a declared promise it may have ε = 0 with a δ."""
    return Approximate(epsilon=Fraction(1), delta=Fraction(0)).like([epsilon, delta])


def _without_delta(loss: Approximate | ZCDP, to: type[Measure]) -> None:
    if loss.delta:
        raise refuse.no_conversion(loss.symbol, to.symbol, _CARRIES_DELTA)


def _approximate_to_pure(loss: Measure) -> Measure:
    assert isinstance(loss, Approximate)
    _without_delta(loss, Pure)
    return Pure(epsilon=loss.epsilon)


def _pure_part(loss: Measure, to: type[Measure]) -> Pure:
    if isinstance(loss, Approximate):
        _without_delta(loss, to)
        return Pure(epsilon=loss.epsilon)
    assert isinstance(loss, Pure)
    return loss


def _to_zcdp(loss: Measure) -> Measure:
    assert isinstance(loss, Pure | Approximate)
    delta = loss.delta if isinstance(loss, Approximate) else Fraction(0)
    return ZCDP(rho=pure_to_rho(loss.epsilon), delta=delta)


def _pure_to_renyi(loss: Measure) -> Measure:
    pure = _pure_part(loss, Renyi)
    return Renyi(orders=ORDERS, taus=[pure_to_tau(pure.epsilon, order) for order in ORDERS])


def _pure_to_gdp(loss: Measure) -> Measure:
    return GDP(mu=pure_to_mu(_pure_part(loss, GDP).epsilon))


def _zcdp_to_renyi(loss: Measure) -> Measure:
    assert isinstance(loss, ZCDP)
    _without_delta(loss, Renyi)
    return Renyi(orders=ORDERS, taus=[loss.rho * order for order in ORDERS])


def _gdp_to_zcdp(loss: Measure) -> Measure:
    assert isinstance(loss, GDP)
    return ZCDP(rho=loss.squared / 2)


def _gdp_to_renyi(loss: Measure) -> Measure:
    return _zcdp_to_renyi(_gdp_to_zcdp(loss))


def _response_profile(loss: Measure) -> Measure:
    """Randomised response, leaky by δ, is the worst of all (ε, δ)-private mechanisms (theory B8)."""
    assert isinstance(loss, Pure | Approximate)
    leak = loss.delta if isinstance(loss, Approximate) else Fraction(0)
    return Profile(Pair.of(RandomizedResponseLoss(float_up(loss.epsilon), float_up(leak))))


def _gaussian_profile(loss: Measure) -> Measure:
    assert isinstance(loss, GDP)
    return Profile(Pair.of(GaussianLoss(float_up(loss.mu))))


def _curve_profile(loss: Measure) -> Measure:
    carried = loss.delta if isinstance(loss, ZCDP) else Fraction(0)
    return profile_of_curve(loss.delta_at, loss.epsilon_at(carried + (1 - carried) / 10**18))


def _profile_to_pure(loss: Measure) -> Measure:
    assert isinstance(loss, Profile)
    directions = [law for _, law in loss.pair.directions()]
    if any(law.infinity or not math.isfinite(law.maximum) for law in directions):
        raise refuse.no_conversion(loss.symbol, Pure.symbol, _UNBOUNDED)
    return Pure(epsilon=max(Fraction(0), *(Fraction(law.maximum) for law in directions)))


_WAYS: dict[tuple[type[Measure], type[Measure]], Callable[[Measure], Measure]] = {
    (Pure, ZCDP): _to_zcdp,
    (Pure, Renyi): _pure_to_renyi,
    (Pure, GDP): _pure_to_gdp,
    (Approximate, Pure): _approximate_to_pure,
    (Approximate, ZCDP): _to_zcdp,
    (Approximate, Renyi): _pure_to_renyi,
    (Approximate, GDP): _pure_to_gdp,
    (ZCDP, Renyi): _zcdp_to_renyi,
    (GDP, ZCDP): _gdp_to_zcdp,
    (GDP, Renyi): _gdp_to_renyi,
    (Pure, Profile): _response_profile,
    (Approximate, Profile): _response_profile,
    (GDP, Profile): _gaussian_profile,
    (ZCDP, Profile): _curve_profile,
    (Renyi, Profile): _curve_profile,
    (Profile, Pure): _profile_to_pure,
}

_ZEROS: dict[type[Measure], Measure] = {
    Pure: Pure(epsilon=Fraction(0)),
    ZCDP: ZCDP(rho=Fraction(0)),
    GDP: GDP(mu=0),
    Renyi: Renyi(orders=ORDERS, taus=[Fraction(0)] * len(ORDERS)),
    Profile: Profile(Pair.of(RandomizedResponseLoss(0.0))),
}

_CARRIES_DELTA = "it carries a δ, on which the loss may be infinite (theory B17)."
_UNBOUNDED = "its privacy loss may be unbounded, so no ε holds on every output."
_NOT_GAUSSIAN = (
    "a bound on Rényi divergences does not order the whole trade-off curve; randomised response is a counterexample "
    "(theory B12)."
)
_FINITE_GRID = "a curve known at some orders says nothing of the others."
_CURVE = (
    "a curve known numerically gives no such bound: its supremum on a grid is neither above nor below (theory B18)."
)


def _why_not(source: type[Measure], target: type[Measure]) -> str:
    match source.kind, target.kind:
        case "profile", _:
            return _CURVE
        case _, "pure":
            return _UNBOUNDED
        case (("zcdp" | "renyi"), "gdp"):
            return _NOT_GAUSSIAN
        case "renyi", "zcdp":
            return _FINITE_GRID
        case _:
            return "no theorem gives it."
