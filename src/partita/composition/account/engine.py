"""One face for the three maxima: over values, over pairs of values, over windows of steps."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

from partita.composition.account.booking import Shape, shape
from partita.composition.account.load import Amounts, Load, manageable, nothing, widened
from partita.composition.account.loads.pairs import PairLoads
from partita.composition.account.loads.values import Decision, ValueLoads
from partita.composition.account.loads.wide.pairs import WidePairLoads
from partita.composition.account.loads.wide.values import WideLoads, loads_of
from partita.composition.account.loads.windows import Steps, WindowLoads
from partita.errors import region as refuse
from partita.granularity import Granularity, Windows
from partita.limits import Limits
from partita.region.box import Box
from partita.region.domain import Domain

Point = tuple[int, ...]

SHOWN = 32
"""How many steps of a window a witness names."""

MOST_COLUMNS = 10_000
"""Columns with public values; a region has a set of codes for each."""


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
    state: tuple[int, int] = (0, 0)


@final
@dataclass(frozen=True, slots=True)
class Extent:
    """The heaviest load of one component: met at the witness, and never above ``upper``."""

    lower: int
    upper: int
    witness: tuple[Point, ...]


class Engine(ABC):
    """Loads in whole units of the budget.

    Boxes are disjoint. A load with too many rectangles is decided, booked and counted as `widened` says, everywhere
    the same; what it adds beyond its true region is never claimed to have been lost.
    """

    __slots__ = ("_wider", "limits")

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        # True loads beside those booked in their place: a lower bound must not count what only the wider ones hold.
        self._wider: dict[tuple[Box, ...], tuple[Load, Load]] = {}

    @property
    @abstractmethod
    def exact(self) -> bool:
        """Whether every load is known exactly."""

    def decide(self, load: Load) -> Answer:
        """Whether a charge fits; nothing is booked."""
        wide = widened(load, self.limits)
        answer = self._decide(wide)
        return answer if answer.fits or answer.proven else self._spent(wide, answer)

    def _spent(self, load: Load, answer: Answer) -> Answer:
        """What was not shown to fit cannot where more than the budget is already lost: charges only add to it."""
        for component, most in enumerate(self.budget):
            if not self._may_exceed(load.boxes, component, most):
                continue
            found = self.highest(load.boxes, component)
            if found.lower > most:
                return Answer(fits=False, component=component, load=found.lower, witness=found.witness)
        return answer

    def _may_exceed(self, boxes: Sequence[Box], component: int, most: int) -> bool:
        """Whether it is worth looking for more than this that was lost already; a glance where looking is long."""
        return True

    @property
    @abstractmethod
    def budget(self) -> Amounts:
        """The most that may be lost, in whole units."""

    def book(self, load: Load, answer: Answer | None = None) -> None:
        """Book a charge, whether or not it fits."""
        self._book(self._widened(load), answer)

    def load(self, loads: Sequence[tuple[Load, int]]) -> None:
        """Book many charges that were admitted before, each so many times.

        Each is widened before it is added up, as when it was booked: the larger of two sums may be less than the sum.
        """
        summed: dict[tuple[Box, ...], Load] = {}
        for load, times in loads:
            wide = self._widened(load, times)
            key = tuple(wide.boxes)
            known = summed.get(key)
            summed[key] = wide.times(times) if known is None else known.plus(wide, times)
        self._load(list(summed.values()))

    def highest(self, boxes: Sequence[Box], component: int) -> Extent:
        """The heaviest load that a charge on these very boxes would add to."""
        found = self._highest(boxes, component)
        if not self._wider or not found.lower:
            return found
        many = len(self._wider) > self.limits.wider
        beyond = found.lower if many else self._beyond(found.witness, component)
        return Extent(max(0, found.lower - beyond), found.upper, found.witness)

    def improve(self, boxes: Sequence[Box], components: int) -> None:
        """Look for better bounds on what was booked in disjoint boxes, and keep them; most loads do when they look."""
        for component in range(components):
            self.highest(boxes, component)

    def headroom(self, boxes: Sequence[Box], component: int) -> Extent:
        """The heaviest load that a charge on these boxes, or on the simpler ones around them, would add to."""
        return self.highest(manageable(boxes, self.limits), component)

    def widened(self, load: Load) -> Load:
        """The load as it is decided and booked."""
        return widened(load, self.limits)

    def _widened(self, load: Load, times: int = 1) -> Load:
        wide = widened(load, self.limits)
        if wide is not load:
            key = tuple(load.boxes)
            true, around = self._wider.get(key) or (nothing(key, len(load.one)), nothing(wide.boxes, len(load.one)))
            self._wider[key] = (true.plus(load, times), around.plus(wide, times))
        return wide

    @abstractmethod
    def _decide(self, load: Load) -> Answer:
        """Whether a charge fits, its boxes being few enough."""

    @abstractmethod
    def _book(self, load: Load, answer: Answer | None) -> None:
        """Book a charge, its boxes being few enough."""

    def _load(self, loads: Sequence[Load]) -> None:
        """Book many of them."""
        for load in loads:
            self._book(load, None)

    @abstractmethod
    def _highest(self, boxes: Sequence[Box], component: int) -> Extent:
        """The heaviest load among those that are booked."""

    def _beyond(self, witness: tuple[Point, ...], component: int) -> int:
        """How much of the load at a witness is there only because regions were widened."""
        first, second = (*witness, *witness)[:2]
        return sum(
            wide.costs(first, second)[component] - true.costs(first, second)[component]
            for true, wide in self._wider.values()
        )

    @abstractmethod
    def nbytes(self) -> int:
        """The memory that the loads take."""


@final
class OfValues(Engine):
    """The heaviest record value (theory E10)."""

    __slots__ = ("loads",)

    def __init__(self, shape: Sequence[int], budget: Amounts, limits: Limits) -> None:
        super().__init__(limits)
        self.loads = loads_of(shape, budget, limits)

    @property
    def exact(self) -> bool:
        return self.loads.exact and not self._wider

    @property
    def budget(self) -> Amounts:
        return self.loads.budget

    def _decide(self, load: Load) -> Answer:
        return _answer(self.loads.decide(load.boxes, load.one))

    def _may_exceed(self, boxes: Sequence[Box], component: int, most: int) -> bool:
        return not isinstance(self.loads, WideLoads) or self.loads.may_exceed(boxes, component, most)

    def _book(self, load: Load, answer: Answer | None) -> None:
        self.loads.book(load.boxes, load.one)

    def _load(self, loads: Sequence[Load]) -> None:
        self.loads.load([(load.boxes, load.one) for load in loads])

    def improve(self, boxes: Sequence[Box], components: int) -> None:
        if isinstance(self.loads, WideLoads):
            self.loads.improve(boxes)
        else:
            super().improve(boxes, components)

    def _highest(self, boxes: Sequence[Box], component: int) -> Extent:
        peak = self.loads.highest(boxes, component)
        return Extent(peak.lower, peak.upper, (peak.witness,) if peak.witness else ())

    def _beyond(self, witness: tuple[Point, ...], component: int) -> int:
        return sum(
            wide.one[component]
            for true, wide in self._wider.values()
            if wide.holds(witness[0]) and not true.holds(witness[0])
        )

    def nbytes(self) -> int:
        return self.loads.nbytes()


@final
class OfPairs(Engine):
    """The heaviest pair of record values, two records of equal values included (theory E11, E11a)."""

    __slots__ = ("loads", "twins")

    def __init__(self, shape: Sequence[int], budget: Amounts, limits: Limits) -> None:
        super().__init__(limits)
        wide = len(shape) > limits.axes
        self.loads: PairLoads | WidePairLoads = (WidePairLoads if wide else PairLoads)(shape, budget, limits)
        # A change between records of equal values loses ``same`` of every load that holds the value: loads of values.
        self.twins: ValueLoads | WideLoads | None = None

    @property
    def exact(self) -> bool:
        return self.loads.exact and (self.twins is None or self.twins.exact) and not self._wider

    @property
    def budget(self) -> Amounts:
        return self.loads.budget

    def _decide(self, load: Load) -> Answer:
        if any(load.same):
            equal = _answer(self._twins().decide(load.boxes, load.same))
            if not equal.fits:
                return Answer(
                    fits=False,
                    component=equal.component,
                    load=equal.load,
                    witness=2 * equal.witness,
                    proven=equal.proven,
                )
        found = self.loads.decide(load.boxes, load.one, load.substitution)
        proofs = tuple(found.proofs)
        return Answer(
            found.fits, found.component, found.load, found.witness or (), found.proven, proofs, self.loads.state
        )

    def _may_exceed(self, boxes: Sequence[Box], component: int, most: int) -> bool:
        if not isinstance(self.loads, WidePairLoads) or self.twins is not None:
            return True
        return self.loads.may_exceed(boxes, component, most)

    def _book(self, load: Load, answer: Answer | None) -> None:
        # Bounds that were found for the state after this charge hold only if nothing was booked in between, and no
        # reading has cut the grid: they are told by its cells.
        fresh = answer is not None and answer.state == self.loads.state
        proofs = answer.proofs if fresh and answer is not None else ()
        self.loads.book(load.boxes, load.one, load.substitution, proofs)
        if any(load.same):
            self.twins = self._twins()
            self.twins.book(load.boxes, load.same)

    def _twins(self) -> ValueLoads | WideLoads:
        return self.twins or loads_of(self.loads.shape, self.loads.budget, self.limits)

    def _highest(self, boxes: Sequence[Box], component: int) -> Extent:
        if not boxes:
            return Extent(0, 0, ())
        unlike = Extent(*self.loads.highest(boxes, component))
        if self.twins is None:
            return unlike
        peak = self.twins.highest(boxes, component)
        equal = Extent(peak.lower, peak.upper, 2 * (peak.witness,))
        heavier = equal if equal.lower > unlike.lower else unlike
        return Extent(heavier.lower, max(unlike.upper, equal.upper), heavier.witness)

    def nbytes(self) -> int:
        return self.loads.nbytes() + (0 if self.twins is None else self.twins.nbytes())


@final
class OfWindows(Engine):
    """The heaviest window of steps (theory E8)."""

    __slots__ = ("loads", "steps")

    def __init__(self, shape: Sequence[int], budget: Amounts, limits: Limits, steps: Steps) -> None:
        super().__init__(limits)
        self.loads = WindowLoads(shape, budget, steps, limits)
        self.steps = steps

    @property
    def exact(self) -> bool:
        return self.loads.exact and not self._wider

    @property
    def budget(self) -> Amounts:
        return self.loads.budget

    def _decide(self, load: Load) -> Answer:
        found = self.loads.decide(load.boxes, load.one)
        witness = () if found.witness is None else self._values(found.witness[0], found.component)
        return Answer(found.fits, found.component, found.load, witness, found.proven)

    def _book(self, load: Load, answer: Answer | None) -> None:
        self.loads.book(load.boxes, load.one)

    def _highest(self, boxes: Sequence[Box], component: int) -> Extent:
        total = self.loads.around(boxes, component)
        _, first = self.loads.worst(component)
        return Extent(total if self.exact else 0, total, self._values(first, component))

    def _beyond(self, witness: tuple[Point, ...], component: int) -> int:
        return 0  # nothing is claimed to have been lost once the loads are bounds

    def _values(self, number: int, component: int) -> tuple[Point, ...]:
        """For each step of a window, its heaviest value; the first few steps only of a long one."""
        values, axis = self.loads.values, self.steps.axis
        everything = [((0, size),) for size in values.shape]
        found = []
        for code in self.steps.codes(number, SHOWN):
            step = self.loads.heaviest_step(code, component)
            box = (*everything[:axis], ((step, step + 1),), *everything[axis + 1 :])
            found.append(values.heaviest(box, component))
        return tuple(found)

    def nbytes(self) -> int:
        return self.loads.nbytes()


def _answer(found: Decision) -> Answer:
    witness = () if found.witness is None else (found.witness,)
    return Answer(found.fits, found.component, found.load, witness, found.proven)


def engine_of(domain: Domain, granularity: Granularity, budget: Amounts, limits: Limits) -> Engine:
    """The loads that a granularity is about."""
    if len(domain.shape) > MOST_COLUMNS:
        raise refuse.too_many_columns(len(domain.shape), MOST_COLUMNS)
    match shape(granularity):
        case Shape.VALUES:
            return OfValues(domain.shape, budget, limits)
        case Shape.PAIRS:
            return OfPairs(domain.shape, budget, limits)
        case Shape.WINDOWS:
            windows = granularity.single
            assert isinstance(windows, Windows)
            return OfWindows(domain.shape, budget, limits, Steps.of(domain, windows))
