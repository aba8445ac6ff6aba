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
    """What was booked since the last checkpoint: first the accounts opened, then the charges, counted.

    The order of charges does not matter to any account; an account counts only what follows its opening, so a
    checkpoint is made before one is opened in between.
    """

    def __init__(self) -> None:
        self.accounts: list[dict[str, Any]] = []
        self.charges: Counter[str] = Counter()
        self.entries = 0

    def content(self) -> bytes:
        """The tally as canonical bytes.

        >>> Tally().content()
        b'{"accounts":[],"charges":[]}'
        """
        counted = [[count, text] for text, count in sorted(self.charges.items())]
        return canonical({"accounts": self.accounts, "charges": counted}).encode()

    @classmethod
    def read(cls, content: bytes) -> Tally:
        """The tally that was written."""
        document = json.loads(content)
        found = cls()
        found.accounts = document["accounts"]
        found.charges = Counter({text: count for count, text in document["charges"]})
        return found


def merged(tallies: Iterable[Tally]) -> Iterator[Tally]:
    """The same as fewer tallies: what lies between two openings of accounts is counted together."""
    joint = Tally()
    for tally in tallies:
        if tally.accounts and joint.charges:
            yield joint
            joint = Tally()
        joint.accounts += tally.accounts
        joint.charges.update(tally.charges)
    yield joint


def rolled(before: str, content: bytes) -> str:
    """The digest of all tallies so far, from the digest before and the newest tally.

    >>> rolled(START, b"")[:8]
    'e3b0c442'
    """
    return hashlib.sha256(before.encode() + content).hexdigest()
