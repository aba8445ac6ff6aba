"""Words of tools mean the same when they are said as the curator reads them; what has no exact meaning is refused."""

from __future__ import annotations

import datetime as dt

import pytest

import partita as pt
from partita.errors import PartitaError
from partita.server.wire.listing import MOST_LISTED, listing
from partita.server.wire.scanner import sentence
from partita.server.wire.wording import bars_of, reworded

TABLE = pt.Table(
    "t",
    source=[],
    columns={
        "age": pt.integers(0, 3),
        "sex": pt.categories("M", "F"),
        "day": pt.dates("2025-01-01", "2025-01-03", missing="2025-01-01"),
        "who": pt.identifier(),
        "many": pt.integers(0, MOST_LISTED),
    },
)


@pytest.mark.parametrize(
    ("said", "read"),
    [
        ("SELECT SUM(x CLAMPED BETWEEN -1 AND 5.5) FROM t", "SELECT SUM(CLAMP(x , -1, 5.5)) FROM t"),
        ("SELECT AVG((a + b) CLAMPED BETWEEN 0 AND 5) AS n FROM t", "SELECT AVG(CLAMP((a + b) , 0, 5)) AS n FROM t"),
        (
            "SELECT SUM(x, contribution_bounds_per_group => (0, 9)) FROM t",
            "SELECT SUM(CLAMP(x, 0, 9)) FROM t",
        ),
        ("SELECT 1 FROM t WHERE a = ANY(ARRAY[1, 'x'])", "SELECT 1 FROM t WHERE a IN (1, 'x')"),
        ("SELECT 1 FROM t WHERE a = ANY(ARRAY[b])", "SELECT 1 FROM t WHERE a = ANY(ARRAY[b])"),
        ("SELECT 1 FROM t WHERE d = {d '2025-01-05'}", "SELECT 1 FROM t WHERE d = '2025-01-05'"),
        (
            "SELECT 1 FROM t WHERE d > TO_TIMESTAMP('2025-01-05 10:00:00.000', 'YYYY-MM-DD HH24:MI:SS.MS')",
            "SELECT 1 FROM t WHERE d > '2025-01-05 10:00:00'",
        ),
        # Another meaning, or none: left as it is, for the curator to refuse.
        (
            "SELECT 1 FROM t WHERE d > TO_TIMESTAMP('2025-01-05 10:00:00.5', 'YYYY-MM-DD HH24:MI:SS.MS')",
            "SELECT 1 FROM t WHERE d > TO_TIMESTAMP('2025-01-05 10:00:00.5', 'YYYY-MM-DD HH24:MI:SS.MS')",
        ),
        ("SELECT TO_DATE('05/01/2025', 'DD/MM/YYYY')", "SELECT TO_DATE('05/01/2025', 'DD/MM/YYYY')"),
        ("SELECT 'CLAMPED BETWEEN 1 AND 2'", "SELECT 'CLAMPED BETWEEN 1 AND 2'"),
    ],
)
def test_words_are_said_as_the_curator_reads_them(said, read):
    assert reworded(sentence(said), owned=False).text == read


@pytest.mark.parametrize("bounds", ["x CLAMPED BETWEEN 0 AND 5", "x, contribution_bounds_per_group => (0, 5)"])
def test_bounds_of_owners_are_no_bounds_of_rows(bounds):
    with pytest.raises(PartitaError) as caught:
        reworded(sentence(f"SELECT SUM({bounds}) FROM t"), owned=True)
    assert caught.value.code == "wire.bounds-of-owners"
    per_row = reworded(sentence("SELECT SUM(x, contribution_bounds_per_row => (0, 5)) FROM t"), owned=True)
    assert per_row.text == "SELECT SUM(CLAMP(x, 0, 5)) FROM t"


@pytest.mark.parametrize("broken", ["x CLAMPED BETWEEN a AND 5", "x CLAMPED BETWEEN 0 AND", "x CLAMPED BETWEEN 0, 5"])
def test_bounds_are_numbers(broken):
    with pytest.raises(PartitaError) as caught:
        reworded(sentence(f"SELECT SUM({broken}) FROM t"), owned=False)
    assert caught.value.code == "wire.unreadable-options"


def test_error_bars_are_asked_for_by_name_wherever_they_stand():
    said = sentence("SELECT ERROR(n), sex, COUNT(*) AS n, DP_INTERVAL_LOW(n) AS low, DP_INTERVAL_HIGH(n) high FROM t")
    question, bars = bars_of(said)
    assert question.text.split() == ["SELECT", "sex,", "COUNT(*)", "AS", "n", "FROM", "t"]
    assert [(one.place, one.what, one.of, one.name) for one in bars] == [
        (0, "half", "n", "error"), (3, "low", "n", "low"), (4, "high", "n", "high"),
    ]  # fmt: skip
    for same in ("SELECT ERROR(n + 1) FROM t", "SELECT COUNT(*) AS error FROM t", "SELECT ERROR(n) FROM t"):
        assert bars_of(sentence(same)) == (sentence(same), ())


@pytest.mark.parametrize(
    ("said", "lines"),
    [
        ("SELECT DISTINCT sex FROM t", [("M",), ("F",), ("OTHER",), (None,)]),
        ("SELECT sex FROM t GROUP BY sex ORDER BY sex", [("F",), ("M",), ("OTHER",), (None,)]),
        ("SELECT t.sex AS s FROM public.t GROUP BY 1 ORDER BY 1 DESC LIMIT 2", [(None,), ("OTHER",)]),
        ("SELECT DISTINCT day FROM t ORDER BY day DESC", [(dt.date(2025, 1, one),) for one in (3, 2, 1)]),
        ("SELECT DISTINCT age, sex FROM t ORDER BY sex DESC NULLS LAST, age LIMIT 1", [(0, "OTHER")]),
        ("SELECT * FROM t LIMIT 0", []),
        ("SELECT age FROM t WHERE (0 = 1)", []),
        ("SELECT who FROM t WHERE 1 <> 1 LIMIT 5", []),
    ],
)
def test_declared_values_are_listed_free(said, lines):
    found = listing(said, {"t": TABLE})
    assert found is not None
    assert found.lines == lines
    assert all(len(line) == len(found.columns) for line in lines)


@pytest.mark.parametrize(
    "said",
    [
        "SELECT sex FROM t", "SELECT DISTINCT who FROM t", "SELECT DISTINCT many FROM t", "SELECT age FROM t LIMIT 5",
        "SELECT DISTINCT sex FROM t WHERE age > 1", "SELECT sex FROM t GROUP BY sex, age", "SELECT sex FROM u LIMIT 0",
        "SELECT DISTINCT sex FROM t, u", "SELECT COUNT(*) FROM t LIMIT 0", "SELECT sex FROM t WHERE 1 = 1",
        "SELECT DISTINCT ON (sex) age FROM t", "SELECT sex FROM t GROUP BY ROLLUP (sex)", "SELECT nope FROM t LIMIT 0",
        "SELECT sex FROM t GROUP BY sex HAVING sex > 'a'", "SELECT DISTINCT sex FROM t ORDER BY age",
    ],
)  # fmt: skip
def test_whatever_asks_of_rows_goes_to_the_curator(said):
    assert listing(said, {"t": TABLE}) is None
