"""The exact words about public tables and joins."""

from __future__ import annotations

import pytest

from partita.errors import public as refuse

WORDS = [
    (
        refuse.bad_name("my table"),
        "public.bad-name",
        "'my table' is not a name for a public table. Use letters, digits and _, beginning with a letter.",
    ),
    (
        refuse.taken_name("visits"),
        "public.taken-name",
        "Two tables are called 'visits'. Give the public table another name.",
    ),
    (
        refuse.not_a_public_table(3),
        "public.not-a-public-table",
        '3 is not a public table. Write public=[pt.PublicTable("clinics", "clinics.csv", key="clinic")].',
    ),
    (
        refuse.too_many_rows("clinics", 60000, 50000),
        "public.too-many-rows",
        ("Public table clinics has 60000 rows; at most 50000 are read. Keep the rows whose keys are declared values."),
    ),
    (
        refuse.no_key("clinics", "id", ("clinic", "state")),
        "public.no-key",
        "Public table clinics has no column 'id' for its key. It has clinic, state.",
    ),
    (
        refuse.repeated_column("clinics", "State"),
        "public.repeated-column",
        "Public table clinics has two columns called 'State'.",
    ),
    (
        refuse.repeated_key("clinics", "clinic", "a"),
        "public.repeated-key",
        (
            "Public table clinics has two rows with clinic = 'a'. A protected row may meet one of them only: keep"
            " one row for each key."
        ),
    ),
    (
        refuse.unknown_source("clinics", 3),
        "public.unknown-source",
        (
            "Public table clinics: rows cannot be read from 3. Give the path of a .parquet or .csv file, a "
            "pandas, polars or Arrow table, or a list of rows."
        ),
    ),
    (
        refuse.unreadable("clinics", "clinics.csv"),
        "public.unreadable",
        "Public table clinics: the file 'clinics.csv' cannot be read. Check the path.",
    ),
    (
        refuse.not_a_fact("clinics", "beds", [1]),
        "public.not-a-fact",
        "Public table clinics, column beds: [1] is neither a number, a text, a truth nor a day.",
    ),
    (
        refuse.private_join("visits"),
        "public.private-join",
        (
            "visits is protected as well, and one of its rows could then meet many rows of the other. Ask about "
            "each table by itself, or let the custodian join them and declare the result. Public tables can be "
            "joined. Nothing was read and nothing was charged."
        ),
    ),
    (
        refuse.unknown_join("beds", []),
        "public.unknown-join",
        (
            "There is no public table 'beds' to join. No public table is declared. The custodian declares one "
            "with public=[PublicTable(...)]. Nothing was read and nothing was charged."
        ),
    ),
    (
        refuse.join_condition("clinics", "clinic"),
        "public.join-condition",
        (
            "clinics is joined on its key and on nothing else: each row may meet one row of it. Write JOIN "
            "clinics ON clinics.clinic = column, with a declared column. Nothing was read and nothing was "
            "charged."
        ),
    ),
    (
        refuse.natural_join("clinics", "clinic"),
        "public.natural-join",
        (
            "NATURAL JOIN leaves unsaid which columns are compared. Write JOIN clinics USING (clinic). Nothing was "
            "read and nothing was charged."
        ),
    ),
    (
        refuse.better_joined("clinics", "clinic"),
        "public.better-joined",
        (
            "clinics is public: join it, JOIN clinics ON clinics.clinic = column, and write the condition on its "
            "columns into WHERE; or list its keys, column IN (SELECT clinic FROM clinics WHERE ...). Nothing was "
            "read and nothing was charged."
        ),
    ),
    (
        refuse.join_kind("FULL JOIN"),
        "public.join-kind",
        (
            "FULL JOIN could add rows that are in neither table. Write JOIN or LEFT JOIN. Nothing was read and "
            "nothing was charged."
        ),
    ),
    (
        refuse.too_large_to_join("cost", 2000001, 50000),
        "public.too-large-to-join",
        (
            "cost has 2000001 possible values, and facts are looked up beforehand for at most 50000. Join on a "
            "column with fewer values. Nothing was read and nothing was charged."
        ),
    ),
    (
        refuse.ambiguous("state", ["c", "d"]),
        "public.ambiguous",
        "state is a column of c and of d. Write table.state. Nothing was read and nothing was charged.",
    ),
]


@pytest.mark.parametrize(("problem", "code", "words"), WORDS, ids=[code for _, code, _ in WORDS])
def test_the_words(problem, code, words):
    assert (problem.code, problem.message) == (code, words)
