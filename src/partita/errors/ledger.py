"""What is said of ledgers whose files cannot be opened, written or trusted."""

from __future__ import annotations

from collections.abc import Sequence

from partita.errors.base import InvalidInput, LedgerFault
from partita.errors.wording import STOPPED, UNREAD, shown

_MEANING = {
    "open": UNREAD,
    "look": STOPPED,
    "reserve": UNREAD,
    "commit": "The charge stands and the answer was withheld; ask again with the same key to get it.",
}


def missing(path: str) -> LedgerFault:
    """There is no such ledger, and nothing was given to make one from."""
    return LedgerFault(
        "ledger.missing", f"There is no ledger at {path}. Check the path, or make one with promises and tables."
    )


def bad_path(path: object) -> InvalidInput:
    """What no file can be called."""
    return InvalidInput(
        "ledger.bad-path",
        f"ledger = {shown(path)} is not the path of a file. {UNREAD} "
        f'Give a path such as "visits.ledger", or ":memory:" for a trial.',
    )


def no_folder(path: str, folder: str) -> LedgerFault:
    """The folder of a new ledger does not exist."""
    return LedgerFault(
        "ledger.no-folder",
        f"The ledger {path} cannot be made: there is no folder {folder}. {UNREAD} Make the folder, or check the path.",
    )


def gone(path: str) -> LedgerFault:
    """The file is gone and its anchor remembers it."""
    return LedgerFault(
        "ledger.gone",
        f"The ledger {path} is gone, and its anchor says that it existed. A new one would forget everything that was "
        f"released. {UNREAD} Bring the file back.",
    )


def not_a_ledger(path: str) -> LedgerFault:
    """The file is something else."""
    return LedgerFault("ledger.not-a-ledger", f"{path} is not a Partita ledger. {UNREAD} Give the path of a ledger.")


def newer_format(path: str, found: int, known: int) -> LedgerFault:
    """A later version wrote the file."""
    return LedgerFault(
        "ledger.newer-format",
        f"The ledger {path} has format {found}, and this version reads formats up to {known}. {UNREAD} Install a "
        f"newer version of Partita.",
    )


def truncated(path: str) -> LedgerFault:
    """The file ends before it begins."""
    return LedgerFault(
        "ledger.truncated",
        f"The ledger {path} is cut short. {UNREAD} Bring back a whole copy; it is never repaired silently, since "
        f"charges may be missing.",
    )


def corrupt(path: str, detail: str) -> LedgerFault:
    """The file cannot be read as it should be."""
    return LedgerFault(
        "ledger.corrupt",
        f"The ledger {path} is damaged: {detail}. {STOPPED} Bring back a whole copy; it is never repaired silently, "
        f"since charges may be missing.",
    )


def broken_chain(path: str, seq: int) -> LedgerFault:
    """An entry does not follow from the one before it."""
    return LedgerFault(
        "ledger.broken-chain",
        f"Entry {seq} of the ledger {path} does not follow from the entry before it: something was altered, removed or "
        f"inserted. {STOPPED} Bring back an unaltered copy.",
    )


def tally_damaged(path: str, seq: int) -> LedgerFault:
    """A checkpoint does not match what it sums up."""
    return LedgerFault(
        "ledger.tally-damaged",
        f"The checkpoint at entry {seq} of the ledger {path} does not match its tallies. {STOPPED} Bring back an "
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
        f"{STOPPED} Bring back an unaltered copy.",
    )


def rolled_back(path: str, found: int, anchored: int) -> LedgerFault:
    """The file is older than its anchor."""
    return LedgerFault(
        "ledger.rolled-back",
        f"The ledger {path} ends at entry {found}, and its anchor has seen entry {anchored}: it is an older copy, and "
        f"charges are missing. {STOPPED} Bring back the newest copy, its -wal file included.",
    )


def rewritten(path: str, seq: int) -> LedgerFault:
    """The file tells another story than the one seen before."""
    return LedgerFault(
        "ledger.rewritten",
        f"Entry {seq} of the ledger {path} is not the entry that was seen there before: the file was exchanged or "
        f"rewritten. {STOPPED} Bring back the copy that goes with its anchor.",
    )


def replaced(path: str) -> LedgerFault:
    """The file was moved or exchanged while in use."""
    return LedgerFault(
        "ledger.replaced",
        f"The ledger {path} was moved or exchanged while it was open, so charges would be lost. {STOPPED} Put the "
        f"file back and open it again.",
    )


def anchor_missing(path: str, seq: int) -> LedgerFault:
    """The ledger has a history and no anchor."""
    return LedgerFault(
        "ledger.anchor-missing",
        f"The ledger {path} holds {seq} entries and its anchor is gone, so an older copy could not be told apart. "
        f"{UNREAD} Bring the anchor back.",
    )


def anchor_damaged(path: str) -> LedgerFault:
    """The anchor holds no whole mark."""
    return LedgerFault("ledger.anchor-damaged", f"The anchor {path} is damaged. {STOPPED} Bring the anchor back.")


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
    return LedgerFault("ledger.closed", f"The ledger {path} is closed. {STOPPED} Open it again.")


def reopen(path: str) -> LedgerFault:
    """A failure halfway left the accounts behind the book."""
    return LedgerFault(
        "ledger.reopen", f"The accounts of the ledger {path} could not be brought up to date. {STOPPED} Open it again."
    )


def forked(path: str) -> LedgerFault:
    """A forked process uses its parent's ledger."""
    return LedgerFault(
        "ledger.forked", f"The ledger {path} was opened by another process. {STOPPED} Open it again in this one."
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
        f"The ledger {path} keeps other promises [{written}] than those given [{given}]. {UNREAD} A promise is made "
        f"once, at the ledger's birth: give the same ones.",
    )


def clamped_parts(path: str, promise: str) -> LedgerFault:
    """The file was born when rows outside the declared range still shared a part of their owner with others."""
    return LedgerFault(
        "ledger.clamped-parts",
        f"The ledger {path} keeps a promise to [{promise}] and was born before version 0.2, when values outside the "
        f"declared range were clamped into a part of their owner. Other rows are kept since, and one choice of rows "
        f"serves a ledger for life, so it takes no new charges. {UNREAD} Answers that it holds are still given. Run "
        f"'partita ledger verify {path}' to see what its promise has come to, and make a new ledger with the budget "
        f"that is left.",
    )


def other_tables(path: str, names: Sequence[str]) -> LedgerFault:
    """The file was made for other public domains."""
    return LedgerFault(
        "ledger.other-tables",
        f"The ledger {path} was made for another declaration of: {', '.join(names)}. {UNREAD} Charges mean nothing "
        f"under another public domain: declare the tables and columns as they were.",
    )
