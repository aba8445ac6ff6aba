"""Pictures of what was learnt, with the error of its noise."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle
from typing import TYPE_CHECKING

import numpy as np

from partita.algorithms.learning.lattice import Array
from partita.canvas import FAINT, INK, pens, sheet, whole_ticks

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Half of a normal interval of 95%, in deviations.
_SURE = 1.96


def centres(places: Array, error: Array, sizes: Array) -> Figure:
    """Cluster centres on the first two features, with 95% intervals for their noise; dots grow with the noisy sizes."""
    second = places[:, 1] if places.shape[1] > 1 else np.zeros(len(places))
    weight = np.clip(sizes, 1.0, None) / max(float(np.max(sizes)), 1.0)
    with sheet("Private cluster centres") as (figure, axes):
        bars = _SURE * error
        axes.errorbar(places[:, 0], second, xerr=bars, yerr=bars, fmt="none", ecolor=FAINT, elinewidth=1.2, capsize=3)
        axes.scatter(places[:, 0], second, s=30 + 170 * weight, color=INK, alpha=0.8)
        axes.set_xlabel("first feature")
        axes.set_ylabel("second feature" if places.shape[1] > 1 else "")
    return figure


def coefficients(
    values: Array, errors: Array | None, title: str, *, names: Sequence[object] = (), lines: Sequence[object] = ()
) -> Figure:
    """One kind of dots for each line of values, with 95% intervals where the error of the noise is known."""
    with sheet(title) as (figure, axes):
        for line, (row, pen, mark) in enumerate(zip(values, pens(), cycle("osD^vX"), strict=False)):
            at = np.arange(len(row)) + 0.12 * (line - (len(values) - 1) / 2)
            bars = None if errors is None else _SURE * errors[line]
            label = str(lines[line]) if lines else None
            axes.errorbar(
                at, row, bars, fmt=mark, color=pen.color, ecolor=FAINT, elinewidth=1.2, capsize=3, label=label
            )
        axes.axhline(0, color=FAINT, linewidth=0.8)
        if names:
            axes.set_xticks(np.arange(values.shape[1]), [str(name) for name in names])
        else:
            axes.set_xlabel("feature")
            whole_ticks(axes.xaxis)
        if lines:
            axes.legend()
    return figure
