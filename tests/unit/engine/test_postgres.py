"""PostgreSQL as an engine, on a real server: what is refused when it opens, and what becomes of faults later."""

from __future__ import annotations

import tomllib
import warnings

import pytest

import partita as pt
from partita.engine.postgres import Postgres
from partita.engine.servers import Server
from partita.errors import EngineFault, InvalidInput, PartitaError
from partita.query.exact.program import Program, Rows, cells
from partita.query.sql.parse import read
from tests.laws import served

COLUMNS = {"age": pt.integers(0, 120), "sex": pt.categories("F", "M")}
PROMISES = [pt.Promise(pt.rows(), pt.ZCDP(rho="1"))]


@pytest.fixture
def visits() -> str:
    return served.put([("age", "integer"), ("sex", "text")], [(40, "F"), (70, "M"), (None, "x")], "visits")


def table(source: str = "hostile.visits") -> pt.Table:
    return pt.Table("visits", source, COLUMNS)


def counted(engine: Postgres) -> int:
    plan = read("SELECT COUNT(*) AS n FROM visits", [engine.tables["visits"]])
    program = Program(engine.tables["visits"], plan.where, cells(plan.keys, plan.where), (Rows(),))
    return int(engine.run(program)[0, 0])


def refusal(source: str = "hostile.visits", **options: object) -> str:
    with pytest.raises(InvalidInput) as caught:
        Postgres([table(source)], database={"address": served.address(), **options})
    return caught.value.code


def test_a_superuser_is_refused_unless_it_is_allowed(visits):
    address = served.address("postgres")
    with pytest.raises(InvalidInput) as caught:
        Postgres([table()], database=address)
    assert caught.value.code == "engine.superuser"
    engine = Postgres([table()], database={"address": address, "superuser": True})
    assert counted(engine) == 3
    engine.close()


@pytest.mark.parametrize(
    ("source", "code"),
    [
        ("hostile.none_such", "engine.no-relation"),
        ("hostile.Visits", "engine.no-relation"),
        ("hostile.v'; --", "engine.no-relation"),
        ("visits", "engine.no-relation-name"),
        ("a.b.c", "engine.no-relation-name"),
    ],
)
def test_a_table_that_is_not_there_is_refused(source, code, visits):
    assert refusal(source) == code


@pytest.mark.parametrize(
    ("columns", "code"),
    [
        ("age int", "query.absent-column"),
        ("age int, sex real", "query.no-one-text"),
        ("age int, sex bytea", "query.no-one-text"),
        ("age int[], sex text", "query.unfit-type"),
        ("age json, sex text", "query.unfit-type"),
        ('age "char", sex text', "query.unfit-type"),
        ("age money, sex text", "query.unfit-type"),
        ("b int, age int GENERATED ALWAYS AS (1 / b) VIRTUAL, sex text", "engine.computed-rows"),
    ],
)
def test_a_table_of_which_nothing_can_be_read_safely_is_refused(columns, code):
    served.owner().execute(f"DROP TABLE IF EXISTS hostile.odd; CREATE TABLE hostile.odd ({columns})")
    assert refusal("hostile.odd") == code


def test_a_table_without_rights_and_a_view_that_may_fail_are_refused(visits):
    served.owner().execute("CREATE VIEW hostile.seen AS SELECT 1 / age AS age, sex FROM hostile.visits")
    assert refusal("hostile.seen") == "engine.computed-rows"
    served.owner().execute("REVOKE SELECT ON hostile.visits FROM reader")
    assert refusal() == "engine.no-right"


def test_a_view_is_read_where_it_is_allowed(visits):
    served.owner().execute("CREATE OR REPLACE VIEW hostile.women AS SELECT * FROM hostile.visits WHERE sex = 'F'")
    engine = Postgres([table("hostile.women")], database={"address": served.address(), "views": True})
    assert counted(engine) == 1
    engine.close()
    served.owner().execute("DROP VIEW hostile.women")


@pytest.mark.parametrize(
    "given",
    [7, "", {}, {"address": ""}, {"address": "postgresql://h/d", "timeout": 0}, {"address": "a", "superuser": 1},
     {"address": "postgresql://h/d", "role": "x"}, "not an address"],
)  # fmt: skip
def test_settings_that_cannot_be_used_are_refused(given):
    with pytest.raises(InvalidInput):
        Server.of(given)


def test_a_server_that_does_not_answer_is_refused_without_its_password(heard):
    with pytest.raises(InvalidInput) as caught:
        Postgres([table()], database="postgresql://reader:secret@127.0.0.1:1/clinic")
    assert caught.value.code == "engine.unreachable"
    assert "secret" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_types_that_changed_and_lost_connections_are_the_one_fault_and_nothing_lasts(visits, heard):
    engine = Postgres([table()], database=served.address())
    assert counted(engine) == 3
    served.owner().execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'reader'")
    with pytest.raises(EngineFault):
        counted(engine)
    assert counted(engine) == 3
    served.owner().execute("ALTER TABLE hostile.visits ALTER COLUMN age TYPE text")
    with pytest.raises(EngineFault):
        counted(engine)
    served.owner().execute("ALTER TABLE hostile.visits ALTER COLUMN age TYPE integer USING CAST(age AS integer)")
    assert counted(engine) == 3
    served.owner().execute("DROP TABLE hostile.visits")
    with pytest.raises(EngineFault):
        counted(engine)
    engine.close()


def test_names_as_long_as_the_server_allows_are_told_apart():
    first, second = "a" * 62 + "1", "a" * 62 + "2"
    source = served.put([(first, "integer"), (second, "text")], [(1, "x"), (2, "y"), (3, "y")], "long")
    longest = pt.Table("long", source, {first: pt.integers(0, 9), second: pt.categories("x", "y")})
    engine = Postgres([longest], database=served.address())
    plan = read(f"SELECT COUNT(*) AS n FROM long WHERE {first} > 1 AND {second} = 'y' GROUP BY {second}", [longest])
    program = Program(longest, plan.where, cells(plan.keys, plan.where), (Rows(),))
    assert engine.run(program)[:, 0].tolist() == [2]
    engine.close()


def test_a_promise_on_users_is_refused_where_rows_may_change(visits):
    owned = served.put([("who", "integer"), ("age", "integer")], [(1, 40)], "owned")
    people = pt.Table("owned", owned, {"who": pt.identifier(), "age": pt.integers(0, 120)})
    with pytest.raises(PartitaError) as caught:
        pt.Curator(
            tables=[people], promises=[pt.Promise(pt.users("who", rows=3), pt.ZCDP(rho="1"))], ledger=":memory:",
            backend="postgres", database=served.address(),
        )  # fmt: skip
    assert caught.value.code == "engine.fixes-no-rows"


@pytest.mark.parametrize("given", [{"backend": "duckdb", "database": "postgresql://h/d"}, {"backend": "postgres"}])
def test_an_address_is_for_servers_and_servers_need_one(given):
    with pytest.raises(InvalidInput):
        pt.Curator(tables=[table()], promises=PROMISES, ledger=":memory:", **given)


def test_a_ledger_goes_on_when_its_rows_move_to_a_server(visits, tmp_path):
    question, ledger = "SELECT sex, COUNT(*) AS n, AVG(age) AS a FROM visits GROUP BY sex", tmp_path / "visits.ledger"
    rows = [{"age": 40, "sex": "F"}, {"age": 70, "sex": "M"}, {"age": None, "sex": "x"}]
    with pt.Curator(tables=[pt.Table("visits", rows, COLUMNS)], promises=PROMISES, ledger=ledger) as curator:
        first = curator.ask(question, rho="0.1").rows()
    (tmp_path / "partita.toml").write_text(
        f"""
        ledger = "visits.ledger"
        backend = "postgres"
        database = {{ address = "{served.address()}", timeout = 60 }}
        [[promises]]
        protect = "rows"
        rho = "1"
        [tables.visits]
        source = "hostile.visits"
        columns.age = {{ integers = [0, 120] }}
        columns.sex = {{ categories = ["F", "M"] }}
        """
    )
    tomllib.loads((tmp_path / "partita.toml").read_text())
    with warnings.catch_warnings(), pt.open(tmp_path / "partita.toml") as curator:
        spent = curator.spent()
        assert curator.ask(question, rho="0.1").rows() == first
        assert curator.spent() == spent
        curator.ask("SELECT COUNT(*) AS n FROM visits WHERE age > 50", rho="0.1")
        assert curator.spent() != spent


def test_a_text_that_is_too_long_for_patterns_fails_no_question(visits):
    served.put([("age", "text"), ("sex", "text")], [("40", "F"), ("70", "M")], "visits")
    # As long as a row may well be, and compressed to almost nothing.
    served.owner().execute("INSERT INTO hostile.visits VALUES (repeat('7', 270000000), 'F')")
    with pt.Curator(
        tables=[table()],
        promises=[pt.Promise(pt.rows(), pt.ZCDP(rho=10**6))],
        ledger=":memory:",
        backend="postgres",
        database=served.address(),
    ) as curator:
        assert curator.ask("SELECT COUNT(*) AS n FROM visits WHERE age > 1", rho=1000).rows() == [{"n": 3}]
        assert curator.ask("SELECT SUM(age) AS s FROM visits", rho=10**5).rows() == [{"s": 40 + 70 + 120}]


def test_no_clock_of_the_role_or_the_server_ends_a_question(visits):
    """Whether a question reaches it would depend on rows, and it would then answer with noise on nothing."""
    clocks = {
        "statement_timeout": "50s",
        "lock_timeout": "50s",
        "idle_in_transaction_session_timeout": "50s",
        "idle_session_timeout": "50s",
        "transaction_timeout": "50s",
    }
    owner = served.owner()
    owner.execute("DROP ROLE IF EXISTS hurried")
    owner.execute("CREATE ROLE hurried LOGIN IN ROLE reader")
    for clock, longest in clocks.items():
        owner.execute(f"ALTER ROLE hurried SET {clock} = '{longest}'")
    engine = Postgres([table()], database=served.address("hurried"))
    limited = Postgres([table()], database={"address": served.address("hurried"), "timeout": 7})
    try:
        with engine._transaction() as cursor:
            assert {clock: cursor.execute(f"SHOW {clock}").fetchall() for clock in clocks} == {
                clock: [("0",)] for clock in clocks
            }
        with limited._transaction() as cursor:
            assert cursor.execute("SHOW statement_timeout").fetchall() == [("7s",)]
        assert counted(engine) == counted(limited) == 3
    finally:
        engine.close()
        limited.close()
        owner.execute("DROP ROLE hurried")
