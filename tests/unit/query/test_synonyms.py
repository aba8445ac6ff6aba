"""What SQL says in several ways is read in one."""

from __future__ import annotations

from datetime import date

import pytest
from sqlglot import parse_one

import partita as pt
from partita.query.builder.frame import Frame
from partita.query.functions.tabulated import Untabulated, evaluated
from partita.query.sql.parse import read
from partita.query.tables.public import PublicTable
from partita.region.calendar import last_of_month, later
from tests.unit.query.hospital import VISITS

REGIONS = PublicTable(
    "places",
    [
        {"name": "north", "cold": True, "people": 5},
        {"name": "south", "cold": False, "people": 7},
        {"name": "mars", "cold": True, "people": 0},
    ],
    key="name",
)

SAME = [
    ("SELECT COUNT(*) FROM visits WHERE region IS DISTINCT FROM 'north'", "region <> 'north' OR region IS NULL"),
    ("SELECT COUNT(*) FROM visits WHERE region IS NOT DISTINCT FROM 'north'", "region = 'north'"),
    ("SELECT COUNT(*) FROM visits WHERE region IS DISTINCT FROM NULL", "region IS NOT NULL"),
    (
        "SELECT COUNT(*) FROM visits WHERE (region, sex) IN (('north', 'F'), ('south', 'M'))",
        "(region = 'north' AND sex = 'F') OR (region = 'south' AND sex = 'M')",
    ),
    ("SELECT COUNT(*) FROM visits WHERE region IN (SELECT name FROM places WHERE cold)", "region = 'north'"),
    (
        "SELECT COUNT(*) FROM visits WHERE region NOT IN (SELECT name FROM places WHERE people > 5)",
        "region <> 'south'",
    ),
    ("SELECT COUNT(*) FROM visits WHERE region IN (SELECT name FROM places WHERE people > 50)", "FALSE"),
    ("SELECT COUNT(*) FROM visits WHERE day >= DATE '2025-03-31' - INTERVAL 1 MONTH", "day >= '2025-02-28'"),
    ("SELECT COUNT(*) FROM visits WHERE day < DATE '2025-01-01' + 14", "day < '2025-01-15'"),
    ("SELECT COUNT(*) FROM visits WHERE day + INTERVAL '2 weeks' > '2025-12-31'", "day > '2025-12-17'"),
]


@pytest.mark.parametrize(("text", "where"), SAME, ids=[text for text, _ in SAME])
def test_other_words_are_the_same_question_about_the_same_people(text, where):
    plan = read(text, [VISITS], {"places": REGIONS})
    other = read(f"SELECT COUNT(*) FROM visits WHERE {where}", [VISITS])
    assert plan.where.tests == ()
    assert plan.where.region == other.where.region


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("region, sex WITH ROLLUP", "ROLLUP (region, sex)"),
        ("region, sex WITH CUBE", "CUBE (region, sex)"),
    ],
)
def test_margins_may_be_named_behind(text, other):
    both = [read(f"SELECT region, sex, COUNT(*) FROM visits GROUP BY {by}", [VISITS]) for by in (text, other)]
    assert both[0] == both[1]


def test_order_by_all_orders_by_every_column_shown():
    ordered = read("SELECT sex, COUNT(*) AS n FROM visits GROUP BY ALL ORDER BY ALL DESC", [VISITS])
    assert ordered == read("SELECT sex, COUNT(*) AS n FROM visits GROUP BY sex ORDER BY 1 DESC, 2 DESC", [VISITS])


def test_the_builder_reads_the_same_words():
    built = Frame(VISITS).where("sex IS DISTINCT FROM 'F'").agg(n=pt.count())
    assert built == read("SELECT COUNT(*) AS n FROM visits WHERE sex <> 'F' OR sex IS NULL", [VISITS])


@pytest.mark.parametrize(
    ("day", "count", "unit", "expected"),
    [
        (date(2024, 1, 31), 1, "month", date(2024, 2, 29)),
        (date(2025, 1, 31), -1, "quarter", date(2024, 10, 31)),
        (date(2024, 2, 29), 1, "year", date(2025, 2, 28)),
        (date(2025, 1, 1), -1, "days", date(2024, 12, 31)),
    ],
)
def test_days_are_moved_as_a_calendar_has_them(day, count, unit, expected):
    assert later(day, count, unit) == expected


def test_the_last_day_of_a_month_is_its_own():
    assert last_of_month(date(2025, 4, 30)) == date(2025, 4, 30)


@pytest.mark.parametrize(
    "text",
    [
        "d + INTERVAL '1.5' DAY",
        "d + INTERVAL 999999 YEAR",
        "d + INTERVAL 3 HOUR",
        "MAKE_DATE(2025, 2, 30)",
        "WIDTH_BUCKET(n, 5, 5, 3)",
        "WIDTH_BUCKET(n, 0, 9, 0)",
        "POWER(n, 400)",
        "POWER(n, 0.5)",
        "REPLACE(t, 'a', 'aaaa')",
        "GREATEST(n, t)",
    ],
)
def test_what_cannot_be_evaluated_is_left_alone(text):
    with pytest.raises(Untabulated):
        evaluated(parse_one(text, dialect="duckdb"), {"d": date(2025, 1, 1), "n": 7, "t": "abc"})
