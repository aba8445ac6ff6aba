"""A declaration is what prices are proven for: no engine and no book goes on with another one."""

from __future__ import annotations

import pytest

import partita as pt
from partita.engine.duckdb import DuckDB
from partita.errors import PartitaError
from partita.query.tables.people import People

CUSTOMERS = [{"customer": f"p{number}", "segment": "a" if number % 3 else None} for number in range(4)]
ORDERS = [
    {"order": f"o{number}", "customer": "p1", "price": number % 4, "note": f"n{number}", "parcel": f"b{number}"}
    for number in range(50)
]
PERSONS = pt.persons("customer", table="customers", rows={"orders": 2})
PROMISE = pt.Promise(PERSONS, pt.ZCDP(rho=100))


def people(*, segment=None, price=None, **more):
    """Customers and their orders, some columns declared otherwise."""
    columns = {
        "order": pt.key(),
        "customer": pt.identifier(),
        "price": price or pt.integers(0, 3),
        **more,
    }
    kinds = {"customer": pt.identifier(), "segment": segment or pt.categories("a", "b", missing="a")}
    return [pt.Table("customers", source=CUSTOMERS, columns=kinds), pt.Table("orders", source=ORDERS, columns=columns)]


OTHERS = {
    "a stand-in of the person table": {"segment": pt.categories("a", "b")},
    "a constant column": {"price": pt.integers(0, 3, constant=True)},
    "an open text": {"note": pt.text_keys()},
    "a key": {"parcel": pt.key()},
}


@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS)
def test_a_charged_book_of_people_takes_no_other_declaration(other, tmp_path):
    book = tmp_path / "people.ledger"
    with pt.Curator(tables=people(), promises=[PROMISE], ledger=book) as curator:
        curator.ask("SELECT COUNT(*) AS n FROM customers WHERE segment = 'a'", rho=1)
    with pytest.raises(PartitaError, match="another declaration"):
        pt.Curator(tables=people(**other), promises=[PROMISE], ledger=book)
    with pt.Curator(tables=people(), promises=[PROMISE], ledger=book) as curator:
        assert curator.spent()[0].rho >= 1


@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS)
def test_a_book_of_people_that_nothing_was_charged_to_takes_one(other, tmp_path):
    book = tmp_path / "people.ledger"
    pt.Curator(tables=people(), promises=[PROMISE], ledger=book).close()
    with pt.Curator(tables=people(**other), promises=[PROMISE], ledger=book) as curator:
        declared = {table.name: table.domain for table in people(**other)}
        assert dict(curator.ledger.terms.declared) == declared


def test_an_open_engine_does_not_serve_people_whose_rows_it_did_not_keep():
    tables = people()
    engine = DuckDB(tables)
    with pytest.raises(PartitaError, match="open already"):
        pt.Curator(tables=tables, promises=[PROMISE], backend=engine)
    engine.close()


def test_an_engine_that_keeps_rows_of_people_serves_no_promise_on_rows():
    tables = people()
    engine = DuckDB(tables, People(PERSONS, tables), "0" * 24)
    with pytest.raises(PartitaError, match="opened for people"):
        pt.Curator(tables=tables, promises=[pt.Promise(pt.rows(), pt.Pure(epsilon=1))], backend=engine)
    engine.close()


def test_an_open_engine_reads_rows_as_the_curator_declares_them_or_not_at_all():
    rows = [{"x": 10**6} for _ in range(5)]
    wide, narrow = (pt.Table("t", source=rows, columns={"x": pt.integers(0, end)}) for end in (10**6, 1))
    promises = [pt.Promise(pt.rows(), pt.Pure(epsilon=10))]
    engine = DuckDB([wide])
    with pytest.raises(PartitaError, match="another declaration"):
        pt.Curator(tables=[narrow], promises=promises, backend=engine)
    with pytest.raises(PartitaError, match="not opened with"):
        pt.Curator(tables=[pt.Table("s", source=rows, columns=wide.columns)], promises=promises, backend=engine)
    with pt.Curator(tables=[wide], promises=promises, backend=engine) as curator:
        assert curator.ask("SELECT COUNT(*) AS n FROM t", epsilon=10).rows()[0]["n"] > 0
