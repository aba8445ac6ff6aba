"""The law of the noise: draws of every additive mechanism against the probabilities that are claimed for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import final

import numpy as np
from numpy.typing import NDArray

from partita.attacks.attack import FALSE_ALARM
from partita.exact import whole
from partita.mechanisms.additive import AdditiveNoise, Floats
from partita.mechanisms.family import family
from partita.mechanisms.strength import Setting
from partita.sampling.bits import BitSource

Mass = Callable[[Floats], Floats]

# Narrow and wide noise.
_STRENGTHS = (Fraction(2), Fraction(1, 40))
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
    count = whole(draws, "draws", least=100)
    for kind in family().values():
        if not issubclass(kind, AdditiveNoise):
            continue
        for strength in _STRENGTHS:
            noise = kind.of_strength(strength, Setting({}))
            assert isinstance(noise, AdditiveNoise)
            drawn = noise.release(np.zeros(count, dtype=np.int64), bits=bits)
            yield law_test(noise.settings(), np.asarray(drawn, dtype=np.int64), noise.masses)


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
