"""One line of a CSV file never decides about the others: it is one row of its own, or the file is refused."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import partita as pt
from partita.engine.duckdb import DuckDB
from partita.engine.reference import Reference
from partita.errors import PartitaError
from partita.query.exact.program import Program, Rows, cells
from partita.query.language.conditions import everywhere
from partita.query.language.keys import Opened
from partita.query.tables.schema import Table
from tests.sizes import tried

COLUMNS = {"a": pt.text_keys(), "b": pt.text_keys()}
ROWS = (b"x,1", b"y,2", b"z,3")
ALONE: dict[str, Counter[Any] | None] = {}
PIECES = ("a", ",", '"', " ", "\r", "\0", "\\", "#", "'", '""', "\t", '","', '" ', ' "', "\ufeff", "\u00a0")


def read(path, lines, end=b"\n", **options):
    """How often each row is read, or None if the file is refused."""
    path.write_bytes(end.join([b"a,b", *lines, b""]))
    table = Table("t", pt.csv(path, **options) if options else path, COLUMNS)
    try:
        engine = DuckDB([table], threads=1)
    except PartitaError:
        return None
    where = everywhere(table.domain)
    try:
        found = engine.run(Program(table, where, cells((), where), (Rows(),), opened=(Opened("a"), Opened("b"))))
    finally:
        engine.close()
    return Counter({(line[0], line[1]): line[-1] for line in found.tolist()})


def rows_alone(path, **options):
    """The same for every line that is put beside them: read once."""
    if str(options) not in ALONE:
        ALONE[str(options)] = read(path, ROWS, **options)
    return ALONE[str(options)]


@pytest.mark.soak
@settings(max_examples=tried(60, soaking=6000))
@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=8).map("".join), st.integers(0, 3))
@example(' "Al,40', 0)
@example('""\r\r","\r\r#', 0)
@example('a"b,1', 1)
def test_a_line_among_others_takes_nothing_from_them(tmp_path_factory, line, place):
    path = tmp_path_factory.mktemp("file") / "t.csv"
    alone, lines = rows_alone(path), list(ROWS)
    lines.insert(place, line.encode())
    beside = read(path, lines)
    assert beside is None or (beside - alone).total() <= 1
    assert beside is None or not alone - beside


@settings(max_examples=40)
@given(
    st.lists(st.sampled_from((*PIECES, "\n")), min_size=1, max_size=8).map("".join),
    st.integers(0, 3),
    st.sampled_from([{"line_breaks": True}, {"trim": True}, {"null": ["a"], "line_breaks": True}]),
)
@example('"a\nx","2', 1, {"line_breaks": True})
@example('"\n","\n"', 0, {"line_breaks": True})
def test_a_row_with_line_breaks_takes_nothing_from_the_others(tmp_path_factory, row, place, options):
    """It may be several rows, where its writer put no marks around a line break; the others stay as they are."""
    path = tmp_path_factory.mktemp("file") / "t.csv"
    alone, lines = rows_alone(path, **options), list(ROWS)
    lines.insert(place, row.encode())
    beside = read(path, lines, **options)
    assert beside is None or not alone - beside
    assert beside is None or (beside - alone).total() <= 1 + row.count("\n")


@pytest.mark.parametrize("line", [b' "Al,40', b'a"b,1', b'"a" ,1', b'"a', b"a\rb,1", b"x,1\r"])
def test_lines_that_readers_take_apart_differently_are_refused(tmp_path, line):
    assert read(tmp_path / "t.csv", [*ROWS, line]) is None
    with pytest.raises(PartitaError, match="not well-formed"):
        Reference([Table("t", tmp_path / "t.csv", COLUMNS)])


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_plain_lines_and_lines_in_quotation_marks_are_read(tmp_path, end):
    lines = [*ROWS, b'"a, ""b""",4', b"", b" c ,5", b"d"]
    found = read(tmp_path / "t.csv", lines, end)
    assert found == {("x", "1"): 1, ("y", "2"): 1, ("z", "3"): 1, ('a, "b"', "4"): 1, (" c ", "5"): 1, ("d", None): 1}
