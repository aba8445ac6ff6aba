"""The catalogue tells one account nothing of another, and no statement grows to more than it may have."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import partita as pt
from partita.errors import PartitaError
from partita.server.wire.catalogue import Catalogue, Session
from partita.server.wire.prepared import Prepared, prepared
from partita.server.wire.relations import OWN, VIEWS
from partita.server.wire.scanner import LONGEST, sentence, sentences
from partita.server.wire.statements import MOST_WORDS

COLUMNS = {"x": pt.integers(0, 3)}


@pytest.fixture(scope="module")
def catalogue() -> Iterator[Catalogue]:
    found = Catalogue([pt.Table("visits", source=[], columns=COLUMNS)], [], "partita")
    yield found
    found.close()


def session(account: str, *answers: tuple[object, ...]) -> Session:
    return Session(account, "partita", 1, {}, {**dict.fromkeys(VIEWS, list), "answers": lambda: list(answers)})


def test_what_one_account_asked_is_not_left_for_another(catalogue):
    asked = (1, "now", "SELECT what only ada asked", "ρ = 1", "done")
    assert catalogue.answered(sentence("SELECT * FROM partita.answers"), session("ada", asked))[1] == [asked]
    assert catalogue._connection.execute(f"SELECT * FROM {OWN}.answers").fetchall() == []
    assert catalogue.answered(sentence("SELECT * FROM partita.answers"), session("bob"))[1] == []


@pytest.mark.parametrize(
    "statement",
    [
        f"SELECT * FROM LATERAL query('SELECT * FROM {OWN}.answers')",
        f"SELECT * FROM pg_class, LATERAL query_table('{OWN}.answers')",
        "SELECT * FROM pg_class JOIN LATERAL duckdb_tables() ON TRUE",
        "SELECT * FROM LATERAL read_csv('/etc/passwd')",
        "SELECT repeat('x', 2000000000)",
        "SELECT lpad('x', 2000000000, 'y')",
        "SELECT pg_sleep(1000)",
        "SELECT format('{:>9999}', 1)",
        "SELECT getenv('HOME')",
        "SELECT write_log('x')",
    ],
)
def test_only_functions_that_are_known_here_are_called(catalogue, statement):
    with pytest.raises(PartitaError) as caught:
        catalogue.answered(sentence(statement), session("bob"))
    assert caught.value.code in {"wire.catalogue", "wire.unknown-relation"}


DOUBLED = ", ".join(f"a{place + 1} AS (SELECT x || x AS x FROM a{place})" for place in range(33))


@pytest.mark.parametrize(
    "statement",
    [
        f"WITH a0 AS (SELECT 'a' AS x), {DOUBLED} SELECT length(x) FROM a33",
        "SELECT " + "replace(" * 28 + "'a'" + ", 'a', 'aa')" * 28,
        "SELECT replace(relname, 'a', relname) FROM pg_class",
        "SELECT " + ", ".join("1" for _ in range(MOST_WORDS)),
    ],
    ids=["chain", "nested", "by-itself", "words"],
)
def test_short_statements_do_not_become_long_texts(catalogue, statement):
    with pytest.raises(PartitaError) as caught:
        catalogue.answered(sentence(statement), session("bob"))
    assert caught.value.code == "wire.catalogue"


def test_a_long_list_of_columns_is_named_in_one_pass(catalogue):
    columns, lines = catalogue.answered(sentence("SELECT " + ", ".join("1" for _ in range(2400))), session("bob"))
    assert (len(columns), lines[0][:2]) == (2400, (1, 1))


def read(text: str) -> Prepared:
    return prepared(sentences(text, 100)[0], {"visits"}, COLUMNS)


@pytest.mark.parametrize(
    "text", ["a " * LONGEST, ";" * LONGEST, "SELECT " + "WITH DP() " * 15_000 + "1", ";" * 5000], ids=len
)
def test_a_text_that_is_too_long_is_refused_before_it_is_read(text):
    with pytest.raises(PartitaError) as caught:
        read(text)
    assert caught.value.code in {"wire.too-long", "wire.too-many-statements"}


@pytest.mark.parametrize("value", ["a" * 10_000, [1] * 10_000])
def test_values_that_would_make_a_statement_too_long_are_refused_before_they_are_written_in(value):
    statement = read("SELECT COUNT(*) AS n FROM visits WHERE x = ANY($1)" + " OR x = ANY($1)" * 1000)
    with pytest.raises(PartitaError) as caught:
        statement.bound([value])
    assert caught.value.code == "wire.too-long"


def test_parameters_of_a_long_list_have_the_type_of_its_column():
    listed = ", ".join(f"${number}" for number in range(1, 1001))
    found = read(f"SELECT COUNT(*) AS n FROM visits WHERE x IN ({'1, ' * 5000}{listed}) AND x BETWEEN $1 AND $2").wanted
    assert {one.kind for one in found} == {20}
    assert len(found) == 1000
