"""A statement around releases means what the engine's own SQL says, where there is no noise to speak of."""

from __future__ import annotations

import math
from datetime import date, datetime, timedelta
from typing import Any

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import partita as pt
from tests.sizes import tried

# So dear that every draw of noise is zero: each whole number comes back as it is.
BUDGET, PRICE = 10**19, 10**14
COLUMNS = {
    "g": pt.categories("a", "b", "c", other="c", missing="c"),
    "h": pt.categories("u", "v", other="v", missing="v"),
    "k": pt.integers(0, 3, missing=0),
    "x": pt.integers(-5, 9, missing=0),
    "d": pt.dates("2024-01-01", "2024-03-31", missing="2024-01-01"),
}
# Every group has rows, because groups without any come back too, and no two have as many or the same sum.
ROWS = [
    {
        "g": g, "h": h, "k": k, "x": (7 * i * (place + 3) + i * i) % 15 - 5,
        "d": date(2024, 1, 1) + timedelta(days=(13 * i + place) % 91),
    }
    for place, (g, h, k) in enumerate((g, h, k) for g in "abc" for h in "uv" for k in range(4))
    for i in range(9 + 2 * place)
]  # fmt: skip
FACTS = [
    {"g": "a", "size": 10, "area": "north"},
    {"g": "b", "size": 20, "area": "north"},
    {"g": "c", "size": 5, "area": "south"},
]

KEYS = {"g": "g", "h": "h", "k": "k", "m": "DATE_TRUNC('month', d)"}
NUMBERS = (
    "COUNT(*)",
    "SUM(x)",
    "SUM(x * x)",
    "AVG(x)",
    "COUNT(*) FILTER (WHERE x > 2)",
    "SUM(CASE WHEN h = 'u' THEN x + 5 ELSE 0 END)",
)
WHERES = ("", " WHERE x > 0", " WHERE k <> 2 AND d < '2024-03-15'", " WHERE h = 'u' OR x >= 4")


@st.composite
def releases(draw: st.DrawFn, keys: tuple[str, ...] | None = None) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """A question, the names of its keys, and those of its numbers."""
    if keys is None:
        keys = tuple(draw(st.lists(st.sampled_from(sorted(KEYS)), min_size=1, max_size=2, unique=True)))
    numbers = draw(st.lists(st.sampled_from(NUMBERS), min_size=1, max_size=2, unique=True))
    listed = [f"{KEYS[key]} AS {key}" for key in keys] + [f"{text} AS n{place}" for place, text in enumerate(numbers)]
    where = draw(st.sampled_from(WHERES))
    # A group without rows is a line here and none in SQL.
    having = " HAVING COUNT(*) > 0"
    grouped = ", ".join(map(str, range(1, len(keys) + 1)))
    text = f"SELECT {', '.join(listed)} FROM t{where} GROUP BY {grouped}{having}"
    return text, keys, tuple(f"n{place}" for place in range(len(numbers)))


@st.composite
def windows(draw: st.DrawFn, keys: tuple[str, ...], numbers: tuple[str, ...]) -> str:
    """A window function that does not depend on the order of equal lines."""
    number, order = draw(st.sampled_from(numbers)), ", ".join(keys)
    apart = draw(st.sampled_from(["", f"PARTITION BY {draw(st.sampled_from(keys))} "]))
    frame = draw(st.sampled_from(["", " ROWS BETWEEN 2 PRECEDING AND CURRENT ROW", " ROWS UNBOUNDED PRECEDING"]))
    return draw(
        st.sampled_from(
            [
                f"{number} * 1.0 / NULLIF(SUM({number}) OVER ({apart}), 0)",
                f"SUM({number}) OVER ({apart}ORDER BY {order}{frame})",
                f"AVG({number}) OVER ({apart}ORDER BY {order}{frame})",
                f"RANK() OVER ({apart}ORDER BY {number} DESC)",
                f"ROW_NUMBER() OVER ({apart}ORDER BY {order})",
                f"{number} - LAG({number}) OVER ({apart}ORDER BY {order})",
                f"MAX({number}) OVER ({apart})",
                f"NTILE(3) OVER ({apart}ORDER BY {order})",
                f"FIRST_VALUE({number}) OVER ({apart}ORDER BY {order})",
            ]
        )
    )


@st.composite
def statements(draw: st.DrawFn) -> str:
    """A statement around one or two questions."""
    text, keys, numbers = draw(releases())
    kind = draw(st.sampled_from(["window", "qualify", "outer", "pivot", "join", "union", "facts"]))
    if kind == "window":
        shown = [*keys, *numbers, f"{draw(windows(keys, numbers))} AS w", f"{draw(windows(keys, numbers))} AS v"]
        return f"WITH r AS ({text}) SELECT {', '.join(shown)} FROM r"
    if kind == "qualify":
        rank = f"RANK() OVER (PARTITION BY {keys[0]} ORDER BY {numbers[0]} DESC)"
        return f"SELECT *, {rank} AS place FROM ({text}) AS r QUALIFY place <= {draw(st.integers(1, 3))}"
    if kind == "outer":
        function = draw(st.sampled_from(["SUM", "MAX", "MIN", "AVG", "COUNT"]))
        bare = f"WITH r AS ({text}) SELECT {keys[0]}, {function}({numbers[0]}) AS s, COUNT(*) AS lines FROM r"
        return f"{bare} WHERE {numbers[-1]} <> 3 GROUP BY {keys[0]}"
    if kind == "pivot":
        text, _, numbers = draw(releases(keys=("g", "h")))
        only = f"SELECT g, h, {numbers[0]} FROM r"
        return f"WITH r AS ({text}) SELECT * FROM ({only}) PIVOT (SUM({numbers[0]}) FOR h IN ('u', 'v'))"
    other, _, more = draw(releases(keys=keys))
    if kind == "join":
        on = " AND ".join(f"r.{key} = s.{key}" for key in keys)
        shown = ", ".join([*(f"r.{key}" for key in keys), f"r.{numbers[0]} - s.{more[0]} AS gap"])
        return f"WITH r AS ({text}), s AS ({other}) SELECT {shown} FROM r JOIN s ON {on}"
    if kind == "union":
        first, second = (f"SELECT {keys[0]}, {one[0]} AS n FROM {name}" for one, name in ((numbers, "r"), (more, "s")))
        return f"WITH r AS ({text}), s AS ({other}) {first} UNION ALL {second}"
    text, _, numbers = draw(releases(keys=("g", "k")))
    return (
        f"WITH r AS ({text}) SELECT area, k, SUM({numbers[0]} * size) AS s FROM r JOIN facts USING (g) GROUP BY area, k"
    )


@pytest.fixture(scope="module")
def curator() -> Any:
    return pt.Curator(
        tables=[pt.Table("t", ROWS, COLUMNS)],
        public=[pt.PublicTable("facts", FACTS, key="g")],
        promises=[pt.Promise(pt.rows(), pt.ZCDP(rho=BUDGET))],
        ledger=":memory:",
    )


@pytest.fixture(scope="module")
def plain() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    connection.execute("CREATE TABLE t (g VARCHAR, h VARCHAR, k INT, x INT, d DATE)")
    connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?)", [list(row.values()) for row in ROWS])
    connection.execute("CREATE TABLE facts (g VARCHAR, size INT, area VARCHAR)")
    connection.executemany("INSERT INTO facts VALUES (?, ?, ?)", [list(row.values()) for row in FACTS])
    return connection


def alike(one: Any, other: Any) -> bool:
    if isinstance(one, datetime) or isinstance(other, datetime):
        one, other = (value.date() if isinstance(value, datetime) else value for value in (one, other))
    if one is None or other is None or isinstance(one, str | date):
        return bool(one == other)
    return math.isclose(float(one), float(other), rel_tol=1e-6, abs_tol=1e-6)


def same(curator: Any, plain: duckdb.DuckDBPyConnection, statement: str) -> None:
    """Every line of the one is a line of the other."""
    wanted = plain.execute(statement).fetchall()
    found = [tuple(line.values()) for line in curator.ask(statement, rho=PRICE).rows()]
    left = list(found)
    for line in wanted:
        place = next((at for at, one in enumerate(left) if all(map(alike, one, line))), None)
        assert place is not None, f"{statement}\n{line} is not among {left[:5]}"
        del left[place]
    assert not left, f"{statement}\n{left[:5]} should not be there"


@pytest.mark.soak
@settings(max_examples=tried(15, soaking=4000), deadline=None)
@given(statement=statements())
def test_a_statement_around_releases_means_what_sql_says(curator, plain, statement):
    same(curator, plain, statement)


# Groups without rows are lines of a release, and no lines of SQL's: OTHER and NULL, a listed value, a whole level.
SPARSE = {"g": pt.categories("a", "b", "c"), "h": pt.categories("u", "v"), "x": pt.integers(-5, 900)}
FEW = [row for row in ROWS if (row["g"], row["h"]) not in {("a", "u"), ("c", "v")}]


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT MAX(m) AS top, MIN(m) AS low, AVG(m) AS mean, COUNT(m) AS lines FROM ({means})",
        "SELECT g, h, m, RANK() OVER (ORDER BY m DESC) AS place FROM ({means}) QUALIFY m IS NOT NULL",
        "SELECT g, h, m, RANK() OVER (PARTITION BY g ORDER BY m) AS place FROM ({means}) QUALIFY m IS NOT NULL",
        "SELECT g, h, m / SUM(m) OVER () AS share FROM ({means}) QUALIFY share IS NOT NULL",
        "SELECT g, h, m FROM ({means}) ORDER BY m LIMIT 3",
        "SELECT g, MAX(m) - MIN(m) AS gap FROM ({means}) GROUP BY g HAVING MAX(m) > -100",
        "SELECT g, h, m FROM ({means}) WHERE m > (SELECT AVG(m) FROM ({means}))",
        "SELECT g, h, s FROM (SELECT g, h, STDDEV_POP(x) AS s FROM t GROUP BY g, h) QUALIFY s >= MIN(s) OVER ()",
    ],
)
def test_groups_without_rows_change_nothing_about_the_others(statement):
    curator = pt.Curator(
        tables=[pt.Table("t", FEW, SPARSE)],
        promises=[pt.Promise(pt.rows(), pt.ZCDP(rho=BUDGET))],
        ledger=":memory:",
    )
    plain = duckdb.connect()
    plain.execute("CREATE TABLE t (g VARCHAR, h VARCHAR, x INT)")
    plain.executemany("INSERT INTO t VALUES (?, ?, ?)", [[row["g"], row["h"], row["x"]] for row in FEW])
    same(curator, plain, statement.format(means="SELECT g, h, AVG(x) AS m FROM t GROUP BY g, h"))
