"""A source that changes between openings: the rows of an owner are chosen once for a book's life (theory E14, I10)."""

from __future__ import annotations

import json
import random
import warnings

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings

import partita as pt
from partita.cli import main
from partita.engine.duckdb import DuckDB
from partita.engine.reference import Reference
from partita.errors import PartitaError
from partita.ledger.fixed import NONE
from partita.ledger.opening import open_ledger
from partita.query.tables.truncation import truncation
from tests.sizes import tried
from tests.unit.query import strategies

pytestmark = pytest.mark.filterwarnings("ignore:.* is stored as TIMESTAMP.* and declared as dates")

EXACT = 10**6  # so much ρ that noise is below one half
COLUMNS = {"who": pt.identifier(), "x": pt.integers(0, 99), "term": pt.text_keys()}
USERS = pt.users("who", rows=1)
PERSONS = pt.persons("who", table="people", rows={"t": 1})
COUNT = "SELECT COUNT(*) AS n FROM t WHERE x = {}"


def rows(*values):
    return [{"who": "ann", "x": value, "term": None} for value in values] + [{"who": "bob", "x": 50, "term": "b"}]


def opened(source, ledger, unit=USERS, **further):
    tables = [pt.Table("t", source=source, columns=COLUMNS)]
    if unit is PERSONS:
        people = [{"who": "ann", "home": "a"}]
        tables.append(
            pt.Table("people", source=people, columns={"who": pt.identifier(), "home": pt.categories("a", "b")})
        )
    return pt.Curator(tables=tables, promises=[pt.Promise(unit, pt.ZCDP(rho=EXACT))], ledger=ledger, **further)


def refused(call):
    with pytest.raises(PartitaError) as caught:
        call()
    assert caught.value.code == "ledger.other-rows"
    return str(caught.value)


@pytest.mark.parametrize("unit", [USERS, PERSONS, pt.groups(2, of=USERS)], ids=["users", "persons", "groups"])
@pytest.mark.parametrize("backend", ["duckdb", "reference"])
def test_rows_that_come_between_openings_are_not_read(tmp_path, unit, backend):
    book = tmp_path / "t.ledger"
    with opened(rows(1), book, unit, backend=backend) as curator:
        curator.ask(COUNT.format(1), rho=1000)
    for value in (2, 3):
        refused(lambda value=value: opened(rows(value), book, unit, backend=backend))


def test_other_rows_are_refused_with_what_to_do_and_nothing_is_charged(tmp_path):
    book, source = tmp_path / "t.ledger", tmp_path / "t.csv"
    source.write_text("who,x,term\nann,1,\nbob,50,b\n")
    with opened(source, book) as curator:
        curator.ask(COUNT.format(1), rho=1)
    source.write_text("who,x,term\nann,1,\nbob,50,b\ncid,2,\n")
    told = refused(lambda: opened(source, book))
    assert "t.ledger" in told
    assert "ingest" in told
    source.write_text("who,x,term\nann,1,\nbob,50,b\n")
    with opened(source, book) as curator:
        assert curator.ask(COUNT.format(1), rho=1).free
        curator.ingest("t", [{"who": "cid", "x": 2, "term": None}])
        assert curator.ask("SELECT COUNT(*) AS n FROM t", rho=1000).rows() == [{"n": 3}]
    source.unlink()
    with opened(source, book) as curator:
        assert curator.ask("SELECT COUNT(*) AS n FROM t WHERE x < 10", rho=1000).rows() == [{"n": 2}]


def test_order_and_format_of_the_rows_do_not_matter(tmp_path):
    listed = [{"who": str(i % 40), "x": i % 100, "term": None if i % 3 else f"é{i}"} for i in range(400)]
    book = tmp_path / "t.ledger"
    with opened(listed, book) as curator:
        curator.ask(COUNT.format(1), rho=1)
    random.Random(1).shuffle(listed)
    pq.write_table(pa.Table.from_pylist(listed), tmp_path / "t.parquet")
    for source in (listed, pa.Table.from_pylist(listed).to_pandas(), tmp_path / "t.parquet"):
        opened(source, book).close()
    opened(listed, book, backend="reference").close()
    refused(lambda: opened([*listed, listed[0] | {"who": "new"}], book))


def test_before_the_first_charge_a_source_may_change(tmp_path):
    book = tmp_path / "t.ledger"
    opened(rows(1), book).close()
    with opened(rows(1, 2), book) as curator:
        curator.ask(COUNT.format(1), rho=1)


@pytest.mark.parametrize("way", ["ask", "ask_many", "plan", "ingest", "resumed"])
def test_of_two_curators_with_other_rows_the_first_to_charge_decides(tmp_path, way):
    book = tmp_path / "t.ledger"
    first, second = opened(rows(1), book), opened(rows(2), book)
    first.plan([COUNT.format(7)], rho=3)  # charged, and not read
    calls = {
        "ask": lambda: second.ask(COUNT.format(1), rho=1),
        "ask_many": lambda: second.ask_many([COUNT.format(1), COUNT.format(2)], rho=1),
        "plan": lambda: second.plan([COUNT.format(1)], rho=1),
        "resumed": lambda: second.plan([COUNT.format(7)], rho=3),
        "ingest": lambda: second.ingest("t", [{"who": "cid", "x": 2, "term": None}]),
    }
    spent = first.spent()
    refused(calls[way])
    assert first.spent() == spent
    with first, second:
        first.ask(COUNT.format(1), rho=1)


def test_rows_that_are_sealed_first_decide_as_well(tmp_path):
    book = tmp_path / "t.ledger"
    with opened(rows(1), book) as first, opened(rows(2), book) as second, opened(rows(1), book) as third:
        first.ingest("t", [{"who": "cid", "x": 2, "term": None}])
        refused(lambda: second.ask(COUNT.format(1), rho=1))
        assert third.ask(COUNT.format(1), rho=1000).rows() == [{"n": 1}]


def test_one_ledger_in_memory_is_for_one_choice_of_rows():
    with opened(rows(1), ":memory:") as curator:
        ledger = curator._ledger
        curator.ask(COUNT.format(1), rho=1)
        refused(lambda: opened(rows(2), ledger))
        opened(rows(1), ledger)


def test_a_book_that_did_not_fix_rows_is_told_of_and_bound_from_now_on(tmp_path, monkeypatch):
    book = tmp_path / "t.ledger"
    with monkeypatch.context() as older, opened(rows(1), book) as curator:
        older.setattr(curator._path, "rows", NONE)
        curator.ask(COUNT.format(1), rho=1)
    with pytest.warns(pt.errors.Caution, match="did not write down which rows"):
        curator = opened(rows(2), book)
    with curator:
        curator.ask(COUNT.format(2), rho=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        refused(lambda: opened(rows(1), book))
        opened(rows(2), book).close()
    with open_ledger(book) as ledger:
        assert ledger.verify().sound
        entries = [entry for entry in ledger.entries() if entry.kind == "fix"]
    assert len(entries) == 1
    assert not {"ann", "bob"} & set(json.dumps(entries[0].details()))


def test_the_command_line_refuses_other_rows(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("who,x\nann,1\n")
    (tmp_path / "partita.toml").write_text(
        'ledger = "t.ledger"\n[tables.t]\nsource = "t.csv"\n[tables.t.columns]\nwho = "identifier"\n'
        'x = { integers = [0, 9] }\n[[promises]]\nprotect = { users = { column = "who", rows = 1 } }\nrho = "10"\n'
    )
    assert main(["ask", "SELECT COUNT(*) AS n FROM t", "--rho", "1"]) == 0
    (tmp_path / "t.csv").write_text("who,x\nann,1\nbob,3\n")
    assert main(["ask", "SELECT COUNT(*) AS n FROM t", "--rho", "1"]) != 0
    assert "ledger.other-rows" in capsys.readouterr().err


@pytest.mark.soak
@settings(max_examples=tried(6, soaking=2000), deadline=None)
@given(strategies.stored_tables())
def test_two_engines_say_the_same_of_kept_rows_and_notice_every_change(stored):
    def told(source):
        table = strategies.table(source)
        cap, found = truncation(table, [pt.users("who", rows=2)], "k" * 32), []
        for kind in (DuckDB, Reference):
            engine = kind([table])
            engine.cut({"things": cap})
            found.append(engine.fixed({"things": cap}, "key"))
            engine.close()
        assert found[0] == found[1]
        return found[0]

    whole = told(stored)
    assert whole == told(stored.take(pa.array(range(stored.num_rows - 1, -1, -1), pa.int64())))
    more = stored.slice(0, 1)
    if more.num_rows:
        new = more.set_column(more.schema.get_field_index("who"), "who", pa.array([4], pa.int64()))
        assert told(pa.concat_tables([stored, new])) != whole
