"""A learner: an algorithm fixed with all its noise before it sees a row, run on rows that are held or by a curator."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np

from partita.algorithms.learning.lattice import Array
from partita.composition.guarantees.compose import compose
from partita.composition.guarantees.guarantee import Guarantee
from partita.curator.computations.computation import Computation, Sample
from partita.exact import Number
from partita.granularity.base import Relation
from partita.mechanisms.base import Event
from partita.region.columns.base import Bounded
from partita.sampling.bits import BitSource


class Learner(ABC):
    """Something to be learnt from rows of numbers, private by the releases it is made of.

    ``learn`` returns plain data computed from those releases alone, and raises nothing that depends on the rows; a
    missing value is NaN.
    """

    kind: ClassVar[str]

    @abstractmethod
    def losses(self, rows: int = 1, *, changed: bool = False) -> Sequence[Event]:
        """The releases, with the distance that so many rows can move them, and how often each runs."""

    @abstractmethod
    def learn(self, rows: Array, *, bits: BitSource | None = None) -> dict[str, Any]:
        """What was learnt, as plain data."""

    def events(self, relation: Relation = Relation.ADD_REMOVE) -> list[Event]:
        """The plan of all releases, for one row under a relation: what pt.compose reads."""
        return list(self.losses(changed=relation is Relation.CHANGE_ONE))

    def guarantee(self, *, delta: Number = 0, relation: Relation = Relation.ADD_REMOVE) -> Guarantee:
        """What everything released gives away about one row, composed as a plan fixed beforehand."""
        return compose(self.events(relation), delta=delta, relation=relation)


@final
@dataclass(frozen=True)
class Learning(Computation):
    """A learner on the columns of a curator's table; a label column is read as the number of its class."""

    kind: ClassVar[str] = "learning"
    columns: tuple[str, ...]
    learner: Learner
    classes: tuple[object, ...] = ()
    read_at: Number = 0

    def parameters(self) -> Mapping[str, object]:
        return {
            "learner": self.learner.kind,
            "plan": repr(self.learner),
            "classes": [str(label) for label in self.classes],
        }

    def losses(self, rows: int, *, changed: bool) -> Sequence[Event]:
        return self.learner.losses(rows, changed=changed)

    @property
    def delta(self) -> Number:
        return self.read_at

    def compute(self, sample: Sample, *, bits: BitSource | None) -> dict[str, Any]:
        rows = sample.values()
        if self.classes:
            rows[:, -1] = numbered(sample.columns[-1], self.classes)[sample.codes[:, -1]]
        return self.learner.learn(rows, bits=bits)


def numbered(column: Bounded, classes: Sequence[object]) -> Array:
    """For each code of a column the number of its class, NaN for values that are none.

    >>> from partita.region.columns import categories
    >>> numbered(categories("no", "yes"), ["yes", "no"]).tolist()
    [1.0, 0.0, nan, nan]
    """
    found = np.full(column.size, np.nan)
    for code in range(column.size):
        value = column.value(code)
        for place, label in enumerate(classes):
            if value is not None and value == label:
                found[code] = place
    return found


def labelled(rows: Array, classes: int) -> tuple[Array, Array]:
    """Features and class numbers of the rows that have a class: a rule that looks at one row at a time."""
    labels = rows[:, -1]
    with np.errstate(invalid="ignore"):
        known = (labels >= 0) & (labels < classes) & (labels == np.floor(labels))
    return rows[known, :-1], labels[known]
