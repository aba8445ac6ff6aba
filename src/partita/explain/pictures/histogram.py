"""A noisy histogram with its error bars."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from partita.canvas import FAINT, INK, sheet
from partita.errors import explain as refuse
from partita.exact import Number, nonnegative, probability
from partita.explain.numbers import percent

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def histogram(
    names: Sequence[str],
    counts: Sequence[float],
    *,
    error: Number,
    confidence: Number = 0.95,
    exact_counts: Sequence[float] | None = None,
    axis: str = "people",
    title: str = "A private histogram",
) -> Figure:
    """Bars of noisy counts, each with the interval that holds the truth, all of them at once with this confidence.

    ``exact_counts`` marks the truth beside them, for data that are made up; counts below zero are shown as they are.
    """
    if not names:
        raise refuse.nothing_to_draw("bars")
    for what, values in (("counts", counts), ("exact_counts", exact_counts)):
        if values is not None and len(values) != len(names):
            raise refuse.unlike_lengths("names", len(names), what, len(values))
    half, sure = float(nonnegative(error, "error")), probability(confidence, "confidence")
    places = range(len(names))
    with sheet(title, width=max(6.4, min(14.0, 1.6 + 0.75 * len(names)))) as (figure, axes):
        axes.bar(places, [float(count) for count in counts], width=0.72, color="#b9cfe0", edgecolor=INK, linewidth=0.8)
        axes.errorbar(places, counts, yerr=half, fmt="none", ecolor=INK, elinewidth=1.4, capsize=5)
        if exact_counts is not None:
            axes.plot(
                [place + 0.2 for place in places],
                exact_counts,
                "D",
                markersize=5,
                markerfacecolor="white",
                markeredgecolor="#d55e00",
            )
        axes.set_xticks(places, [str(name) for name in names], rotation=0 if len(names) <= 8 else 45)
        axes.set_ylabel(axis)
        axes.grid(visible=False, axis="x")
        axes.axhline(0, color=FAINT, linewidth=0.8)
        said = f"whiskers: ± {half:,.4g}, every true count is inside with {percent(float(sure))} confidence"
        told = "" if exact_counts is None else "\ndiamonds: the true counts, which only the custodian sees"
        axes.set_xlabel(said + told, loc="left", fontsize=8.5, labelpad=10)
        axes.margins(x=0.03)
        axes.yaxis.set_major_formatter("{x:,.0f}")
    return figure
