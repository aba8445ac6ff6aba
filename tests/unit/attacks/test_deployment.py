"""A configuration is audited on made-up neighbours: honest ones stand, broken ones are found out."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import partita as pt
from partita.attacks.audits import deployment, suite
from partita.attacks.audits.neighbours import neighbours
from partita.engine.duckdb import DuckDB
from partita.sampling.bits import TestBits

COLUMNS: dict[str, Any] = {
    "patient": pt.identifier(),
    "age": pt.integers(-20, 120),
    "sex": pt.categories("F", "M"),
    "cost": pt.decimals(0, 100, step="0.5"),
    "day": pt.dates("2025-01-01", "2025-01-31"),
    "well": pt.booleans(),
}
VISITS = pt.Table("visits", source="nowhere.parquet", columns=COLUMNS)

# For each granularity how many rows one neighbour may have that the other has not.
UNITS = [
    (pt.rows(), 1, 0),
    (pt.replace(), 1, 1),
    (pt.users("patient", rows=3), 3, 0),
    (pt.users("patient", rows=2, altered=True), 2, 2),
    (pt.groups(4), 4, 0),
    (pt.groups(2, pt.replace()), 2, 2),
    (pt.windows("day", width=5), 5, 0),
    (pt.windows("day", width=5, changed=True), 5, 5),
    (pt.metric("cost", unit=3), 1, 1),
]
PROMISES = {
    "rows, ρ": [pt.Promise(pt.rows(), pt.ZCDP(rho="0.5", delta="1e-6"))],
    "users and rows, ε": [
        pt.Promise(pt.users("patient", rows=3), pt.Pure(epsilon=2)),
        pt.Promise(pt.rows(), pt.Pure(epsilon=1)),
    ],
    "change-one, μ": [pt.Promise(pt.replace(), pt.GDP(mu=1))],
    "groups, ε and δ": [pt.Promise(pt.groups(3), pt.Approximate(epsilon=2, delta="1e-6"))],
    "windows": [pt.Promise(pt.windows("day", width=3), pt.Pure(epsilon=2))],
}


@pytest.mark.parametrize(("unit", "more", "fewer"), UNITS, ids=[str(unit) for unit, _, _ in UNITS])
def test_neighbours_differ_in_one_unit_and_in_nothing_else(unit, more, fewer):
    pairs = list(neighbours(VISITS, unit, bits=TestBits(3)))
    assert pairs
    for pair in pairs:
        first, second = (Counter(str(row) for row in table.source) for table in (pair.first, pair.second))
        assert (first - second).total() == more
        assert (second - first).total() == fewer
        assert pair.first.domain == VISITS.domain


@pytest.mark.slow
@pytest.mark.parametrize("name", PROMISES)
def test_answers_show_no_more_than_they_are_charged(name):
    bits = TestBits(11)
    found = list(
        suite.run(
            [
                *deployment.cases([VISITS], PROMISES[name], bits=bits),
                *deployment.controls([VISITS], PROMISES[name], bits=bits),
            ],
            trials=800,
            single_trials=200,
        )
    )
    assert sum(not verdict.case.broken for verdict in found) >= 8
    assert any(verdict.case.broken for verdict in found)
    assert [verdict.case.name for verdict in found if not verdict.as_expected] == []
    assert not deployment.not_audited([VISITS], PROMISES[name], bits=bits)


def test_a_cost_that_is_told_too_low_is_found_out():
    promise = [pt.Promise(pt.rows(), pt.Pure(epsilon=8))]
    honest = next(deployment.cases([VISITS], promise, bits=TestBits(2)))
    told = replace(honest, claims=(pt.Pure(epsilon=Fraction(1)),))
    standing, refuted = suite.run([honest, told], trials=4000, single_trials=100)
    assert standing.as_expected
    assert refuted.refuted


def test_what_is_visible_besides_the_noise_is_the_same_for_neighbours():
    found = list(deployment.seen([VISITS], PROMISES["users and rows, ε"], bits=TestBits(4)))
    assert len(found) > 10
    assert [one for one in found if one.difference] == []


def test_an_error_that_depends_on_a_row_is_seen(monkeypatch, heard):
    honest = DuckDB.compute

    def leaky(self: DuckDB, program: Any) -> Any:
        tallies = honest(self, program)
        if np.max(tallies) == 31:
            raise OverflowError("one row too many")
        return tallies

    monkeypatch.setattr(DuckDB, "compute", leaky)
    found = list(deployment.seen([VISITS], PROMISES["rows, ρ"], bits=TestBits(4)))
    assert any("fault" in one.difference for one in found)
    assert heard


def test_a_null_that_depends_on_a_row_is_seen(monkeypatch):
    """A mean that is not told is noise; any other NULL is not."""
    honest, shown, leaked = DuckDB.compute, pt.Answer.rows, [False]

    def leaky(self: DuckDB, program: Any) -> Any:
        tallies = honest(self, program)
        leaked[0] = bool(np.max(tallies) == 31)
        return tallies

    def rows(self: pt.Answer) -> Any:
        return [
            {name: None if leaked[0] and name == "n" else value for name, value in row.items()} for row in shown(self)
        ]

    monkeypatch.setattr(DuckDB, "compute", leaky)
    monkeypatch.setattr(pt.Answer, "rows", rows)
    found = list(deployment.seen([VISITS], PROMISES["rows, ρ"], bits=TestBits(4)))
    assert {one.difference for one in found} == {"", "kinds"}


def test_a_promise_without_known_neighbours_is_told():
    assert deployment.not_audited([VISITS], [pt.Promise(pt.nodes(stability=2), pt.Pure(epsilon=1))], bits=TestBits(1))


def test_questions_are_made_from_public_columns_alone():
    assert all("visits" in question for question in deployment.typical(VISITS))
    bare = pt.Table("t", source="nowhere.csv", columns={"who": pt.identifier()})
    assert deployment.typical(bare) == [
        'SELECT COUNT(*) AS n FROM "t"',
        'SELECT COUNT(DISTINCT "who") AS n FROM "t"',
    ]


def test_names_that_are_words_of_sql_or_of_another_alphabet_are_asked_about_too():
    odd = pt.Table(
        "order", source="nowhere.csv", columns={"select": pt.integers(0, 9), '病 "x': pt.categories("a", "b")}
    )
    found = list(deployment.cases([odd], [pt.Promise(pt.rows(), pt.Pure(epsilon=1))], bits=TestBits(1)))
    assert len(found) >= 2 * 6
