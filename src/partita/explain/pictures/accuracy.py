"""Questions against accuracy: how wide an error bar gets when more of them share one budget."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from partita.canvas import draw, name_lines, pens, plain_ticks, sheet
from partita.composition.calibration.calibrate import calibrate
from partita.errors import explain as refuse
from partita.exact import Number, positive, probability, whole
from partita.explain.numbers import percent, short
from partita.mechanisms.gaussian import GaussianNoise
from partita.mechanisms.laplace import Laplace

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def error_by_count(
    counts: Sequence[int], *, epsilon: Number, delta: Number = "1e-6", confidence: Number = 0.95
) -> dict[str, list[tuple[int, float]]]:
    """The half-width of a count's error bar when so many counts share (ε, δ), by noise and by theorem.

    >>> table = error_by_count([1, 100], epsilon=1)
    >>> [round(error) for _, error in table["Laplace, ε divided"]], round(table["Gaussian, exact"][1][1])
    ([3, 300], 83)
    """
    total, sure = positive(epsilon, "epsilon"), probability(confidence, "confidence")
    sizes = [whole(count, "count", least=1) for count in counts]
    return {
        "Laplace, ε divided": [(count, Laplace(epsilon=total / count).error(confidence=sure)) for count in sizes],
        "Laplace, exact": [(count, _least(Laplace, count, total, delta).error(confidence=sure)) for count in sizes],
        "Gaussian, exact": [
            (count, _least(GaussianNoise, count, total, delta).error(confidence=sure)) for count in sizes
        ],
    }


def _least(kind: type[Laplace] | type[GaussianNoise], count: int, epsilon: Number, delta: Number) -> Laplace:
    found: Laplace = calibrate(kind, count=count, epsilon=epsilon, delta=delta)
    return found


def accuracy(
    counts: Sequence[int] = (1, 3, 10, 30, 100, 300, 1000),
    *,
    epsilon: Number = 1,
    delta: Number = "1e-6",
    confidence: Number = 0.95,
    title: str = "More questions, wider bars",
) -> Figure:
    """The error bar of each of so many counts that share one budget, one line for each way of sharing it."""
    if not counts:
        raise refuse.nothing_to_draw("numbers of questions")
    lines = error_by_count(counts, epsilon=epsilon, delta=delta, confidence=confidence)
    with sheet(title) as (figure, axes):
        drawn = [
            draw(axes, pen, [count for count, _ in points], [error for _, error in points], name)
            for pen, (name, points) in zip(pens(), sorted(lines.items(), key=lambda line: line[1][-1][1]), strict=False)
        ]
        axes.set(xscale="log", yscale="log", xlabel="questions that share the budget")
        sure = percent(float(probability(confidence, "confidence")))
        axes.set_ylabel(f"± of one count, {sure} confidence")
        plain_ticks(axes.xaxis)
        plain_ticks(axes.yaxis)
        axes.set_title(f"{title} (ε = {float(positive(epsilon, 'epsilon')):.3g}, δ = {short(float(str(delta)))})")
        name_lines(axes, drawn)
    return figure
