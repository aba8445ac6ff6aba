"""Questions that once faulted where a row met a condition and answered where none did: now no row decides."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

import partita as pt
from partita.engine.duckdb import DuckDB
from partita.sampling.bits import TestBits

ALICE = {"who": "alice", "age": 42, "cost": "13.37", "debt": -5, "day": "2025-06-06", "kind": "a"}
BOB = {"who": "bob", "age": 17, "cost": "1.50", "debt": 3, "day": "2025-01-07", "kind": "b"}
GONE = {"who": "carol", "age": None, "cost": None, "debt": None, "day": None, "kind": None}
TINY, HUGE = "0." + "0" * 29 + "1", "1" + "0" * 30
A = "CASE WHEN age = 42 THEN 0 END"


def apart(near: int, terms: int) -> str:
    """A small difference of sums whose terms fit a type each, and not together; no rule puts them together."""
    one, other = (
        " + ".join(f"CASE WHEN {column} > {at} THEN {near} ELSE {near - 1} END" for at in range(terms))
        for column in ("cost", "debt")
    )
    return f"{one} - ({other})"


OWNED = "(SELECT who, {} AS x FROM t GROUP BY who) AS g"
QUESTIONS = {
    "unit factor in a sum": f"SELECT SUM({A} + cost * {TINY}) AS s FROM t",
    "unit factor in COALESCE": f"SELECT SUM(COALESCE({A}, cost * {TINY})) AS s FROM t",
    "unit factor in CASE": f"SELECT SUM(CASE WHEN age = 42 THEN {A} ELSE cost * {TINY} END) AS s FROM t",
    "unit factor in WHERE": f"SELECT COUNT(*) AS s FROM t WHERE {A} < cost * {TINY}",
    "unit factor in CLAMP": f"SELECT SUM(CLAMP({A}, 0, {TINY})) AS s FROM t",
    "unit factor in COVAR": f"SELECT COVAR_POP({A} + cost * {TINY}, age) AS s FROM t",
    "unit factor in CORR": f"SELECT CORR({A} + cost * {TINY}, age) AS s FROM t",
    "unit factor in a count": f"SELECT COUNT({A} + cost * {TINY}) AS s FROM t",
    "unit factor in a quantile": f"SELECT MEDIAN(CLAMP({A} + cost * {TINY}, 0, 1)) AS s FROM t",
    "partial sum in 64 bits": f"SELECT SUM({apart(2**62, 3)}) AS s FROM t WHERE age = 42",
    "partial sum in 128 bits": f"SELECT SUM(CLAMP({apart(2**123, 20)}, 0, 9)) AS s FROM t WHERE age = 42",
    "partial sum in WHERE": f"SELECT COUNT(*) AS s FROM t WHERE age = 42 AND {apart(2**62, 3)} > 5",
    "partial product": f"SELECT SUM(CLAMP(age * age * {HUGE} * {HUGE} * 0.{'0' * 50}1, 0, 9)) AS s FROM t",
    "product with zero": f"SELECT SUM({A} * (age * {HUGE})) AS s FROM t",
    "ends of CLAMP": f"SELECT SUM(CLAMP(age, 500, {HUGE})) AS s FROM t",
    "ends of CLAMP beyond all types": f"SELECT SUM(CLAMP(age, 500, {HUGE}{HUGE})) AS s FROM t",
    "ends of CLAMP of an owner": f"SELECT SUM(x) AS s FROM {OWNED.format(f'MAX(CLAMP(age, -{HUGE}, {HUGE}))')}",
    "ends of CLAMP in an inner WHERE": (
        f"SELECT SUM(x) AS s FROM (SELECT who, MAX(age) AS x FROM t WHERE CLAMP(age, -{HUGE}, {HUGE}) > debt "
        f"GROUP BY who) AS g"
    ),
    "wide buckets": "SELECT BUCKET(debt, 9223372036854775807) AS k, COUNT(*) AS s FROM t GROUP BY k",
    "wider buckets": f"SELECT BUCKET(debt, {HUGE}) AS k, COUNT(*) AS s FROM t GROUP BY k",
    "average of an owner": f"SELECT SUM(x) AS s FROM {OWNED.format('CLAMP(AVG(debt * 1000000000000000), 0, 9)')}",
    "average of nothing": f"SELECT COUNT(x) AS s FROM {OWNED.format('AVG(age)')}",
    "least of an owner": f"SELECT SUM(x) AS s FROM {OWNED.format('MIN(age / 0)')}",
    "sum of an owner": f"SELECT SUM(x) AS s FROM {OWNED.format('CLAMP(SUM(age * 10000000000000000), 0, 9)')}",
    "variance": "SELECT VAR_POP(age * 1000000) AS s FROM t",
    "days": "SELECT MEDIAN(day) AS s FROM t",
}


@pytest.fixture
def faults(monkeypatch: pytest.MonkeyPatch) -> list[Exception]:
    """What the engine itself raised, however the curator hides it."""
    found: list[Exception] = []
    compute = DuckDB.compute

    def watched(self: DuckDB, program: Any) -> Any:
        try:
            return compute(self, program)
        except Exception as problem:
            found.append(problem)
            raise

    monkeypatch.setattr(DuckDB, "compute", watched)
    return found


ROWS: tuple[list[dict[str, Any]], ...] = ([BOB], [], [BOB, GONE, *[ALICE] * 12])


@cache
def engine(place: int) -> DuckDB:
    """Rows, opened once for all questions."""
    import pyarrow as pa

    rows = ROWS[place]

    kinds = {"who": pa.string(), "age": pa.int64(), "cost": pa.string(), "debt": pa.int64()}
    kinds |= {"day": pa.string(), "kind": pa.string()}
    source = pa.table({name: pa.array([row[name] for row in rows], kind) for name, kind in kinds.items()})
    columns = {
        "who": pt.identifier(),
        "age": pt.integers(0, 120),
        "cost": pt.decimals(0, 20_000, step="0.01"),
        "debt": pt.integers(-1000, 1000),
        "day": pt.dates("2025-01-01", "2025-12-31"),
        "kind": pt.categories("a", "b"),
    }
    return DuckDB([pt.Table("t", source=source, columns=columns)])


def outcome(place: int, question: str) -> tuple[str, tuple[Any, ...]]:
    """What an analyst sees besides the noise: answered or why not, and the bill."""
    opened = engine(place)
    tables = list(opened.tables.values())
    promise = pt.Promise(pt.users("who", rows=20), pt.Pure(epsilon=1))
    curator = pt.Curator(tables=tables, promises=[promise], ledger=":memory:", backend=opened, bits=TestBits(3))
    try:
        curator.ask(question, epsilon="1e-9")
    except pt.PartitaError as refusal:
        return refusal.message, curator.spent()
    return "answered", curator.spent()


@pytest.mark.parametrize("question", QUESTIONS.values(), ids=QUESTIONS.keys())
def test_no_row_decides_whether_a_question_is_answered(question: str, faults: list[Exception]) -> None:
    without, *others = (outcome(place, question) for place in range(len(ROWS)))
    assert others == [without] * 2
    assert not faults
