"""A book moves from a file to a server or back: entries and hashes as they are, the old place closed for ever."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum, unique
from functools import partial
from typing import final

from partita.errors import ledger_server as refuse_server
from partita.ledger.book.address import Address
from partita.ledger.book.anchor import Mark
from partita.ledger.book.entries import GENESIS, Entry, chained, follows
from partita.ledger.book.places import InMemory, Place, place_of
from partita.ledger.book.store import Stage, Store
from partita.ledger.keys import SigningKey
from partita.ledger.opening import open_ledger
from partita.ledger.seals import newest_seal


@final
@unique
class Step(StrEnum):
    """Where a move may be cut, in the order in which they are passed."""

    LOCKED = "locked"  # no other writer at the old place, nothing is copied
    COPIED = "copied"  # the copy is durable, and nobody can open it
    CLOSING = "closing"  # the old place is closed, not yet durably
    CLOSED = "closed"  # the old place is closed for ever
    OUTDATED = "outdated"  # the old anchor knows every copy of the old place as one from before
    ANCHORED = "anchored"  # the new anchor and the key are there
    ARRIVED = "arrived"  # the new place is open


Steps = Callable[[Step], None]


def _never(step: Step) -> None:
    """Nothing happens at any step."""


@final
@dataclass(frozen=True, slots=True)
class Moved:
    """What has come to the new place: the last entry is that of the old one."""

    name: str
    entries: int


def move_ledger(path: object, to: object, *, timeout: float = 10.0, steps: Steps = _never) -> Moved:
    """Move a book; a move that was cut short is finished by the same call (moving.proof.md).

    At no moment can both places be opened, and from the moment that the old one is closed it stays so.
    """
    old, new = place_of(path, timeout), place_of(to, timeout)
    if isinstance(old, InMemory) or isinstance(new, InMemory) or old.name == new.name:
        raise refuse_server.nowhere_to_move(old.name, new.name)
    left = old.left()
    if left is None:
        left = _copied(old, new, path, timeout, steps)
    elif left[0] != new.name:
        raise refuse_server.moved(old.name, left[0])
    _, mark = left
    came = new.arriving()
    if came is None:
        if _is_there(new, mark):
            return Moved(new.name, mark.seq)
        raise refuse_server.lost_on_the_way(old.name, new.name)
    if came != mark:
        raise refuse_server.lost_on_the_way(old.name, new.name)
    old.anchor(None).advance(_beyond(mark))
    steps(Step.OUTDATED)
    _keep_key(old, new)
    new.anchored(mark)
    steps(Step.ANCHORED)
    new.arrived()
    steps(Step.ARRIVED)
    return Moved(new.name, mark.seq)


def _copied(old: Place, new: Place, path: object, timeout: float, steps: Steps) -> tuple[str, Mark]:
    """Copy the book and close the old place, with no other writer there from before the first entry to the end."""
    # Opened as ever: its anchor, its chain from the last checkpoint, and its secret are looked at.
    assert isinstance(path, str | os.PathLike | Address)
    with open_ledger(path, timeout=timeout) as ledger:
        ledger.truncation_key()
        signed = ledger.birth.public_key
    if new.key is not None and os.path.exists(new.key) and SigningKey.read(new.key).public != signed:
        raise refuse_server.another_key(new.name, new.key)
    store = old.found()
    assert store is not None
    try:
        with store.writing(Stage.COMMIT):
            steps(Step.LOCKED)
            if new.joined and newest_seal(store) is not None:
                raise refuse_server.sealed_stays(old.name)
            new.ready()
            last = new.filled(store, partial(_left_here, store), _checked(store))
            steps(Step.COPIED)
            mark = Mark(last.seq, last.hash)
            store.leave(new.name, mark)
            steps(Step.CLOSING)
    finally:
        store.close()
    steps(Step.CLOSED)
    return new.name, mark


def _checked(store: Store) -> Callable[[Entry], None]:
    """Whether entries follow each other, told one after the other from the first."""
    before: list[Entry | None] = [None]

    def check(entry: Entry) -> None:
        if not follows(entry, before[0]):
            raise refuse_server.broken_on_the_way(store.name, entry.seq)
        before[0] = entry

    return check


def _is_there(new: Place, mark: Mark) -> bool:
    """Whether the book has arrived already, and perhaps gone on."""
    store = new.found()
    if store is None:
        return False
    try:
        entry = store.entry(mark.seq)
        return entry is not None and entry.hash == mark.hash
    finally:
        store.close()


def _left_here(store: Store, mark: Mark) -> bool:
    """Whether an anchor is the last one of this very book, of the time when it left the place."""
    before = store.entry(mark.seq - 1)
    return before is not None and _beyond(Mark(before.seq, before.hash)) == mark


def _beyond(mark: Mark) -> Mark:
    """A mark that no copy of the old place reaches: one entry further, with a hash that no entry has."""
    return Mark(mark.seq + 1, chained(mark.hash, "moved" + GENESIS.hex()))


def _keep_key(old: Place, new: Place) -> None:
    if old.key is None or new.key is None or not os.path.exists(old.key) or os.path.exists(new.key):
        return
    with open(old.key, "rb") as file:
        content = file.read()
    made = f"{new.key}.{os.getpid()}.new"
    with open(os.open(made, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.replace(made, new.key)
