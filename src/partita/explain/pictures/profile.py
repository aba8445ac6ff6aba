"""The privacy profile: for every ε, how small a δ is proven."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING

from partita.canvas import FAINT, draw, pens, plain_ticks, sheet, write_on
from partita.errors import NotProven
from partita.errors import explain as refuse
from partita.exact import Number, float_up, probability
from partita.explain.numbers import short
from partita.explain.sampled import Profiled
from partita.theory.measures.base import Measure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_POINTS = 120
_FEWER = 40  # a composed guarantee is slower to read


def profile(
    guarantees: Mapping[str, Profiled],
    *,
    least: Number = "1e-12",
    marked: Number = "1e-6",
    title: str = "The price of a small δ",
) -> Figure:
    """δ against ε on a logarithmic scale, down to the least δ asked for; a line marks a usual δ."""
    if not guarantees:
        raise refuse.nothing_to_draw("guarantees")
    for guarantee in guarantees.values():
        if not (hasattr(guarantee, "delta_at") and hasattr(guarantee, "epsilon_at")):
            raise refuse.not_readable(guarantee)
    floor, usual = probability(least, "least"), probability(marked, "marked")
    with sheet(title) as (figure, axes):
        ends = []
        for place, (pen, (name, guarantee)) in enumerate(zip(pens(), guarantees.items(), strict=False)):
            x, y = _curve(guarantee, floor)
            draw(axes, pen, x, y, name)
            # Each curve has its name at a height of its own, so that names keep apart.
            height = float(floor) ** ((place + 1) / (len(guarantees) + 1))
            at = next((i for i, delta in enumerate(y) if delta <= height), len(y) - 1)
            write_on(axes, pen, (x[at], max(y[at], height)), name)
            ends.append(x[-1])
        axes.set(yscale="log", xlabel="ε", ylabel="δ", xlim=(0, 1.04 * max(ends)), ylim=(float(floor), 1.5))
        plain_ticks(axes.yaxis)
        axes.axhline(float(usual), color=FAINT, linewidth=1)
        axes.annotate(
            f"δ = {short(float(usual))}",
            xy=(1, float(usual)),
            xycoords=("axes fraction", "data"),
            xytext=(-4, 3),
            textcoords="offset points",
            ha="right",
            fontsize=9,
            color=FAINT,
        )
    return figure


def _curve(guarantee: Profiled, floor: Fraction) -> tuple[list[float], list[float]]:
    try:
        end = guarantee.epsilon_at(floor)
    except NotProven:  # the guarantee's own δ is larger; show the curve as far as it falls
        end = guarantee.epsilon_at(_least_delta(guarantee, floor))
    span = max(end, Fraction(1, 1000))
    points = _POINTS if isinstance(guarantee, Measure) else _FEWER
    xs = [span * step / points for step in range(points + 1)]
    ys = [float_up(guarantee.delta_at(x)) for x in xs]
    # A pure loss has δ = 0 from its ε on: the curve falls off the picture there.
    return [float(x) for x in xs], [max(y, float(floor) / 10) for y in ys]


def _least_delta(guarantee: Profiled, floor: Fraction) -> Fraction:
    """A δ a little above the smallest that the guarantee reaches."""
    delta = floor
    while delta < 1:
        try:
            guarantee.epsilon_at(delta)
        except NotProven:
            delta *= 2
        else:
            return delta
    return Fraction(1, 2)
