"""Clients of PostgreSQL ask private questions: priced, charged once, refused with codes, described without spending."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
from collections.abc import Iterator
from datetime import date

import psycopg
import pytest

from tests.paths.wiring import COUNT, PRICED, Wired

DESCRIBING = (
    r"\l \d \d+ \dt \dt+ \dv \dn \dn+ \du \df \dT \di \ds \dm \dp \dx \dy \dL \dC \dO \dc \dD \dF \dFp \db \dA "
    r"\dconfig \det \des \ddp \dl \do \dP \drds \dRp \dRs \dX \dd \z"
).split()


@pytest.fixture(scope="module")
def wired(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wired]:
    made = Wired(tmp_path_factory.mktemp("wired") / "house", 'accounts = { bob = { price = { rho = "0.03" } } }')
    yield made
    made.close()


def spent(wired: Wired) -> list[str]:
    with wired.house.as_("ada") as ada:
        return [str(one) for one in ada.spent()]


def refused(one: psycopg.Connection, statement: str) -> tuple[str, str]:
    """The SQLSTATE and the code with which a statement is refused."""
    with pytest.raises(psycopg.Error) as found:
        one.execute(statement)
    return found.value.sqlstate, found.value.diag.source_function


def test_a_priced_question_is_answered_with_error_bars_and_told_its_price(wired):
    told: list[str] = []
    with wired.as_() as one:
        one.add_notice_handler(lambda diag: told.append(diag.message_primary))
        found = one.execute(PRICED)
        assert [column.name for column in found.description] == ["sex", "n", "n_error", "a", "a_error"]
        lines = found.fetchall()
        assert [line[0] for line in lines] == ["F", "M", "OTHER", None]
        assert all(isinstance(line[1], int) and line[2] > 0 for line in lines)
        assert "Charged ρ = " in told[0]
        assert "Left" in told[0]
        assert one.execute(PRICED).fetchall() == lines
        assert "Charged nothing" in told[1]
        one.execute("SET partita.errors = 'none'")
        assert one.execute(PRICED).fetchall() == [(line[0], line[1], line[3]) for line in lines]
        one.execute("SET partita.errors TO 'bounds'")
        low = one.execute(PRICED).fetchone()
        assert low[2] < low[1] < low[3]
    with wired.house.as_("ada") as ada:
        assert [row["n"] for row in ada.ask(COUNT, rho="0.01").rows()] == [line[1] for line in lines]


def test_the_price_is_the_one_that_was_said_nearest_and_without_one_nothing_is_asked(wired):
    count = "COUNT(*) AS n FROM visits WHERE age > 77"
    with wired.as_(options="-c partita.rho=0.02") as one:
        bars = {
            said: one.execute(said).fetchone()[1]
            for said in (
                f"SELECT {count}",
                f"SELECT WITH DP(rho=0.08) {count}",
                f"SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(rho=0.32, reuse=false) {count}",
                f"/* partita: within=40, confidence=0.9 */ SELECT {count}",
            )
        }
        plain, dearer, dearest, wide = bars.values()
        assert plain > dearer > dearest
        assert wide <= 40
        assert refused(one, f"/* partita: roh=1 */ SELECT {count}") == ("42704", "wire.unknown-option")
        assert refused(one, f"SELECT WITH DP(rho=1, privacy_unit_column=age) {count}") == ("0A000", "wire.other-unit")
        one.execute("RESET partita.rho")
    with wired.as_() as one:
        assert refused(one, f"SELECT {count}") == ("22023", "wire.no-price")


def test_an_account_may_have_a_price_of_its_own(wired):
    told: list[str] = []
    with wired.as_("bob") as one:
        one.add_notice_handler(lambda diag: told.append(diag.message_primary))
        one.execute("SELECT COUNT(*) AS n FROM visits WHERE age > 76")
        one.execute("/* partita: rho=0.04 */ SELECT COUNT(*) AS n FROM visits WHERE age > 76")
    assert ["Charged ρ = 0.03" in told[0], "Charged ρ = 0.04" in told[1]] == [True, True]
    with wired.as_() as one:
        assert refused(one, "SELECT COUNT(*) AS n FROM visits WHERE age > 76")[1] == "wire.no-price"


def test_refusals_carry_code_and_state_and_spend_nothing(wired):
    before = spent(wired)
    with wired.as_() as one:
        for statement, state, code in (
            ("/* partita: rho=0.01 */ SELECT * FROM visits", "0A000", "query.rows-themselves"),
            ("/* partita: rho=0.01 */ SELECT COUNT(*) AS n FROM visits WHERE wat = 1", "42703", "query.unknown-column"),
            ("/* partita: rho=99 */ SELECT COUNT(*) AS n FROM visits", "53400", "ledger.over-budget"),
            ("/* partita: rho=-1 */ SELECT COUNT(*) AS n FROM visits", "22023", "number.not-positive"),
            ("DELETE FROM visits", "0A000", "wire.not-answered"),
            ("COPY visits TO STDOUT", "0A000", "wire.not-answered"),
            ("SELECT * FROM nothing", "42P01", "wire.unknown-relation"),
            ("SELECT * FROM read_csv('/etc/passwd')", "42P01", "wire.unknown-relation"),
            ("SELECT getenv('HOME')", "42601", "wire.catalogue"),
            ("SELECT 'x", "42601", "wire.unterminated"),
            ("FETCH 1 FROM nobody", "26000", "wire.unknown-name"),
        ):
            assert refused(one, statement) == (state, code), statement
        with pytest.raises(psycopg.OperationalError, match="is not let in"):
            psycopg.connect(**wired.at(password="partita-wrong"), dbname="partita")
        with pytest.raises(psycopg.OperationalError, match="is not let in"):
            psycopg.connect(**{**wired.at(), "user": "nobody"}, dbname="partita")
    assert spent(wired) == before


def test_bars_by_name_bounds_in_the_call_and_declared_values(wired):
    told: list[str] = []
    with wired.as_(options="-c partita.rho=0.02 -c partita.errors=none") as one:
        asked = "SELECT DP_INTERVAL_LOW(n) AS low, sex, COUNT(*) AS n, ERROR(n) AS e FROM visits GROUP BY sex"
        found = one.execute(asked)
        assert [column.name for column in found.description] == ["low", "sex", "n", "e"]
        assert [line[2] - line[3] == pytest.approx(line[0]) for line in found.fetchall()] == [True] * 4
        assert one.execute("SELECT SUM(age CLAMPED BETWEEN 0 AND 1) AS s FROM visits").fetchone()[0] < 800
        assert refused(one, "SELECT COUNT(*) AS n, ERROR(m) FROM visits") == ("42703", "wire.no-bar")
        before = spent(wired)
        one.add_notice_handler(lambda diag: told.append(diag.message_primary))
        assert one.execute("SELECT DISTINCT sex FROM visits").fetchall() == [("F",), ("M",), ("OTHER",), (None,)]
        assert one.execute("SELECT * FROM visits LIMIT 0").description[2].name == "day"
        assert "as declared" in told[0]
        assert spent(wired) == before


def test_a_rollback_gives_nothing_back_and_a_failed_transaction_waits_for_it(wired):
    told: list[str] = []
    with wired.as_(autocommit=False) as one:
        one.add_notice_handler(lambda diag: told.append(diag.message_primary))
        first = one.execute("/* partita: rho=0.01 */ SELECT COUNT(*) AS n FROM visits WHERE age < 9").fetchone()
        one.rollback()
        assert "gives nothing back" in told[-1]
        assert refused(one, "SELECT nope FROM nope")[0] == "42P01"
        assert refused(one, "SELECT 1") == ("25P02", "wire.transaction-failed")
        one.rollback()
        assert one.execute("/* partita: rho=0.01 */ SELECT COUNT(*) AS n FROM visits WHERE age < 9").fetchone() == first


def test_describing_quoting_and_asking_for_no_line_spend_nothing(wired):
    before = spent(wired)
    with wired.as_() as one:
        one.execute("SET partita.rho = '0.03'")
        found = one.pgconn.prepare(b"s", b"SELECT day, COUNT(*) AS n FROM visits WHERE age > $1 GROUP BY day", [])
        assert found.error_message == b""
        told = one.pgconn.describe_prepared(b"s")
        assert [told.fname(place) for place in range(told.nfields)] == [b"day", b"n", b"n_error"]
        assert [told.ftype(place) for place in range(told.nfields)] == [1082, 20, 701]
        assert told.param_type(0) == 20
        quote = "\n".join(line for (line,) in one.execute("EXPLAIN SELECT COUNT(*) AS n FROM visits WHERE age=3"))
        assert "costs ρ = 0.03" in quote
        assert one.execute("SELECT sex, COUNT(*) AS n FROM visits GROUP BY sex LIMIT 0").fetchall() == []
        assert one.execute("SELECT * FROM partita.columns").fetchall()[0][:2] == ("visits", "age")
        assert len(one.execute("SELECT * FROM partita.remaining").fetchall()) == 2
        assert "ρ = 10" in one.execute("SELECT budget FROM partita.promises").fetchone()[0]
        assert all(state == "answered" for (state,) in one.execute("SELECT state FROM partita.answers"))
        assert one.execute("SHOW partita.rho").fetchone() == ("0.03",)
    assert spent(wired) == before


def test_parameters_text_binary_lists_cursors_and_pipelines(wired):
    sql = "SELECT day, COUNT(*) AS n FROM visits WHERE age >= %s AND sex = %s AND day BETWEEN %s AND %s GROUP BY day"
    given = (30, "F", date(2025, 1, 3), date(2025, 1, 4))
    with wired.as_(options="-c partita.rho=0.01") as one:
        text = one.execute(sql, given).fetchall()
        assert [line[0] for line in text] == [date(2025, 1, 3), date(2025, 1, 4)]
        assert one.cursor(binary=True).execute(sql, given).fetchall() == text
        assert one.execute("SELECT COUNT(*) AS n FROM visits WHERE age = ANY(%s)", ([1, 2, 3],)).fetchone()
        assert refused(one, "SELECT COUNT(*) AS n FROM visits WHERE age = $1")[0] == "08P01"
        with one.pipeline():
            found = [one.execute("SELECT %s::int + 1 AS x", (place,)) for place in range(3)]
        assert [cursor.fetchone() for cursor in found] == [(1,), (2,), (3,)]
        two = one.execute("SELECT 1 AS a; SELECT 2 AS b, 'x' AS c")
        assert two.fetchall() == [(1,)]
        assert two.nextset()
        assert two.fetchall() == [(2, "x")]
        with one.transaction(), one.cursor("lines") as cursor:
            cursor.execute("SELECT sex, COUNT(*) AS n FROM visits GROUP BY sex")
            assert len(cursor.fetchmany(3)) == 3
            assert len(cursor.fetchall()) == 1
        with one.transaction():
            assert len(list(one.cursor().stream("SELECT sex, COUNT(*) AS n FROM visits GROUP BY sex"))) == 4


def test_a_practice_database_has_made_up_rows_and_costs_nobody_anything(wired):
    before = spent(wired)
    with wired.as_(dbname="practice") as one:
        assert (
            len(one.execute("/* partita: rho=5 */ SELECT sex, COUNT(*) AS n FROM visits GROUP BY sex").fetchall()) == 4
        )
    assert spent(wired) == before


def test_other_drivers_ask_and_reflect(wired):
    asyncpg = pytest.importorskip("asyncpg")
    sqlalchemy = pytest.importorskip("sqlalchemy")
    pandas = pytest.importorskip("pandas")

    async def asked() -> None:
        one = await asyncpg.connect(**wired.at(database="partita", server_settings={"partita.rho": "0.01"}))
        found = await one.fetch("SELECT sex, COUNT(*) AS n FROM visits WHERE age > $1 AND day >= $2 GROUP BY sex",
                                20, date(2025, 1, 5))  # fmt: skip
        assert [line["sex"] for line in found] == ["F", "M", "OTHER", None]
        async with one.transaction():
            lines = [
                line async for line in one.cursor("SELECT day, COUNT(*) AS n FROM visits GROUP BY day", prefetch=5)
            ]
        assert len(lines) == 32
        await one.close()

    asyncio.run(asked())
    at = wired.at()
    for driver, options in (("psycopg", {"options": "-c partita.rho=0.01"}), ("pg8000", {})):
        address = f"postgresql+{driver}://ada:{at['password']}@127.0.0.1:{at['port']}/partita"
        engine = sqlalchemy.create_engine(address, connect_args=options)
        shown = sqlalchemy.inspect(engine)
        assert shown.get_table_names() == ["visits"]
        assert set(shown.get_view_names("partita")) == {"remaining", "promises", "columns", "answers"}
        table = sqlalchemy.Table("visits", sqlalchemy.MetaData(), autoload_with=engine)
        assert [str(column.type) for column in table.columns] == ["BIGINT", "TEXT", "DATE"]
        assert table.c.age.comment == "integers, 0 to 120"
        if options:
            with engine.connect() as one:
                count = sqlalchemy.func.count().label("n")
                asks = sqlalchemy.select(table.c.sex, count).where(table.c.age > 40).group_by(table.c.sex)
                assert len(one.execute(asks).fetchall()) == 4
            frame = pandas.read_sql("SELECT sex, COUNT(*) AS n FROM visits GROUP BY sex", engine)
            assert list(frame) == ["sex", "n", "n_error"]
        engine.dispose()


def test_psql_describes_everything(wired):
    if shutil.which("psql") is None:
        pytest.skip("psql is not installed here: its commands that describe things were NOT tried")
    script = "\n".join([*DESCRIBING, r"\d visits", r"\d+ visits", r"\d partita.remaining", f"{PRICED};"])
    at = wired.at()
    ran = subprocess.run(
        ["psql", "-X", "-q", "-h", "127.0.0.1", "-p", str(at["port"]), "-U", "ada", "-d", "partita"],
        input=script,
        env={**os.environ, "PGPASSWORD": at["password"]},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert [line for line in ran.stderr.splitlines() if "NOTICE" not in line] == []
    assert "categories: F, M, OTHER, or NULL" in ran.stdout
    assert "n_error" in ran.stdout
