"""The exact words of every refusal of a charge."""

from __future__ import annotations

import pytest

from partita.errors import charges as refuse

WORDS = [
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
        refuse.bad_fingerprint(
            "n",
        ),
        "ledger.bad-fingerprint",
        ("question = 'n' is not a SHA-256 fingerprint of 64 hexadecimal digits."),
    ),
    (
        refuse.bad_name(
            "key",
            "k" * 400,
            200,
        ),
        "ledger.bad-name",
        f"key = '{'k' * 76}... must be text of at most 200 characters.",
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
    (refuse.no_tables(), "ledger.no-tables", ("A ledger needs the public domain of at least one table.")),
    (
        refuse.not_plain(
            {1},
        ),
        "ledger.not-plain",
        ("{1} cannot be written as plain JSON. Use text, whole numbers, lists and dictionaries."),
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
        refuse.wrong_costs(2, 1),
        "ledger.wrong-costs",
        (
            "2 amounts were given for 1 promises. No protected data was read and nothing was charged. Give one for "
            "each promise."
        ),
    ),
]


@pytest.mark.parametrize(("error", "code", "message"), WORDS, ids=[code for _, code, _ in WORDS])
def test_a_refusal_says_exactly_this(error, code, message):
    assert (error.code, error.message) == (code, message)
