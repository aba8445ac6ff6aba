"""What the built-in audit runs: every mechanism on neighbours that tell much, and what it claims for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import final

from partita.attacks.audits import broken
from partita.granularity import Relation
from partita.mechanisms.family import family
from partita.mechanisms.histogram import Histogram
from partita.mechanisms.laplace import Laplace
from partita.mechanisms.trial import entry_by_entry
from partita.sampling.bits import BitSource
from partita.theory.measures.base import Measure
from partita.theory.measures.pure import Pure

_ONE = Fraction(1)
_ROWS, _CHANGE = Relation.ADD_REMOVE, Relation.CHANGE_ONE


@final
@dataclass(frozen=True, slots=True)
class Case:
    """Something to run on two neighbours, and the losses that are claimed for it.

    The event is chosen to refute the first claim, and held against all of them.
    """

    name: str
    kind: str
    relation: Relation
    release: Callable[..., object]
    first: object
    second: object
    claims: tuple[Measure, ...]
    batch: bool = True
    broken: bool = False  # wrong on purpose: an audit that does not catch it is blind


def built_in(bits: BitSource) -> Iterator[Case]:
    """Every mechanism on the neighbours that it names itself, with noise from this source; and histograms."""
    for kind, mechanism in family().items():
        for one in mechanism.trials():
            release = partial(one.run, bits)
            yield Case(one.name, kind, one.relation, release, one.first, one.second, one.claims, one.batch)
    yield from _histograms(bits)


def controls(bits: BitSource) -> Iterator[Case]:
    """Mechanisms that are broken on purpose, so that silence about the others means something."""
    one = (Pure(epsilon=_ONE),)

    def control(name: str, relation: Relation, release: Callable[..., object], first: object, second: object) -> Case:
        return Case(name, "laplace", relation, release, first, second, one, broken=True)

    yield control("half the noise", _ROWS, partial(entry_by_entry, Laplace(scale=50), bits), 0, 100)
    cells = partial(entry_by_entry, Laplace(scale=100), bits)
    yield control("a changed row booked as an added one", _CHANGE, cells, (100, 0), (0, 100))
    yield control("one draw for two answers", _ROWS, partial(broken.sharing_noise, bits), (0, 0), (0, 1))
    yield control("noise in floating point", _ROWS, partial(broken.floating, bits), 0.0, 1.0)


def _histograms(bits: BitSource) -> Iterator[Case]:
    """One cell moves when a row comes, two when it changes."""
    for relation, second in ((_ROWS, (5, 8, 0)), (_CHANGE, (5, 8, 1))):
        for cells in (Histogram.with_epsilon(1, relation), Histogram.with_rho("0.5", relation)):
            claims = tuple(cells.noise.closed_forms(cells.distance))
            release = partial(entry_by_entry, cells.noise, bits)
            yield Case(f"histogram, {cells.noise.kind}", cells.noise.kind, relation, release, (5, 9, 0), second, claims)
