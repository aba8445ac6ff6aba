"""The inverse problem: the least noise with which a plan stays within a promised total."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import wraps
from typing import Any, ParamSpec, TypeGuard, TypeVar, final

from partita.calls import called
from partita.composition.calibration.largest import largest, short
from partita.composition.guarantees.compose import METHODS, RULES, compose
from partita.composition.guarantees.guarantee import Guarantee
from partita.composition.numerics.gaussians import Gaussians, log_delta
from partita.composition.plans.plan import relation_of
from partita.composition.rules import advanced
from partita.errors import composition as refuse
from partita.errors import mechanisms as refuse_mechanism
from partita.exact import Number, exact, float_down, nonnegative, positive, probability, whole
from partita.granularity import Granularity, Relation, stated
from partita.mechanisms.base import Mechanism
from partita.mechanisms.family import calibratable
from partita.mechanisms.gaussian import GaussianNoise
from partita.mechanisms.strength import Setting, Strength
from partita.theory.distance import Distance
from partita.theory.measures.pure import Pure

# Distances that a first guess follows.
_FURTHEST = Fraction(10**100)
# log sqrt(2π)
_HALF_LOG = 0.9189385332046727


@final
@dataclass(frozen=True, slots=True)
class Share:
    """So many releases of one kind, which together take a share of the budget in ρ."""

    mechanism: type[Mechanism]
    count: int = 1
    share: Fraction = Fraction(1)
    distance: Distance | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)


_Given = ParamSpec("_Given")
_Made = TypeVar("_Made")


def _within_floats(function: Callable[_Given, _Made]) -> Callable[_Given, _Made]:
    """Searches begin in floats: a budget beyond them has no noise that could be found."""

    @wraps(function)
    def limited(*args: _Given.args, **kwargs: _Given.kwargs) -> _Made:
        try:
            return function(*args, **kwargs)
        except OverflowError:
            raise refuse.cannot_calibrate("release", "its numbers are beyond what can be computed.") from None

    return limited


@_within_floats
@called
def calibrate(
    mechanism: type[Mechanism] | type[Pure],
    /,
    *,
    epsilon: Number,
    delta: Number = 0,
    count: int = 1,
    method: str = "best",
    distance: Distance | None = None,
    relation: Relation | Granularity | str | None = None,
    leak: Number | None = None,
    **parameters: Any,
) -> Any:
    """The mechanism with the least noise of which so many releases are (ε, δ)-private in total.

    The answer is verified forward: composing it gives at most ε. ``pt.Pure`` instead of a mechanism asks for the
    largest ε that so many releases of any kind may each have. Other parameters are those of the mechanism; noise on a
    sample is ``calibrate(pt.Subsampled, mechanism=pt.GaussianNoise, rate="0.01", ...)``. Key selection also gets the
    least threshold: ``leak`` is the share of δ for keys that nobody else has.

    >>> round(float(calibrate(GaussianNoise, count=100, epsilon=1, delta="1e-6").sigma), 4)
    42.2468
    >>> round(float(calibrate(Pure, count=100, epsilon=1, delta="1e-6", method="optimal").epsilon), 10)
    0.0240110804
    """
    target, share, times = positive(epsilon, "epsilon"), _delta(delta), whole(count, "count", least=1)
    _check_method(method)
    wanted, steps = stated(relation) if isinstance(relation, Granularity) else (relation_of(relation), 1)
    if mechanism is Pure:
        if parameters or distance is not None:
            raise refuse.unknown_parameters("Pure", [*parameters, *(["distance"] if distance is not None else [])])
        return _search(lambda s: Pure(epsilon=Fraction(s)), times, target, share, method, None, relation)
    if not _can_be_calibrated(mechanism):
        raise refuse.not_calibratable(mechanism, calibratable())
    if (
        mechanism is GaussianNoise
        and method in ("best", "pld", "gdp")
        and not parameters
        and leak is None
        and steps == 1
    ):
        _check_distance(mechanism, distance)
        return _gaussian(target, share, times, distance)
    given = {**parameters, **_own_relation(mechanism, wanted)}
    setting = _setting(mechanism, given, distance, _leak(mechanism, leak, times) * share / times, steps)
    probe = _probe(mechanism, setting)
    _check_distance(probe, distance)
    if steps > 1 and not probe.group_by_distance:
        raise refuse.no_group(mechanism.__name__, steps)
    if wanted is not None and wanted not in probe.relations:
        raise refuse.not_under_relation(mechanism.__name__, wanted.value, [one.value for one in probe.relations])
    return _search(
        lambda s: mechanism.of_strength(Fraction(s), setting), times, target, share, method, distance, relation
    )


@_within_floats
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

    >>> from partita.mechanisms.laplace import Laplace
    >>> plan, total = calibrate_plan([(Laplace, 1, 60), (GaussianNoise, 200, 40)], epsilon=1, delta="1e-6")
    >>> total.epsilon <= 1, [count for _, count in plan]
    (True, [1, 200])
    """
    _check_method(method)
    _, steps = stated(relation) if isinstance(relation, Granularity) else (relation_of(relation), 1)
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
            part = item.share / whole_share
            strength = Fraction(short(math.sqrt(2 * scale * float(part) / item.count)))
            length = Fraction(1) if item.distance is None else item.distance.length()
            leak = _leak(item.mechanism, None, 2) * part * slack / item.count
            setting = _setting(item.mechanism, item.parameters, item.distance, leak, steps)
            turned = Fraction(float_down(strength / length))
            made.append((item.mechanism.of_strength(turned, setting), item.count))
        return made

    def plan(scale: float) -> list[object]:
        return [
            (mechanism if item.distance is None else mechanism.at(item.distance), count)
            for item, (mechanism, count) in zip(given, events(scale), strict=True)
        ]

    scale = largest(plan, target, slack, method, relation, guess=float(target) ** 2 / 30)
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
    at, leak = float_down(epsilon), float_down(delta)
    # A little room for the rounding of composing it again.
    mu = _largest_mu(at, math.log(leak)) * (1 - 4e-12)
    step = 4e-12
    while Gaussians(mu).upper(at) > leak:
        mu -= mu * step
        step *= 2
    sigma = exact(f"{math.sqrt(square.numerator / square.denominator) / mu * (1 + 2e-15):.16g}")
    top, bottom = mu.as_integer_ratio()
    # Until σμ is at least the root of the squared distance, in whole numbers.
    while square.denominator * (sigma.numerator * top) ** 2 < square.numerator * (sigma.denominator * bottom) ** 2:
        sigma += sigma * Fraction(1, 10**14)
    return GaussianNoise(sigma=sigma)


def _largest_mu(epsilon: float, log_goal: float) -> float:
    """About the largest μ with δ(ε) at most as asked, by Newton's method in log μ: dδ/dμ = φ(ε/μ - μ/2)."""
    tail = 2 * max(-log_goal, 0.01)
    mu = epsilon / (math.sqrt(epsilon + tail) + math.sqrt(tail))
    for _ in range(60):
        value, _slope = log_delta(mu, epsilon)
        a = epsilon / mu - mu / 2
        move = (value - log_goal) / math.exp(min(max(math.log(mu) - a * a / 2 - _HALF_LOG - value, -30.0), 30.0))
        move = max(-0.5, min(0.5, move))
        mu *= math.exp(-move)
        if abs(move) < 1e-13:
            break
    return mu


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
    guess = max(guess, float(epsilon) / count)
    # Strengths are for a distance of one.
    far = Fraction(1) if distance is None else distance.length()
    if 1 / _FURTHEST < far < _FURTHEST:
        guess /= float(far)
    return made(largest(plan, epsilon, delta, method, relation, guess))


def _share(item: Share | tuple[Any, ...]) -> Share:
    if not isinstance(item, Share):
        if not isinstance(item, tuple | list) or not 1 <= len(item) <= 5:
            raise refuse.bad_weights(f"{item!r} is not (mechanism, count, share)")
        item = Share(*item)
    found = item
    if not _can_be_calibrated(found.mechanism):
        raise refuse.not_calibratable(found.mechanism, calibratable())
    if not isinstance(found.parameters, Mapping):
        raise refuse.bad_weights(f"{found.parameters!r} are no parameters of {found.mechanism.__name__}")
    count, share = whole(found.count, "count", least=1), positive(found.share, "share")
    probe = _probe(found.mechanism, _setting(found.mechanism, found.parameters, found.distance, Fraction(1, 1000)))
    _check_distance(probe, found.distance)
    return Share(found.mechanism, count, share, found.distance, found.parameters)


def _can_be_calibrated(kind: object) -> TypeGuard[type[Mechanism]]:
    """Whether this is a mechanism that has a strength."""
    return isinstance(kind, type) and issubclass(kind, Mechanism) and kind.strength is not None


def _probe(mechanism: type[Mechanism], setting: Setting) -> Mechanism:
    """The mechanism at strength one: refuses parameters that it does not take."""
    try:
        return mechanism.of_strength(Fraction(1), setting)
    except TypeError:
        raise refuse.unknown_parameters(mechanism.__name__, setting.parameters) from None


def _setting(
    mechanism: type[Mechanism], parameters: Mapping[str, Any], distance: Distance | None, leak: Fraction, steps: int = 1
) -> Setting:
    people = steps * (math.ceil(distance.power) if isinstance(distance, Distance) else 1)
    return Setting(parameters, leak if mechanism.leaks else Fraction(0), max(people, 1))


def _leak(mechanism: type[Mechanism], leak: Number | None, count: int) -> Fraction:
    """The share of δ that key selection takes for keys which nobody else has."""
    if leak is not None:
        if not mechanism.leaks:
            raise refuse.unknown_parameters(mechanism.__name__, ["leak"])
        return probability(leak, "leak")
    # One release with a pure loss beside needs δ for nothing else; a little is left for rounding.
    return Fraction(1, 2) if count > 1 or mechanism.strength is Strength.MU else Fraction(999_999, 1_000_000)


def _own_relation(mechanism: type[Mechanism], relation: Relation | None) -> dict[str, Relation]:
    """The relation as a parameter of those mechanisms that are made for one."""
    return {"relation": relation} if relation is not None and mechanism.takes_relation else {}


def _check_method(method: object) -> None:
    if not isinstance(method, str) or method not in METHODS:
        raise refuse.unknown_method(method, METHODS)
    if method in RULES and not RULES[method].proven:
        raise refuse.only_approximation("A calibration")


def _check_distance(mechanism: Mechanism | type[Mechanism], distance: object) -> None:
    """Refuse what is no distance in the norm of the mechanism, or leaves nothing to hide."""
    if distance is None:
        return
    if not isinstance(distance, Distance):
        raise refuse_mechanism.not_a_distance(distance)
    if distance.norm is not mechanism.norm:
        raise refuse_mechanism.other_norm(mechanism.kind, mechanism.norm.value, distance.norm.value)
    if distance.power == 0:
        name = mechanism.__name__ if isinstance(mechanism, type) else type(mechanism).__name__
        raise refuse.cannot_calibrate(name, "the distance is zero, so nothing has to be hidden.")


def _delta(delta: Number) -> Fraction:
    found = nonnegative(delta, "delta")
    if found >= 1:
        raise refuse.delta_out_of_range(delta)
    return found
