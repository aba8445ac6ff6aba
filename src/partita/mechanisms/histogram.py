"""A histogram of disjoint cells: one joint release, and what it would cost to ask cell by cell."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeVar, final

from partita.errors import mechanisms as refuse
from partita.exact import Number, positive, whole
from partita.granularity.base import Relation
from partita.mechanisms.additive import AdditiveNoise
from partita.mechanisms.gaussian import GaussianNoise
from partita.mechanisms.laplace import Laplace
from partita.sampling.bits import BitSource
from partita.theory.distance import Distance, Norm
from partita.theory.measures.base import Measure
from partita.theory.measures.zcdp import ZCDP

Loss = TypeVar("Loss", bound=Measure)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Histogram:
    """Counts of disjoint cells, released together: a record is in one cell only (theory C13).

    When a record comes or goes one cell moves by 1; when it changes, two do. So the distance is 1 and 2 in L1, 1 and √2
    in L2 (histogram.proof.md).

    >>> from partita.granularity import Relation
    >>> from partita.theory.measures.pure import Pure
    >>> Histogram(noise=Laplace(scale=2), relation=Relation.CHANGE_ONE).cost(Pure)
    Pure(epsilon=Fraction(1, 1))
    """

    noise: AdditiveNoise
    relation: Relation

    def __post_init__(self) -> None:
        if not isinstance(self.noise, AdditiveNoise):
            raise refuse.not_noise(self.noise)
        object.__setattr__(self, "relation", relation_of(self.relation))

    @classmethod
    def with_epsilon(cls, epsilon: Number, relation: Relation) -> Histogram:
        """The joint release with Laplace noise that costs ε: scale 1/ε, or 2/ε when records change.

        >>> Histogram.with_epsilon(1, Relation.CHANGE_ONE).noise
        Laplace(scale=Fraction(2, 1))
        """
        moved = cell_distance(Norm.L1, relation_of(relation))
        return cls(noise=Laplace(scale=moved.power / positive(epsilon, "epsilon")), relation=relation)

    @classmethod
    def with_rho(cls, rho: Number, relation: Relation) -> Histogram:
        """The joint release with the least Gaussian noise that costs ρ.

        >>> Histogram.with_rho("0.5", Relation.ADD_REMOVE).noise
        GaussianNoise(sigma=Fraction(1, 1))
        """
        budget = ZCDP(rho=positive(rho, "rho"))
        return cls(
            noise=GaussianNoise.for_budget(budget, cell_distance(Norm.L2, relation_of(relation))), relation=relation
        )

    @property
    def distance(self) -> Distance:
        """How far neighbours move the vector of counts, in the norm of the noise."""
        return cell_distance(self.noise.norm, self.relation)

    def cost(self, measure: type[Loss], *, delta: Number | None = None) -> Loss:
        """What the whole histogram costs."""
        return self.noise.cost(self.distance, measure, delta=delta)

    def release(self, counts: object, *, bits: BitSource | None = None) -> Any:
        """The counts of all cells, empty ones too, with noise on each."""
        return self.noise.release(counts, bits=bits)

    def error(self, confidence: Number = 0.95, entries: int = 1) -> float:
        """The half-width around each of so many cells, for all at once."""
        return self.noise.error(confidence, entries)


@final
@dataclass(frozen=True, slots=True)
class Comparison:
    """The noise of one joint release and of one release a cell, for the same total ε."""

    joint: Laplace
    separate: Laplace

    @property
    def ratio(self) -> Fraction:
        """How many times more noise the separate releases need."""
        return self.separate.scale / self.joint.scale


def compare(cells: int, epsilon: Number, relation: Relation) -> Comparison:
    """Joint against separate, when ε is split over the cells and nobody notices that they are disjoint (theory F2).

    >>> compare(10, 1, Relation.CHANGE_ONE).ratio, compare(10, 1, Relation.ADD_REMOVE).ratio
    (Fraction(5, 1), Fraction(10, 1))
    """
    loss, count = positive(epsilon, "epsilon"), whole(cells, "cells", least=1)
    joint = Histogram.with_epsilon(loss, relation).noise
    assert isinstance(joint, Laplace)
    return Comparison(joint=joint, separate=Laplace(scale=count / loss))


def cell_distance(norm: Norm, relation: Relation) -> Distance:
    """How far neighbours move the counts of disjoint cells (theory A10).

    >>> cell_distance(Norm.L2, Relation.CHANGE_ONE).power
    Fraction(2, 1)
    """
    moved = 1 if relation is Relation.ADD_REMOVE or norm is Norm.LINF else 2
    return Distance(norm, Fraction(moved))


def relation_of(value: object) -> Relation:
    """The relation meant, as itself or by its name.

    >>> relation_of("change-one")
    <Relation.CHANGE_ONE: 'change-one'>
    """
    try:
        return Relation(value)  # type: ignore[arg-type]
    except ValueError:
        raise refuse.not_a_relation(value) from None
