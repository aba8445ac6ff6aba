"""Questions in brackets about one owner's rows, in SQL: what becomes of them, and what is refused."""

from __future__ import annotations

import pytest

import partita as pt
from tests.unit.query.test_person_joins import asked, joined

FIRST = "ROW_NUMBER() OVER (PARTITION BY customer ORDER BY placed)"


@pytest.mark.parametrize(
    ("rest", "most"),
    [
        ("customers c JOIN (SELECT customer, SUM(total) AS s FROM orders GROUP BY customer) t USING (customer)", 1),
        (
            "customers JOIN (SELECT customer, total, COUNT(*) AS n FROM orders GROUP BY 1, 2) t USING (customer)",
            20,
        ),
        ('orders o JOIN (SELECT "order", SUM(price) AS s FROM lines GROUP BY "order") t ON t."order" = o."order"', 20),
        (f"(SELECT customer, total, {FIRST} AS k FROM orders) t WHERE k = 1", 20),
        (f"(SELECT * FROM orders QUALIFY {FIRST} = 1) t JOIN visits v ON v.customer = t.customer", 100),
        ("(SELECT DISTINCT customer FROM orders) t JOIN visits v ON v.customer = t.customer", 5),
        ("customers c JOIN (SELECT customer, day FROM visits WHERE day > 9) v ON v.customer = c.customer", 5),
        ("orders o WHERE o.total > (SELECT AVG(total) FROM orders p WHERE p.customer = o.customer)", 20),
        ("orders o JOIN (SELECT * FROM customers WHERE segment = 'b') c ON c.customer = o.customer", 20),
    ],
)
def test_nobody_has_more_rows_than_their_brackets_leave(rest, most):
    assert joined(rest).most == most


def test_brackets_that_only_filter_people_leave_their_values_known():
    found = joined("orders o JOIN (SELECT * FROM customers WHERE segment = 'b') c ON c.customer = o.customer")
    assert found.own == "customers"
    assert not found.brackets


def test_brackets_are_part_of_the_question():
    first, second, third = (
        asked(
            f"SELECT COUNT(*) AS n FROM (SELECT customer, {FIRST} AS {name} FROM orders WHERE {met}) t WHERE {name} = 1"
        )
        for name, met in (("k", "total > 1"), ("k", "total > 1"), ("k", "total > 2"))
    )
    assert first.canonical == second.canonical
    assert first.canonical != third.canonical


def test_one_row_of_each_owner_is_another_question_than_all_rows():
    # A cap on the joined rows gives both the same noise, so that nothing else would tell them apart in the book.
    once, every = (
        asked(f"SELECT SUM(o.total) AS s FROM orders o JOIN (SELECT {word} customer FROM visits) t USING (customer)")
        for word in ("DISTINCT", "")
    )
    assert once.canonical != every.canonical


@pytest.mark.parametrize(
    ("rest", "code"),
    [
        ("(SELECT customer, ROW_NUMBER() OVER (ORDER BY total) AS k FROM orders) t", "people.window-of-others"),
        (
            "(SELECT customer, RANK() OVER (PARTITION BY total ORDER BY placed) AS k FROM orders) t",
            "people.window-of-others",
        ),
        (
            "(SELECT customer, ROW_NUMBER() OVER (PARTITION BY customer) AS k FROM orders) t",
            "people.window-without-order",
        ),
        (f"(SELECT customer, {FIRST} FROM orders) t", "people.window-without-name"),
        (
            "(SELECT customer, NTILE(4) OVER (PARTITION BY customer ORDER BY total) AS k FROM orders) t",
            "people.window-not-answered",
        ),
        (
            "(SELECT SUM(total) OVER (PARTITION BY customer ORDER BY total ROWS 2 PRECEDING) k FROM orders) t",
            "people.window-frame",
        ),
        (
            "(SELECT customer, LAG(total, 0) OVER (PARTITION BY customer ORDER BY placed) AS k FROM orders) t",
            "people.window-not-answered",
        ),
        (f"(SELECT customer AS c, {FIRST} AS k FROM orders) t", "people.owner-renamed"),
        (f"(SELECT total * 2 AS d, {FIRST} AS k FROM orders) t", "people.derived-column"),
        (f"(SELECT total, placed AS total, {FIRST} AS k FROM orders) t", "people.derived-twice"),
        ("(SELECT DISTINCT total FROM orders) t", "people.distinct-rows"),
        ("customers c JOIN (SELECT customer, total FROM orders LIMIT 3) t USING (customer)", "people.derived-clause"),
        (
            "customers c JOIN (SELECT total, COUNT(*) AS n FROM orders GROUP BY total) t ON t.n = c.age",
            "shape.not-by-owner",
        ),
        (
            "customers c JOIN (SELECT customer, SUM(total) AS s FROM orders GROUP BY customer) t ON t.s = c.age",
            "people.not-linked",
        ),
        (
            "customers c JOIN (SELECT customer, total FROM orders WHERE word = 'x') t USING (customer)",
            "query.open-column",
        ),
        (
            " JOIN ".join(
                [
                    "customers c",
                    *(f"(SELECT customer, day FROM visits WHERE day > {n}) v{n} USING (customer)" for n in range(7)),
                ]
            ),
            "people.too-many-derived",
        ),
    ],
)
def test_what_is_not_about_one_owners_rows_is_refused(rest, code):
    with pytest.raises(pt.PartitaError) as caught:
        asked(f"SELECT COUNT(*) AS n FROM {rest}")
    assert caught.value.code == code
    assert "Nothing was read and nothing was charged" in str(caught.value)
