"""Open text in conditions and keys means what the engine's own SQL says, and is charged as what a text may decide."""

from __future__ import annotations

from random import Random
from typing import Any
from unittest import mock

import duckdb
import pytest

import partita as pt
from partita.curator.wanted import Wanted
from partita.engine.duckdb import DuckDB
from partita.engine.plain.meaning import meets
from partita.engine.plain.words import said
from partita.engine.reference import Reference
from partita.errors import PartitaError
from partita.query.exact.extract import Extract
from partita.query.noise import quote as quoting
from partita.query.noise.quote import Quote
from partita.query.sql.parse import read
from partita.region.regular import Irregular, regular
from tests.sizes import tried

# So dear that every draw of noise is zero: each whole number comes back as it is.
BUDGET, PRICE = 10**19, 10**13
TEXTS = (
    "Apple pie", "apple", "APPLE", "pear", " plum ", None, "", "a_b%c", "it's", "x,y,z", "ÄPFEL ß", "日本語", "\\", "é",
    "İx", "a\nb", "\0z", "A" * 3000, '"', "%", "_", "apple\u00a0",
)  # fmt: skip
ROWS = [
    {"k": "xy"[place % 2], "n": (7 * place) % 30, "t": text}
    for place, text in enumerate(text for text in TEXTS for _ in range(1 + len(text or "") % 5))
]
COLUMNS: dict[str, Any] = {"k": pt.categories("x", "y"), "n": pt.integers(0, 40), "t": pt.text_keys()}
VALUES = (
    "t", "LOWER(t)", "UPPER(t)", "TRIM(t)", "LEFT(t, 2)", "RIGHT(t, 1)", "SUBSTR(t, 2, 3)", "SUBSTRING(t, 3)",
    "SPLIT_PART(t, ',', 2)", "SPLIT_PART(LOWER(t), 'p', 1)", "COALESCE(t, 'none')", "LEFT(t, 0)",
)  # fmt: skip
CONDITIONS = (
    *(f"{value} = '{text}'" for value, text in zip(VALUES, ("apple", "apple", "APPLE", "plum", "ap", "e", "ppl", "ple",
                                                            "y", "a", "none", ""), strict=True)),
    "t LIKE 'app%'", "t NOT LIKE '%e%'", "t ILIKE 'APP%'", "t ILIKE 'äpf%'", "t LIKE 'a_p%'",
    "t LIKE '%p%l%'", "t LIKE ''",
    "t IN ('pear', 'it''s', '')", "t NOT IN ('pear')", "t IS NULL", "t IS NOT NULL", "t <> 'pear'", "'pear' = t",
    "LENGTH(t) > 4", "LENGTH(TRIM(t)) BETWEEN 3 AND 5", "LEN(t) = 0", "STARTS_WITH(t, 'Ap')",
    "t ^@ 'x'", "CONTAINS(t, 'ea')",
    "t LIKE 'a%' AND k = 'x'", "t LIKE 'a%' OR n > 20", "NOT (t = 'apple' OR n < 5)", "(t LIKE 'a%') IS NOT TRUE",
    "REGEXP_MATCHES(t, '^[Aa]p+le')", "t ~ 'p.*e$'", "t !~ '\\s'", "REGEXP_MATCHES(t, 'APPLE', 'i')",
    "REGEXP_FULL_MATCH(t, '[a-z]{4,5}')", "t SIMILAR TO '(pear|x,.*)'", "REPLACE(t, 'pp', 'p') = 'aple'",
    "ENDS_WITH(t, 'le')", "STRPOS(t, ',') > 1", "POSITION('e' IN LOWER(t)) BETWEEN 1 AND 3",
    "things.t = 'pear'", "t = '日本語'", "CASE WHEN t = 'pear' THEN n > 3 ELSE n < 9 END",
)  # fmt: skip


@pytest.fixture(scope="module")
def plain() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    connection.execute("CREATE TABLE things (k VARCHAR, n INT, t VARCHAR)")
    connection.executemany("INSERT INTO things VALUES (?, ?, ?)", [list(row.values()) for row in ROWS])
    return connection


@pytest.fixture(scope="module")
def curator() -> pt.Curator:
    promise = pt.Promise(pt.rows(), pt.ZCDP(rho=BUDGET, delta="0.5"))
    return pt.Curator(tables=[pt.Table("things", ROWS, COLUMNS)], promises=[promise], ledger=":memory:")


@pytest.mark.parametrize("condition", CONDITIONS)
def test_a_condition_on_open_text_keeps_the_rows_that_it_says(curator, plain, condition):
    if condition.startswith("CASE"):
        with pytest.raises(PartitaError) as caught:
            curator.ask(f"SELECT COUNT(*) AS n FROM things WHERE {condition}", rho=PRICE)
        assert caught.value.code == "query.open-condition"
        return
    for tested in (condition, f"NOT ({condition})"):
        question = (
            f"SELECT COUNT(*) AS a, SUM(n) AS b, COUNT(*) FILTER (WHERE n > 9) AS c FROM things WHERE {tested}",
            f"SELECT COUNT(*) FILTER (WHERE {tested}) AS a, SUM(CASE WHEN {tested} THEN n END) AS b FROM things",
        )
        for text in question:
            (found,) = curator.ask(text, rho=PRICE).rows()
            meant = plain.execute(text).fetchone()
            assert meant is not None
            assert list(found.values()) == [number or 0 for number in meant], text


@pytest.mark.parametrize("value", VALUES)
def test_groups_by_a_function_of_open_text_are_those_of_the_engine(curator, plain, value):
    question = f"SELECT {value} AS k, COUNT(*) AS n FROM things WHERE n < 25 GROUP BY 1"
    found = {row["k"]: row["n"] for row in curator.ask(question, rho=PRICE, delta="0.001").rows()}
    # Keys with hardly any rows are not named; they are in the line of those without a text.
    meant = {key: number for key, number in plain.execute(question).fetchall() if key is not None}
    assert {key: number for key, number in found.items() if key is not None}.items() <= meant.items()
    assert sum(found.values()) == plain.execute("SELECT COUNT(*) FROM things WHERE n < 25").fetchone()[0]


def test_a_case_of_open_text_is_a_key(curator, plain):
    key = "CASE WHEN t LIKE 'a%' THEN 'a' WHEN LENGTH(t) > 4 THEN 'long' WHEN t IS NULL THEN 'none' END"
    question = f"SELECT {key} AS w, COUNT(*) AS n FROM things GROUP BY 1"
    assert {row["w"]: row["n"] for row in curator.ask(question, rho=PRICE).rows()} == dict(
        plain.execute(question).fetchall()
    )


def test_numbers_that_open_text_says_are_added_up_between_two_ends(curator, plain):
    """A number between two ends is a choice among halves; NULL where the text is, and at an end beyond it."""
    plain.execute("CREATE OR REPLACE MACRO clamp(x, a, b) AS CASE WHEN x IS NOT NULL THEN LEAST(GREATEST(x, a), b) END")
    text = (
        "SELECT SUM(CLAMP(LENGTH(t), 0, 300)) AS a, SUM(CLAMP(LENGTH(t), 3, 9) * n) AS b, "
        "COUNT(CLAMP(LENGTH(t), 0, 1)) AS c, SUM(CLAMP(STRPOS(LOWER(t), 'e'), 0, 4)) AS d, "
        "SUM(CLAMP(LENGTH(TRIM(t)), 5, 5)) AS e FROM things"
    )
    assert tuple(curator.ask(text, rho=PRICE).rows()[0].values()) == plain.execute(text).fetchone()
    for wide in ("SUM(LENGTH(t))", "SUM(CLAMP(LENGTH(t), 0, 9000))", "SUM(CLAMP(LENGTH(t), -9, -3))"):
        with pytest.raises(PartitaError, match=r"Write CLAMP|added up as CLAMP"):
            curator.ask(f"SELECT {wide} AS a FROM things", rho=1)


@pytest.mark.parametrize(
    "condition",
    [
        "t > 'a'", "t LIKE '%a_b%'", "t LIKE 'a\\%'", "t LIKE '%" + "_" * 40 + "'",
        "t LIKE '" + "%a" * 20 + "'", "t = k", "REPLACE(t, 'a', 'bb') = 'b'",
        "REGEXP_MATCHES(t, '(a)\\1')", "REGEXP_MATCHES(t, 'a{200,}b{200}')", "REGEXP_MATCHES(t, '(?=a)b')",
        "REGEXP_MATCHES(t, k)", "REGEXP_MATCHES(t, 'a', 'g')", "REGEXP_MATCHES(t, '[')", "REGEXP_MATCHES(t, 'a**')",
        "SUBSTR(t, -1) = 'a'", "SPLIT_PART(t, '', 1) = 'a'", "LEFT(t, n) = 'a'",
        "LENGTH(t) > 1.5", "t = 3", "t LIKE k", "LEFT(t, 99999999999) = 'a'", "CAST(t AS INTEGER) = 3",
    ],
)  # fmt: skip
def test_what_could_fail_or_take_long_for_some_text_is_refused(curator, condition):
    before = curator.spent()
    with pytest.raises(PartitaError) as caught:
        curator.ask(f"SELECT COUNT(*) AS n FROM things WHERE {condition}", rho=1)
    assert caught.value.code in {"query.open-condition", "query.open-column"}
    assert curator.spent() == before


def test_plain_python_reads_texts_as_the_engine_does(plain):
    things = pt.Table("things", ROWS, COLUMNS)
    texts = [row["t"] for row in ROWS]
    for condition in CONDITIONS:
        if condition.startswith("CASE"):
            continue
        where = read(f"SELECT COUNT(*) AS n FROM things WHERE {condition}", [things]).where
        codes = [things.domain.codes({"k": row["k"], "n": row["n"]}) for row in ROWS]
        found = [row for row, code in zip(ROWS, codes, strict=True) if meets(where, code, {"t": row["t"]})]
        meant = plain.execute(f"SELECT k, n, t FROM things WHERE {condition}").fetchall()
        assert sorted(map(repr, found)) == sorted(repr(dict(zip("knt", row, strict=True))) for row in meant), condition
    for value in VALUES:
        made = plain.execute(f"SELECT t, {value} FROM things").fetchall()
        assert {text: said(value, {"t": text}) for text in texts} == dict(made), value


def test_both_engines_count_texts_alike():
    questions = [f"SELECT k, COUNT(*) AS n FROM things WHERE {condition} GROUP BY k" for condition in CONDITIONS[::9]]
    questions += ["SELECT LOWER(t) AS w, COUNT(*) AS n FROM things GROUP BY 1"]
    promise = pt.Promise(pt.rows(), pt.ZCDP(rho=BUDGET, delta="0.5"))
    tables = [pt.Table("things", ROWS, COLUMNS)]
    both = [
        pt.Curator(tables=tables, promises=[promise], ledger=":memory:", backend=backend)
        for backend in ("duckdb", "reference")
    ]
    for question in questions:
        price = {"rho": PRICE, **({"delta": "0.001"} if "AS w" in question else {})}
        assert both[0].ask(question, **price).rows() == both[1].ask(question, **price).rows(), question


SIGNS = ("a", "b", "k", "K", "s", "S", " ", "\n", ".", "7", "_", "é", "ſ", "\u212a", "\t", "-", "\0", "\x0b")
ATOMS = (
    "a", "b", "k", "S", "7", "é", r"\.", r"\-", "_", ".", r"\d", r"\w", r"\s", r"\D", r"\W", r"\S", r"\n", "[a-k]",
    "[^ab]", r"[\d_]", r"[^\s]", "[b-kZ-]", "^", "$",
)  # fmt: skip
TIMES = ("", "", "", "*", "+", "?", "{2}", "{1,3}", "{0,}", "*?", "+?")


def _drawn(draw: Random, depth: int = 0) -> str:
    """A regular expression; some are refused."""
    rows = []
    for _ in range(draw.choice((1, 1, 2))):
        row = ""
        for _ in range(draw.randint(1, 4)):
            inner = depth < 2 and draw.random() < 0.2
            atom = f"({draw.choice(('', '?:'))}{_drawn(draw, depth + 1)})" if inner else draw.choice(ATOMS)
            row += atom + ("" if atom in "^$" else draw.choice(TIMES))
        rows.append(row)
    return "|".join(rows)


def test_a_regular_expression_means_what_the_engine_says(plain):
    draw, met = Random(5), 0
    texts = ["", *("".join(draw.choices(SIGNS, k=draw.randint(0, 7))) for _ in range(150))]
    for _ in range(tried(300, soaking=20_000)):
        pattern, whole, folded = _drawn(draw), draw.random() < 0.3, draw.random() < 0.4
        try:
            mine = regular(pattern, whole=whole, folded=folded)
        except Irregular:
            continue
        called = f"{'regexp_full_match' if whole else 'regexp_matches'}(t, ?{', $$i$$' if folded else ''})"
        rows = plain.execute(f"SELECT {called} FROM (SELECT UNNEST(?) AS t)", [pattern, texts]).fetchall()
        assert [mine.meets(text) for text in texts] == [row[0] for row in rows], (pattern, whole, folded)
        met += 1
    assert met > 100


# --- what it costs ----------------------------------------------------------------------------------------------

ASKED = (
    "SELECT COUNT(*) AS n FROM things WHERE t LIKE 'a%'",
    "SELECT COUNT(*) AS n FROM things WHERE t NOT LIKE 'a%' AND k = 'x'",
    "SELECT SUM(n) AS s FROM things WHERE t = 'x' AND n > 20",
    "SELECT COUNT(*) FILTER (WHERE t = 'x') AS n FROM things",
    "SELECT CASE WHEN t = 'x' THEN 1 ELSE 2 END AS w, COUNT(*) AS n FROM things GROUP BY 1",
    "SELECT SUM(CASE WHEN t = 'x' THEN n ELSE -n END) AS s FROM things",
    "SELECT CASE WHEN k = 'x' THEN 1 WHEN n > 5 THEN 2 END AS w, SUM(n) AS s FROM things WHERE t = 'x' GROUP BY w",
    "SELECT MEDIAN(n) AS m FROM things WHERE t IS NULL",
)


def changed() -> pt.Curator:
    promise = pt.Promise(pt.replace(), pt.ZCDP(rho=1))
    return pt.Curator(tables=[pt.Table("things", ROWS, COLUMNS)], promises=[promise], ledger=":memory:")


@pytest.mark.parametrize("question", ASKED)
def test_a_changed_text_is_paid_for(question):
    """Two rows of equal declared values differ in their texts, so that the whole budget is gone after it is spent."""
    curator = changed()
    curator.ask(question, rho=1)
    with pytest.raises(PartitaError):
        curator.ask("SELECT COUNT(*) AS n FROM things WHERE t = 'it'", rho="0.1")


@pytest.mark.parametrize("question", ASKED)
def test_the_second_opinion_knows_that_texts_decide(question):
    with mock.patch.object(Quote, "declared", property(lambda _: True)), pytest.raises(PartitaError) as caught:
        changed().ask(question, rho="0.1")
    assert caught.value.code == "curator.second-opinion"


def test_the_second_opinion_knows_that_a_row_of_the_region_may_not_be_counted():
    request = quoting.Request
    unaware = mock.patch.object(quoting, "Request", lambda **words: request(**{**words, "partial": False}))
    with unaware, pytest.raises(PartitaError) as caught:
        changed().ask(ASKED[0], rho="0.1")
    assert caught.value.code == "curator.second-opinion"


def test_both_engines_extract_the_rows_whose_texts_meet_a_condition():
    table = pt.Table("things", ROWS, COLUMNS)
    engines = DuckDB([table]), Reference([table])
    for condition in CONDITIONS[:-1]:
        where = read(f"SELECT COUNT(*) AS n FROM things WHERE {condition}", [table]).where
        one, other = (engine.run(Extract(table, where, ("k", "n"))).tolist() for engine in engines)
        assert one == other, condition
    engines[0].close()


@pytest.mark.parametrize("text", [None, "", "apple"])
@pytest.mark.parametrize("unit", [pt.rows(), pt.users("who", rows=2), pt.users("who", rows=1, per="k")], ids=str)
def test_one_text_in_all_rows_fails_no_question(unit, text):
    """What an engine knows of a whole table, such as that every text is missing, changes how it binds functions."""
    rows = [{"who": f"u{place}", "k": "x", "n": 3, "t": text} for place in range(2)]
    table = pt.Table("things", source=rows, columns={"who": pt.identifier(), **COLUMNS})
    with pt.Curator(tables=[table], promises=[pt.Promise(unit, pt.ZCDP(rho=BUDGET, delta="1e-6"))]) as curator:
        questions = [f"SELECT k, SUM(n) AS s FROM things WHERE ({one}) OR n < 2 GROUP BY k" for one in CONDITIONS[:-1]]
        questions += [f"SELECT {value} AS w, COUNT(*) AS n FROM things GROUP BY w" for value in VALUES if value != "t"]
        engine, key = curator._engine, curator.ledger.truncation_key().hex()
        for question in questions:
            wanted = Wanted.of(rho="0.01", delta="1e-9" if " AS w," in question else None)
            program = curator._catalogue.offer(curator._catalogue.plan(question), wanted).program
            assert engine.run(program).tolist() == Reference([table], key=key).run(program).tolist(), question
