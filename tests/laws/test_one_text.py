"""One value, one text: names, keys and identifiers read the same whatever type the other rows give their column."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import partita as pt
from partita.engine.duckdb import DuckDB
from partita.engine.reference import Reference
from partita.errors import InvalidInput

# Rows that stay, and rows that come beside them: each changes what a frame or a table holds its column as.
STAYING = [1, 2, 100, -3]
COMING = [None, 2.5, float("nan"), float("inf"), 2**53 - 1, Decimal("2.25"), "x", True]


def texts(source, declared):
    engine = DuckDB([pt.Table("t", source=source, columns={"k": declared})])
    found = [row[0] for row in engine._connection.execute('SELECT k FROM "table 0"').fetchall()]
    engine.close()
    return found


def sources(values):
    yield "list", [{"k": value} for value in values]
    yield "pandas", pd.DataFrame({"k": values})
    for name, make in (("arrow", lambda: pa.table({"k": values})), ("polars", lambda: pl.DataFrame({"k": values}))):
        try:
            yield name, make()
        except (pa.ArrowInvalid, pa.ArrowTypeError, TypeError):
            continue  # these two hold no column of such values


@pytest.mark.parametrize("declared", [pt.text_keys(), pt.categories("1", "2", "100", "-3")])
@pytest.mark.parametrize("coming", COMING, ids=repr)
def test_a_row_that_comes_leaves_the_texts_of_the_others(coming, declared):
    for name, source in sources([*STAYING, coming]):
        assert texts(source, declared)[:4] == ["1", "2", "100", "-3"], name


def test_decimals_have_no_zeros_at_the_end():
    for coming in ("2.25", "7", "1000.125"):
        stored = [Decimal("1.5"), Decimal(20), Decimal("-0.0"), Decimal(coming)]
        for name, source in sources(stored):
            assert texts(source, pt.text_keys())[:3] == ["1.5", "20", "0"], name


def test_both_engines_have_the_same_owners():
    columns = {"who": pt.identifier(), "a": pt.integers(0, 9)}
    rows = pa.table({"who": [1.0, float("nan"), None, 2.5, 1.0], "a": [1, 2, 3, 4, 5]})
    asked = "SELECT COUNT(DISTINCT who) AS n FROM t"
    promise = pt.Promise(pt.users("who", rows=2), pt.Pure(epsilon=10**9))
    for backend in (DuckDB, Reference):
        table = pt.Table("t", source=rows, columns=columns)
        curator = pt.Curator(tables=[table], promises=[promise], backend=backend([table]))
        assert curator.ask(asked, epsilon=10**6).rows() == [{"n": 2}]


@pytest.mark.parametrize(
    "values",
    [
        [dt.datetime(2024, 1, 1, tzinfo=dt.UTC)],
        [dt.timedelta(1)],
        [dt.time(1)],
        [[1.0]],
        [b"x"],
    ],
    ids=repr,
)
@pytest.mark.parametrize("declared", [pt.text_keys(), pt.identifier(), pt.categories("x")])
def test_what_has_no_one_text_is_refused_when_it_is_opened(values, declared):
    with pytest.raises(InvalidInput, match="compared as texts"):
        texts(pa.table({"k": values}), declared)


def test_whole_numbers_that_a_frame_has_rounded_are_refused_when_it_is_opened():
    assert texts(pd.DataFrame({"k": [2**60 + 1]}), pt.text_keys()) == [str(2**60 + 1)]
    with pytest.raises(InvalidInput, match="compared as texts"):
        texts(pd.DataFrame({"k": [2**60 + 1, None]}), pt.identifier())
