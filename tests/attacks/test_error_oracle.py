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


Outcome = tuple[str, str, tuple[Any, ...]]


def outcomes(rows: list[dict[str, Any]]) -> list[Outcome]:
    """What an analyst can see besides the noise, at every question: the kind of outcome, its words, and the bill."""
    text = [{key: None if value is None else str(value) for key, value in row.items()} for row in rows]
    found: list[Outcome] = []
    with hospital(rows=text, promises=[pt.Promise(pt.rows(), pt.Pure(epsilon=len(QUESTIONS) + 1))]) as curator:
        for question in QUESTIONS:
            try:
                words = "answer", ",".join(curator.ask(question, epsilon=1).result.columns)
            except pt.PartitaError as refusal:
                words = type(refusal).__name__, refusal.message
            found.append((*words, curator.spent()))
    return found


@pytest.fixture(scope="module")
def without() -> list[Outcome]:
    return outcomes(visits(60))


def test_some_are_answered_and_some_refused(without: list[Outcome]) -> None:
    kinds = [kind for kind, _, _ in without]
    assert kinds.count("answer") > 2
    assert len(set(kinds)) > 1


@pytest.mark.parametrize("row", [SECRET, *HOSTILE])
def test_no_outcome_depends_on_one_row(row: dict[str, Any], without: list[Outcome]) -> None:
    assert outcomes([*visits(60), row]) == without
