"""What a ledger is born with and never changes: its promises, its public domains, its keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, final

from partita.composition.plans.promise import Promise
from partita.errors import ledger as refuse_charge
from partita.exact import written
from partita.granularity import Granularity, Groups, Metric, Replace, Rows, Users
from partita.granularity.documents import unit_document, unit_from
from partita.ledger.canonical import canonical, digest
from partita.region import Domain
from partita.theory.documents import from_document, to_document

# Since format 2, rows whose stored day is not a declared one are left out behind a promise on user-days (theory A4a).
FORMAT = 2


@final
@dataclass(frozen=True, slots=True, init=False)
class Terms:
    """The promises a ledger keeps and the public domain of each protected table.

    A promise on people has one wide domain for all of their tables, which does not tell all that decides which rows are
    kept and what they are read as: keys and open texts, stand-ins for what is missing, columns that are constant.
    ``declared`` are the tables as they were declared then.

    >>> from partita.granularity import rows
    >>> from partita.region import integers
    >>> from partita.theory.measures.pure import Pure
    >>> terms = Terms([Promise(rows(), Pure(epsilon=1))], {"visits": Domain({"age": integers(0, 120)})})
    >>> Terms.from_document(terms.document()) == terms
    True
    """

    promises: tuple[Promise, ...]
    tables: Mapping[str, Domain]
    declared: Mapping[str, Domain]

    def __init__(
        self, promises: Sequence[Promise], tables: Mapping[str, Domain], declared: Mapping[str, Domain] | None = None
    ) -> None:
        if not promises:
            raise refuse_charge.no_promises()
        if not tables:
            raise refuse_charge.no_tables()
        for promise in promises:
            count = _spanned(promise.granularity, tables)
            if count > 1:
                raise refuse_charge.several_tables(str(promise.granularity), count)
        object.__setattr__(self, "promises", tuple(promises))
        object.__setattr__(self, "tables", MappingProxyType(dict(sorted(tables.items()))))
        object.__setattr__(self, "declared", MappingProxyType(dict(sorted((declared or {}).items()))))

    def document(self) -> dict[str, object]:
        """The terms as plain data."""
        found: dict[str, object] = {
            "promises": [promise_document(promise) for promise in self.promises],
            "tables": {name: domain.describe() for name, domain in self.tables.items()},
        }
        if self.declared:
            found["declared"] = {name: domain.describe() for name, domain in self.declared.items()}
        return found

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Terms:
        """The terms that were written."""
        return cls(
            [promise_from(promise) for promise in document["promises"]],
            {name: Domain.described(domain) for name, domain in document["tables"].items()},
            {name: Domain.described(domain) for name, domain in document.get("declared", {}).items()},
        )

    def digest(self) -> str:
        """A fingerprint of the terms."""
        return digest(canonical(self.document()))


@final
@dataclass(frozen=True, slots=True)
class Birth:
    """The first entry of a book.

    The truncation key, which decides which rows of a user are kept, is secret; the book holds its digest, so that
    nobody can exchange it later.
    """

    terms: Terms
    truncation: str
    public_key: str
    at: str
    format: int = FORMAT

    @property
    def clamped(self) -> Promise | None:
        """A promise on parts of owners whose rows were chosen before those outside the declared range were left out.

        One truncation serves a ledger for life (theory E14), so such a book cannot be charged any more.
        """
        if self.format > 1:
            return None
        return next((promise for promise in self.terms.promises if _parted(promise.granularity)), None)

    def document(self) -> dict[str, object]:
        """The first entry as plain data."""
        return {
            "at": self.at,
            "format": self.format,
            "public_key": self.public_key,
            "terms": self.terms.document(),
            "truncation": self.truncation,
        }

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Birth:
        """The first entry that was written."""
        terms = Terms.from_document(document["terms"])
        return cls(terms, document["truncation"], document["public_key"], document["at"], document["format"])


def _parted(unit: Granularity) -> bool:
    """Whether owners are protected part by part."""
    return isinstance(unit.single, Users) and unit.single.per is not None


def _spanned(unit: Granularity, tables: Mapping[str, Domain]) -> int:
    """In how many tables one protected unit may have records, whose losses would add up; a row is in one table only."""
    match unit:
        case Rows() | Replace() | Metric():
            return 1
        case Groups(of=inner):
            # Any k rows, wherever they are: no more than k times the worst of them (theory E14).
            return _spanned(inner, tables)
        case Users(column=column):
            return sum(column in domain.columns for domain in tables.values())
        case _:
            return len(tables)


def promise_document(promise: Promise) -> dict[str, object]:
    """A promise as plain data."""
    return {"budget": to_document(promise.budget), "granularity": unit_document(promise.granularity)}


def promise_from(document: Mapping[str, Any]) -> Promise:
    """The promise that was written."""
    return Promise(unit_from(document["granularity"]), from_document(document["budget"], written))
