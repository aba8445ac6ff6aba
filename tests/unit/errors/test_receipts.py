"""The exact words of every refusal about receipts."""

from __future__ import annotations

import pytest

from partita.errors import receipts as refuse

WORDS = [
    (
        refuse.bad_signature(
            7,
        ),
        "ledger.bad-signature",
        (
            "The signature of the receipt of entry 7 does not fit what it says: it was altered, or never signed. "
            "Nothing was composed. Ask its custodian for the receipt again."
        ),
    ),
    (
        refuse.moving_unit(
            "the income of one row, for each 1000, or part of it, that it moves by",
        ),
        "ledger.moving-unit",
        (
            "[the income of one row, for each 1000, or part of it, that it moves by] is altered inside one table, "
            "and nothing is known of what it costs to leave one organisation's data and to enter another's, so the "
            "loss could be infinite. Compose for rows, for owners, or for the value of one row."
        ),
    ),
    (refuse.no_receipts(), "ledger.no-receipts", ("There is no receipt to compose. Give at least one.")),
    (
        refuse.not_a_receipt(
            "it is no JSON",
        ),
        "ledger.not-a-receipt",
        ("This is not a receipt that can be read: it is no JSON."),
    ),
    (
        refuse.other_signer(
            "abababababababababababababababababababababababababababababababab",
            "cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd",
        ),
        "ledger.other-signer",
        ("This is signed with the key abababababababab…, not with the expected cdcdcdcdcdcdcdcd…."),
    ),
    (
        refuse.not_a_certificate("its version is 9, and 1 is understood"),
        "ledger.not-a-certificate",
        "This is not a certificate that can be read: its version is 9, and 1 is understood.",
    ),
    (
        refuse.unlike_claims(
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
        refuse.unlike_units(
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
        refuse.which_unit(
            ["one row, added or removed", "one patient with at most 3 rows, added or removed"],
        ),
        "ledger.which-unit",
        (
            "The receipt states its cost for [one row, added or removed] and for [one patient with at most 3 rows, "
            "added or removed]. Say for which unit the total is wanted: unit=..."
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
        refuse.key_file_failed("v.ledger.key", "Permission denied"),
        "ledger.key-file-failed",
        (
            "The signing key v.ledger.key cannot be used: Permission denied. No protected data was read and nothing "
            "was charged."
        ),
    ),
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
    (
        refuse.several_tables("one patient with at most 3 rows, added or removed", 2),
        "ledger.several-tables",
        (
            "The promise for [one patient with at most 3 rows, added or removed] spans 2 tables, and what one owner "
            "loses in each adds up. No protected data was read and nothing was charged. Give each table a ledger of "
            "its own, with its share of the budget."
        ),
    ),
]


@pytest.mark.parametrize(("error", "code", "message"), WORDS, ids=[code for _, code, _ in WORDS])
def test_a_refusal_says_exactly_this(error, code, message):
    assert (error.code, error.message) == (code, message)
