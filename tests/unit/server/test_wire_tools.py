"""Questions as tools write them, and what becomes of each: answered in which columns, or refused with which code."""

from __future__ import annotations

import datetime as dt
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import partita as pt
from partita.errors import PartitaError
from partita.server.wire.listing import listing
from partita.server.wire.prepared import prepared
from partita.server.wire.scanner import sentences
from partita.server.wire.statements import Aim

STATEMENTS = Path(__file__).parents[2] / "golden" / "tool_statements.sql"
LEAST = 120
COLUMNS = {
    "age": pt.integers(0, 120, missing=0),
    "sex": pt.categories("F", "M"),
    "city": pt.categories("York", "Bath", "Hull"),
    "day": pt.dates("2025-01-01", "2025-01-31"),
    "seen": pt.timestamps("2025-01-01", "2025-02-01", step="1h", zone="UTC"),
    "cost": pt.decimals(0, 100, step="0.01"),
}
MOMENT = dt.datetime(2025, 1, 5, 7)  # noqa: DTZ001 - the column has a zone of its own
ROW = {"age": 40, "sex": "F", "city": "York", "day": dt.date(2025, 1, 5), "seen": MOMENT, "cost": 3}


@pytest.fixture(scope="module")
def curator() -> Iterator[pt.Curator]:
    with _opened() as found:
        yield found


def _opened() -> pt.Curator:
    table = pt.Table("visits", source=[ROW], columns=COLUMNS)
    promise = pt.Promise(pt.rows(), pt.ZCDP(rho="1000", delta="1e-6"))
    return pt.Curator(tables=[table], promises=[promise], ledger=":memory:", second_opinion=0)


def listed() -> list[tuple[str, str, str]]:
    """Each with its tool, and what is written down of it."""
    found, tool = [], ""
    lines: list[str] = []
    for line in STATEMENTS.read_text(encoding="utf-8").splitlines():
        if line.startswith("-- tool: "):
            tool = line.removeprefix("-- tool: ")
        elif line.startswith("=> "):
            found.append((tool, "\n".join(lines), line.removeprefix("=> ")))
            lines = []
        elif line:
            lines.append(line)
    return found


def becomes(curator: pt.Curator, text: str) -> str:
    """What becomes of a statement: columns with their kinds, and whether it is free; or the code of its refusal."""
    try:
        (said,) = sentences(text, 1)
        read = prepared(said, {"visits"}, {})
        if read.aim is not Aim.QUESTION:
            return f"goes to the {read.aim.value}"
        known = listing(read.said.text, {"visits": curator.tables[0]})
        if known is not None:
            return f"declared: {', '.join(one.name for one in known.columns)}; {len(known.lines)} lines"
        described = curator.described(read.said.text)
        offer = curator.quote(read.said.text, rho="0.01")
    except PartitaError as refusal:
        return f"refused: {refusal.code}"
    shown = ", ".join(f"{one.name} {one.kind.name.lower()}{'*' if one.noisy else ''}" for one in described)
    return f"{'free' if offer.free else 'answered'}: {shown}"


def test_what_becomes_of_questions_as_tools_write_them(curator):
    """A star marks what is noisy. `python -m tests.unit.server.test_wire_tools` writes the file anew."""
    expected = listed()
    assert len(expected) >= LEAST
    assert [(text, becomes(curator, text)) for _, text, _ in expected] == [(text, how) for _, text, how in expected]


if __name__ == "__main__":
    with _opened() as one:
        lines, before = [], ""
        for tool, text, _ in listed():
            lines += [f"-- tool: {tool}", ""] if tool != before else []
            lines += [text, f"=> {becomes(one, text)}", ""]
            before = tool
    STATEMENTS.write_text("\n".join(lines), encoding="utf-8")
    sys.exit(0)
