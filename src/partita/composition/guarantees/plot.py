"""The picture of a guarantee: its profile and its trade-off curve side by side."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import cycle
from typing import TYPE_CHECKING

from partita.composition.guarantees.guarantee import Guarantee
from partita.errors import explain as refuse

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_POINTS = 60
_STYLES = ("-", "--", ":", "-.")  # lines differ in grey too


def profile_and_tradeoff(guarantees: Mapping[str, Guarantee]) -> Figure:
    """δ against ε, and false negatives against false positives, side by side."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise refuse.no_matplotlib() from None

    figure = Figure(figsize=(10.0, 4.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    for (name, guarantee), style in zip(guarantees.items(), cycle(_STYLES), strict=False):
        reach = 1.3 * max(guarantee.epsilon, 1e-3)
        epsilons = [reach * i / _POINTS for i in range(_POINTS + 1)]
        left.plot(epsilons, [max(guarantee.profile(e), 1e-300) for e in epsilons], label=name, linestyle=style)
        shares = [i / _POINTS for i in range(_POINTS + 1)]
        right.plot(shares, [guarantee.tradeoff(share) for share in shares], label=name, linestyle=style)
    left.set(yscale="log", xlabel="ε", ylabel="δ", title="Profile")
    right.plot([0, 1], [1, 0], color="0.7", linewidth=1, label="nothing learnt")
    right.set(xlabel="false positives", ylabel="false negatives, at least", title="Trade-off")
    for axes in (left, right):
        axes.legend()
    return figure
