"""Every neighbour that a declared relation allows, listed from stored rows: nothing here knows what is kept of them."""

from __future__ import annotations

import datetime as dt
import math
import random
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from partita.granularity import Granularity, Groups, Metric, Replace, Rows, Users, Windows
from tests.laws.second_hand.schemas import Row, Stored


def neighbours(unit: Granularity, table: Stored, pool: Stored, rng: random.Random) -> Iterator[Stored]:
    """Tables that the promise makes hard to tell from this one, in any order; without an end."""
    while True:
        yield _one(unit, table, pool, rng)


def _one(unit: Granularity, table: Stored, pool: Stored, rng: random.Random) -> Stored:
    match unit:
        case Rows():
            return _row(table, pool, rng)
        case Replace():
            return _changed(table, pool, rng)
        case Groups(size, inner):
            for _ in range(size):
                table = _one(inner, table, pool, rng)
            return table
        case Metric():
            return _nudged(unit, table, rng)
        case Users():
            return _owner(unit, table, pool, rng)
        case Windows():
            return _window(unit, table, pool, rng)
    raise AssertionError(unit)


def _row(table: Stored, pool: Stored, rng: random.Random) -> Stored:
    if table and rng.random() < 0.5:
        gone = rng.randrange(len(table))
        return [*table[:gone], *table[gone + 1 :]]
    at = rng.randrange(len(table) + 1)
    return [*table[:at], rng.choice(pool), *table[at:]]


def _changed(table: Stored, pool: Stored, rng: random.Random) -> Stored:
    if not table:
        return table
    at = rng.randrange(len(table))
    new = rng.choice(pool)
    if rng.random() < 0.5:  # all but a few columns as they were
        some = rng.sample(sorted(new), rng.randrange(1, 3))
        new = {**table[at], **{name: new[name] for name in some}}
    return [*table[:at], new, *table[at + 1 :]]


def _nudged(unit: Metric, table: Stored, rng: random.Random) -> Stored:
    """The value of one row moves by no more than one unit; what is no number does not move."""
    moving = [at for at, row in enumerate(table) if _number(row[unit.column]) is not None]
    if not moving:
        return table
    at = rng.choice(moving)
    far = float(unit.unit) * rng.choice([-1, 1, 1, -1, 0.5, -0.5, 0.9, -0.25])
    old = table[at][unit.column]
    new: Any = float(_number(old)) + far
    if isinstance(old, int) and new == int(new) and not isinstance(old, bool):
        new = int(new)
    return [*table[:at], {**table[at], unit.column: new}, *table[at + 1 :]]


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return None
    return float(value) if math.isfinite(value) and abs(value) < 10**6 else None


def owner_of(row: Row) -> str | None:
    """Whom a stored row belongs to; identifiers are compared as they are stored."""
    value = row["who"]
    return None if value is None or value != value else str(value)


def day_of(value: Any) -> Any:
    """The stored day: a time of day is dropped, and all that names no day is one and the same."""
    if isinstance(value, dt.datetime):
        return value.date()
    if isinstance(value, dt.date):
        return value
    if isinstance(value, str) and len(value) in (10, 16, 19, 21):
        try:
            return dt.date.fromisoformat(value[:10])
        except ValueError:
            return "never" if value[:4] != "0000" else "before"
    return "never"


def _owner(unit: Users, table: Stored, pool: Stored, rng: random.Random) -> Stored:
    who = rng.choice([row["who"] for row in [*table, *table, *pool[:2]]] + ["new"])
    name = owner_of({"who": who})
    per = unit.per
    mine = [row for row in table if owner_of(row) == name]
    day: Any = None
    if per is not None:
        days = [row[per] for row in [*mine, *mine, *pool]]
        day = rng.choice(days)

    def inside(row: Row) -> bool:
        return owner_of(row) == name and (per is None or day_of(row[per]) == day_of(day))

    def into(row: Row) -> Row:
        return {**row, "who": who, **({} if per is None else {per: day})}

    rest = [row for row in table if not inside(row)]
    present = len(rest) < len(table)
    if name is None:  # rows without an owner are nobody's: each unit is one of them
        nobodys = [at for at, row in enumerate(table) if owner_of(row) is None]
        if nobodys and rng.random() < 0.5:
            gone = rng.choice(nobodys)
            return [*table[:gone], *table[gone + 1 :]]
        at = rng.randrange(len(table) + 1)
        return [*table[:at], {**rng.choice(pool), "who": who}, *table[at:]]
    if present and (not unit.altered or rng.random() < 0.3):
        return rest
    if unit.altered or not present:
        new = [into(rng.choice(pool)) for _ in range(rng.choice([1, 1, 2, 3, 4]))]
        if present and rng.random() < 0.5:  # some rows stay
            new += rng.sample([row for row in table if inside(row)], 1)
        made = [*rest, *new]
        rng.shuffle(made)
        return made
    return rest


def _window(unit: Windows, table: Stored, pool: Stored, rng: random.Random) -> Stored:
    """In each of some consecutive stored days one row comes or goes, each as it likes; or one becomes another."""
    days = [day_of(row[unit.column]) for row in [*table, *table, *pool]]
    start = rng.choice(days)
    steps = [start]
    if isinstance(start, dt.date):
        back = rng.randrange(unit.width)
        first = max(1, start.toordinal() - back)
        last = min(first + unit.width, dt.date.max.toordinal())
        steps = [dt.date.fromordinal(day) for day in range(first, last)]
    made = list(table)
    for step in steps:
        here = [at for at, row in enumerate(made) if day_of(row[unit.column]) == step]
        stored = made[here[0]][unit.column] if here else step if isinstance(step, dt.date) else None
        new = {**rng.choice(pool), unit.column: stored}
        if unit.changed:
            if here:
                made[rng.choice(here)] = new
        elif here and rng.random() < 0.5:
            made.pop(rng.choice(here))
        elif rng.random() < 0.8:
            made.insert(rng.randrange(len(made) + 1), new)
    return made
