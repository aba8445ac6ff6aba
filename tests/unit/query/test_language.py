"""Functions of one column, choices, questions inside questions and public tables mean what SQL says they mean."""

from __future__ import annotations

import datetime as dt
from fractions import Fraction
from functools import cache
from typing import Any

import pytest

from partita.composition.calibration.pricing import Price
from partita.engine.duckdb import DuckDB
from partita.engine.reference import Reference
from partita.errors import PartitaError
from partita.granularity import rows
from partita.query.noise.quote import quote
from partita.query.sql.parse import read
from partita.query.tables.public import PublicTable
from partita.query.tables.schema import Table
from partita.region.columns import categories, dates, decimals, identifier, integers
from partita.sampling.bits import TestBits
from partita.theory.measures.zcdp import ZCDP

ROWS: list[dict[str, Any]] = [
    {
        "patient": place // 3,
        "age": place * 7 % 121,
        "sex": "FM"[place % 2],
        "region": ["north", "south", "east", "west"][place % 4],
        "clinic": "abc"[place % 3],
        "cost": place * 37 % 20_000 + 0.25,
        "day": dt.date(2025, 1, 1) + dt.timedelta(days=place * 11 % 365),
    }
    for place in range(600)
]
VISITS = Table(
    "visits",
    ROWS,
    {
        "patient": identifier(),
        "age": integers(0, 120),
        "sex": categories("F", "M"),
        "region": categories("north", "south", "east", "west"),
        "clinic": categories("a", "b", "c"),
        "cost": decimals(0, 20_000, step="0.01"),
        "day": dates("2025-01-01", "2025-12-31"),
    },
)
FACTS = [{"clinic": "a", "state": "TX", "beds": 10}, {"clinic": "b", "state": "NM", "beds": 20}]
CLINICS = PublicTable("clinics", [*FACTS, {"clinic": "z", "state": "CA", "beds": 5}], key="clinic")
STATES = PublicTable("states", [{"name": "TX", "south": True}, {"name": "NM", "south": True}], key="name")
PUBLIC = {"clinics": CLINICS, "states": STATES}


class Promised:
    granularity, budget = rows(), ZCDP(rho=10**12)


@cache
def engines() -> tuple[DuckDB, Reference]:
    return DuckDB([VISITS], threads=1), Reference([VISITS])


def answered(question: str) -> list[dict[str, Any]]:
    """The answer with next to no noise; both engines must agree on the exact numbers."""
    offered = quote(read(question, [VISITS], PUBLIC), [Promised()], Price.of(rho=10**11))
    exact, plain = (engine.run(offered.program) for engine in engines())
    assert exact.tolist() == plain.tolist()
    return offered.result(offered.release(exact, bits=TestBits(1))).rows()


def tally(key: Any, met: Any = lambda row: True) -> dict[Any, int]:
    found: dict[Any, int] = {}
    for row in ROWS:
        if met(row):
            found[key(row)] = found.get(key(row), 0) + 1
    return found


@pytest.mark.parametrize(
    ("key", "meant"),
    [
        ("EXTRACT(month FROM day)", lambda row: row["day"].month),
        ("MONTH(day)", lambda row: row["day"].month),
        ("date_part('quarter', day)", lambda row: (row["day"].month + 2) // 3),
        ("dayofweek(day)", lambda row: row["day"].isoweekday() % 7),
        ("isodow(day)", lambda row: row["day"].isoweekday()),
        ("dayname(day)", lambda row: row["day"].strftime("%A")),
        ("strftime(day, '%Y-%m')", lambda row: row["day"].strftime("%Y-%m")),
        ("age // 10", lambda row: row["age"] // 10),
        ("age % 3", lambda row: row["age"] % 3),
        ("FLOOR(age / 20) * 20", lambda row: row["age"] // 20 * 20),
        ("ROUND(age / 7)", lambda row: int(row["age"] / 7 + 0.5)),
        ("UPPER(LEFT(region, 2))", lambda row: row["region"][:2].upper()),
        ("region || '-' || length(region)", lambda row: f"{row['region']}-{len(row['region'])}"),
        ("age >= 65", lambda row: row["age"] >= 65),
        ("cost > 100", lambda row: row["cost"] > 100),
        (
            "CASE WHEN age < 18 THEN 'child' WHEN age < 65 THEN 'adult' ELSE 'senior' END",
            lambda row: "child" if row["age"] < 18 else "adult" if row["age"] < 65 else "senior",
        ),
        (
            "CASE WHEN cost < 500 AND sex = 'F' THEN 1 WHEN age > 60 THEN 2 END",
            lambda row: 1 if row["cost"] < 500 and row["sex"] == "F" else 2 if row["age"] > 60 else None,
        ),
        ("CASE region WHEN 'north' THEN 'n' ELSE 'rest' END", lambda row: "n" if row["region"] == "north" else "rest"),
    ],
)
def test_groups_by_functions_of_columns(key, meant):
    lines = answered(f"SELECT {key} AS k, COUNT(*) AS n FROM visits GROUP BY {key}")
    assert {line["k"]: line["n"] for line in lines if line["n"]} == tally(meant)


def test_keys_of_one_column_come_back_in_the_combinations_that_exist():
    lines = answered("SELECT MONTH(day) AS m, QUARTER(day) AS q, COUNT(*) AS n FROM visits GROUP BY ALL")
    assert {(line["m"], line["q"]) for line in lines if line["m"] is not None} == {
        (m, (m + 2) // 3) for m in range(1, 13)
    }


@pytest.mark.parametrize(
    ("condition", "meant"),
    [
        ("dayofweek(day) IN (0, 6)", lambda row: row["day"].isoweekday() > 5),
        ("MONTH(day) BETWEEN 6 AND 8", lambda row: 6 <= row["day"].month <= 8),
        ("LOWER(region) = 'north' OR region ILIKE 'E%'", lambda row: row["region"] in {"north", "east"}),
        ("age % 2 = 0 AND NOT (age / 7 > 5)", lambda row: row["age"] % 2 == 0 and row["age"] <= 35),
        ("1 / (age - 42) > -9", lambda row: row["age"] != 42),
        ("date_trunc('month', day) = DATE '2025-03-01'", lambda row: row["day"].month == 3),
        ("COALESCE(NULLIF(region, 'north'), 'x') = 'x'", lambda row: row["region"] == "north"),
    ],
)
def test_conditions_on_functions_of_columns_narrow_the_region(condition, meant):
    plan = read(f"SELECT COUNT(*) AS n FROM visits WHERE {condition}", [VISITS])
    assert not plan.where.tests
    ((line),) = answered(f"SELECT COUNT(*) AS n FROM visits WHERE {condition}")
    assert line["n"] == sum(map(meant, ROWS))


def test_functions_of_columns_are_added_up():
    (line,) = answered(
        "SELECT AVG(day - DATE '2025-01-01') AS d, SUM(age % 5) AS s, SUM(CASE WHEN age // 10 = 3 THEN 1 END) AS t "
        "FROM visits"
    )
    assert line["d"] == pytest.approx(sum((row["day"] - dt.date(2025, 1, 1)).days for row in ROWS) / len(ROWS))
    assert line["s"] == sum(row["age"] % 5 for row in ROWS)
    assert line["t"] == sum(row["age"] // 10 == 3 for row in ROWS)


# --- questions inside questions ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("nested", "flat"),
    [
        (
            (
                "WITH old AS (SELECT region AS r, cost * 2 AS twice FROM visits WHERE age >= 65) "
                "SELECT r, SUM(twice) AS s FROM old WHERE twice > 100 GROUP BY r"
            ),
            "SELECT region AS r, SUM(2 * cost) AS s FROM visits WHERE age >= 65 AND 2 * cost > 100 GROUP BY region",
        ),
        (
            (
                "SELECT AVG(t.x) AS m FROM (SELECT CLAMP(cost, 0, 100) AS x, region FROM visits WHERE age > 5) AS t "
                "WHERE t.region = 'north'"
            ),
            "SELECT AVG(CLAMP(cost, 0, 100)) AS m FROM visits WHERE age > 5 AND region = 'north'",
        ),
        (
            (
                "WITH a AS (SELECT * FROM visits WHERE age > 5), b(x) AS (SELECT cost FROM a WHERE sex = 'F') "
                "SELECT SUM(x) AS s FROM b"
            ),
            "SELECT SUM(cost) AS s FROM visits WHERE age > 5 AND sex = 'F'",
        ),
        (
            (
                "SELECT COUNT(*) AS n FROM (SELECT age FROM visits WHERE age < 30 UNION ALL "
                "SELECT age FROM visits WHERE age >= 50)"
            ),
            "SELECT COUNT(*) AS n FROM visits WHERE age < 30 OR age >= 50",
        ),
        (
            (
                "SELECT g, COUNT(*) AS n FROM (SELECT 'a' AS g FROM visits WHERE age < 30 UNION ALL "
                "SELECT 'b' FROM visits WHERE age >= 50) AS u GROUP BY g"
            ),
            (
                "SELECT CASE WHEN age < 30 THEN 'a' WHEN age >= 50 THEN 'b' END AS g, COUNT(*) AS n FROM visits "
                "WHERE age < 30 OR age >= 50 GROUP BY 1"
            ),
        ),
        (
            "SELECT d, COUNT(*) AS n FROM (SELECT BUCKET(age, 10) AS d FROM visits) GROUP BY d ORDER BY d LIMIT 3",
            "SELECT BUCKET(age, 10) AS d, COUNT(*) AS n FROM visits GROUP BY BUCKET(age, 10) ORDER BY d LIMIT 3",
        ),
    ],
)
def test_a_question_inside_a_question_is_the_question_without_it(nested, flat):
    one, other = read(nested, [VISITS]), read(flat, [VISITS])
    assert one.fingerprint == other.fingerprint
    assert [column.name for column in one.shown] == [column.name for column in other.shown]
    assert answered(nested) == answered(flat)


# --- public tables -------------------------------------------------------------------------------------------------


def test_a_join_to_a_public_table_adds_facts_about_each_row():
    lines = answered(
        "SELECT c.state, COUNT(*) AS n, AVG(c.beds) AS beds FROM visits v JOIN clinics c ON c.clinic = v.clinic "
        "GROUP BY c.state ORDER BY n"
    )
    assert {line["state"]: (line["n"], line["beds"]) for line in lines} == {"TX": (200, 10.0), "NM": (200, 20.0)}


def test_a_join_is_charged_to_those_it_can_meet():
    plan = read("SELECT COUNT(*) AS n FROM visits JOIN clinics USING (clinic) WHERE beds > 15", [VISITS], PUBLIC)
    assert plan.where.region.to_sql() == "clinic = 'b'"
    left = read("SELECT COUNT(*) AS n FROM visits LEFT JOIN clinics USING (clinic)", [VISITS], PUBLIC)
    assert left.where.region.whole


def test_a_public_table_may_lead_to_another():
    question = (
        "SELECT s.south, COUNT(*) AS n FROM visits v LEFT JOIN clinics c ON v.clinic = c.clinic "
        "LEFT JOIN states s ON c.state = s.name GROUP BY s.south"
    )
    assert {line["south"]: line["n"] for line in answered(question)} == {True: 400, None: 200}


def test_facts_come_from_files_and_frames(tmp_path):
    import pandas

    path = tmp_path / "clinics.csv"
    path.write_text("clinic,state,beds,since\na,TX,10,2020-01-01\nb,NM,,2021-05-05\n", encoding="utf-8")
    table = PublicTable("clinics", path, key="clinic")
    assert table.rows == (("a", "TX", Fraction(10), dt.date(2020, 1, 1)), ("b", "NM", None, dt.date(2021, 5, 5)))
    frame = PublicTable("clinics", pandas.DataFrame(FACTS), key="clinic")
    assert frame.rows == (("a", "TX", Fraction(10)), ("b", "NM", Fraction(20)))


@pytest.mark.parametrize(
    ("source", "key", "code"),
    [
        ([{"a": 1}, {"a": 1}], "a", "public.repeated-key"),
        ([{"a": 1}], "b", "public.no-key"),
        ([{"a": 1, "A": 2}], "a", "public.repeated-column"),
        ([{"a": [1]}], "a", "public.not-a-fact"),
        (7, "a", "public.unknown-source"),
        ("nowhere.csv", "a", "public.unreadable"),
        ([{"a": place} for place in range(50_001)], "a", "public.too-many-rows"),
    ],
)
def test_a_public_table_that_cannot_be_used_is_refused(source, key, code):
    with pytest.raises(PartitaError) as caught:
        PublicTable("facts", source, key)
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("question", "code"),
    [
        ("SELECT COUNT(*) FROM visits a JOIN visits b ON a.patient = b.patient", "public.private-join"),
        ("SELECT COUNT(*) FROM visits JOIN beds ON visits.age = beds.age", "public.unknown-join"),
        ("SELECT COUNT(*) FROM visits JOIN clinics ON visits.age < clinics.beds", "public.join-condition"),
        ("SELECT COUNT(*) FROM visits, clinics", "public.join-condition"),
        ("SELECT COUNT(*) FROM visits FULL JOIN clinics USING (clinic)", "public.join-kind"),
        ("SELECT COUNT(*) FROM visits JOIN clinics ON clinics.clinic = visits.cost", "public.too-large-to-join"),
        ("WITH RECURSIVE t AS (SELECT * FROM t) SELECT COUNT(*) FROM t", "shape.recursive"),
        ("SELECT COUNT(*) FROM (SELECT * FROM visits LIMIT 5)", "shape.not-simple"),
        ("SELECT COUNT(*) FROM (SELECT DISTINCT age FROM visits)", "shape.not-simple"),
        ("SELECT COUNT(*) FROM (SELECT age FROM visits UNION SELECT age FROM visits)", "shape.union-of-values"),
        ("SELECT COUNT(*) FROM (SELECT age FROM visits EXCEPT SELECT age FROM visits)", "shape.set-operation"),
        (
            "SELECT COUNT(*) FROM (SELECT age FROM visits WHERE age < 9 UNION ALL SELECT age FROM visits)",
            "shape.union-that-overlaps",
        ),
        ("SELECT SUM(b) FROM (SELECT age FROM visits) AS t", "query.unknown-column"),
    ],
)
def test_what_cannot_be_taken_apart_is_refused(question, code):
    with pytest.raises(PartitaError) as caught:
        read(question, [VISITS], PUBLIC)
    assert caught.value.code == code


INNER = "SELECT patient, MAX(cost) AS most FROM visits GROUP BY patient"
BOTH = "SELECT COUNT(*) FROM (SELECT age FROM visits WHERE age < 9 UNION ALL"


@pytest.mark.parametrize(
    ("question", "code"),
    [
        ("SELECT COUNT(*) FROM ((SELECT * FROM visits) LIMIT 5)", "shape.not-simple"),
        ("SELECT COUNT(*) FROM (SELECT * FROM visits) TABLESAMPLE 10%", "shape.not-simple"),
        ("WITH v AS ((SELECT * FROM visits) LIMIT 3) SELECT COUNT(*) FROM v", "shape.not-simple"),
        ("(SELECT COUNT(*) FROM visits) LIMIT 0", "shape.not-simple"),
        (f"{BOTH} (SELECT age FROM visits WHERE age > 9 LIMIT 1))", "shape.not-simple"),
        (f"{BOTH} SELECT age FROM visits WHERE age > 9 LIMIT 1)", "shape.not-simple"),
        (f"{BOTH} SELECT DISTINCT age FROM visits WHERE age > 9)", "shape.not-simple"),
        (f"{BOTH} SELECT age FROM visits TABLESAMPLE 10% WHERE age > 9)", "shape.not-simple"),
        (f"SELECT COUNT(*) FROM ({INNER} LIMIT 2)", "shape.not-simple"),
        (f"SELECT COUNT(*) FROM ({INNER} QUALIFY ROW_NUMBER() OVER () < 3)", "shape.not-simple"),
        (
            "SELECT COUNT(*) FROM (SELECT DISTINCT MAX(cost) AS most FROM visits GROUP BY patient)",
            "shape.not-simple",
        ),
        (f"SELECT COUNT(*) FROM ({INNER}) AS g JOIN visits ON TRUE", "shape.join-of-gathered"),
        (f"SELECT COUNT(*) FROM ({INNER}) AS g JOIN clinics ON g.most = clinics.beds", "shape.join-of-gathered"),
    ],
)
def test_no_part_of_a_question_is_passed_over_in_silence(question, code):
    with pytest.raises(PartitaError) as caught:
        read(question, [VISITS], PUBLIC)
    assert caught.value.code == code
