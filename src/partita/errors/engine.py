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


def never_computed() -> EngineFault:
    """A question that failed on a table without rows, before it was charged: it would fail on every table."""
    return EngineFault(
        "engine.never-computed",
        "The question cannot be computed: it failed on a table without rows, so it would fail whatever the rows are. "
        "No row was read and nothing is charged for it. The operator's log says what happened.",
    )


def not_attached(table: str) -> InvalidInput:
    """A question about a table that the engine was not opened with."""
    return InvalidInput(
        "engine.not-attached", f"The engine was not opened with the table {table!r}. Open it with all tables."
    )


def other_declaration(table: str) -> InvalidInput:
    """An engine that maps stored values into another domain than the one that prices are proven for."""
    return InvalidInput(
        "engine.other-declaration",
        f"The engine was opened with another declaration of the table {table!r}: it would read rows as that one says. "
        f"Open it with the tables of the curator, or give the name of a backend.",
    )


def opened_for_people() -> InvalidInput:
    """An engine that was open before the ledger could say which rows of people are kept."""
    return InvalidInput(
        "engine.opened-for-people",
        "An engine that is open already cannot serve a promise on people across tables, nor one that was opened for "
        "people any other promise: the ledger's key decides which rows are kept. Give the name of a backend, as in "
        "backend='duckdb'.",
    )


def bad_threads(value: object) -> InvalidInput:
    """A number of threads that cannot be used."""
    return InvalidInput(
        "engine.bad-threads", f"threads = {value!r} is not a number of threads. Give a whole number, 1 or more."
    )


def does_not_grow(kind: str) -> InvalidInput:
    """An engine that holds no batches of rows."""
    return InvalidInput(
        "engine.does-not-grow",
        f"The engine {kind!r} cannot take in batches of rows. Use backend='duckdb', given by its name. Nothing was "
        f"read and nothing is lost.",
    )


def fixes_no_rows(kind: str) -> InvalidInput:
    """An engine that cannot say whether the rows it keeps of owners are still the same."""
    return InvalidInput(
        "engine.fixes-no-rows",
        f"The engine {kind!r} does not tell whether the rows that it keeps of users are the same as before, so a "
        f"promise to users cannot be kept with it. Use backend='duckdb'.",
    )


def keeps_no_rows(kind: str) -> InvalidInput:
    """An engine that cannot hold people's rows."""
    return InvalidInput(
        "engine.keeps-no-rows",
        f"The engine {kind!r} does not keep the rows of people across tables. Use backend='duckdb'.",
    )
