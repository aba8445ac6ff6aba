"""The manifest: which batches were sealed, and which files hold their rows; the ledger knows its digest."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, final

from partita.ledger.canonical import canonical

FORMAT = 1


@final
@dataclass(frozen=True, slots=True)
class Sealed:
    """A batch that is sealed: its place, its name, and the tables it brought rows for. How many is not said.

    >>> print(Sealed(3, "2026-11-18", ("orders",)))
    Batch 3 (2026-11-18) of orders is sealed.
    """

    batch: int
    name: str | None
    tables: tuple[str, ...]

    def __str__(self) -> str:
        named = "" if self.name is None else f" ({self.name})"
        return f"Batch {self.batch}{named} of {', '.join(self.tables)} is sealed."


@final
@dataclass(frozen=True, slots=True)
class Record:
    """A sealed batch, with keyed digests of its rows and of the files they came in: what comes twice is noticed."""

    sealed: Sealed
    rows: str
    sources: Mapping[str, str] = field(default_factory=dict)
    """The keyed digest of the file that the rows of a table came in, where they came in one."""


@final
@dataclass(frozen=True, slots=True)
class Manifest:
    """Everything that a vault holds.

    ``tables`` are the digests of the declarations that rows were sanitised by; ``files`` the names and digests of the
    files of each part (``orders.rows``), in order; ``written`` counts files, so that no name is used twice.
    """

    tables: Mapping[str, str]
    batches: tuple[Record, ...] = ()
    files: Mapping[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    written: int = 0

    @property
    def last(self) -> Sealed:
        """The newest batch."""
        return self.batches[-1].sealed

    def content(self) -> bytes:
        """The manifest as canonical bytes."""
        return canonical(
            {
                "batches": [
                    {
                        "batch": one.sealed.batch,
                        "name": one.sealed.name,
                        "rows": one.rows,
                        "sources": dict(one.sources),
                        "tables": list(one.sealed.tables),
                    }
                    for one in self.batches
                ],
                "files": {part: [list(one) for one in listed] for part, listed in self.files.items()},
                "format": FORMAT,
                "tables": dict(self.tables),
                "written": self.written,
            }
        ).encode()

    @classmethod
    def from_content(cls, content: bytes) -> Manifest:
        """The manifest that was written."""
        document: dict[str, Any] = json.loads(content)
        return cls(
            tables=document["tables"],
            batches=tuple(
                Record(Sealed(one["batch"], one["name"], tuple(one["tables"])), one["rows"], one["sources"])
                for one in document["batches"]
            ),
            files={
                part: tuple((str(name), str(digest)) for name, digest in listed)
                for part, listed in document["files"].items()
            },
            written=document["written"],
        )

    def names(self) -> Sequence[str]:
        """The files that it names."""
        return [name for listed in self.files.values() for name, _ in listed]
