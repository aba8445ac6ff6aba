"""Checkpoints: how often each charge was made since the last one, so that opening need not read every entry."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, final

from partita.ledger.canonical import canonical

EVERY = 20_000
START = ""


@final
class Tally:
    """What was booked since the last checkpoint: first the accounts opened and the changes, then the charges, counted.

    The order of charges does not matter to any account; an account counts only what follows its opening, and a charge
    is read under the declaration of its place, so a checkpoint is made before one is opened or changed in between.
    ``place`` is that of an entry after all of them.
    """

    def __init__(self, place: int = 0) -> None:
        self.place = place
        self.accounts: list[dict[str, Any]] = []
        self.changes: list[dict[str, Any]] = []
        self.charges: Counter[str] = Counter()
        self.entries = 0

    def content(self) -> bytes:
        """The tally as canonical bytes.

        >>> Tally().content()
        b'{"accounts":[],"charges":[]}'
        """
        counted = [[count, text] for text, count in sorted(self.charges.items())]
        changes = {"changes": self.changes} if self.changes else {}
        return canonical({"accounts": self.accounts, "charges": counted, **changes}).encode()

    @classmethod
    def read(cls, content: bytes, place: int = 0) -> Tally:
        """The tally that was written, with the checkpoint at a place."""
        document = json.loads(content)
        found = cls(place)
        found.changes = document.get("changes", [])
        found.accounts = document["accounts"]
        found.charges = Counter({text: count for count, text in document["charges"]})
        return found


def merged(tallies: Iterable[Tally]) -> Iterator[Tally]:
    """The same as fewer tallies: what lies between two openings of accounts or changes is counted together."""
    joint = Tally()
    for tally in tallies:
        if (tally.accounts or tally.changes) and joint.charges:
            yield joint
            joint = Tally()
        joint.place = tally.place
        joint.accounts += tally.accounts
        joint.changes += tally.changes
        joint.charges.update(tally.charges)
    yield joint


def rolled(before: str, content: bytes) -> str:
    """The digest of all tallies so far, from the digest before and the newest tally.

    >>> rolled(START, b"")[:8]
    'e3b0c442'
    """
    return hashlib.sha256(before.encode() + content).hexdigest()
