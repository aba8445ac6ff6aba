"""One strange row must not decide about anything but itself: no error, no other row's fate, no type."""

from __future__ import annotations

import datetime as dt
from contextlib import suppress

import pyarrow as pa
import pytest
from pyarrow import parquet

from partita.engine.duckdb import DuckDB
from partita.errors import InvalidInput
from partita.query.exact.program import Program, Rows, Total, cells
from partita.query.language.expressions import Value
from partita.query.sql.parse import read
from partita.query.tables.schema import Table
from partita.region.columns import booleans, categories, dates, decimals, integers

NAN, INF = float("nan"), float("inf")
STRANGE = {
    "x": (
        decimals(-2, 5, step="0.5"),
        [
            pa.array([value], kind)
            for kind in (pa.float64(), pa.float32())
            for value in (NAN, INF, -INF, -0.0, 1e30, None)
        ]
        + [pa.array([value], pa.string()) for value in ("nan", "inf", "1e999", "", "0x1", "five", "١", "1;DROP", None)]
        + [pa.array([value], pa.int64()) for value in (2**63 - 1, -(2**63), None)]
        + [pa.array([2**64 - 1], pa.uint64()), pa.array([True])],
    ),
    "n": (
        integers(-3, 7),
        [pa.array([value], pa.int64()) for value in (2**63 - 1, -(2**63), None)]
        + [pa.array([value], pa.float64()) for value in (NAN, INF, -INF, 1e300, 0.49999999999999994)]
        + [pa.array([value], pa.string()) for value in ("9" * 400, "-", "1e-400", "7.5", "\x00", None)],
    ),
    "c": (
        categories("F", "M"),
        [pa.array([value], pa.string()) for value in ("", "f", "F ", "OTHER", "'", "\x00", "é", "F\x00", None)]
        + [pa.array([NAN]), pa.array([1]), pa.array([True])],
    ),
    "d": (
        dates("2025-01-01", "2025-12-31"),
        [pa.array([value], pa.date32()) for value in (dt.date(1, 1, 1), dt.date(9999, 12, 31), None)]
        + [
            pa.array([value], pa.string())
            for value in ("2025-02-30", "infinity", "0000-00-00", "now", "2025-1-1", None)
        ]
        + [pa.array([2**62], pa.timestamp("us")), pa.array([-(2**62)], pa.timestamp("us"))],
    ),
    "b": (booleans(), [pa.array([value], pa.string()) for value in ("maybe", "TRUE", "", None)] + [pa.array([NAN])]),
}
CASES = [(name, column, array) for name, (column, arrays) in STRANGE.items() for array in arrays]
QUESTION = {
    "x": "SELECT COUNT(*) FROM t WHERE x * x - 1 > 0 OR x IS NULL",
    "n": "SELECT SUM(n * n - 3), COUNT(n), BUCKET(n, 2) FROM t GROUP BY BUCKET(n, 2)",
    "c": "SELECT c, COUNT(*) FROM t GROUP BY c",
    "d": "SELECT DATE_TRUNC('month', d), COUNT(*) FROM t WHERE d > DATE '2025-03-01' GROUP BY 1",
    "b": "SELECT COUNT(*) FROM t WHERE NOT b",
}
GOOD = {"x": [0.5, 2.5], "n": [3, 4], "c": ["F", "M"], "d": [dt.date(2025, 4, 1)] * 2, "b": [True, False]}


def answered(name, column, arrays, folder, copied_below):
    """The exact tallies of tables of these rows each, all opened by one engine."""
    tables = [Table(f"t{place}", folder / f"{place}.parquet", {name: column}) for place in range(len(arrays))]
    for table, array in zip(tables, arrays, strict=True):
        parquet.write_table(pa.table({name: array}), table.source)
    plan = read(QUESTION[name], [Table("t", [], {name: column})])
    tallies = (Rows(), *(Total(aggregate.of) for aggregate in plan.aggregates if hasattr(aggregate, "of")))
    engine = DuckDB(tables, threads=1, copied_below=copied_below)
    found = [engine.run(Program(table, plan.where, cells(plan.keys, plan.where), tallies)) for table in tables]
    engine.close()
    return found


@pytest.mark.filterwarnings("ignore:Table t.*Times of day:partita.errors.Caution")
@pytest.mark.parametrize("copied_below", [0, 2**30], ids=["read in place", "copied"])
@pytest.mark.parametrize(
    ("name", "column", "array"),
    CASES,
    ids=[f"{name} {array.type} {place}" for place, (name, _, array) in enumerate(CASES)],
)
def test_a_strange_row_moves_the_tallies_by_its_own_share_and_raises_nothing(
    name, column, array, copied_below, tmp_path
):
    """Its share is the same alone and among others, so it decides about nothing else."""
    try:
        usual = pa.array(GOOD[name]).cast(array.type)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        usual = pa.array([], array.type)
    arrays = [array.slice(0, 0), array, usual, pa.concat_arrays([usual, array])]
    nothing, alone, without, among = answered(name, column, arrays, tmp_path, copied_below)
    assert (among - without).tolist() == (alone - nothing).tolist()


@pytest.mark.parametrize("copied_below", [0, 2**30], ids=["read in place", "copied"])
@pytest.mark.parametrize(
    ("name", "array"), [("x", pa.array([[1]])), ("x", pa.array([b"\xff"])), ("d", pa.array([7]))], ids=str
)
def test_a_type_that_holds_nothing_of_what_is_declared_is_refused_whatever_the_rows(
    name, array, copied_below, tmp_path
):
    for rows in (array.slice(0, 0), array):
        with pytest.raises(InvalidInput, match="every value would be a missing one"):
            answered(name, STRANGE[name][0], [rows], tmp_path, copied_below)


def test_what_becomes_of_nan_does_not_depend_on_the_other_rows_of_its_block(tmp_path):
    """The statistics of a parquet file leave NaN out, and an engine that trusts them tells about other rows."""
    fates = set()
    for others in ([], [1.0], [9.0], [-9.0, 9.0], [0.0, 0.5, 1.0]):
        parquet.write_table(pa.table({"x": pa.array([NAN, *others], pa.float64())}), tmp_path / "rows.parquet")
        table = Table("t", tmp_path / "rows.parquet", {"x": decimals(-2, 5, step="0.5")})
        plan = read("SELECT COUNT(*) FROM t WHERE x IS NULL", [table])
        program = Program(table, plan.where, cells((), plan.where), (Rows(),))
        fates.add(int(DuckDB([table], copied_below=0).run(program)[0, 0]))
    assert fates == {1}


UNREADABLE = {
    "text that is not UTF-8": pa.Array.from_buffers(pa.string(), 1, pa.array([b"\xff\xfe"], pa.binary()).buffers()),
    "milliseconds beyond the calendar": pa.array([2**62], pa.timestamp("ms")),
    "the first of all microseconds": pa.array([-(2**63)], pa.timestamp("us", "UTC")),
    "a time of day that is none": pa.array([2**62], pa.time64("us")),
}


@pytest.mark.filterwarnings("ignore:Table t.*Times of day:partita.errors.Caution")
@pytest.mark.parametrize("declared", [categories("F", "M"), dates("2025-01-01", "2025-12-31"), None], ids=str)
@pytest.mark.parametrize("value", UNREADABLE)
def test_a_row_that_cannot_be_read_at_all_is_met_when_the_file_is_opened_and_by_no_question(value, declared, tmp_path):
    """A question that fails where a row is there, and not where it is not, tells of the row."""
    parquet.write_table(pa.table({"v": UNREADABLE[value], "q": pa.array([3])}), tmp_path / "rows.parquet")
    columns = {"q": integers(0, 9), **({} if declared is None else {"v": declared})}
    table = Table("t", tmp_path / "rows.parquet", columns)
    questions = ["SELECT SUM(q) FROM t"] + ([] if declared is None else ["SELECT v, SUM(q) FROM t GROUP BY v"])
    with suppress(InvalidInput):
        engine = DuckDB([table], copied_below=0)
        for question in questions:
            plan = read(question, [table])
            program = Program(table, plan.where, cells(plan.keys, plan.where), (Total(Value("q")),))
            assert engine.run(program).sum() == 3
        engine.close()
