"""The lines of the book: a closed set of kinds, each line chained to the one before by its hash."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from enum import StrEnum, unique
from typing import NamedTuple, final

from partita.ledger.canonical import canonical

GENESIS = bytes(32)


@unique
class Kind(StrEnum):
    """What an entry records. A reservation is open until one commit or one abandonment closes it, for ever."""

    BIRTH = "birth"  # the promises, the public domains, the keys
    ACCOUNT = "account"  # a child account with its own limits
    RESERVE = "reserve"  # a charge; it counts from here on, whatever follows
    COMMIT = "commit"  # the answer of a reservation, which may now leave
    ABANDON = "abandon"  # a reservation that will never have an answer; nothing is given back
    CHECKPOINT = "checkpoint"  # the digest of the tallies so far, so that opening need not read everything
    RESTORE = "restore"  # the custodian went on from an older copy, and says why
    BUDGET = "budget"  # another budget from here on: by the schedule of the birth, raised, or lowered
    MIGRATE = "migrate"  # other tables and columns from here on, which refine those before
    FIX = "fix"  # the rows that are kept of owners, by keyed digests: no others are read from here on
    SEAL = "seal"  # a batch of rows, or an erasure, in the vault; the digest of what the vault holds since
    ACT = "act"  # what a custodian decided about people: a token given out or revoked, a question approved


@final
class Entry(NamedTuple):
    """One line of the book, as it is stored.

    ``charge`` and ``note`` are canonical JSON texts; ``charge`` is all that the accounts need, kept apart because many
    lines share it.
    """

    seq: int
    kind: Kind
    note: str
    hash: bytes
    of: int | None = None
    question: str | None = None
    key: str | None = None
    charge: str | None = None

    def details(self) -> dict[str, object]:
        """The note as a document."""
        found = json.loads(self.note)
        return found if isinstance(found, dict) else {}


def line(
    seq: int, kind: str, of: int | None, question: str | None, key: str | None, charge: str | None, note: str
) -> str:
    """The canonical text of an entry, which is also its line in an export; every part is JSON already.

    >>> line(3, "commit", 2, None, None, None, "{}")
    '{"charge":null,"key":null,"kind":"commit","note":{},"of":2,"question":null,"seq":3}'
    """
    asked = "null" if question is None else f'"{question}"'
    return (
        f'{{"charge":{charge or "null"},"key":{key or "null"},"kind":"{kind}","note":{note},'
        f'"of":{"null" if of is None else of},"question":{asked},"seq":{seq}}}'
    )


def chained(previous: bytes, text: str) -> bytes:
    """The hash of an entry: SHA-256 of the hash before it and its own line.

    >>> chained(GENESIS, "{}").hex()[:8]
    'fb1634c4'
    """
    return hashlib.sha256(previous + text.encode()).digest()


def entry_after(
    previous: Entry | None,
    kind: Kind,
    note: str,
    *,
    of: int | None = None,
    question: str | None = None,
    key: str | None = None,
    charge: str | None = None,
) -> Entry:
    """The next entry of a book."""
    seq = 1 if previous is None else previous.seq + 1
    before = GENESIS if previous is None else previous.hash
    text = line(seq, kind, of, question, key, charge, note)
    return Entry(seq, kind, note, chained(before, text), of, question, key, charge)


def same_release(entry: Entry, priced: str, mechanism: Mapping[str, object]) -> bool:
    """Whether a reservation paid for this very release: same analyst, region, costs and mechanism."""
    return entry.charge == priced and entry.details().get("mechanism") == json.loads(canonical(dict(mechanism)))


def erases(entry: Entry) -> bool:
    """Whether rows of somebody were taken out of the vault."""
    sealed = entry.details().get("sealed")
    return isinstance(sealed, dict) and "erased" in sealed


OVERHEAD = 1024
"""The most that a packed commit has beside its answer."""


def packed(entry: Entry, answer: bytes) -> bytes:
    """A commit with its answer, to be kept outside the book.

    >>> made = entry_after(None, Kind.COMMIT, '{"at":"now"}', of=2)
    >>> unpacked(packed(made, b"42")) == (made, b"42")
    True
    """
    line = json.dumps([entry.seq, entry.of, entry.note, entry.hash.hex()], separators=(",", ":"))
    return line.encode() + b"\n" + answer


def unpacked(content: bytes) -> tuple[Entry, bytes] | None:
    """The commit and the answer that were packed, or None where nothing was."""
    line, _, answer = content.partition(b"\n")
    try:
        seq, of, note, found = json.loads(line)
        return Entry(int(seq), Kind.COMMIT, str(note), bytes.fromhex(found), int(of)), answer
    except (ValueError, TypeError):
        return None


def follows(entry: Entry, previous: Entry | None) -> bool:
    """Whether an entry is the next one of a book, with nothing altered."""
    before = GENESIS if previous is None else previous.hash
    text = line(entry.seq, entry.kind, entry.of, entry.question, entry.key, entry.charge, entry.note)
    return entry.seq == (1 if previous is None else previous.seq + 1) and entry.hash == chained(before, text)
