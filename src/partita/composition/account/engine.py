"""One face for the three maxima: over values, over pairs of values, over windows of steps."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

from partita.composition.account.pairs import PairLoads
from partita.composition.account.rectangles import manageable
from partita.composition.account.values import Decision, Limits, ValueLoads
from partita.composition.account.windows import Steps, WindowLoads
from partita.region.box import Box

Amounts = tuple[int, ...]
Point = tuple[int, ...]

SHOWN = 32
"""How many steps of a window a witness names."""


@final
@dataclass(frozen=True, slots=True)
class Answer:
    """Whether a charge fits; if not, the load it met, where, and whether it was proven not to fit."""

    fits: bool
    component: int = 0
    load: int = 0
    witness: tuple[Point, ...] = ()
    proven: bool = True
    proofs: tuple[tuple[int, tuple[Any, ...], int], ...] = ()
    serial: int = 0


@final
@dataclass(frozen=True, slots=True)
class Extent:
    """The heaviest load of one component: met at the witness, and never above ``upper``."""

    lower: int
    upper: int
    witness: tuple[Point, ...]


class Engine(ABC):
    """Loads in whole units of the budget; ``one`` and ``both`` as in a booking.

    Boxes are disjoint. Those with too many rectangles are decided and booked as simpler ones around them.
    """

    __slots__ = ()

    @property
    @abstractmethod
    def exact(self) -> bool:
        """Whether every load is known exactly."""

    @abstractmethod
    def decide(self, boxes: Sequence[Box], one: Amounts, both: Amounts) -> Answer:
        """Whether a charge fits; nothing is booked."""

    @abstractmethod
    def book(self, boxes: Sequence[Box], one: Amounts, both: Amounts, answer: Answer | None = None) -> None:
        """Book a charge, whether or not it fits."""

    @abstractmethod
    def load(self, charges: Sequence[tuple[Sequence[Box], Amounts, Amounts]]) -> None:
        """Book many charges that were admitted before."""

    @abstractmethod
    def highest(self, boxes: Sequence[Box], component: int) -> Extent:
        """The heaviest load that a charge on the boxes would add to."""

    @abstractmethod
    def nbytes(self) -> int:
        """The memory that the loads take."""


@final
class OfValues(Engine):
    """The heaviest record value (theory E10)."""

    __slots__ = ("loads",)

    def __init__(self, shape: Sequence[int], budget: Amounts, limits: Limits) -> None:
        self.loads = ValueLoads(shape, budget, limits)

    @property
    def exact(self) -> bool:
        return self.loads.exact

    def decide(self, boxes: Sequence[Box], one: Amounts, both: Amounts) -> Answer:
        return _answer(self.loads.decide(manageable(boxes), one))

    def book(self, boxes: Sequence[Box], one: Amounts, both: Amounts, answer: Answer | None = None) -> None:
        self.loads.book(manageable(boxes), one)

    def load(self, charges: Sequence[tuple[Sequence[Box], Amounts, Amounts]]) -> None:
        self.loads.load([(manageable(boxes), one) for boxes, one, _ in charges])

    def highest(self, boxes: Sequence[Box], component: int) -> Extent:
        peak = self.loads.highest(boxes, component)
        return Extent(peak.lower, peak.upper, (peak.witness,) if peak.witness else ())

    def nbytes(self) -> int:
        return self.loads.nbytes()


@final
class OfPairs(Engine):
    """The heaviest pair of record values (theory E11)."""

    __slots__ = ("loads",)

    def __init__(self, shape: Sequence[int], budget: Amounts, limits: Limits) -> None:
        self.loads = PairLoads(shape, budget, limits)

    @property
    def exact(self) -> bool:
        return self.loads.exact

    def decide(self, boxes: Sequence[Box], one: Amounts, both: Amounts) -> Answer:
        found = self.loads.decide(manageable(boxes), one, both)
        proofs = tuple(found.proofs)
        return Answer(
            found.fits, found.component, found.load, found.witness or (), found.proven, proofs, self.loads.serial
        )

    def book(self, boxes: Sequence[Box], one: Amounts, both: Amounts, answer: Answer | None = None) -> None:
        # Bounds that were found for the state after this charge hold only if nothing else was booked in between.
        fresh = answer is not None and answer.serial == self.loads.serial
        self.loads.book(manageable(boxes), one, both, answer.proofs if fresh and answer is not None else ())

    def load(self, charges: Sequence[tuple[Sequence[Box], Amounts, Amounts]]) -> None:
        for boxes, one, both in charges:
            self.loads.book(manageable(boxes), one, both)

    def highest(self, boxes: Sequence[Box], component: int) -> Extent:
        if not boxes:
            return Extent(0, 0, ())
        return Extent(*self.loads.highest(boxes, component))

    def nbytes(self) -> int:
        return self.loads.nbytes()


@final
class OfWindows(Engine):
    """The heaviest window of steps (theory E8)."""

    __slots__ = ("loads", "steps")

    def __init__(self, shape: Sequence[int], budget: Amounts, limits: Limits, steps: Steps) -> None:
        self.loads = WindowLoads(shape, budget, steps, limits)
        self.steps = steps

    @property
    def exact(self) -> bool:
        return self.loads.exact

    def decide(self, boxes: Sequence[Box], one: Amounts, both: Amounts) -> Answer:
        found = self.loads.decide(manageable(boxes), one)
        witness = () if found.witness is None else self._values(found.witness[0], found.component)
        return Answer(found.fits, found.component, found.load, witness, found.proven)

    def book(self, boxes: Sequence[Box], one: Amounts, both: Amounts, answer: Answer | None = None) -> None:
        self.loads.book(manageable(boxes), one)

    def load(self, charges: Sequence[tuple[Sequence[Box], Amounts, Amounts]]) -> None:
        for boxes, one, _ in charges:
            self.loads.book(manageable(boxes), one)

    def highest(self, boxes: Sequence[Box], component: int) -> Extent:
        total = self.loads.around(boxes, component)
        _, first = self.loads.worst(component)
        return Extent(total if self.exact else 0, total, self._values(first, component))

    def _values(self, number: int, component: int) -> tuple[Point, ...]:
        """For each step of a window, its heaviest value; the first few steps only of a long one."""
        values, axis = self.loads.values, self.steps.axis
        everything = [((0, size),) for size in values.shape]
        found = []
        for code in self.steps.codes(number)[:SHOWN]:
            step = self.loads.heaviest_step(code, component)
            box = (*everything[:axis], ((step, step + 1),), *everything[axis + 1 :])
            found.append(values.grid.peak(box, component)[1])
        return tuple(found)

    def nbytes(self) -> int:
        return self.loads.nbytes()


def _answer(found: Decision) -> Answer:
    witness = () if found.witness is None else (found.witness,)
    return Answer(found.fits, found.component, found.load, witness, found.proven)
