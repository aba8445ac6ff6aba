"""A parquet file that is read in place gives what its rows give when they are copied, however the file is laid out.

Conditions are handed to the engine on the values as they are stored, so that it can skip what it need not read. What it
skips by (pages, their statistics, dictionaries, blocks) is written by whoever wrote the file, and decides nothing here.
"""

from __future__ import annotations

import datetime as dt
import itertools
import random
from dataclasses import replace
from decimal import Decimal
from functools import cache
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

import partita as pt
from partita.engine.duckdb import DuckDB
from partita.query.exact.program import Owners, Program, Rows, Values, cells
from partita.query.language.expressions import Value
from partita.query.language.keys import Opened
from partita.query.sql.parse import read
from partita.query.tables.truncation import Truncation
from tests.laws.test_engines import programs
from tests.sizes import tried
from tests.unit.query.strategies import in_place

ROWS = 200
DAYS = [dt.date(2024, 1, 1) + dt.timedelta(days) for days in (0, 1, 9, 400)]
HOURS = [dt.datetime.combine(day, dt.time(23)) for day in DAYS]
TEXTS = ["q", "r", "", "é", "a text of more than twelve bytes"]
# The declared column, the stored type and some values.
KINDS: dict[str, tuple[Any, pa.DataType, list[Any]]] = {
    "name": (pt.categories("q", "r", "s"), pa.string(), TEXTS),
    "stood": (pt.categories("q", "r", missing="r"), pa.large_string(), TEXTS),
    "listed": (pt.categories("1", "2"), pa.int32(), [1, 2, 3]),
    "tiny": (pt.integers(0, 5), pa.int8(), [-1, 0, 1, 5, 7]),
    "number": (pt.integers(0, 5), pa.int64(), [-(2**62), 0, 1, 5, 2**62]),
    "filled": (pt.integers(0, 5, missing=2), pa.int32(), [-1, 0, 2, 5, 2**31 - 1]),
    "unsigned": (pt.integers(0, 5), pa.uint64(), [0, 1, 5, 2**64 - 1]),
    "written": (pt.integers(0, 5), pa.string(), ["0", "3", "9", "none"]),
    "money": (pt.decimals(0, 4, step="0.5"), pa.decimal128(9, 2), [Decimal(one) for one in ("-1.00", "0.50", "2.25")]),
    "real": (pt.decimals(0, 4, step="0.5"), pa.float64(), [-1.0, 0.5, 2.25, float("nan")]),
    "yes": (pt.booleans(), pa.bool_(), [True, False]),
    "day": (pt.dates(DAYS[0], DAYS[2]), pa.date32(), DAYS),
    "time": (pt.dates(DAYS[0], DAYS[2]), pa.timestamp("us"), HOURS),
    "key": (pt.text_keys(), pa.string(), TEXTS),
    "who": (pt.identifier(), pa.string(), ["a", "b", "c", "an owner of more than twelve bytes"]),
}
COLUMNS = {name: declared for name, (declared, _, _) in KINDS.items()}
TEXTUAL = [name for name, (_, stored, _) in KINDS.items() if stored in (pa.string(), pa.large_string())]
WHOLE = ["tiny", "number", "filled", "unsigned", "listed", "day", "time"]
ENCODINGS = {
    "plain": dict.fromkeys(KINDS, "PLAIN"),
    "delta": dict.fromkeys(KINDS, "PLAIN")
    | dict.fromkeys(TEXTUAL, "DELTA_BYTE_ARRAY")
    | dict.fromkeys(WHOLE, "DELTA_BINARY_PACKED")
    | {"yes": "RLE"},
    "lengths": dict.fromkeys(KINDS, "PLAIN")
    | dict.fromkeys(TEXTUAL, "DELTA_LENGTH_BYTE_ARRAY")
    | dict.fromkeys([*WHOLE, "real"], "BYTE_STREAM_SPLIT"),
}
PAGES = {
    "pages of few rows": {"data_page_size": 1, "write_batch_size": 30},
    "blocks": {"row_group_size": 40},
    "one page": {},
}
STATISTICS = {
    "no statistics": {"write_statistics": False},
    "an index of pages": {"write_page_index": True, "data_page_version": "2.0"},
}


def layouts():
    """Options for pyarrow, each with its name."""
    for (coded, encoding), (paged, pages) in itertools.product(ENCODINGS.items(), PAGES.items()):
        yield f"{coded}, {paged}", {"use_dictionary": False, "column_encoding": encoding, **pages}
    for (paged, pages), (told, statistics) in itertools.product(PAGES.items(), STATISTICS.items()):
        yield f"{paged}, {told}", {"use_dictionary": False, **pages, **statistics}
    for paged, pages in PAGES.items():
        yield f"dictionaries, {paged}", pages
    # A dictionary that soon becomes too large: the pages after that are written without one.
    yield "a dictionary given up", {"dictionary_pagesize_limit": 1, "data_page_size": 1, "write_batch_size": 30}


def values(some: list[Any], seed: random.Random) -> list[Any]:
    """One value throughout but for one row, then long and short runs of values, some of them of none at all."""
    made: list[Any] = [seed.choice(some)] * (ROWS // 2)
    made[seed.choice([0, 50, -1])] = None
    while len(made) < ROWS:
        made += [seed.choice([*some, None])] * seed.choice([1, 2, 30, 50])
    return made[:ROWS]


def conditions() -> list[str]:
    """For every column every kind of condition, and some on two of them."""
    found = ["TRUE"]
    for name, (declared, _, _) in KINDS.items():
        if name in ("who", "key"):
            continue
        texts = [f"'{value}'" if isinstance(value, str) else f"{value}" for value in map(declared.value, range(2))]
        if isinstance(declared.value(0), dt.date):
            texts = [f"DATE '{declared.value(code)}'" for code in range(2)]
        first, second = texts
        found += [f"{name} IS NULL", f"{name} IS NOT NULL", f"{name} = {first}", f"{name} IN ({first}, {second})"]
        found += [f"{name} NOT IN ({first}, {second})", f"{name} <> {second}", f"{name} = {second} OR {name} IS NULL"]
        if declared.ordered:
            found += [f"{name} <= {first}", f"{name} > {first}", f"{name} BETWEEN {first} AND {second}"]
    for value in ("key", "LOWER(key)"):
        found += [f"{value} IS NULL", f"{value} IS NOT NULL", f"{value} = 'q'", f"{value} <> 'q'", f"{value} LIKE 'a%'"]
        found += [f"{value} NOT IN ('q', 'r')", f"COALESCE({value}, 'q') = 'q'", f"{value} IS NULL OR tiny > 1"]
    found += ["name IS NULL AND number IS NOT NULL", "(name = 'q' AND tiny > 1) OR (stood = 'r' AND day IS NULL)"]
    return found


@cache
def asked() -> list[tuple[str, Program]]:
    """Counts under every condition, counts by every column and of what is there, sums, open keys, and owners."""
    table = pt.Table("t", [], COLUMNS)
    texts = [f"SELECT COUNT(*) AS n FROM t WHERE {condition}" for condition in conditions()]
    texts += [f"SELECT COUNT(*) AS n FROM t GROUP BY {name}" for name in KINDS if name not in ("who", "key")]
    summed = ["tiny", "number", "filled", "unsigned", "written", "money", "real"]
    texts += [f"SELECT COUNT({name}) AS n, SUM({name}) AS s FROM t WHERE name IS NULL" for name in summed]
    made = [(text, programs(read(text, [table]))) for text in texts]
    capped = Truncation("who", 3, "k", per="day")
    made += [(f"{text}, by owner and day", programs(read(text, [table]), capped)) for text in texts[::7]]
    whole = read("SELECT COUNT(*) AS n FROM t", [table])
    none, owners = cells((), whole.where), Truncation("who", 2, "k")
    made.append(("owners", Program(table, whole.where, none, (Rows(), Owners(), Values(Value("tiny"))))))
    made.append(("open keys", Program(table, whole.where, none, (Rows(), Owners()), owners, (Opened("key"),))))
    return made


def answers(source: Any, some: slice = slice(None)) -> list[tuple[str, Any]]:
    """What each program tells of the rows, copied if they are no file."""
    table = pt.Table("t", source, COLUMNS)
    engine = in_place(table)
    assert engine is not None
    found = [(text, engine.run(replace(program, table=table)).tolist()) for text, program in asked()[some]]
    engine.close()
    return found


@pytest.fixture(scope="module")
def stored() -> tuple[pa.Table, list[tuple[str, Any]]]:
    """Rows, and what is answered when they are copied."""
    chance = random.Random(1)
    rows = pa.table({name: pa.array(values(some, chance), kind) for name, (_, kind, some) in KINDS.items()})
    return rows, answers(rows)


# Every program is asked of a third of the layouts, and every layout every third program.
EACH = tried(3, soaking=1)


@pytest.mark.soak
@pytest.mark.parametrize(
    ("place", "options"), [pytest.param(place, one, id=name) for place, (name, one) in enumerate(layouts())]
)
def test_a_file_read_in_place_answers_as_its_rows_do(stored, place, options, tmp_path):
    rows, expected = stored
    parquet.write_table(rows, tmp_path / "t.parquet", **options)
    some = slice(place % EACH, None, EACH)
    assert answers(tmp_path / "t.parquet", some) == expected[some]


@pytest.mark.parametrize("rows", [2_048, 20_001, 50_000])
@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_one_stored_null_is_one_null_among_many_equal_texts(rows, version, tmp_path):
    """It was 20,001 of them: a first page that holds one text alone was taken for NULL altogether."""
    path = tmp_path / "t.parquet"
    texts = pa.table({"name": ["q"] * (rows - 1) + [None]})
    parquet.write_table(texts, path, use_dictionary=False, data_page_version=version)
    gone = ("WHERE name IS NULL", "WHERE COALESCE(name, 's') = 's'")
    owned = ("FROM (SELECT name, CLAMP(COUNT(*), 0, 9) AS m FROM t GROUP BY name)",)
    for column in (pt.categories("q", "r"), pt.text_keys(), pt.identifier()):
        table = pt.Table("t", path, {"name": column})
        engine = DuckDB([table], threads=1, copied_below=0)
        for rest in owned if column == pt.identifier() else [f"FROM t {condition}" for condition in gone]:
            plan = read(f"SELECT COUNT(*) AS n {rest}", [table])
            program = replace(programs(plan), per_user=plan.per_user)
            assert engine.run(program).tolist() == [[1]], (column, rest)
        engine.close()
