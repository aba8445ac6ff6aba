from __future__ import annotations

import pytest

from partita.errors import InvalidInput, PartitaError
from partita.errors import cli as words

SAID: list[tuple[PartitaError, str, str]] = [
    (
        words.cannot_read("plan.json", "No such file or directory"),
        "cli.cannot-read",
        "'plan.json' cannot be read: No such file or directory. Nothing was computed.",
    ),
    (
        words.not_json("plan.json", 2, 5, "Expecting value"),
        "cli.not-json",
        "'plan.json' is not JSON: Expecting value at line 2, column 5. Nothing was computed.",
    ),
    (
        words.one_plan(2),
        "cli.one-plan",
        (
            "2 files were given, and not all of them are receipts. Give one plan, or any number of receipts. "
            "Nothing was computed."
        ),
    ),
    (
        words.choose_one("--epsilon, --rho and --mu"),
        "cli.choose-one",
        "Give exactly one of --epsilon, --rho and --mu. Nothing was computed.",
    ),
    (
        words.unknown_choice("--mechanism", "sugar", "laplace, gaussian"),
        "cli.unknown-choice",
        "--mechanism 'sugar' is not known. Choose among: laplace, gaussian.",
    ),
    (
        words.not_named("--set", "keys"),
        "cli.not-named",
        "--set 'keys' names no value. Write --set name=value.",
    ),
    (
        words.cannot_make_folder("x", "File exists"),
        "cli.cannot-make-folder",
        "The folder 'x' cannot be made: File exists. Choose another one.",
    ),
    (
        words.not_toml("about.toml", "Invalid value (at line 1, column 8)"),
        "cli.not-toml",
        "'about.toml' is not TOML: Invalid value (at line 1, column 8). Nothing was written.",
    ),
    (
        words.would_overwrite("partita.toml"),
        "cli.would-overwrite",
        "partita.toml is there already and was left alone. Move it away, or write elsewhere: --out FILE.",
    ),
    (
        words.cannot_write("report.html", "Permission denied"),
        "cli.cannot-write",
        "report.html cannot be written: Permission denied.",
    ),
    (
        words.not_an_answer("visits.ledger", 3),
        "cli.not-an-answer",
        (
            "Entry 3 of visits.ledger is not an answer, so it has no receipt. `partita ledger show visits.ledger` "
            "lists the answers."
        ),
    ),
]


@pytest.mark.parametrize(("error", "code", "message"), SAID, ids=[code for _, code, _ in SAID])
def test_the_words(error, code, message):
    assert isinstance(error, InvalidInput)
    assert (error.code, error.message) == (code, message)
