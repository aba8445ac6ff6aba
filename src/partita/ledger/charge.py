"""A charge: the region a release depends on and what it costs under each promise, as plain data."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, final

from partita.errors import PartitaError
from partita.errors import ledger as refuse
from partita.ledger.canonical import canonical
from partita.region import Domain, Region
from partita.theory.cost import Cost

_HEX = frozenset("0123456789abcdef")
LONGEST_NAME = 200
_MOST_COSTS = 10_000
_LONGEST_TEXT = 100_000


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Charge:
    """What is written in the ledger before anything is read.

    ``question`` is the fingerprint of the normalised question with its parameters: equal fingerprints mean the same
    release. ``key`` is the caller's own mark for one attempt, so that a retry is not a second question.
    """

    table: str
    region: Region
    costs: tuple[Cost, ...]
    mechanism: Mapping[str, object]
    question: str
    asked: str = ""
    analyst: str = ""
    key: str | None = None
    _priced: str = field(init=False, repr=False, compare=False, default="")

    def __post_init__(self) -> None:
        if len(self.question) != 64 or not _HEX.issuperset(self.question):
            raise refuse.bad_fingerprint(self.question)
        for name, text, longest in (
            ("table", self.table, LONGEST_NAME),
            ("analyst", self.analyst, LONGEST_NAME),
            ("key", self.key or "", LONGEST_NAME),
            ("asked", self.asked, _LONGEST_TEXT),
        ):
            if not isinstance(text, str) or len(text) > longest:
                raise refuse.bad_name(name, text, longest)
        if not self.costs:
            raise refuse.no_costs()
        costs = [_readable(cost) for cost in self.costs]
        priced = {
            "analyst": self.analyst,
            "costs": costs,
            "region": region_document(self.region),
            "table": self.table,
        }
        object.__setattr__(self, "_priced", canonical(priced))

    def priced(self) -> str:
        """Everything the accounts need, as canonical text."""
        return self._priced

    def marked(self) -> str | None:
        """The caller's key, which belongs to one analyst, as canonical text."""
        return None if self.key is None else canonical([self.analyst, self.key])


@final
@dataclass(frozen=True, slots=True)
class Priced:
    """What the accounts need to know of a charge."""

    analyst: str
    table: str
    region: Region
    costs: tuple[Cost, ...]

    @classmethod
    def of(cls, charge: Charge) -> Priced:
        """The part of a charge that is added up."""
        return cls(charge.analyst, charge.table, charge.region, charge.costs)


@final
class Reader:
    """Reads back what was written of many charges; few of them have costs of their own."""

    def __init__(self, domains: Mapping[str, Domain]) -> None:
        self._domains = domains
        self._costs: dict[str, tuple[Cost, ...]] = {}

    def __call__(self, text: str) -> Priced:
        """The part of a charge that is added up."""
        try:
            return self._read(json.loads(text))
        except (KeyError, TypeError, ValueError, PartitaError):
            raise refuse.unreadable_charge(text) from None

    def _read(self, document: dict[str, Any]) -> Priced:
        domain = self._domains[document["table"]]
        written = str(document["costs"])
        costs = self._costs.get(written)
        if costs is None:
            if len(self._costs) >= _MOST_COSTS:
                self._costs.clear()
            costs = self._costs[written] = tuple(Cost.from_document(cost) for cost in document["costs"])
        return Priced(document["analyst"], document["table"], region_from(document["region"], domain), costs)


@lru_cache(maxsize=1024)
def _readable(cost: Cost) -> Mapping[str, object]:
    """A cost as plain data which is certainly read back as the same: a book with a line that nobody reads is lost."""
    try:
        document = cost.document()
        same = Cost.from_document(document) == cost
    except (ValueError, PartitaError):
        same = False
    if not same:
        raise refuse.unwritable()
    return document


def region_document(region: Region) -> list[list[Any]]:
    """A region as plain data: its boxes, with null for an axis that is not narrowed.

    >>> from partita.region import integers
    >>> domain = Domain({"age": integers(0, 120), "day": integers(0, 364)})
    >>> region_document(Region.where("age >= 65", domain))
    [[[[65, 121]], None]]
    """
    full = region.domain.everything
    return [
        [None if codes == whole else [list(pair) for pair in codes] for codes, whole in zip(box, full, strict=True)]
        for box in region.boxes
    ]


def region_from(document: list[list[Any]], domain: Domain) -> Region:
    """The region that was written, over the domain that was declared at birth.

    >>> from partita.region import integers
    >>> domain = Domain({"age": integers(0, 120)})
    >>> region = Region.where("age >= 65", domain)
    >>> region_from(region_document(region), domain) == region
    True
    """
    full = domain.everything
    return Region(
        domain,
        tuple(
            tuple(
                whole if codes is None else tuple((low, high) for low, high in codes)
                for codes, whole in zip(box, full, strict=True)
            )
            for box in document
        ),
    )
