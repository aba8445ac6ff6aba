"""Tables from Python and from the custodian's file, and drafts that read no values."""

from __future__ import annotations

import re
import tomllib

import pyarrow as pa
import pytest
from pyarrow import csv, parquet

from partita.errors import PartitaError
from partita.granularity import groups, rows, users
from partita.query.tables.column_guesses import guessed
from partita.query.tables.draft import draft
from partita.query.tables.schema import Table, from_toml
from partita.query.tables.truncation import truncation
from partita.region.columns import identifier, integers
from tests.unit.query.hospital import VISITS

SETTINGS = tomllib.loads("""
source = "visits.parquet"
[columns]
patient = "identifier"
age = { integers = [0, 120] }
beds = { integers = [1, 9], missing = 1 }
sex = { categories = ["F", "M"] }
region = { categories = ["north", "south", "east", "west"] }
cost = { decimals = [0, 20000], step = "0.01" }
day = { dates = ["2025-01-01", "2025-12-31"] }
smoker = { booleans = true, missing = false }
term = "text_keys"
""")


def test_the_file_declares_what_python_declares():
    assert from_toml("visits", SETTINGS).digest == VISITS.digest


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"source": None}, "query.no-source"),
        ({"source": 3}, "query.no-source"),
        ({"columns": {}}, "query.no-declared-columns"),
        ({"colums": {}}, "query.unknown-setting"),
        ({"columns": {"age": 3}}, "query.bad-declaration"),
        ({"columns": {"age": {"integers": [0, 1], "decimals": [0, 1]}}}, "query.bad-declaration"),
        ({"columns": {"age": {"integers": [0]}}}, "query.bad-declaration"),
        ({"columns": {"age": {"integers": [0, 1], "step": 2}}}, "query.bad-declaration"),
        ({"columns": {"age": {"numbers": [0, 1]}}}, "query.unknown-declaration"),
        ({"columns": {"age": {"integers": ["low", 1]}}}, "region.bad-bound"),
        ({"columns": {"a": "identifier", "b": "identifier"}}, "query.two-owners"),
    ],
)
def test_a_slip_in_the_file_is_named(change, code):
    with pytest.raises(PartitaError) as caught:
        from_toml("visits", {**SETTINGS, **change})
    assert caught.value.code == code


@pytest.mark.parametrize("name", ["", "two words", "1st", 7])
def test_a_table_needs_a_name_that_can_be_written(name):
    with pytest.raises(PartitaError, match="is not a name for a table"):
        Table(name, [], {"age": integers(0, 9)})


def test_the_fingerprint_depends_on_what_is_declared_and_not_on_where_the_rows_are():
    columns = {"patient": identifier(), "age": integers(0, 9)}
    assert Table("t", "a.parquet", columns).digest == Table("t", "b.parquet", columns).digest
    assert Table("t", "a.parquet", columns).digest != Table("t", "a.parquet", {"age": integers(0, 9)}).digest


def test_two_names_for_the_same_rows_are_noticed(tmp_path):
    columns = {"age": integers(0, 9)}
    one = Table("one", tmp_path / "rows.parquet", columns)
    assert one.same_rows(Table("two", str(tmp_path / "." / "rows.parquet"), columns))
    assert not one.same_rows(Table("two", tmp_path / "other.parquet", columns))
    shared = [{"age": 1}]
    assert Table("one", shared, columns).same_rows(Table("two", shared, columns))


# --- drafts ------------------------------------------------------------------------------------------------------

SECRET = 987654


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_a_draft_has_names_and_types_and_no_value(kind, tmp_path):
    stored = pa.table(
        {"patient_id": [SECRET], "age": [SECRET], "name of ward": [f"ward {SECRET}"], "paid": [SECRET + 0.5]}
    )
    path = tmp_path / f"My visits.{kind}"
    parquet.write_table(stored, path) if kind == "parquet" else csv.write_csv(stored, path)
    text = draft(path)
    assert str(SECRET) not in text
    assert "PUBLIC KNOWLEDGE" in text
    table = from_toml("my_visits", tomllib.loads(text)["tables"]["my_visits"])
    assert list(table.columns) == ["patient_id", "age", "paid"]
    assert table.owner == "patient_id"
    # What no name tells is for a person to fill in.
    filled = text.replace('# "name of ward"', '"name of ward"').replace('["?"]', '["one", "two"]')
    table = from_toml("my_visits", tomllib.loads(filled)["tables"]["my_visits"])
    assert list(table.columns) == ["patient_id", "age", "paid", "name of ward"]


def test_a_draft_without_a_guess_says_what_to_fill_in(tmp_path):
    (tmp_path / "odd.csv").write_text("ward;street\n")
    text = draft(tmp_path / "odd.csv")
    assert 'delimiter = ";"' in text
    assert tomllib.loads(text)["tables"]["odd"]["columns"] == {"ward": {"categories": ["?"]}}
    assert '# street = "text_keys"' in text


@pytest.mark.parametrize(
    ("column", "kind", "declared"),
    [
        ("Age", "unknown", "integers"),
        ("date_of_birth", "unknown", "dates"),
        ("updatedAt", "string", "dates"),
        ("updatedAt", "int64", None),
        ("updated_at", "timestamp[us]", None),
        ("salary EUR", "double", "decimals"),
        ("completion_rate", "unknown", "decimals"),
        ("isSmoker", "unknown", "booleans"),
        ("flag", "bool", "booleans"),
        ("sex", "string", "categories"),
        ("sex", "int64", None),
        ("ward", "unknown", None),
        ("Discharge", "unknown", "dates"),
        ("heart_rate", "unknown", None),
        ("systolic", "int64", "integers"),
        ("first name", "unknown", None),
    ],
)
def test_a_kind_is_guessed_from_a_name_and_a_type_that_fits(column, kind, declared):
    found = guessed(column, kind)
    assert (None if found is None else re.search("[a-z]+", found[0])[0]) == declared


@pytest.mark.parametrize("name", ["nothing.parquet", "rows.xlsx", "broken.parquet"])
def test_a_draft_of_what_cannot_be_read_is_refused(name, tmp_path):
    if not name.startswith("nothing"):
        (tmp_path / name).write_bytes(b"not a file of rows")
    with pytest.raises(PartitaError):
        draft(tmp_path / name)


# --- truncation --------------------------------------------------------------------------------------------------


def test_without_a_promise_on_users_nothing_is_cut():
    assert truncation(VISITS, [rows(), groups(3)], "key") is None


def test_one_truncation_serves_all_promises_on_users():
    found = truncation(
        VISITS, [users("patient", rows=9, in_region=4), groups(2, users("patient", rows=5)), rows()], "key"
    )
    assert (found.rows, found.inside, found.most) == (5, 4, 4)
    assert "key" not in repr(found)


@pytest.mark.parametrize(
    ("granularities", "code"),
    [
        ([users("doctor", rows=3)], "query.no-owner"),
        ([users("patient", rows=3), users("patient", rows=3, per="day")], "query.unlike-caps"),
        ([users("patient", rows=3, per="week")], "region.unknown-column"),
    ],
)
def test_promises_on_users_that_do_not_fit_the_table_are_refused(granularities, code):
    with pytest.raises(PartitaError) as caught:
        truncation(VISITS, granularities, "key")
    assert caught.value.code == code


def test_a_file_that_a_spreadsheet_wrote_begins_with_its_first_column(tmp_path):
    path = tmp_path / "Staff 2025.csv"
    path.write_text("Staff ID,age\n1,30\n2,40\n", encoding="utf-8-sig")
    assert '"Staff ID" = "identifier"' in draft(path)
