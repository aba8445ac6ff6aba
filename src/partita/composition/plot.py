"""Pictures of totals: the profile, the trade-off curve, and ε against the number of releases by every method."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from partita.composition.compose import METHODS, compose
from partita.composition.guarantee import Guarantee
from partita.errors import PartitaError
from partita.exact import Number

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_POINTS = 60


def profile_and_tradeoff(guarantees: Mapping[str, Guarantee]) -> Figure:
    """δ against ε, and false negatives against false positives, side by side."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10.0, 4.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    for name, guarantee in guarantees.items():
        reach = 1.3 * max(guarantee.epsilon, 1e-3)
        epsilons = [reach * i / _POINTS for i in range(_POINTS + 1)]
        left.plot(epsilons, [max(guarantee.profile(e), 1e-300) for e in epsilons], label=name)
        shares = [i / _POINTS for i in range(_POINTS + 1)]
        right.plot(shares, [guarantee.tradeoff(share) for share in shares], label=name)
    left.set(yscale="log", xlabel="ε", ylabel="δ", title="Profile")
    right.plot([0, 1], [1, 0], color="0.7", linewidth=1, label="nothing learnt")
    right.set(xlabel="false positives", ylabel="false negatives, at least", title="Trade-off")
    for axes in (left, right):
        axes.legend()
    return figure


def epsilon_by_count(
    event: object, counts: Sequence[int], *, delta: Number, methods: Sequence[str] = METHODS
) -> dict[str, list[float]]:
    """ε of so many releases of one event, by every method that has a theorem for it.

    >>> from partita.theory.measures.pure import Pure
    >>> table = epsilon_by_count(Pure(epsilon="0.1"), [1, 100], delta=1e-6, methods=["basic", "optimal"])
    >>> [round(e, 3) for e in table["optimal"]]
    [0.1, 4.775]
    """
    table: dict[str, list[float]] = {}
    for method in methods:
        row = []
        for count in counts:
            try:
                row.append(compose([(event, count)], delta=delta, method=method).epsilon)
            except PartitaError:
                row.append(math.nan)
        if not all(math.isnan(value) for value in row):
            table[method] = row
    return table


def by_count(event: object, counts: Sequence[int], *, delta: Number, methods: Sequence[str] = METHODS) -> Figure:
    """ε against the number of releases, every method on one picture."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.2, 4.5), layout="constrained")
    axes = figure.subplots()
    for method, row in epsilon_by_count(event, counts, delta=delta, methods=methods).items():
        axes.plot(list(counts), row, marker=".", label=method)
    axes.set(xscale="log", yscale="log", xlabel="releases", ylabel=f"ε at δ = {float(delta):g}")
    axes.legend()
    return figure
