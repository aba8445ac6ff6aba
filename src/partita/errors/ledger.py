"""What is said of the ledger: files that cannot be trusted, and charges that do not fit."""

from __future__ import annotations

from collections.abc import Sequence

from partita.errors.base import BudgetExceeded, InvalidInput, LedgerFault, NotProven

_UNREAD = "No protected data was read and nothing was charged."
_STOPPED = "Nothing more was read or charged, and no answer left."
_MEANING = {
    "open": _UNREAD,
    "look": _STOPPED,
    "reserve": _UNREAD,
    "commit": "The charge stands and the answer was withheld; ask again with the same key to get it.",
}


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


# --- files ---------------------------------------------------------------------------------------------------


def missing(path: str) -> LedgerFault:
    """There is no such ledger, and nothing was given to make one from."""
    return LedgerFault(
        "ledger.missing", f"There is no ledger at {path}. Check the path, or make one with promises and tables."
    )


def bad_path(path: object) -> InvalidInput:
    """What no file can be called."""
    return InvalidInput(
        "ledger.bad-path",
        f"ledger = {_shown(path)} is not the path of a file. {_UNREAD} "
        f'Give a path such as "visits.ledger", or ":memory:" for a trial.',
    )


def no_folder(path: str, folder: str) -> LedgerFault:
    """The folder of a new ledger does not exist."""
    return LedgerFault(
        "ledger.no-folder",
        f"The ledger {path} cannot be made: there is no folder {folder}. {_UNREAD} Make the folder, or check the path.",
    )


def gone(path: str) -> LedgerFault:
    """The file is gone and its anchor remembers it."""
    return LedgerFault(
        "ledger.gone",
        f"The ledger {path} is gone, and its anchor says that it existed. A new one would forget everything that was "
        f"released. {_UNREAD} Bring the file back.",
    )


def not_a_ledger(path: str) -> LedgerFault:
    """The file is something else."""
    return LedgerFault("ledger.not-a-ledger", f"{path} is not a Partita ledger. {_UNREAD} Give the path of a ledger.")


def newer_format(path: str, found: int, known: int) -> LedgerFault:
    """A later version wrote the file."""
    return LedgerFault(
        "ledger.newer-format",
        f"The ledger {path} has format {found}, and this version reads formats up to {known}. {_UNREAD} Install a "
        f"newer version of Partita.",
    )


def truncated(path: str) -> LedgerFault:
    """The file ends before it begins."""
    return LedgerFault(
        "ledger.truncated",
        f"The ledger {path} is cut short. {_UNREAD} Bring back a whole copy; it is never repaired silently, since "
        f"charges may be missing.",
    )


def corrupt(path: str, detail: str) -> LedgerFault:
    """The file cannot be read as it should be."""
    return LedgerFault(
        "ledger.corrupt",
        f"The ledger {path} is damaged: {detail}. {_STOPPED} Bring back a whole copy; it is never repaired silently, "
        f"since charges may be missing.",
    )


def broken_chain(path: str, seq: int) -> LedgerFault:
    """An entry does not follow from the one before it."""
    return LedgerFault(
        "ledger.broken-chain",
        f"Entry {seq} of the ledger {path} does not follow from the entry before it: something was altered, removed or "
        f"inserted. {_STOPPED} Bring back an unaltered copy.",
    )


def tally_damaged(path: str, seq: int) -> LedgerFault:
    """A checkpoint does not match what it sums up."""
    return LedgerFault(
        "ledger.tally-damaged",
        f"The checkpoint at entry {seq} of the ledger {path} does not match its tallies. {_STOPPED} Bring back an "
        f"unaltered copy.",
    )


def answer_damaged(path: str, seq: int) -> LedgerFault:
    """A stored answer is not the one that was committed."""
    return LedgerFault(
        "ledger.answer-damaged",
        f"The answer stored with entry {seq} of the ledger {path} is not the one that was committed. Nothing was "
        f"charged. Bring back an unaltered copy.",
    )


def secret_damaged(path: str) -> LedgerFault:
    """The truncation key is not the one of the birth."""
    return LedgerFault(
        "ledger.secret-damaged",
        f"The secret of the ledger {path} that decides which rows of a user are kept is missing or was exchanged. "
        f"{_STOPPED} Bring back an unaltered copy.",
    )


def rolled_back(path: str, found: int, anchored: int) -> LedgerFault:
    """The file is older than its anchor."""
    return LedgerFault(
        "ledger.rolled-back",
        f"The ledger {path} ends at entry {found}, and its anchor has seen entry {anchored}: it is an older copy, and "
        f"charges are missing. {_STOPPED} Bring back the newest copy, its -wal file included.",
    )


def rewritten(path: str, seq: int) -> LedgerFault:
    """The file tells another story than the one seen before."""
    return LedgerFault(
        "ledger.rewritten",
        f"Entry {seq} of the ledger {path} is not the entry that was seen there before: the file was exchanged or "
        f"rewritten. {_STOPPED} Bring back the copy that goes with its anchor.",
    )


def replaced(path: str) -> LedgerFault:
    """The file was moved or exchanged while in use."""
    return LedgerFault(
        "ledger.replaced",
        f"The ledger {path} was moved or exchanged while it was open, so charges would be lost. {_STOPPED} Put the "
        f"file back and open it again.",
    )


def anchor_missing(path: str, seq: int) -> LedgerFault:
    """The ledger has a history and no anchor."""
    return LedgerFault(
        "ledger.anchor-missing",
        f"The ledger {path} holds {seq} entries and its anchor is gone, so an older copy could not be told apart. "
        f"{_UNREAD} Bring the anchor back.",
    )


def anchor_damaged(path: str) -> LedgerFault:
    """The anchor holds no whole mark."""
    return LedgerFault("ledger.anchor-damaged", f"The anchor {path} is damaged. {_STOPPED} Bring the anchor back.")


def anchor_failed(path: str, reason: str) -> LedgerFault:
    """The anchor can be neither read nor written."""
    return LedgerFault(
        "ledger.anchor-failed",
        f"The anchor {path} cannot be used: {reason}. No answer leaves before it is anchored; what was reserved stays "
        f"charged. Make the anchor readable and writable, then ask again with the same key.",
    )


def anchor_stands(path: str) -> LedgerFault:
    """A copy cannot be accepted against an anchor that is there."""
    return LedgerFault(
        "ledger.anchor-stands",
        f"The anchor of the ledger {path} is there, so nothing needs to be restored: bring back the copy that goes "
        f"with it. Nothing was changed.",
    )


def no_reason() -> InvalidInput:
    """A restore without a reason."""
    return InvalidInput("ledger.no-reason", "Going on from an older copy is written into the book: say why.")


def full(path: str, stage: str) -> LedgerFault:
    """The disk is full."""
    return LedgerFault("ledger.full", f"The disk of the ledger {path} is full. {_MEANING[stage]} Make room.")


def not_writable(path: str, stage: str) -> LedgerFault:
    """The file or its folder may not be written."""
    return LedgerFault(
        "ledger.not-writable",
        f"The ledger {path} cannot be written. {_MEANING[stage]} A charge must be durable before data is read: make "
        f"the file and its folder writable.",
    )


def locked(path: str, seconds: float, stage: str) -> LedgerFault:
    """Another process holds the file."""
    return LedgerFault(
        "ledger.locked",
        f"The ledger {path} was held by another process for {seconds:g} seconds. {_MEANING[stage]} Try again.",
    )


def storage_failed(path: str, reason: str, stage: str) -> LedgerFault:
    """The system refuses in some other way, perhaps after the bytes were written."""
    meaning = (
        "No protected data was read; whether the charge was written shows when the ledger is opened again."
        if stage == "reserve"
        else _MEANING[stage]
    )
    return LedgerFault(
        "ledger.storage-failed", f"The ledger {path} cannot be used: {reason}. {meaning} Look at the disk."
    )


def closed(path: str) -> LedgerFault:
    """The ledger was closed."""
    return LedgerFault("ledger.closed", f"The ledger {path} is closed. {_STOPPED} Open it again.")


def reopen(path: str) -> LedgerFault:
    """A failure halfway left the accounts behind the book."""
    return LedgerFault(
        "ledger.reopen", f"The accounts of the ledger {path} could not be brought up to date. {_STOPPED} Open it again."
    )


def forked(path: str) -> LedgerFault:
    """A forked process uses its parent's ledger."""
    return LedgerFault(
        "ledger.forked", f"The ledger {path} was opened by another process. {_STOPPED} Open it again in this one."
    )


def not_copied(path: str) -> LedgerFault:
    """A ledger cannot be pickled or copied."""
    return LedgerFault(
        "ledger.not-copied", f"The open ledger {path} cannot be copied or sent. Open it again where it is needed."
    )


def other_promises(path: str, written: str, given: str) -> LedgerFault:
    """The file was made for other promises."""
    return LedgerFault(
        "ledger.other-promises",
        f"The ledger {path} keeps other promises [{written}] than those given [{given}]. {_UNREAD} A promise is made "
        f"once, at the ledger's birth: give the same ones.",
    )


def other_tables(path: str, names: Sequence[str]) -> LedgerFault:
    """The file was made for other public domains."""
    return LedgerFault(
        "ledger.other-tables",
        f"The ledger {path} was made for another declaration of: {', '.join(names)}. {_UNREAD} Charges mean nothing "
        f"under another public domain: declare the tables and columns as they were.",
    )


# --- charges -------------------------------------------------------------------------------------------------


def over_budget(analyst: str, unit: str, cost: str, left: str) -> BudgetExceeded:
    """A promise or an analyst's own limit cannot pay."""
    payer = f"The account of {analyst!r}" if analyst else f"The promise for [{unit}]"
    return BudgetExceeded(
        "ledger.over-budget",
        f"{payer} cannot pay for this question: it costs {cost}, and {left} is left for the records it touches. "
        f"{_UNREAD} Ask with a lower price, or about records that were asked about less.",
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
        f"{given} amounts were given for {promises} promises. {_UNREAD} Give one for each promise.",
    )


def unknown_table(name: str, known: Sequence[str]) -> InvalidInput:
    """The table was not declared at birth."""
    return InvalidInput(
        "ledger.unknown-table",
        f"The ledger knows no table {_shown(name)}; it knows {', '.join(known)}. {_UNREAD}",
    )


def unknown_promise(place: object, count: int) -> InvalidInput:
    """Promises are counted from zero, in the order of their declaration."""
    return InvalidInput(
        "ledger.unknown-promise",
        f"There is no promise number {place!r}: the ledger keeps {count}, counted from 0. {_UNREAD}",
    )


def no_limit(analyst: str, place: int) -> InvalidInput:
    """The analyst has no limit of their own there."""
    return InvalidInput(
        "ledger.no-limit", f"{_shown(analyst)} has no limit of their own under promise {place}. {_UNREAD}"
    )


def other_domain(table: str) -> InvalidInput:
    """The region speaks of another domain than the table's."""
    return InvalidInput(
        "ledger.other-domain",
        f"The region is not over the public domain that was declared for the table {_shown(table)}. {_UNREAD}",
    )


def bad_fingerprint(value: object) -> InvalidInput:
    """A question is named by the SHA-256 of its normal form."""
    return InvalidInput(
        "ledger.bad-fingerprint", f"question = {_shown(value)} is not a SHA-256 fingerprint of 64 hexadecimal digits."
    )


def bad_name(name: str, value: object, longest: int) -> InvalidInput:
    """A name that is no text or too long."""
    return InvalidInput("ledger.bad-name", f"{name} = {_shown(value)} must be text of at most {longest} characters.")


def not_plain(value: object) -> InvalidInput:
    """Something that has no place in a document."""
    return InvalidInput(
        "ledger.not-plain",
        f"{_shown(value)} cannot be written as plain JSON. Use text, whole numbers, lists and dictionaries.",
    )


def unreadable_charge(text: str) -> LedgerFault:
    """A charge in the book that this version cannot read."""
    return LedgerFault(
        "ledger.unreadable-charge",
        f"The ledger holds a charge that cannot be read: {_shown(text)}. {_STOPPED} If a newer version wrote it, "
        f"install that version of Partita.",
    )


def key_reused(key: object) -> InvalidInput:
    """One key for two questions."""
    return InvalidInput(
        "ledger.key-reused",
        f"The key {_shown(key)} was used for another question or another price. {_UNREAD} A key marks one attempt: "
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
    return InvalidInput("ledger.no-account", f"The analyst {_shown(analyst)} has no account of their own.")


def account_exists(analyst: str, known: str, given: str) -> InvalidInput:
    """The account has other limits."""
    return InvalidInput(
        "ledger.account-exists",
        f"The account of {_shown(analyst)} was opened with the limit {known}, not {given}. Nothing was changed. Give "
        f"the same limit, or open an account under another name.",
    )


def unknown_unit(kind: object) -> LedgerFault:
    """A neighbouring relation that this version does not know."""
    return LedgerFault(
        "ledger.unknown-unit",
        f"The document protects a unit of the kind {_shown(kind)}, as written by another version. {_UNREAD} Install a "
        f"newer version of Partita.",
    )


# --- receipts ------------------------------------------------------------------------------------------------


def bad_signing_key(path: str) -> InvalidInput:
    """No Ed25519 key."""
    return InvalidInput("ledger.bad-signing-key", f"{path} is not an Ed25519 key of 32 bytes in hexadecimal.")


def key_file_failed(path: str, reason: str) -> LedgerFault:
    """The key file can be neither read nor made."""
    return LedgerFault("ledger.key-file-failed", f"The signing key {path} cannot be used: {reason}. {_UNREAD}")


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
        f"The promise for [{unit}] spans {count} tables, and what one owner loses in each adds up. {_UNREAD} "
        f"Give each table a ledger of its own, with its share of the budget.",
    )
