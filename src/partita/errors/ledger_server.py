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
