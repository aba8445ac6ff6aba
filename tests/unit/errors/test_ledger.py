"""The exact words of every refusal about a ledger's files."""

from __future__ import annotations

import pytest

from partita.errors import ledger as refuse

WORDS = [
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
        refuse.newer_format("v.ledger", 2, 1),
        "ledger.newer-format",
        (
            "The ledger v.ledger has format 2, and this version reads formats up to 1. No protected data was read and "
            "nothing was charged. Install a newer version of Partita."
        ),
    ),
    (refuse.no_reason(), "ledger.no-reason", ("Going on from an older copy is written into the book: say why.")),
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
        refuse.not_copied(
            "v.ledger",
        ),
        "ledger.not-copied",
        ("The open ledger v.ledger cannot be copied or sent. Open it again where it is needed."),
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
        refuse.other_promises("v.ledger", "one row, added or removed: ε = 1", "one row, added or removed: ε = 2"),
        "ledger.other-promises",
        (
            "The ledger v.ledger keeps other promises [one row, added or removed: ε = 1] than those given [one row, "
            "added or removed: ε = 2]. No protected data was read and nothing was charged. A promise is made once, at "
            "the ledger's birth: give the same ones."
        ),
    ),
    (
        refuse.clamped_parts("v.ledger", "one who during one day with at most 1 row, added or removed"),
        "ledger.clamped-parts",
        (
            "The ledger v.ledger keeps a promise to [one who during one day with at most 1 row, added or removed] and "
            "was born before version 0.2, when values outside the declared range were clamped into a part of their "
            "owner. Other rows are kept since, and one choice of rows serves a ledger for life, so it takes no new "
            "charges. No protected data was read and nothing was charged. Answers that it holds are still given. Run "
            "'partita ledger verify v.ledger' to see what its promise has come to, and make a new ledger with the "
            "budget that is left."
        ),
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
        refuse.other_tables("v.ledger", ["visits", "wards"]),
        "ledger.other-tables",
        (
            "The ledger v.ledger was made for another declaration of: visits, wards. No protected data was read and "
            "nothing was charged. Charges mean nothing under another public domain: declare the tables and columns as "
            "they were."
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
]


@pytest.mark.parametrize(("error", "code", "message"), WORDS, ids=[code for _, code, _ in WORDS])
def test_a_refusal_says_exactly_this(error, code, message):
    assert (error.code, error.message) == (code, message)
