"""Losses as plain documents with a durable kind: what ledgers, receipts and plans are written in."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import partita.theory.measures as folder
from partita.errors import theory as refuse
from partita.exact import exact
from partita.registry import members
from partita.theory.measures.base import Measure, Reading

Document = dict[str, object]


def to_document(loss: Measure) -> Document:
    """A loss as plain data; exact numbers are written as text.

    >>> from partita.theory.measures.zcdp import ZCDP
    >>> to_document(ZCDP(rho="0.5"))
    {'kind': 'zcdp', 'rho': '1/2', 'delta': '0'}
    """
    if not isinstance(loss, Measure):
        raise refuse.not_a_loss("loss", loss)
    return loss.describe()


def from_document(document: Mapping[str, object], read: Reading = exact) -> Measure:
    """The loss that was written; what callers hand over has moderate numbers, what was booked any (``exact.written``).

    >>> from_document({"kind": "pure", "epsilon": "1/10"})
    Pure(epsilon=Fraction(1, 10))
    """
    if not isinstance(document, Mapping):
        raise refuse.not_a_loss("document", document)
    kind = document.get("kind")
    member = _members().get(kind) if isinstance(kind, str) else None
    if member is None:
        raise refuse.not_a_loss("document", kind)
    return member.restored(document, read)


@cache
def _members() -> dict[str, type[Measure]]:
    # mypy sees an abstract family; the registry lists only members that can be made.
    return members(Measure, folder)  # type: ignore[type-abstract]
