"""Joins of people's tables in SQL: what becomes of them, and what a promise is told of it."""

from __future__ import annotations

import pytest

import partita as pt
from partita.granularity import persons
from partita.query.language.joined import Joined, Kind, Link, joined_of
from partita.query.language.plan import Plan
from partita.query.sql.parse import read
from partita.query.sql.people.join_words import MOST_EXISTING
from partita.query.tables.people import People
from partita.query.tables.public import PublicTable
from partita.query.tables.schema import Table

CUSTOMERS = Table(
    "customers",
    [],
    {
        "customer": pt.identifier(),
        "segment": pt.categories("a", "b", missing="a"),
        "age": pt.integers(0, 120, missing=0, constant=True),
    },
)
ORDERS = Table(
    "orders",
    [],
    {
        "order": pt.key(),
        "Customer": pt.identifier(),
        "total": pt.integers(0, 9, missing=0),
        "placed": pt.dates("2024-01-01", "2024-12-31"),
        "word": pt.text_keys(),
    },
)
LINES = Table("lines", [], {"order": pt.key(), "price": pt.decimals(0, 10, step="0.5")})
VISITS = Table("visits", [], {"customer": pt.identifier(), "day": pt.integers(0, 364)})
PEOPLE = People(
    persons(
        "customer",
        table="customers",
        rows={"orders": 20, "lines": 100, "visits": 5},
        through={"lines": ("order", "orders")},
    ),
    [CUSTOMERS, ORDERS, LINES, VISITS],
)
AGES = {"ages": PublicTable("ages", [{"age": 1, "word": "young"}, {"age": 80, "word": "old"}], key="age")}


def asked(text: str) -> Plan:
    return read(text, [], AGES, people=PEOPLE)


def joined(rest: str) -> Joined:
    found = joined_of(asked(f"SELECT COUNT(*) AS n FROM {rest}").table)
    assert found is not None
    return found


def test_a_question_about_one_table_is_about_that_table():
    plan = asked("SELECT COUNT(*) AS n FROM lines WHERE price > 2")
    assert joined_of(plan.table) is None
    assert plan.table is PEOPLE["lines"].table
    assert plan.table.owner == "customer"


def test_what_is_known_of_tables_of_people():
    assert PEOPLE["orders"].unique == ("order",)
    assert (PEOPLE["lines"].chain, PEOPLE["lines"].parent, PEOPLE["lines"].cap) == ("order", "orders", 100)
    assert PEOPLE["customers"].cap == 1
    assert PEOPLE.meant("lines", "order") == PEOPLE.meant("orders", "order") == ("orders", "order")
    assert PEOPLE.truncation("orders", "k" * 64).owner == "Customer"
    # What others lead to comes first.
    assert list(PEOPLE.tables).index("orders") < list(PEOPLE.tables).index("lines")


@pytest.mark.parametrize(
    ("rest", "most", "by_rows", "touched"),
    [
        ("orders o JOIN customers c USING (customer)", 20, "orders", ("orders", "customers")),
        ("customers c JOIN orders o USING (customer)", 20, "orders", ("customers", "orders")),
        ("customers c LEFT JOIN orders o USING (customer)", 20, None, ("customers",)),
        ("customers c RIGHT JOIN orders o USING (customer)", 20, "orders", ("orders",)),
        ("customers c FULL JOIN orders o USING (customer)", 21, None, ()),
        ("visits v JOIN orders o USING (customer)", 100, None, ("visits", "orders")),
        (
            'lines l JOIN orders o USING ("order") JOIN customers c ON c.customer = o.customer',
            100,
            None,
            ("lines", "orders", "customers"),
        ),
        ("visits a JOIN visits b ON a.customer = b.customer", 25, None, ("visits", "visits_2")),
        (
            "customers WHERE EXISTS (SELECT 1 FROM visits WHERE visits.customer = customers.customer)",
            1,
            None,
            ("customers",),
        ),
        ("orders o WHERE o.customer IN (SELECT customer FROM customers WHERE age > 60)", 20, "orders", ("orders",)),
        (
            "orders o LEFT JOIN customers a USING (customer) LEFT JOIN customers b USING (customer)",
            20,
            None,
            ("orders",),
        ),
    ],
)
def test_what_a_promise_is_told(rest, most, by_rows, touched):
    found = joined(rest)
    assert (found.most, found.by_rows, found.touched) == (most, by_rows, touched)


def test_joined_columns_keep_their_codes_and_get_a_null_where_a_row_may_be_absent():
    found = joined("customers c LEFT JOIN orders o ON o.customer = c.customer")
    columns = found.table.columns
    assert list(columns) == [
        "customer",
        "customers.segment",
        "customers.age",
        "orders.total",
        "orders.placed",
        "orders.word",
    ]
    # The person's own values are the same in every joined row.
    assert columns["customers.age"] == pt.integers(0, 120, missing=0, constant=True)
    assert columns["orders.total"] == pt.integers(0, 9)
    assert [found.table.domain.axes[axis] for axis in found.table.domain.constant] == [
        "customers.segment",
        "customers.age",
    ]
    told = {column: (one.name, one.table, name) for column, (one, name) in found.columns.items()}
    assert told["orders.total"] == ("orders", "orders", "total")
    for column, (one, name) in found.columns.items():
        own = PEOPLE[one.table].table.columns[name]
        if isinstance(own, pt.text_keys().__class__):
            continue
        assert [columns[column].value(code) for code in range(own.size)] == [own.value(c) for c in range(own.size)]


SAME = [
    (
        "SELECT c.segment, COUNT(*) AS n FROM orders o JOIN customers c ON c.customer = o.customer "
        "WHERE o.total > 3 GROUP BY c.segment"
    ),
    "SELECT segment, COUNT(*) AS n FROM orders JOIN customers USING (customer) WHERE total > 3 GROUP BY segment",
    (
        "SELECT x.segment, COUNT(*) AS n FROM orders AS y, customers AS x WHERE y.customer = x.customer "
        "AND y.total > 3 GROUP BY 1"
    ),
    (
        "SELECT c.segment, COUNT(*) AS n FROM orders o INNER JOIN customers c ON o.total > 3 "
        "AND o.customer = c.customer GROUP BY ALL"
    ),
    (
        "WITH o AS (SELECT * FROM orders WHERE total > 3) SELECT c.segment, COUNT(*) AS n FROM o "
        "JOIN customers c ON c.customer = o.customer GROUP BY c.segment"
    ),
    (
        "SELECT c.segment, COUNT(*) AS n FROM orders o CROSS JOIN customers c WHERE o.customer = c.customer "
        "AND total > 3 GROUP BY segment"
    ),
]


def test_the_same_question_has_one_fingerprint_however_it_is_asked():
    assert len({asked(text).fingerprint for text in SAME}) == 1
    names = {tuple(column.name for column in asked(text).shown) for text in SAME}
    assert names == {("segment", "n")}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("orders o JOIN customers c USING (customer)", "orders o LEFT JOIN customers c USING (customer)"),
        (
            "customers c LEFT JOIN orders o ON o.customer = c.customer AND o.total > 3",
            "customers c LEFT JOIN orders o ON o.customer = c.customer AND o.total > 4",
        ),
        ('orders o JOIN lines l ON l."order" = o."order"', "orders o JOIN lines l ON l.customer = o.customer"),
        (
            "customers c WHERE EXISTS (SELECT 1 FROM visits v WHERE v.customer = c.customer AND v.day > 3)",
            "customers c WHERE EXISTS (SELECT 1 FROM visits v WHERE v.customer = c.customer AND v.day > 4)",
        ),
    ],
)
def test_another_join_is_another_question(one, other):
    texts = [f"SELECT COUNT(*) AS n FROM {rest}" for rest in (one, other)]
    assert len({asked(text).fingerprint for text in texts}) == 2


def test_existences_are_named_by_what_they_say():
    rest = (
        "customers c WHERE EXISTS (SELECT 1 FROM visits v WHERE v.customer = c.customer AND day {0} 4) AND NOT EXISTS "
        "(SELECT * FROM visits WHERE visits.customer = c.customer AND day {1} 4)"
    )
    assert len(joined(rest.format(">", "<")).existences) == 2
    assert len(joined(rest.format(">", ">")).existences) == 1
    swapped = (
        "customers c WHERE NOT EXISTS (SELECT * FROM visits WHERE visits.customer = c.customer AND day < 4) "
        "AND EXISTS (SELECT 1 FROM visits v WHERE v.customer = c.customer AND day > 4)"
    )
    plans = [asked(f"SELECT COUNT(*) AS n FROM {text}") for text in (rest.format(">", "<"), swapped)]
    assert plans[0].fingerprint == plans[1].fingerprint


def test_conditions_of_an_outer_join_stay_in_it_and_those_of_an_inner_one_are_the_questions():
    outer = joined("customers c LEFT JOIN orders o ON o.customer = c.customer AND o.total > c.age")
    assert outer.occurrences[1].kind is Kind.LEFT
    assert outer.occurrences[1].links == (Link("customers"),)
    assert outer.occurrences[1].on is not None
    inner = asked("SELECT COUNT(*) AS n FROM customers c JOIN orders o ON o.customer = c.customer AND o.total > 3")
    found = joined_of(inner.table)
    assert found is not None
    assert found.occurrences[1].on is None
    assert inner.where.region.constrained() == ("orders.total",)
    before = joined(
        "customers c JOIN orders o ON o.customer = c.customer AND o.total > 3 "
        "FULL JOIN visits v ON v.customer = o.customer"
    )
    assert before.occurrences[1].on is not None


def test_a_printed_question_reads_as_it_would_be_written():
    plan = asked(
        'SELECT c.segment, COUNT(o."order") AS n FROM customers c LEFT JOIN orders o ON o.customer = c.customer AND '
        "o.total >= 2 WHERE EXISTS (SELECT 1 FROM visits v WHERE v.customer = c.customer AND v.day > 9) GROUP BY 1"
    )
    assert plan.sql().split("\n") == [
        'SELECT customers.segment AS segment, COUNT(CASE WHEN NOT orders."order" IS NULL THEN 1 ELSE NULL END) AS n',
        "FROM customers",
        "LEFT JOIN orders ON orders.customer = customers.customer AND (orders.total >= 2)",
        "WHERE EXISTS (SELECT 1 FROM visits AS other WHERE other.customer = customers.customer AND (day >= 10)) = TRUE",
        "GROUP BY customers.segment",
    ]
    assert asked(plan.sql()).fingerprint == plan.fingerprint


@pytest.mark.parametrize(
    "text",
    [
        "orders o JOIN customers c ON c.customer = o.customer OR c.age = 3",
        "orders o NATURAL JOIN lines l",
        "orders o, customers c",
        "orders o JOIN customers c ON c.customer <> o.customer",
        "orders o LEFT JOIN customers c ON TRUE WHERE c.customer = o.customer",
        "orders o JOIN LATERAL (SELECT 1) x ON TRUE",
        "orders o JOIN nobody n ON n.customer = o.customer",
        "customers c WHERE c.age > (SELECT AVG(age) FROM customers)",
        'customers c WHERE EXISTS (SELECT 1 FROM orders JOIN lines USING ("order"))',
        "customers c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer = c.customer LIMIT 1)",
        "customers c WHERE (c.customer, c.age) IN (SELECT customer, total FROM orders)",
        'orders o JOIN customers c USING (customer) WHERE o."order" NOT IN (SELECT "order" FROM lines)',
        'SELECT COUNT(DISTINCT o."order") AS n FROM orders o JOIN customers c USING (customer)',
        "SELECT o.customer, COUNT(*) AS n FROM orders o JOIN customers c USING (customer) GROUP BY o.customer",
        "SELECT RANK() OVER (ORDER BY o.total) AS r, COUNT(*) AS n FROM orders o JOIN customers c USING (customer)",
        'SELECT MAX(o."order") AS n FROM orders o JOIN customers c USING (customer)',
        "orders o JOIN customers c USING (customer) WHERE c.customer = 3",
        "orders o JOIN customers c USING (customer) WHERE x.age = 3",
        "orders o JOIN customers c USING (customer) WHERE c.nothing = 3",
    ],
)
def test_what_could_compare_rows_of_two_people_is_refused(text):
    with pytest.raises(pt.QueryRefused):
        asked(text if text.startswith("SELECT") else f"SELECT COUNT(*) AS n FROM {text}")


def test_a_public_table_is_joined_behind_the_peoples():
    plan = asked(
        "SELECT a.word, COUNT(*) AS n FROM customers c JOIN orders o USING (customer) "
        "LEFT JOIN ages a ON a.age = c.age GROUP BY 1"
    )
    assert plan.keys[0].column == "customers.age"  # type: ignore[union-attr]
    assert asked(plan.sql()).fingerprint == plan.fingerprint


@pytest.mark.parametrize(
    ("rest", "code"),
    [
        # 100 times 100 times 100 rows of one person: how long it takes would tell who is there.
        (
            "lines a JOIN lines b ON a.customer = b.customer JOIN lines c ON c.customer = a.customer",
            "people.too-many-joined",
        ),
        # The first table may be absent behind a full join, and SQL then means the other one.
        ("customers FULL JOIN orders USING (customer) JOIN visits USING (customer)", "people.owner-behind-full"),
        (
            "customers c FULL JOIN orders o ON c.customer = o.customer JOIN visits v ON v.customer = customer",
            "people.owner-behind-full",
        ),
        # What a right or full join keeps, a condition behind it would drop.
        (
            "(SELECT * FROM orders WHERE total > 2) o FULL JOIN customers c ON c.customer = o.customer",
            "query.filtered-before-outer",
        ),
        (
            "customers c JOIN ages g ON g.age = c.age RIGHT JOIN orders o ON o.customer = c.customer",
            "people.public-before-full",
        ),
    ],
)
def test_what_would_mean_another_question_or_take_too_long_is_refused(rest, code):
    with pytest.raises(pt.PartitaError) as refused:
        asked(f"SELECT COUNT(*) AS n FROM {rest}")
    assert refused.value.code == code


def test_there_are_only_so_many_different_existences():
    """An engine orders their joins: a hundred of them, in five thousand letters, kept it busy for a minute."""
    one = "EXISTS (SELECT 1 FROM visits v WHERE v.customer = c.customer AND day = {0})"
    few = [one.format(day % MOST_EXISTING) for day in range(3 * MOST_EXISTING)]
    assert len(joined(f"customers c WHERE {' OR '.join(few)}").existences) == MOST_EXISTING
    with pytest.raises(pt.PartitaError, match="different questions in EXISTS"):
        joined(f"customers c WHERE {' OR '.join([*few, one.format(99)])}")


def test_existences_of_tables_with_like_names_are_told_apart():
    first, second = (
        Table(name, [], {"customer": pt.identifier(), "x": pt.integers(0, 9, missing=0)})
        for name in ("orders", "orders_2")
    )
    people = People(persons("customer", rows={"orders": 2, "orders_2": 2}), [first, second])
    inside = "EXISTS (SELECT 1 FROM {0} i WHERE i.customer = orders.customer AND i.x > {1})"
    tests = " AND ".join(inside.format(*one) for one in (("orders", 1), ("orders", 2), ("orders_2", 3)))
    made = joined_of(read(f"SELECT COUNT(*) AS n FROM orders WHERE {tests}", [], people=people).table)
    assert made is not None
    assert len({one.name for one in made.existences}) == 3


@pytest.mark.parametrize("owner", ["orders.x", "exists orders"])
def test_an_owner_is_not_called_like_a_joined_column(owner):
    table = Table("orders", [], {owner: pt.identifier(), "x": pt.integers(0, 9)})
    with pytest.raises(pt.PartitaError) as refused:
        People(persons(owner, rows={"orders": 2}), [table])
    assert refused.value.code == "people.odd-owner"
