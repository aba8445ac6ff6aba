"""The exact words about questions inside questions."""

from __future__ import annotations

import pytest

from partita.errors import shape as refuse

WORDS = [
    (
        refuse.recursive(),
        "shape.recursive",
        (
            "WITH RECURSIVE is not answered: it would follow rows from one to the next. Nothing was read and "
            "nothing was charged."
        ),
    ),
    (
        refuse.set_operation("INTERSECT"),
        "shape.set-operation",
        (
            "INTERSECT is not answered: it would make one row depend on others. Put both conditions into one "
            "WHERE, with AND or NOT. Nothing was read and nothing was charged."
        ),
    ),
    (
        refuse.not_simple("LIMIT"),
        "shape.not-simple",
        (
            "A question in brackets may filter rows, rename and compute columns, or gather rows with GROUP BY on "
            "their owner; LIMIT in it would make one row depend on others. Leave it out, or apply it to the "
            "answer. Nothing was read and nothing was charged."
        ),
    ),
    (
        refuse.columns_unclear("q(b, a)"),
        "shape.columns-unclear",
        (
            "Which columns q(b, a) leaves is not worked out. Name them one by one, SELECT a, b + 1 AS c FROM ... "
            "Nothing was read and nothing was charged."
        ),
    ),
    (
        refuse.name_taken("clinics"),
        "shape.name-taken",
        (
            "clinics is the name of a public table, so a question in WITH cannot have it. Choose another name. "
            "Nothing was read and nothing was charged."
        ),
    ),
    (
        refuse.union_of_values(),
        "shape.union-of-values",
        (
            "UNION drops rows that are equal to others, so one row would depend on others. Write UNION ALL, or "
            "one SELECT with OR. Nothing was read and nothing was charged."
        ),
    ),
    (
        refuse.union_of_aggregates(),
        "shape.union-of-aggregates",
        (
            "UNION ALL puts rows of one table together, not answers. Ask one question with GROUP BY CASE WHEN ..."
            " THEN ... END, which costs no more than one of them. Nothing was read and nothing was charged."
        ),
    ),
    (
        refuse.union_of_tables(),
        "shape.union-of-tables",
        (
            "UNION ALL is answered for filters of one protected table, without joins. Ask about each table by "
            "itself, and add the answers. Nothing was read and nothing was charged."
        ),
    ),
    (
        refuse.union_of_widths(),
        "shape.union-of-widths",
        "The parts of UNION ALL have different numbers of columns. Nothing was read and nothing was charged.",
    ),
    (
        refuse.union_without_name(),
        "shape.union-without-name",
        ("Give this column a name with AS in the first part of UNION ALL. Nothing was read and nothing was charged."),
    ),
    (
        refuse.union_that_overlaps(),
        "shape.union-that-overlaps",
        (
            "Two parts of UNION ALL may hold the same rows, which would then count twice. Make their conditions "
            "exclude each other, or write one SELECT with OR. Nothing was read and nothing was charged."
        ),
    ),
    (
        refuse.not_by_owner("patient"),
        "shape.not-by-owner",
        (
            "A question in brackets that aggregates must gather the rows of one owner; write GROUP BY patient in "
            "it, alone or with declared columns. A total of everybody cannot be computed with before it is noisy:"
            " ask for the groups by themselves, choose among them with HAVING, ORDER BY and LIMIT, and compute the "
            "rest from the answer. Nothing was read and nothing was charged."
        ),
    ),
    (
        refuse.unbounded_gathering("SUM(cost)"),
        "shape.unbounded-gathering",
        (
            "SUM(cost) has no bound, because an owner may have any number of rows under these promises. Write "
            "CLAMP(SUM(cost), low, high) with the range that you expect, or ask the custodian for a promise on "
            "users. Nothing was read and nothing was charged."
        ),
    ),
    (
        refuse.not_gathered("MEDIAN(cost)"),
        "shape.not-gathered",
        (
            "MEDIAN(cost) cannot be computed from the rows of one owner here. Write COUNT(*), COUNT(x), SUM(x), "
            "MIN(x), MAX(x) or CLAMP of one of them, each with a name. Nothing was read and nothing was charged."
        ),
    ),
    (
        refuse.gathered_twice(),
        "shape.gathered-twice",
        (
            "Rows are gathered once, by their owner; this gathers what was gathered. Ask for the inner question "
            "by itself. Nothing was read and nothing was charged."
        ),
    ),
    (
        refuse.join_of_gathered(),
        "shape.join-of-gathered",
        (
            "Rows gathered by their owner are not joined afterwards. Join the public table inside the brackets, before "
            "rows are gathered. Nothing was read and nothing was charged."
        ),
    ),
    (
        refuse.too_wide_gathering("SUM(cost)"),
        "shape.too-wide-gathering",
        (
            "SUM(cost) may become too large to be added up exactly. Write CLAMP(SUM(cost), low, high). Nothing "
            "was read and nothing was charged."
        ),
    ),
    (
        refuse.caps_of_gathered(),
        "shape.caps-of-gathered",
        (
            "groups_per_user= and open keys are not answered beside rows gathered by owner. rows_per_user= limits "
            "what is gathered, and CLAMP(SUM(x), low, high) what one owner adds. Nothing was read and nothing was "
            "charged."
        ),
    ),
    (
        refuse.too_many_sets(2**24, 4096),
        "shape.too-many-sets",
        (
            "ROLLUP, CUBE and GROUPING SETS ask here for 16,777,216 groupings of the same groups; at most 4,096 are "
            "answered. Name fewer columns in them. Nothing was read and nothing was charged."
        ),
    ),
    (
        refuse.margins_of_unlike(),
        "shape.margins-of-unlike",
        (
            "ROLLUP, CUBE and GROUPING SETS sum up the released groups, and quantiles, COUNT(DISTINCT ...) and "
            "open keys do not add up. Ask one question for each grouping. Nothing was read and nothing was "
            "charged."
        ),
    ),
]


@pytest.mark.parametrize(("problem", "code", "words"), WORDS, ids=[code for _, code, _ in WORDS])
def test_the_words(problem, code, words):
    assert (problem.code, problem.message) == (code, words)
