from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal
from fractions import Fraction

import pytest

from partita.errors import InvalidInput
from partita.region import Domain, booleans, categories, dates, decimals, identifier, integers, key, text_keys
from partita.region.columns import Operator, described
from partita.region.columns.stored import Family, family


def test_out_of_range_is_clamped_and_nonsense_is_the_null_atom():
    age = integers(0, 120)
    assert [age.code(value) for value in (-5, 0, 120, 500, None, "x", float("nan"), [])] == [
        *(0, 0, 120, 120, 121, 121, 121, 121)
    ]
    assert age.value(121) is None
    assert age.value(40) == 40


def test_a_declared_missing_value_takes_the_place_of_the_null_atom():
    age = integers(0, 120, missing=50)
    assert age.null is None
    assert age.code(None) == 50
    assert age.size == 121
    assert categories("F", "M", missing="M").code(None) == 1
    assert dates("2025-01-01", "2025-01-31", missing="2025-01-15").code(None) == 14


def test_decimals_count_units_of_their_step():
    cost = decimals("-1", "2", step="0.25")
    assert cost.size == 14
    assert cost.code("0.25") == 5
    assert cost.value(5) == Decimal("0.25")
    assert decimals(0, 1, step="1/3").value(1) == Fraction(1, 3)
    assert cost.value(13) is None


def test_an_unlisted_category_is_other_and_a_listed_other_is_the_same_atom():
    assert categories("a", "b").code("z") == 2
    named = categories("a", "other", other="other")
    assert named.code("z") == named.code("other") == 1
    assert named.size == 3
    assert categories(1, 2).code(2) == 1


def test_a_long_list_of_names_is_looked_through_once():
    """Made anew for every value, a list of 100,000 names would take minutes to code a column."""
    column = categories(*(f"c{number}" for number in range(1_000)), other="c7")
    assert column.labels is column.labels
    assert [column.code(name) for name in column.labels] == list(range(1_000))
    assert (column.code("c2000"), column.within("c2000"), column.within("c7"), column.within(None)) == (
        7,
        False,
        True,
        False,
    )
    assert replace(column, other="OTHER").code("c2000") == 1_000


def test_days_are_read_from_dates_times_and_text():
    day = dates("2025-01-01", "2025-01-31")
    assert day.code(date(2025, 1, 2)) == 1
    assert day.code("2025-01-02 23:59") == 1
    assert day.code("2025-01-32") == day.null
    assert day.value(1) == date(2025, 1, 2)


@pytest.mark.parametrize(
    ("operator", "literal", "expected"),
    [
        (Operator.EQUAL, "2025-01-02", ((1, 2),)),
        (Operator.BELOW, "2025-01-02", ((0, 1),)),
        (Operator.BELOW, "2025-01-02 12:00", ((0, 2),)),
        (Operator.AT_MOST, "2025-01-02 12:00", ((0, 2),)),
        (Operator.ABOVE, "2025-01-02 12:00", ((2, 5),)),
        (Operator.AT_LEAST, "2025-01-02 12:00", ((2, 5),)),
        (Operator.AT_LEAST, "2025-01-02", ((1, 5),)),
        (Operator.EQUAL, "2025-01-02 12:00", ()),
        (Operator.DIFFERENT, "2025-01-02 00:00", ((0, 1), (2, 5))),
        (Operator.ABOVE, "2030-01-01", ()),
        (Operator.AT_MOST, "2000-01-01", ()),
    ],
)
def test_a_day_is_compared_as_its_midnight(operator, literal, expected):
    assert dates("2025-01-01", "2025-01-05").compare(operator, literal, "day") == expected


@pytest.mark.parametrize(
    "column",
    [
        integers(0, 9, missing=3, constant=True),
        decimals(0, 1, step="0.1", missing="0.5"),
        categories("a", "b", other="rest", missing="rest"),
        dates("2025-01-01", "2025-02-01"),
        booleans(missing=True),
        identifier(),
        text_keys(constant=True),
    ],
)
def test_a_column_comes_back_from_its_description(column):
    assert described(column.describe()) == column


@pytest.mark.parametrize(
    "make",
    [
        lambda: integers(5, 4),
        lambda: integers(0.5, 4),  # type: ignore[arg-type]
        lambda: integers(0, 10**30),
        lambda: integers(0, 9, missing=10),
        lambda: integers("a", 9),  # type: ignore[arg-type]
        lambda: decimals(0, 1, step=0),
        lambda: decimals(0, 1, step="0.3"),
        lambda: decimals(2, 1, step="0.5"),
        lambda: decimals(0, 1, step="0.5", missing="0.3"),
        lambda: decimals(0, 1, step="0.5", missing=2),
        lambda: decimals(0, "x", step="0.5"),
        lambda: decimals(0, 1, step="1e-30"),
        lambda: categories(),
        lambda: categories("a", "a"),
        lambda: categories("a", None),  # type: ignore[arg-type]
        lambda: categories("a", missing="b"),
        lambda: dates("2025-02-01", "2025-01-01"),
        lambda: dates("2025-02-30", "2025-03-01"),
        lambda: dates(5, "2025-03-01"),  # type: ignore[arg-type]
        lambda: dates("2025-01-01", "2025-03-01", missing="2026-01-01"),
        lambda: described({"kind": "intervals"}),
        lambda: described({"kind": "integers"}),
    ],
)
def test_a_column_that_makes_no_sense_is_refused(make):
    with pytest.raises(InvalidInput):
        make()


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("INTEGER", Family.INTEGER),
        ("decimal(18, 3)", Family.FLOAT),
        ("DOUBLE PRECISION", Family.FLOAT),
        ("CHARACTER VARYING(20)", Family.TEXT),
        ("ENUM('a', 'b')", Family.TEXT),
        ("TIMESTAMP_NS", Family.TIMESTAMP),
        ("TIMESTAMPTZ", Family.ZONED),
        ("timestamp without time zone", Family.TIMESTAMP),
        ("INTEGER[]", Family.OTHER),
        ("STRUCT(a INTEGER)", Family.OTHER),
        ("", Family.OTHER),
    ],
)
def test_stored_types_are_told_apart(name, expected):
    assert family(name) is expected


def test_values_that_floats_cannot_tell_apart_are_not_declared():
    """One missing value makes floats of a frame's whole numbers, and would round all others."""
    with pytest.raises(InvalidInput, match="beyond 2"):
        decimals(0, 10**18, step=1000)


def test_what_unlisted_values_become_is_a_name():
    with pytest.raises(InvalidInput, match="None is not a name"):
        categories("x", other=None)


def test_a_key_links_rows_and_is_no_axis():
    declared = Domain({"order": key(), "age": integers(0, 9)})
    assert declared.axes == ("age",)
    assert described(key().describe()) == key()
    with pytest.raises(InvalidInput, match="no public list of values"):
        declared.axis("order")
