from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import partita as pt
from partita.composition.calibration.pricing import Price
from partita.engine.duckdb import DuckDB
from partita.engine.reference import Reference
from partita.query.exact.extract import Extract
from partita.query.language.conditions import everywhere
from partita.query.noise.quote import quote
from partita.query.sql.parse import read
from partita.query.tables.schema import Table
from partita.query.tables.truncation import truncation
from partita.region.columns import decimals

STEPS = st.builds(Fraction, st.integers(1, 1000), st.integers(1, 1000))


COLUMNS = st.tuples(STEPS, st.integers(-(2**40), 2**40), st.integers(1, 2**40))


@settings(max_examples=8)
@given(st.lists(COLUMNS, min_size=5, max_size=5), st.data())
def test_numbers_in_lists_are_read_as_they_are_in_python(declared, data):
    tables = []
    for place, (step, low, width) in enumerate(declared):
        stored = data.draw(st.lists(st.integers(low - 1, low + width + 1), min_size=1, max_size=3))
        rows = [{"x": float(number * step)} for number in stored] + [{"x": None}]
        tables.append(Table(f"t{place}", rows, {"x": decimals(low * step, (low + width) * step, step=step)}))
    engine = DuckDB(tables, threads=1)
    try:
        every = [engine.run(Extract(table, everywhere(table.domain), ("x",))) for table in tables]
    finally:
        engine.close()
    for table, found in zip(tables, every, strict=True):
        codes = [table.columns["x"].code(row["x"]) for row in table.source]
        assert len(set(codes)) > 1
        assert sorted(found.ravel().tolist()) == sorted(codes)


def test_days_of_an_owner_stay_apart_where_a_step_has_no_short_decimal():
    """As texts all thirds were missing, and shared one part of their owner: a part taken away let another one in."""
    columns = {
        "who": pt.identifier(),
        "d": pt.decimals(0, 10, step="1/3", missing=0),
        "a": pt.integers(0, 9, missing=0),
    }
    rows = [{"who": 1, "d": k / 3, "a": k} for k in (1, 2, 4, 5)]
    promise = pt.Promise(pt.users("who", rows=1, per="d"), pt.Pure(epsilon=10**6))
    curator = pt.Curator(tables=[pt.Table("t", source=rows, columns=columns)], promises=[promise])
    answer = curator.ask("SELECT a, COUNT(*) AS n FROM t GROUP BY a", epsilon=10**5)
    assert {row["a"]: row["n"] for row in answer.rows() if row["n"]} == {1: 1, 2: 1, 4: 1, 5: 1}


QUESTIONS = (
    "SELECT d, COUNT(*) AS n FROM t GROUP BY d",
    "SELECT b, SUM(x) AS s FROM t WHERE b GROUP BY b",
    "SELECT b, COUNT(*) AS s FROM t WHERE d < '2020-02-07' GROUP BY b",
    "SELECT MEDIAN(d) AS m FROM t",
    "SELECT SUM(CASE WHEN d > '2020-02-03' AND b THEN x END) AS s FROM t",
    "SELECT c, COUNT(DISTINCT who) AS n FROM t GROUP BY c",
    "SELECT COUNT(x) AS m FROM t WHERE b IS NULL OR d IS NULL",
)


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("per", [None, "d", "b"])
def test_every_kind_of_column_in_a_list_means_the_same_to_both_engines(question, per):
    columns = {
        "d": pt.dates("2020-01-01", "2020-12-31"),
        "b": pt.booleans(),
        "c": pt.categories("a", "b"),
        "x": pt.decimals(0, 9, step="0.5"),
        "who": pt.identifier(),
    }
    rows = [
        {"d": f"2020-02-{i + 1:02}", "b": i % 3 == 0, "c": "ab"[i % 2], "x": i / 2, "who": i % 4} for i in range(12)
    ]
    rows += [{"d": None, "b": None, "c": "z", "x": None, "who": 9}]
    rows += [{"d": "1999-01-01", "b": "maybe", "c": None, "x": 99, "who": 8}]
    table = Table("t", rows, columns)
    cap = truncation(table, [pt.users("who", rows=2, per=per)], "k")
    promise = pt.Promise(pt.users("who", rows=2, per=per), pt.Pure(epsilon=10))
    program = quote(read(question, [table]), [promise], Price.of(epsilon=1), truncation=cap).program
    engines = DuckDB([table]), Reference([table])
    try:
        first, second = (engine.run(program).tolist() for engine in engines)
    finally:
        for engine in engines:
            engine.close()
    assert first == second
