"""The exact words of every refusal of the ledger."""

from __future__ import annotations

import pytest

from partita.errors import ledger as refuse
from partita.errors import receipts as refuse_receipt
from partita.errors.base import PartitaError
from tests.architecture.source import PACKAGE
from tools.error_pages import every_entry

TEXTS = [
    (
        refuse.abandoned(
            7,
        ),
        "ledger.abandoned",
        (
            "The attempt reserved at entry 7 failed and was given up. Its charge stands, since data may have been "
            "read; nothing more was charged. Ask again without its key to make a new attempt."
        ),
    ),
    (
        refuse.account_exists("ada", "ε = 0.3", "ε = 0.4"),
        "ledger.account-exists",
        (
            "The account of 'ada' was opened with the limit ε = 0.3, not ε = 0.4. Nothing was changed. Give the same "
            "limit, or open an account under another name."
        ),
    ),
    (
        refuse.anchor_damaged(
            "v.anchor",
        ),
        "ledger.anchor-damaged",
        (
            "The anchor v.anchor is damaged. Nothing more was read or charged, and no answer left. Bring the anchor "
            "back."
        ),
    ),
    (
        refuse.anchor_failed("v.anchor", "Is a directory"),
        "ledger.anchor-failed",
        (
            "The anchor v.anchor cannot be used: Is a directory. No answer leaves before it is anchored; what was "
            "reserved stays charged. Make the anchor readable and writable, then ask again with the same key."
        ),
    ),
    (
        refuse.anchor_missing("v.ledger", 9),
        "ledger.anchor-missing",
        (
            "The ledger v.ledger holds 9 entries and its anchor is gone, so an older copy could not be told apart. No "
            "protected data was read and nothing was charged. Bring the anchor back."
        ),
    ),
    (
        refuse.anchor_stands(
            "v.ledger",
        ),
        "ledger.anchor-stands",
        (
            "The anchor of the ledger v.ledger is there, so nothing needs to be restored: bring back the copy that "
            "goes with it. Nothing was changed."
        ),
    ),
    (
        refuse.answer_damaged("v.ledger", 7),
        "ledger.answer-damaged",
        (
            "The answer stored with entry 7 of the ledger v.ledger is not the one that was committed. Nothing was "
            "charged. Bring back an unaltered copy."
        ),
    ),
    (
        refuse.bad_fingerprint(
            "n",
        ),
        "ledger.bad-fingerprint",
        ("question = 'n' is not a SHA-256 fingerprint of 64 hexadecimal digits."),
    ),
    (
        refuse.bad_name(
            "key",
            "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk",
            200,
        ),
        "ledger.bad-name",
        ("key = 'kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk... must be text of at most 200 characters."),
    ),
    (
        refuse_receipt.bad_signature(
            7,
        ),
        "ledger.bad-signature",
        (
            "The signature of the receipt of entry 7 does not fit what it says: it was altered, or never signed. "
            "Nothing was composed. Ask its custodian for the receipt again."
        ),
    ),
    (
        refuse.bad_signing_key(
            "v.ledger.key",
        ),
        "ledger.bad-signing-key",
        ("v.ledger.key is not an Ed25519 key of 32 bytes in hexadecimal."),
    ),
    (
        refuse.broken_chain("v.ledger", 7),
        "ledger.broken-chain",
        (
            "Entry 7 of the ledger v.ledger does not follow from the entry before it: something was altered, removed "
            "or inserted. Nothing more was read or charged, and no answer left. Bring back an unaltered copy."
        ),
    ),
    (
        refuse.closed(
            "v.ledger",
        ),
        "ledger.closed",
        ("The ledger v.ledger is closed. Nothing more was read or charged, and no answer left. Open it again."),
    ),
    (
        refuse.corrupt("v.ledger", "database disk image is malformed"),
        "ledger.corrupt",
        (
            "The ledger v.ledger is damaged: database disk image is malformed. Nothing more was read or charged, and "
            "no answer left. Bring back a whole copy; it is never repaired silently, since charges may be missing."
        ),
    ),
    (
        refuse.forked(
            "v.ledger",
        ),
        "ledger.forked",
        (
            "The ledger v.ledger was opened by another process. Nothing more was read or charged, and no answer left. "
            "Open it again in this one."
        ),
    ),
    (
        refuse.full("v.ledger", "reserve"),
        "ledger.full",
        ("The disk of the ledger v.ledger is full. No protected data was read and nothing was charged. Make room."),
    ),
    (
        refuse.gone(
            "v.ledger",
        ),
        "ledger.gone",
        (
            "The ledger v.ledger is gone, and its anchor says that it existed. A new one would forget everything that "
            "was released. No protected data was read and nothing was charged. Bring the file back."
        ),
    ),
    (
        refuse.key_file_failed("v.ledger.key", "Permission denied"),
        "ledger.key-file-failed",
        (
            "The signing key v.ledger.key cannot be used: Permission denied. No protected data was read and nothing "
            "was charged."
        ),
    ),
    (
        refuse.key_reused(
            "k",
        ),
        "ledger.key-reused",
        (
            "The key 'k' was used for another question or another price. No protected data was read and nothing was "
            "charged. A key marks one attempt: take a new one."
        ),
    ),
    (
        refuse.locked("v.ledger", 10.0, "commit"),
        "ledger.locked",
        (
            "The ledger v.ledger was held by another process for 10 seconds. The charge stands and the answer was "
            "withheld; ask again with the same key to get it. Try again."
        ),
    ),
    (
        refuse.missing(
            "v.ledger",
        ),
        "ledger.missing",
        ("There is no ledger at v.ledger. Check the path, or make one with promises and tables."),
    ),
    (
        refuse_receipt.moving_unit(
            "the income of one row, for each 1000 it moves by",
        ),
        "ledger.moving-unit",
        (
            "[the income of one row, for each 1000 it moves by] is altered inside one table, and nothing is known of "
            "what it costs to leave one organisation's data and to enter another's, so the loss could be infinite. "
            "Compose for rows, for owners, or for the value of one row."
        ),
    ),
    (
        refuse.newer_format("v.ledger", 2, 1),
        "ledger.newer-format",
        (
            "The ledger v.ledger has format 2, and this version reads formats up to 1. No protected data was read and "
            "nothing was charged. Install a newer version of Partita."
        ),
    ),
    (
        refuse.no_account(
            "ada",
        ),
        "ledger.no-account",
        ("The analyst 'ada' has no account of their own."),
    ),
    (refuse.no_analyst(), "ledger.no-analyst", ("An account needs the name of its analyst.")),
    (refuse.no_costs(), "ledger.no-costs", ("A charge needs a cost for each promise.")),
    (
        refuse.no_promises(),
        "ledger.no-promises",
        ("A ledger needs at least one promise, such as Promise(rows(), ZCDP(rho=1))."),
    ),
    (refuse.no_reason(), "ledger.no-reason", ("Going on from an older copy is written into the book: say why.")),
    (refuse_receipt.no_receipts(), "ledger.no-receipts", ("There is no receipt to compose. Give at least one.")),
    (
        refuse.no_signing_key(
            "v.ledger",
        ),
        "ledger.no-signing-key",
        (
            "The signing key of the ledger v.ledger is missing or is another one, so no receipt can be signed. Bring "
            "back its .key file, or give the key when the ledger is opened."
        ),
    ),
    (refuse.no_tables(), "ledger.no-tables", ("A ledger needs the public domain of at least one table.")),
    (
        refuse.not_a_ledger(
            "v.ledger",
        ),
        "ledger.not-a-ledger",
        (
            "v.ledger is not a Partita ledger. No protected data was read and nothing was charged. Give the path of a "
            "ledger."
        ),
    ),
    (
        refuse_receipt.not_a_receipt(
            "it is no JSON",
        ),
        "ledger.not-a-receipt",
        ("This is not a receipt that can be read: it is no JSON."),
    ),
    (
        refuse.not_copied(
            "v.ledger",
        ),
        "ledger.not-copied",
        ("The open ledger v.ledger cannot be copied or sent. Open it again where it is needed."),
    ),
    (
        refuse.not_plain(
            {1},
        ),
        "ledger.not-plain",
        ("{1} cannot be written as plain JSON. Use text, whole numbers, lists and dictionaries."),
    ),
    (
        refuse.not_writable("v.ledger", "reserve"),
        "ledger.not-writable",
        (
            "The ledger v.ledger cannot be written. No protected data was read and nothing was charged. A charge must "
            "be durable before data is read: make the file and its folder writable."
        ),
    ),
    (
        refuse.other_domain(
            "visits",
        ),
        "ledger.other-domain",
        (
            "The region is not over the public domain that was declared for the table 'visits'. No protected data was "
            "read and nothing was charged."
        ),
    ),
    (
        refuse.other_promises("v.ledger", "one row, added or removed: ε = 1", "one row, added or removed: ε = 2"),
        "ledger.other-promises",
        (
            "The ledger v.ledger keeps other promises [one row, added or removed: ε = 1] than those given [one row, "
            "added or removed: ε = 2]. No protected data was read and nothing was charged. A promise is made once, at "
            "the ledger's birth: give the same ones."
        ),
    ),
    (
        refuse_receipt.other_signer(
            "abababababababababababababababababababababababababababababababab",
            "cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd",
        ),
        "ledger.other-signer",
        ("This is signed with the key abababababababab…, not with the expected cdcdcdcdcdcdcdcd…."),
    ),
    (
        refuse.bad_path(7),
        "ledger.bad-path",
        (
            "ledger = 7 is not the path of a file. No protected data was read and nothing was charged. "
            'Give a path such as "visits.ledger", or ":memory:" for a trial.'
        ),
    ),
    (
        refuse.no_folder("books/visits.ledger", "books"),
        "ledger.no-folder",
        (
            "The ledger books/visits.ledger cannot be made: there is no folder books. No protected data was read and "
            "nothing was charged. Make the folder, or check the path."
        ),
    ),
    (
        refuse_receipt.not_a_certificate("its version is 9, and 1 is understood"),
        "ledger.not-a-certificate",
        "This is not a certificate that can be read: its version is 9, and 1 is understood.",
    ),
    (
        refuse.unknown_promise(3, 2),
        "ledger.unknown-promise",
        (
            "There is no promise number 3: the ledger keeps 2, counted from 0. "
            "No protected data was read and nothing was charged."
        ),
    ),
    (
        refuse.no_limit("ada", 1),
        "ledger.no-limit",
        "'ada' has no limit of their own under promise 1. No protected data was read and nothing was charged.",
    ),
    (
        refuse.other_tables("v.ledger", ["visits", "wards"]),
        "ledger.other-tables",
        (
            "The ledger v.ledger was made for another declaration of: visits, wards. No protected data was read and "
            "nothing was charged. Charges mean nothing under another public domain: declare the tables and columns as "
            "they were."
        ),
    ),
    (
        refuse.over_budget("", "one row, added or removed", "ρ = 0.02", "ρ = 0.01"),
        "ledger.over-budget",
        (
            "The promise for [one row, added or removed] cannot pay for this question: it costs ρ = 0.02, and ρ = 0.01 "
            "is left for the records it touches. No protected data was read and nothing was charged. Ask with a lower "
            "price, or about records that were asked about less."
        ),
    ),
    (
        refuse.over_budget("ada", "one row, added or removed", "ρ = 0.02", "ρ = 0.01"),
        "ledger.over-budget",
        (
            "The account of 'ada' cannot pay for this question: it costs ρ = 0.02, and ρ = 0.01 is left for the "
            "records it touches. No protected data was read and nothing was charged. Ask with a lower price, or about "
            "records that were asked about less."
        ),
    ),
    (
        refuse.reopen(
            "v.ledger",
        ),
        "ledger.reopen",
        (
            "The accounts of the ledger v.ledger could not be brought up to date. Nothing more was read or charged, "
            "and no answer left. Open it again."
        ),
    ),
    (
        refuse.replaced(
            "v.ledger",
        ),
        "ledger.replaced",
        (
            "The ledger v.ledger was moved or exchanged while it was open, so charges would be lost. Nothing more was "
            "read or charged, and no answer left. Put the file back and open it again."
        ),
    ),
    (
        refuse.rewritten("v.ledger", 5),
        "ledger.rewritten",
        (
            "Entry 5 of the ledger v.ledger is not the entry that was seen there before: the file was exchanged or "
            "rewritten. Nothing more was read or charged, and no answer left. Bring back the copy that goes with its "
            "anchor."
        ),
    ),
    (
        refuse.rolled_back("v.ledger", 3, 5),
        "ledger.rolled-back",
        (
            "The ledger v.ledger ends at entry 3, and its anchor has seen entry 5: it is an older copy, and charges "
            "are missing. Nothing more was read or charged, and no answer left. Bring back the newest copy, its -wal "
            "file included."
        ),
    ),
    (
        refuse.secret_damaged(
            "v.ledger",
        ),
        "ledger.secret-damaged",
        (
            "The secret of the ledger v.ledger that decides which rows of a user are kept is missing or was exchanged. "
            "Nothing more was read or charged, and no answer left. Bring back an unaltered copy."
        ),
    ),
    (
        refuse.several_tables("one patient with at most 3 rows, added or removed", 2),
        "ledger.several-tables",
        (
            "The promise for [one patient with at most 3 rows, added or removed] spans 2 tables, and what one owner "
            "loses in each adds up. No protected data was read and nothing was charged. Give each table a ledger of "
            "its own, with its share of the budget."
        ),
    ),
    (
        refuse.storage_failed("v.ledger", "disk I/O error", "commit"),
        "ledger.storage-failed",
        (
            "The ledger v.ledger cannot be used: disk I/O error. The charge stands and the answer was withheld; ask "
            "again with the same key to get it. Look at the disk."
        ),
    ),
    (
        refuse.storage_failed("v.ledger", "disk I/O error", "reserve"),
        "ledger.storage-failed",
        (
            "The ledger v.ledger cannot be used: disk I/O error. No protected data was read; whether the charge was "
            "written shows when the ledger is opened again. Look at the disk."
        ),
    ),
    (
        refuse.tally_damaged("v.ledger", 7),
        "ledger.tally-damaged",
        (
            "The checkpoint at entry 7 of the ledger v.ledger does not match its tallies. Nothing more was read or "
            "charged, and no answer left. Bring back an unaltered copy."
        ),
    ),
    (
        refuse.truncated(
            "v.ledger",
        ),
        "ledger.truncated",
        (
            "The ledger v.ledger is cut short. No protected data was read and nothing was charged. Bring back a whole "
            "copy; it is never repaired silently, since charges may be missing."
        ),
    ),
    (
        refuse.unknown_reservation("v.ledger", 7),
        "ledger.unknown-reservation",
        ("The ledger v.ledger holds no reservation at entry 7 like the one given."),
    ),
    (
        refuse.unknown_table("vists", ["visits"]),
        "ledger.unknown-table",
        ("The ledger knows no table 'vists'; it knows visits. No protected data was read and nothing was charged."),
    ),
    (
        refuse.unknown_unit(
            "households",
        ),
        "ledger.unknown-unit",
        (
            "The document protects a unit of the kind 'households', as written by another version. No protected data "
            "was read and nothing was charged. Install a newer version of Partita."
        ),
    ),
    (
        refuse_receipt.unlike_claims(
            "abababababababababababababababababababababababababababababababab",
        ),
        "ledger.unlike-claims",
        (
            "Two receipts of the ledger abababababababab… contradict each other: one ledger has one key and one list "
            "of promises, and one entry is one release. Nothing was composed. Ask its custodian for the receipts "
            "again."
        ),
    ),
    (
        refuse_receipt.unlike_units(
            ["one row, added or removed", "the value of one row, with the number of rows public"],
        ),
        "ledger.unlike-units",
        (
            "The receipts protect different units: [one row, added or removed] and [the value of one row, with the "
            "number of rows public]. Their losses cannot be added as they are. Say for which unit the total is wanted: "
            "unit=...; where one relation gives no guarantee for it, that is a refusal."
        ),
    ),
    (
        refuse.unreadable_charge(
            '{"table":"visits"}',
        ),
        "ledger.unreadable-charge",
        (
            'The ledger holds a charge that cannot be read: \'{"table":"visits"}\'. Nothing more was read or charged, '
            "and no answer left. If a newer version wrote it, install that version of Partita."
        ),
    ),
    (
        refuse_receipt.which_unit(
            ["one row, added or removed", "one patient with at most 3 rows, added or removed"],
        ),
        "ledger.which-unit",
        (
            "The receipt states its cost for [one row, added or removed] and for [one patient with at most 3 rows, "
            "added or removed]. Say for which unit the total is wanted: unit=..."
        ),
    ),
    (
        refuse.wrong_costs(2, 1),
        "ledger.wrong-costs",
        (
            "2 amounts were given for 1 promises. No protected data was read and nothing was charged. Give one for "
            "each promise."
        ),
    ),
]


@pytest.mark.parametrize(("error", "code", "text"), TEXTS, ids=[code for _, code, _ in TEXTS])
def test_an_error_says_what_failed_and_what_it_means(error, code, text):
    assert isinstance(error, PartitaError)
    assert (error.code, error.message) == (code, text)


def test_every_error_of_the_ledger_is_worded_here():
    known = {entry.code for entry in every_entry(PACKAGE / "errors") if entry.code.startswith("ledger.")}
    assert {code for _, code, _ in TEXTS} == known
