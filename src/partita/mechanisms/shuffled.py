"""Reports of many people, each made noisy by themselves, in a random order: who sent which is told to nobody."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import expm1, log1p, sqrt
from typing import Any, ClassVar, final

import numpy as np
from numpy.typing import NDArray

from partita.errors import composition as refuse_composition
from partita.errors import mechanisms as refuse
from partita.exact import Number, float_up, whole
from partita.granularity.base import Relation
from partita.mechanisms.additive import AdditiveNoise
from partita.mechanisms.base import Forms, Mechanism
from partita.mechanisms.family import family
from partita.mechanisms.integers import source_of
from partita.mechanisms.randomized_response import RandomizedResponse
from partita.mechanisms.strength import Setting, Strength
from partita.mechanisms.trial import Trial
from partita.mechanisms.unary_encoding import UnaryEncoding
from partita.sampling.bits import BitSource
from partita.sampling.uniform import permutation
from partita.theory.conversions import convert
from partita.theory.distance import Distance, Norm
from partita.theory.losses.outward import floats, up
from partita.theory.losses.pair import Pair
from partita.theory.losses.shuffled import among_answers, among_clones, shuffled_loss
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.base import Measure
from partita.theory.measures.gdp import GDP
from partita.theory.measures.pure import Pure
from partita.theory.measures.renyi import ORDERS, Renyi
from partita.theory.measures.zcdp import ZCDP

# Beyond this loss of one report nobody else could have sent it, for any number of people there are; below the least
# there is hardly anything to hide.
_FURTHEST = 300
_LEAST = Fraction(1, 10**12)


@final
@dataclass(frozen=True, slots=True, init=False)
class Shuffled(Mechanism):
    """Reports of so many people, each released with a mechanism by itself and then shuffled (theory C18).

    All people use the same mechanism and send one report each. The distance is how far one person can move the exact
    value of their own report, whatever it was. It protects what a person reports (change-one), not whether they do.

    >>> survey = Shuffled(RandomizedResponse(epsilon=1), people=10_000)
    >>> round(float(survey.cost(Distance.l1(1), Approximate, delta="1e-6").epsilon), 3)
    0.043
    """

    kind: ClassVar[str] = "shuffled"
    group_by_distance: ClassVar[bool] = False
    whole_region: ClassVar[bool] = True
    theorems: ClassVar[str] = "C18"
    strength: ClassVar[Strength | None] = Strength.EPSILON
    mechanism: Mechanism
    people: int

    def __init__(self, mechanism: Mechanism, *, people: int) -> None:
        if not isinstance(mechanism, Mechanism):
            raise refuse.not_a_mechanism(mechanism)
        if not _is_local(mechanism):
            raise refuse.not_local(mechanism.kind)
        object.__setattr__(self, "mechanism", mechanism)
        object.__setattr__(self, "people", whole(people, "people", least=1))

    @property
    def norm(self) -> Norm:  # type: ignore[override]
        """The norm of the mechanism itself."""
        return self.mechanism.norm

    @property
    def relations(self) -> frozenset[Relation]:
        """Only change-one: the number of reports is there for all to see."""
        return frozenset({Relation.CHANGE_ONE})

    def forms(self, distance: Distance) -> Forms:
        """Those of one report, of which a shuffled pile is post-processing; divergences are those of the pair too."""
        stated = self.mechanism.forms(distance)
        forms: dict[type[Measure], Callable[[], Measure]] = {
            measure: stated[measure] for measure in (Pure, ZCDP, GDP) if measure in stated
        }
        return {**forms, Renyi: partial(self._divergences, distance)}

    def _divergences(self, distance: Distance) -> Measure:
        """The least of what the pair proves and of what one report loses, at every order."""
        losses = [convert(form(), Renyi) for measure, form in self.forms(distance).items() if measure is not Renyi]
        law = self.pair(distance).remove
        value, error = law.batch([law], [1]).cumulant(floats([float_up(order - 1) for order in ORDERS]))
        read = [Fraction(up(max(top, 0.0))) / (a - 1) for top, a in zip(value + error, ORDERS, strict=True)]
        known = zip(*(loss.vector() for loss in losses), strict=True)
        return Renyi(orders=ORDERS, taus=[min(*others, tau) for others, tau in zip(known, read, strict=True)])

    def pair(self, distance: Distance) -> Pair:
        """The crowd of equal answers for randomised response, that of clones for any other mechanism."""
        self.require(distance)
        one = self.mechanism.cost(distance, Pure).epsilon
        if not _LEAST <= one <= _FURTHEST or self.people == 1:
            return self.mechanism.pair(distance)
        epsilon = float_up(one)
        if isinstance(self.mechanism, RandomizedResponse) and distance.power <= 1:
            return Pair.of(shuffled_loss(among_answers(epsilon, self.people, self.mechanism.values)))
        return Pair.of(shuffled_loss(among_clones(epsilon, self.people)))

    @classmethod
    def argument(cls) -> str:
        return (
            "Everyone's report is private by itself; in a random order it also hides among the reports that others "
            "might have sent in its place, whose number is known beforehand."
        )

    @classmethod
    def of_strength(cls, strength: Fraction, setting: Setting) -> Shuffled:
        """About the strength of one report that is left after shuffling, as the square root of the people."""
        rest = dict(setting.parameters)
        base, people = rest.pop("mechanism", None), rest.pop("people", None)
        if not (isinstance(base, type) and issubclass(base, Mechanism) and base.strength is Strength.EPSILON):
            names = [RandomizedResponse.__name__, "Laplace", "Geometric"]
            raise refuse_composition.not_calibratable(base, names)
        if people is None:
            raise refuse_composition.cannot_calibrate("shuffled release", "say how many report, as people=...")
        count = whole(people, "people", least=1)
        inner = log1p(expm1(min(float(strength), 300.0)) * sqrt(min(count, 10**12)))
        return cls(base.of_strength(Fraction(inner), Setting(rest)), people=count)

    @classmethod
    def trials(cls) -> Iterator[Trial]:
        """One of twenty answers changes, and one of eight numbers."""
        one = Distance.l1(1)
        responses = cls(RandomizedResponse(epsilon=Fraction(1)), people=20)
        geometric = cls(family()["geometric"].of_strength(Fraction(1), Setting({})), people=8)
        for made, first, second in ((responses, 0, 1), (geometric, 0, 1)):
            claims = (made.cost(one, Approximate, delta="0.05"), *made.closed_forms(one))
            name = f"{made.mechanism.kind.replace('_', ' ')}, {made.people} people shuffled"
            yield Trial(name, Relation.CHANGE_ONE, partial(piled, made), first, second, claims)

    def parameters(self) -> dict[str, str]:
        return {
            "mechanism": self.mechanism.kind,
            **{f"mechanism.{name}": text for name, text in self.mechanism.parameters().items()},
            "people": str(self.people),
        }

    def release(self, values: object, *, bits: BitSource | None = None) -> NDArray[Any]:
        """One report for each person, in a random order; in practice each is made where the person is.

        >>> from partita.sampling.bits import TestBits
        >>> len(Shuffled(RandomizedResponse(epsilon=1), people=4).release([0, 1, 1, 0], bits=TestBits(1)))
        4
        """
        drawing = source_of(bits)
        inner: Any = self.mechanism
        given = np.asarray(values)
        if given.ndim == 0 or len(given) != self.people:
            raise refuse.other_number_of_people(self.people, 1 if given.ndim == 0 else len(given))
        reports: NDArray[Any] = np.asarray(inner.release(values, bits=drawing))
        return reports[permutation(self.people, drawing)]

    def error(self, confidence: Number = 0.95, entries: int = 1) -> float:
        """The error of an estimated share from all reports; for added noise, that of one report."""
        if isinstance(self.mechanism, RandomizedResponse | UnaryEncoding):
            return self.mechanism.error(confidence, entries, reports=self.people)
        return self.mechanism.error(confidence, entries)


def _is_local(mechanism: Mechanism) -> bool:
    """Whether entries of a release are reports of their own, each with a pure loss."""
    if not isinstance(mechanism, RandomizedResponse | UnaryEncoding | AdditiveNoise):
        return False
    return Pure in mechanism.forms(mechanism.unit())


def piled(mechanism: Shuffled, bits: BitSource, answer: int, count: int) -> NDArray[np.int64]:
    """So many times the pile of reports in which one person gives this answer and all others zero, for an audit.

    A pile is told by how many of its reports are ones, or, of other numbers, by their middle.
    """
    inner: Any = mechanism.mechanism
    truth = np.zeros((count, mechanism.people), dtype=np.int64)
    truth[:, 0] = answer
    reports = np.sort(inner.release(truth, bits=bits), axis=1)
    told = reports.sum(axis=1) if isinstance(inner, RandomizedResponse) else reports[:, mechanism.people // 2]
    return np.asarray(told, dtype=np.int64)
