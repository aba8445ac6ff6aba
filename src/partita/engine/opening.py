"""Opens the engine that a custodian names."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from partita.engine.base import Engine
from partita.errors import curator as refuse
from partita.query.schema import Table

BACKENDS: Final = ("duckdb", "reference")


def open_engine(backend: str | Engine, tables: Iterable[Table]) -> Engine:
    """The engine of this name over these tables; an engine that is open already is taken as it is."""
    if isinstance(backend, Engine):
        return backend
    match backend:
        case "duckdb":
            from partita.engine.duckdb import DuckDB

            return DuckDB(tables)
        case "reference":
            from partita.engine.reference import Reference

            return Reference(tables)
        case _:
            raise refuse.unknown_backend(backend, BACKENDS)
