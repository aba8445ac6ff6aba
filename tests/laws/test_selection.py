"""Open keys and caps on random tables: engines agree, owners move no more than their caps, people are counted once."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from partita.engine.duckdb import DuckDB
from partita.engine.reference import Reference, tallied
from partita.granularity import replace, rows, users
from partita.query.exact.measurements import Counted, Lengths, Owned, Summed, entries
from partita.query.exact.program import Owners, Present, Program, Rows, Total, Values, cells
from partita.query.exact.sensitivity import movement
from partita.query.language.expressions import Value, bounds
from partita.query.noise.partition_selection import affordable, people_moved
from partita.query.sql.parse import read
from partita.query.tables.truncation import Caps, Truncation, truncation
from partita.sampling.bits import TestBits
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.zcdp import ZCDP
from tests.sizes import tried
from tests.unit.query import strategies

pytestmark = pytest.mark.filterwarnings("ignore:.* is stored as TIMESTAMP.* and declared as dates")

TABLE = strategies.table()
OWNERS = st.builds(
    Truncation,
    owner=st.just("who"),
    rows=st.integers(1, 4),
    key=st.sampled_from(["k", "it's"]),
    per=st.sampled_from([None, "f"]),
)
CAPS = st.builds(Caps, rows=st.none() | st.integers(1, 3), groups=st.none() | st.integers(1, 2))
KEYS = st.sampled_from(
    ["t", "t, d", "t, BUCKET(a, 2)", "DATE_TRUNC('week', f)", "d, g", "b", "c", "DATE_TRUNC('month', f), t"]
)
Stored = list[dict[str, Any]]


def programs(table: Any, key: str, where: str, cap: Truncation | None) -> Program:
    plan = read(f"SELECT COUNT(*) AS n FROM things{where} GROUP BY {key}", [table])
    tallies = (Rows(), Present(Value("a")), Total(Value("c")), Owners(), Values(Value("b")))
    return Program(table, plan.where, cells(plan.keys, plan.where), tallies, cap, plan.opened)


@pytest.mark.soak
@settings(max_examples=tried(20, soaking=4000))
@given(
    st.lists(st.tuples(KEYS, st.sampled_from(["", " WHERE a > 0", " WHERE b < c"])), min_size=2, max_size=3),
    strategies.stored_tables(),
    OWNERS,
    CAPS,
)
def test_duckdb_agrees_with_the_reference_on_open_keys_and_caps(asked, stored, cap, caps):
    """Questions of one table, with caps of every kind: the rows are taken in once, which is most of the work."""
    table = strategies.table(stored)
    every = [(*question, limit) for question in asked for limit in (None, cap, cap.capped(caps))]
    reference, engine = Reference([table]), DuckDB([table], threads=1)
    expected = [reference.run(programs(table, *one)).tolist() for one in every]
    assert [engine.run(programs(table, *one)).tolist() for one in every] == expected
    engine.close()
    with tempfile.TemporaryDirectory() as folder:
        parquet.write_table(stored, Path(folder) / "rows.parquet")
        file = strategies.table(Path(folder) / "rows.parquet")
        engine = strategies.in_place(file)
        if engine is None:
            return
        assert [engine.run(programs(file, *one)).tolist() for one in every] == expected
        engine.close()


@pytest.mark.parametrize("key", ["t, d", "t, BUCKET(a, 2)", "d, t", "t, CASE d WHEN 'x' THEN 1 ELSE 2 END", "t, f"])
def test_keys_are_named_from_the_same_rows_that_are_counted_in_them(key):
    """An owner's groups are capped once, by all keys: a group with a text that nobody was counted for cannot be."""
    stored = [
        {"who": i % 7, "t": "sutvw"[i * i % 5], "d": "xyz"[i % 3], "a": i % 4, "f": "2024-02-10"} for i in range(60)
    ]
    table = strategies.table(stored)
    engine, reference = DuckDB([table], threads=1), Reference([table])
    for groups in (1, 2):
        program = programs(table, key, "", Truncation("who", 9, "key").capped(Caps(groups=groups)))
        assert engine.run(program).tolist() == reference.run(program).tolist()
    engine.close()


def tallies_of(found: np.ndarray[Any, Any], names: int) -> dict[Any, Any]:
    """Lines of open keys by key, whatever other keys there are."""
    lines: dict[Any, list[Any]] = {}
    for line in found.tolist():
        lines.setdefault(tuple(line[:names]), []).append(line[names:])
    return lines


def moved(key: str, measurement: Any, before: Stored, after: Stored, cap: Truncation) -> Lengths:
    plan = read(f"SELECT COUNT(*) AS n FROM things GROUP BY {key}", [TABLE])
    tallies = tuple(dict.fromkeys(tally for entry in entries(measurement) for tally in entry))
    program = Program(TABLE, plan.where, cells(plan.keys, plan.where), tallies, cap, plan.opened)
    names, skip = len(plan.opened), 1 if plan.opened else 0
    sides = [tallies_of(tallied(program, side), names) for side in (before, after)]
    nothing = [[0] * (skip + len(tallies))] * program.cells.count
    change = []
    for group in {*sides[0], *sides[1]}:
        for old, new in zip(sides[0].get(group, nothing), sides[1].get(group, nothing), strict=True):
            far = [mine - theirs for mine, theirs in zip(old[skip:], new[skip:], strict=True)]
            for entry in entries(measurement):
                change.append(abs(sum(entry.get(tally, 0) * one for tally, one in zip(tallies, far, strict=True))))
    return Lengths(sum(change), sum(one**2 for one in change), max(change, default=0))


@settings(max_examples=150)
@given(KEYS, st.lists(strategies.rows(), max_size=5), st.lists(strategies.rows(), max_size=6), OWNERS, CAPS)
def test_an_owner_moves_a_capped_result_no_further_than_the_caps_allow(key, table, own, cap, caps):
    cap = cap.capped(caps)
    others = [{**row, "who": row["who"] if row["who"] != 1 else 4} for row in table]
    day = {} if cap.per is None else {"f": "2024-02-10"}
    mine = [{**row, "who": 1, **day} for row in own]
    granularity = users("who", rows=cap.rows, per=cap.per)
    for measurement in (Counted(), Owned(), Summed(Value("a"), bounds(Value("a"), TABLE.domain))):
        far = moved(key, measurement, others, [*others, *mine], cap)
        groups = cap.most if cap.groups is None else cap.groups
        most = movement(measurement, granularity, groups=groups, partial=False, truncation=cap).unit
        assert far.l1 <= most.l1
        assert far.l2_squared <= most.l2_squared
        assert far.linf <= most.linf


def people(table: Stored, cap: Truncation | None) -> dict[Any, int]:
    plan = read("SELECT COUNT(*) AS n FROM things GROUP BY t", [TABLE])
    found = tallied(Program(TABLE, plan.where, cells(plan.keys, plan.where), (Rows(),), cap, plan.opened), table)
    return {line[0]: line[1] for line in found.tolist() if line[0] is not None}


def apart(before: Stored, after: Stored, cap: Truncation | None) -> list[int]:
    one, other = people(before, cap), people(after, cap)
    return [far for key in {*one, *other} if (far := abs(one.get(key, 0) - other.get(key, 0)))]


@settings(max_examples=150)
@given(st.lists(strategies.rows(), max_size=6), strategies.rows(), strategies.rows(), OWNERS, CAPS)
def test_people_are_counted_once_for_each_of_few_keys(table, old, new, cap, caps):
    for limit in (None, cap):
        one, other = people_moved(rows(), limit), people_moved(replace(), limit)
        assert sum(apart(table, [*table, new], limit)) <= one.unit.l1 == (one.swap or one.row).l1
        assert sum(apart([*table, old], [*table, new], limit)) <= other.unit.l1 == other.substitution.l1
    capped = cap.capped(caps)
    others = [{**row, "who": row["who"] if row["who"] != 1 else 4} for row in table]
    day = {} if cap.per is None else {"f": "2024-02-10"}
    found = apart(others, [*others, *({**row, "who": 1, **day} for row in (old, new, *table[:2]))], capped)
    assert max(found, default=0) <= 1 == people_moved(users("who", rows=cap.rows), capped).unit.l1
    assert len(found) <= min(capped.most, capped.groups or capped.most)


@pytest.mark.parametrize(
    "budget", [Approximate(epsilon=1, delta="0.05"), ZCDP(rho="0.1", delta="0.05")], ids=["ε", "ρ"]
)
@pytest.mark.parametrize(("steps", "keys"), [(1, 1), (1, 3), (2, 1)])
def test_keys_that_only_the_differing_people_have_are_named_as_seldom_as_delta_says(budget, steps, keys):
    chosen = affordable(budget, steps, keys)
    bits, rounds = TestBits(7), 4000
    exclusive = {f"k{place}": 1 if keys > 1 else steps for place in range(keys)}
    named = sum(bool(chosen.release(exclusive, bits=bits)) for _ in range(rounds))
    assert named <= 0.05 * rounds + 5 * (0.05 * 0.95 * rounds) ** 0.5
    assert len(chosen.release({"crowd": 10**6}, bits=bits)) == 1


def test_which_groups_of_an_owner_count_depends_on_the_owner_alone():
    cap = Truncation("who", 9, "key", groups=1)
    mine = [{"who": 1, "t": text, "a": 1} for text in ("s", "u", "v")]
    alone = people(mine, cap)
    assert len(alone) == 1
    crowd = [{"who": who, "t": text, "a": 1} for who in range(2, 60) for text in ("s", "u", "v")]
    both = people([*mine, *crowd], cap)
    without = people(crowd, cap)
    assert {key: both[key] - without.get(key, 0) for key in both if both[key] != without.get(key, 0)} == alone
    assert set(both) == {"s", "u", "v"}


def test_a_truncation_serves_the_caps_of_a_question():
    cap = truncation(TABLE, [users("who", rows=5)], "key")
    assert cap is not None
    assert (cap.capped(Caps(rows=9)).inside, cap.capped(Caps(rows=2, groups=1)).most) == (None, 2)
