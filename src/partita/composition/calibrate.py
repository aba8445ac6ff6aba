"""The inverse problem: the least noise with which a plan stays within a promised total."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, final

import numpy as np

from partita.composition import saddle
from partita.composition.compose import METHODS, RULES, compose
from partita.composition.contour import Contour, alias_period
from partita.composition.curve import Numeric, profile
from partita.composition.gaussians import Gaussians, log_delta
from partita.composition.guarantee import Guarantee
from partita.composition.plan import Plan, has_pairs, relation_of
from partita.composition.rules import advanced
from partita.composition.saddle import Saddle
from partita.composition.total import Total
from partita.errors import PartitaError
from partita.errors import composition as refuse
from partita.errors import mechanisms as refuse_mechanism
from partita.exact import Number, exact, float_down, float_up, nonnegative, positive, whole
from partita.granularity.base import Granularity, Relation
from partita.mechanisms.base import Mechanism
from partita.mechanisms.discrete_gaussian import DiscreteGaussian
from partita.mechanisms.exponential import Exponential
from partita.mechanisms.gaussian import GaussianNoise
from partita.mechanisms.geometric import Geometric
from partita.mechanisms.laplace import Laplace
from partita.mechanisms.randomized_response import RandomizedResponse
from partita.theory.distance import Distance
from partita.theory.losses.outward import floats
from partita.theory.measures.pure import Pure

Events = Callable[[float], Sequence[object]]

# Each kind as a function of one strength, growing with the loss: about the ε (or μ) of one release at distance one.
_KNOBS: dict[type, Callable[[Fraction, dict[str, Any]], Mechanism]] = {
    Laplace: lambda strength, rest: Laplace(epsilon=strength, **rest),
    Geometric: lambda strength, rest: Geometric(epsilon=strength, **rest),
    RandomizedResponse: lambda strength, rest: RandomizedResponse(epsilon=strength, **rest),
    Exponential: lambda strength, rest: Exponential(epsilon=strength, **rest),
    GaussianNoise: lambda strength, rest: GaussianNoise(sigma=_short_up(1 / strength), **rest),
    DiscreteGaussian: lambda strength, rest: DiscreteGaussian(variance=_short_up(1 / strength**2), **rest),
}
_NAMES = tuple(kind.__name__ for kind in _KNOBS)


@final
@dataclass(frozen=True, slots=True)
class Share:
    """So many releases of one kind, which together take a share of the budget in ρ."""

    mechanism: type[Mechanism]
    count: int = 1
    share: Fraction = Fraction(1)
    distance: Distance | None = None


def calibrate(
    mechanism: type[Mechanism] | type[Pure],
    *,
    epsilon: Number,
    delta: Number = 0,
    count: int = 1,
    method: str = "best",
    distance: Distance | None = None,
    relation: Relation | Granularity | str | None = None,
    **parameters: Any,
) -> Any:
    """The mechanism with the least noise of which so many releases are (ε, δ)-private in total.

    The answer is verified forward: composing it gives at most ε. ``pt.Pure`` instead of a mechanism asks for the
    largest ε that so many releases of any kind may each have.

    >>> round(float(calibrate(GaussianNoise, count=100, epsilon=1, delta="1e-6").sigma), 4)
    42.2468
    >>> round(float(calibrate(Pure, count=100, epsilon=1, delta="1e-6", method="optimal").epsilon), 10)
    0.0240110804
    """
    target, share, times = positive(epsilon, "epsilon"), _delta(delta), whole(count, "count", least=1)
    _check_method(method)
    wanted = relation_of(relation)
    if mechanism is Pure:
        if parameters or distance is not None:
            raise refuse.unknown_parameters("Pure", [*parameters, *(["distance"] if distance is not None else [])])
        return _search(lambda s: Pure(epsilon=Fraction(s)), times, target, share, method, None, relation)
    knob = _KNOBS.get(mechanism) if isinstance(mechanism, type) else None
    if knob is None or not issubclass(mechanism, Mechanism):
        raise refuse.not_calibratable(mechanism, _NAMES)
    _check_distance(mechanism, distance)
    try:
        probe = knob(Fraction(1), parameters)
    except TypeError:
        raise refuse.unknown_parameters(mechanism.__name__, parameters) from None
    if wanted is not None and wanted not in probe.relations:
        raise refuse.not_under_relation(mechanism.__name__, wanted.value, [one.value for one in probe.relations])
    if mechanism is GaussianNoise and method in ("best", "pld", "gdp"):
        return _gaussian(target, share, times, distance)
    return _search(lambda s: knob(Fraction(s), parameters), times, target, share, method, distance, relation)


def calibrate_plan(
    shares: Sequence[Share | tuple[Any, ...]],
    *,
    epsilon: Number,
    delta: Number,
    method: str = "best",
    relation: Relation | Granularity | str | None = None,
) -> tuple[list[tuple[Mechanism, int]], Guarantee]:
    """The least noise for a mix of releases that share one budget: 60% to a histogram, the rest over 200 counts.

    Shares are of ρ, the measure in which small losses add up; only their ratio counts. Returned are the mechanisms with
    their counts, and the guarantee of the whole, verified.

    >>> plan, total = calibrate_plan([(Laplace, 1, 60), (GaussianNoise, 200, 40)], epsilon=1, delta="1e-6")
    >>> total.epsilon <= 1, [count for _, count in plan]
    (True, [1, 200])
    """
    _check_method(method)
    relation_of(relation)
    if isinstance(shares, str | bytes) or not isinstance(shares, Iterable):
        raise refuse.bad_weights("they are not a list")
    given = [_share(item) for item in shares]
    if not given:
        raise refuse.bad_weights("there are none")
    whole_share = sum((item.share for item in given), Fraction(0))
    target, slack = positive(epsilon, "epsilon"), _delta(delta)

    def events(scale: float) -> list[tuple[Mechanism, int]]:
        made = []
        for item in given:
            rho = scale * float(item.share / whole_share) / item.count
            strength = Fraction(_short(math.sqrt(2 * rho)))
            length = Fraction(1) if item.distance is None else item.distance.length()
            made.append((_KNOBS[item.mechanism](strength / length, {}), item.count))
        return made

    def plan(scale: float) -> list[object]:
        return [
            (mechanism if item.distance is None else mechanism.at(item.distance), count)
            for item, (mechanism, count) in zip(given, events(scale), strict=True)
        ]

    scale = _largest(plan, target, slack, method, relation, guess=float(target) ** 2 / 30)
    return events(scale), compose(plan(scale), delta=slack, method=method, relation=relation)


def split(epsilon: Number, delta: Number, count: int, *, method: str = "basic") -> tuple[float, float]:
    """The (ε, δ) of each of so many releases under a total, by the textbook formulas (theory D13).

    ``basic`` is ε/k and δ/k; ``advanced`` keeps half of δ for the deviation, and the rest over the releases.

    >>> split(1, "1e-6", 100, method="advanced")[0]
    0.01825469356...
    """
    target, slack, times = positive(epsilon, "epsilon"), _delta(delta), whole(count, "count", least=1)
    if method == "basic":
        return float_down(target / times), float_down(slack / times)
    if method != "advanced":
        raise refuse.unknown_method(method, ("basic", "advanced"))
    if slack == 0:
        raise refuse.needs_delta("advanced composition")
    return advanced.calibrated(float_down(target), float_down(slack), times), float_down(slack / (2 * times))


def _gaussian(epsilon: Fraction, delta: Fraction, count: int, distance: Distance | None) -> GaussianNoise:
    """All Gaussians pool into one μ, found in floats and certified by Arb (theory C6)."""
    if delta == 0:
        raise refuse.needs_delta("Gaussian noise")
    square = Fraction(count) * (Fraction(1) if distance is None else distance.power)
    at, goal = float_down(epsilon), math.log(float_down(delta))
    # A little room for the rounding of composing it again.
    mu = _largest_mu(at, goal) * (1 - 1e-14)
    step = 1e-14
    while Gaussians(mu).upper(at) > float_down(delta):
        mu -= mu * step
        step *= 2
    sigma = exact(f"{math.sqrt(square.numerator / square.denominator) / mu * (1 + 2e-15):.16g}")
    least = square / Fraction(mu) ** 2
    while sigma * sigma < least:
        sigma += sigma * Fraction(1, 10**14)
    return GaussianNoise(sigma=sigma)


def _largest_mu(epsilon: float, log_goal: float) -> float:
    """About the largest μ with δ(ε) at most as asked, by the secant method on log δ against log μ."""
    low = epsilon / (math.sqrt(epsilon + 2 * max(-log_goal, 0.01)) + math.sqrt(2 * max(-log_goal, 0.01)))
    x, before = math.log(low), math.log(low) - 0.05
    f, g = log_delta(math.exp(x), epsilon)[0] - log_goal, log_delta(math.exp(before), epsilon)[0] - log_goal
    for _ in range(60):
        if f == g or abs(x - before) < 1e-15:
            break
        x, before, g = x - f * (x - before) / (f - g), x, f
        f = log_delta(math.exp(x), epsilon)[0] - log_goal
    return math.exp(x)


def _search(
    made: Callable[[float], Any],
    count: int,
    epsilon: Fraction,
    delta: Fraction,
    method: str,
    distance: Distance | None,
    relation: Relation | Granularity | str | None,
) -> Any:
    def plan(strength: float) -> list[object]:
        one = made(strength)
        return [(one if distance is None else one.at(distance), count)]

    # Many small losses are nearly Gaussian once there is a δ to spend.
    guess = _largest_mu(float(epsilon), math.log(float(delta))) / math.sqrt(count) if delta else float(epsilon) / count
    return made(_largest(plan, epsilon, delta, method, relation, max(guess, float(epsilon) / count)))


def _largest(
    plan: Events,
    epsilon: Fraction,
    delta: Fraction,
    method: str,
    relation: Relation | Granularity | str | None,
    guess: float,
) -> float:
    """The largest strength whose total is at most ε, from below; every answer was composed and found to fit."""
    target = float_down(epsilon)
    close = 1e-9
    if method in ("best", "pld") and delta > 0:
        try:
            near = on_contour(lambda strength: Plan.of(plan(strength), relation), target, float_down(delta), guess)
        except PartitaError:
            near = None
        if near is not None and near[1]:
            return near[0]
        # A guide only: a lattice will say a little more than the truth, so aim a little below.
        guess, close = (guess, 1e-9) if near is None else (near[0] * (1 - 5e-6), 2e-5)
    total = _totals(plan, delta, method, relation)
    low, high = 0.0, math.inf
    x = _short(guess)
    log_x, log_total = math.nan, math.nan
    for _ in range(80):
        found = total(x)
        if found <= target:
            low = max(low, x)
            if found >= target * (1 - close):
                break
        else:
            high = min(high, x)
        if high <= low * (1 + 1e-12):
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
        x = _short(tried)
    if low == 0.0:
        raise refuse.cannot_calibrate(
            "release", f"even very little is more than ε = {target:g} at δ = {float(delta):g}."
        )
    return low


def on_contour(plan: Callable[[float], Plan], epsilon: float, delta: float, guess: float) -> tuple[float, bool] | None:
    """About the largest strength whose δ at ε is as asked, and whether that was certified; nothing where none suits.

    A secant with one contour each. Where the tail of the transform cannot be bounded the sum is only a guide. A little
    of δ is left, so that composing the answer again, on another contour, does not say more than ε.
    """
    goal = math.log(delta) - 2e-8
    x, place, certified = _short(guess), None, False
    before: tuple[float, float] | None = None
    for turn in range(10):
        totals = plan(x).totals
        if len(totals) != 1 or not isinstance(profile(totals[0]), Numeric):
            return None
        total = totals[0]
        place = saddle.for_epsilon(total, epsilon) if place is None else saddle.around(total, place.c, epsilon)
        contour = Contour.at(total, place, delta) if certified or turn == 0 else None
        certified = contour is not None
        log = math.log(max(contour.upper(epsilon), 1e-300)) if contour else _rough(total, place, epsilon, delta)
        gap = log - goal
        if -2e-8 < gap <= 0:
            return x, certified
        # To begin with, ε is about in proportion to the strength, and log δ falls by c for each unit of ε.
        here = (math.log(x), gap)
        slope = place.c * epsilon if before is None else (gap - before[1]) / (here[0] - before[0])
        if not slope > 0:
            return None
        step = -(gap + 1e-8) / slope
        place = place if abs(step) < 0.3 else None
        x, before = _short(x * math.exp(max(-1.0, min(1.0, step)))), here
        if here[0] == math.log(x):
            return x, False
    return None


def _rough(total: Total, place: Saddle, epsilon: float, delta: float) -> float:
    """About log δ(ε): the contour sum as far as the transform of a nearly normal loss reaches, and no further."""
    step = 2 * math.pi / max(alias_period(total, place, delta), 9 * math.sqrt(total.variance))
    t = floats(np.arange(1, 8 + math.ceil(8 / math.sqrt(total.variance) / step)) * step)
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
            made = Plan.of(plan(strength), relation)
            if target > 0 and method in ("best", "pld") and has_pairs(made):
                return RULES["pld"].read(made, target).least(target)
            return compose(made, delta=delta, method=method).epsilon
        except PartitaError:
            return math.inf

    return total


def _share(item: Share | tuple[Any, ...]) -> Share:
    if not isinstance(item, Share):
        if not isinstance(item, tuple | list) or not 1 <= len(item) <= 4:
            raise refuse.bad_weights(f"{item!r} is not (mechanism, count, share)")
        item = Share(*item)
    found = item
    if not isinstance(found.mechanism, type) or found.mechanism not in _KNOBS:
        raise refuse.not_calibratable(found.mechanism, _NAMES)
    _check_distance(found.mechanism, found.distance)
    return Share(found.mechanism, whole(found.count, "count", least=1), positive(found.share, "share"), found.distance)


def _check_method(method: object) -> None:
    if not isinstance(method, str) or method not in METHODS:
        raise refuse.unknown_method(method, METHODS)
    if method in RULES and not RULES[method].proven:
        raise refuse.only_approximation("A calibration")


def _check_distance(mechanism: type[Mechanism], distance: object) -> None:
    """Refuse what is no distance in the norm of the mechanism, or leaves nothing to hide."""
    if distance is None:
        return
    if not isinstance(distance, Distance):
        raise refuse_mechanism.not_a_distance(distance)
    if distance.norm is not mechanism.norm:
        raise refuse_mechanism.other_norm(mechanism.kind, mechanism.norm.value, distance.norm.value)
    if distance.power == 0:
        raise refuse.cannot_calibrate(mechanism.__name__, "the distance is zero, so nothing has to be hidden.")


def _delta(delta: Number) -> Fraction:
    found = nonnegative(delta, "delta")
    if found >= 1:
        raise refuse.delta_out_of_range(delta)
    return found


def _short(number: float) -> float:
    """A float with few decimal digits, not above the number: parameters that people can read."""
    return float(f"{number * (1 - 1e-13):.14g}") if number > 0 and math.isfinite(number) else number


def _short_up(number: Fraction) -> Fraction:
    """A decimal of fifteen digits that is not below the number."""
    top = float_up(number)
    found = exact(f"{top:.15g}")
    while found < number:
        top *= 1 + 1e-15
        found = exact(f"{math.nextafter(top, math.inf):.16g}")
    return found
