"""Cases that once broke the promise, each as a scenario of its own: they must never come back."""

from __future__ import annotations

import datetime as dt
from typing import Any

import partita as pt
from partita.granularity import Granularity
from tests.laws.second_hand.histories import Action, asked
from tests.laws.second_hand.scenarios import Scenario
from tests.laws.second_hand.schemas import Schema, Stored


def _case(
    name: str,
    columns: dict[str, Any],
    promise: pt.Promise,
    stored: Stored,
    pool: Stored,
    *history: Action,
    source: str = "list",
) -> Scenario:
    facts: dict[str, Any] = {column: {"kind": "any"} for column in columns}
    return Scenario(name, 1, Schema(columns, {}, {}, facts, "known"), (promise,), stored, pool, list(history), source)


def _ragged() -> Scenario:
    """A region of many pieces, taken for the box around it: two rows of the box were a pair that costs nothing."""
    columns = {name: pt.integers(0, 130, missing=0) for name in "xy"} | {"z": pt.integers(100, 101, missing=100)}
    pool = [{"x": x, "y": y, "z": 101} for x in (2, 7, 9) for y in (2, 3)]
    where = "WHERE (x % 2 = 0 OR x = 7) AND y % 2 = 0"
    return _case(
        "ragged regions", columns, pt.Promise(pt.replace(), pt.ZCDP(rho=10)), pool[:2], pool,
        *(asked(f"SELECT {what} AS n FROM things {where}", rho=2) for what in ("COUNT(*)", "SUM(z)")),
    )  # fmt: skip


def _open_keys() -> Scenario:
    """Rows with equal declared values and other open keys were left out of the pairs."""
    columns = {
        "a": pt.integers(0, 3, missing=0),
        "d": pt.categories("x", "y", other="x", missing="x"),
        "t": pt.text_keys(),
    }
    pool = [{"a": 1, "d": "x", "t": key} for key in ("s", "u")]
    history = [
        asked(f"SELECT t, {what} AS n FROM things WHERE a = 1 AND d = 'x' GROUP BY t", epsilon=1, delta="0.01")
        for what in ("COUNT(*)", "SUM(a)")
    ]
    budget = pt.Approximate(epsilon=2, delta="0.5")
    return _case("open keys", columns, pt.Promise(pt.replace(), budget), [*pool, *pool, *pool], pool, *history)


def _user_days() -> Scenario:
    """Stored days outside the declared range shared the cell of a real day, and its cap."""
    columns = {"who": pt.identifier(), "a": pt.integers(0, 3, missing=0), "f": pt.dates("2024-03-01", "2024-03-09")}
    days = [dt.date(2024, 3, 1), dt.date(2024, 2, 1), dt.date(2024, 1, 7), None, "soon", dt.date(2024, 4, 1)]
    pool = [{"who": "p", "a": place % 4, "f": day} for place, day in enumerate(days)]
    history = [
        asked(f"SELECT COUNT(*) AS n FROM things WHERE a = {value}", epsilon=1, reuse=False) for value in range(4)
    ]
    return _case(
        "user-days", columns, pt.Promise(pt.users("who", rows=1, per="f"), pt.Pure(epsilon=4)), pool, pool, *history
    )


def _frames(name: str, unit: Granularity) -> Scenario:
    """One row without a number made floats of a frame's integers, and other texts of everybody's."""
    columns = {"who": pt.identifier(), "d": pt.categories(1, 2, 3), "t": pt.text_keys(), "a": pt.integers(0, 9)}
    stored = [{"who": who, "d": 1 + place % 3, "t": place, "a": place} for who in (1, 2, 3) for place in range(5)]
    pool = [{"who": 4, "d": None, "t": 1, "a": 1}, {"who": 4, "d": 2, "t": None, "a": 1}]
    pool += [{"who": None, "d": 1, "t": 1, "a": 1}]
    history = [asked(f"SELECT {key}, COUNT(*) AS n FROM things GROUP BY {key}", rho=1) for key in ("d", "a")]
    return _case(name, columns, pt.Promise(unit, pt.ZCDP(rho=10)), stored, pool, *history, source="frame")


KNOWN = {
    case.name: case
    for case in (
        _ragged(),
        _open_keys(),
        _user_days(),
        _frames("frames of rows", pt.rows()),
        _frames("frames of owners", pt.users("who", rows=1)),
    )
}
