"""SQL becomes plans; what is not answered is refused with the words underlined."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partita.errors import PartitaError, QueryRefused
from partita.query.builder import aggregates as asking
from partita.query.builder.frame import Frame
from partita.query.sql.parse import read
from partita.query.tables.public import PublicTable
from partita.query.tables.schema import Table
from partita.region import integers
from tests.unit.query import strategies
from tests.unit.query.hospital import VISITS

REFUSALS = Path(__file__).parent / "refusals.txt"


def refusal(question: str) -> str:
    with pytest.raises(PartitaError) as caught:
        read(question, [VISITS])
    return f"{caught.value.code}: {caught.value.message}"


def cases() -> list[tuple[str, str]]:
    parts = REFUSALS.read_text(encoding="utf-8").strip("\n").split("\n----\n")
    return [(part.split("\n=>\n")[0], part.split("\n=>\n")[1]) for part in parts]


@pytest.mark.parametrize(("question", "said"), cases(), ids=[question for question, _ in cases()])
def test_a_refusal_underlines_the_words_and_says_what_to_write(question, said):
    assert refusal(question) == said


@pytest.mark.parametrize(
    "condition",
    [
        "age = NULL", "NULL = age", "age <> NULL", "age < (NULL)", "age = CAST(NULL AS INT)", "age IN (NULL)",
        "age NOT IN (1, NULL)", "NOT age IN (1, NULL)", "age BETWEEN NULL AND 5", "age BETWEEN 5 AND NULL",
        "age NOT BETWEEN NULL AND NULL", "sex LIKE NULL", "sex NOT LIKE NULL", "sex NOT ILIKE NULL", "age + 1 > NULL",
        "LOWER(sex) = NULL", "smoker = NULL", "age > 3 AND (sex = 'F' AND age = NULL)", "age = NULL OR NULL < age",
        "NOT (age = NULL OR sex = 'F')", "NOT NOT age = NULL",
    ],
)  # fmt: skip
def test_what_null_makes_true_of_no_row_is_refused(condition):
    """It would be charged, and answered with noise alone."""
    for question in (
        f"SELECT COUNT(*) FROM visits WHERE {condition}",
        f"SELECT SUM(age) FILTER (WHERE {condition}) FROM visits",
        f"SELECT COUNT(*) FROM (SELECT * FROM visits WHERE {condition}) v",
    ):
        assert refusal(question).startswith("query.compared-with-null: No row meets")


@pytest.mark.parametrize(
    "condition",
    [
        "age IN (1, NULL)", "age NOT BETWEEN NULL AND 5", "NOT (age BETWEEN NULL AND 5)", "age = NULL OR sex = 'F'",
        "age IS NOT DISTINCT FROM NULL", "age IS NULL", "COALESCE(age = NULL, TRUE)", "(age = NULL) IS NULL",
        "CASE WHEN age = NULL THEN 1 ELSE 0 END = 0", "NOT (age = NULL AND sex = 'F')", "age = NULLIF(age, 3)",
    ],
)  # fmt: skip
def test_where_null_leaves_some_rows_it_is_what_sql_says(condition):
    assert read(f"SELECT COUNT(*) FROM visits WHERE {condition}", [VISITS]).aggregates


SAME = [
    ("select count(*) from visits where age >= 65", "SELECT COUNT(*) AS n FROM VISITS v WHERE v.Age > 64"),
    ("select count(*) from visits where age between 1 and 3", "select count(*) from visits where age in (3, 1, 2)"),
    (
        "select count(*) from visits where not (age < 5 or sex = 'F')",
        "select count(*) from visits where age >= 5 and sex <> 'F'",
    ),
    ("select sum(cost + age) from visits", "select sum(age + cost) s from visits"),
    ("select sum(age), count(*) from visits", "select count(*) n, sum(age) s from visits"),
    (
        "select sex, region, count(*) from visits group by sex, region",
        "select count(*), region, sex from visits group by 2, 3",
    ),
    ("select count_if(age > 5) from visits", "select count(*) filter (where age > 5) from visits"),
    ("select sum(case when smoker then age end) from visits", "select sum(age) filter (where smoker) from visits"),
    ("select date_trunc('day', day), count(*) from visits group by 1", "select day, count(*) from visits group by day"),
    ("select sum(if(age > 5, 1, 0)) from visits", "select sum(case when age > 5 then 1 else 0 end) from visits"),
    (
        "select bucket(age, 10) as b, count(*) from visits group by b",
        "select count(*) from visits group by bucket(age, 10)",
    ),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_the_same_question_in_other_words_is_the_same_question(one, other):
    assert read(one, [VISITS]).fingerprint == read(other, [VISITS]).fingerprint


DIFFERENT = [
    ("select count(*) from visits", "select count(age) from visits"),
    ("select count(*) from visits where age > 5", "select count(*) from visits where age > 6"),
    ("select sum(age) from visits", "select avg(age) from visits"),
    ("select count(*) from visits group by sex", "select count(*) from visits group by region"),
    ("select count(*) from visits where age <> 5", "select count(*) from visits where age <> 5 or age is null"),
]


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_another_question_is_another_question(one, other):
    assert read(one, [VISITS]).fingerprint != read(other, [VISITS]).fingerprint


def test_names_and_order_are_as_they_were_asked_for():
    plan = read('SELECT AVG(cost)  , sex AS "Sex", COUNT( * ) FROM visits GROUP BY sex', [VISITS])
    assert [column.name for column in plan.shown] == ["AVG(cost)", "Sex", "COUNT( * )"]


@settings(max_examples=150)
@given(strategies.questions())
def test_a_plan_written_as_sql_is_read_as_the_same_plan(question):
    table = strategies.table()
    try:
        plan = read(question, [table])
    except QueryRefused:
        return
    again = read(plan.sql(), [table])
    # In an OR beside two columns a range with a hole is written as two ranges: the same rows, once in another text.
    assert again.fingerprint == plan.fingerprint or read(again.sql(), [table]).fingerprint == again.fingerprint
    assert again.where.region == plan.where.region
    assert [column.name for column in again.shown] == [column.name for column in plan.shown]


# --- the builder ------------------------------------------------------------------------------------------------


def test_the_builder_makes_the_same_plans_as_sql():
    built = (
        Frame(VISITS)
        .where("age >= 65", sex="F", region={"north", "south"})
        .where("cost > 2 * age")
        .group_by("region", decade="bucket(age, 10)")
        .agg(n=asking.count(), known=asking.count("cost"), mean=asking.avg("cost"), total=asking.sum("2 * cost"))
    )
    asked = read(
        "SELECT region, bucket(age, 10) AS decade, COUNT(*) AS n, COUNT(cost) AS known, AVG(cost) AS mean, "
        "SUM(2 * cost) AS total FROM visits WHERE age >= 65 AND sex = 'F' AND region IN ('north', 'south') "
        "AND cost > 2 * age GROUP BY region, decade",
        [VISITS],
    )
    assert built == asked
    assert built.fingerprint == asked.fingerprint


BUILT = [
    (
        lambda start: (
            start.group_by("region")
            .having("COUNT(*) > 5", "total > 3")
            .order_by("total DESC", "region")
            .limit(3, offset=1)
            .agg(total=asking.sum("cost"), share="100.0 * COUNT(*) FILTER (WHERE smoker) / COUNT(*)")
        ),
        ("SELECT region, SUM(cost) AS total, 100.0 * COUNT(*) FILTER (WHERE smoker) / COUNT(*) AS share FROM visits "
        "GROUP BY region HAVING COUNT(*) > 5 AND total > 3 ORDER BY total DESC, region LIMIT 3 OFFSET 1"),
    ),
    (
        lambda start: start.group_by(month="MONTH(day)").agg(spread="STDDEV(cost)", r="CORR(age, cost)"),
        "SELECT MONTH(day) AS month, STDDEV(cost) AS spread, CORR(age, cost) AS r FROM visits GROUP BY month",
    ),
    (
        lambda start: (
            start.where("age > 5").gather("sex", total="CLAMP(SUM(cost), 0, 900)", n="LEAST(COUNT(*), 4)")
            .where("n > 1").group_by("sex").agg(mean="AVG(total)")
        ),
        ("SELECT sex, AVG(total) AS mean FROM (SELECT patient, sex, CLAMP(SUM(cost), 0, 900) AS total, "
        "LEAST(COUNT(*), 4) AS n FROM visits WHERE age > 5 GROUP BY patient, sex) AS t WHERE n > 1 GROUP BY sex"),
    ),
    (
        lambda start: start.join("areas", on="region").group_by("part").agg(n=asking.count()),
        "SELECT part, COUNT(*) AS n FROM visits JOIN areas ON areas.region = visits.region GROUP BY part",
    ),
]  # fmt: skip
AREAS = {"areas": PublicTable("areas", [{"region": "north", "part": 1}, {"region": "east", "part": 2}], key="region")}


@pytest.mark.parametrize(("build", "question"), BUILT, ids=["lines", "moments", "gathered", "joined"])
def test_the_builder_makes_every_plan_that_sql_makes(build, question):
    built, asked = build(Frame(VISITS, public=AREAS)), read(question, [VISITS], AREAS)
    assert built.fingerprint == asked.fingerprint
    assert [column.name for column in built.shown] == [column.name for column in asked.shown]
    assert built.lines == asked.lines


def test_a_step_of_the_builder_leaves_the_step_before_as_it_was():
    start = Frame(VISITS)
    start.where("age > 5").group_by("sex")
    assert start == Frame(VISITS)


@pytest.mark.parametrize(
    ("build", "code"),
    [
        (lambda: Frame(VISITS).agg(), "query.no-aggregate"),
        (lambda: Frame(VISITS).agg(n=3), "query.not-an-aggregate"),
        (lambda: Frame(VISITS).where("age >"), "query.unreadable"),
        (lambda: Frame(VISITS).where(7), "query.not-text"),
        (lambda: Frame(VISITS).where("patient = 3"), "query.owner-column"),
        (lambda: Frame(VISITS).group_by("CONCAT(sex, cost)"), "query.not-a-key"),
        (lambda: Frame(VISITS).group_by("sex").agg(sex=asking.count()), "query.repeated-name"),
        (lambda: Frame(VISITS).agg(n=asking.sum("sex")), "query.not-numeric"),
        (lambda: Frame(VISITS).where(sex="X"), "region.unknown-category"),
    ],
)
def test_the_builder_refuses_what_sql_would(build, code):
    with pytest.raises(PartitaError) as caught:
        build()
    assert caught.value.code == code


# --- whatever people type ---------------------------------------------------------------------------------------

WORDS = st.sampled_from(
    """SELECT select FROM WHERE GROUP BY HAVING ORDER LIMIT COUNT SUM AVG MIN MEDIAN visits age sex cost day
    patient term
    ( ) * + - / % , . ; ' " = < > <> IN NOT AND OR NULL IS BETWEEN CASE WHEN THEN ELSE END AS DISTINCT OVER UNION JOIN
    ON WITH EXISTS CLAMP BUCKET DATE_TRUNC 'month' 'F' 1 0 1e400 -5 :: [ ] { } -- /* */ $$ ? @ LATERAL UNNEST PIVOT
    FILTER QUALIFY VALUES INSERT DROP ATTACH COPY read_csv('x') DATE '2025-01-01' INTERVAL TRUE COALESCE IF ROLLUP ALL
    é \x00""".split()
)


@settings(max_examples=500)
@given(st.one_of(st.lists(WORDS, max_size=25).map(" ".join), st.text(max_size=60)))
def test_whatever_is_typed_gives_a_plan_or_one_of_our_refusals(text):
    with contextlib.suppress(PartitaError):
        read(text, [VISITS])


@settings(max_examples=300)
@given(
    st.sampled_from(
        [
            "SELECT COUNT(*) FROM visits WHERE {}",
            "SELECT {} FROM visits",
            "SELECT SUM({}) FROM visits",
            "SELECT COUNT(*) FROM visits GROUP BY {}",
            "SELECT COUNT(*) FROM {}",
            "{} SELECT COUNT(*) FROM visits {}",
        ]
    ),
    st.lists(WORDS, max_size=12).map(" ".join),
)
def test_whatever_stands_in_a_good_question_gives_a_plan_or_one_of_our_refusals(frame_, words):
    with contextlib.suppress(PartitaError):
        read(frame_.replace("{}", words), [VISITS])


ABSURD = [
    "SELECT DATE() FROM visits",
    "(" * 5000,
    "SELECT " + "-" * 3000 + "1 FROM visits",
    "SELECT COUNT(*) FROM visits WHERE " + "NOT " * 3000 + "smoker",
    "SELECT SUM(" + "(" * 900 + "age" + ")" * 900 + ") FROM visits",
    "x" * 60_000,
]


@pytest.mark.parametrize("text", ABSURD, ids=range(len(ABSURD)))
def test_absurd_text_is_refused_and_not_followed(text):
    with pytest.raises(PartitaError):
        read(text, [VISITS])


@pytest.mark.parametrize("value", [None, 7, b"SELECT 1", ["SELECT 1"]])
def test_what_is_not_text_is_refused(value):
    with pytest.raises(PartitaError, match="is not a question"):
        read(value, [VISITS])


FACTS = {"facts": PublicTable("facts", [{"k": i, "w": i * 7 % 1009, "t": f"t{i}"} for i in range(600)], key="k")}
THINGS = Table("things", [{"a": 1}], {"a": integers(0, 599)})


@pytest.mark.parametrize(
    ("what", "code"),
    [
        ("w", "public.too-many-numbers"),
        ("facts.w", "public.too-many-numbers"),
        ("w + 1", "public.too-many-numbers"),
        ("t", "public.not-numbers"),
        ("v", "query.unknown-column"),
    ],
)
def test_facts_that_cannot_be_computed_with_are_refused_for_what_they_are(what, code):
    with pytest.raises(QueryRefused) as refusal:
        read(f"SELECT SUM({what}) AS s FROM things JOIN facts ON things.a = facts.k", [THINGS], FACTS)
    assert refusal.value.code == code


def test_facts_of_too_many_values_can_be_summed_once_they_are_rounded_as_advised():
    read("SELECT SUM(ROUND(w / 10) * 10) AS s FROM things JOIN facts ON things.a = facts.k", [THINGS], FACTS)
