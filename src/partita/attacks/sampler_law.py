"""The law of the noise: draws of every additive mechanism against the probabilities that are claimed for it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import final

import numpy as np
from numpy.typing import NDArray

from partita.attacks.attack import FALSE_ALARM
from partita.exact import whole
from partita.mechanisms.additive import AdditiveNoise
from partita.mechanisms.discrete_gaussian import DiscreteGaussian
from partita.mechanisms.gaussian import GaussianNoise
from partita.mechanisms.geometric import Geometric
from partita.mechanisms.laplace import Laplace
from partita.sampling.bits import BitSource

Floats = NDArray[np.float64]
Mass = Callable[[Floats], Floats]

_LEAST = 20.0  # expected draws of a cell, so that the chi-square law holds


@final
@dataclass(frozen=True, slots=True)
class LawTest:
    """A chi-square test of draws against a claimed law: a small p-value means another law."""

    noise: str
    draws: int
    cells: int
    p_value: float

    @property
    def stands(self) -> bool:
        """Whether the draws are as claimed, as far as they tell; wrong one time in a million."""
        return self.p_value > FALSE_ALARM

    def document(self) -> dict[str, object]:
        """The same as plain data, for JSON."""
        return {
            "noise": self.noise,
            "draws": self.draws,
            "cells": self.cells,
            "p-value": self.p_value,
            "stands": self.stands,
        }


def sampler_laws(*, draws: int = 40_000, bits: BitSource) -> Iterator[LawTest]:
    """Every additive noise, narrow and wide, zero and tails included.

    >>> from partita.sampling.bits import TestBits
    >>> all(test.stands for test in sampler_laws(draws=2000, bits=TestBits(1)))
    True
    """
    noises: list[tuple[AdditiveNoise, Mass]] = [
        (Laplace(scale=1), _rounded(_laplace, 1.0)),
        (Laplace(scale=25), _rounded(_laplace, 25.0)),
        (GaussianNoise(sigma=Fraction(7, 10)), _rounded(_normal, 0.7)),
        (GaussianNoise(sigma=Fraction(40)), _rounded(_normal, 40.0)),
        (Geometric(epsilon=Fraction(1, 2)), lambda k: math.tanh(0.25) * np.exp(-np.abs(k) / 2)),
        (DiscreteGaussian(variance=Fraction(9)), lambda k: np.exp(-(k**2) / 18) / _theta(18.0)),
    ]
    count = whole(draws, "draws", least=100)
    for noise, mass in noises:
        drawn = noise.release(np.zeros(count, dtype=np.int64), bits=bits)
        settings = ", ".join(f"{name} = {text}" for name, text in noise.parameters().items() if text != "false")
        yield law_test(f"{noise.kind}, {settings}", np.asarray(drawn, dtype=np.int64), mass)


def law_test(name: str, drawn: NDArray[np.int64], mass: Mass) -> LawTest:
    """Draws against a symmetric law on the integers, in cells of one or several integers that expect enough draws."""
    from scipy.stats import chi2

    ends = min(int(np.abs(drawn).max()) + 1, 1 << 16)
    places = np.arange(-ends, ends + 1)
    expected = len(drawn) * mass(places.astype(np.float64))
    beyond = (len(drawn) - expected.sum()) / 2  # every law here is symmetric
    expected[0] += beyond
    expected[-1] += beyond
    seen = np.bincount(np.clip(drawn, -ends, ends) + ends, minlength=len(places)).astype(np.float64)
    starts = _starts(expected)
    likely, found = np.add.reduceat(expected, starts), np.add.reduceat(seen, starts)
    statistic = float(((found - likely) ** 2 / likely).sum())
    return LawTest(name, len(drawn), len(starts), float(chi2.sf(statistic, max(1, len(starts) - 1))))


def _starts(expected: Floats) -> list[int]:
    """Where cells begin, so that each of them expects enough draws."""
    starts, held = [0], 0.0
    for place, share in enumerate(expected.tolist()):
        if held >= _LEAST and expected[place:].sum() >= _LEAST:
            starts.append(place)
            held = 0.0
        held += share
    return starts


def _rounded(tail: Callable[[Floats], Floats], scale: float) -> Mass:
    """The mass of a symmetric real noise rounded to the nearest integer, from its upper tail."""

    def mass(k: Floats) -> Floats:
        size = np.abs(k)
        inner = tail((size - 0.5) / scale)
        found: Floats = np.where(
            size == 0, 1 - 2 * tail(np.full_like(size, 0.5 / scale)), inner - tail((size + 0.5) / scale)
        )
        return found

    return mass


def _laplace(x: Floats) -> Floats:
    found: Floats = np.where(x >= 0, 0.5 * np.exp(-np.abs(x)), 1 - 0.5 * np.exp(-np.abs(x)))
    return found


def _normal(x: Floats) -> Floats:
    from scipy.special import ndtr

    found: Floats = ndtr(-x)
    return found


def _theta(twice_variance: float) -> float:
    return float(np.exp(-(np.arange(-200, 201) ** 2) / twice_variance).sum())
