"""The largest strength with which a plan stays within a total: searched on contours, verified by composing."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from fractions import Fraction

import numpy as np

from partita.composition.guarantees.compose import RULES, compose
from partita.composition.guarantees.guarantee import is_exact
from partita.composition.numerics import saddle
from partita.composition.numerics.contour import alias_period
from partita.composition.numerics.curve import Numeric, profile
from partita.composition.numerics.saddle import Saddle
from partita.composition.numerics.total import Total
from partita.composition.plans.plan import Plan, has_pairs
from partita.effort import spend_composing
from partita.errors import NotProven, PartitaError
from partita.errors import composition as refuse
from partita.exact import float_down
from partita.granularity.base import Granularity, Relation
from partita.theory.losses.outward import floats

# Steps that composing the plan once may take.
_ATTEMPT = 40_000
Events = Callable[[float], Sequence[object]]


def largest(
    plan: Events,
    epsilon: Fraction,
    delta: Fraction,
    method: str,
    relation: Relation | Granularity | str | None,
    guess: float,
) -> float:
    """The largest strength whose total is at most ε, from below; every answer was composed and found to fit."""
    target = float_down(epsilon)
    total = _totals(plan, delta, method, relation)
    close = 1e-9
    if method in ("best", "pld") and delta > 0:
        near = None
        with suppress(PartitaError):
            near = guide(lambda at: Plan.protecting(plan(at), relation), target, float_down(delta), guess, method)
        if near is not None:
            # Where the transform comes back for ever the certified total is a little above the truth.
            strength, smooth = near
            for share in (1e-8, 1.2e-5, 6e-5)[0 if smooth else 1 :]:
                x = short(strength * (1 - share))
                found = total(x)
                if target * (1 - 3e-5) <= found <= target:
                    return x
                if found < target:
                    # The guide was off; what was found is a better one.
                    break
            guess, close = strength * (1 - 1e-5), 2e-5
    low, high = 0.0, math.inf
    x = short(guess)
    log_x, log_total = math.nan, math.nan
    for _ in range(80):
        found = total(x)
        if found <= target:
            low = max(low, x)
            if found >= target * (1 - close):
                break
        else:
            high = min(high, x)
        if high <= low * (1 + 1e-10):
            break
        # The total is nearly a power of the strength: the secant of the logarithms, kept between the guards.
        point = (math.log(x), math.log(max(found, 1e-300) / target))
        slope = (point[1] - log_total) / (point[0] - log_x) if log_x == log_x and point[0] != log_x else 1.0
        slope = slope if 0.05 < slope < 20 else 1.0
        log_x, log_total = point
        aim = min(max(point[0] - point[1] / slope - 3e-10 / slope, -690.0), 690.0)
        tried = math.exp(aim) if math.isfinite(found) else x / 4
        if not low < tried < high:
            tried = math.sqrt(low * high) if low > 0 and math.isfinite(high) else (x * 2 if high == math.inf else x / 2)
        x = short(tried)
    if low == 0.0:
        raise refuse.cannot_calibrate(
            "release", f"even very little is more than ε = {target:g} at δ = {float(delta):g}."
        )
    return low


def guide(
    plan: Callable[[float], Plan], epsilon: float, delta: float, guess: float, method: str
) -> tuple[float, bool] | None:
    """About the largest strength whose δ at ε is as asked, and whether the total is smooth; nothing where none suits.

    A secant on the sum over the main part of a contour. It proves nothing.
    """
    goal = math.log(delta)
    x, place, period = short(guess), None, 0.0
    before: tuple[float, float] | None = None
    for turn in range(10):
        made = plan(x)
        if turn == 0 and not _exactly(made, method):
            return None
        total = made.totals[0]
        if len(made.totals) != 1 or (turn == 0 and not isinstance(profile(total), Numeric)):
            return None
        place = saddle.for_delta(total, delta) if place is None else saddle.around(total, place.c, epsilon)
        if before is None:
            period = alias_period(total, place, delta)
        here = (math.log(x), _rough(total, place, epsilon, period) - goal)
        # To begin with, as for a normal loss with mean ρ: log δ is about -(ε - ρ)²/4ρ, and ρ goes with the square.
        rise = place.c * (epsilon + total.variance / 2)
        slope = rise if before is None else (here[1] - before[1]) / (here[0] - before[0])
        if not slope > 0:
            return None
        step = -here[1] / slope
        place = place if abs(step) < 0.3 else None
        x, before = x * math.exp(max(-1.0, min(1.0, step))), here
        # Secants converge fast: the next step would be about the square of this one.
        if abs(step) < 1e-4 and turn > 0:
            return x, math.isinf(total.maximum)
        if here[0] == math.log(x):
            return x, math.isinf(total.maximum)
    return None


def _rough(total: Total, place: Saddle, epsilon: float, period: float) -> float:
    """About log δ(ε): the contour sum as far as the transform of a nearly normal loss reaches, and no further."""
    step = 2 * math.pi / max(period, 9 * math.sqrt(total.variance))
    nodes = 8 + math.ceil(8 / math.sqrt(total.variance) / step)
    spend_composing(nodes)
    t = floats(np.arange(1, nodes) * step)
    ratio, _ = total.batch.ratio(place.c, t)
    s = place.c + 1j * t
    whole = 1 + 2 * float((place.c * (place.c + 1) / (s * (s + 1)) * ratio * np.exp(-1j * t * epsilon)).real.sum())
    height = (
        place.cumulants[0]
        if place.orders[0] == place.c
        else place.cumulants[int(np.argmin(abs(place.orders - place.c)))]
    )
    value = max(whole * step / (2 * math.pi), 1e-300)
    return math.log(value) + float(height) - place.c * epsilon - math.log(place.c * (place.c + 1))


def _totals(
    plan: Events, delta: Fraction, method: str, relation: Relation | Granularity | str | None
) -> Callable[[float], float]:
    """The total ε as a function of the strength; infinite where no total is proven."""
    target = float_down(delta)

    def total(strength: float) -> float:
        try:
            spend_composing(_ATTEMPT)
            made = Plan.protecting(plan(strength), relation)
            if target > 0 and _exactly(made, method):
                # Too many releases for that have a total all the same.
                with suppress(NotProven):
                    return RULES["pld"].read(made, target).least(target)
            return compose(made, delta=delta, method=method).epsilon
        except PartitaError:
            # With no steps left no other strength is tried either.
            spend_composing(0)
            return math.inf

    return total


def _exactly(plan: Plan, method: str) -> bool:
    """Whether exact composition gives the least total: always where every pair is the exact curve of its release."""
    if method not in ("best", "pld") or not has_pairs(plan):
        return False
    return method == "pld" or all(map(is_exact, plan.parts))


def short(number: float) -> float:
    """A float with few decimal digits, not above the number: parameters that people can read."""
    return float(f"{number * (1 - 1e-13):.14g}") if number > 0 and math.isfinite(number) else number
