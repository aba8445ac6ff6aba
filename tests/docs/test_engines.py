"""The table of what each engine supports says what the code does."""

from __future__ import annotations

from pathlib import Path

import pytest

from partita import engine as folder
from partita.engine.base import Engine
from partita.registry import members

ROOT = Path(__file__).resolve().parents[2]
ENGINES = {name: one for name, one in members(Engine, folder).items() if name != "reference"}
# What an engine does that has a method of its own for it, and refuses otherwise.
ROWS = {
    "promises on users (`users`)": "fixed",
    "people across tables, joins of protected tables (`persons`)": "keep",
    "batches (`ingest`, `forget`)": "growing",
}


def table() -> list[list[str]]:
    lines = (ROOT / "docs" / "guides" / "engines.md").read_text().splitlines()
    start = next(at for at, line in enumerate(lines) if line.startswith("| | `duckdb`"))
    found = []
    for line in lines[start:]:
        if not line.startswith("|"):
            break
        found.append([cell.strip() for cell in line.strip("|").split("|")])
    return found


def test_every_engine_has_a_column():
    assert table()[0][1:] == [f"`{name}`" for name in ("duckdb", "postgres", "spark")]
    assert {f"`{name}`" for name in ENGINES} == set(table()[0][1:])


@pytest.mark.parametrize("row", ROWS)
def test_an_engine_is_said_to_do_what_it_has_a_method_for(row):
    (found,) = [line for line in table() if line[0] == row]
    for name, cell in zip(table()[0][1:], found[1:], strict=True):
        own = getattr(ENGINES[name.strip("`")], ROWS[row]) is not getattr(Engine, ROWS[row])
        assert cell.startswith("yes" if own else "refused"), (row, name)
