"""What a number of equal releases comes to by each method: for tables and for the picture of all methods."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from partita.errors import PartitaError

if TYPE_CHECKING:
    from partita.composition.guarantees.guarantee import Guarantee
    from partita.exact import Number

# In the order in which they were found, which is also, mostly, from loose to tight.
METHODS = ("basic", "advanced", "gdp", "zcdp", "renyi", "optimal", "pld")
NAMES = {
    "basic": "basic",
    "advanced": "advanced",
    "gdp": "Gaussian μ",
    "zcdp": "zCDP ρ",
    "renyi": "Rényi",
    "optimal": "optimal for any ε",
    "pld": "exact",
}


def by_method(
    events: object, delta: Number, *, relation: str | None = None, methods: Sequence[str] = METHODS
) -> dict[str, Guarantee]:
    """The total by each method that has a theorem for these events."""
    from partita.composition.guarantees.compose import compose

    found = {}
    for method in methods:
        try:
            found[method] = compose(events, delta=delta, method=method, relation=relation)
        except PartitaError:
            continue
    return found


def by_count(
    events: Sequence[object],
    counts: Sequence[int],
    delta: Number,
    *,
    relation: str | None = None,
    methods: Sequence[str] = METHODS,
) -> dict[str, list[tuple[int, float]]]:
    """ε of the events repeated more and more often, by the name of each method.

    >>> from partita.theory.measures.pure import Pure
    >>> lines = by_count([Pure(epsilon="0.1")], [1, 100], "1e-6", methods=["optimal"])
    >>> [(count, round(epsilon, 3)) for count, epsilon in lines["optimal for any ε"]]
    [(1, 0.1), (100, 4.775)]
    """
    lines: dict[str, list[tuple[int, float]]] = {}
    for count in counts:
        plan = [(event, count) for event in events]
        for method, total in by_method(plan, delta, relation=relation, methods=methods).items():
            lines.setdefault(NAMES[method], []).append((count, total.epsilon))
    return lines


def spread(most: int) -> list[int]:
    """Some counts up to the largest, evenly spread on a logarithmic scale.

    >>> spread(100)
    [1, 2, 5, 10, 20, 50, 100]
    """
    steps = [base * 10**power for power in range(len(str(most))) for base in (1, 2, 5)]
    return sorted({step for step in steps if step < most} | {most})
