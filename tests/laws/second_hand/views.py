"""Many tables in one engine, each seen by a curator as the only one there is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import partita as pt
from partita.engine.base import Engine
from partita.engine.duckdb import DuckDB
from partita.engine.statements.stored import Stored as Held
from tests.laws.second_hand.scenarios import Scenario
from tests.laws.second_hand.schemas import Stored
from tests.laws.second_hand.sources import made


class View(Engine):
    """One of several tables that a shared engine has attached."""

    kind = "duckdb"

    def __init__(self, shared: Engine, twin: pt.Table, shown: pt.Table) -> None:
        self.shared, self.twin, self.shown = shared, twin, shown.name
        self.tables = {shown.name: shown}

    def attach(self, table: Any) -> None:
        raise AssertionError(table)

    def compute(self, program: Any) -> Any:
        return self.shared.compute(replace(program, table=self.twin))

    def extract(self, extract: Any) -> Any:
        return self.shared.extract(replace(extract, table=self.twin))

    def cut(self, truncations: Any) -> None:
        self.shared.cut({self.twin.name: truncations[self.shown]})

    def fixed(self, truncations: Any, key: str) -> dict[str, str]:
        found = self.shared.fixed({self.twin.name: truncations[self.shown]}, key)
        return dict(zip([self.shown], found.values(), strict=False))

    def close(self) -> None:
        """The shared engine goes on."""


@contextmanager
def opened(case: Scenario, stored: list[Stored], folder: Path) -> Iterator[tuple[pt.Table, list[View]]]:
    """One engine on all tables, and a view of each of them; files are read where they are."""
    shown = pt.Table("things", source=[], columns=case.schema.columns)
    twins = [
        pt.Table(f"things{place}", source=made(case, rows, folder / f"{place}"), columns=case.schema.columns)
        for place, rows in enumerate(stored)
    ]
    mapped, known = Held._mapped, {}

    def once(self: Held, column: str, stored_name: str) -> str:
        """The same text for the same declaration and type: written once for all tables, only to be quicker."""
        key = (self.table.columns[column], self.types[column], stored_name)
        if key not in known:
            known[key] = mapped(self, column, stored_name)
        return known[key]

    with mock.patch.object(Held, "_mapped", once):
        shared = DuckDB(twins, threads=1, copied_below=0 if case.number % 2 else 2**24)
        try:
            yield shown, [View(shared, twin, shown) for twin in twins]
        finally:
            shared.close()
