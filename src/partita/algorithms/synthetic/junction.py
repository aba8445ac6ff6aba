"""Junction trees: cliques of columns in which marginal tables can be computed exactly by passing messages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import final

from partita.algorithms.linear.axes import Axes, Names


@final
@dataclass(frozen=True, slots=True)
class JunctionTree:
    """Cliques joined into a tree so that every column occurs in a connected part of it.

    ``links`` lists (clique, parent) with parents before children; a root has parent -1.

    >>> tree = JunctionTree.over(Axes({"a": 2, "b": 2, "c": 2}), [("a", "b"), ("b", "c")])
    >>> tree.cliques, tree.links
    ((('a', 'b'), ('b', 'c')), ((0, -1), (1, 0)))
    """

    cliques: tuple[Names, ...]
    links: tuple[tuple[int, int], ...]

    @classmethod
    def over(cls, axes: Axes, tables: Iterable[Names]) -> JunctionTree:
        """The tree of the cliques that appear when columns of the tables are eliminated, the cheapest first."""
        cliques = eliminated(axes, tables)
        return cls(cliques, _joined(cliques))

    def cells(self, axes: Axes) -> int:
        """How many cells all cliques have together."""
        return sum(axes.cells(clique) for clique in self.cliques)

    def home(self, table: Names) -> int | None:
        """The first clique that holds a table, if one does."""
        wanted = set(table)
        return next((place for place, clique in enumerate(self.cliques) if wanted <= set(clique)), None)

    def between(self, table: Names) -> set[int]:
        """The cliques that lie between the columns of a table: all but the ends of branches that add none of them.

        >>> JunctionTree((("a", "b"), ("b", "c"), ("c", "d")), ((0, -1), (1, 0), (2, 1))).between(("a", "c"))
        {0, 1}
        """
        wanted, kept = set(table), set(range(len(self.cliques)))
        near: dict[int, set[int]] = {place: set() for place in kept}
        for place, parent in self.links:
            if parent >= 0:
                near[place].add(parent)
                near[parent].add(place)
        left = sorted(kept)
        while left:
            place = left.pop()
            others = near[place]
            known = set(self.cliques[next(iter(others))]) if others else set()
            if place in kept and len(others) <= 1 and wanted & set(self.cliques[place]) <= known:
                kept.discard(place)
                for other in others:
                    near[other].discard(place)
                    left.append(other)
                near[place] = set()
        return kept


def eliminated(axes: Axes, tables: Iterable[Names]) -> tuple[Names, ...]:
    """The largest cliques of the graph after columns were eliminated one by one, the cheapest first."""
    near: dict[str, set[str]] = {name: {name} for name in axes.names}
    for table in tables:
        for name in table:
            near[name].update(table)
    places = {name: place for place, name in enumerate(axes.names)}
    costs = {name: (axes.cells(near[name]), places[name]) for name in near}
    found: list[set[str]] = []
    while near:
        name = min(costs, key=costs.__getitem__)
        clique = near.pop(name)
        del costs[name]
        if not any(clique <= other for other in found):
            found.append(set(clique))
        for other in clique - {name}:
            near[other] = (near[other] | clique) - {name}
            costs[other] = axes.cells(near[other]), places[other]
    return tuple(sorted((axes.table(clique) for clique in found), key=lambda clique: [places[name] for name in clique]))


def _joined(cliques: Sequence[Names]) -> tuple[tuple[int, int], ...]:
    """A spanning tree whose neighbours share as many columns as possible, so that none is interrupted."""
    links = [(0, -1)]
    joined, left = {0}, set(range(1, len(cliques)))
    while left:
        shared, place, parent = max(
            (len(set(cliques[one]) & set(cliques[other])), -one, -other) for one in left for other in joined
        )
        links.append((-place, -parent if shared else -1))
        joined.add(-place)
        left.remove(-place)
    return tuple(links)
