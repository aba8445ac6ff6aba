"""The rows that are kept of owners are the same for the life of a ledger, whatever version reads them (theory E14)."""

from __future__ import annotations

import hashlib
from contextlib import closing
from dataclasses import replace
from random import Random

import pytest

import partita as pt
from partita.engine.duckdb import DuckDB
from partita.engine.reference import Reference
from partita.granularity import persons, users
from partita.query.tables.people import People
from partita.query.tables.schema import Table
from partita.query.tables.truncation import truncation
from tests.laws.joining import COLUMNS, DAYS, KEY, LINKS, NUMBERS_STORED, OWNERS, TEXTS, TRUTHS

# Written once, by the code of November 2026. A digest that differs is another choice of rows: an owner of a ledger that
# exists would have more rows read than were promised.
FOLK = {"folk": "9fb9cf9903838da6", "buys": "a7ebe709bab648af", "bits": "77cc928b30fd549c", "seen": "95130070aba6a06f"}
CUT = {None: "774305b3396dad57", "d": "aa21f3317c222f46"}


def stored() -> dict[str, list[dict[str, object]]]:
    chance = Random(15)
    pick = chance.choice
    owners = [*OWNERS, *range(20, 26)]
    keys = [*LINKS, *range(100, 120)]
    rows: dict[str, list[dict[str, object]]] = {name: [] for name in COLUMNS}
    for _ in range(60):
        rows["folk"].append({"u": pick(owners), "a": pick(NUMBERS_STORED), "s": pick(["x", "y", "z", None])})
        rows["buys"].append({"k": pick(keys), "u": pick(owners), "p": pick(NUMBERS_STORED), "d": pick(DAYS)})
        rows["seen"].append({"u": pick(owners), "w": pick(NUMBERS_STORED), "t": pick(TEXTS)})
        rows["bits"] += [{"k": pick(keys), "q": pick(NUMBERS_STORED), "b": pick(TRUTHS)} for _ in range(3)]
    return rows


def digest(lines: list[str]) -> str:
    return hashlib.sha256("\n".join(sorted(lines)).encode()).hexdigest()[:16]


def listed(engine: DuckDB, table: Table, relation: str, *more: str) -> str:
    columns = ", ".join(f'CAST("{column}" AS VARCHAR)' for column in (*table.columns, *more))
    return digest([repr(line) for line in engine._connection.execute(f"SELECT {columns} FROM {relation}").fetchall()])


def test_rows_of_people_are_those_that_were_kept_before():
    tables = [Table(name, rows, COLUMNS[name]) for name, rows in stored().items()]
    caps = {"buys": 2, "bits": 3, "seen": 2}
    people = People(persons("u", table="folk", rows=caps, through={"bits": ("k", "buys")}), tables)
    with closing(DuckDB(tables, people, KEY)) as engine:
        found = {name: listed(engine, people[name].table, engine._stored[name].relation) for name in COLUMNS}
        kept = {name: replace(people.truncation(name, KEY), kept=True) for name in COLUMNS}
        fixed = engine.fixed(kept, "golden")
    assert found == FOLK
    with closing(Reference(tables, people, KEY)) as engine:
        assert engine.fixed(kept, "golden") == fixed


@pytest.mark.parametrize("per", [None, "d"])
def test_rows_of_users_have_the_places_of_before(per):
    columns = {**COLUMNS["buys"], "k": pt.integers(0, 9)}
    table = Table("buys", stored()["buys"] * 2, columns)
    cap = truncation(table, [users("u", rows=2, per=per)], KEY)
    with closing(DuckDB([table])) as engine:
        engine.cut({"buys": cap})
        made = engine.given("buys")
        assert listed(engine, table, made.relation, made.made("place").strip('"')) == CUT[per]
