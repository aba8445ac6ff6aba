"""An answer as a picture: a bar for every group, with its error bar."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from partita.canvas import INK, sheet
from partita.errors import curator as refuse
from partita.exact import Number, probability
from partita.explain.grid import Shown
from partita.explain.numbers import percent

if TYPE_CHECKING:
    from matplotlib.figure import Figure


# More bars than this cannot be told apart.
MOST_BARS = 100


def plot(answer: Shown, column: str | None, confidence: Number) -> Figure:
    """One column of an answer over its groups, or its only line as a single bar."""
    errors = answer.error(confidence)
    name = next(iter(errors), None) if column is None else column
    if name is None or name not in errors:
        raise refuse.not_drawn(name, tuple(errors))
    columns = answer.shown.columns
    keys = [one for one in columns if one not in errors and one not in answer.rank_error(confidence)]
    lines = list(zip(*(columns[key] for key in keys), strict=True)) if keys else [()] * len(columns[name])
    if len(lines) > MOST_BARS:
        raise refuse.too_many_bars(len(lines), MOST_BARS)
    labels = [", ".join(_label(part) for part in line) for line in lines]
    values = [0.0 if value is None else float(value) for value in columns[name]]
    bars = [half if math.isfinite(half) else 0.0 for half in errors[name]]
    sure = percent(float(probability(confidence, "confidence")))
    places = range(len(labels))
    with sheet(f"{name}, with bars of {sure}", width=max(6.4, min(14.0, 1.6 + 0.75 * len(labels)))) as (figure, axes):
        axes.bar(places, values, width=0.72, color="#b9cfe0", edgecolor=INK, linewidth=0.8)
        axes.errorbar(places, values, yerr=bars, fmt="none", ecolor=INK, elinewidth=1.4, capsize=5)
        axes.set_xticks(list(places), labels, rotation=0 if max(map(len, labels), default=0) < 10 else 30)
        axes.set_xlabel(", ".join(keys))
        axes.set_ylabel(name)
    return figure


def _label(value: Any) -> str:
    return "NULL" if value is None else str(value)
