"""Beliefs before and after: how far any output can move what somebody believes of one person."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from partita.canvas import FAINT, draw, pens, sheet, write_on
from partita.errors import explain as refuse
from partita.exact import Number, nonnegative
from partita.theory.semantics import posterior_range

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_PRIORS = [Fraction(i, 64) for i in range(65)]


def posterior(epsilons: Sequence[Number], *, title: str = "What an output can do to a belief") -> Figure:
    """The lowest and the highest belief after any output, against the belief before it, for each pure ε (theory B22).

    One step of the relation: where records come and go, a belief in somebody's presence; one in what the record says
    moves as far as at twice the ε. The upper line of each ε carries its name; the lower one is the same mirrored.

    >>> figure = posterior(["0.5", 1])
    >>> figure.axes[0].get_xlabel(), figure.axes[0].get_ylabel()
    ('belief before the release', 'belief after it')
    """
    if not epsilons:
        raise refuse.nothing_to_draw("values of ε")
    losses = [nonnegative(epsilon, "epsilon") for epsilon in epsilons]
    with sheet(title, width=5.6, height=5.0) as (figure, axes):
        x = [float(prior) for prior in _PRIORS]
        axes.set(xlim=(0, 1), ylim=(0, 1), xlabel="belief before the release", ylabel="belief after it")
        axes.plot([0, 1], [0, 1], color=FAINT, linewidth=1)
        for place, (pen, loss) in enumerate(zip(pens(), losses, strict=False)):
            low, high = zip(*(posterior_range(prior, loss) for prior in _PRIORS), strict=True)
            draw(axes, pen, x, low, "")
            draw(axes, pen, x, high, "")
            if not place:
                axes.fill_between(x, low, high, color="#f2f2f2", zorder=0)
            # Each name on its upper line, further right for each further one.
            at = round(len(x) * (place + 1) / (2 * len(losses) + 1))
            write_on(axes, pen, (x[at], high[at]), f"ε = {float(loss):.3g}")
    return figure
