from __future__ import annotations

import pytest

from partita.errors import cli, curator

TEXTS = {
    "curator.no-tables": (
        curator.no_tables(),
        "A curator needs at least one table. Write pt.Curator(tables=[pt.Table(...)], ...).",
    ),
    "curator.not-a-table": (
        curator.not_a_table("visits"),
        "tables holds a str, which is not a table. Write pt.Table(name, source=..., columns=...).",
    ),
    "curator.not-a-promise": (
        curator.not_a_promise(3),
        "promises holds a int, which is not a promise. Write pt.Promise(pt.rows(), pt.ZCDP(rho=...)).",
    ),
    "curator.no-promises": (
        curator.no_promises(),
        "A curator needs at least one promise. Write promises=[pt.Promise(pt.rows(), pt.ZCDP(rho=...))].",
    ),
    "curator.same-name": (
        curator.same_name("visits"),
        "Two tables are called 'visits'. Give each a name of its own.",
    ),
    "curator.same-rows": (
        curator.same_rows("a", "b"),
        (
            "The tables 'a' and 'b' read the same rows. Each would have a budget of its own, and together they would "
            "break the promise. Declare the rows once, with all the columns that may be asked about."
        ),
    ),
    "curator.users-of-several-tables": (
        curator.users_of_several_tables(["a", "b"]),
        (
            "A promise on users covers one table, and there are 2 (a, b): the same person may own rows in each of "
            "them, and the losses would add up. Give each table a curator of its own with its share of the budget, or "
            "keep the rows in one table."
        ),
    ),
    "curator.not-beside-users": (
        curator.not_beside_users("one row", "why"),
        (
            "A promise for [one row] cannot stand beside this promise on users: why. Keep the promise on users alone, "
            "or without that setting."
        ),
    ),
    "curator.other-terms": (
        curator.other_terms("book"),
        (
            "The ledger book was born with other promises or other tables than this curator declares. "
            "Declare the same, or open another ledger."
        ),
    ),
    "curator.unknown-backend": (
        curator.unknown_backend("x", ["duckdb"]),
        "backend = 'x' is not known. Choose from: duckdb.",
    ),
    "curator.not-a-question": (
        curator.not_a_question(42),
        (
            "A question is SQL text, or a query built with curator.table(...); a int is neither. "
            "Nothing was read and nothing was charged."
        ),
    ),
    "curator.foreign-quotation": (
        curator.foreign_quotation("visits"),
        (
            "The quotation about visits was made by another curator, for other tables, promises or rows of an owner; "
            "its cost means nothing here. Nothing was read and nothing was charged. Ask this curator for a quotation."
        ),
    ),
    "curator.nobody-can-pay": (
        curator.nobody_can_pay("age >= 65", "ε = 0.2"),
        (
            "Nobody that this question is about (age >= 65) can still pay ε = 0.2. Nothing was read and nothing was "
            "charged. Ask with a lower price, or about records that were asked about less."
        ),
    ),
    "curator.no-graphs": (
        curator.no_graphs("one edge, added or removed"),
        (
            "A curator answers questions about rows, and no such answer has a guarantee for [one edge, added or "
            "removed]: every question would be refused. Promise on rows, users, groups or windows."
        ),
    ),
    "curator.not-sent": (
        curator.not_sent("An answer", "Keep answer.rows() and answer.receipt."),
        (
            "An answer cannot be pickled or copied: it knows the protected tables. Keep answer.rows() and "
            "answer.receipt."
        ),
    ),
    "curator.placeholder": (
        curator.placeholder("partita.toml", "tables.visits.columns.age"),
        (
            'partita.toml: tables.visits.columns.age still says "?". Write what is publicly known about the column (an '
            "age is between 0 and 120), never what you find in the data; or delete the line, and the column is never "
            "read."
        ),
    ),
    "curator.library-missing": (
        curator.library_missing("polars"),
        (
            "polars is not installed, so the answer cannot be turned into one of its tables. Install polars, or use "
            "answer.rows(). The answer is in the ledger, and asking again is free."
        ),
    ),
    "curator.budget-of-session": (
        curator.budget_of_session(1, 2),
        (
            "budget gives 1 losses and the curator keeps 2 promises. Give one loss in the measure of the first "
            "promise, or a list with one for each (None for no limit)."
        ),
    ),
    "curator.settings-missing": (
        curator.settings_missing("partita.toml"),
        "There is no file partita.toml. Write one with: partita init data.parquet",
    ),
    "curator.settings-unreadable": (
        curator.settings_unreadable("partita.toml", "line 1"),
        "partita.toml cannot be read as TOML: line 1.",
    ),
    "curator.unknown-setting": (
        curator.unknown_setting("partita.toml", "colour", ["ledger"]),
        "partita.toml: colour is not a setting. Known here: ledger.",
    ),
    "curator.bad-setting": (
        curator.bad_setting("partita.toml", "ledger", "give a path as text."),
        "partita.toml: ledger: give a path as text.",
    ),
    "curator.not-a-computation": (
        curator.not_a_computation(3),
        (
            "A int is not a computation. Nothing was read and nothing was charged. Use an algorithm of "
            "partita.algorithms, or ask a question with curator.ask."
        ),
    ),
    "curator.computation-beside-users": (
        curator.computation_beside_users("k-means", "one row"),
        (
            "k-means cannot be charged to the promise for [one row] while another promise limits the rows of each "
            "user: one row more may push out another. Nothing was read and nothing was charged. Keep the promise on "
            "users alone."
        ),
    ),
    "curator.computation-not-proven": (
        curator.computation_not_proven("training", "Subsampled", "change-one"),
        (
            "training uses Subsampled, whose cost is not proven for change-one neighbours. Nothing was read and "
            "nothing was charged. Choose a variant without it, or a promise for other neighbours."
        ),
    ),
    "curator.second-opinion": (
        curator.second_opinion(),
        (
            "The price of this question could not be confirmed: computed a second way, it loses more than would be "
            "booked. That is an error of Partita's, not yours. Nothing was read and nothing was charged. The "
            "operator's log says what was found; please report it. The same question in simpler parts may be answered."
        ),
    ),
    "curator.computation-not-live": (
        curator.computation_not_live("weights"),
        (
            "weights cannot stay open under a promise in ρ, because it has a δ of its own, and no theorem covers such "
            "a mechanism while other questions are asked. Nothing was read and nothing was charged. Choose a variant "
            "without δ, or a promise in (ε, δ)."
        ),
    ),
    "cli.would-overwrite": (
        cli.would_overwrite("partita.toml"),
        "partita.toml is there already and was left alone. Move it away, or write elsewhere: --out FILE.",
    ),
    "cli.cannot-write": (cli.cannot_write("x", "Permission denied"), "x cannot be written: Permission denied."),
    "cli.not-an-answer": (
        cli.not_an_answer("b", 3),
        "Entry 3 of b is not an answer, so it has no receipt. `partita ledger show b` lists the answers.",
    ),
}


@pytest.mark.parametrize("code", TEXTS)
def test_the_text_is_exactly_this(code: str) -> None:
    error, text = TEXTS[code]
    assert (error.code, error.message) == (code, text)
