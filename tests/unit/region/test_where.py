from __future__ import annotations

from datetime import date

import pytest

from partita.errors import InvalidInput
from partita.limits import Limits, using
from partita.region import Domain, Region, booleans, categories, dates, decimals, identifier, integers, text_keys
from partita.region import predicate as predicates
from partita.region.columns import Operator
from partita.region.predicate import And, Compare, IsNull, Not, Or, Unknown
from partita.region.where import parse

DOMAIN = Domain(
    {
        "age": integers(0, 120),
        "sex": categories("F", "M"),
        "day": dates("2025-01-01", "2025-12-31"),
        "cost": decimals(0, 100, step="0.01"),
        "smokes": booleans(),
        "word": text_keys(),
        "who": identifier(),
    }
)


@pytest.mark.parametrize(
    ("condition", "sql"),
    [
        ("age >= 65", "age >= 65"),
        ("65 <= age", "age >= 65"),
        ("NOT (age > 5)", "age <= 5"),
        ("AGE > 5 AND (age < 10)", "age BETWEEN 6 AND 9"),
        ("age = -1", "nothing"),
        ("age = 5.5", "nothing"),
        ("age <> 5", "age <= 4 OR age >= 6"),
        ("age = '5'", "age = 5"),
        ("age = NULL", "nothing"),
        ("NOT (age = NULL)", "nothing"),
        ("age IS NULL OR age > 100", "age IS NULL OR age >= 101"),
        ("age IS NOT NULL", "NOT age IS NULL"),
        ("age NOT BETWEEN 5 AND 10", "age <= 4 OR age >= 11"),
        ("age IN (1, 2, 3, 9)", "age BETWEEN 1 AND 3 OR age = 9"),
        ("sex IN ('F', NULL)", "sex = 'F'"),
        ("sex NOT IN ('F', NULL)", "nothing"),
        ("sex NOT IN ('F')", "sex IN ('M', 'OTHER')"),
        ("sex LIKE 'O%'", "sex = 'OTHER'"),
        ("sex NOT LIKE '_'", "sex = 'OTHER'"),
        ("sex NOT LIKE 'O%'", "sex IN ('F', 'M')"),
        ("cost > 1.005", "cost >= 101"),
        ("smokes", "smokes = TRUE"),
        ("NOT smokes", "smokes = FALSE"),
        ("smokes IS NOT TRUE", "smokes IS NULL OR smokes = FALSE"),
        ("(age > 5) IS FALSE", "age <= 5"),
        ("(age > 5) IS NOT FALSE", "age IS NULL OR age >= 6"),
        ("TRUE", "everything"),
        ("age > 5 OR TRUE", "everything"),
        ("age > 5 AND NULL", "nothing"),
        ("month(day) = 4", "day BETWEEN CAST('2025-04-01' AS DATE) AND CAST('2025-04-30' AS DATE)"),
        (
            "EXTRACT(quarter FROM day) = 2 AND day < '2025-05-01'",
            "day BETWEEN CAST('2025-04-01' AS DATE) AND CAST('2025-04-30' AS DATE)",
        ),
        ("NOT year(day) < 2025", "NOT day IS NULL"),
        ("day = DATE '2025-01-01'", "day = CAST('2025-01-01' AS DATE)"),
    ],
)
def test_a_condition_is_read_as_sql_means_it(condition, sql):
    assert str(Region.where(condition, DOMAIN)) == sql


@pytest.mark.parametrize(
    "condition",
    [
        "sqrt(age) > 3",
        "NOT (sqrt(age) > 3)",
        "age + 1 > 5",
        "age > cost",
        "word = 'flu'",
        "age IS DISTINCT FROM 5",
        "sex LIKE 'a\\%'",
        "CASE WHEN age > 5 THEN TRUE END",
        "age IN (SELECT 5)",
        "age > 5 OR sqrt(age) > 3",
        "NOT (age > 5 AND sqrt(age) > 3) OR age > 5",
        "(age > 5 AND sqrt(age) > 3) IS NOT TRUE",
        "age BETWEEN cost AND 5",
        "month(word) = 3",
        "(age, sex) = (1, 'F')",
        "EXISTS (SELECT 1)",
        "age BETWEEN SYMMETRIC 10 AND 5",
        "sex COLLATE NOCASE = 'f'",
        "sex ILIKE 'f'",
    ],
)
def test_what_is_not_understood_is_the_whole_domain(condition):
    assert Region.where(condition, DOMAIN).whole
    assert not parse(condition, DOMAIN).exact(DOMAIN)


def test_a_part_that_is_not_understood_narrows_nothing_but_the_rest_still_does():
    condition = parse("age > 5 AND sqrt(age) > 3 AND NOT (cost > 5 AND word = 'x')", DOMAIN)
    assert str(condition.region(DOMAIN)) == "age >= 6"
    assert condition.columns() == {"age", "cost", "word"}


@pytest.mark.parametrize(
    ("condition", "code"),
    [
        ("height > 3", "region.unknown-column"),
        ("sqrt(height) > 3", "region.unknown-column"),
        ("who = 5", "region.owner-column"),
        ("age > 5 OR length(who) > 3", "region.owner-column"),
        ("sex = 'X'", "region.unknown-category"),
        ("sex > 'F'", "region.no-order"),
        ("smokes < TRUE", "region.no-order"),
        ("smokes = 'perhaps'", "region.not-comparable"),
        ("age > 'old'", "region.not-comparable"),
        ("day > 'soon'", "region.not-comparable"),
        ("age BETWEEN 10 AND 5", "region.empty-interval"),
        ("day BETWEEN '2025-02-01' AND '2025-01-01'", "region.empty-interval"),
        ("age >", "region.unreadable"),
        ("", "region.unreadable"),
        ("age > 5; DROP TABLE t", "region.unreadable"),
        ("(" * 5000 + "age > 5" + ")" * 5000, "region.unreadable"),
        ("age > 1e99999", "number.too-long"),
    ],
)
def test_bad_conditions_are_refused_with_the_words_of_the_caller(condition, code):
    with pytest.raises(InvalidInput) as refusal:
        Region.where(condition, DOMAIN)
    assert refusal.value.code == code


def test_a_condition_outside_the_bounds_is_an_empty_region_and_no_error():
    assert Region.where("age > 500", DOMAIN).empty
    assert str(Region.where("age > 50 AND age < 10", DOMAIN)) == "nothing"


def test_a_condition_too_ragged_to_keep_is_widened_and_said_to_be_inexact():
    with using(Limits(boxes=2)):
        condition = parse("(age = 1 AND sex = 'F') OR (age = 3 AND sex = 'M') OR (age = 5 AND smokes)", DOMAIN)
        assert not condition.exact(DOMAIN)
        truth = [{"age": 1, "sex": "F"}, {"age": 3, "sex": "M"}, {"age": 5, "smokes": True}]
        assert all(record in condition.region(DOMAIN) for record in truth)


@pytest.mark.parametrize("condition", ["sqrt(age) > 3 OR age > 5", "NOT (sqrt(age) > 3 AND age > 5)", "sqrt(age) > 3"])
def test_a_part_that_is_not_understood_leaves_nothing_exact(condition):
    found = parse(condition, DOMAIN)
    assert not found.side(DOMAIN, truth=True).exact
    assert not found.exact(DOMAIN)


def test_one_side_may_be_exact_without_the_other():
    found = parse("sqrt(age) > 3 AND age > 500", DOMAIN)
    assert not found.side(DOMAIN, truth=False).exact
    assert found.region(DOMAIN).empty


def test_very_deep_conditions_are_not_understood_rather_than_fatal():
    condition: predicates.Predicate = Compare("age", Operator.ABOVE, 5)
    deep = "NOT (" * 250 + "age > 5" + ")" * 250
    try:
        assert Region.where(deep, DOMAIN).covers(condition.region(DOMAIN))
    except InvalidInput as refusal:
        assert refusal.code == "region.unreadable"  # noqa: PT017


def test_predicates_are_built_in_python_too():
    old = Compare("age", Operator.AT_LEAST, 65)
    assert (old & IsNull("sex")) == And((old, IsNull("sex")))
    assert (old | ~old) == Or((old, Not(old)))
    assert Region.where(~Unknown("?"), DOMAIN).whole


def test_a_box_is_built_from_ranges_lists_and_values():
    region = Region.box(DOMAIN, age=(18, 64), sex=["F", None], smokes=True, day=(date(2025, 1, 1), date(2025, 1, 2)))
    assert region.to_sql() == (
        "age BETWEEN 18 AND 64 AND (sex IS NULL OR sex = 'F') AND day <= CAST('2025-01-02' AS DATE) AND smokes = TRUE"
    )
    assert str(Region.box(DOMAIN, sex=None)) == "sex IS NULL"
    assert str(Region.box(DOMAIN, sex=[None])) == "sex IS NULL"
    assert str(Region.box(DOMAIN, age=[3, 7])) == "age IN (3, 7)"
    assert Region.box(DOMAIN).whole
    with pytest.raises(InvalidInput, match="empty list"):
        Region.box(DOMAIN, age=[])


def test_regions_of_other_domains_do_not_mix():
    other = Region.everything(Domain({"age": integers(0, 5)}))
    with pytest.raises(InvalidInput) as refusal:
        Region.everything(DOMAIN) & other
    assert refusal.value.code == "region.other-domain"
    assert Region.everything(DOMAIN) != other
    assert Region.everything(DOMAIN) != 5


def test_a_region_says_what_it_is():
    assert repr(Region.where("age >= 120", Domain({"age": integers(0, 120)}))) == (
        "Region(1 boxes, 1 of 122 record values)"
    )
    assert Region.nothing(DOMAIN).to_sql() == "FALSE"
    assert Region.everything(DOMAIN).to_sql() == "TRUE"
    assert Region.where("age >= 65", DOMAIN).to_sql(table="v") == "v.age >= 65"
    quoted = Domain({"Order Day": integers(0, 5), "select": integers(0, 5)})
    assert Region.box(quoted, **{"Order Day": 1, "select": 2}).to_sql() == '"Order Day" = 1 AND "select" = 2'
