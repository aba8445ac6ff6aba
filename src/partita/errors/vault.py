"""What is said of batches that cannot be sealed, and of a vault that is not as it was."""

from __future__ import annotations

from collections.abc import Iterable

from partita.errors.base import InvalidInput, LedgerFault, QueryRefused
from partita.errors.did_you_mean import meant
from partita.errors.wording import UNTOUCHED, shown, some

KEPT = "Nothing of it was sealed, and what was sealed before is as it was."


def unknown_table(name: object, known: Iterable[str]) -> InvalidInput:
    """Rows for a table that is not declared."""
    listed = tuple(known)
    return InvalidInput(
        "vault.unknown-table",
        f"There is no table {shown(name)} to seal rows in. Declared: {some(listed)}.{meant(name, listed)} {KEPT}",
    )


def no_rows_given() -> InvalidInput:
    """A batch of nothing."""
    return InvalidInput(
        "vault.no-rows-given",
        'Give a table and its new rows, ingest("orders", rows), or rows of several tables that belong together, '
        'ingest({"customers": rows, "orders": rows}). A list without rows is a batch too.',
    )


def unlike_rows(table: str, column: str, first: Iterable[str]) -> InvalidInput:
    """Rows of another schema: none of them names an owner, or a key."""
    return InvalidInput(
        "vault.unlike-rows",
        f"Table {table} declares the column {column!r}, and none of these rows has it; the first has {some(first)}. "
        f"They would be dropped for ever. {KEPT} Give rows with the columns that are declared.",
    )


def bad_name(value: object) -> InvalidInput:
    """A batch with a name that cannot be used."""
    return InvalidInput(
        "vault.bad-name",
        f"batch={shown(value)} is not the name of a batch. Give a text of at most 100 printable signs, such as "
        f"batch='2026-11-18'. {KEPT}",
    )


def arrived_already(name: str, batch: int) -> InvalidInput:
    """A batch whose name was used before."""
    return InvalidInput(
        "vault.arrived-already",
        f"A batch with the name {name!r} was sealed before, as batch {batch}. {KEPT} If these are other rows, give "
        f"them another name.",
    )


def out_of_order(name: str, newest: str) -> InvalidInput:
    """A batch that comes after its successor."""
    return InvalidInput(
        "vault.out-of-order",
        f"The batch {name!r} comes before {newest!r}, which is sealed already, so it is late: the places of "
        f"some people's rows may be used up. {KEPT} To seal it all the same, give it a name that comes after "
        f"{newest!r}, or none.",
    )


def same_rows(batch: int) -> InvalidInput:
    """Rows that were sealed before."""
    return InvalidInput(
        "vault.same-rows",
        f"The very same rows were sealed before, as batch {batch}. {KEPT} If they are new rows that happen to be the "
        f"same, say again=True.",
    )


def gone(path: str) -> LedgerFault:
    """A vault that is not where it was, or an old copy of it."""
    return LedgerFault(
        "vault.gone",
        f"The ledger knows of sealed rows, and {path} is not there. The vault is missing, or is an older copy than the "
        f"ledger. Bring back the folder that belongs to this ledger. {UNTOUCHED}",
    )


def changed(path: str) -> LedgerFault:
    """A file of the vault that holds something else than was sealed."""
    return LedgerFault(
        "vault.changed",
        f"{path} is not what was sealed: it was damaged or altered since. Bring back the file from a copy of the "
        f"vault. {UNTOUCHED}",
    )


def source_changed(table: str, path: str) -> InvalidInput:
    """A file that rows were sealed from, and that was changed."""
    return InvalidInput(
        "vault.source-changed",
        f"{path} was sealed as the first rows of {table} and holds something else now. Sealed rows are all that "
        f"questions read, so the change would not be seen. Put new rows into a file of their own and ingest it; to "
        f"erase a person, use forget. Then bring back the old file, or take it away: it is not needed any more. "
        f"{UNTOUCHED}",
    )


def other_declaration(tables: Iterable[str]) -> InvalidInput:
    """Rows that were sanitised by another declaration than the one that is given now."""
    return InvalidInput(
        "vault.other-declaration",
        f"Rows of {some(tables)} were sealed with another declaration than the one that is given now. Declare the "
        f"tables as they were. {UNTOUCHED}",
    )


def not_written(path: str, reason: str) -> LedgerFault:
    """A folder that cannot be used."""
    return LedgerFault("vault.not-written", f"The vault {path} cannot be used: {reason}. {KEPT}")


def rows_arrived() -> QueryRefused:
    """A question that was prepared before the newest rows came."""
    return QueryRefused(
        "vault.rows-arrived",
        f"New rows were sealed since this question was prepared, and it has no answer from before. Ask it again as it "
        f"is written: it is then about the new rows too. {UNTOUCHED}",
    )


def unknown_batch(batch: object, last: int | None) -> InvalidInput:
    """A question about a batch that was never sealed."""
    known = "No batch was sealed yet." if last is None else f"Batches 0 to {last} are sealed."
    return InvalidInput("vault.unknown-batch", f"There is no batch {shown(batch)}. {known} {UNTOUCHED}")


def no_answer(batch: str) -> QueryRefused:
    """A question that was not asked when a batch was the newest."""
    return QueryRefused(
        "vault.no-answer",
        f"The ledger has no answer to this question at this price from when batch {batch} was the newest. Ask without "
        f"batch=, about all rows that are there now. {UNTOUCHED}",
    )


def unknown_owner(column: object, known: Iterable[str]) -> InvalidInput:
    """An erasure by a column that names no owners."""
    listed = tuple(dict.fromkeys(known))
    return InvalidInput(
        "vault.unknown-owner",
        f"No table names its owners by {shown(column)}, so nobody can be forgotten by it. Columns that name owners: "
        f"{some(listed) or 'none'}.{meant(column, listed)} Nothing was erased.",
    )


def no_erasure(unit: str) -> InvalidInput:
    """An erasure where a changed row may have another owner."""
    return InvalidInput(
        "vault.no-erasure",
        f"Nobody can be forgotten behind a promise to {unit}: neighbours may differ in whom a row belongs to, and "
        f"without the rows of one owner one of them would have a row less than the other, for which nothing is booked. "
        f"Promise to rows, users or persons. Nothing was erased.",
    )


def events_fix_values(unit: str, person: str) -> InvalidInput:
    """Rows that arrive where single rows are protected beside a person table."""
    return InvalidInput(
        "vault.events-fix-values",
        f"Rows cannot arrive behind a promise to {unit}, beside the person table {person}: a person's values are fixed "
        f"by the first batch with any of their rows, so one row could alter all that is known of a person. Promise to "
        f"people alone, or without table=. Nothing was sealed.",
    )


def half_moved() -> LedgerFault:
    """Rows were being exchanged when something failed."""
    return LedgerFault(
        "vault.half-moved",
        f"Rows were being exchanged when something failed, so this curator may hold others than it says. Open it "
        f"again: what is sealed is in the vault. {UNTOUCHED}",
    )


def foreign(path: str) -> LedgerFault:
    """A vault of another ledger at the place of this one's."""
    return LedgerFault(
        "vault.foreign",
        f"The vault {path} holds rows that this ledger does not know of: they were sealed by another ledger, or by "
        f"this one after the copy that it was restored from. Nothing was removed. Bring back that ledger, or move the "
        f"folder away. {UNTOUCHED}",
    )


def nobody() -> InvalidInput:
    """An erasure of nobody."""
    return InvalidInput("vault.nobody", "Say who is to be forgotten: forget('customer', 17). Nothing was erased.")


def bad_key() -> InvalidInput:
    """A key of the vault that is none; it is not shown."""
    return InvalidInput(
        "vault.bad-key",
        "The key of the vault is 32 bytes, or the 64 hexadecimal digits of them: vault_key=os.environ[...]. Make one "
        "with secrets.token_hex(32), and keep it apart from the ledger and the vault: without it nobody reads the rows "
        "again. Nothing was opened.",
    )


def no_key(path: str) -> LedgerFault:
    """An encrypted vault that is opened without a key."""
    return LedgerFault(
        "vault.no-key",
        f"{path} is encrypted. Open the curator with the key that it was sealed with, vault_key=. {UNTOUCHED}",
    )


def wrong_key(path: str) -> LedgerFault:
    """An encrypted vault that is opened with another key."""
    return LedgerFault(
        "vault.wrong-key", f"{path} was encrypted with another key than vault_key=. Give that one. {UNTOUCHED}"
    )


def not_encrypted(path: str) -> LedgerFault:
    """A vault in the clear that is opened with a key."""
    return LedgerFault(
        "vault.not-encrypted",
        f"{path} was sealed without a key, and would stay readable beside encrypted files. Open the curator without "
        f"vault_key=, or begin a new ledger with it. {UNTOUCHED}",
    )


def no_key_there(name: str) -> InvalidInput:
    """The environment does not hold the key that a file of settings names."""
    return InvalidInput(
        "vault.no-key-there",
        f"vault_key_env = {name!r}: the environment has no variable of this name. Set it to the 64 hexadecimal digits "
        f"of the vault's key. Nothing was opened.",
    )
