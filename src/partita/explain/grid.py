"""An answer as a grid of texts: keys, noisy values and their error bars, for terminals and for notebooks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from html import escape
from typing import Any, Final, Protocol, final

from partita.errors.wording import printable
from partita.exact import Number, probability
from partita.explain.numbers import percent

MOST_LINES: Final = 40
_FAINT: Final = (
    "Most of these numbers are smaller than their bars. A higher price makes bars shorter; so do fewer and larger "
    "groups, narrower bounds of what is added up, and fewer rows that count of one person."
)


class Lines(Protocol):
    """The lines and columns of an answer."""

    @property
    def columns(self) -> Mapping[str, Sequence[Any]]:
        """The values of every column."""

    def margins(self, name: str) -> Sequence[bool] | None:
        """For a key, which of its values stand for all of them; None for what is no key."""


class Shown(Protocol):
    """An answer, here or from a server: lines, and error bars for those that have noise."""

    @property
    def shown(self) -> Lines:
        """The lines and columns."""

    def error(self, confidence: Number) -> Mapping[str, Sequence[float]]:
        """For each noisy value the half-width of its error bar."""

    def rank_error(self, confidence: Number) -> Mapping[str, float]:
        """For each quantile, how many rows lie at most between it and the exact one."""


@final
@dataclass(frozen=True, slots=True)
class Column:
    """One column as it is shown; ``bar`` are the error bars of its lines, if its values have noise."""

    name: str
    values: tuple[str, ...]
    bar: tuple[str, ...] | None = None


@final
@dataclass(frozen=True, slots=True)
class Grid:
    """What an answer shows, line by line."""

    columns: tuple[Column, ...]

    @property
    def lines(self) -> int:
        """How many lines there are."""
        return len(self.columns[0].values) if self.columns else 0

    def text(self) -> str:
        """For a terminal; every bar stands under its own name."""
        shown = {}
        for column in self.columns:
            shown[column.name] = column.values
            if column.bar is not None:
                shown[f"± {column.name}"] = column.bar
        widths = {name: max(map(len, (name, *cells))) for name, cells in shown.items()}
        made = ["  ".join(name.rjust(width) for name, width in widths.items())]
        for line in range(min(self.lines, MOST_LINES)):
            made.append("  ".join(cells[line].rjust(widths[name]) for name, cells in shown.items()))
        return "\n".join([*made, *self._rest()])

    def html(self) -> str:
        """For a notebook."""
        heads, made = [], []
        for column in self.columns:
            heads += [column.name] if column.bar is None else [column.name, "±"]
        for line in range(min(self.lines, MOST_LINES)):
            cells: list[str] = []
            for column in self.columns:
                cells += [column.values[line]] if column.bar is None else [column.values[line], column.bar[line]]
            made.append("".join(f'<td style="text-align: right">{escape(cell)}</td>' for cell in cells))
        head = "".join(f'<th style="text-align: right">{escape(name)}</th>' for name in heads)
        body = "".join(f"<tr>{line}</tr>" for line in made)
        rest = "".join(f"<p>{escape(line)}</p>" for line in self._rest())
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{rest}"

    def _rest(self) -> list[str]:
        return [f"... {self.lines - MOST_LINES:,} more lines"] if self.lines > MOST_LINES else []


def grid(answer: Shown, confidence: Number = 0.95) -> Grid:
    """The answer with its error bars: values as precise as their bars, keys as they are."""
    errors = answer.error(confidence)
    columns = []
    for name, values in answer.shown.columns.items():
        halves, margins = errors.get(name), answer.shown.margins(name)
        if margins is not None:
            keys = tuple("all" if whole else label(value) for value, whole in zip(values, margins, strict=True))
            columns.append(Column(name, keys))
        elif halves is None:
            columns.append(Column(name, tuple(measured(value, math.inf) for value in values)))
        else:
            shown = tuple(measured(value, half) for value, half in zip(values, halves, strict=True))
            columns.append(Column(name, shown, tuple(map(bar, halves))))
    return Grid(tuple(columns))


def bars(answer: Shown, confidence: Number) -> str:
    """What the error bars mean, in a line; of quantiles it is places among the rows that are told."""
    sure = percent(float(probability(confidence, "confidence")))
    far = {name: math.ceil(rows) for name, rows in answer.rank_error(confidence).items()}
    ranks = [f"{name} within {rows:,} rows of its place" for name, rows in far.items()]
    return f"{'; '.join([f'Bars of {sure}', *ranks])}."


def faint(answer: Shown) -> list[str]:
    """A hint where noise drowns most of the numbers; it depends on what was released alone."""
    columns, errors = answer.shown.columns, answer.error(Fraction(95, 100))
    told = [
        abs(value) < half
        for name, halves in errors.items()
        for value, half in zip(columns[name], halves, strict=True)
        if isinstance(value, int | float) and not isinstance(value, bool) and value and math.isfinite(half)
    ]
    return [_FAINT] if 2 * sum(told) > len(told) else []


def label(value: object) -> str:
    """A key as it is stored, without what a terminal would obey.

    >>> label(2025), label(None)
    ('2025', 'NULL')
    """
    return "NULL" if value is None else printable(str(value))


def measured(value: object, half: float) -> str:
    """A noisy value, to the last digit that its error bar shows.

    >>> measured(2502, 6.53), measured(495.7431, 4.43), measured(1497671.2, 8360.0)
    ('2,502', '495.74', '1,497,671')
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return label(value)
    if isinstance(value, int) or not math.isfinite(value):
        return f"{value:,}"
    if not math.isfinite(half) or half <= 0:
        return f"{value:,.6g}" if abs(value) < 1e6 else f"{value:,.0f}"
    return f"{value:,.{min(_decimals(half), 12)}f}"


def bar(half: float) -> str:
    """The half-width of an error bar, in three digits.

    >>> bar(6.5312), bar(8361.5), bar(math.inf)
    ('6.53', '8,360', '∞')
    """
    if not math.isfinite(half):
        return "∞"
    rounded = float(f"{half:.3g}")
    if rounded and rounded < 1e-6:
        return f"{rounded:.3g}"
    return f"{rounded:,.{_decimals(rounded)}f}".rstrip("0").rstrip(".") if _decimals(rounded) else f"{rounded:,.0f}"


def _decimals(half: float) -> int:
    """How many decimals three digits of a half-width have."""
    return max(0, 2 - math.floor(math.log10(half))) if half > 0 else 0
