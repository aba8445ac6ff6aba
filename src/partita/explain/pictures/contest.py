"""An attack in two worlds: how far it gets without protection, with it, and how far it could."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from partita.canvas import draw, name_lines, pens, plain_ticks, sheet
from partita.errors import explain as refuse

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def contest(
    lines: Mapping[str, Sequence[tuple[float, float]]],
    *,
    across: str,
    up: str,
    title: str,
    shares: bool = True,
    logarithmic: bool = False,
) -> Figure:
    """One line for each side; upward is a share of all unless told otherwise."""
    known = {name: points for name, points in lines.items() if points}
    if not known:
        raise refuse.nothing_to_draw("lines")
    with sheet(title, width=7.6) as (figure, axes):
        drawn = [
            draw(axes, pen, [x for x, _ in points], [y for _, y in points], name)
            for pen, (name, points) in zip(pens(), known.items(), strict=False)
        ]
        axes.set(xlabel=across, ylabel=up)
        if shares:
            axes.set_ylim(-0.03, 1.03)
            axes.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0%", "25%", "50%", "75%", "100%"])
        if logarithmic:
            axes.set_xscale("log")
            plain_ticks(axes.xaxis)
        name_lines(axes, drawn)
    return figure
