"""The burn-down of a budget: how much is left after each question, for those who have lost most."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from partita.canvas import FAINT, draw, name_lines, pens, sheet
from partita.errors import explain as refuse

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def burn_down(
    left: Mapping[str, Sequence[tuple[float, float]]],
    *,
    title: str = "What is left of the budget",
    axis: str = "questions charged",
) -> Figure:
    """The share of each budget that is left, between 0 and 1, against the number of questions; one step a question."""
    known = {name: points for name, points in left.items() if points}
    if not known:
        raise refuse.nothing_to_draw("budgets")
    with sheet(title) as (figure, axes):
        from matplotlib.ticker import MaxNLocator

        lines = []
        for pen, (name, points) in zip(pens(), known.items(), strict=False):
            xs, ys = _steps(points)
            lines.append(draw(axes, pen, xs, ys, name))
        axes.set(xlabel=axis, ylabel="left for those who lost most", ylim=(-0.03, 1.05))
        axes.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0%", "25%", "50%", "75%", "100%"])
        axes.axhline(0, color=FAINT, linewidth=1)
        axes.xaxis.set_major_formatter("{x:,.0f}")
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        name_lines(axes, lines)
    return figure


def _steps(points: Sequence[tuple[float, float]]) -> tuple[list[float], list[float]]:
    """Flat until the next question, then down."""
    xs, ys = [points[0][0]], [points[0][1]]
    for x, y in points[1:]:
        xs += [x, x]
        ys += [ys[-1], y]
    return xs, ys
