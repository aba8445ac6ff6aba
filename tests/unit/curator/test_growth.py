"""Tables that grow: batches, what answers cover, what is refused, and people who are forgotten."""

from __future__ import annotations

import fcntl
import os
import threading

import pyarrow
import pytest

import partita as pt
from partita.curator.path.gate import Gate
from partita.errors import LedgerFault, PartitaError
from partita.vault.vault import Vault

EXACT = 10**6  # so much ρ that noise is below one half
EVERYBODY = pt.persons("customer", table="customers", rows={"orders": 2})
CUSTOMERS = {"customer": pt.identifier(), "segment": pt.categories("a", "b")}
ORDERS = {"order": pt.key(), "customer": pt.identifier(), "price": pt.integers(0, 9)}
COUNT = "SELECT COUNT(*) AS n FROM orders"
SEGMENTS = (
    "SELECT c.segment, COUNT(*) AS n FROM orders o JOIN customers c ON c.customer = o.customer GROUP BY c.segment"
)


def refused_code(call):
    with pytest.raises(PartitaError) as caught:
        call()
    return caught.value.code


def orders(*owners, first=0):
    return [{"order": f"o{first + at}", "customer": who, "price": at % 10} for at, who in enumerate(owners)]


def shop(ledger=":memory:", *, source=None):
    return pt.Curator(
        tables=[
            pt.Table("customers", source=[{"customer": "ann", "segment": "a"}], columns=CUSTOMERS),
            pt.Table("orders", source=orders("ann", "bob") if source is None else source, columns=ORDERS),
        ],
        promises=[pt.Promise(EVERYBODY, pt.ZCDP(rho=1000 * EXACT))],
        ledger=ledger,
    )


def number(curator, question=COUNT, **wants):
    ((value,),) = [tuple(row.values()) for row in curator.ask(question, **{"rho": EXACT, **wants}).rows()]
    return value


def test_new_rows_are_counted_and_the_same_text_is_a_new_question():
    curator = shop()
    before = curator.ask(COUNT, rho=EXACT)
    curator.ingest("orders", orders("cid", "cid", "cid", first=10))
    after = curator.ask(COUNT, rho=EXACT)
    assert (before.rows(), after.rows()) == ([{"n": 2}], [{"n": 4}])
    assert (before.batch, after.batch, after.free) == (0, 1, False)
    assert "all batches up to batch 1" in curator.ask(COUNT, rho=1, reuse=False).explain()
    assert curator.ask(COUNT, rho="0.5").free
    assert curator.spent()[0] == pt.ZCDP(rho=2 * EXACT + 1)


def test_an_earlier_answer_is_found_by_its_batch_and_free():
    curator = shop()
    before = curator.ask(COUNT, rho=EXACT)
    curator.ingest("orders", orders("cid", first=10))
    spent = curator.spent()
    found = curator.ask(COUNT, rho=EXACT, batch=0)
    assert (found.rows(), found.free, found.batch, curator.spent()) == (before.rows(), True, 0, spent)
    assert refused_code(lambda: curator.ask(COUNT, rho=EXACT, batch=1)) == "vault.no-answer"
    assert refused_code(lambda: curator.ask(COUNT, rho=EXACT, batch=2)) == "vault.unknown-batch"


def test_an_answer_follows_only_from_answers_about_the_same_rows():
    table = pt.Table("visits", source=[{"age": 3}], columns={"age": pt.integers(0, 9)})
    curator = pt.Curator(tables=[table], promises=[pt.Promise(pt.rows(), pt.ZCDP(rho=EXACT * 9))], ledger=":memory:")
    curator.ask("SELECT age, COUNT(*) AS n FROM visits GROUP BY age", rho=1)
    assert curator.ask("SELECT COUNT(*) AS n FROM visits", rho="0.01").free
    curator.ingest("visits", [{"age": 3}, {"age": 4}])
    assert not curator.ask("SELECT COUNT(*) AS n FROM visits", rho="0.01").free
    assert number(curator, "SELECT COUNT(*) AS n FROM visits") == 3


def test_a_full_place_is_not_given_to_another_row_and_a_late_person_row_counts_for_nothing():
    curator = shop()
    curator.ingest("orders", orders("ann", "ann", "bob", first=10))
    curator.ingest({"customers": [{"customer": "bob", "segment": "b"}, {"customer": "eve", "segment": "b"}]})
    assert number(curator) == 4
    rows = {row["segment"]: row["n"] for row in curator.ask(SEGMENTS, rho=EXACT).rows()}
    assert rows == {"a": 2, "b": 0, "OTHER": 0, None: 0}


def test_rows_of_several_tables_are_one_batch():
    curator = shop()
    curator.ingest({"customers": [{"customer": "eve", "segment": "b"}], "orders": orders("eve", first=10)})
    assert {row["segment"]: row["n"] for row in curator.ask(SEGMENTS, rho=EXACT).rows()}["b"] == 1


def test_everything_is_there_when_the_ledger_is_opened_again_and_sources_are_not_needed(tmp_path):
    csv = tmp_path / "orders.csv"
    csv.write_text("order,customer,price\no1,ann,1\no2,17,2\n")
    with shop(tmp_path / "book", source=str(csv)) as curator:
        curator.ingest(
            "orders", [{"order": "o9", "customer": 17, "price": 3}, {"order": "o8", "customer": 17, "price": 3}]
        )
        assert number(curator) == 3
    csv.unlink()
    with shop(tmp_path / "book", source=str(csv)) as curator:
        again = curator.ask(COUNT, rho=EXACT)
        assert (again.free, again.batch, again.rows()) == (True, 1, [{"n": 3}])
        assert curator.verify().problems == ()


PROMISES = {
    "rows": (pt.rows(), 5),
    "replace": (pt.replace(), 5),
    "users": (pt.users("who", rows=2), 3),
    "user-days": (pt.users("who", rows=1, per="day"), 3),
    "windows": (pt.windows("day", width=7), 5),
}


@pytest.mark.parametrize(("granularity", "kept"), PROMISES.values(), ids=PROMISES)
def test_every_promise_on_one_table_takes_in_batches(granularity, kept, tmp_path):
    columns = {"who": pt.identifier(), "age": pt.integers(0, 9), "day": pt.dates("2026-01-01", "2026-12-31")}

    def rows(*given):
        return [{"who": who, "age": age, "day": day} for who, age, day in given]

    def opened():
        table = pt.Table("visits", source=rows(("a", 1, "2026-01-01"), ("b", 2, "2026-01-01")), columns=columns)
        return pt.Curator(
            tables=[table], promises=[pt.Promise(granularity, pt.ZCDP(rho=EXACT * 99))], ledger=tmp_path / "book"
        )

    with opened() as curator:
        curator.ingest("visits", rows(("a", 3, "2026-01-01"), ("a", 4, "2026-01-01")))
        curator.ingest("visits", rows(("a", 5, "2026-01-02")))
        assert number(curator, "SELECT COUNT(*) AS n FROM visits") == kept
    with opened() as curator:
        assert number(curator, "SELECT COUNT(*) AS n FROM visits WHERE age > 0") == kept


def test_a_column_that_is_constant_about_an_owner_is_fixed_by_the_first_batch():
    columns = {"who": pt.identifier(), "sex": pt.categories("F", "M", constant=True)}
    table = pt.Table("visits", source=[{"who": "a", "sex": "F"}], columns=columns)
    promise = pt.Promise(pt.users("who", rows=3), pt.ZCDP(rho=EXACT * 99))
    curator = pt.Curator(tables=[table], promises=[promise], ledger=":memory:")
    curator.ingest("visits", [{"who": "a", "sex": "M"}, {"who": "a", "sex": "F"}])
    curator.forget("who", "a")
    curator.ingest("visits", [{"who": "a", "sex": "M"}, {"who": "a", "sex": "F"}, {"who": "b", "sex": "M"}])
    found = {
        row["sex"]: row["n"] for row in curator.ask("SELECT sex, COUNT(*) AS n FROM visits GROUP BY sex", rho=EXACT)
    }
    assert (found["F"], found["M"]) == (1, 1)


def test_what_is_forgotten_is_in_no_file_and_the_places_stay_used(tmp_path):
    with shop(tmp_path / "book") as curator:
        curator.ingest("orders", orders("ann", "zoe-the-owner", "zoe-the-owner", first=10))
        curator.forget("customer", "zoe-the-owner")
        curator.forget("customer", "nobody at all")
        assert number(curator) == 3
    kept = b"".join(one.read_bytes() for one in sorted((tmp_path / "book.vault").iterdir()))
    assert b"zoe-the-owner" not in kept
    with shop(tmp_path / "book") as curator:
        curator.ingest("orders", orders("zoe-the-owner", "new", first=20))
        assert number(curator) == 4


def test_rows_of_an_owner_are_erased_under_a_promise_on_rows_too():
    columns = {"who": pt.identifier(), "age": pt.integers(0, 9)}
    table = pt.Table(
        "visits", source=[{"who": 1, "age": 1}, {"who": 2, "age": 2}, {"who": None, "age": 3}], columns=columns
    )
    promise = pt.Promise(pt.rows(), pt.ZCDP(rho=EXACT * 9))
    curator = pt.Curator(tables=[table], promises=[promise], ledger=":memory:")
    curator.ingest("visits", [{"who": "1", "age": 4}])
    curator.forget("who", 1)
    assert number(curator, "SELECT COUNT(*) AS n FROM visits") == 2


def test_a_batch_without_rows_is_a_batch_every_day():
    curator = shop()
    assert [curator.ingest("orders", []).batch for _ in range(3)] == [1, 2, 3]


def test_threads_seal_one_after_the_other():
    curator = shop()
    threads = [
        threading.Thread(target=curator.ingest, args=("orders", orders("ann", f"t{at}", first=10 * at)))
        for at in range(1, 5)
    ]
    for one in threads:
        one.start()
    for one in threads:
        one.join(60)
    assert (number(curator), curator.ask(COUNT, rho=1).batch) == (2 + 1 + 4, 4)


def test_who_comes_back_has_the_value_that_was_fixed():
    curator = shop()
    curator.forget("customer", "ann")
    assert number(curator) == 1
    curator.ingest({"customers": [{"customer": "ann", "segment": "b"}], "orders": orders("ann", "ann", first=10)})
    rows = {row["segment"]: row["n"] for row in curator.ask(SEGMENTS, rho=EXACT).rows()}
    assert (rows["a"], rows["b"]) == (1, 0)


REFUSED = {
    "vault.unknown-table": lambda curator: curator.ingest("order", []),
    "vault.no-rows-given": lambda curator: curator.ingest("orders"),
    "vault.bad-name": lambda curator: curator.ingest("orders", [], batch=7),
    "vault.arrived-already": lambda curator: curator.ingest("orders", [], batch="day 9"),
    "vault.out-of-order": lambda curator: curator.ingest("orders", [], batch="day 8"),
    "vault.same-rows": lambda curator: curator.ingest("orders", orders("cid", first=10)),
    "vault.unknown-owner": lambda curator: curator.forget("price", 3),
    "vault.nobody": lambda curator: curator.forget("customer", None),
    "query.absent-column": lambda curator: curator.ingest("orders", pyarrow.table({"order": ["o1"]})),
    "query.unknown-source": lambda curator: curator.ingest("orders", 5),
    "query.absent-source": lambda curator: curator.ingest("orders", "no-such-file.csv"),
}


@pytest.mark.parametrize(("code", "call"), REFUSED.items(), ids=REFUSED)
def test_a_batch_that_cannot_be_used_is_refused_and_nothing_is_lost(code, call):
    curator = shop()
    curator.ingest("orders", orders("cid", first=10), batch="day 9")
    assert refused_code(lambda: call(curator)) == code
    assert curator.ingest("orders", orders("dan", first=30), batch="day 10").batch == 2
    assert number(curator) == 4


def test_the_same_rows_are_taken_again_if_the_custodian_says_so(tmp_path):
    new = tmp_path / "new.csv"
    new.write_text("order,customer,price\no77,dan,1\n")
    curator = shop()
    curator.ingest("orders", new)
    assert refused_code(lambda: curator.ingest("orders", str(new))) == "vault.same-rows"
    curator.ingest("orders", new, again=True)
    assert number(curator) == 4


def test_a_plan_that_is_charged_is_read_before_new_rows_come():
    table = pt.Table("visits", source=[{"age": 3}], columns={"age": pt.integers(0, 9)})
    curator = pt.Curator(tables=[table], promises=[pt.Promise(pt.rows(), pt.ZCDP(rho=EXACT * 9))], ledger=":memory:")
    plan = curator.plan(["SELECT COUNT(*) AS n FROM visits"], rho=EXACT)
    prepared = curator.batch(["SELECT COUNT(*) AS n FROM visits WHERE age > 1"], rho=EXACT)
    curator.ingest("visits", [{"age": 4}])
    assert plan.ask(0).rows() == [{"n": 1}]
    assert refused_code(prepared.ask) == "vault.rows-arrived"


def test_a_question_built_before_new_rows_came_is_asked_about_them():
    curator = shop()
    built = curator.table("orders").agg(n=pt.count())
    curator.ingest("orders", orders("cid", first=10))
    assert number(curator, built) == 3


def test_an_engine_that_others_may_use_does_not_grow():
    from partita.engine.duckdb import DuckDB

    table = pt.Table("visits", source=[{"age": 3}], columns={"age": pt.integers(0, 9)})
    promises = [pt.Promise(pt.rows(), pt.ZCDP(rho=1))]
    for backend in (DuckDB([table]), "reference"):
        curator = pt.Curator(tables=[table], promises=promises, ledger=":memory:", backend=backend)
        assert refused_code(lambda: curator.ingest("visits", [])) == "engine.does-not-grow"  # noqa: B023


def test_another_process_takes_in_what_the_first_has_sealed(tmp_path):
    one, two = shop(tmp_path / "book"), shop(tmp_path / "book")
    one.ingest("orders", orders("cid", first=10), batch="1")
    assert refused_code(lambda: two.ingest("orders", [], batch="1")) == "vault.arrived-already"
    assert number(two) == 3
    two.ingest("orders", orders("ann", "ann", first=20), batch="2")
    plan = two._ledger, two._path.rows
    one.forget("customer", "cid")
    assert number(one) == 3
    assert refused_code(lambda: number(two, COUNT + " WHERE price < 9")) == "ledger.forgotten-meanwhile"
    assert refused_code(lambda: plan[0].same(plan[1])) == "ledger.forgotten-meanwhile"
    assert two.ingest("orders", [], batch="3").batch == 3
    assert number(two) == 3


def test_rows_are_exchanged_only_while_no_question_is_under_way():
    gate, order = Gate(), []
    entered, leave = threading.Event(), threading.Event()

    def question():
        with gate.passed(), gate.passed():
            entered.set()
            leave.wait(10)
            order.append("question")

    def rows():
        entered.wait(10)
        with gate.closed():
            order.append("rows")

    threads = [threading.Thread(target=question), threading.Thread(target=rows)]
    for one in threads:
        one.start()
    entered.wait(10)
    leave.set()
    for one in threads:
        one.join(10)
    assert order == ["question", "rows"]


def test_questions_that_go_on_and_on_do_not_keep_rows_out():
    gate, order = Gate(), []
    entered, waits = threading.Event(), threading.Event()

    def first():
        with gate.passed():
            entered.set()
            waits.wait(10)
            with gate.passed():  # it is inside already
                order.append("first")

    def rows():
        with gate.closed():
            order.append("rows")

    def second():
        with gate.passed():
            order.append("second")

    threads = [threading.Thread(target=first), threading.Thread(target=rows), threading.Thread(target=second)]
    threads[0].start()
    entered.wait(10)
    threads[1].start()
    with gate._turn:
        assert gate._turn.wait_for(lambda: gate._waiting, 10)
    threads[2].start()
    with gate._turn:
        gate._turn.wait_for(lambda: "second" in order, 0.05)
    waits.set()
    for one in threads:
        one.join(10)
    assert order == ["first", "rows", "second"]


def test_nobody_seals_while_a_curator_reads_what_is_sealed(tmp_path, monkeypatch):
    with shop(tmp_path / "book") as curator:
        curator.ingest("orders", orders("cid", first=10))
    plain, tried = Vault.contents, []

    def contents(vault):
        lock = os.open(tmp_path / "book.vault" / "lock", os.O_RDWR)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            tried.append("kept out")
        finally:
            os.close(lock)
        return plain(vault)

    monkeypatch.setattr(Vault, "contents", contents)
    with shop(tmp_path / "book") as curator:
        assert number(curator) == 3
    assert tried == ["kept out"]


def test_who_is_forgotten_is_read_as_the_column_reads_owners(tmp_path):
    (tmp_path / "t.csv").write_text("who,x\n ann ,1\nbob,2\n")
    columns = {"who": pt.identifier(), "x": pt.integers(0, 9)}
    table = pt.Table("t", source=pt.csv(tmp_path / "t.csv", trim=True), columns=columns)
    promise = pt.Promise(pt.users("who", rows=1), pt.ZCDP(rho=1000 * EXACT))
    with pt.Curator(tables=[table], promises=[promise], ledger=":memory:") as curator:
        assert refused_code(lambda: curator.forget("who", "  ")) == "vault.nobody"
        curator.forget("who", " ann ")
        assert number(curator, "SELECT COUNT(*) AS n FROM t") == 1


def test_a_curator_without_batches_leaves_no_vault(tmp_path):
    with shop(tmp_path / "book") as curator:
        number(curator)
    assert not os.path.exists(tmp_path / "book.vault")


def test_refusals_name_no_row():
    curator = shop()
    curator.ingest("orders", orders("secret-person", first=10))
    with pytest.raises(PartitaError) as caught:
        curator.ingest("orders", orders("secret-person", first=10))
    assert "secret-person" not in str(caught.value)


@pytest.mark.parametrize(
    "granularity", [pt.replace(), pt.groups(2, pt.replace()), pt.windows("day", width=2, changed=True)], ids=str
)
def test_nobody_is_forgotten_where_a_changed_row_may_have_another_owner(granularity):
    columns = {"o": pt.identifier(), "day": pt.integers(0, 9)}
    table = pt.Table("t", [{"o": 17, "day": 1}, {"o": 18, "day": 2}], columns)
    with pt.Curator(
        tables=[table], promises=[pt.Promise(granularity, pt.Pure(epsilon=1))], ledger=":memory:"
    ) as curator:
        assert refused_code(lambda: curator.forget("o", 17)) == "vault.no-erasure"


def test_after_an_exchange_that_failed_no_question_passes():
    gate = Gate()
    with pytest.raises(KeyboardInterrupt), gate.closed():
        raise KeyboardInterrupt
    with pytest.raises(LedgerFault, match="Open it"), gate.passed():
        pass


def test_rows_that_another_ledger_sealed_are_not_swept_away(tmp_path):
    with shop(tmp_path / "book") as curator:
        curator.ingest("orders", orders(1, first=100))
    for file in tmp_path.glob("book*"):
        if file.is_file():
            file.unlink()
    kept = sorted(path.name for path in (tmp_path / "book.vault").iterdir())
    with shop(tmp_path / "book") as curator:
        assert refused_code(lambda: curator.ingest("orders", orders(2, first=200))) == "vault.foreign"
    assert sorted(path.name for path in (tmp_path / "book.vault").iterdir()) == kept
