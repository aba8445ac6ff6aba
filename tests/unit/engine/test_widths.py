"""The check that proves statements total: it knows every statement we make, and no broken one passes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import duckdb
import pytest
import sqlglot
from sqlglot import exp

from partita.engine.statements.lowering import rendered
from partita.engine.statements.statement import statement, values_statement
from partita.engine.statements.stored import Stored
from partita.engine.statements.widths import Unproven, prove
from partita.query.exact import operations, workings
from partita.query.exact.measurements import entries
from partita.query.exact.operations import Width
from partita.query.exact.program import Program, Rows, cells
from partita.query.language.expressions import Bounds, Case, Clamp, Expression, First, Number, Plus, Times, Value
from partita.query.language.per_user import Gathers, PerUserColumn
from partita.query.noise.strategy import strategies_of
from partita.query.sql.parse import read
from partita.query.tables.schema import Table
from partita.region.columns import categories, dates, decimals, identifier, integers

TABLE = Table(
    "t",
    [],
    {
        "who": identifier(),
        "a": integers(-(2**50), 2**50),
        "b": integers(0, 120),
        "c": decimals(-20_000, 20_000, step="0.01"),
        "d": dates("2025-01-01", "2025-12-31"),
    },
)
TYPES = {"who": "VARCHAR", "a": "BIGINT", "b": "TINYINT", "c": "INTEGER", "d": "DATE"}
COPIED = Stored(TABLE, '"rows"', TYPES, {name: name for name in TYPES}, clean=True)
STORED = Stored(TABLE, '"rows"', TYPES | {"b": "BIGINT", "c": "DOUBLE"}, {name: name for name in TYPES})
ARITHMETIC = (exp.Add, exp.Mul, exp.Sub, exp.IntDiv)
QUESTIONS = (
    "SELECT SUM(b + c * 2) AS s FROM t",
    "SELECT SUM(CLAMP(a * a - 7, 0, 9)) AS s FROM t",
    "SELECT SUM(CLAMP(a * b * 1000000000, 0, 9) + b) AS s FROM t WHERE a * a > b * c",
    "SELECT BUCKET(a, 1125899906842624) AS k, SUM(b * b) AS s FROM t GROUP BY k",
    "SELECT SUM(x) AS s FROM (SELECT who, AVG(b * 1000) AS x FROM t GROUP BY who) AS g",
    "SELECT VAR_POP(c) AS s FROM t",
)


def made(question: str, stored: Stored = COPIED) -> str:
    plan = read(question, [TABLE])
    measurements = [
        measurement for strategy in strategies_of(plan.aggregates, plan.domain) for measurement in strategy.measurements
    ]
    tallies = tuple(
        dict.fromkeys(tally for measurement in measurements for entry in entries(measurement) for tally in entry)
    )
    program = Program(TABLE, plan.where, cells(plan.keys, plan.met), tallies, per_user=plan.per_user)
    return statement(program, stored).sql


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("stored", [COPIED, STORED], ids=["copied", "read"])
def test_our_statements_are_proved(question: str, stored: Stored) -> None:
    prove(made(question, stored), stored)


def test_histograms_of_days_and_numbers_are_proved() -> None:
    plan = read("SELECT COUNT(*) AS n FROM t", [TABLE])
    program = Program(TABLE, plan.where, cells((), plan.met), ())
    for stored in (COPIED, STORED):
        for of in (Value("d"), Value("b"), Times((Number(Fraction(3)), Value("a")))):
            prove(values_statement(program, of, stored).sql, stored)


# --- mutants of statements -----------------------------------------------------------------------------------------


def mutants(sql: str) -> Iterator[str]:
    """The statement with one cast of an operand dropped or one type narrower, one literal or sign changed."""
    tree = sqlglot.parse_one(sql, dialect="duckdb")
    for node in list(tree.walk()):
        if isinstance(node, exp.Cast) and isinstance(node.parent, ARITHMETIC) and node.is_type("bigint", "int128"):
            narrower = "BIGINT" if node.is_type("int128") else "INTEGER"
            for other in (node.this.copy(), exp.cast(node.this.copy(), narrower)):
                node.replace(other)
                yield tree.sql(dialect="duckdb")
                other.replace(node)
        if isinstance(node, exp.IntDiv):
            kept, zero = node.expression, exp.cast(exp.Literal.number(0), "HUGEINT")
            for other in (zero, exp.cast(exp.Literal.number(0), "BIGINT")):
                kept.replace(other)
                yield tree.sql(dialect="duckdb")
                other.replace(kept)
        if isinstance(node, exp.Literal) and isinstance(node.parent, exp.Cast) and not node.is_string:
            kept = node.this
            node.set("this", str(int(kept) + 2**127))
            yield tree.sql(dialect="duckdb")
            node.set("this", kept)


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_statement_with_one_cast_less_is_not_proved(question: str) -> None:
    found = list(mutants(made(question)))
    assert found
    for sql in found:
        with pytest.raises(Unproven):
            prove(sql, COPIED)


ZEROS = 'CASE WHEN "a" > 1 THEN CAST(0 AS BIGINT) END'
FALLS = f'CASE WHEN "a" > 1 THEN CAST({-(2**62)} AS BIGINT) END'


@pytest.mark.parametrize(
    "sql",
    [
        'SELECT SUM("a" + "b") FROM "rows"',  # BIGINT and TINYINT
        'SELECT SUM(CAST("b" AS BIGINT) + 1) FROM "rows"',  # a literal without a type
        'SELECT SUM("b" + "b") FROM "rows"',  # TINYINT has arithmetic of its own
        f'SELECT SUM(("a" + CAST({2**62} AS BIGINT)) + CAST({2**62} AS BIGINT)) FROM "rows"',
        f'SELECT SUM((CAST({2**62} AS BIGINT) + CAST({2**62} AS BIGINT)) - CAST({2**62} AS BIGINT)) FROM "rows"',
        f'SELECT SUM("a" * CAST({10**30} AS BIGINT)) FROM "rows"',
        'SELECT SUM(CAST("a" AS HUGEINT) * CAST("a" AS BIGINT)) FROM "rows"',
        'SELECT SUM("a" * "a") FROM "rows"',
        'SELECT SUM("a" // CAST("b" AS BIGINT)) FROM "rows"',
        'SELECT SUM("a" % CAST(0 AS BIGINT)) FROM "rows"',
        'SELECT SUM(CAST("who" AS BIGINT)) FROM "rows"',
        'SELECT SUM(COALESCE("a", 0)) FROM "rows"',
        'SELECT SUM(CASE WHEN "b" > 1 THEN "a" ELSE CAST(0 AS HUGEINT) END) FROM "rows"',
        # Constants of a sum or product are put together first, whatever the brackets say.
        f'SELECT SUM({ZEROS} * CAST({2**40} AS BIGINT) * CAST({2**40} AS BIGINT)) FROM "rows"',
        f'SELECT SUM((CAST({2**62} AS BIGINT) + {FALLS}) + (CAST({2**62} AS BIGINT) + {FALLS})) FROM "rows"',
        'SELECT COUNT(*) FROM "rows" WHERE "who" = 7',
        'SELECT COUNT(*) FROM "rows" WHERE "d" < \'soon\'',
        'SELECT COUNT(*) FROM "others"',
        'SELECT LN("b") FROM "rows"',
        'SELECT "b" FROM "rows" ORDER BY "a" * "a"',
        'SELECT CAST(SUM("a") AS BIGINT) FROM "rows"',
        f'SELECT SUM(CAST("a" AS HUGEINT) * CAST({2**60} AS HUGEINT)) FROM "rows"',
    ],
)
def test_what_may_fail_or_is_not_known_is_not_proved(sql: str) -> None:
    with pytest.raises(Unproven):
        prove(sql, COPIED)


# --- mutants of the code that makes them ---------------------------------------------------------------------------

ZERO = Times((Number(Fraction(0)), Value("a")))
EXPRESSIONS: tuple[Expression, ...] = (
    Plus((Times((Number(Fraction(1, 10**30)), Value("b"))), ZERO)),
    First((ZERO, Times((Number(Fraction(1, 10**30)), Value("b"))))),
    Plus((*(Times((Number(Fraction(2**11)), Value("a"))) for _ in range(6)), Number(Fraction(-(2**61))))),
    Times((Value("a"), Value("b"), Number(Fraction(1, 10**30)))),
)


def proved_all() -> None:
    """Each expression, an owner's mean and a wide bucket, as the code at hand makes them."""
    domain, shown = TABLE.domain, []
    for of in EXPRESSIONS:
        found, _ = workings._worked(of, domain)
        shown.append(rendered(found))
    within = Bounds(0, 9, Fraction(1), nullable=True)
    of = Times((Number(Fraction(1000)), Value("a")))
    shown.append(rendered(workings.gathered(PerUserColumn("x", Gathers.MEAN, of, within), domain)))
    columns = ", ".join(f"{COPIED.sanitised[name]} AS {name}" for name in TABLE.domain.axes)
    for text in shown:
        prove(f'SELECT {text} FROM (SELECT {columns} FROM "rows") AS rows_', COPIED)


def test_what_the_code_makes_is_proved() -> None:
    proved_all()


def test_parts_that_the_engine_takes_first_fit_too() -> None:
    """DuckDB makes (p * x) * (q * y) into (x * y) * (p * q), and (p + x) + (q + y) into ((p + q) + x) + y."""
    nothing, large, other = Case((), Number(None)), Number(Fraction(2**100)), Number(Fraction(2**45))
    product = Times((Times((large, nothing)), Times((other, Plus((Value("a"), nothing))))))
    assert workings.whole(product, TABLE.domain).width is Width.NONE
    near = Number(Fraction(2**62))
    fallen = Clamp(Value("a"), Fraction(-(2**50)), Fraction(-(2**50)))
    found, _ = workings._worked(Plus((Plus((near, fallen)), Plus((Number(Fraction(-(2**62))), near)))), TABLE.domain)
    assert found.width is Width.WIDE
    connection = duckdb.connect()
    written = "(CAST(2 AS BIGINT) * a) * (CAST(3 AS BIGINT) * b)"
    shown = connection.execute(
        f"EXPLAIN SELECT {written} FROM (SELECT i AS a, i + 1 AS b FROM range(3) AS t(i))"
    ).fetchall()
    assert "6" in shown[0][1], "DuckDB no longer takes constants first: the margin may go"


def _narrow(*_: int) -> Width:
    return Width.NARROW


def _blind(sign: Any, left: Any, right: Any) -> Any:
    """The type of the result alone, as if partial results took no room."""
    return operations.Applied(0, 0, Width.NARROW, 1, 1, sign, left, right, 0)


MUTANTS: dict[str, Callable[[pytest.MonkeyPatch], None]] = {
    "every interval fits 64 bits": lambda patch: patch.setattr(Width, "of", _narrow),
    "partial results take no room": lambda patch: patch.setattr(operations, "applied", _blind),
    "nothing is cast": lambda patch: patch.setattr(operations, "cast", lambda part, width: part),
    "a count takes no room": lambda patch: patch.setattr(
        operations, "counted", lambda part: operations.Folded(0, 1, Width.NARROW, 1, 1, "COUNT", part)
    ),
    "no rows divide": lambda patch: patch.setattr(operations, "kept", lambda part, floor, ceiling: part),
}


@pytest.mark.parametrize("change", MUTANTS.values(), ids=MUTANTS.keys())
def test_a_mutant_of_the_typing_is_not_proved(change: Callable[[Any], None], monkeypatch: pytest.MonkeyPatch) -> None:
    change(monkeypatch)
    with pytest.raises((Unproven, AssertionError)):
        proved_all()


@pytest.mark.parametrize("kind", ["UUID", "ENUM('x', 'y')"])
def test_what_is_stored_as_no_text_is_compared_with_none(kind):
    table = Table("t", [], {"k": categories("x", "y")})
    stored = Stored(table, '"rows"', {"k": kind}, {"k": "k"})
    with pytest.raises(Unproven, match="comparison"):
        prove('SELECT COUNT(*) AS n FROM "rows" WHERE "k" = \'x\'', stored)
    plan = read("SELECT COUNT(*) AS n FROM t WHERE k = 'x'", [table])
    prove(statement(Program(table, plan.where, cells(plan.keys, plan.met), (Rows(),)), stored).sql, stored)


def test_a_category_is_cast_to_a_list_that_holds_all_its_labels():
    table = Table("t", [], {"k": categories("x", "y")})
    copied = Stored(table, '"rows"', {"k": "ENUM('x', 'y', 'OTHER')"}, {"k": "k"}, clean=True)
    prove("SELECT CAST(\"k\" AS ENUM('x', 'y', 'OTHER')) AS c FROM \"rows\"", copied)
    with pytest.raises(Unproven, match="cast"):
        prove("SELECT CAST(\"k\" AS ENUM('x', 'y')) AS c FROM \"rows\"", copied)
    raw = Stored(table, '"rows"', {"k": "VARCHAR"}, {"k": "k"})
    with pytest.raises(Unproven, match="cast"):
        prove("SELECT CAST(\"k\" AS ENUM('x', 'y', 'OTHER')) AS c FROM \"rows\"", raw)
