"""What many releases come to: ε against their number, one line for each method."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from partita.canvas import draw, name_lines, pens_of_methods, plain_ticks, sheet
from partita.errors import explain as refuse
from partita.explain.numbers import short

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def composition(
    totals: Mapping[str, Sequence[tuple[int, float]]],
    *,
    delta: float,
    title: str = "What many releases give away together",
    axis: str = "number of releases",
) -> Figure:
    """The total ε of each method at the given δ, for growing numbers of releases; both axes are logarithmic.

    A method is drawn where it gives a finite total; the lowest line at each number is the tightest.
    """
    drawable = {name: [point for point in points if _drawable(point[1])] for name, points in totals.items()}
    # The tightest at its end comes first, so that it has the strongest pen.
    known = dict(sorted(((name, points) for name, points in drawable.items() if points), key=_end))
    if not known:
        raise refuse.nothing_to_draw("totals")
    with sheet(title) as (figure, axes):
        lines = []
        for pen, (name, points) in zip(pens_of_methods(known), known.items(), strict=True):
            lines.append(draw(axes, pen, [count for count, _ in points], [total for _, total in points], name))
        axes.set(xscale="log", yscale="log", xlabel=axis)
        axes.set_ylabel(f"total ε at δ = {short(delta)}" if delta else "total ε")
        plain_ticks(axes.xaxis)
        plain_ticks(axes.yaxis)
        name_lines(axes, lines)
    return figure


def _end(line: tuple[str, list[tuple[int, float]]]) -> float:
    return line[1][-1][1]


def _drawable(total: float) -> bool:
    return math.isfinite(total) and total > 0
