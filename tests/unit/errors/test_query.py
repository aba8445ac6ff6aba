"""The exact words of every refusal about tables, questions and prices."""

from __future__ import annotations

import pytest

from partita.errors import query as refuse

WORDS = [
    (
        refuse.unreadable("expecting )"),
        "query.unreadable",
        "This is not a SQL question that can be read: expecting ). Nothing was read and nothing was charged.",
    ),
    (
        refuse.not_text(None),
        "query.not-text",
        "None is not a question. Give SQL text, or a question built with the builder.",
    ),
    (
        refuse.too_long(60000, 50000),
        "query.too-long",
        "The question has 60000 characters; at most 50000 are read. Nothing was read and nothing was charged.",
    ),
    (
        refuse.too_deep(),
        "query.too-deep",
        ("The question is nested too deeply. Write it with fewer brackets. Nothing was read and nothing was charged."),
    ),
    (
        refuse.several_statements(2),
        "query.several-statements",
        (
            "These are 2 statements; a question is one SELECT. Ask them one by one. Nothing was read and nothing "
            "was charged."
        ),
    ),
    (
        refuse.not_a_select("DELETE"),
        "query.not-a-select",
        (
            "A question is one SELECT with aggregates; DELETE is not answered. Write SELECT COUNT(*) AS n FROM "
            "table WHERE .... Nothing was read and nothing was charged."
        ),
    ),
    (
        refuse.no_table(),
        "query.no-table",
        (
            "The question names no table. Write SELECT COUNT(*) AS n FROM table. Nothing was read and nothing was"
            " charged."
        ),
    ),
    (
        refuse.unknown_table("visit", ["visits", "beds"]),
        "query.unknown-table",
        "There is no table 'visit'. There is visits, beds. Nothing was read and nothing was charged.",
    ),
    (
        refuse.not_a_table("A query"),
        "query.not-a-table",
        (
            "A query cannot stand after FROM. Name one of the curator's tables. Nothing was read and nothing was "
            "charged."
        ),
    ),
    (
        refuse.clause_not_answered("HAVING", "Do that with the answer."),
        "query.clause-not-answered",
        "HAVING is not answered. Do that with the answer. Nothing was read and nothing was charged.",
    ),
    (
        refuse.rows_themselves("SELECT *"),
        "query.rows-themselves",
        (
            "SELECT * asks for the rows themselves, and only aggregates are answered. Write COUNT(*), SUM(...) or"
            " AVG(...), and GROUP BY what you want to compare. Nothing was read and nothing was charged."
        ),
    ),
    (
        refuse.not_grouped("age"),
        "query.not-grouped",
        (
            "age is neither aggregated nor in GROUP BY. Write GROUP BY age, or put it into an aggregate such as "
            "COUNT(age). Nothing was read and nothing was charged."
        ),
    ),
    (
        refuse.repeated_name("n"),
        "query.repeated-name",
        (
            "Two columns of the answer are called 'n'. Give each its own name with AS. Nothing was read and "
            "nothing was charged."
        ),
    ),
    (
        refuse.no_aggregate(),
        "query.no-aggregate",
        (
            "The question computes nothing. Write at least one of COUNT, SUM and AVG. Nothing was read and "
            "nothing was charged."
        ),
    ),
    (
        refuse.too_many_groups(2000002, 1048576),
        "query.too-many-groups",
        (
            "The keys have 2000002 possible values, and every one comes back with its own noise; at most 1048576 "
            "are answered. Group by fewer columns, by BUCKET(column, width), or narrow them in WHERE. Nothing was"
            " read and nothing was charged."
        ),
    ),
    (
        refuse.too_many_beside(1000000, 1024),
        "query.too-many-beside",
        (
            "Beside an open key the other keys have 1000000 possible values; at most 1024 are answered there, because "
            "otherwise the time of an answer would tell how many open keys occur. Group by fewer columns, or by "
            "BUCKET(column, width). Nothing was read and nothing was charged."
        ),
    ),
    (
        refuse.unknown_column("agee", "visits", ["age", "sex"]),
        "query.unknown-column",
        (
            "Table visits declares no column 'agee'. Did you mean 'age'? It declares age, sex. Nothing was read and "
            "nothing was charged."
        ),
    ),
    (
        refuse.unknown_column("north", "visits", ["age"], quoted=True),
        "query.unknown-column",
        (
            "Table visits declares no column 'north'. If it is text, write it in single quotes: 'north'. It declares "
            "age. Nothing was read and nothing was charged."
        ),
    ),
    (
        refuse.owner_column("patient"),
        "query.owner-column",
        (
            "patient says whom a row belongs to; a question cannot filter, group or compute with it. Count owners with "
            "COUNT(DISTINCT patient), or gather their rows: FROM (SELECT patient, LEAST(COUNT(*), 5) AS n FROM table "
            "GROUP BY patient). Nothing was read and nothing was charged."
        ),
    ),
    (
        refuse.open_column("term"),
        "query.open-column",
        (
            "term holds open text, so its values are not known in public. Declare it as categories(...) to filter"
            " or group by it. Nothing was read and nothing was charged."
        ),
    ),
    (
        refuse.not_numeric("sex", "categories"),
        "query.not-numeric",
        (
            "sex holds categories, not numbers, so it cannot be added up. Count instead: SUM(CASE WHEN sex = ... "
            "THEN 1 ELSE 0 END), or COUNT(*) with GROUP BY sex. Nothing was read and nothing was charged."
        ),
    ),
    (
        refuse.not_a_number("'x'"),
        "query.not-a-number",
        "'x' is not a number, and only numbers are added up. Nothing was read and nothing was charged.",
    ),
    (
        refuse.function_not_answered("SQRT", "Use CLAMP."),
        "query.function-not-answered",
        "SQRT is not answered. Use CLAMP. Nothing was read and nothing was charged.",
    ),
    (
        refuse.question_in_condition(),
        "query.question-in-condition",
        (
            "A question inside a condition would make every row depend on all others. Ask it first, and write its "
            "answer here as a number; or gather rows by their owner and filter owners: "
            "FROM (SELECT owner FROM table GROUP BY owner HAVING LEAST(COUNT(*), 2) >= 2). Nothing was read and "
            "nothing was charged."
        ),
    ),
    (
        refuse.not_an_order("3 + 4"),
        "query.not-an-order",
        (
            "Lines cannot be ordered by 3 + 4. Order by a key, by an aggregate, or by the name of a column of the "
            "answer. Nothing was read and nothing was charged."
        ),
    ),
    (
        refuse.division(),
        "query.division",
        (
            "Only division by a constant other than zero is answered: dividing by a column has no bound and can "
            "fail on one row. Ask for the two sums, and divide the answers. Nothing was read and nothing was "
            "charged."
        ),
    ),
    (
        refuse.too_wide("SUM(a * b)"),
        "query.too-wide",
        (
            "SUM(a * b) can become too large to be added up exactly. Multiply fewer columns, declare a coarser "
            "step, or write CLAMP(..., low, high). Nothing was read and nothing was charged."
        ),
    ),
    (
        refuse.too_many_operations("SUM(a + b)", 5000, 150),
        "query.too-many-operations",
        (
            "SUM(a + b) takes more than 5000 operations, or more than 150 inside each other. Write fewer terms, and "
            "fewer CASE and CLAMP inside each other. Nothing was read and nothing was charged."
        ),
    ),
    (
        refuse.bad_clamp(5, 1),
        "query.bad-clamp",
        ("CLAMP(..., 5, 1): 5 is above 1. Give the smaller end first. Nothing was read and nothing was charged."),
    ),
    (
        refuse.needs_constant("BUCKET(column, width)", "the width"),
        "query.needs-constant",
        ("BUCKET(column, width) needs the width as a constant number. Nothing was read and nothing was charged."),
    ),
    (
        refuse.wrong_arguments("CLAMP", "CLAMP(x, low, high)"),
        "query.wrong-arguments",
        "CLAMP is written CLAMP(x, low, high). Nothing was read and nothing was charged.",
    ),
    (
        refuse.uneven_bucket("age", "0.5", 1),
        "query.uneven-bucket",
        (
            "BUCKET(age, 0.5): the width is not a positive multiple of the column's step 1. Take a multiple of 1."
            " Nothing was read and nothing was charged."
        ),
    ),
    (
        refuse.not_a_date("age", "integers"),
        "query.not-a-date",
        (
            "DATE_TRUNC needs a column of dates, and age holds integers. Use BUCKET(age, width). Nothing was read"
            " and nothing was charged."
        ),
    ),
    (
        refuse.unknown_unit("hour", ("day", "week")),
        "query.unknown-unit",
        "DATE_TRUNC does not know 'hour'. Use day, week. Nothing was read and nothing was charged.",
    ),
    (
        refuse.not_a_key("age + 1"),
        "query.not-a-key",
        (
            "age + 1 cannot be grouped by: its possible values are not listed in public. Group by declared "
            "columns, by BUCKET(column, width), by DATE_TRUNC('month', column) or by CASE WHEN ... THEN 'name' END; "
            "to combine columns, group by each of them. Nothing was read and nothing was charged."
        ),
    ),
    (
        refuse.not_a_condition("LENGTH(sex) = 3"),
        "query.not-a-condition",
        (
            "The condition LENGTH(sex) = 3 is not answered. Compare declared columns with constants or with each "
            "other, using =, <>, <, <=, >, >=, BETWEEN, IN, IS NULL, AND, OR and NOT. Nothing was read and "
            "nothing was charged."
        ),
    ),
    (
        refuse.unnamed_aggregate(),
        "query.unnamed-aggregate",
        (
            'Every aggregate needs a name for its column. Write .agg(n=pt.count(), mean=pt.avg("cost")). Nothing was '
            "read and nothing was charged."
        ),
    ),
    (
        refuse.not_an_aggregate("n", 3),
        "query.not-an-aggregate",
        'n = 3 is not an aggregate. Write agg(n=pt.count(), total=pt.sum("cost"), mean=pt.avg("cost")).',
    ),
]


@pytest.mark.parametrize(("error", "code", "message"), WORDS, ids=[code for _, code, _ in WORDS])
def test_a_refusal_says_exactly_this(error, code, message):
    assert (error.code, error.message) == (code, message)
