"""What is said of ledgers that cannot be used, of charges that do not fit, and of receipts that cannot be read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from partita.errors.base import BudgetExceeded, InvalidInput, LedgerFault, NotProven
from partita.errors.wording import MEANING, STOPPED, UNREAD, UNTOUCHED, shown, some

# --- files ----------------------------------------------------------------------------------------------------------


def missing(path: str) -> LedgerFault:
    """There is no such ledger, and nothing was given to make one from."""
    return LedgerFault(
        "ledger.missing", f"There is no ledger at {path}. Check the path, or make one with promises and tables."
    )


def bad_path(path: object) -> InvalidInput:
    """The path of a ledger that no file can have."""
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


def log_replaced(path: str) -> LedgerFault:
    """The log beside the file was deleted or exchanged while in use."""
    return LedgerFault(
        "ledger.log-replaced",
        f"The log of the ledger {path} (-wal, -shm) was deleted or exchanged while it was open, so charges would be "
        f"lost. {STOPPED} Close it everywhere in this process, and open it again.",
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


def anchor_not_writable(path: str) -> LedgerFault:
    """The anchor may not be written by this user."""
    return LedgerFault(
        "ledger.anchor-not-writable",
        f"The anchor {path} may not be written, and no answer leaves before it is anchored. {UNREAD} Make it readable "
        f"and writable for whoever asks.",
    )


def two_histories(path: str, seq: int) -> LedgerFault:
    """The anchor is to remember another entry at the same place."""
    return LedgerFault(
        "ledger.two-histories",
        f"The anchor {path} has seen another entry {seq}: its ledger has two histories, and neither knows all charges. "
        f"The answer was withheld, and what was reserved stays charged. Bring back the copy that goes with the anchor.",
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
    return LedgerFault("ledger.full", f"The disk of the ledger {path} is full. {MEANING[stage]} Make room.")


def not_writable(path: str, stage: str) -> LedgerFault:
    """The file or its folder may not be written."""
    return LedgerFault(
        "ledger.not-writable",
        f"The ledger {path} cannot be written. {MEANING[stage]} A charge must be durable before data is read: make "
        f"the file and its folder writable.",
    )


def locked(path: str, seconds: float, stage: str) -> LedgerFault:
    """Another process holds the file."""
    return LedgerFault(
        "ledger.locked",
        f"The ledger {path} was held by another process for {seconds:g} seconds. {MEANING[stage]} Try again.",
    )


def storage_failed(path: str, reason: str, stage: str) -> LedgerFault:
    """The system refuses in some other way, perhaps after the bytes were written."""
    meaning = (
        "No protected data was read; whether the charge was written shows when the ledger is opened again."
        if stage == "reserve"
        else MEANING[stage]
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
        "ledger.forked",
        f"The ledger {path} was opened by another process. {STOPPED} Fork first, and open it in each process that "
        f"uses it.",
    )


def inherited(path: str) -> LedgerFault:
    """A forked process opens a ledger that was open in its parent."""
    return LedgerFault(
        "ledger.inherited",
        f"The ledger {path} was open when this process was forked, and locks of files do not pass to a child: charges "
        f"could be lost. {UNREAD} Fork first, and open it in each process that uses it; or start processes anew, as "
        f"multiprocessing does with 'spawn'.",
    )


def not_copied(path: str) -> LedgerFault:
    """A ledger cannot be pickled or copied."""
    return LedgerFault(
        "ledger.not-copied", f"The open ledger {path} cannot be copied or sent. Open it again where it is needed."
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


def other_rows(path: str, tables: Iterable[str]) -> LedgerFault:
    """Rows of owners that are not those that the book was charged for."""
    listed = some(tables)
    return LedgerFault(
        "ledger.other-rows",
        f"The rows of {listed} are not those that the ledger {path} was charged for: the rows that are kept of each "
        f"owner are chosen once for its life, and other rows would be others than were promised. {UNTOUCHED} Bring "
        f"back the source as it was. Then give it new rows with ingest (partita ingest), and erase people with forget "
        f"(partita forget): from the first of these on the rows are sealed beside the ledger, and the source is "
        f"not needed any more. Or make a new ledger, with the budget that is left.",
    )


def forgotten_meanwhile(path: str) -> LedgerFault:
    """Another process has erased somebody whose rows this one still holds."""
    return LedgerFault(
        "ledger.forgotten-meanwhile",
        f"Another process has erased a person's rows from the vault of {path}, and this curator still holds the "
        f"rows of before. Open it again: it then reads what is sealed now. {UNTOUCHED}",
    )


# --- charges, accounts, promises and tables -------------------------------------------------------------------------


def over_budget(analyst: str, unit: str, cost: str, left: str) -> BudgetExceeded:
    """A promise or an analyst's own limit cannot pay."""
    payer = f"The account of {analyst!r}" if analyst else f"The promise for [{unit}]"
    return BudgetExceeded(
        "ledger.over-budget",
        f"{payer} cannot pay for this question: it costs {cost}, and {left} is left for the records it touches. "
        f"{UNREAD} Ask with a lower price, or about records that were asked about less.",
    )


def not_shown(analyst: str, unit: str, cost: str, left: str, patience: int, further: int | None) -> BudgetExceeded:
    """A charge that a promise or an analyst's own limit may be able to pay, but was not shown to."""
    payer = f"The account of {analyst!r}" if analyst else f"The promise for [{unit}]"
    more = f"Ask with patience={further}, which takes longer before it refuses, or" if further else "Ask"
    work = "the usual work" if patience == 1 else f"{patience:,} times the usual work"
    return BudgetExceeded(
        "ledger.not-shown",
        f"{payer} may be able to pay for this question, but with {work} that was not shown: it costs {cost}, and all "
        f"that is known is that at least {left} is left for the records it touches. {UNREAD} {more} with a lower "
        f"price, or about records that were asked about less.",
    )


def no_promises() -> InvalidInput:
    """A ledger without a promise, which would admit everything."""
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
    """A promise that the ledger does not have; they are counted from zero."""
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


def unwritable() -> InvalidInput:
    """A cost whose numbers are too long to be kept."""
    return InvalidInput(
        "ledger.unwritable",
        f"The exact cost of this has more digits than a ledger keeps. {UNREAD} Give a price of fewer digits.",
    )


def sealed_meanwhile(path: str) -> LedgerFault:
    """Two processes that seal at the same time."""
    return LedgerFault(
        "ledger.sealed-meanwhile",
        f"Another process has sealed a batch of {path} in the meantime. Nothing of yours was sealed and nothing is "
        f"lost: open the curator again, and give it the rows again.",
    )


def key_reused(key: object) -> InvalidInput:
    """One key was used for two questions."""
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


# --- receipts -------------------------------------------------------------------------------------------------------


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
    """No receipt was given."""
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
        f"The signing key of the ledger {path} is missing or is another one, so no receipt can be signed. {UNREAD} "
        f"Answers that the ledger holds are still given. Bring back its .key file, or give the key when the ledger is "
        f"opened.",
    )


def several_tables(unit: str, count: int) -> NotProven:
    """A person's rows in several tables add up."""
    return NotProven(
        "ledger.several-tables",
        f"The promise for [{unit}] spans {count} tables, and what one owner loses in each adds up. {UNREAD} "
        f"Give each table a ledger of its own, with its share of the budget.",
    )
