"""The trade-off curve: what no attacker can do better than, misses against false alarms."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING

from partita.canvas import FAINT, INK, draw, pens, sheet, write_on
from partita.errors import explain as refuse
from partita.exact import Number, float_down, probability
from partita.explain.numbers import at_least, percent
from partita.explain.sampled import Profiled, sampled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Dense near zero false alarms, where the curve is steep and attackers like to be.
_RATES = [Fraction(0), *(Fraction(10) ** -3 * 2**power for power in range(4)), *(Fraction(i, 80) for i in range(1, 81))]


def tradeoff(
    guarantees: Mapping[str, Profiled], *, fpr: Number = "0.05", title: str = "What no attacker can do better than"
) -> Figure:
    """One trade-off curve for each guarantee, with the line of perfect privacy, and one point read off the first."""
    if not guarantees:
        raise refuse.nothing_to_draw("guarantees")
    for guarantee in guarantees.values():
        if not all(hasattr(guarantee, name) for name in ("false_negatives", "delta_at", "epsilon_at")):
            raise refuse.not_readable(guarantee)
    marked = probability(fpr, "fpr")
    rates = sorted({*_RATES, marked})
    with sheet(title, width=6.6, height=5.0) as (figure, axes):
        x = [float(rate) for rate in rates]
        axes.set(xlim=(0, 1), ylim=(0, 1), xlabel="false alarms (share of those who are not in the data)")
        axes.set_ylabel("misses (share of those who are)")
        axes.plot([0, 1], [1, 0], color=FAINT, linewidth=1)
        axes.text(0.62, 0.41, "perfect privacy:\nguessing blindly", color=FAINT, fontsize=9)
        quick = [sampled(guarantee) for guarantee in guarantees.values()]
        curves = [[float_down(guarantee.false_negatives(rate)) for rate in rates] for guarantee in quick]
        axes.fill_between(x, 0, curves[0], color="#f2f2f2", zorder=0)
        for place, (pen, name, y) in enumerate(zip(pens(), guarantees, curves, strict=False)):
            draw(axes, pen, x, y, name)
            if len(curves) > 1:
                # Each curve has its name where it crosses a ray of its own, so that names keep apart.
                ray = math.tan(math.radians(72 - 54 * place / (len(curves) - 1)))
                at = next(i for i, rate in enumerate(x) if y[i] <= ray * rate)
                write_on(axes, pen, (x[at], y[at]), name)
            else:
                axes.text(0.03, 0.05, f"{name}:\nno attack ends here", fontsize=9)
        of = f"{next(iter(guarantees))}: " if len(curves) > 1 else ""
        axes.plot([float(marked)], [missed := curves[0][rates.index(marked)]], "o", color=INK, markersize=5, zorder=6)
        axes.annotate(
            f"{of}at {percent(float(marked))} false alarms\nat least {at_least(missed)} are missed",
            xy=(float(marked), missed),
            xytext=(0.34, 0.93),
            fontsize=9,
            va="center",
            arrowprops={"arrowstyle": "-", "color": FAINT, "linewidth": 0.8, "shrinkB": 4},
        )
    return figure
