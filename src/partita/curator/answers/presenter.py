"""Where statements over released numbers run: it holds and reaches nothing else, and runs one SELECT at a time."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import Any, Final, Self, final

import duckdb

from partita.errors.query import language as refuse
from partita.errors.query import presenting as refuse_shown

Columns = Mapping[str, Sequence[Any]]

MOST_LINES: Final = 100_000
MOST_COLUMNS: Final = 1_000
# A number counts as eight. Lines are fetched so many at a time, so that no more of them are ever held.
MOST_BYTES: Final = 64 * 2**20
_AT_ONCE: Final = 1_000
# Seconds after which a statement is stopped; what it works on is released, so a clock tells nothing.
PATIENCE: Final = 10.0
_CONFIG: Final[dict[str, str | bool | int | float | list[str]]] = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "python_enable_replacements": "false",
    "threads": "1",
    "memory_limit": "512MB",
    "max_temp_directory_size": "0KB",
    # The engine may read its folder for temporary files, wherever else access is refused: there is none.
    "temp_directory": "",
}


@final
class Presenter:
    """A connection of its own, in memory, without files or extensions, which cannot be configured any further.

    It is given tables of released or public values by name; no protected table was ever known to it.
    """

    def __init__(self) -> None:
        self._connection = duckdb.connect(":memory:", config=_CONFIG)
        self._connection.execute("SET TimeZone = 'UTC'")
        self._connection.execute("SET lock_configuration = true")
        self._lock = threading.RLock()
        self._held: list[str] = []

    @contextmanager
    def alone(self) -> Iterator[Self]:
        """Nobody else uses it inside; what it was given there is gone afterwards."""
        with self._lock:
            try:
                yield self
            finally:
                for name in self._held:
                    self._connection.unregister(name)
                self._held.clear()

    def holds(self, name: str, columns: Columns, examples: Columns | None = None) -> None:
        """Have a table of this name hold these columns, and no others; of what types, examples may say as well."""
        import pyarrow as pa

        known = examples or {}
        arrays = [_array(values, known.get(column, ())) for column, values in columns.items()]
        longest = max(map(len, arrays), default=0)
        arrays = [_padded(array, longest) for array in arrays]
        if name not in self._held:
            self._held.append(name)
        self._connection.register(name, pa.Table.from_arrays(arrays, names=list(columns)))

    def prepared(self, sql: str, *, patience: float = PATIENCE) -> dict[str, str]:
        """The columns that a statement will have, with their types; refused where it is none, whatever the numbers."""
        try:
            statements = self._connection.extract_statements(sql)
            if len(statements) != 1 or statements[0].type is not duckdb.StatementType.SELECT:
                raise refuse_shown.not_presented("it is not one SELECT.")
            with self._within(patience):
                described = self._connection.execute(f"DESCRIBE {sql}").fetchall()
        except duckdb.InterruptException:
            raise refuse_shown.not_presented("it takes too long.") from None
        except duckdb.Error as problem:
            raise refuse_shown.not_presented(_said(problem)) from None
        names, types = [str(line[0]) for line in described], [str(line[1]) for line in described]
        if len(names) > MOST_COLUMNS:
            raise refuse_shown.not_presented(f"it has more than {MOST_COLUMNS} columns.")
        for name, times in Counter(name.lower() for name in names).items():
            if times > 1:
                raise refuse.repeated_name(name)
        return dict(zip(names, types, strict=True))

    def select(self, sql: str, *, patience: float = PATIENCE) -> dict[str, list[Any]]:
        """The columns of a statement; what fails depends on released numbers alone, so it is told as it is."""
        try:
            with self._within(patience):
                found = self._connection.execute(sql)
                names = [str(column[0]) for column in found.description or ()]
                lines: list[tuple[Any, ...]] = []
                size = 0
                while len(lines) <= MOST_LINES and size <= MOST_BYTES and (some := found.fetchmany(_AT_ONCE)):
                    lines += some
                    size += sum(_size(value) for line in some for value in line)
        except duckdb.InterruptException:
            raise refuse_shown.presentation_failed("it takes too long.") from None
        except duckdb.Error as problem:
            raise refuse_shown.presentation_failed(_said(problem)) from None
        finally:
            self._connection.abort()  # of what was not fetched
        if size > MOST_BYTES:
            raise refuse_shown.presented_too_large(MOST_BYTES // 2**20)
        if len(lines) > MOST_LINES:
            raise refuse_shown.presented_too_long(MOST_LINES)
        return {name: [_plain(line[place]) for line in lines] for place, name in enumerate(names)}

    @contextmanager
    def _within(self, seconds: float) -> Iterator[None]:
        timer = threading.Timer(seconds, self._connection.interrupt)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()


@cache
def presenter() -> Presenter:
    """The one presenter of this process, opened when it is first needed: it keeps nothing from one use to the next."""
    return Presenter()


def _array(values: Sequence[Any], examples: Sequence[Any]) -> Any:
    """Values as an array of the one type that holds them all; where there are none, of that of their examples."""
    import pyarrow as pa

    kinds = {_kind(value) for value in values if value is not None}
    kinds = kinds or {_kind(value) for value in examples if value is not None}
    kind = kinds.pop() if len(kinds) == 1 else "number" if kinds <= {"whole", "number"} else "text"
    match kind:
        case "whole":
            if all(value is None or -(2**63) <= value < 2**63 for value in values):
                return pa.array([None if value is None else int(value) for value in values], pa.int64())
            return pa.array([None if value is None else float(value) for value in values], pa.float64())
        case "number":
            return pa.array([None if value is None else float(value) for value in values], pa.float64())
        case "truth":
            return pa.array(values, pa.bool_())
        case "day":
            return pa.array(values, pa.date32())
        case "moment":
            return pa.array(values, pa.timestamp("us"))
        case _:
            return pa.array([None if value is None else str(value) for value in values], pa.string())


def _padded(array: Any, length: int) -> Any:
    """An array with NULLs at its end; examples have as many values as they like."""
    import pyarrow as pa

    return pa.concat_arrays([array, pa.nulls(length - len(array), array.type)]) if len(array) < length else array


def _kind(value: Any) -> str:
    match value:
        case bool():
            return "truth"
        case int():
            return "whole"
        case Fraction():
            return "whole" if value.denominator == 1 else "number"
        case float() | Decimal():
            return "number"
        case datetime():
            return "moment"
        case date():
            return "day"
        case _:
            return "text"


def _plain(value: Any) -> Any:
    """Decimals as the numbers that other answers have."""
    if isinstance(value, Decimal):
        return float(value)
    return [_plain(one) for one in value] if isinstance(value, list) else value


def _size(value: Any) -> int:
    """About how many bytes a value takes."""
    if isinstance(value, list):
        return 8 + sum(map(_size, value))
    if isinstance(value, dict):
        return 8 + sum(_size(one) for pair in value.items() for one in pair)
    return len(value) if isinstance(value, str | bytes) else 8


def _said(problem: duckdb.Error) -> str:
    """The first line of what the engine says, as a sentence."""
    line = str(problem).split("\n")[0].strip().rstrip(".")
    return f"{line[:300]}."
