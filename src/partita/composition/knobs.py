"""Every mechanism as a function of one strength: what is turned when noise is calibrated."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, final

from partita.errors import composition as refuse
from partita.exact import exact, float_up, positive
from partita.mechanisms.base import Mechanism
from partita.mechanisms.discrete_gaussian import DiscreteGaussian
from partita.mechanisms.exponential import Exponential
from partita.mechanisms.gaussian import GaussianNoise
from partita.mechanisms.geometric import Geometric
from partita.mechanisms.key_selection import GaussianThreshold, KeyThreshold, LaplaceThreshold
from partita.mechanisms.laplace import Laplace
from partita.mechanisms.noisy_max import NoisyMax
from partita.mechanisms.permute_and_flip import PermuteAndFlip
from partita.mechanisms.randomized_response import RandomizedResponse
from partita.mechanisms.sparse_vector import SparseVector
from partita.mechanisms.subsampled import Subsampled
from partita.mechanisms.truncated_geometric import TruncatedGeometric


@final
@dataclass(frozen=True, slots=True)
class Setting:
    """What is fixed while the strength is turned: other parameters, and for key selection its own part of δ.

    ``leak`` is the δ that one release may take for keys which only those people have in whom neighbours differ.
    """

    parameters: Mapping[str, Any]
    leak: Fraction = Fraction(0)
    people: int = 1


Knob = Callable[[Fraction, Setting], Mechanism]


def turned(kind: type[Mechanism], strength: float, setting: Setting) -> Mechanism:
    """The mechanism of a strength, which is about the ε or the μ of one release at distance one.

    >>> turned(Laplace, 0.5, Setting({}))
    Laplace(scale=Fraction(2, 1))
    """
    return _KNOBS[kind](Fraction(strength), setting)


def known(kind: object) -> bool:
    """Whether a mechanism has a strength."""
    return isinstance(kind, type) and kind in _KNOBS


def leaks(kind: type[Mechanism]) -> bool:
    """Whether a mechanism takes a part of δ for itself, whatever its noise."""
    return kind in _LEAKY


def _by_epsilon(kind: Any, factor: int = 1) -> Knob:
    return lambda strength, setting: kind(epsilon=strength * factor, **setting.parameters)


def _subsampled(strength: Fraction, setting: Setting) -> Mechanism:
    """The strength after amplification: q sqrt(e^(μ²) - 1) for Gaussian noise, log(1 + q(e^ε - 1)) for the others."""
    rest = dict(setting.parameters)
    base, sampling = rest.pop("mechanism", None), {name: rest.pop(name) for name in _SAMPLING if name in rest}
    if not known(base) or base is Subsampled or leaks(base):
        names = [kind.__name__ for kind in _KNOBS if kind is not Subsampled and kind not in _LEAKY]
        raise refuse.not_calibratable(base, names)
    if "rate" not in sampling:
        raise refuse.cannot_calibrate("sampled release", "say with which rate records are sampled, as rate=...")
    rate, s = float(positive(sampling["rate"], "rate")), min(float(strength), 500.0)
    inner = math.sqrt(math.log1p((s / rate) ** 2)) if base in _BELLS else math.log1p(math.expm1(s) / rate)
    return Subsampled(turned(base, inner, Setting(rest)), **sampling)


def _laplace_threshold(strength: Fraction, setting: Setting) -> Mechanism:
    probe = LaplaceThreshold(scale=Fraction(1), threshold=0, **setting.parameters)
    scale = probe.sides * probe.keys * probe.rows / strength
    return _over(lambda least: LaplaceThreshold(scale=scale, threshold=least, **setting.parameters), setting)


def _gaussian_threshold(strength: Fraction, setting: Setting) -> Mechanism:
    probe = GaussianThreshold(sigma=Fraction(1), threshold=0, **setting.parameters)
    sigma = short_up(Fraction(math.sqrt(probe.sides * probe.keys)) * probe.rows / strength)
    return _over(lambda least: GaussianThreshold(sigma=sigma, threshold=least, **setting.parameters), setting)


def _over(made: Callable[[int], KeyThreshold], setting: Setting) -> Mechanism:
    """The least threshold whose δ is within the part that is left for it."""
    if setting.leak <= 0:
        raise refuse.needs_delta("key selection")
    low, high = 0, 1
    while made(high).leak(setting.people) > setting.leak:
        low, high = high, 2 * high
        if high > 1 << 60:
            raise refuse.cannot_calibrate("threshold", f"none leaks as little as δ = {float(setting.leak):g}.")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if made(middle).leak(setting.people) <= setting.leak else (middle, high)
    return made(high)


def _truncated_geometric(strength: Fraction, setting: Setting) -> Mechanism:
    if setting.leak <= 0:
        raise refuse.needs_delta("key selection")
    return TruncatedGeometric(epsilon=strength, delta=setting.leak, **setting.parameters)


def short_up(number: Fraction) -> Fraction:
    """A decimal of about fifteen digits that is not below the number.

    >>> short_up(Fraction(1, 3)) >= Fraction(1, 3)
    True
    """
    top = float_up(number)
    found = exact(f"{top:.15g}")
    while found < number:
        top *= 1 + 1e-15
        found = exact(f"{math.nextafter(top, math.inf):.16g}")
    return found


_SAMPLING = ("rate", "scheme", "relation", "presence")
_BELLS = frozenset({GaussianNoise, DiscreteGaussian})
_LEAKY = frozenset({LaplaceThreshold, GaussianThreshold, TruncatedGeometric})
_KNOBS: dict[type, Knob] = {
    Laplace: _by_epsilon(Laplace),
    Geometric: _by_epsilon(Geometric),
    RandomizedResponse: _by_epsilon(RandomizedResponse),
    # Its range is bounded, so its ρ is that of half the ε (theory C9).
    Exponential: _by_epsilon(Exponential, 2),
    PermuteAndFlip: _by_epsilon(PermuteAndFlip),
    NoisyMax: _by_epsilon(NoisyMax),
    SparseVector: _by_epsilon(SparseVector),
    GaussianNoise: lambda strength, setting: GaussianNoise(sigma=short_up(1 / strength), **setting.parameters),
    DiscreteGaussian: lambda strength, setting: DiscreteGaussian(
        variance=short_up(1 / strength**2), **setting.parameters
    ),
    Subsampled: _subsampled,
    LaplaceThreshold: _laplace_threshold,
    GaussianThreshold: _gaussian_threshold,
    TruncatedGeometric: _truncated_geometric,
}
NAMES = tuple(kind.__name__ for kind in _KNOBS)
