"""A charge: the region a release depends on and what it costs under each promise, as plain data."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, final

from partita.composition.account.booking import Release
from partita.errors import PartitaError
from partita.errors import charges as refuse
from partita.ledger.canonical import canonical
from partita.region import Domain, Region
from partita.theory.documents import from_document, to_document
from partita.theory.measures.base import Measure

_HEX = frozenset("0123456789abcdef")
LONGEST_NAME = 200
_MOST_COSTS = 10_000
_LONGEST_TEXT = 100_000


@final
@dataclass(frozen=True, slots=True)
class Cost:
    """What one release costs under one promise (theory E11).

    ``one`` is the loss when a record enters or leaves the region, a bound that must hold even where the region is the
    whole table. Where they are known, ``both`` is the loss when a record is altered inside it, ``unit`` the loss
    when all records of one owner enter or leave at once, and ``altered`` the loss when they are altered at once
    (`booking.Release` says what it means without a ``unit``). ``declared``: nothing was read but declared values, so
    that records of equal values are alike to it (theory E11a); books written before this was said are read as if not.
    """

    one: Measure
    both: Measure | None = None
    unit: Measure | None = None
    declared: bool = False
    altered: Measure | None = None

    def document(self) -> dict[str, object]:
        """The cost as plain data; what books did not say in earlier times has a line only where it is said."""
        return {
            **({"declared": True} if self.declared else {}),
            **({} if self.altered is None else {"altered": to_document(self.altered)}),
            "both": None if self.both is None else to_document(self.both),
            "one": to_document(self.one),
            "unit": None if self.unit is None else to_document(self.unit),
        }

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Cost:
        """The cost that was written."""
        both, unit, altered = document.get("both"), document.get("unit"), document.get("altered")
        return cls(
            from_document(document["one"]),
            None if both is None else from_document(both),
            None if unit is None else from_document(unit),
            document.get("declared") is True,
            None if altered is None else from_document(altered),
        )

    def release(self, region: Region) -> Release:
        """The release on a region, as an account is told of it."""
        return Release(region, self.one, self.both, self.unit, altered=self.altered, declared=self.declared)

    def times(self, count: int) -> Cost:
        """The cost of so many releases like this one."""
        if count == 1:
            return self
        return Cost(
            self.one.times(count),
            None if self.both is None else self.both.times(count),
            None if self.unit is None else self.unit.times(count),
            self.declared,
            None if self.altered is None else self.altered.times(count),
        )


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
        priced = {
            "analyst": self.analyst,
            "costs": [cost.document() for cost in self.costs],
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
