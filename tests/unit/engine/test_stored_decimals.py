"""No stored decimal, of whatever precision and scale, fails the expression that maps it into a declared column.

So columns of decimals need not be read once more when a table is opened (`Stored.doubtful`).
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal, localcontext

import duckdb
import pytest

import partita as pt
from partita.engine.statements.stored import Stored
from partita.query.tables.schema import Table
from partita.region import columns as family
from partita.region.columns import Bounded, Column
from partita.registry import members
from tests.sizes import tried

DECLARED: dict[str, Column] = {
    "few": pt.integers(-5, 5),
    "many": pt.integers(-(2**49), 2**49, missing=0),
    "cents": pt.decimals(-10, 10, step="0.01"),
    "fine": pt.decimals("-1e6", "1e6", step="0.0001", missing=0),
    "thirds": pt.decimals(0, 1000, step="1/3"),
    "coarse": pt.decimals(0, "1.022e12", step="1.022"),
    "name": pt.categories("1", "0.5", "x"),
    "yes": pt.booleans(),
    "day": pt.dates("2025-01-01", "2025-12-31"),
    "time": pt.timestamps("2025-01-01", "2025-12-31", step="1h", zone="Europe/Berlin"),
    "text": pt.text_keys(),
    "link": pt.key(),
    "who": pt.identifier(),
}


def stored_as(kind: str) -> list[str]:
    """Every expression that a stored value of a column "x" goes through."""
    found = []
    for name, declared in DECLARED.items():
        stored = Stored(Table("t", [], {name: declared}), "t", {name: kind}, {name: "x"})
        found.append(stored.sanitised[name])
        if isinstance(declared, Bounded):
            found.append(stored.within(name))
    return found


def values(precision: int, scale: int) -> Iterator[str]:
    """Both ends, the smallest steps, halves, and both sides of where narrower numbers end."""
    with localcontext(prec=100):
        step, most = Decimal(1).scaleb(-scale), 10 ** (precision - scale)
        ends = [most, 0, 1, 10, Decimal("0.5"), *(2**bits for bits in (7, 15, 31, 50, 53, 62, 63, 64))]
        for end in ends:
            for value in (end - step, end, end + step):
                if abs(value) < most:
                    yield from (f"{value:f}", f"{-value:f}")


def test_every_kind_of_column_is_tried():
    assert {column.kind for column in DECLARED.values()} == set(members(Column, family))


def test_expressions_are_the_same_for_every_decimal():
    assert stored_as("DECIMAL(1,1)") == stored_as("DECIMAL(18,3)") == stored_as("DECIMAL(38,0)")


# A decimal is stored in 16, 32, 64 or 128 bits. At both ends of each every scale is tried, elsewhere three.
ENDS = {1, 4, 5, 9, 10, 18, 19, 38}


@pytest.mark.soak
@pytest.mark.parametrize("precision", range(1, 39))
def test_no_stored_decimal_fails(precision):
    expressions = ", ".join(f"BIT_XOR(HASH({expression}))" for expression in stored_as("DECIMAL(18,3)"))
    some = range(precision + 1) if precision in ENDS else sorted({0, precision // 2, precision})
    with duckdb.connect(config={"threads": 1}) as engine:
        for scale in tried(some, soaking=range(precision + 1)):
            rows = ", ".join(f"('{value}')" for value in values(precision, scale))
            engine.execute(
                f"CREATE OR REPLACE TABLE t AS SELECT CAST(v AS DECIMAL({precision},{scale})) AS x "
                f"FROM (VALUES {rows}, (NULL)) AS listed(v)"
            )
            assert engine.execute("SELECT COUNT(x) FROM t").fetchone()[0] == rows.count("(")
            assert engine.execute(f"SELECT {expressions} FROM t").fetchone()
