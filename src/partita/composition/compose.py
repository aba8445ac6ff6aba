"""Composing a plan fixed beforehand, by one theorem or by the best of all."""

from __future__ import annotations

import math
from dataclasses import replace

from partita.composition.guarantee import Guarantee, made
from partita.composition.plan import Plan, Release, has_pairs
from partita.composition.rules import advanced, basic, central_limit, gdp, optimal, pld, renyi, zcdp
from partita.composition.rules.base import Rule
from partita.composition.rules.prices import prices
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
# With so many distinct events or fewer, every theorem is tried beside the exact one.
_FEW = 24


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
    is proven and says by which theorem.

    >>> from partita.mechanisms.laplace import Laplace
    >>> from partita.mechanisms.gaussian import GaussianNoise
    >>> total = compose([(Laplace(epsilon="0.1"), 100), GaussianNoise(sigma=10)], delta=1e-6)
    >>> round(total.epsilon, 4), total.method
    (4.7221, 'pld')
    """
    if method not in METHODS:
        raise refuse.unknown_method(method, METHODS)
    plan = Plan.of(events, relation)
    wanted = exact(delta, "delta")
    if not 0 <= wanted < 1:
        raise refuse.delta_out_of_range(delta)
    target = float_down(wanted)
    found = _best(plan, target) if method == "best" else _by(RULES[method], plan, target)
    # Certified at the float just below; shown as the caller wrote it.
    return replace(found, delta=float(wanted))


def _best(plan: Plan, delta: float) -> Guarantee:
    """The least of everything that is proven."""
    exactly = has_pairs(plan)
    if delta == 0.0:
        return _without_delta(plan, "best")
    found = [_by(pld.RULE, plan, delta)] if exactly else []
    if not exactly or len(plan.events) <= _FEW:
        # A mechanism may have a closed form that its pair does not show; without pairs there is nothing else.
        others = (basic.RULE, zcdp.RULE, renyi.RULE, gdp.RULE) if not exactly else _beside(plan)
        for rule in others:
            try:
                found.append(_by(rule, plan, delta))
            except NotProven as reason:
                refusal = reason
    if not found:
        raise refusal
    return min(found, key=lambda guarantee: guarantee.epsilon)


def _beside(plan: Plan) -> tuple[Rule, ...]:
    """The theorems that might beat the exact composition of pairs that are themselves only bounds."""
    for part in plan.parts:
        if isinstance(part, Release) and part.mechanism.kind not in _EXACT:
            return (zcdp.RULE, renyi.RULE)
    return ()


# Mechanisms whose pair is their exact curve, so that no other theorem can give less. A bare loss stands for the worst
# mechanism of its kind, which is what its pair is.
_EXACT = frozenset({"laplace", "gaussian", "randomized_response", "subsampled", "geometric", "discrete_gaussian"})


def _by(rule: Rule, plan: Plan, delta: float) -> Guarantee:
    """The guarantee of one theorem."""
    if delta == 0.0:
        return _without_delta(plan, rule.method)
    if not plan.events:
        return made(rule, plan, 0.0, delta, basic.RULE.read(plan, delta))
    curve = rule.read(plan, delta)
    epsilon = curve.least(delta)
    if math.isinf(epsilon):
        raise refuse.delta_taken(delta, curve.upper(1e300))
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
