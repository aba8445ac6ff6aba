"""The picture of a guarantee: its profile and its trade-off curve side by side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from partita.canvas import FAINT, Drawn, draw, name_lines, pens_of_methods, plain_ticks, sheets
from partita.composition.guarantees.guarantee import Guarantee

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_POINTS = 60
_SHARES = [i / _POINTS for i in range(_POINTS + 1)]


def profile_and_tradeoff(guarantees: Mapping[str, Guarantee]) -> Figure:
    """δ against ε, and false negatives against false positives, side by side; each guarantee has one pen in both."""
    with sheets("Profile", "Trade-off", width=10.0, height=4.2) as (figure, (left, right)):
        right.plot([0, 1], [1, 0], color=FAINT, linewidth=1)
        right.text(0.56, 0.48, "nothing learnt", color=FAINT, fontsize=9)
        named: list[Drawn] = []
        for (name, guarantee), pen in zip(guarantees.items(), pens_of_methods(guarantees), strict=True):
            reach = 1.3 * max(guarantee.epsilon, 1e-3)
            epsilons = [reach * share for share in _SHARES]
            draw(left, pen, epsilons, [max(guarantee.profile(e), 1e-300) for e in epsilons], name)
            named.append(draw(right, pen, _SHARES, [guarantee.tradeoff(share) for share in _SHARES], name))
        left.set(yscale="log", xlabel="ε", ylabel="δ")
        plain_ticks(left.yaxis)
        right.set(xlabel="false positives", ylabel="false negatives, at least")
        name_lines(right, named, gap=0.07)
    return figure
