"""A picture of the region account: which groups have been asked about how much, over two columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from partita.canvas import sheet
from partita.composition.account.maps import LoadMap

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TICKS = 12


def draw_map(shown: LoadMap, *, left: bool = False, title: str | None = None) -> Figure:
    """A heat map of the share of the budget spent on (or, with ``left``, left for) each combination of two columns.

    >>> import numpy as np
    >>> from partita.composition.account.maps import LoadMap
    >>> figure = draw_map(LoadMap("sex", "age", ("F", "M"), (0, 1, 2), np.array([[0.0, 0.5, 1.0], [0.0, 0.0, 0.5]])))
    >>> figure.axes[0].get_xlabel(), figure.axes[0].get_ylabel()
    ('sex', 'age')
    """
    values = shown.left if left else shown.spent
    words = "left for" if left else "spent on"
    with sheet(title or f"The share of the budget {words} each group") as (figure, axes):
        colours = "Greens" if left else "OrRd"
        picture = axes.imshow(values.T, aspect="auto", origin="lower", vmin=0, vmax=1, cmap=colours)
        axes.grid(visible=False)
        axes.set(xlabel=shown.column_x, ylabel=shown.column_y)
        places, names = _ticks(shown.x)
        slanted = max(map(len, names), default=0) > 4
        axes.set_xticks(places, names, rotation=45 if slanted else 0, ha="right" if slanted else "center")
        axes.set_yticks(*_ticks(shown.y))
        bar = figure.colorbar(picture, ax=axes)
        bar.set_ticks([0.0, 0.25, 0.5, 0.75, 1.0], labels=["0%", "25%", "50%", "75%", "100%"])
    return figure


def _ticks(values: tuple[object, ...]) -> tuple[list[int], list[str]]:
    """A few places along an axis, with their values; NULL is written out."""
    places = [int(place) for place in np.unique(np.linspace(0, len(values) - 1, min(TICKS, len(values))).astype(int))]
    return places, ["NULL" if values[place] is None else str(values[place]) for place in places]
