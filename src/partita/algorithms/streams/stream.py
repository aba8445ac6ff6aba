"""Continual counting: after every step the noisy number of events so far, or in the last steps, from one budget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, final

import numpy as np
from numpy.typing import NDArray

from partita.algorithms.budget import budget_of, norm_for
from partita.algorithms.linear.axes import columns_of
from partita.algorithms.linear.counting import counted, read_counts, without_null
from partita.algorithms.linear.scheme import Floats
from partita.algorithms.progress import track
from partita.algorithms.streams.factors import MOST_OPTIMISED, MOST_STEPS, Optimal, SquareRoot
from partita.algorithms.streams.running import Binary, Reader, Released, Running, Triangular
from partita.curator.computations.computation import Computation, Sample
from partita.errors import PartitaError
from partita.errors import algorithms as refuse
from partita.errors import mechanisms as refuse_mechanism
from partita.exact import Number, whole
from partita.granularity import Granularity, Replace, Rows
from partita.live import Live
from partita.mechanisms.base import Event
from partita.sampling.bits import BitSource
from partita.theory.distance import Norm
from partita.theory.measures.approximate import Approximate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from partita.curator.answers.outcome import Outcome
    from partita.curator.curator import Curator
    from partita.region.columns import Bounded

METHODS = ("best", "tree", "square root", "optimal")
MOST_EVENTS = 1 << 40
_UNIT = Rows()


@final
class ContinualCounter(Computation):
    """Counts a stream of declared length: the whole stream costs one budget, whatever is looked at (theory F11).

    ``method``: blocks of a ``"tree"``, the ``"square root"`` factorisation, the ``"optimal"`` one for so many steps, or
    the ``"best"`` by predicted error. ``unit`` is who is protected: ``pt.rows()`` one event, ``pt.users(..., rows=m)``
    a person with at most m events, ``pt.windows(..., width=w)`` whatever happens in w steps. ``window`` counts the last
    so many steps instead of all so far.

    >>> counter = ContinualCounter(1000, rho="0.5")
    >>> counter.deviation() < ContinualCounter(1000, rho="0.5", method="tree").deviation()
    True
    """

    kind: ClassVar[str] = "continual-counter"

    def __init__(
        self,
        steps: int,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        rho: Number | None = None,
        mu: Number | None = None,
        method: str = "best",
        unit: Granularity = _UNIT,
        window: int | None = None,
        column: str = "day",
    ) -> None:
        self.steps = whole(steps, "steps", least=1)
        self.window = None if window is None else whole(window, "window", least=1)
        self.budget = budget_of(epsilon=epsilon, delta=delta, rho=rho, mu=mu)
        if not isinstance(unit, Granularity):
            raise refuse.no_stream_unit(str(unit))
        self.unit = unit
        self.columns = (column,)
        self.scheme = self._chosen(method)

    # --- privacy ---------------------------------------------------------------------------------------------

    def losses(self, rows: int = 1, *, changed: bool = False) -> list[Event]:
        """The releases of the whole stream, and how far so many rows move them."""
        if not changed:
            return _times(self.scheme.losses(Rows()), rows)
        return [
            max(come, moved, key=lambda event: event.distance.power)
            for come, moved in zip(
                _times(self.scheme.losses(Rows()), rows), _times(self.scheme.losses(Replace()), rows), strict=True
            )
        ]

    def parameters(self) -> Mapping[str, object]:
        return self.scheme.parameters()

    def accepts(self, table: str, columns: Sequence[Bounded]) -> None:
        if self.steps not in (columns[0].size, *without_null(columns)):
            raise refuse.wrong_cells(f"The column {self.columns[0]}", self.steps, without_null(columns)[0])

    def compute(self, sample: Sample, *, bits: BitSource | None) -> list[Released]:
        return self._released(counted(sample.codes, sample.columns, self.steps), bits, progress=None)

    @property
    def delta(self) -> Number:
        return self.budget.delta if isinstance(self.budget, Approximate) else 0

    # --- results ---------------------------------------------------------------------------------------------

    def open(self, *, bits: BitSource | None = None) -> Stream:
        """A stream that is fed step by step; charge its cost before the first."""
        return Stream(self, bits)

    def release(self, counts: object, *, bits: BitSource | None = None, progress: bool | None = None) -> RunningCounts:
        """All steps at once, from the exact count of each."""
        return RunningCounts(self, self._released(read_counts(counts, self.steps), bits, progress=progress))

    def release_from(
        self, curator: Curator, table: str, *, where: str | None = None, analyst: str = "", key: str | None = None
    ) -> tuple[RunningCounts, Outcome]:
        """The steps of a curator's table, by the values of the column, paid from its promises."""
        (column,) = columns_of(curator, table, self.columns)
        if self.steps not in (column.size, *without_null((column,))):
            raise refuse.wrong_cells(f"The column {self.columns[0]}", self.steps, without_null((column,))[0])
        outcome = curator.run(self, table=table, where=where, analyst=analyst, key=key)
        return RunningCounts(self, outcome.document), outcome

    def deviation(self, step: int | None = None) -> float:
        """The standard deviation of the count at a step; without one, the root mean square over all steps."""
        if step is not None:
            return self.scheme.deviation(_step(step, self.steps), self.window)
        return _mean_deviation(self.scheme, self.window)

    def error(self, confidence: Number = 0.95) -> Floats:
        """The half-width at every step, all of them at once with this confidence."""
        return np.array(
            [self.scheme.half_width(step, self.window, confidence, self.steps) for step in range(self.steps)]
        )

    def _released(self, counts: NDArray[Any], bits: BitSource | None, *, progress: bool | None) -> list[Released]:
        return [
            self.scheme.release(counts, step, bits=bits)
            for step in track(range(self.steps), "counting", shown=progress, total=self.steps)
        ]

    def _chosen(self, method: str) -> Running:
        if method not in METHODS:
            raise refuse.unknown_choice("method", method, METHODS)
        norms = norm_for(self.budget, None)
        if Norm.L2 not in norms and method not in ("tree", "best"):
            raise refuse.no_such_noise("Gaussian", str(self.budget))
        found: list[Running] = []
        if method in ("tree", "best"):
            found += [Binary.within(self.budget, self.steps, norm, self.unit) for norm in norms]
        if Norm.L2 in norms:
            if method == "square root" or (method == "best" and self.steps <= MOST_STEPS):
                found.append(Triangular.within(self.budget, SquareRoot(self.steps), self.unit))
            if method == "optimal" or (method == "best" and self.steps <= MOST_OPTIMISED // 4):
                found.append(Triangular.within(self.budget, Optimal(self.steps, self.window), self.unit))
        return min(found, key=lambda scheme: _mean_deviation(scheme, self.window))


@final
class Stream(Live):
    """A stream being counted: one exact count goes in at each step, one noisy count comes out.

    >>> from partita.sampling.bits import TestBits
    >>> stream = ContinualCounter(4, rho=1000, method="tree").open(bits=TestBits(1))
    >>> [round(stream.push(count)) for count in (3, 0, 5, 1)]
    [3, 3, 8, 9]
    """

    def __init__(self, counter: ContinualCounter, bits: BitSource | None) -> None:
        super().__init__()
        self._counter = counter
        self._bits = bits
        self._counts: NDArray[np.int64] = np.zeros(counter.steps, dtype=np.int64)
        self._reader = counter.scheme.reader()
        self._step = 0

    @property
    def step(self) -> int:
        """How many steps were counted."""
        return self._step

    def push(self, count: int) -> float:
        """The exact count of the next step goes in, the noisy count comes out."""
        events = whole(count, "count")
        if events > MOST_EVENTS:
            raise refuse.too_many_events(MOST_EVENTS)
        with self._lock:
            step = self.step
            if step >= self._counter.steps:
                raise refuse.stream_over(self._counter.steps)
            self._counts[step] = events
            self._reader.add(self._counter.scheme.release(self._counts, step, bits=self._bits))
            self._step += 1
            return self._reader.count(step, self._counter.window)

    def last(self, steps: int) -> float:
        """How many there were in the last so many steps: free."""
        if not self._step:
            raise refuse.bad_step(0, 0)
        return self._reader.count(self._step - 1, whole(steps, "steps", least=1))

    def _copied(self) -> PartitaError:
        return refuse_mechanism.session_copied()


@final
@dataclass(frozen=True, eq=False)
class RunningCounts:
    """The noisy counts of all steps; any window of steps can be read for free."""

    counter: ContinualCounter
    released: Sequence[Released]

    @property
    def counts(self) -> Floats:
        """The count at every step: of all steps so far, or of the declared window."""
        return np.array([self.at(step) for step in range(self.counter.steps)])

    def at(self, step: int, *, window: int | None = None) -> float:
        """The count at one step, of all so far or of the last so many."""
        when = _step(step, self.counter.steps)
        return self._reader.count(when, self.counter.window if window is None else window)

    @cached_property
    def _reader(self) -> Reader:
        found = self.counter.scheme.reader()
        for numbers in self.released:
            found.add(numbers)
        return found

    def error(self, confidence: Number = 0.95) -> Floats:
        """The half-width at every step, all of them at once with this confidence."""
        return self.counter.error(confidence)

    def plot(self, confidence: Number = 0.95) -> Figure:
        """The counts over time with their error band."""
        from partita.algorithms.pictures import answers

        over = "so far" if self.counter.window is None else f"in the last {self.counter.window} steps"
        title = f"Events {over}"
        return answers(self.counts, self.error(confidence), confidence, title=title, axis="events", across="step")


def _times(losses: Sequence[Event], rows: int) -> list[Event]:
    return [replace(one, distance=one.distance.times(rows)) for one in losses]


def _mean_deviation(scheme: Running, window: int | None) -> float:
    """The root mean square over all steps; for long streams, over evenly spread ones."""
    steps = np.unique(np.linspace(0, scheme.steps - 1, min(scheme.steps, 512)).astype(int))
    return float(np.sqrt(np.mean([scheme.deviation(int(step), window) ** 2 for step in steps])))


def _step(step: int, steps: int) -> int:
    found = whole(step, "step")
    if found >= steps:
        raise refuse.bad_step(found, steps)
    return found
