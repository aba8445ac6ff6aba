"""Opens the engine that a custodian names."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from partita import engine as folder
from partita.engine.base import Engine
from partita.errors import curator as refuse
from partita.errors import engine as refuse_engine
from partita.query.tables.people import People
from partita.query.tables.schema import Table
from partita.registry import members

if TYPE_CHECKING:
    BACKENDS: tuple[str, ...]


def open_engine(
    backend: str | Engine,
    tables: Iterable[Table],
    people: People | None = None,
    key: str = "",
    *,
    database: object = None,
) -> Engine:
    """The engine of this name over these tables; one that is open already is taken if it reads rows as declared here.

    For ``people`` it keeps rows by the ledger's ``key``, and answers questions about joined tables. ``database`` is
    where an engine finds its tables that is a server.
    """
    if isinstance(backend, Engine):
        if database is not None:
            raise refuse_engine.needs_no_address(backend.kind)
        return _as_declared(backend, tables, people)
    known = _engines()
    if backend not in known:
        raise refuse.unknown_backend(backend, tuple(sorted(known)))
    if known[backend].addressed:
        if database is None and not known[backend].alone:
            raise refuse_engine.needs_address(backend)
        return known[backend](tables, people, key, database=database)  # type: ignore[call-arg]
    if database is not None:
        raise refuse_engine.needs_no_address(backend)
    return known[backend](tables, people, key)


def addressed(backend: str) -> bool:
    """Whether an engine is a server, whose tables are no files."""
    return _engines()[backend].addressed


def _as_declared(engine: Engine, tables: Iterable[Table], people: People | None) -> Engine:
    """The engine, if it sanitises each row as these tables say: prices are proven for what they say alone.

    Which rows of people are kept is decided by the ledger's key when an engine opens, so one that is open already kept
    others, or all; and where it kept some for people, one row more or less lets another in.
    """
    if people is not None or engine.people is not None:
        raise refuse_engine.opened_for_people()
    for table in tables:
        held = engine.tables.get(table.name)
        if held is None:
            raise refuse_engine.not_attached(table.name)
        if held.digest != table.digest:
            raise refuse_engine.other_declaration(table.name)
    return engine


def __getattr__(name: str) -> object:
    """``BACKENDS``, the names of all engines: found when it is first asked for, since their drivers are heavy."""
    if name == "BACKENDS":
        return tuple(sorted(_engines()))
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _engines() -> dict[str, type[Engine]]:
    # mypy sees an abstract family; the registry lists only members that can be made.
    return members(Engine, folder)  # type: ignore[type-abstract]
