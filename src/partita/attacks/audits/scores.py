"""Scoring rules an attacker learns from practice runs: the higher the score, the likelier the first input."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from partita.attacks.audits.low_bits import last_bit
from partita.attacks.audits.outputs import Floats, Outputs, kinds, labels, last_bits, numbers, whole, width

_CELLS = 128  # cells of a histogram over a continuous output
_ATOMS = 1024  # as many different values are told apart one by one
_COLUMNS = 16  # as many coordinates of a vector are looked at on their own


class Score(ABC):
    """A deterministic reading of an output as one number; any such reading makes a sound audit."""

    __slots__ = ()

    @abstractmethod
    def __call__(self, outputs: Outputs) -> Floats:
        """The score of each output."""

    @abstractmethod
    def __str__(self) -> str:
        """What the score is, in words."""

    def words(self, threshold: float, *, reaching: bool) -> str:
        """The outputs that reach the threshold, or those that do not, in words."""
        return f"{self} {'≥' if reaching else '<'} {threshold:.6g}"


@final
@dataclass(frozen=True, slots=True)
class Value(Score):
    """One coordinate itself: right whenever a larger output always speaks for the same input."""

    column: int
    columns: int

    def __call__(self, outputs: Outputs) -> Floats:
        return np.nan_to_num(numbers(outputs, self.columns)[:, self.column], nan=-np.inf)

    def __str__(self) -> str:
        return "output" if self.columns == 1 else f"output[{self.column}]"


@final
@dataclass(frozen=True, slots=True)
class Direction(Score):
    """A weighted sum of all coordinates, along the difference of the means."""

    weights: Floats
    name: str = "weighted sum of the output"

    def __call__(self, outputs: Outputs) -> Floats:
        with np.errstate(invalid="ignore"):
            total = numbers(outputs, len(self.weights)) @ self.weights
        return np.nan_to_num(total, nan=-np.inf)

    def __str__(self) -> str:
        return self.name


@final
@dataclass(frozen=True, slots=True)
class Cells(Score):
    """The log-likelihood ratio of the cell each coordinate falls in, summed over coordinates."""

    columns: tuple[int, ...]
    of: int
    edges: tuple[Floats, ...]
    ratios: tuple[Floats, ...]

    def __call__(self, outputs: Outputs) -> Floats:
        table = numbers(outputs, self.of)
        total = np.zeros(len(table))
        for column, edges, ratios in zip(self.columns, self.edges, self.ratios, strict=True):
            total += ratios[np.searchsorted(edges, table[:, column], side="right")]
        return total

    def __str__(self) -> str:
        where = "" if self.of == 1 else f"[{self.columns[0]}]" if len(self.columns) == 1 else " (all coordinates)"
        return f"log-likelihood ratio of output{where}"


@final
@dataclass(frozen=True, slots=True)
class LowBits(Score):
    """Where the last set bit of a float stands: noise added in floating point shows its input there."""

    column: int
    columns: int

    def __call__(self, outputs: Outputs) -> Floats:
        return last_bit(numbers(outputs, self.columns)[:, self.column])

    def __str__(self) -> str:
        return f"exponent of the last set bit of {Value(self.column, self.columns)}"


@final
@dataclass(frozen=True, slots=True)
class Counted(Score):
    """The log-likelihood ratio of what is counted of an output, as often as it was seen in practice."""

    name: str
    reading: Callable[[Outputs], list[Hashable]]
    ratios: dict[Hashable, float]

    def __call__(self, outputs: Outputs) -> Floats:
        return np.array([self.ratios.get(seen, 0.0) for seen in self.reading(outputs)])

    def __str__(self) -> str:
        return f"log-likelihood ratio of the {self.name}"

    def words(self, threshold: float, *, reaching: bool) -> str:
        """The outputs themselves, if they are few; what was never seen in practice scores zero."""
        unseen = (threshold <= 0) == reaching
        listed = sorted(
            repr(seen) for seen, ratio in self.ratios.items() if ((ratio >= threshold) == reaching) != unseen
        )
        if 1 <= len(listed) <= 3 and max(map(len, listed)) <= 40:
            return f"{self.name} is {'not ' if unseen else ''}{' or '.join(listed)}"
        return Score.words(self, threshold, reaching=reaching)


@final
@dataclass(frozen=True, slots=True)
class Largest(Score):
    """The log-likelihood ratio of which coordinate is the largest."""

    ratios: Floats

    def __call__(self, outputs: Outputs) -> Floats:
        table = np.nan_to_num(numbers(outputs, len(self.ratios)), nan=-np.inf)
        found: Floats = self.ratios[table.argmax(axis=1)]
        return found

    def __str__(self) -> str:
        return "log-likelihood ratio of the position of the largest coordinate"


def learn(first: Outputs, second: Outputs) -> Iterator[Score]:
    """Every scoring rule worth trying on outputs like these."""
    columns = width(first) or width(second)
    if columns:
        yield from _numeric(numbers(first, columns), numbers(second, columns))
    preview = labels(first[:_ATOMS])
    if len(set(preview)) < len(preview):
        yield from _counted("output", labels, first, second)
    if columns == 1 and whole(first) and whole(second):
        # Numbers beyond 2^53 look alike as floats; their last bits do not.
        yield from _counted("last bits", last_bits, first, second)
    yield from _counted("kind of output", kinds, first, second)


def _counted(
    name: str, reading: Callable[[Outputs], list[Hashable]], first: Outputs, second: Outputs
) -> Iterator[Score]:
    counts, others = Counter(reading(first)), Counter(reading(second))
    seen = counts.keys() | others.keys()
    if 2 <= len(seen) <= max(_ATOMS, len(first) // 8):
        yield Counted(name, reading, {one: float(_ratio(counts[one], others[one])) for one in seen})


def _numeric(first: Floats, second: Floats) -> Iterator[Score]:
    columns = first.shape[1]
    with np.errstate(all="ignore"):
        shift = first.mean(axis=0) - second.mean(axis=0)
        spread = np.concatenate([first, second]).var(axis=0)
        weights = np.nan_to_num(shift / np.where(spread > 0, spread, 1.0), nan=0.0, posinf=0.0, neginf=0.0)
        telling = np.argsort(-np.abs(weights) * np.sqrt(np.nan_to_num(spread)), kind="stable")[:_COLUMNS]
    for column in sorted(telling.tolist()):
        yield Value(column, columns)
        yield _cells(first, second, (column,))
        if (np.mod(first[np.isfinite(first[:, column]), column], 1) != 0).any():
            yield LowBits(column, columns)
    if columns > 1:
        yield _cells(first, second, tuple(range(columns)))
        yield Direction(weights)
        yield Direction(np.ones(columns), "sum of the output")
        tops = [np.bincount(np.nan_to_num(part).argmax(axis=1), minlength=columns) for part in (first, second)]
        yield Largest(_ratio(tops[0], tops[1]))


def _cells(first: Floats, second: Floats, chosen: tuple[int, ...]) -> Cells:
    edges, ratios = [], []
    for column in chosen:
        cuts = _edges(np.concatenate([first[:, column], second[:, column]]))
        counts = [
            np.bincount(np.searchsorted(cuts, part[:, column], side="right"), minlength=len(cuts) + 1)
            for part in (first, second)
        ]
        edges.append(cuts)
        ratios.append(_ratio(counts[0], counts[1]))
    return Cells(chosen, first.shape[1], tuple(edges), tuple(ratios))


def _edges(values: Floats) -> Floats:
    """Lower edges of cells: one for each value if there are few, else for equal shares of the practice runs."""
    finite = values[np.isfinite(values)]
    atoms = np.unique(finite)
    if len(atoms) <= _ATOMS:
        return np.sort(np.concatenate([atoms, np.nextafter(atoms, np.inf)]))
    return np.unique(np.quantile(finite, np.linspace(0, 1, _CELLS + 1)))


def _ratio(first: ArrayLike, second: ArrayLike) -> Floats:
    """The log-likelihood ratio from counts, half a count added to each so that it is finite."""
    return np.log(np.asarray(first) + 0.5) - np.log(np.asarray(second) + 0.5)
