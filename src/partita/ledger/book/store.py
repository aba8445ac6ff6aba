"""Where a book is kept: what any storage must offer, so that the states of a charge are written down once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from enum import StrEnum
from typing import ClassVar

from partita.ledger.book.anchor import Mark
from partita.ledger.book.entries import Entry, Kind


class Stage(StrEnum):
    """What was being done when storage failed, which decides what the failure means."""

    OPEN = "open"
    RESERVE = "reserve"
    COMMIT = "commit"
    LOOK = "look"


class State(StrEnum):
    """What has become of a charge."""

    UNFINISHED = "unfinished"
    ANSWERED = "answered"
    ABANDONED = "abandoned"


def counted(entries: Mapping[Kind, int]) -> dict[State, int]:
    """How many charges were answered, are unfinished, were abandoned, from the number of entries of each kind."""
    answered, abandoned = entries.get(Kind.COMMIT, 0), entries.get(Kind.ABANDON, 0)
    return {
        State.ANSWERED: answered,
        State.UNFINISHED: entries.get(Kind.RESERVE, 0) - answered - abandoned,
        State.ABANDONED: abandoned,
    }


class Store(ABC):
    """An append-only table of entries with its answers, tallies and secrets.

    Everything written inside ``writing`` is in the book together when the block ends, or not at all; no other writer
    comes between. After a power cut a book is one that it was before: without some of the newest blocks that were not
    durable, and with all that come before a durable one. A failure is a LedgerFault that says what it means at that
    stage.
    """

    name: str
    shares: ClassVar[bool] = False
    """Whether one flush is for all who wait, so that nobody has to hold the book for the length of it."""
    renewed = 0
    """How often the storage was lost and found again since it was opened."""

    @abstractmethod
    def writing(self, stage: Stage, *, durable: bool = True) -> AbstractContextManager[None]:
        """The only writer for the length of a block; durable at its end if asked for."""

    def ready(self) -> object:
        """What a flush will need to know of the moment before something was written or looked at."""
        return None

    def steady(self, since: object) -> bool:
        """Whether the storage is known not to have been lost ``since`` it was ready."""
        return since is None

    @abstractmethod
    def flush(self, stage: Stage = Stage.COMMIT, since: object = None) -> None:
        """Make durable everything that was written.

        Where one flush is for all, others write meanwhile; it fails if the storage was lost ``since`` it was ready.
        """

    @abstractmethod
    def append(self, entry: Entry, *, answer: bytes | None = None, tally: bytes | None = None) -> None:
        """Write the next entry, with the answer of a commit or the tally of a checkpoint."""

    @abstractmethod
    def begin_again(self, birth: Entry, kept: Sequence[Entry] = ()) -> None:
        """Put another first entry in the place of a book that never had a charge, inside ``writing``.

        What is ``kept`` follows it.
        """

    @abstractmethod
    def after(self, seq: int) -> Iterator[Entry]:
        """The entries from a place on, that one not included, in order."""

    @abstractmethod
    def everything(self) -> Iterator[tuple[Entry, bytes | None]]:
        """Every entry in order, each with the answer stored beside it."""

    @abstractmethod
    def entry(self, seq: int) -> Entry | None:
        """One entry."""

    @abstractmethod
    def last(self) -> Entry | None:
        """The newest entry."""

    @abstractmethod
    def closing(self, seq: int) -> Entry | None:
        """The commit or abandonment that closed a reservation."""

    @abstractmethod
    def asked(self, question: str, after: int = 0) -> list[Entry]:
        """The reservations made for a question behind a place of the book, oldest first."""

    @abstractmethod
    def marked(self, key: str) -> Entry | None:
        """The reservation made with a caller's key."""

    @abstractmethod
    def newest(self, count: int) -> list[Entry]:
        """The newest reservations, newest first."""

    @abstractmethod
    def charges(self, before: int, after: int, count: int, analyst: str | None, text: str | None) -> list[Entry]:
        """The newest reservations between two places: of one analyst, and with a text in the question, if given."""

    @abstractmethod
    def counts(self) -> dict[Kind, int]:
        """How many entries there are of each kind."""

    @abstractmethod
    def answer(self, seq: int) -> bytes | None:
        """The answer stored with a commit."""

    @abstractmethod
    def tallies(self) -> list[tuple[int, bytes]]:
        """The tallies of all checkpoints, each with the place of its entry."""

    @abstractmethod
    def secret(self) -> bytes | None:
        """The truncation key."""

    def beside(self) -> Store | None:
        """The same book, opened a second time to be read at the same time; None where that cannot be."""
        return None

    @abstractmethod
    def leave(self, to: str, mark: Mark) -> None:
        """Close the book at this place for ever, inside ``writing``: it has gone on to another place."""

    @abstractmethod
    def sound(self) -> list[str]:
        """What the storage itself finds wrong with its own structure."""

    @abstractmethod
    def close(self) -> None:
        """Let go of the storage."""
