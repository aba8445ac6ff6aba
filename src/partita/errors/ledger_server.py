"""What is said of ledgers on a server that cannot be found or reached."""

from __future__ import annotations

from partita.errors.base import InvalidInput, LedgerFault
from partita.errors.wording import MEANING, UNREAD


def bad_address() -> InvalidInput:
    """The address of a server that cannot be read; what was written may hold a password."""
    return InvalidInput(
        "ledger.bad-address",
        f"The address of the ledger cannot be read. {UNREAD} "
        f'Write it as "postgresql://role@host:5432/database"; the password may come from PGPASSWORD or a .pgpass file.',
    )


def no_driver(extra: str, package: str) -> InvalidInput:
    """A ledger on a server, without the library that speaks to it."""
    return InvalidInput(
        "ledger.no-driver",
        f"A ledger on a server needs the package {package}. {UNREAD} Install the extra partita[{extra}].",
    )


def unreachable(path: str) -> LedgerFault:
    """The server of a ledger does not let anybody in."""
    return LedgerFault(
        "ledger.unreachable",
        f"The server of the ledger {path} cannot be reached, or refuses this role. {UNREAD} "
        f"Look whether it runs, and at its address, role, password and certificate.",
    )


def no_schema(path: str) -> LedgerFault:
    """The role has no schema to keep tables in."""
    return LedgerFault(
        "ledger.no-schema",
        f"The role of the ledger {path} has no schema of its own to keep the ledger in. {UNREAD} "
        f"Make one (CREATE SCHEMA ledger AUTHORIZATION role) and put it first in the role's search_path.",
    )


def not_durable(path: str) -> LedgerFault:
    """A server that forgets what it confirmed."""
    return LedgerFault(
        "ledger.not-durable",
        f"The server of the ledger {path} runs with fsync = off, so it may forget what was charged. {UNREAD} "
        f"Set fsync = on, or keep the ledger elsewhere.",
    )


def connection_lost(path: str, stage: str) -> LedgerFault:
    """The server is gone in the middle, perhaps after it wrote."""
    meaning = (
        "No protected data was read; if the charge was written, the same question goes on with it."
        if stage == "reserve"
        else MEANING[stage]
    )
    return LedgerFault(
        "ledger.connection-lost",
        f"The connection to the ledger {path} was lost. {meaning} Ask again when the server is back.",
    )


def local_only(path: str, what: str) -> InvalidInput:
    """Something that is kept beside a ledger's file, asked of one on a server."""
    return InvalidInput(
        "ledger.local-only",
        f"{what} are kept in files beside the ledger, and {path} is on a server, where other machines would not find "
        f"them. {UNREAD} Keep the ledger in a file of this machine.",
    )


def moved(path: str, to: str) -> LedgerFault:
    """A book that has gone on elsewhere."""
    return LedgerFault(
        "ledger.moved",
        f"The ledger {path} was moved to {to} and is closed here for ever. {UNREAD} Use it where it is now; a "
        f"move that was cut short is finished by the same `partita ledger move`.",
    )


def arriving(path: str) -> LedgerFault:
    """A copy that cannot be opened yet."""
    return LedgerFault(
        "ledger.arriving",
        f"The ledger {path} is a copy of a move that was cut short. {UNREAD} Finish it: `partita ledger move` from the "
        f"old place to this one, once more.",
    )


def not_here(path: str, stage: str) -> LedgerFault:
    """The tables of an open book are gone."""
    return LedgerFault(
        "ledger.not-here",
        f"The ledger {path} is no longer there: it was moved to another place, or taken away. {MEANING[stage]} "
        f"Open it where it is now.",
    )


def nowhere_to_move(path: str, to: str) -> InvalidInput:
    """Two places between which nothing moves."""
    return InvalidInput(
        "ledger.nowhere-to-move",
        f"The ledger {path} cannot be moved to {to}. {UNREAD} Name two different places, each a file or an address "
        f'such as "postgresql://role@host/database".',
    )


def not_empty(path: str) -> LedgerFault:
    """A place where something stands already."""
    return LedgerFault(
        "ledger.not-empty",
        f"There is something at {path} already, and nothing is written over it. {UNREAD} Name another file or another "
        f"schema, or take away what is there if it is a ledger that was moved elsewhere.",
    )


def sealed_stays(path: str) -> LedgerFault:
    """Sealed rows are files of one machine."""
    return LedgerFault(
        "ledger.sealed-stays",
        f"The ledger {path} has sealed rows, which are files beside it on one machine: on a server, other machines "
        f"would not find them. Nothing was moved. Keep this ledger in a file.",
    )


def another_key(path: str, key: str) -> LedgerFault:
    """The signing key of another book."""
    return LedgerFault(
        "ledger.another-key",
        f"The signing key {key} is not that of the ledger that is to be moved to {path}. Nothing was moved. Take the "
        f"file away if it belongs to nothing else, or name another place.",
    )


def broken_on_the_way(path: str, seq: int) -> LedgerFault:
    """An entry that does not follow from the one before."""
    return LedgerFault(
        "ledger.broken-on-the-way",
        f"The ledger {path} cannot be moved: its entry {seq} does not follow from the one before. Nothing was moved. "
        f"`partita ledger verify` says more.",
    )


def lost_on_the_way(path: str, to: str) -> LedgerFault:
    """A closed book, and not its copy."""
    return LedgerFault(
        "ledger.lost-on-the-way",
        f"The ledger {path} is closed because it was moved to {to}, and what is there is not its copy. {UNREAD} Bring "
        f"back what was there.",
    )
