"""What is said of charges that do not fit, and of accounts, promises and tables that the ledger does not know."""

from __future__ import annotations

from collections.abc import Sequence

from partita.errors.base import BudgetExceeded, InvalidInput, LedgerFault
from partita.errors.wording import STOPPED, UNREAD, shown


def over_budget(analyst: str, unit: str, cost: str, left: str) -> BudgetExceeded:
    """A promise or an analyst's own limit cannot pay."""
    payer = f"The account of {analyst!r}" if analyst else f"The promise for [{unit}]"
    return BudgetExceeded(
        "ledger.over-budget",
        f"{payer} cannot pay for this question: it costs {cost}, and {left} is left for the records it touches. "
        f"{UNREAD} Ask with a lower price, or about records that were asked about less.",
    )


def no_promises() -> InvalidInput:
    """A ledger without a promise would admit everything."""
    return InvalidInput(
        "ledger.no-promises", "A ledger needs at least one promise, such as Promise(rows(), ZCDP(rho=1))."
    )


def no_tables() -> InvalidInput:
    """A ledger without a table has nothing to protect."""
    return InvalidInput("ledger.no-tables", "A ledger needs the public domain of at least one table.")


def no_costs() -> InvalidInput:
    """A charge without a cost."""
    return InvalidInput("ledger.no-costs", "A charge needs a cost for each promise.")


def wrong_costs(given: int, promises: int) -> InvalidInput:
    """Not one amount for each promise."""
    return InvalidInput(
        "ledger.wrong-costs",
        f"{given} amounts were given for {promises} promises. {UNREAD} Give one for each promise.",
    )


def unknown_table(name: str, known: Sequence[str]) -> InvalidInput:
    """The table was not declared at birth."""
    return InvalidInput(
        "ledger.unknown-table",
        f"The ledger knows no table {shown(name)}; it knows {', '.join(known)}. {UNREAD}",
    )


def unknown_promise(place: object, count: int) -> InvalidInput:
    """Promises are counted from zero, in the order of their declaration."""
    return InvalidInput(
        "ledger.unknown-promise",
        f"There is no promise number {place!r}: the ledger keeps {count}, counted from 0. {UNREAD}",
    )


def no_limit(analyst: str, place: int) -> InvalidInput:
    """The analyst has no limit of their own there."""
    return InvalidInput(
        "ledger.no-limit", f"{shown(analyst)} has no limit of their own under promise {place}. {UNREAD}"
    )


def other_domain(table: str) -> InvalidInput:
    """The region speaks of another domain than the table's."""
    return InvalidInput(
        "ledger.other-domain",
        f"The region is not over the public domain that was declared for the table {shown(table)}. {UNREAD}",
    )


def bad_fingerprint(value: object) -> InvalidInput:
    """A question is named by the SHA-256 of its normal form."""
    return InvalidInput(
        "ledger.bad-fingerprint", f"question = {shown(value)} is not a SHA-256 fingerprint of 64 hexadecimal digits."
    )


def bad_name(name: str, value: object, longest: int) -> InvalidInput:
    """A name that is no text or too long."""
    return InvalidInput("ledger.bad-name", f"{name} = {shown(value)} must be text of at most {longest} characters.")


def not_plain(value: object) -> InvalidInput:
    """Something that has no place in a document."""
    return InvalidInput(
        "ledger.not-plain",
        f"{shown(value)} cannot be written as plain JSON. Use text, whole numbers, lists and dictionaries.",
    )


def unreadable_charge(text: str) -> LedgerFault:
    """A charge in the book that this version cannot read."""
    return LedgerFault(
        "ledger.unreadable-charge",
        f"The ledger holds a charge that cannot be read: {shown(text)}. {STOPPED} If a newer version wrote it, "
        f"install that version of Partita.",
    )


def key_reused(key: object) -> InvalidInput:
    """One key for two questions."""
    return InvalidInput(
        "ledger.key-reused",
        f"The key {shown(key)} was used for another question or another price. {UNREAD} A key marks one attempt: "
        f"take a new one.",
    )


def unknown_reservation(path: str, seq: int) -> InvalidInput:
    """The reservation is not of this book."""
    return InvalidInput(
        "ledger.unknown-reservation", f"The ledger {path} holds no reservation at entry {seq} like the one given."
    )


def abandoned(seq: int) -> InvalidInput:
    """A reservation that was given up stays given up."""
    return InvalidInput(
        "ledger.abandoned",
        f"The attempt reserved at entry {seq} failed and was given up. Its charge stands, since data may have been "
        f"read; nothing more was charged. Ask again without its key to make a new attempt.",
    )


def no_analyst() -> InvalidInput:
    """An account needs a name."""
    return InvalidInput("ledger.no-analyst", "An account needs the name of its analyst.")


def no_account(analyst: str) -> InvalidInput:
    """The analyst has no limits of their own."""
    return InvalidInput("ledger.no-account", f"The analyst {shown(analyst)} has no account of their own.")


def account_exists(analyst: str, known: str, given: str) -> InvalidInput:
    """The account has other limits."""
    return InvalidInput(
        "ledger.account-exists",
        f"The account of {shown(analyst)} was opened with the limit {known}, not {given}. Nothing was changed. Give "
        f"the same limit, or open an account under another name.",
    )


def unknown_unit(kind: object) -> LedgerFault:
    """A neighbouring relation that this version does not know."""
    return LedgerFault(
        "ledger.unknown-unit",
        f"The document protects a unit of the kind {shown(kind)}, as written by another version. {UNREAD} Install a "
        f"newer version of Partita.",
    )
