"""Joins of people's tables through the builder, and algorithms on joined rows."""

from __future__ import annotations

from typing import Any

import pytest

import partita as pt
from partita.algorithms import PCA, LinearRegression
from partita.errors import InvalidInput, PartitaError

CUSTOMERS = [{"customer": f"c{i}", "segment": "ab"[i % 2], "age": 20 + i} for i in range(40)]
ORDERS = [{"order": f"o{i}", "customer": f"c{i % 42}", "price": i % 10} for i in range(120)]
LINES = [{"order": f"o{i % 120}", "quantity": i % 5} for i in range(200)]
JOIN = "orders JOIN customers USING (customer)"


def made(*more: pt.Promise) -> pt.Curator:
    tables = [
        pt.Table(
            "customers",
            CUSTOMERS,
            {"customer": pt.identifier(), "segment": pt.categories("a", "b"), "age": pt.integers(0, 99, missing=0)},
        ),
        pt.Table(
            "orders",
            ORDERS,
            {"order": pt.key(), "customer": pt.identifier(), "price": pt.integers(0, 9, missing=0)},
        ),
        pt.Table("lines", LINES, {"order": pt.key(), "quantity": pt.integers(0, 9, missing=0)}),
    ]
    public = [
        pt.PublicTable("tiers", [{"price": p, "tier": "low" if p < 5 else "high"} for p in range(10)], key="price"),
        pt.PublicTable(
            "shelves", [{"price": p, "shelf": s} for p in range(4) for s in ("l", "t")], key="price", fanout=2
        ),
    ]
    people = pt.persons(
        "customer", table="customers", rows={"orders": 3, "lines": 9}, through={"lines": ("order", "orders")}
    )
    promises = [pt.Promise(people, pt.ZCDP(rho=10**6)), *more]
    return pt.Curator(tables=tables, public=public, promises=promises, ledger=":memory:")


@pytest.fixture(scope="module")
def shop():
    with made() as curator:
        yield curator


def orders(shop: pt.Curator) -> Any:
    return shop.table("orders")


BUILT: list[tuple[str, Any]] = [
    (
        "SELECT segment, COUNT(*) AS n FROM orders JOIN customers USING (customer) GROUP BY segment",
        lambda shop: orders(shop).join("customers", on="customer").group_by("segment").agg(n=pt.count()),
    ),
    (
        "SELECT COUNT(price) AS n FROM customers LEFT JOIN orders USING (customer) WHERE age BETWEEN 20 AND 40",
        lambda shop: (
            shop.table("customers")
            .join("orders", on="customer", how="left")
            .where(age=(20, 40))
            .agg(n=pt.count("price"))
        ),
    ),
    (
        "SELECT COUNT(*) AS n FROM customers ANTI JOIN orders USING (customer)",
        lambda shop: shop.table("customers").join("orders", on=["customer"], how="anti").agg(n=pt.count()),
    ),
    (
        "SELECT COUNT(*) AS n FROM orders JOIN orders AS later USING (customer) WHERE later.price > orders.price",
        lambda shop: (
            orders(shop)
            .join("orders", on="customer", name="later")
            .where("later.price > orders.price")
            .agg(n=pt.count())
        ),
    ),
    (
        (
            'SELECT SUM(quantity) AS q FROM lines JOIN orders USING ("order") JOIN customers USING (customer) '
            "WHERE age > 30"
        ),
        lambda shop: (
            shop.table("lines")
            .join("orders", on="order")
            .join("customers", on="customer")
            .filter(pt.col("age") > 30)
            .agg(q=pt.sum("quantity"))
        ),
    ),
    (
        "SELECT shelf, COUNT(*) AS n FROM orders JOIN shelves ON shelves.price = orders.price GROUP BY shelf",
        lambda shop: orders(shop).join("shelves", on="price").group_by("shelf").agg(n=pt.count()),
    ),
    (
        (
            "SELECT tier AS t, COUNT(*) AS n FROM customers JOIN orders ON orders.customer = customers.customer "
            "AND price > 2 JOIN tiers ON tiers.price = orders.price WHERE segment = 'a' "
            "GROUP BY ROLLUP(tier) ORDER BY n LIMIT 2"
        ),
        lambda shop: (
            shop.table("customers")
            .join("orders", on="orders.customer = customers.customer AND price > 2")
            .join("tiers", on="orders.price")
            .where(segment="a")
            .rollup(t="tier")
            .order_by("n")
            .limit(2)
            .agg(n=pt.count())
        ),
    ),
]


@pytest.mark.parametrize(("text", "built"), BUILT)
def test_what_is_built_is_the_question_that_sql_asks(text: str, built: Any, shop: pt.Curator) -> None:
    found, asked = shop.quote(built(shop), rho=1), shop.quote(text, rho=1)
    assert found.quote.plan.canonical == asked.quote.plan.canonical


def test_values_stand_for_conditions(shop: pt.Curator) -> None:
    frame = orders(shop).join("customers", on="customer")
    written = frame.where("segment IN ('a') OR segment IS NULL", "age = 30").agg(n=pt.count())
    assert frame.where(segment=["a", None], age=30).agg(n=pt.count()).canonical == written.canonical
    assert frame.where(segment=None).agg(n=pt.count()).canonical == frame.where("segment IS NULL").agg(
        n=pt.count()
    ).canonical  # fmt: skip


@pytest.mark.parametrize(
    ("steps", "code"),
    [
        (lambda shop: orders(shop).where("price > 3").join("customers", on="customer"), "query.joined-late"),
        (lambda shop: orders(shop).join("customers", on="customer", how="outer"), "query.unknown-join"),
        (lambda shop: orders(shop).join("nothing", on="customer"), "query.unknown-table"),
        (lambda shop: orders(shop).join("tiers", on="price", how="left"), "query.joined-otherwise"),
        (lambda shop: orders(shop).join("customers", on=[]), "query.not-text"),
        (lambda shop: orders(shop).join("customers", on="customer").where(3), "query.not-text"),
        (lambda shop: orders(shop).join("customers", on="customer").agg(), "query.no-aggregate"),
        (lambda shop: orders(shop).join("lines", on="price = quantity").agg(n=pt.count()), "people.not-linked"),
    ],
)
def test_steps_that_do_not_fit_are_refused(steps: Any, code: str, shop: pt.Curator) -> None:
    with pytest.raises(PartitaError) as refusal:
        steps(shop)
    assert refusal.value.code == code


# --- algorithms ----------------------------------------------------------------------------------------------------


def slope(shop: Any, rows: str, column: str = "customers.age") -> LinearRegression:
    target = column if "orders" not in rows else "orders.price"
    return LinearRegression(rho=1000).fit_from(shop, rows, columns=[column], target=target)


def test_algorithms_learn_from_joined_rows_at_the_price_of_the_table_whose_rows_they_are(shop: pt.Curator) -> None:
    joined = slope(shop, JOIN)
    alone = LinearRegression(rho=1000).fit_from(shop, "orders", columns=["price"], target="price")
    assert joined.outcome_.cost == alone.outcome_.cost
    assert slope(shop, JOIN).outcome_.free
    # Another join, or other rows of it, is another question.
    for other in ("orders LEFT JOIN customers USING (customer)", f"{JOIN} WHERE customers.age > 30"):
        assert not slope(shop, other).outcome_.free
    assert shop.relation(JOIN).domain.axes == ("orders.price", "customers.segment", "customers.age")
    ada = shop.session(analyst="ada")
    assert ada.relation("orders").name == "orders"
    assert PCA(n_components=1, rho=1).fit_from(ada, JOIN, columns=["customers.age", "orders.price"]).outcome_.cost


@pytest.mark.parametrize(
    "rows",
    [
        'orders JOIN lines USING ("order")',
        "orders JOIN orders AS later USING (customer)",
        "orders JOIN shelves ON shelves.price = orders.price",
        "(SELECT customer, SUM(price) AS price FROM orders GROUP BY customer) AS t",
        f"{JOIN} LIMIT 3",
    ],
)
def test_rows_that_one_row_of_a_table_may_make_several_of_are_refused(rows: str, shop: pt.Curator) -> None:
    before = shop.spent()
    with pytest.raises(InvalidInput) as refusal:
        slope(shop, rows, "orders.price")
    assert refusal.value.code == "curator.not-computed-on"
    assert shop.spent() == before


def test_beside_single_rows_nothing_is_learnt_from_joins_of_them() -> None:
    with made(pt.Promise(pt.events("lines"), pt.ZCDP(rho=10**6))) as both:
        assert slope(both, JOIN).outcome_.cost  # which reads none of them
        with pytest.raises(InvalidInput) as refusal:
            slope(both, "lines JOIN customers USING (customer)", "lines.quantity")
    assert refusal.value.code == "curator.not-computed-on"


def test_a_cap_that_no_owner_of_joined_rows_can_reach_is_refused(shop: pt.Curator) -> None:
    question = "SELECT COUNT(*) AS n FROM orders JOIN customers USING (customer)"
    assert shop.quote(question, rho=1, rows_per_user=3).cost
    with pytest.raises(InvalidInput) as refusal:
        shop.quote(question, rho=1, rows_per_user=4)
    assert refusal.value.code == "people.cap-beyond-product"


def test_a_batch_whose_rows_name_no_owner_is_refused_and_nothing_is_lost() -> None:
    with made() as curator:
        for rows in ([{"cust": "c1", "order": "x", "price": 1}], [{"customer": "c1", "price": 1}]):
            with pytest.raises(InvalidInput) as refusal:
                curator.ingest("orders", rows)
            assert refusal.value.code == "vault.unlike-rows"
        assert curator.ingest("orders", [{"CUSTOMER": "c1", "order": "x"}, {"price": 2}]).batch == 1
        assert curator.ingest("orders", []).batch == 2
