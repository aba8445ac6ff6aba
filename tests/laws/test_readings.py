"""However texts are written, each is read alone, and the engine reads exactly what the reference does."""

from __future__ import annotations

from dataclasses import replace

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import partita as pt
from partita.engine.sources.frames import coded, kept_text
from partita.engine.statements.stored import Stored
from partita.query.tables.schema import Table
from partita.region.refinement import Refinement
from tests.sizes import tried

COLUMNS = [
    pt.decimals(-2000, 2000, step="0.01", decimal=",", thousands=".", unit=["€", "EUR", "Fr."], null=["NA", "-"]),
    pt.decimals(0, 100, step="0.1", unit="%"),
    pt.integers(0, 5000, thousands=" ", null="n/a"),
    pt.integers(-9, 5000, thousands="'", missing=7),
    pt.decimals(0, 10, step="0.5", decimal=","),
    pt.dates("2020-01-01", "2026-12-31", format=["%d.%m.%Y", "%m/%d/%y", "%d %b %Y", "%Y-%m-%d %H:%M"]),
    pt.dates("1960-01-01", "2030-12-31", format="%B %d, %Y", missing="2000-01-01", null=["-"]),
    pt.booleans(true=["ja", "j", "größer"], false=["nein", "n"], null=["-"]),
    pt.categories("F", "M", "NA", null=["-", ""]),
    pt.categories("a", "b", other="b", missing="a", null="NA"),
]
UNDER = {
    "a": pt.integers(0, 999),
    "b": pt.dates("2020-01-01", "2026-12-31"),
    "c": pt.booleans(),
    "d": pt.categories("a", "F"),
}
OPEN = {"e": pt.text_keys(), "f": pt.key()}
FILE = Table("t", pt.csv("t.csv", trim=True, null=["NA", "-"], thousands="."), {**UNDER, **OPEN}).columns
COLUMNS += [FILE[name] for name in UNDER]
PIECES = [
    *("0", "1", "7", "12", "31", "99", "234", "567", "2024", "1999", "0000", ".", ",", " ", "'", "-", "+", "/", ":"),
    *("€", "EUR", "Fr.", "%", "e", "E5", "NA", "n/a", "ja", "Ja", "JA", "NEIN", "n", "größer", "GRÖSSER", "Mar"),
    *(
        "march",
        "MAY",
        "December",
        "Jan",
        "\u00a0",
        "\u202f",
        "\u0131",
        "\u212a",
        "\n",
        "\r",
        "\0",
        "١",
        "F",
        "a",
        "b",
        "",
    ),
]
WRITTEN = [
    *("1.234,50 €", "€ 1.234,50", "-€5", "€-5", "1.23", "1.234.567", "EUR 12,5", "12,5 %", "12.5%", "1 234", "1'234"),
    *("1\u202f234", "31.12.2024", "1.2.2024", "2/29/24", "2/30/24", "05 Mar 2024", "31 Feb 2024", "2024-05-06 7:30"),
    *("March 5, 2021", "1.1.0000", "29.2.0000", "01/01/69", "01/01/68", "--5", "5-", ".5", ",5", "5,", "1e3", "1,5e3"),
    *(
        "9" * 400,
        "-" + "9" * 400 + ",5",
        "1e400",
        " 7 ",
        "\u00a0 NA \u00a0",
        " ",
        "\tNA",
        " yes ",
        " a",
        " 2024-05-06 ",
    ),
]

CONNECTION = duckdb.connect(":memory:", config={"python_enable_replacements": "false", "threads": "1"})
CONNECTION.execute("SET disabled_optimizers = 'expression_rewriter'")


def read(column, texts):
    """The codes that the engine's generated expression gives."""
    table = Table("t", [], {"a": column})
    stored = Stored(table, "t", {"a": "VARCHAR"}, {"a": "a"})
    CONNECTION.register("t", pa.table({"a": pa.array(texts, pa.large_string()), "i": range(len(texts))}))
    listed = f"{stored.sanitised['a']} AS a, {stored.within('a')} AS told, i"
    found = CONNECTION.sql(f"SELECT {listed} FROM t ORDER BY i").to_arrow_table()
    assert found.column("told").to_pylist() == [column.within(text) for text in texts]
    return coded(found.column("a"), column).tolist()


@pytest.mark.soak
@pytest.mark.parametrize("column", COLUMNS, ids=lambda column: column.kind)
def test_the_engine_reads_every_text_as_the_reference_does(column):
    @settings(max_examples=tried(6, soaking=2000))
    @given(st.lists(st.lists(st.sampled_from(PIECES), max_size=7).map("".join) | st.text(max_size=6), max_size=60))
    def law(texts):
        listed = [None, *WRITTEN, *texts]
        assert read(column, listed) == [column.code(text) for text in listed]

    law()


@pytest.mark.parametrize("name", OPEN)
def test_open_texts_are_kept_as_the_reference_keeps_them(name):
    texts = [None, *WRITTEN, *PIECES]
    stored = Stored(Table("t", [], {"a": FILE[name]}), "t", {"a": "VARCHAR"}, {"a": "a"})
    CONNECTION.register("t", pa.table({"a": pa.array(texts, pa.large_string()), "i": range(len(texts))}))
    found = CONNECTION.sql(f"SELECT {stored.sanitised['a']} AS a, i FROM t ORDER BY i").fetchall()
    assert [line[0] for line in found] == [kept_text(FILE[name], text) for text in texts]


@pytest.mark.parametrize(
    ("column", "text", "value"),
    [
        (COLUMNS[0], "1.234,50 €", "1234.5"),
        (COLUMNS[0], "€ -12,5", "-12.5"),
        (COLUMNS[0], "Fr. 3", "3"),
        (COLUMNS[0], "1.23", None),
        (COLUMNS[0], "1.5 $", None),
        (COLUMNS[0], "-", None),
        (COLUMNS[1], "12.5 %", "12.5"),
        (COLUMNS[2], "1\u00a0234", "1234"),
        (COLUMNS[3], "4'321", "4321"),
        (COLUMNS[3], "43'21", "7"),
        (COLUMNS[4], "1,5", "1.5"),
        (COLUMNS[4], "1.5", None),
        (COLUMNS[5], "1.12.2024", "2024-12-01"),
        (COLUMNS[5], "12/31/24", "2024-12-31"),
        (COLUMNS[5], "31/12/24", None),
        (COLUMNS[5], "3 MAR 2021", "2021-03-03"),
        (COLUMNS[5], "2024-12-01", None),
        (COLUMNS[6], "March 5, 2021", "2021-03-05"),
        (COLUMNS[7], "Ja", "True"),
        (COLUMNS[7], "NEIN", "False"),
        (COLUMNS[7], "yes", None),
        (COLUMNS[8], "-", None),
        (COLUMNS[8], "NA", "NA"),
        (COLUMNS[9], "NA", "a"),
    ],
)
def test_what_people_write_is_what_is_read(column, text, value):
    found = column.value(column.code(text))
    assert (None if found is None else str(found)) == value


@pytest.mark.parametrize("column", COLUMNS, ids=lambda column: column.kind)
def test_a_declaration_that_reads_otherwise_refines_nothing(column):
    """What a text was under one reading does not follow from what it is under another (theory I12)."""
    plain = replace(column, reading=None)
    differing = [text for text in WRITTEN if plain.code(text) != column.code(text)]
    assert differing or column.kind in ("categories", "booleans")
    for old, new in ((plain, column), (column, plain)):
        assert Refinement.of(pt.Domain({"a": old}), pt.Domain({"a": new})) is None
    assert Refinement.of(pt.Domain({"a": column}), pt.Domain({"a": column, "b": plain})) is not None
