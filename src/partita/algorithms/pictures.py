"""Pictures of what algorithms release: estimates with their error bars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from partita.canvas import FAINT, INK, named_ticks, pens, sheet, whole_ticks
from partita.exact import Number, probability
from partita.explain.numbers import percent

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]

_BARS = 40


def answers(
    values: Floats,
    errors: Floats,
    confidence: Number,
    names: Sequence[str] = (),
    *,
    title: str = "Private answers",
    axis: str = "people",
    across: str = "query",
) -> Figure:
    """Estimates with the interval that holds the truth: bars for few, a band for many."""
    sure = percent(float(probability(confidence, "confidence")))
    places = np.arange(len(values))
    with sheet(title) as (figure, axes):
        if len(values) <= _BARS:
            axes.errorbar(places, values, yerr=errors, fmt="o", color=INK, ecolor=INK, elinewidth=1.2, capsize=4)
            if names:
                named_ticks(axes, names)
        else:
            axes.fill_between(places, values - errors, values + errors, color="#b9cfe0", linewidth=0)
            axes.plot(places, values, color=INK, linewidth=1.0)
        if not names or len(values) > _BARS:
            whole_ticks(axes.xaxis)
        axes.axhline(0, color=FAINT, linewidth=0.8)
        axes.set_ylabel(axis)
        axes.set_xlabel(f"{across}; the truth is within every bar at once with {sure} confidence", fontsize=8.5)
    return figure


def side_by_side(
    series: Mapping[str, tuple[Floats, float]], confidence: Number, *, title: str = "The same budget, asked two ways"
) -> Figure:
    """Several estimates of the same cells beside each other, each with its own error bars."""
    sure = percent(float(probability(confidence, "confidence")))
    with sheet(title) as (figure, axes):
        for place, (pen, (name, (values, error))) in enumerate(zip(pens(), series.items(), strict=False)):
            across = np.arange(len(values)) + 0.16 * (place - (len(series) - 1) / 2)
            axes.errorbar(
                across, values, yerr=error, fmt="o", color=pen.color, capsize=4, label=f"{name}: ± {error:,.4g}"
            )
        axes.legend()
        whole_ticks(axes.xaxis)
        axes.axhline(0, color=FAINT, linewidth=0.8)
        axes.set_xlabel(f"cell; every true count is within its bars at once with {sure} confidence", fontsize=8.5)
    return figure
