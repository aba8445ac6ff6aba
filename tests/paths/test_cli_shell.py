"""Tables at a glance, made-up rows, and questions one after another."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet

import partita as pt
from partita.cli import main
from partita.cli.shell import Remembered, Talk, completions
from partita.curator.settings import open_settings, read_settings
from partita.engine.sources.examine import Look

SETTINGS = """
[tables.visits]
source = "visits.csv"
reading = { delimiter = ";", decimal = "," }
[tables.visits.columns]
patient = "identifier"
age = { integers = [0, 120] }
cost = { decimals = [0, 100], step = "0.5", unit = "€" }
day = { dates = ["2025-01-01", "2025-12-31"], format = ["%d. %b %Y"] }
smoker = { booleans = true, true = "ja", false = "nein" }
region = { categories = ["north", "south"] }
term = "text_keys"
[[promises]]
protect = "rows"
rho = "1"
"""
ROWS = "patient;age;cost;day;smoker;region;term\n" + "p1;40;1,5 €;01. Mar 2025;ja;north;x\n" * 20


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("visits.csv").write_text(ROWS, encoding="utf-8")
    Path("partita.toml").write_text(SETTINGS, encoding="utf-8")
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(list(arguments))
    out, err = capsys.readouterr()
    return code, out, err


def test_tables_are_listed_without_a_row_or_a_ledger(folder: Path, capsys: Any) -> None:
    Path("visits.csv").unlink()
    code, out, _ = run(capsys, "tables")
    assert code == 0
    assert "0 to 100 in steps of 0.5" in " ".join(out.split())
    code, out, _ = run(capsys, "tables", "--json")
    found = json.loads(out)
    assert [one["kind"] for one in found["tables"][0]["columns"]][:3] == ["identifier", "integers", "decimals"]
    assert found["promises"][0]["left"] == found["promises"][0]["budget"]
    assert list(folder.glob("*.ledger*")) == []


def test_tables_tell_what_is_left(folder: Path, capsys: Any) -> None:
    run(capsys, "ask", "SELECT COUNT(*) AS n FROM visits", "--rho", "0.25")
    code, out, _ = run(capsys, "tables", "--json")
    assert (code, json.loads(out)["promises"][0]["left"]["rho"]) == (0, "3/4")


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_made_up_rows_are_read_as_declared(folder: Path, capsys: Any, kind: str) -> None:
    Path("visits.csv").unlink()
    code, out, _ = run(capsys, "dummy", "--rows", "300", "--format", kind)
    assert (code, "no row was read" in " ".join(out.split())) == (0, True)
    (table,) = read_settings("partita.toml").tables
    place = f"dummy/visits.{kind}"
    source = pt.csv(place, delimiter=";", decimal=",") if kind == "csv" else place
    look = Look()
    found = look.examine(pt.Table("visits", source, table.columns))
    look.close()
    assert (found.rows, found.problem) == (300, None)
    assert all((one.unreadable, one.outside) == (0, 0) for one in found.columns)
    again = Path(place).read_bytes()
    run(capsys, "dummy", "--rows", "300", "--format", kind)
    assert Path(place).read_bytes() == again


def test_made_up_rows_depend_on_no_row(folder: Path, capsys: Any) -> None:
    run(capsys, "dummy", "--rows", "50")
    first = parquet.read_table("dummy/visits.parquet")
    Path("visits.csv").write_text(ROWS.replace("40", "99"), encoding="utf-8")
    run(capsys, "dummy", "--rows", "50")
    assert parquet.read_table("dummy/visits.parquet").equals(first)
    code, _, err = run(capsys, "dummy", "--format", "xlsx")
    assert (code, "parquet, csv" in err) == (2, True)


def test_questions_that_are_piped_in_show_their_price_and_are_answered(
    folder: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (
        "\\tables\nSELECT COUNT(*) AS n\nFROM visits;\n\\rho 0.25\nSELECT nonsense;\nSELECT AVG(age) AS a FROM visits"
    )
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))
    code, out, err = run(capsys, "shell", "--rho", "0.125")
    assert code == 2
    assert err.count("query.") == 1
    assert out.index("costs ρ = 0.125") < out.index("Charged: ρ = 0.125")
    assert "costs ρ = 0.25" in out
    with open_settings("partita.toml") as curator:
        assert float(curator.spent()[0].rho) == 0.375


def test_answers_of_a_shell_for_programs(folder: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("SELECT COUNT(*) AS n FROM visits;\n"))
    code, out, _ = run(capsys, "shell", "--rho", "0.1", "--json")
    assert (code, set(json.loads(out))) == (0, {"rows", "error", "free", "costs"})


def test_a_person_who_does_not_press_enter_spends_nothing(folder: Path, capsys: Any) -> None:
    with open_settings("partita.toml") as curator:
        lines = iter(["SELECT COUNT(*) AS n FROM visits;", "\\nonsense", "\\help", "\\quit"])
        talk = Talk(curator, {"rho": "0.1"})
        talk.hear(lambda _: next(lines), confirm=lambda: False)
        assert (float(curator.spent()[0].rho), talk.refused) == (0, 1)
        lines = iter(["SELECT COUNT(*) AS n FROM visits;"])
        talk.hear(lambda _: next(lines), confirm=lambda: True)
        assert float(curator.spent()[0].rho) == 0.1
        lines = iter(["\\epsilon 9", "SELECT COUNT(*) AS n FROM visits;"])
        talk.hear(lambda _: next(lines), confirm=lambda: pytest.fail("asked about what does not fit"))
        told = Remembered(completions(curator))
    assert [told.one("vis", 0), told.one("co", 0), told.one("\\rh", 0), told.one("zz", 0)] == [
        "visits",
        "cost",
        "\\rho",
        None,
    ]
    out = capsys.readouterr().out
    assert "Not asked, and nothing was spent." in out
    assert "The price ε = 9 was read as ρ = " in out
    assert "Not asked, and nothing was spent: give a lower price" in " ".join(out.split())


def test_the_operators_log_stands_beside_the_settings_when_there_is_something_to_say(folder: Path, capsys: Any) -> None:
    code, _, _ = run(capsys, "ask", "SELECT COUNT(*) AS n FROM visits", "--rho", "0.1")
    assert (code, Path("partita.log").exists()) == (0, False)
    Path("partita.toml").write_text(SETTINGS.replace("reading", "# reading"), encoding="utf-8")
    Path("visits.csv").write_text('patient,age,cost,day,smoker,region,term\np1,4"0\n', encoding="utf-8")
    code, _, err = run(capsys, "ask", "SELECT COUNT(*) AS n FROM visits", "--rho", "0.1")
    assert (code, "operator's log" in " ".join(err.split())) == (2, True)
    assert "line 2: a quotation mark" in Path("partita.log").read_text(encoding="utf-8")
