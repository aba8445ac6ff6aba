"""Questions about those people who can still pay."""

from __future__ import annotations

import re

import pytest

import partita as pt
from partita.errors import BudgetExceeded

CUSTOMERS = [{"customer": f"c{i}", "segment": "abc"[i % 3]} for i in range(90)]
ORDERS = [{"customer": f"c{i % 90}", "price": i % 10, "day": "2026-01-02"} for i in range(180)]
JOIN = "orders o JOIN customers c ON c.customer = o.customer"


def shop(*more: pt.Promise, altered: bool = False, budget: object = 1) -> pt.Curator:
    customers = pt.Table(
        "customers", CUSTOMERS, {"customer": pt.identifier(), "segment": pt.categories("a", "b", "c", missing="a")}
    )
    orders = pt.Table("orders", ORDERS, {"customer": pt.identifier(), "price": pt.integers(0, 9, missing=0)})
    people = pt.persons("customer", table="customers", rows={"orders": 2}, altered=altered)
    promises = [pt.Promise(people, pt.Pure(epsilon=budget)), *more]
    return pt.Curator(tables=[customers, orders], promises=promises, ledger=":memory:")


def near(answer: pt.Answer, name: str, truth: float) -> bool:
    return abs(answer.rows()[0][name] - truth) <= answer.error(confidence=0.999999)[name][0]


def test_a_join_is_asked_about_the_kinds_of_people_who_can_still_pay() -> None:
    with shop() as curator:
        curator.ask("SELECT COUNT(*) AS n FROM customers WHERE segment = 'a'", epsilon="0.9")
        with pytest.raises(BudgetExceeded):
            curator.ask(f"SELECT COUNT(*) AS n FROM {JOIN}", epsilon="0.5")
        answer = curator.ask(f"SELECT COUNT(*) AS n FROM {JOIN}", epsilon="0.5", shrink=True)
        assert "Only a part of those asked about can still pay" in answer.explain()
        assert "Left out: \"customers.segment\" = 'a'" in answer.explain()
        assert near(answer, "n", 120)
        assert curator.spent() == (pt.Pure(epsilon="0.9"),)
        asked = f"SELECT COUNT(*) AS n FROM {JOIN} WHERE c.segment <> 'a'"
        assert curator.ask(asked, epsilon="0.5").free


def test_rows_that_say_nothing_of_their_owner_are_all_left_out_and_the_refusal_says_what_to_join() -> None:
    with shop() as curator:
        curator.ask("SELECT COUNT(*) AS n FROM customers WHERE segment = 'a'", epsilon="0.9")
        with pytest.raises(BudgetExceeded, match="join customers, so that those who can pay are told apart"):
            curator.ask("SELECT COUNT(*) AS n FROM orders", epsilon="0.5", shrink=True)
        assert curator.spent() == (pt.Pure(epsilon="0.9"),)


def test_rows_are_left_out_by_their_own_values() -> None:
    with shop() as curator:
        curator.ask("SELECT COUNT(*) AS n FROM orders WHERE price < 4", epsilon="0.9")
        assert curator.ask("SELECT COUNT(*) AS n FROM orders", epsilon="0.1", shrink=True).asked_about is None
        answer = curator.ask("SELECT COUNT(*) AS n FROM orders", epsilon="0.2", shrink=True)
        assert "this is about them: price >= 4" in answer.explain()
        assert near(answer, "n", 108)
        assert curator.spent() == (pt.Pure(epsilon=1),)


@pytest.mark.parametrize("altered", [False, True])
def test_whatever_was_asked_before_what_is_left_is_paid_for_under_every_promise(altered: bool) -> None:
    before = ["segment = 'a'", "segment = 'a' OR segment = 'b'"]
    questions = [
        "SELECT COUNT(*) AS n FROM customers",
        f"SELECT c.segment, COUNT(*) AS n FROM {JOIN} WHERE o.price > 2 GROUP BY c.segment",
        f"SELECT COUNT(DISTINCT c.customer) AS n FROM {JOIN}",
        "SELECT COUNT(*) AS n FROM customers c LEFT JOIN orders o ON o.customer = c.customer",
        "SELECT COUNT(*) AS n FROM customers c WHERE NOT EXISTS (SELECT 1 FROM orders o WHERE o.customer = c.customer)",
    ]
    left = []
    with shop(pt.Promise(pt.events("orders"), pt.Pure(epsilon="0.8")), altered=altered) as curator:
        for place, met in enumerate(before):
            curator.ask(f"SELECT COUNT(*) AS n FROM customers WHERE {met}", epsilon=["0.15", "0.3"][place])
        for question in questions:
            try:
                answer = curator.ask(question, epsilon="0.2", shrink=True)
            except BudgetExceeded:
                left.append("nobody")
                continue
            found = re.search(r"segment IN \(([^)]*)\)", answer.quote.plan.sql())
            left.append("everybody" if answer.asked_about is None or found is None else found[1])
            spent, single = curator.spent()
            assert spent.fits(pt.Pure(epsilon=1))
            assert single.fits(pt.Pure(epsilon="0.8"))
    # OTHER was never asked about alone; under a substitution two kinds of people pay together.
    some = "'b', 'c', 'OTHER'", "'c', 'OTHER'"
    assert left == (
        [some[0], some[1], some[1], "nobody", "nobody"]
        if altered
        else ["everybody", "everybody", some[0], *some[1:] * 2]
    )
