"""What is not named is added up group by group, and only where there are rows."""

from __future__ import annotations

from typing import Any

import pytest

import partita as pt
from partita.engine.duckdb import DuckDB
from partita.engine.reference import Reference
from partita.query.exact.program import EMPTY, Histogram, Program
from partita.query.noise import partition_selection as selection
from partita.query.noise.quote import Quote

COLUMNS = {"k": pt.text_keys(), "x": pt.integers(0, 49, missing=0), "y": pt.integers(0, 9)}
QUESTION = "SELECT k, x, MEDIAN(y) AS m, COUNT(*) AS n, SUM(y) AS s FROM t GROUP BY k, x"
ROWS = [
    {"k": f"k{at % 23}" if at % 5 else None, "x": (at * at) % 7, "y": None if at % 11 == 0 else at % 10}
    for at in range(300)
]


def offered(rows: list[dict[str, Any]]) -> tuple[pt.Table, Quote]:
    table = pt.Table("t", source=rows, columns=COLUMNS)
    promise = pt.Promise(pt.rows(), pt.Approximate(epsilon=1, delta="0.001"))
    curator = pt.Curator(tables=[table], promises=[promise], backend="reference")
    return table, curator.quote(QUESTION, epsilon="0.000001", delta="0.0000001").quote


def one_by_one(program: Program, found: Any) -> list[list[Any]]:
    """The same sums, by the definition."""
    cells, texts = program.cells.count, len(program.opened)
    lines: list[list[Any]] = []
    for group in range(cells):
        line: list[Any] = []
        for column in range(texts + 1, found.shape[1]):
            met = [found[place, column] for place in range(group, len(found), cells)]
            if isinstance(met[0], Histogram):
                values = sorted(v for one in met for v, c in zip(one.values, one.counts, strict=True) for _ in range(c))
                line.append([int(value) for value in values])
            else:
                line.append(sum(met))
        lines.append(line)
    return lines


@pytest.mark.parametrize("engine", [DuckDB, Reference])
def test_keys_that_are_not_named_are_one_line_a_group(engine: Any) -> None:
    table, asked = offered(ROWS)
    found = engine([table]).run(asked.program)
    assert asked.offer.selection is not None
    texts, tallies = selection.named(asked.offer.selection, asked.program, found)
    assert set(texts.ravel()) == {None}
    shown = [
        [
            [int(v) for v, c in zip(one.values, one.counts, strict=True) for _ in range(c)]
            if isinstance(one, Histogram)
            else one
            for one in line
        ]
        for line in tallies
    ]
    assert shown == one_by_one(asked.program, found)
    assert sum(len(one) for line in shown for one in line if isinstance(one, list)) == sum(
        row["y"] is not None for row in ROWS
    )


def test_a_key_that_is_not_named_is_worked_on_only_where_it_has_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that the time it takes hardly depends on how many groups are listed beside it."""
    table, asked = offered(ROWS)
    found = Reference([table]).run(asked.program)
    together, seen = Histogram.of, []
    monkeypatch.setattr(Histogram, "of", lambda several: seen.append(len(several)) or together(several))
    assert asked.offer.selection is not None
    selection.named(asked.offer.selection, asked.program, found)
    full = [one for one in found[:, -3:].ravel() if isinstance(one, Histogram) and one is not EMPTY]
    assert sum(seen) == len(full)
    assert len(seen) <= 7 < asked.program.cells.count
