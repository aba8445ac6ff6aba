"""The exact words of every refusal about tables."""

from __future__ import annotations

import pytest

from partita.errors import tables as refuse

WORDS = [
    (
        refuse.bad_table_name(7),
        "query.bad-table-name",
        "7 is not a name for a table. Use letters, digits and _, beginning with a letter.",
    ),
    (
        refuse.two_owners("visits", ("patient", "doctor")),
        "query.two-owners",
        (
            "Table visits declares patient and doctor as identifier(). A row belongs to one owner: keep one of "
            "them, and declare the others as text_keys()."
        ),
    ),
    (
        refuse.unknown_owner("visits", "age", ("patient",)),
        "query.unknown-owner",
        (
            "Table visits: owner = 'age', but only patient is declared as identifier(). Declare the column that "
            "says whom a row belongs to as identifier()."
        ),
    ),
    (
        refuse.unknown_owner("visits", "age", ()),
        "query.unknown-owner",
        (
            "Table visits: owner = 'age', but no column is declared as identifier(). Declare the column that says"
            " whom a row belongs to as identifier()."
        ),
    ),
    (
        refuse.no_source("visits"),
        "query.no-source",
        ('[tables.visits] has no source. Write source = "visits.parquet", a CSV file, or the backend\'s table name.'),
    ),
    (
        refuse.no_declared_columns("visits"),
        "query.no-declared-columns",
        (
            "[tables.visits.columns] is missing or empty. Declare what each column may hold, for example age = { "
            "integers = [0, 120] }."
        ),
    ),
    (
        refuse.unknown_setting("tables.visits", "colums", ("source", "columns")),
        "query.unknown-setting",
        "[tables.visits] has no setting 'colums'. It may have source, columns.",
    ),
    (
        refuse.bad_declaration("tables.visits.columns.age", 3),
        "query.bad-declaration",
        (
            "tables.visits.columns.age = 3 does not declare a column. Write for example { integers = [0, 120] }, "
            '{ decimals = [0, 20000], step = "0.01" }, { categories = ["F", "M"] }, "booleans" or "identifier".'
        ),
    ),
    (
        refuse.unknown_declaration("tables.visits.columns.age", "integer", ("integers", "decimals")),
        "query.unknown-declaration",
        "tables.visits.columns.age: there are no columns of kind 'integer'. Use integers, decimals.",
    ),
    (
        refuse.unknown_source("visits", "rows.xlsx"),
        "query.unknown-source",
        (
            "Table visits: rows cannot be read from 'rows.xlsx'. Give the path of a .parquet or .csv file, a "
            "pandas, polars or Arrow table, a list of rows, or the name of a table in the backend."
        ),
    ),
    (
        refuse.unreadable_source("visits"),
        "query.unreadable-source",
        (
            "Table visits: its rows cannot be read: the file is damaged, or is not well-formed (a quotation mark "
            "inside a value that does not stand in quotation marks from end to end, a line break inside a value, "
            "lines that end differently, two columns of one name, a type that is not supported). Nothing was "
            "charged. Save it anew, best as parquet; what the database said is in the operator's log."
        ),
    ),
    (
        refuse.absent_source("visits", "visits.parquet"),
        "query.absent-source",
        "Table visits: there is no file 'visits.parquet'. Check the path.",
    ),
    (
        refuse.no_one_text("visits", "clinic", "TIMESTAMP"),
        "query.no-one-text",
        (
            "Table visits: the column clinic is stored as TIMESTAMP, and is declared as names, keys or an identifier, "
            "which are compared as texts. How such a value is written depends on the tool that wrote it, and on the "
            "other rows. Nothing was charged. Store it as text, whole numbers or days."
        ),
    ),
    (
        refuse.absent_column("visits", "age", ["Age_", "sex"]),
        "query.absent-column",
        "Table visits declares the column 'age', which its source does not have. It has Age_, sex.",
    ),
    (
        refuse.no_owner("visits", "one patient"),
        "query.no-owner",
        (
            "The promise protects one patient, and table visits does not name that owner. Declare the column as "
            "identifier() in columns=."
        ),
    ),
    (
        refuse.unlike_caps("visits"),
        "query.unlike-caps",
        (
            "Two promises on users of table visits divide its owners differently. One fixed truncation can serve "
            "one division: keep one of them, or use the same column and the same per= in both."
        ),
    ),
]


@pytest.mark.parametrize(("error", "code", "message"), WORDS, ids=[code for _, code, _ in WORDS])
def test_a_refusal_says_exactly_this(error, code, message):
    assert (error.code, error.message) == (code, message)
