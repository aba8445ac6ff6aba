from __future__ import annotations

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

import partita as pt
from partita.engine.duckdb import DuckDB
from partita.query.conditions import everywhere
from partita.query.extract import Extract
from partita.query.schema import Table
from partita.region.columns import decimals

STEPS = st.builds(Fraction, st.integers(1, 1000), st.integers(1, 1000))


@settings(max_examples=40)
@given(STEPS, st.integers(-(2**40), 2**40), st.integers(1, 2**40), st.data())
def test_numbers_in_lists_are_read_as_they_are_in_python(step, low, width, data):
    column = decimals(low * step, (low + width) * step, step=step)
    stored = data.draw(st.lists(st.integers(low - 1, low + width + 1), min_size=1, max_size=3))
    rows = [{"x": float(number * step)} for number in stored] + [{"x": None}]
    table = Table("t", rows, {"x": column})
    engine = DuckDB([table])
    try:
        found = engine.run(Extract(table, everywhere(table.domain), ("x",)))
    finally:
        engine.close()
    assert len({column.code(row["x"]) for row in rows}) > 1
    assert sorted(found.ravel().tolist()) == sorted(column.code(row["x"]) for row in rows)


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
