"""Costs: what a release loses to each kind of neighbour, under one promise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, final

from partita.exact import written
from partita.theory.documents import Document, from_document, to_document
from partita.theory.measures.base import Measure


@final
@dataclass(frozen=True, slots=True)
class Cost:
    """The loss of a release to each kind of neighbour; what is not known, or not told, is None (theory E11, E14).

    ``row``: one row enters or leaves the region, a bound that must hold even where the region is the whole table.
    ``substitution``: a row of the region becomes another row of it. ``owner``: all rows of one owner enter or leave at
    once.
    ``altered``: all rows of one owner are altered at once. Beside an ``owner``, that is all it says; by itself it also
    says that fewer rows cost in proportion: j of k rows out and i in at most (j - i)/k of what k rows out cost and i/k
    of ``altered``, for i <= j, and the same the other way round. ``declared``: nothing of a row is read but what it
    declares (no open text, no owner, nothing behind a truncation, which looks at owners), so that rows of equal
    values are alike to the release (theory E11a).

    >>> from partita.theory.measures.pure import Pure
    >>> once = Cost(Pure(epsilon="0.1"), Pure(epsilon="0.2"))
    >>> str((once + once).substitution)
    'ε = 0.4'
    """

    row: Measure
    substitution: Measure | None = None
    owner: Measure | None = None
    altered: Measure | None = None
    declared: bool = False

    def __add__(self, other: Cost) -> Cost:
        """Two releases on one region; what is not known of one of them is not known of the two."""
        return Cost(
            self.row + other.row,
            _sum(self.substitution, other.substitution),
            _sum(self.owner, other.owner),
            _sum(self.altered, other.altered),
            self.declared and other.declared,
        )

    @property
    def losses(self) -> tuple[Measure, ...]:
        """All that are known."""
        return tuple(loss for loss in (self.row, self.substitution, self.owner, self.altered) if loss is not None)

    def document(self) -> Document:
        """The cost as plain data; what books did not say in earlier times has a line only where it is said."""
        return {
            **({"declared": True} if self.declared else {}),
            **({} if self.altered is None else {"altered": to_document(self.altered)}),
            "both": None if self.substitution is None else to_document(self.substitution),
            "one": to_document(self.row),
            "unit": None if self.owner is None else to_document(self.owner),
        }

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Cost:
        """The cost that was written; books from before ``declared`` was said are read as if it is not so."""
        substitution, owner, altered = (
            None if found is None else from_document(found, written)
            for found in map(document.get, ("both", "unit", "altered"))
        )
        return cls(
            from_document(document["one"], written), substitution, owner, altered, document.get("declared") is True
        )


def _sum(one: Measure | None, other: Measure | None) -> Measure | None:
    return None if one is None or other is None else one + other
