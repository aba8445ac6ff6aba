"""Words that other libraries have for releases: what is written about a mechanism, and read back as one."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, final

from partita.granularity.base import Relation

if TYPE_CHECKING:
    from partita.mechanisms.base import Event


@final
@dataclass(frozen=True, slots=True)
class GaussianShift:
    """Gaussian noise, by its standard deviation over the distance."""

    noise: Fraction


@final
@dataclass(frozen=True, slots=True)
class LaplaceShift:
    """Laplace noise, by its scale over the distance."""

    noise: Fraction


@final
@dataclass(frozen=True, slots=True)
class GeometricSteps:
    """Two-sided geometric noise, by its loss for one step and a number of steps; inexact where that was rounded up."""

    loss: Fraction
    steps: int
    exact: bool = True


@final
@dataclass(frozen=True, slots=True)
class Responses:
    """Randomised responses, by the probability of an answer drawn uniformly from all; so many reports."""

    uniform: Fraction
    answers: int
    reports: int = 1


@final
@dataclass(frozen=True, slots=True)
class Sample:
    """Another release, on a secret sample of the records."""

    of: Event
    rate: Fraction
    scheme: str
    relation: Relation


Word = GaussianShift | LaplaceShift | GeometricSteps | Responses | Sample
