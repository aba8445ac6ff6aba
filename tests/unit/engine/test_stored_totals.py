"""Sums of decimals that are clamped as they are stored: every bound, NaN, NULL, missing values and groups."""

from __future__ import annotations

from decimal import Decimal

import partita as pt
from partita.engine.postgres import Postgres
from partita.engine.reference import Reference
from partita.query.exact.program import Program, Rows, Total, cells
from partita.query.language.expressions import Value
from partita.query.sql.parse import read
from partita.region.dialects.postgres import POSTGRES
from tests.laws import served

NUMBERS = ["NaN", None, "0", "-0.01", "0.01", "20000", "20000.01", "19999.99", "-9999999999.99", "9999999999.99", "7.5"]
COLUMNS = {
    "a": pt.decimals(0, 20_000, step="0.01"),
    "b": pt.decimals(0, 20_000, step="0.01", missing="7.5"),
    "c": pt.decimals(-1, 10, step="0.25"),
    "sex": pt.categories("F", "M"),
}


def test_sums_are_those_of_the_reference():
    listed = [(number, number, number, "FM"[at % 2]) for at, number in enumerate(NUMBERS)] * 3
    kind = "numeric(12,2)"
    source = served.put([("a", kind), ("b", kind), ("c", kind), ("sex", "text")], listed, "sums")
    names = ("a", "b", "c", "sex")
    plain = [
        {name: Decimal(value) if value and name != "sex" else value for name, value in zip(names, line, strict=True)}
        for line in listed
    ]
    table, engine = pt.Table("sums", source, COLUMNS), None
    assert POSTGRES.stored_total(COLUMNS["a"], "x", "NUMERIC(12,2)") is not None
    assert POSTGRES.stored_total(COLUMNS["c"], "x", "NUMERIC(12,2)") is None
    try:
        engine = Postgres([table], database=served.address())
        reference = Reference([pt.Table("sums", plain, COLUMNS)])
        for where in ("TRUE", "a > 3", "b < 100 AND sex = 'F'", "a IS NULL"):
            plan = read(f"SELECT sex, COUNT(*) AS n FROM sums WHERE {where} GROUP BY sex", [table])
            tallies = (Rows(), *(Total(Value(name)) for name in ("a", "b", "c")))
            program = Program(table, plan.where, cells(plan.keys, plan.where), tallies)
            assert engine.run(program).tolist() == reference.run(program).tolist()
            assert engine.blank(program).tolist() == reference.blank(program).tolist()
    finally:
        if engine is not None:
            engine.close()
