"""A row of one of the people's tables that comes, goes or is altered loses no more than is booked for it (theory I9).

Random small databases are asked a list of questions on a real engine, under a promise on people and one on the rows of
a table. Then single stored rows are taken out, put in or exchanged, hostile values among them; the exact numbers
behind every noise are computed again, and what the difference costs is held against what each question books for such
a row, and against the load of the account where the person's own values are.
"""

from __future__ import annotations

import random
from unittest import mock

import pytest

import partita as pt
from partita.curator.path.event_promise import EventPromise
from partita.curator.path.placed import booked_costs
from partita.curator.wanted import Wanted
from partita.engine.duckdb import DuckDB
from partita.query.language.joined import Joined
from partita.query.tables.people import People
from partita.region.region import Region
from partita.theory.cost import Cost
from tests.laws import test_people_path as path
from tests.sizes import tried

LINES = (
    *path.QUESTIONS,
    "SELECT COUNT(*) AS n FROM lines WHERE qty = 1",
    "SELECT SUM(qty) AS s FROM lines WHERE qty < 2",
    "SELECT COUNT(DISTINCT customer) AS n FROM lines WHERE qty > 1",
    "SELECT n, COUNT(*) AS people FROM (SELECT customer, COUNT(*) AS n FROM lines GROUP BY customer) t GROUP BY n",
    """SELECT c.segment, COUNT(l.qty) AS n FROM customers c LEFT JOIN lines l ON l.customer = c.customer
    GROUP BY c.segment""",
    "SELECT COUNT(*) AS n FROM orders o LEFT JOIN lines l ON l.customer = o.customer AND l.qty > 1",
    "SELECT COUNT(*) AS n FROM lines a JOIN lines b ON a.customer = b.customer AND a.qty < b.qty",
    "SELECT SUM(qty + 1) AS s FROM lines WHERE qty < 2",
    "SELECT COUNT(*) AS n FROM lines a JOIN lines b ON a.customer = b.customer",
    "SELECT COUNT(*) AS n FROM lines a LEFT JOIN lines b ON a.customer = b.customer AND a.qty < b.qty",
    "SELECT COUNT(*) AS n FROM customers c WHERE NOT EXISTS (SELECT 1 FROM lines l WHERE l.customer = c.customer)",
)
WORDED = (
    "SELECT COUNT(*) AS n, COUNT(*) FILTER (WHERE note = 'b') AS m FROM orders WHERE note LIKE 'a%' OR price > 2",
    "SELECT SUM(o.price) AS s FROM orders o JOIN customers c ON o.customer = c.customer WHERE NOT o.note LIKE 'a%'",
)
ORDERS = (
    *(question.replace("lines", "orders").replace("qty", "price") for question in LINES if '"' not in question),
    *WORDED,
)
# At most one row of an owner: a row that is kept in the place of another may be in the region, or leave it.
CAPPED = {
    f"SELECT SUM({name} + 1) AS s FROM {table} WHERE {name} < 2"
    for table, name in (("lines", "qty"), ("orders", "price"))
}
CASES = {
    "lines": (LINES, path.persons()),
    "orders": (ORDERS, pt.persons("customer", table="customers", rows={"orders": 2})),
}


def moves(case, rows, chance):
    """Databases that differ in one stored row of the table: less, more, or another one of the same owner."""
    listed = rows[case]
    for place, row in enumerate(listed):
        same = [one for one in listed if one is not row and _owner(case, rows, one) == _owner(case, rows, row)]
        values = {"qty": chance.choice([0, 3, None, 99, float("nan")]), "price": chance.choice([0, 3, None, 10**30])}
        link = {"order": chance.choice(same)["order"]} if case == "lines" and same else {}
        other = {**row, **{name: value for name, value in values.items() if name in row}, **link}
        yield _owner(case, rows, row), {**rows, case: [*listed[:place], *listed[place + 1 :]]}
        yield _owner(case, rows, row), {**rows, case: [*listed[:place], other, *listed[place + 1 :]]}
        if "note" in row:
            worded = {**row, "note": chance.choice(["a", "b", None])}
            yield _owner(case, rows, row), {**rows, case: [*listed[:place], worded, *listed[place + 1 :]]}


def _owner(case, rows, row):
    if case == "orders":
        return row["customer"]
    return next((one["customer"] for one in rows["orders"] if one["order"] == row["order"]), None)


def short(case, seed, opinion=32):
    """The rows that lose more than a question books for them, or than the load at their owner's values."""
    questions, persons = CASES[case]
    rows, chance = path.database(seed), random.Random(seed)
    tables = path.tables(rows) if case == "lines" else path.tables(rows)[:2]
    promises = [pt.Promise(persons, pt.ZCDP(rho=100)), pt.Promise(pt.events(case), pt.ZCDP(rho=100))]
    with pt.Curator(tables=tables, public=[path.SHELVES], promises=promises, second_opinion=opinion) as curator:
        quotes = []
        for text in questions:
            wants = {"rho": path.PRICE, **({"rows_per_user": 1} if text in CAPPED else {})}
            quotes.append(curator._catalogue.offer(curator._catalogue.plan(text), Wanted.of(**wants)))
            curator.ask(text, **wants)
        key, space = curator.ledger.truncation_key().hex(), curator._people
        account = curator.ledger._book.replay.balances.payer("customer", 1).account

        def exact(changed):
            tables = path.tables(changed) if case == "lines" else path.tables(changed)[:2]
            engine = DuckDB(tables, People(persons, tables), key)
            try:
                return [engine.run(quote.program) for quote in quotes]
            finally:
                engine.close()

        def load(person):
            box, axis = list(space.domain.everything), space.domain.axis("customers.segment")
            own = path._own(rows, person, key)
            code = space.domain.bounded[axis].code(own)
            box[axis] = ((code, code + 1),)
            return account.spent(Region(space.domain, (tuple(box),))).rho

        before, booked = exact(rows), [booked_costs(quote)[1].rho for quote in quotes]
        wrong = []
        every = list(moves(case, rows, chance))
        for person, changed in chance.sample(every, min(len(every), 20)):
            losses = [path.lost(*one) for one in zip(quotes, before, exact(changed), strict=True)]
            wrong += [
                questions[place] for place, pair in enumerate(zip(losses, booked, strict=True)) if pair[0] > pair[1]
            ]
            if sum(losses) > (load(person) if person is not None else 0):
                wrong.append(person)
        return wrong


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("seed", range(tried(1, soaking=40)))
def test_a_row_loses_no_more_than_is_booked_for_it(case, seed):
    assert not short(case, 100 + seed)


def _found(case, seeds=8):
    return any(short(case, 100 + seed, opinion=0) for seed in range(seeds))


def test_a_row_that_moves_in_place_of_another_and_is_not_paid_for_is_found():
    true = EventPromise.cost

    def alone(self, quote, place):
        found = true(self, quote, place).row
        return Cost(found.like([found.rho / 4, 0]))

    with mock.patch.object(EventPromise, "cost", alone):
        assert _found("orders")


def test_joined_rows_that_move_and_are_not_counted_are_found():
    true = Joined.moved
    with mock.patch.object(Joined, "moved", lambda self, table: true(self, table) and 1):
        assert _found("orders")


def test_rows_of_other_tables_cost_nothing():
    promises = [pt.Promise(path.persons(), pt.ZCDP(rho=1)), pt.Promise(pt.events("lines"), pt.ZCDP(rho=1))]
    with pt.Curator(tables=path.tables(path.database(1)), promises=promises) as curator:
        curator.ask("SELECT COUNT(*) AS n FROM orders", rho="0.1")
        assert curator.spent()[1].rho == 0
        curator.ask("SELECT COUNT(*) AS n FROM lines", rho="0.9")
        # One row comes and one goes, of three.
        assert curator.spent()[1].rho == pytest.approx(0.1)
        assert curator.verify().problems == ()


def test_a_row_kept_for_another_is_charged_in_both_of_their_regions():
    """One line comes, the only one that is kept goes for it: two questions about other values are hit by one swap."""
    owners = pt.persons(
        "customer", table="customers", rows={"orders": 2, "lines": 1}, through={"lines": ("order", "orders")}
    )
    rows = {
        "customers": [],
        "orders": [{"order": "o", "customer": "p", "price": 1}],
        "lines": [{"order": "o", "qty": 1}],
    }
    swapped, wants = {**rows, "lines": [{"order": "o", "qty": 2}]}, {"rho": path.PRICE, "rows_per_user": 1}
    promises = [pt.Promise(owners, pt.ZCDP(rho=1)), pt.Promise(pt.events("lines"), pt.ZCDP(rho=1))]
    with pt.Curator(tables=path.tables(rows), promises=promises) as curator:
        quotes = []
        for quantity in (1, 2):
            text = f"SELECT COUNT(*) AS n FROM lines WHERE qty = {quantity}"
            quotes.append(curator._catalogue.offer(curator._catalogue.plan(text), Wanted.of(**wants)))
            curator.ask(text, **wants)
        key, exact = curator.ledger.truncation_key().hex(), []
        for stored in (rows, swapped):
            engine = DuckDB(path.tables(stored), People(owners, path.tables(stored)), key)
            exact.append([engine.run(quote.program) for quote in quotes])
            engine.close()
        losses = [path.lost(*one) for one in zip(quotes, *exact, strict=True)]
        assert all(losses)
        assert sum(losses) <= curator.spent()[1].rho
