# ruff: noqa: E501
"""The builder makes the plans that SQL makes, from columns with operators."""

from __future__ import annotations

from datetime import date

import pytest

import partita as pt
from partita.errors import InvalidInput, PartitaError
from partita.query.builder.frame import Frame
from partita.query.sql.parse import read
from tests.unit.query.hospital import VISITS

TABLE = Frame(VISITS)
age, beds, cost, day, sex = (pt.col(name) for name in ("age", "beds", "cost", "day", "sex"))
PAIRS = [
    (TABLE.filter(age >= 65).agg(n=pt.count()), "SELECT COUNT(*) AS n FROM visits WHERE age >= 65"),
    (
        TABLE.filter((age > 1) & ((sex == "F") | ~(beds < 3)), region="north").agg(n=pt.count()),
        "SELECT COUNT(*) AS n FROM visits WHERE age > 1 AND (sex = 'F' OR NOT beds < 3) AND region = 'north'",
    ),
    (TABLE.filter(cost == None).agg(n=pt.count()), "SELECT COUNT(*) AS n FROM visits WHERE cost IS NULL"),  # noqa: E711
    (TABLE.filter(sex != "F").agg(n=age.count()), "SELECT COUNT(age) AS n FROM visits WHERE sex <> 'F'"),
    (TABLE.filter(age.is_in([1, 2, 3])).agg(n=pt.count()), "SELECT COUNT(*) AS n FROM visits WHERE age IN (1, 2, 3)"),
    (
        TABLE.filter(day.is_between(date(2025, 2, 1), date(2025, 2, 28))).agg(n=pt.count()),
        "SELECT COUNT(*) AS n FROM visits WHERE day BETWEEN DATE '2025-02-01' AND DATE '2025-02-28'",
    ),
    (TABLE.agg(v=cost.sum() / beds.sum()), "SELECT SUM(cost) / SUM(beds) AS v FROM visits"),
    (TABLE.agg(v=(2 * age - 3).mean()), "SELECT AVG(2 * age - 3) AS v FROM visits"),
    (TABLE.agg(v=(1 - beds).sum(), w=(-beds).sum()), "SELECT SUM(1 - beds) AS v, SUM(-beds) AS w FROM visits"),
    (TABLE.agg(v=(age * beds).sum(), w=(age // 10).sum()), "SELECT SUM(age * beds) AS v, SUM(age // 10) AS w FROM visits"),
    (TABLE.agg(v=age.std(), w=age.var()), "SELECT STDDEV(age) AS v, VARIANCE(age) AS w FROM visits"),
    (TABLE.agg(v=age.median(), w=age.quantile(0.9)), "SELECT MEDIAN(age) AS v, QUANTILE(age, 0.9) AS w FROM visits"),
    (TABLE.agg(v=age.min(), w=age.max()), "SELECT MIN(age) AS v, MAX(age) AS w FROM visits"),
    (TABLE.agg(v=cost.clip(0, 100).sum()), "SELECT SUM(CLAMP(cost, 0, 100)) AS v FROM visits"),
    (TABLE.agg(v=age.fill_null(0).sum()), "SELECT SUM(COALESCE(age, 0)) AS v FROM visits"),
    (
        TABLE.agg(v=cost.sum().where(age >= 65)),
        "SELECT SUM(cost) FILTER (WHERE age >= 65) AS v FROM visits",
    ),
    (TABLE.group_by(age.bucket(10)).agg(n=pt.count()), "SELECT BUCKET(age, 10), COUNT(*) AS n FROM visits GROUP BY 1"),
    (
        TABLE.group_by(month=day.truncate("month")).agg(n=pt.count()),
        "SELECT DATE_TRUNC('month', day) AS month, COUNT(*) AS n FROM visits GROUP BY month",
    ),
    (
        TABLE.group_by(month=day.call("month"), odd=age % 2).agg(n=pt.count()),
        "SELECT MONTH(day) AS month, age % 2 AS odd, COUNT(*) AS n FROM visits GROUP BY 1, 2",
    ),
    (
        TABLE.with_columns(load=cost / 10, old=age >= 65).filter("old").agg(v=pt.sum("load"), w=pt.avg("load + 1")),
        "SELECT SUM(cost / 10) AS v, AVG(cost / 10 + 1) AS w FROM visits WHERE age >= 65",
    ),
    (
        TABLE.rollup("region", "sex").agg(n=pt.count()),
        "SELECT region, sex, COUNT(*) AS n FROM visits GROUP BY ROLLUP (region, sex)",
    ),
    (TABLE.cube("region", "sex").agg(n=pt.count()), "SELECT region, sex, COUNT(*) AS n FROM visits GROUP BY CUBE (region, sex)"),
    (
        TABLE.group_by("region").agg(n=pt.count(), m=cost.mean()).filter(pt.col("n") > 5).sort(pt.col("m").desc(), "region").limit(3, offset=1),
        "SELECT region, COUNT(*) AS n, AVG(cost) AS m FROM visits GROUP BY region HAVING COUNT(*) > 5 ORDER BY m DESC, region LIMIT 3 OFFSET 1",
    ),
    (
        TABLE.group_by("region").agg(n=pt.count(), m=cost.mean()).sort("m").select("region", "n"),
        "SELECT region, COUNT(*) AS n FROM visits GROUP BY region ORDER BY AVG(cost)",
    ),
    (
        TABLE.gather("sex", total="CLAMP(SUM(cost), 0, 500)").filter(pt.col("total") > 5).group_by("sex").agg(m=pt.col("total").mean()),
        "SELECT sex, AVG(total) AS m FROM (SELECT patient, sex, CLAMP(SUM(cost), 0, 500) AS total FROM visits GROUP BY patient, sex) WHERE total > 5 GROUP BY sex",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("built", "sql"), PAIRS, ids=[sql for _, sql in PAIRS])
def test_the_builder_makes_the_plan_that_sql_makes(built, sql):
    written = read(sql, [VISITS])
    assert built.fingerprint == written.fingerprint
    assert built.lines == written.lines
    assert [column.name for column in built.shown][-1] == [column.name for column in written.shown][-1]
    assert read(built.sql(), [VISITS]).fingerprint == written.fingerprint


def test_a_condition_has_no_truth_of_its_own():
    with pytest.raises(InvalidInput, match="Write & for and"):
        TABLE.filter(18 <= age <= 64)
    with pytest.raises(InvalidInput, match="Write & for and"):
        TABLE.filter((age > 3) and (beds > 2))


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: TABLE.filter(pt.col("nobody") > 3),
        lambda: TABLE.agg(v=pt.col("age")),
        lambda: TABLE.agg(v=age.call("x; DROP")),
        lambda: TABLE.filter(age == object()),
        lambda: TABLE.group_by("region").agg(n=pt.count()).select("m"),
        lambda: TABLE.group_by("region").agg(n=pt.count()).sort("m"),
        lambda: TABLE.group_by("region").agg(n=pt.count()).limit(-1),
        lambda: pt.col(3),  # type: ignore[arg-type]
    ],
)
def test_what_has_no_meaning_is_refused_with_our_own_words(wrong):
    with pytest.raises(PartitaError):
        wrong()


def test_a_text_stays_a_text():
    hostile = "north' OR 1 = 1 --"
    assert (pt.col("region") == hostile).text == "region = 'north'' OR 1 = 1 --'"
    assert pt.col('a"b').text == '"a""b"'
