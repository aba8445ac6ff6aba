"""What is said when an engine cannot be used, or fails."""

from __future__ import annotations

from partita.errors.base import EngineFault, InvalidInput


def fault() -> EngineFault:
    """The one error of an engine: the same words whatever happened, so that they tell nothing about a row."""
    return EngineFault(
        "engine.fault",
        "The question could not be computed. It stays charged, because rows may have been read; asking again costs "
        "nothing more with the same key. The operator's log says what happened.",
    )


def not_attached(table: str) -> InvalidInput:
    """A question about a table that the engine was not opened with."""
    return InvalidInput(
        "engine.not-attached", f"The engine was not opened with the table {table!r}. Open it with all tables."
    )


def bad_threads(value: object) -> InvalidInput:
    """A number of threads that cannot be used."""
    return InvalidInput(
        "engine.bad-threads", f"threads = {value!r} is not a number of threads. Give a whole number, 1 or more."
    )
