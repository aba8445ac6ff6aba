"""Hostile statements: huge and tiny numbers, deep sums and every function, on tables whose rows lie at the extremes."""

from __future__ import annotations

import datetime as dt
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
from pyarrow import parquet

import partita.engine.duckdb as duckdb_engine
from partita.engine import tallying
from partita.engine.duckdb import DuckDB
from partita.engine.reference import Reference
from partita.engine.statements.stored import Stored
from partita.engine.statements.widths import prove
from partita.errors import PartitaError
from partita.query.exact.measurements import entries
from partita.query.exact.program import Program, Values, cells
from partita.query.exact.workings import computed, typed
from partita.query.language.aggregates import Quantile
from partita.query.noise.quote import narrowed
from partita.query.noise.strategy import strategies_of
from partita.query.sql.parse import read
from partita.query.tables.schema import Table
from partita.query.tables.truncation import Truncation
from partita.region.columns import booleans, categories, dates, decimals, identifier, integers, text_keys, timestamps

LIMIT = 2**50  # the widest bounds that a column may declare
COLUMNS: dict[str, Any] = {
    "who": identifier(),
    "a": integers(-LIMIT, LIMIT),
    "b": integers(0, 44),
    "c": decimals(-20_000, 20_000, step="0.01"),
    "s": decimals(0, 1, step="0.000000001"),
    "m": decimals(-5_000_000, 5_000_000, step=1_000_000, missing=0),
    "n": integers(-5, 7, missing=1),
    "one": integers(3, 3),
    "d": dates("1999-12-11", "2000-01-09"),
    "g": dates("2025-01-28", "2025-02-12", missing="2025-02-01"),
    "k": categories("x", "y", "z"),
    "f": booleans(),
    "t": text_keys(),
    "u": timestamps("0001-01-01", "9999-12-31 23:00", step="1h"),
    "v": timestamps("1969-12-31 23:59", "2024-03-31 05:00", step="1s", zone="Europe/Berlin", missing="2000-02-29"),
}
KINDS = {
    "who": pa.string(), "a": pa.int64(), "b": pa.int64(), "c": pa.float64(), "s": pa.float64(), "m": pa.int64(),
    "n": pa.int16(), "one": pa.int64(), "d": pa.date32(), "g": pa.date32(), "k": pa.string(), "f": pa.bool_(),
    "t": pa.string(), "u": pa.timestamp("us"), "v": pa.timestamp("us", "UTC"),
}  # fmt: skip
NUMERIC = ("a", "b", "c", "s", "m", "n", "one")
_LOW = ("u", -LIMIT, 0, -2e4, 0.0, -5_000_000, -5, 3, dt.date(1999, 12, 11), dt.date(2025, 1, 28), "x", False, "p",
        dt.datetime(1, 1, 1), dt.datetime(1969, 12, 31, 23))  # noqa: DTZ001  # fmt: skip
_HIGH = ("u", LIMIT, 44, 2e4, 1.0, 5_000_000, 7, 3, dt.date(2000, 1, 9), dt.date(2025, 3, 2), "z", True, "q",
         dt.datetime(9999, 12, 31, 23), dt.datetime(2024, 3, 31, 3))  # noqa: DTZ001  # fmt: skip
_BEYOND = ("v", 2**62, -9, 1e300, -1e300, 2**60, 99, -7, dt.date(1800, 1, 1), dt.date(2500, 1, 1), "?", True, "",
           2**63 - 1, -(2**63) + 1)  # fmt: skip
_ALICE = ("alice", 42, 42, 13.37, 0.123456789, 4000, 4, 3, dt.date(2000, 1, 6), dt.date(2025, 2, 2), "y", True, "p",
          dt.datetime(1900, 3, 1), dt.datetime(2024, 3, 31, 1))  # noqa: DTZ001  # fmt: skip
_NULL = ("w", *[None] * 14)
_NOBODY = (None, 0, 1, 0.0, 0.5, 0, 0, 3, dt.date(2000, 2, 29), dt.date(2025, 2, 28), "x", False, None,
           dt.datetime(2024, 2, 29), dt.datetime(1970, 1, 1))  # noqa: DTZ001  # fmt: skip
ROWS: dict[str, list[tuple[Any, ...]]] = {
    "none": [],
    "one": [_ALICE],
    "missing": [_NULL],
    "all": [_LOW, _HIGH, _BEYOND, _ALICE, _NULL, _NOBODY, _LOW, _HIGH],
}


def stored(name: str) -> pa.Table:
    """Rows of which zero, one, or all meet a condition, and one whose every value is missing."""
    columns = list(zip(*ROWS[name], strict=True)) or [()] * len(KINDS)
    return pa.table({key: pa.array(column, kind) for (key, kind), column in zip(KINDS.items(), columns, strict=True)})


# --- statements ----------------------------------------------------------------------------------------------------


class Statements:
    """An endless supply of statements from one seed."""

    def __init__(self, seed: int) -> None:
        self.draws = Random(seed)

    def one(self) -> tuple[str, str]:
        """The name of a table, and a question about it."""
        name = self.draws.choice(["none", "one", "missing", "all", "all", "all"])
        return name, self.gathered(name) if self.chance(0.25) else self.plain(name)

    def chance(self, share: float) -> bool:
        return self.draws.random() < share

    def pick(self, *given: Any) -> Any:
        return self.draws.choice(given)

    def number(self, wild: float = 0.3) -> str:
        """A literal: mostly small, sometimes near the end of a type, sometimes of hundreds of digits."""
        if not self.chance(wild):
            return str(self.pick("0", "1", "-1", "2", "3", "-7", "0.5", "0.01", "-2.25", "100", "1000", "42", "0.1"))
        sign = self.pick("", "", "-")
        match self.draws.randrange(6):
            case 0:
                power = self.pick(31, 32, 50, 53, 61, 62, 63, 64, 100, 119, 120, 121, 126, 127, 128)
                return f"{sign}{2**power + self.draws.randrange(-1, 2)}"
            case 1:
                return f"{sign}1{'0' * self.draws.randrange(5, 45)}"
            case 2:
                return f"{sign}0.{'0' * self.draws.randrange(3, 45)}{self.draws.randrange(1, 99)}"
            case 3:
                return f"{sign}{self.pick(1, 3, 17)}e{self.draws.randrange(-40, 40)}"
            case 4:
                return f"{sign}{self.draws.randrange(10 ** self.draws.randrange(1, 19))}"
            case _:
                digits = "".join(str(self.draws.randrange(10)) for _ in range(self.draws.randrange(20, 75)))
                far = self.pick("1e-300", "1e300", f"0.{'0' * 290}1", "7" * 280) if self.chance(0.05) else f"0.{digits}"
                found = str(self.pick(f"1{digits[:73]}", f"0.{digits}1", far))
                return f"{sign}{found}"

    def ends(self) -> tuple[str, str]:
        """The ends of a CLAMP."""
        if self.chance(0.6):
            return str(self.pick("0", "-5", "-1000")), str(self.pick("1", "10", "1000", "0.5", "1000000"))
        return self.ordered(0.7)

    def ordered(self, wild: float = 0.3) -> tuple[str, str]:
        """Two numbers, nearly always the smaller one first."""
        pair = sorted((self.number(wild) for _ in range(2)), key=float, reverse=self.chance(0.02))
        return pair[0], pair[1]

    def expression(self, depth: int = 3) -> str:
        draws = self.draws
        if depth == 0 or self.chance(0.15):
            return self.number() if self.chance(0.3) else str(self.pick(*NUMERIC))
        inner: Callable[[], str] = lambda: self.expression(depth - 1)  # noqa: E731
        match draws.randrange(19):
            case 16:
                return f"({inner()} / {inner()})"
            case 17:
                return f"{self.pick('LEAST', 'GREATEST', 'NULLIF')}({inner()}, {inner()})"
            case 18:
                part = self.pick(inner(), f"CLAMP({inner()}, 0, 50)")
                word = self.pick("SQRT", "LN", "LOG10", "LOG2", "EXP", "ROUND", "TRUNC", "ABS", "SIGN", "FLOOR", "CEIL")
                return f"{word}({part})"
            case 0 | 1:
                return f"({inner()} {self.pick('+', '-')} {inner()})"
            case 2:
                return f"({inner()} * {inner()})"
            case 3:
                return f"({inner()} * {self.number()})"
            case 4:
                return f"({inner()} / {self.number()})"
            case 5:
                return f"CASE WHEN {self.condition(depth - 1)} THEN {inner()} ELSE {inner()} END"
            case 6:
                return f"CASE WHEN {self.condition(depth - 1)} THEN {self.pick('0', 'NULL', inner())} END"
            case 7:
                return f"COALESCE({inner()}, {inner()})"
            case 8 | 9 | 10:
                return f"CLAMP({inner()}, {', '.join(self.ends())})"
            case 11:
                return f"-({inner()})"
            case 12:
                near = self.pick(2**62, 2**61, 2**120, 10**18)
                terms = [
                    f"CASE WHEN {self.pick('b', 'c', 'n')} > {at} THEN {near - at} ELSE {near} END"
                    for at in range(draws.randrange(2, 6))
                ]
                half = len(terms) // 2
                return f"({' + '.join(terms[:half] or terms)} - ({' + '.join(terms[half:])}))"
            case 13:
                return " * ".join(f"({inner()})" for _ in range(draws.randrange(2, 4)))
            case 14:
                return self.function()
            case _:
                return f"(0 * {inner()} + {inner()} * {self.number(0.8)})"

    def function(self) -> str:
        """A function of one column, evaluated beforehand."""
        return str(
            self.pick(
                "ABS(n)", "n % 3", "b % 0", "FLOOR(b / 7)", "CEIL(n / 2)", "ROUND(b, -1)", "b / n", "1 / n", "n / 0",
                "POW(n, 2)", "POW(b, 9)", "SIGN(n)", "TRUNC(n / 3)", "b // 10", "GREATEST(n, 0)", "LEAST(b, 20)",
                "NULLIF(n, 3)", "EXTRACT(month FROM d)", "EXTRACT(dow FROM g)", "EXTRACT(year FROM d)", "LENGTH(k)",
                "DATE_DIFF('day', g, DATE '2025-12-31')", "CAST(n AS DOUBLE)", "CAST(f AS INTEGER)", "SQRT(b)", "LN(b)",
                "HOUR(v)", "EXTRACT(epoch FROM v)", "DATE_DIFF('minute', u, v)", "YEAR(u)", "EXTRACT(doy FROM u)",
                "WEEK(v)",
                "DATE_DIFF('month', d, u)", "DATE_SUB('year', d, g)", "DATE_SUB('hour', v, u)", "g - d", "DAY(u)",
                "WIDTH_BUCKET(b, 0, 100, 7)", "EXP(b)", "IF(f, 1, 0)", f"POW(n, {self.draws.randrange(40)})",
            )
        )  # fmt: skip

    def condition(self, depth: int = 2) -> str:
        compared = self.pick("=", "<>", "<", "<=", ">", ">=")
        match self.draws.randrange(12 if depth else 5):
            case 0:
                return f"{self.pick(*NUMERIC)} {compared} {self.number()}"
            case 1:
                return str(
                    self.pick(
                        "b = 42",
                        "n = 4",
                        "k = 'y'",
                        "f",
                        "NOT f",
                        "d >= DATE '2000-01-06'",
                        "g IS NULL",
                        "u > v",
                        "v >= '2024-03-31 01:59'",
                        "YEAR(v) = 2000",
                        "u + INTERVAL 1 DAY < v",
                    )
                )
            case 2:
                return str(self.pick("TRUE", "b IS NULL", "b IS NOT NULL", "k IN ('x', 'y')", "k LIKE 'x%'", "one = 3"))
            case 3:
                return f"{self.pick(*NUMERIC)} BETWEEN {' AND '.join(self.ordered())}"
            case 4:
                return f"{self.function()} {compared} {self.number(0.1)}"
            case 5:
                return f"({self.condition(depth - 1)} {self.pick('AND', 'OR')} {self.condition(depth - 1)})"
            case 6:
                return f"NOT ({self.condition(depth - 1)})"
            case 7:
                return f"({self.condition(depth - 1)}) IS {self.pick('TRUE', 'NOT TRUE', 'FALSE')}"
            case 8:
                return f"{self.expression(depth - 1)} IN ({self.number()}, {self.expression(0)})"
            case 9:
                return f"{self.expression(depth - 1)} BETWEEN {self.expression(0)} AND {self.number()}"
            case _:
                return f"{self.expression(depth)} {compared} {self.expression(depth - 1)}"

    def aggregate(self, made: Callable[[], str], *, gathered: bool = False) -> str:
        """An aggregate, or a formula of one."""
        if not gathered and self.chance(0.1):
            return str(self.pick("COUNT(DISTINCT who)", "MEDIAN(d)", f"COUNT_IF({self.condition(1)})", "MAX(g)"))
        if not gathered and self.chance(0.1):
            return f"{self.pick('SUM', 'AVG', 'COUNT', 'MAX')}({made()}) FILTER (WHERE {self.condition(1)})"
        return str(
            self.pick(
                "COUNT(*)", f"COUNT({made()})", f"SUM({made()})", f"SUM({made()})", f"SUM({made()})", f"AVG({made()})",
                f"VAR_POP({made()})", f"STDDEV({made()})", f"VAR_SAMP({made()})", f"COVAR_POP({made()}, {made()})",
                f"CORR({made()}, {made()})", f"REGR_SLOPE({made()}, {made()})", f"MEDIAN({made()})",
                f"QUANTILE({made()}, 0.25)", f"MIN({made()})", f"MAX({made()})",
                f"SUM({made()}) / COUNT(*)", f"AVG({made()}) * {self.number()}",
            )
        )  # fmt: skip

    def key(self) -> str:
        return str(
            self.pick(
                "k", "f", "n", "b", "t", f"BUCKET(a, {self.pick(LIMIT, 2 * LIMIT, 2**62, 2**63, 10**40, 10**300)})",
                f"BUCKET(c, {self.pick(10_000, 40_000, '1e30', 5000)})", f"BUCKET(n, {self.pick(1, 2, 50, 2**63 - 1)})",
                "BUCKET(m, 5000000)", "DATE_TRUNC('year', d)", "DATE_TRUNC('month', g)", "EXTRACT(dow FROM g)", "n % 2",
                f"CASE WHEN b > {self.number()} THEN 'high' WHEN n > 0 THEN 'low' END", "UPPER(k)", "b > 20", "g",
                "HOUR(u)", "DATE_TRUNC('year', u)", "DATE_TRUNC('month', v)", "TIME_BUCKET(INTERVAL 1 DECADE, u)",
                "g - d",
                "MONTH(v)",
            )
        )  # fmt: skip

    def plain(self, name: str) -> str:
        shown = [f"{self.aggregate(self.expression)} AS v{at}" for at in range(self.draws.randrange(1, 4))]
        keys = [self.key() for _ in range(self.pick(0, 0, 1, 1))]
        keys += [self.pick("k", "f", "g", "b > 20", "UPPER(k)")] if self.chance(0.2) else []
        listed = ", ".join([*(f"{key} AS k{at}" for at, key in enumerate(keys)), *shown])
        where = f" WHERE {self.condition()}" if self.chance(0.6) else ""
        group = f" GROUP BY {', '.join(f'k{at}' for at in range(len(keys)))}" if keys else ""
        return f"SELECT {listed} FROM {name}{where}{group}"

    def gathered(self, name: str) -> str:
        """One level of aggregation by owner inside another."""
        inner = self.pick("SUM", "AVG", "MIN", "MAX", "COUNT", "SUM")
        column = f"{inner}({self.expression(2)})" if self.chance(0.95) else "COUNT(*)"
        if self.chance(0.1):
            column += f" FILTER (WHERE {self.condition(1)})"
        if self.chance(0.9 if inner in ("SUM", "COUNT") else 0.3):
            column = self.pick(f"CLAMP({column}, {', '.join(self.ends())})", f"LEAST({column}, {self.number()})")
        key = self.pick("", "", ", k")
        where = f" WHERE {self.condition(1)}" if self.chance(0.5) else ""
        outer = self.aggregate(lambda: f"x * {self.number()}" if self.chance(0.4) else "x", gathered=True)
        kept = f" WHERE x * {self.number()} > {self.number()}" if self.chance(0.3) else ""
        rows = f"(SELECT who{key}, {column} AS x FROM {name}{where} GROUP BY who{key}) AS gathered"
        return f"SELECT {outer} AS v FROM {rows}{kept}"


# --- running them --------------------------------------------------------------------------------------------------


class Laboratory:
    """The tables in both engines: copied into DuckDB, read from files through the projection, and in plain Python."""

    def __init__(self, folder: Path) -> None:
        self.tables = {name: Table(name, stored(name), COLUMNS) for name in ROWS}
        files = []
        for name in ROWS:
            parquet.write_table(stored(name), folder / f"{name}.parquet")
            files.append(Table(name, folder / f"{name}.parquet", COLUMNS))
        self.copied = DuckDB(self.tables.values(), threads=1)
        self.read = DuckDB(files, threads=1, copied_below=0)
        self.reference = Reference(self.tables.values())

    def programs(self, name: str, question: str, cap: Truncation | None = None) -> Program | PartitaError:
        """Every number that any strategy of the question may need, or why it is refused."""
        table = self.tables[name]
        try:
            plan = read(question, [table])
            linear = tuple(one for one in plan.aggregates if not isinstance(one, Quantile))
            measurements = (
                [
                    measurement
                    for strategy in strategies_of(linear, narrowed(plan))
                    for measurement in strategy.measurements
                ]
                if linear
                else []
            )
            tallies = dict.fromkeys(
                tally for measurement in measurements for entry in entries(measurement) for tally in entry
            )
            tallies.update(dict.fromkeys(Values(one.of) for one in plan.aggregates if isinstance(one, Quantile)))
            program = Program(
                table, plan.where, cells(plan.keys, plan.met), tuple(tallies), cap, plan.opened, plan.per_user
            )
            for operation in computed(program):
                typed(operation, lambda: "this")
        except PartitaError as refusal:
            return refusal
        return program

    def run(self, program: Program, *, proved: bool, file: bool) -> None:
        """Both engines agree, and each statement on the way is proved to be total."""
        expected = self.reference.compute(program).tolist()
        with statements(proved=proved):
            assert self.copied.compute(program).tolist() == expected
            if file:
                assert self.read.compute(program).tolist() == expected

    def close(self) -> None:
        self.copied.close()
        self.read.close()


@contextmanager
def statements(*, proved: bool) -> Iterator[None]:
    """Each statement that the engine makes is proved before it runs."""
    names = {"statement": tallying, "values_statement": tallying, "rows_statement": duckdb_engine} if proved else {}
    makers = {name: getattr(module, name) for name, module in names.items()}

    def proving(make: Callable[..., Any]) -> Callable[..., Any]:
        def made(*given: Any, **more: Any) -> Any:
            found = make(*given, **more)
            rows = next(one for one in given if isinstance(one, Stored))
            prove(found if isinstance(found, str) else found.sql, rows)
            return found

        return made

    for name, make in makers.items():
        setattr(names[name], name, proving(make))
    deepest = sys.getrecursionlimit()
    # The parser of the proof goes as deep as brackets do, some twenty calls for each.
    sys.setrecursionlimit(8_000)
    try:
        yield
    finally:
        sys.setrecursionlimit(deepest)
        for name, make in makers.items():
            setattr(names[name], name, make)
