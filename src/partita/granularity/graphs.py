"""Graphs: one edge, or one node with all its edges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from partita.errors import granularity as refuse
from partita.exact import whole
from partita.granularity.base import Granularity, Relation


@final
@dataclass(frozen=True, slots=True)
class Edges(Granularity):
    """Neighbours differ by one edge (theory A7).

    >>> str(edges())
    'one edge, added or removed'
    """

    kind: ClassVar[str] = "edges"

    @property
    def relation(self) -> Relation:
        return Relation.ADD_REMOVE

    def made_of(self, source: Granularity) -> int | None:
        return 1 if source == self else None

    @property
    def named(self) -> str:
        return "one edge"

    def __str__(self) -> str:
        return "one edge, added or removed"


@final
@dataclass(frozen=True, slots=True)
class Nodes(Granularity):
    """Neighbours differ by one node with all its edges (theory A7).

    ``stability`` is how many edges a node can change *after* an enforced projection whose stability was proven; a
    degree bound that is merely believed gives no guarantee, and dropping nodes of high degree does not give the
    degree bound as its stability (theory A9c). Even then, whatever shows which nodes there are, or how many, is
    free for edges and discloses a node; ``listed`` declares that the nodes are public, so that only edges are secret.

    >>> nodes(stability=5, listed=True).made_of(Edges())
    5
    """

    kind: ClassVar[str] = "nodes"
    stability: int | None = None
    listed: bool = False

    def __post_init__(self) -> None:
        if self.stability is not None:
            object.__setattr__(self, "stability", whole(self.stability, "stability", least=1))
        if not isinstance(self.listed, bool):
            raise refuse.not_a_switch("listed", self.listed)

    @property
    def relation(self) -> Relation:
        return Relation.ADD_REMOVE

    def made_of(self, source: Granularity) -> int | None:
        match source:
            case Edges():
                return self.stability if self.listed else None
            case Nodes() if source == self:
                return 1
            case _:
                return None

    def makes(self, target: Granularity) -> int | None:
        """An edge: remove a node and add it again without the edge, so two steps."""
        return 2 if isinstance(target, Edges) else None

    @property
    def named(self) -> str:
        return "one node with all its edges"

    def __str__(self) -> str:
        return "one node with all its edges, added or removed"


def edges() -> Edges:
    """Protect each edge of a graph.

    >>> print(edges())
    one edge, added or removed
    """
    return Edges()


def nodes(*, stability: int | None = None, listed: bool = False) -> Nodes:
    """Protect each node of a graph with all its edges; ``listed`` if which nodes there are is public.

    >>> print(nodes(stability=6, listed=True))
    one node with all its edges, added or removed
    """
    return Nodes(stability, listed)
