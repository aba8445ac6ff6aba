"""The columns of an answer are known before it is asked for: their names, their kinds, and which have error bars."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

import partita as pt
from partita.query.answer.kinds import Kind, kind_of

VISITS = pt.Table(
    "visits",
    [
        {"age": i % 90, "sex": "FM"[i % 2], "cost": f"{i % 7}.25", "day": date(2025, 1, 1 + i % 30),
         "seen": datetime(2025, 1, 1 + i % 30, 5, tzinfo=UTC), "ill": i % 3 == 0, "name": f"n{i % 3}"}
        for i in range(300)
    ],
    {
        "age": pt.integers(0, 120),
        "sex": pt.categories("F", "M"),
        "cost": pt.decimals(0, 10, step="0.01"),
        "day": pt.dates("2025-01-01", "2025-01-31"),
        "seen": pt.timestamps("2025-01-01", "2025-02-01", step="1h"),
        "ill": pt.booleans(),
        "name": pt.text_keys(),
    },
)  # fmt: skip
# A whole number is a number, and a decimal one is; a column of nothing but NULL is of any kind.
FITS = {Kind.NUMBER: {Kind.NUMBER, Kind.WHOLE, Kind.DECIMAL}, Kind.DECIMAL: {Kind.DECIMAL, Kind.WHOLE}}
QUESTIONS = (
    "SELECT COUNT(*) AS n, COUNT(age) AS a, SUM(age) AS s, AVG(cost) AS m, VAR_POP(age) AS v FROM visits",
    "SELECT sex, ill, COUNT(*) AS n FROM visits GROUP BY sex, ill",
    "SELECT BUCKET(cost, 0.5) AS c, COUNT(*) AS n FROM visits GROUP BY 1",
    "SELECT BUCKET(age, 10) AS c, COUNT(*) AS n FROM visits GROUP BY 1",
    "SELECT DATE_TRUNC('month', day) AS c, COUNT(*) AS n FROM visits GROUP BY 1",
    "SELECT DATE_TRUNC('day', seen) AS c, COUNT(*) AS n FROM visits GROUP BY 1",
    "SELECT EXTRACT(month FROM day) AS c, COUNT(*) AS n FROM visits GROUP BY 1",
    "SELECT CASE WHEN age < 18 THEN 'child' ELSE 'adult' END AS c, COUNT(*) * 2 AS n FROM visits GROUP BY 1",
    "SELECT MEDIAN(age) AS a, MEDIAN(cost) AS c, MEDIAN(day) AS d, MEDIAN(seen) AS s FROM visits",
    "SELECT sex, COUNT(*) > 10 AS many, COUNT(*) / 3 AS third, ROUND(AVG(age)) AS r FROM visits GROUP BY sex",
    "SELECT sex, n, n / SUM(n) OVER () AS share FROM (SELECT sex, COUNT(*) AS n FROM visits GROUP BY sex) AS x",
    "SELECT COUNT(*) AS n FROM visits WHERE age > (SELECT AVG(age) AS a FROM visits)",
    "SELECT sex, COUNT(*) AS n FROM visits GROUP BY ROLLUP (sex)",
)


@pytest.mark.parametrize("question", QUESTIONS)
def test_an_answer_is_what_its_plan_said(question):
    promises = [pt.Promise(pt.rows(), pt.ZCDP(rho=10**6, delta="1e-6"))]
    with pt.Curator(tables=[VISITS], promises=promises, ledger=":memory:", second_opinion=0) as curator:
        found = curator.described(question)
        assert curator.spent()[0].rho == 0
        answer = curator.ask(question, rho=100)
        assert [one.name for one in found] == list(answer.shown.columns)
        for one, values in zip(found, answer.shown.columns.values(), strict=True):
            known = [value for value in values if value is not None]
            assert not known or kind_of(known) in FITS.get(one.kind, {one.kind}), one
        assert set(answer.error()) == {one.name for one in found if one.noisy}
