"""Test 7 of the ten: a secret row must not change the outcome, the words or the charge of any question."""

from __future__ import annotations

from typing import Any

import pytest

import partita as pt
from tests.unit.curator.hospital import hospital, visits

SECRET: dict[str, Any] = {
    "patient": "target",
    "age": 42,
    "sex": "F",
    "region": "north",
    "cost": "13.37",
    "day": "2025-06-06",
}
HOSTILE = [
    {**SECRET, "age": 2**80},
    {**SECRET, "age": -(2**70)},
    {**SECRET, "age": "forty-two"},
    {**SECRET, "age": None},
    {**SECRET, "cost": "NaN"},
    {**SECRET, "cost": "1e400"},
    {**SECRET, "cost": "-inf"},
    {**SECRET, "region": "atlantis\x00"},
    {**SECRET, "day": "0000-00-00"},
    {**SECRET, "sex": ""},
]
QUESTIONS = [
    "SELECT COUNT(*) AS n FROM visits WHERE 1/(age-42) > -9",
    "SELECT SUM(1/(age-42)) AS n FROM visits",
    "SELECT SUM(LOG(age-42)) AS n FROM visits",
    "SELECT SUM(CAST(region AS INTEGER)) AS n FROM visits",
    "SELECT SUM(age * 9223372036854775807) AS n FROM visits",
    "SELECT SUM(age % (age - 42)) AS n FROM visits",
    "SELECT COUNT(*) AS n FROM visits WHERE SQRT(age - 43) > 0",
    "SELECT SUM(cost * cost * cost) AS n FROM visits",
    "SELECT AVG(cost) AS n FROM visits WHERE age = 42",
    "SELECT region, COUNT(*) AS n FROM visits GROUP BY region",
    "SELECT SUM(CASE WHEN age = 42 THEN cost ELSE 0 END) AS n FROM visits",
]


def outcome(rows: list[dict[str, Any]], question: str) -> tuple[str, str, tuple[pt.Pure, ...]]:
    """What an analyst can see besides the noise: the kind of outcome, its words, and the bill."""
    text = [{key: None if value is None else str(value) for key, value in row.items()} for row in rows]
    curator = hospital(rows=text, promises=[pt.Promise(pt.rows(), pt.Pure(epsilon=2))])
    try:
        answer = curator.ask(question, epsilon=1)
    except pt.PartitaError as refusal:
        return type(refusal).__name__, refusal.message, curator.spent()
    return "answer", ",".join(answer.result.columns), curator.spent()


@pytest.mark.parametrize("question", QUESTIONS)
def test_no_outcome_depends_on_one_row(question: str) -> None:
    without = outcome(visits(60), question)
    for row in [SECRET, *HOSTILE]:
        assert outcome([*visits(60), row], question) == without
