"""Alarms: which answers of a book are noise on no rows at all, told to the custodian and to nobody else."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TypeVar

from partita.engine.log import log
from partita.errors import EngineFault
from partita.ledger.book.address import Address
from partita.ledger.ledger import Ledger
from partita.ledger.states import Reservation

Found = TypeVar("Found")
MEMORY = ":memory:"


def unseen(step: Callable[[], Found], instead: Callable[[], Found]) -> tuple[Found, bool]:
    """What a step gives, or what is given instead of it where it fails; and whether it did not.

    That it failed may depend on a row, so nobody is to see it (theory E18). ``instead`` does the same without rows. If
    that fails too there is nothing to answer with, and the one constant error is told. It tells nothing about a row:
    what fails without rows (a source that is gone since the rehearsal, noise that cannot be drawn) fails for every
    table.
    """
    try:
        return step(), True
    except EngineFault:
        pass  # nothing raised later has it as its context
    return instead(), False


def told(ledger: Ledger, reservation: Reservation) -> None:
    """Say that the answer to a charge is noise on no rows: in the operator's log, and beside a ledger that is a file.

    Not in the book: what is exported from it and reported about it may be read by others. It is said before the beat
    of a pace and the commit, so that no clock tells of it. Should another run of the same charge be first, whose
    numbers alone are ever seen, one alarm is too many.
    """
    log.critical("The answer to entry %d of %s is noise on no rows: see above.", reservation.seq, ledger.name)
    if ledger.name == MEMORY or Address.named(ledger.name):
        return
    try:
        file = os.open(_beside(ledger.name), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(file, f"{reservation.seq}\n".encode())
        finally:
            os.close(file)
    except OSError as problem:
        log.critical("%s cannot be written: %s.", _beside(ledger.name), problem.strerror)


def alarmed(ledger: str | os.PathLike[str]) -> frozenset[int]:
    """The entries of a ledger's file whose answers are noise on no rows."""
    try:
        with open(_beside(os.fspath(ledger)), encoding="ascii") as lines:
            return frozenset(int(line) for line in lines if line.strip().isdigit())
    except FileNotFoundError:
        return frozenset()


def _beside(ledger: str) -> str:
    return f"{ledger}.alarms"
