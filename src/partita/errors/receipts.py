"""What is said of receipts and certificates that cannot be read, checked or composed."""

from __future__ import annotations

from collections.abc import Sequence

from partita.errors.base import InvalidInput, LedgerFault, NotProven
from partita.errors.wording import UNREAD


def not_a_receipt(reason: str) -> InvalidInput:
    """Something else than a receipt."""
    return InvalidInput("ledger.not-a-receipt", f"This is not a receipt that can be read: {reason}.")


def not_a_certificate(reason: str) -> InvalidInput:
    """Something else than a certificate."""
    return InvalidInput("ledger.not-a-certificate", f"This is not a certificate that can be read: {reason}.")


def bad_signature(seq: int) -> InvalidInput:
    """The signature does not cover what the receipt says."""
    return InvalidInput(
        "ledger.bad-signature",
        f"The signature of the receipt of entry {seq} does not fit what it says: it was altered, or never signed. "
        f"Nothing was composed. Ask its custodian for the receipt again.",
    )


def other_signer(found: str, expected: str) -> InvalidInput:
    """Somebody else signed."""
    return InvalidInput(
        "ledger.other-signer",
        f"This is signed with the key {found[:16]}…, not with the expected {expected[:16]}….",
    )


def no_receipts() -> InvalidInput:
    """Nothing to compose."""
    return InvalidInput("ledger.no-receipts", "There is no receipt to compose. Give at least one.")


def unlike_claims(ledger: str) -> InvalidInput:
    """Receipts of one ledger contradict each other."""
    return InvalidInput(
        "ledger.unlike-claims",
        f"Two receipts of the ledger {ledger[:16]}… contradict each other: one ledger has one key and one list of "
        f"promises, and one entry is one release. Nothing was composed. Ask its custodian for the receipts again.",
    )


def which_unit(units: Sequence[str]) -> InvalidInput:
    """A ledger keeps several promises, and the caller must say for whom to compose."""
    return InvalidInput(
        "ledger.which-unit",
        f"The receipt states its cost for {' and for '.join(f'[{unit}]' for unit in units)}. Say for which unit the "
        f"total is wanted: unit=...",
    )


def unlike_units(units: Sequence[str]) -> NotProven:
    """Receipts protect different units."""
    return NotProven(
        "ledger.unlike-units",
        f"The receipts protect different units: {' and '.join(f'[{unit}]' for unit in units)}. Their losses cannot be "
        f"added as they are. Say for which unit the total is wanted: unit=...; where one relation gives no guarantee "
        f"for it, that is a refusal.",
    )


def moving_unit(unit: str) -> NotProven:
    """Nothing is known of what a unit that moves between organisations costs."""
    return NotProven(
        "ledger.moving-unit",
        f"[{unit}] is altered inside one table, and nothing is known of what it costs to leave one organisation's data "
        f"and to enter another's, so the loss could be infinite. Compose for rows, for owners, or for the "
        f"value of one row.",
    )


def bad_signing_key(path: str) -> InvalidInput:
    """No Ed25519 key."""
    return InvalidInput("ledger.bad-signing-key", f"{path} is not an Ed25519 key of 32 bytes in hexadecimal.")


def key_file_failed(path: str, reason: str) -> LedgerFault:
    """The key file can be neither read nor made."""
    return LedgerFault("ledger.key-file-failed", f"The signing key {path} cannot be used: {reason}. {UNREAD}")


def no_signing_key(path: str) -> LedgerFault:
    """The private half of the ledger's key is not here."""
    return LedgerFault(
        "ledger.no-signing-key",
        f"The signing key of the ledger {path} is missing or is another one, so no receipt can be signed. Bring back "
        f"its .key file, or give the key when the ledger is opened.",
    )


def several_tables(unit: str, count: int) -> NotProven:
    """A person's rows in several tables add up."""
    return NotProven(
        "ledger.several-tables",
        f"The promise for [{unit}] spans {count} tables, and what one owner loses in each adds up. {UNREAD} "
        f"Give each table a ledger of its own, with its share of the budget.",
    )
