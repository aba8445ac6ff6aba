"""Composing a plan fixed beforehand, by one theorem or by the best of all."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

from partita.calls import called
from partita.composition.guarantees.guarantee import Guarantee, carried, is_exact, made
from partita.composition.numerics.atoms import Enumeration
from partita.composition.numerics.binomial import Binomial
from partita.composition.numerics.curve import Single
from partita.composition.numerics.gaussians import Gaussians
from partita.composition.plans.plan import Plan, has_pairs
from partita.composition.rules import advanced, basic, central_limit, gdp, optimal, pld, renyi, zcdp
from partita.composition.rules.base import Least, Rule
from partita.composition.rules.prices import prices, stated
from partita.errors import NotProven
from partita.errors import composition as refuse
from partita.exact import Number, exact, float_down, float_up
from partita.granularity.base import Granularity, Relation
from partita.theory.measures.pure import Pure

RULES: dict[str, Rule] = {
    rule.method: rule
    for rule in (
        basic.RULE,
        advanced.RULE,
        optimal.RULE,
        zcdp.RULE,
        renyi.RULE,
        gdp.RULE,
        pld.RULE,
        central_limit.RULE,
    )
}
METHODS = ("best", *RULES)
# With so many events or fewer, theorems that price each by itself are tried beside the exact one.
_FEW = 24


@called
def compose(
    events: object,
    *,
    delta: Number = 0,
    method: str = "best",
    relation: Relation | Granularity | str | None = None,
) -> Guarantee:
    """What all these releases together give away, for a plan fixed beforehand.

    An event is a mechanism (neighbours at distance 1 in its norm), ``(mechanism, count)``, ``mechanism.at(distance)``,
    or a bare loss, which stands for every mechanism that loses no more. ``method="best"`` returns the least bound that
    is proven and says by which theorem. Distances and losses are those of one row that comes or goes (or changes);
    ``relation`` may be a unit of several rows, such as ``pt.users("patient", rows=3)``, whose steps are then counted.

    >>> from partita.mechanisms.laplace import Laplace
    >>> from partita.mechanisms.gaussian import GaussianNoise
    >>> total = compose([(Laplace(epsilon="0.1"), 100), GaussianNoise(sigma=10)], delta=1e-6)
    >>> round(total.epsilon, 4), total.method
    (4.7221, 'pld')
    """
    if method not in METHODS:
        raise refuse.unknown_method(method, METHODS)
    plan = Plan.protecting(events, relation)
    wanted = exact(delta, "delta")
    if not 0 <= wanted < 1:
        raise refuse.delta_out_of_range(delta)
    target = float_down(wanted)
    try:
        found = _best(plan, target) if method == "best" else _by(RULES[method], plan, target)
    except NotProven:
        exactly = _as_stated(plan, wanted) if method in ("best", "basic") and target > 0 else None
        if exactly is None:
            raise
        found = exactly
    # Certified at the float just below; shown as the caller wrote it.
    return replace(found, delta=float(wanted))


def _best(plan: Plan, delta: float) -> Guarantee:
    """The least of everything that is proven; its profile is the least of all that were read."""
    if delta == 0.0:
        return _without_delta(plan, "best")
    found, refusal = _tried(_candidates(plan), plan, delta)
    if len(found) == 1 and isinstance(found[0].curve, _CLOSED) and all(map(is_exact, plan.parts)):
        # A closed form of exact curves: no theorem can give less.
        return found[0]
    if not found:
        # Too many to be summed exactly: their divergences can be.
        found, _ = _tried((renyi.RULE,), plan, delta)
    if not found:
        assert refusal is not None
        raise refusal
    least = min(found, key=lambda guarantee: guarantee.epsilon)
    return least if len(found) == 1 else replace(least, curve=Least(tuple(one.curve for one in found)))


def _tried(rules: tuple[Rule, ...], plan: Plan, delta: float) -> tuple[list[Guarantee], NotProven | None]:
    """What each theorem gives, and the first refusal."""
    found: list[Guarantee] = []
    refusal: NotProven | None = None
    for rule in rules:
        try:
            found.append(_by(rule, plan, delta))
        except NotProven as reason:
            refusal = refusal or reason
    return found, refusal


def _candidates(plan: Plan) -> tuple[Rule, ...]:
    """The theorems to try, the exact one first; those that price each release by itself only for few of them."""
    if has_pairs(plan):
        # The exact method reads Rényi divergences too where it has to, so they are not tried beside it.
        bounds = len(plan.events) <= _FEW and not all(map(is_exact, plan.parts))
        return (pld.RULE, basic.RULE, zcdp.RULE) if bounds else (pld.RULE,)
    return (basic.RULE, zcdp.RULE, renyi.RULE, gdp.RULE)


_CLOSED = (Single, Gaussians, Binomial, Enumeration)


def _as_stated(plan: Plan, delta: Fraction) -> Guarantee | None:
    """The sums of stated ε and δ, compared with δ as the caller wrote it and not as a float below it."""
    priced = stated(plan)
    if priced is None or sum((price.count * price.delta for price in priced), Fraction(0)) > delta:
        return None
    epsilon = float_up(sum((price.count * price.epsilon for price in priced), Fraction(0)))
    return made(basic.RULE, plan, epsilon, float_up(delta), basic.RULE.read(plan, float_up(delta)))


def _by(rule: Rule, plan: Plan, delta: float) -> Guarantee:
    """The guarantee of one theorem."""
    if delta == 0.0:
        return _without_delta(plan, rule.method)
    if not plan.events:
        return made(rule, plan, 0.0, delta, basic.RULE.read(plan, delta))
    try:
        curve = rule.read(plan, delta)
        epsilon = curve.least(delta)
    except OverflowError:
        releases = f"A plan of {plan.size} releases"
        raise refuse.no_total(releases, rule.method, "its numbers leave the range of floats.") from None
    if math.isinf(epsilon):
        # Shown without the digits of rounding down.
        raise refuse.delta_taken(float(f"{delta:.12g}"), carried(plan, curve))
    return made(rule, plan, epsilon, delta, curve)


def _without_delta(plan: Plan, method: str) -> Guarantee:
    """δ = 0: the largest loss, which is the sum of the largest losses (theory D5)."""
    if method in ("best", "basic", "optimal", "pld", "advanced"):
        priced = prices(plan, 0.0) if _pure(plan) else None
        if priced is None or any(price.delta for price in priced):
            raise refuse.needs_delta(method)
        epsilon = float_up(sum((price.count * price.epsilon for price in priced), start=exact(0)))
        curve = pld.RULE.read(plan, 0.0) if has_pairs(plan) else basic.RULE.read(plan, 0.0)
        return made(basic.RULE, plan, epsilon, 0.0, curve)
    if not plan.parts:
        return made(RULES[method], plan, 0.0, 0.0, basic.RULE.read(plan, 0.0))
    raise refuse.needs_delta(method)


def _pure(plan: Plan) -> bool:
    for part in plan.parts:
        try:
            part.loss(Pure)
        except NotProven:
            return False
    return True
