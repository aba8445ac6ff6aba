"""Functions evaluated part by part have the values that they have when each value is worked out alone."""

from __future__ import annotations

import pytest
from sqlglot import parse_one

from partita.effort import bounded
from partita.query.functions.evaluating import Evaluator
from partita.query.functions.tabulated import Untabulated, evaluated
from partita.query.tables.public import facts
from partita.region.columns import booleans, categories, dates, integers

COLUMNS = {
    "age": integers(0, 12),
    "day": dates("2024-12-20", "2025-02-10"),
    "name": categories("Ann", "Bob", "eve"),
    "flag": booleans(),
}
FUNCTIONS = [
    "age % 5 + age * 2 > 7",
    "(age + 1) * (age + 1) / 3",
    "10 - age",
    "CASE WHEN age > 6 THEN 'old' WHEN age IS NULL THEN 'none' ELSE 'young' END",
    "CASE age % 3 WHEN 0 THEN 'a' WHEN 1 THEN 'b' END",
    "CASE WHEN age < 100 OR age IS NULL THEN 1 ELSE LN(age) END",
    "CASE WHEN age > 6 THEN TRUE ELSE 1 END",
    "COALESCE(NULLIF(age % 4, 2), 9)",
    "age BETWEEN 2 AND 5 OR NOT (age > 7 AND age <> 9)",
    "EXTRACT(month FROM day) = 1 AND EXTRACT(day FROM day) > 20",
    "day + INTERVAL (EXTRACT(day FROM day)) DAY",
    "day >= DATE '2025-01-01'",
    "DATE_TRUNC('month', day)",
    "UPPER(name) || '!' LIKE '%B!'",
    "IF(flag, 'yes', 'no')",
    "flag IS NOT TRUE",
    "flag = TRUE OR flag IS NULL",
    "age IN (1, 2, age)",
    "LN(age)",
    "CASE WHEN age > 6 THEN LN(age) ELSE 1 END",
    "GREATEST(age, 4) - LEAST(age, 4)",
]


@pytest.mark.parametrize("text", FUNCTIONS)
def test_part_by_part_is_the_same_as_value_by_value(text):
    node = parse_one(text, dialect="duckdb")
    name = next(name for name in COLUMNS if name in text)
    values = facts(COLUMNS[name])
    try:
        expected = tuple(evaluated(node, {name: value}) for value in values)
    except Untabulated:
        expected = None
    found = Evaluator().values(node, lambda column: (name, values))
    assert found == (None if expected is None else (name, expected))
    if found is not None:
        assert [type(value) for value in found[1]] == [type(value) for value in expected]


def test_two_columns_are_no_function_of_one():
    looked = {"age": facts(COLUMNS["age"]), "flag": facts(COLUMNS["flag"])}
    node = parse_one("IF(flag, age, 0)", dialect="duckdb")
    assert Evaluator().values(node, lambda column: (column.name, looked[column.name])) is None


def test_a_part_written_again_is_evaluated_once():
    evaluator, values = Evaluator(), facts(COLUMNS["day"])

    def steps(text: str) -> int:
        with bounded(10**6) as effort:
            evaluator.values(parse_one(text, dialect="duckdb"), lambda column: ("day", values))
        return effort.limit - effort.left

    first = steps("EXTRACT(month FROM day) = 1")
    assert steps("EXTRACT(month FROM day) = 2") < first / 4
