"""The catalogue beside a PostgreSQL server that holds the same tables empty: statements of clients, answered alike."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest

import partita as pt
from partita.errors import PartitaError
from partita.server.wire import values
from partita.server.wire.catalogue import Catalogue, Session
from partita.server.wire.performing import Performer
from partita.server.wire.prepared import prepared
from partita.server.wire.relations import OWN, VIEWS
from partita.server.wire.scanner import sentence
from partita.server.wire.statements import Aim
from partita.server.wire.variables import Variables
from tests.laws.served import address, owner

STATEMENTS = Path(__file__).parents[2] / "golden" / "catalogue_statements.sql"
LEAST = 150
TABLES = [
    pt.Table(
        "visits",
        source=[],
        columns={
            "age": pt.integers(0, 120, missing=0),
            "sex": pt.categories("F", "M"),
            "day": pt.dates("2025-01-01", "2025-01-31"),
            "cost": pt.decimals(0, 100, step="0.01"),
        },
    ),
    pt.Table("wards", source=[], columns={"ward": pt.integers(0, 9), "open": pt.booleans()}),
]


@dataclass(frozen=True)
class Asked:
    """A statement, and why it is answered differently, if it is."""

    text: str
    differs: str


def statements() -> list[Asked]:
    found, why = [], ""
    lines: list[str] = []
    for line in STATEMENTS.read_text(encoding="utf-8").splitlines():
        if line.startswith("-- differs: "):
            why = line.removeprefix("-- differs: ")
        elif line == ";":
            found.append(Asked("\n".join(lines).strip(), why))
            lines, why = [], ""
        elif not line.startswith("--"):
            lines.append(line)
    return found


class Ours:
    """The catalogue as a connection has it."""

    def __init__(self) -> None:
        self.catalogue = Catalogue(TABLES, [], "partita")
        self.variables = Variables("ada", {})
        self.performer: Any = None

    def answered(self, text: str) -> list[Any]:
        read = prepared(sentence(text), {one.name for one in TABLES}, {})
        if read.aim is Aim.SHOW:
            outcome = Performer._shown(self, read)  # type: ignore[arg-type]
            columns, lines = outcome.columns, outcome.lines
        else:
            assert read.aim is Aim.CATALOGUE, read.aim
            session = Session("ada", "partita", 1, dict(self.variables.listed()), dict.fromkeys(VIEWS, list))
            columns, lines = self.catalogue.answered(read.said, session)
        assert columns is not None
        told = [
            [values.written(value, one.kind, 0) for value, one in zip(line, columns, strict=True)] for line in lines
        ]
        return [[one.name for one in columns], *sorted(told, key=repr)]


@pytest.fixture(scope="module")
def ours() -> Iterator[Ours]:
    found = Ours()
    yield found
    found.catalogue.close()


@pytest.fixture(scope="module")
def theirs(ours: Ours) -> Iterator[psycopg.Connection[Any]]:
    """A database with the tables that our catalogue shows, of the same names, types and comments, and no row."""
    root = owner()
    for statement in (
        "DROP DATABASE IF EXISTS partita", "DROP ROLE IF EXISTS ada", "DROP ROLE IF EXISTS partita",
        "CREATE ROLE partita LOGIN", "CREATE ROLE ada LOGIN",
        "CREATE DATABASE partita OWNER partita ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0",
    ):  # fmt: skip
        root.execute(statement)
    place = address("postgres").replace("/postgres?", "/partita?")
    with psycopg.connect(place, autocommit=True) as made:
        made.execute("CREATE EXTENSION IF NOT EXISTS plpgsql")
        made.execute("SET ROLE partita")
        shown = ours.catalogue._shown
        for one in shown:
            if one.schema == OWN or one.schema == "partita":
                continue
            columns = ", ".join(
                f'"{name}" {_type(kind)}{" NOT NULL" if filled else ""}' for name, kind, _, filled in one.columns
            )
            made.execute(f'CREATE TABLE "{one.name}" ({columns})')
            made.execute(f"COMMENT ON TABLE \"{one.name}\" IS '{one.comment}'")
            for name, _, comment, _ in one.columns:
                made.execute(f'COMMENT ON COLUMN "{one.name}"."{name}" IS \'{comment}\'')
            made.execute(f'GRANT SELECT ON "{one.name}" TO ada')
    with psycopg.connect(place.replace("postgres@", "ada@"), autocommit=True) as found:
        found.execute("SET TimeZone = 'UTC'")
        yield found


def _type(kind: int) -> str:
    return {values.INT8: "bigint", values.TEXT: "text", values.DATE: "date", values.NUMERIC: "numeric",
            values.BOOL: "boolean"}[kind]  # fmt: skip


def said(theirs: psycopg.Connection[Any], text: str) -> list[Any]:
    found = theirs.pgconn.exec_(text.encode())
    assert found.error_message == b"", found.error_message.decode()
    lines = [[found.get_value(row, column) for column in range(found.nfields)] for row in range(found.ntuples)]
    return [[found.fname(column).decode() for column in range(found.nfields)], *sorted(lines, key=repr)]


def compared(ours: Ours, theirs: psycopg.Connection[Any], text: str) -> str:
    """How the two differ; nothing if they do not."""
    there = said(theirs, text)
    try:
        here = ours.answered(text)
    except PartitaError as refusal:
        return f"refused: {refusal.message}"
    return "" if here == there else f"here {here}, there {there}"


def test_statements_of_clients_are_answered_as_a_server_answers_them(ours, theirs):
    asked = statements()
    assert len(asked) >= LEAST
    assert len({one.text for one in asked}) == len(asked)
    found = {one.text: compared(ours, theirs, one.text) for one in asked}
    unsaid = {text: how for text, how in found.items() if how and not {one.text: one for one in asked}[text].differs}
    assert unsaid == {}
    assert [one.text for one in asked if one.differs and not found[one.text]] == []
