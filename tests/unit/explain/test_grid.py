"""An answer is shown as people read it: keys as they are, values as precise as their bars."""

from __future__ import annotations

from typing import Any

import pandas
import polars
import pytest

import partita as pt
from partita.explain.grid import bar, grid, measured

ROWS = [{"year": 2024 + at % 2, "kind": ["a", "b"][at // 2 % 2], "cost": at % 900} for at in range(4_000)]
COLUMNS = {
    "year": pt.integers(2024, 2025, missing=2024),
    "kind": pt.categories("a", "b", other="b"),
    "cost": pt.decimals(0, 900, step="0.01", missing=0),
}


@pytest.fixture(scope="module")
def curator() -> Any:
    promise = pt.Promise(pt.rows(), pt.ZCDP(rho=100))
    with pt.Curator(tables=[pt.Table("t", ROWS, COLUMNS)], promises=[promise]) as made:
        yield made


def cells(answer: Any, name: str) -> tuple[str, ...]:
    return next(column.values for column in grid(answer).columns if column.name == name)


def test_a_year_is_no_quantity(curator):
    answer = curator.ask("SELECT year, COUNT(*) AS n FROM t GROUP BY year", rho=1)
    assert cells(answer, "year") == ("2024", "2025")
    assert all("," in cell for cell in cells(answer, "n"))


def test_a_margin_is_not_the_group_without_a_value(curator):
    answer = curator.ask("SELECT kind, COUNT(*) AS n FROM t GROUP BY ROLLUP (kind)", rho=1)
    assert cells(answer, "kind") == ("a", "b", "NULL", "all")
    assert [row["kind"] for row in answer.rows()] == ["a", "b", None, None]


def test_a_value_is_as_precise_as_its_bar(curator):
    answer = curator.ask("SELECT AVG(cost) AS mean, SUM(cost) AS total FROM t", rho=1)
    shown = {column.name: column for column in grid(answer).columns}
    for column in shown.values():
        assert column.bar is not None
        digits = [cell.partition(".")[2] for cell in (*column.values, *column.bar)]
        assert len(digits[0]) >= len(digits[1])
    assert "e+" not in str(answer)


def test_a_notebook_shows_the_table_with_its_price(curator):
    answer = curator.ask('SELECT kind, COUNT(*) AS "n < m" FROM t WHERE cost > 7 GROUP BY kind', rho="0.5")
    shown = answer._repr_html_()
    assert shown.startswith("<table>")
    assert "n &lt; m" in shown
    assert "Price: ρ = 0.5. Left: ρ = " in shown


def test_what_is_typed_last_shows_what_it_says(curator):
    question = "SELECT kind, COUNT(*) AS n FROM t WHERE cost > 9 GROUP BY kind"
    assert repr(curator.quote(question, rho="0.5")).startswith("SELECT kind, COUNT(*) AS n")
    answer = curator.ask(question, rho="0.5")
    assert repr(answer).splitlines()[:-1] == str(answer).splitlines()
    assert repr(answer).splitlines()[-1].startswith("Price: ρ = 0.5. Left: ρ = ")
    assert repr(curator.batch([question], rho="0.5")).startswith("1 questions, together: ")


def test_one_column_is_no_table_and_an_aggregate_has_a_name(curator):
    for column in (pandas.Series([1, 2]), polars.Series([1, 2])):
        with pytest.raises(pt.PartitaError, match="rows cannot be read from 'Series'"):
            pt.Curator(tables=[pt.Table("t", column, COLUMNS)], promises=curator.promises)
    with pytest.raises(pt.PartitaError, match="needs a name"):
        curator.table("t").agg(pt.count())


def test_long_answers_are_cut_and_say_so(curator):
    answer = curator.ask("SELECT BUCKET(cost, 10) AS step, COUNT(*) AS n FROM t GROUP BY step", rho=1)
    assert len(answer.rows()) == 91
    assert str(answer).endswith("... 51 more lines")
    assert "... 51 more lines" in answer._repr_html_()


def test_a_column_without_a_name_is_called_as_it_was_written(curator):
    answer = curator.ask("SELECT Max(cost), count( * ) FROM t", rho=1)
    assert list(answer.rows()[0]) == ["Max(cost)", "count( * )"]


@pytest.mark.parametrize(
    ("value", "half", "shown"),
    [
        (3, 14.0, "3"),
        (-12, 1e9, "-12"),
        (0.123456, 0.00044, "0.123456"),
        (12.5, float("inf"), "12.5"),
        (2.5e7, float("inf"), "25,000,000"),
        (None, float("inf"), "NULL"),
    ],
)
def test_values_are_rounded_to_their_bars(value, half, shown):
    assert measured(value, half) == shown


def test_bars_have_three_digits():
    assert [bar(half) for half in (0.0, 0.00123, 12.0, 123_456.0)] == ["0", "0.00123", "12", "123,000"]
