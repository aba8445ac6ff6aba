"""No value of Python's stops a question or the opening of a table, on either engine."""

from __future__ import annotations

import datetime as dt

import pytest

import partita as pt
from partita.errors import PartitaError

COLUMNS = {
    "who": pt.identifier(),
    "k": pt.text_keys(),
    "x": pt.integers(0, 9, missing=0),
    "c": pt.categories("a", "b"),
    "d": pt.dates("2020-01-01", "2020-12-31"),
}
PLAIN = {"who": 1, "k": "k", "x": 3, "c": "a", "d": "2020-02-02"}
EAST, WEST = (dt.timezone(dt.timedelta(hours=hours)) for hours in (14, -14))
ODD = {
    "before the calendar": {"d": dt.datetime(1, 1, 1, tzinfo=EAST)},
    "after the calendar": {"d": dt.datetime(9999, 12, 31, 23, tzinfo=WEST)},
    "a category of thousands of digits": {"c": 10**5000},
    "a key of thousands of digits": {"k": 10**5000},
    "a number of thousands of digits": {"x": 10**5000},
    "an owner of thousands of digits": {"who": 10**5000},
}


@pytest.mark.parametrize("backend", ["duckdb", "reference"])
@pytest.mark.parametrize("odd", ODD)
def test_an_odd_value_is_a_row_like_any_other(backend, odd):
    rows = [PLAIN] * 20 + [{**PLAIN, "who": 99, **ODD[odd]}]
    promise = pt.Promise(pt.rows(), pt.Pure(epsilon=10**6))
    curator = pt.Curator(tables=[pt.Table("t", source=rows, columns=COLUMNS)], promises=[promise], backend=backend)
    assert curator.ask("SELECT COUNT(*) AS n FROM t", epsilon=10**5).rows() == [{"n": 21}]


def test_listed_keys_beside_an_open_one_are_few():
    columns = {"k": pt.text_keys(), "x": pt.integers(0, 10**6, missing=0)}
    promise = pt.Promise(pt.rows(), pt.Approximate(epsilon=1, delta="1e-6"))
    curator = pt.Curator(tables=[pt.Table("t", source=[{"k": "a", "x": 1}], columns=columns)], promises=[promise])
    with pytest.raises(PartitaError) as refused:
        curator.quote("SELECT k, x, COUNT(*) AS n FROM t GROUP BY k, x", epsilon="0.1", delta="1e-9")
    assert refused.value.code == "query.too-many-beside"
