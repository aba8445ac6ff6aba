"""From a parquet file to answers, a ledger and receipts, as a newcomer would go."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas
import pytest

import partita as pt
from partita.cli import main
from tests.unit.curator.hospital import visits

SETTINGS = """
ledger = "visits.ledger"

[tables.visits]
source = "visits.parquet"

[tables.visits.columns]
age = { integers = [0, 120] }
region = { categories = ["north", "south", "east", "west"] }

[[promises]]
protect = "rows"
epsilon = "1"
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    pandas.DataFrame(visits()).to_parquet("visits.parquet")
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(list(arguments))
    out, err = capsys.readouterr()
    return code, out, err


def test_quantiles_are_asked_for_in_rows_and_owners_are_capped(folder: Path, capsys: Any) -> None:
    Path("partita.toml").write_text(
        SETTINGS.replace("[tables.visits.columns]", '[tables.visits.columns]\npatient = "identifier"').replace(
            'protect = "rows"', 'protect = { users = { column = "patient", rows = 4 } }'
        )
    )
    question = "SELECT MEDIAN(age) AS half FROM visits"
    code, out, err = run(capsys, "ask", question, "--within", "400 rows", "--rows-per-user", "1", "--json")
    assert code == 0, err
    capped = json.loads(out)
    assert 0 < capped["error"]["rows_between"]["half"] <= 400
    code, out, _ = run(capsys, "quote", question, "--epsilon", "0.1", "--json")
    wide = json.loads(out)["error"]["rows_between"]["half"]
    code, out, _ = run(capsys, "quote", question, "--epsilon", "0.1", "--rows-per-user", "1", "--json")
    assert json.loads(out)["error"]["rows_between"]["half"] == pytest.approx(wide / 4)
    code, _, err = run(capsys, "quote", question, "--epsilon", "0.1", "--groups-per-user", "0")
    assert code == 2
    code, _, err = run(capsys, "quote", question, "--within", "3")
    assert "20 rows" in " ".join(err.split())


def test_init_writes_a_draft_that_reads_no_value_and_is_not_overwritten(folder: Path, capsys: Any) -> None:
    code, out, _ = run(capsys, "init", "visits.parquet")
    assert code == 0
    assert "No value" in out
    draft = Path("partita.toml").read_text()
    assert 'patient = "identifier"' in draft
    assert "p17" not in draft
    assert "north" not in draft
    code, _, err = run(capsys, "init", "visits.parquet")
    assert (code, "left alone" in err) == (2, True)


def test_a_draft_answers_as_it_is_and_what_was_not_guessed_once_it_is_filled_in(folder: Path, capsys: Any) -> None:
    run(capsys, "init", "visits.parquet")
    code, out, err = run(capsys, "quote", "SELECT COUNT(*) AS n FROM visits WHERE age > 60", "--rho", "0.001")
    assert (code, err) == (0, "")
    filled = Path("partita.toml").read_text().replace("# region", "region")
    Path("partita.toml").write_text(filled)
    code, _, err = run(capsys, "ask", "SELECT COUNT(*) AS n FROM visits", "--rho", "0.001")
    assert code == 2
    assert 'tables.visits.columns.region still says "?"' in " ".join(err.split())
    Path("partita.toml").write_text(filled.replace('["?"]', '["north", "south"]'))
    code, out, err = run(capsys, "ask", "SELECT COUNT(*) AS n FROM visits", "--rho", "0.001", "--json")
    assert code == 0, err
    assert json.loads(out)["free"] is False


def test_a_question_a_repeat_a_quote_and_a_refusal(folder: Path, capsys: Any) -> None:
    Path("partita.toml").write_text(SETTINGS)
    question = "SELECT region, COUNT(*) AS n FROM visits GROUP BY region"
    code, out, _ = run(capsys, "quote", question, "--epsilon", "0.5")
    assert code == 0
    assert "costs ε = 0.5" in out
    code, out, _ = run(capsys, "ask", question, "--epsilon", "0.5", "--json")
    first = json.loads(out)
    assert (code, first["free"]) == (0, False)
    code, out, _ = run(capsys, "ask", question.lower(), "--epsilon", "0.5", "--json")
    again = json.loads(out)
    assert (again["free"], again["rows"]) == (True, first["rows"])
    code, out, _ = run(capsys, "ask", question, "--epsilon", "0.5", "--explain")
    assert "wrongly accuses" in out
    code, _, err = run(capsys, "ask", "SELECT COUNT(*) FROM visits", "--epsilon", "0.6", "--json")
    assert code == 2
    assert json.loads(err)["error"]["code"].startswith("ledger.")
    code, _, err = run(capsys, "ask", "SELECT MAX(secret) FROM visits", "--epsilon", "0.1")
    assert code == 2
    assert "Traceback" not in err


def test_the_ledger_is_shown_verified_exported_and_gives_receipts(folder: Path, capsys: Any) -> None:
    Path("partita.toml").write_text(SETTINGS)
    run(capsys, "ask", "SELECT COUNT(*) AS n FROM visits WHERE age > 40", "--epsilon", "0.25")
    code, out, _ = run(capsys, "ledger", "show", "visits.ledger")
    assert code == 0
    assert "ε = 0.25" in out
    code, out, _ = run(capsys, "ledger", "show", "visits.ledger", "--json")
    assert json.loads(out)["questions"][0]["asked"].startswith("SELECT COUNT(*)")
    code, out, _ = run(capsys, "ledger", "verify", "visits.ledger", "--json")
    assert json.loads(out)["sound"] is True
    code, out, _ = run(capsys, "ledger", "export", "visits.ledger")
    assert all(json.loads(line) for line in out.splitlines())
    code, out, err = run(capsys, "ledger", "receipt", "visits.ledger", "3")
    assert code == 0, err
    assert json.loads(out)["table"] == "visits"
    code, out, _ = run(capsys, "ledger", "receipt", "visits.ledger", "2")
    assert code == 0
    code, _, err = run(capsys, "ledger", "receipt", "visits.ledger", "1")
    assert (code, "no receipt" in err) == (2, True)


def test_a_broken_book_is_named_and_verification_fails(folder: Path, capsys: Any) -> None:
    Path("partita.toml").write_text(SETTINGS)
    run(capsys, "ask", "SELECT COUNT(*) AS n FROM visits", "--epsilon", "0.25")
    book = Path("visits.ledger")
    book.write_bytes(book.read_bytes()[: book.stat().st_size // 2])
    code, _, err = run(capsys, "ledger", "show", "visits.ledger")
    assert code == 2
    assert "Traceback" not in err


@pytest.mark.parametrize(
    "arguments",
    [
        ["ask", "SELECT COUNT(*) FROM visits"],
        ["ask", "SELECT COUNT(*) FROM visits", "--epsilon", "nan"],
        ["ask", "", "--epsilon", "1"],
        ["quote", "DROP TABLE visits", "--epsilon", "1"],
        ["ledger", "verify", "nothing.ledger"],
        ["init", "nothing.parquet"],
        ["ask", "SELECT 1", "--epsilon", "1", "--config", "nothing.toml"],
    ],
)
def test_nothing_that_is_typed_gives_a_traceback(folder: Path, capsys: Any, arguments: list[str]) -> None:
    Path("partita.toml").write_text(SETTINGS)
    code, _, err = run(capsys, *arguments)
    assert code == 2
    assert err
    assert "Traceback" not in err


def test_a_question_can_shrink_to_those_who_can_pay(folder: Path, capsys: Any) -> None:
    Path("partita.toml").write_text(SETTINGS)
    run(capsys, "ask", "SELECT COUNT(*) AS n FROM visits WHERE age >= 65", "--epsilon", "0.9")
    code, out, _ = run(capsys, "ask", "SELECT COUNT(*) AS n FROM visits", "--epsilon", "0.4", "--shrink", "--json")
    found = json.loads(out)
    assert (code, found["about"], found["left_out"]) == (0, "age IS NULL OR age <= 64", "age >= 65")
    code, out, _ = run(capsys, "quote", "SELECT SUM(age) AS a FROM visits", "--epsilon", "0.4", "--shrink")
    assert code == 0
    assert "Only a part of those asked about can still pay" in out
    code, out, _ = run(capsys, "ask", "SELECT SUM(age) AS a FROM visits", "--epsilon", "0.4", "--shrink")
    assert "Left out: age >= 65." in " ".join(out.split())


@pytest.mark.parametrize("verb", ["ask", "quote"])
def test_a_question_can_be_asked_with_patience(folder: Path, capsys: Any, verb: str) -> None:
    Path("partita.toml").write_text(SETTINGS)
    question = [verb, "SELECT COUNT(*) AS n FROM visits", "--epsilon", "0.1", "--patience"]
    assert run(capsys, *question, "10")[0] == 0
    code, _, err = run(capsys, *question, "0")
    assert code == 2
    assert "patience" in err


def test_a_book_gives_a_certificate_that_anyone_can_check(folder: Path, capsys: Any) -> None:
    Path("partita.toml").write_text(SETTINGS)
    run(capsys, "ask", "SELECT COUNT(*) AS n FROM visits WHERE age >= 65", "--epsilon", "0.9")
    code, out, _ = run(capsys, "ledger", "certificate", "visits.ledger", "--out", "certificate.json")
    assert (code, "Wrote the certificate" in out) == (0, True)
    code, out, _ = run(capsys, "ledger", "check", "certificate.json")
    assert code == 0
    assert "1 charge: nobody lost more than ε = 0.9 of ε = 1" in " ".join(out.split())
    assert "The certificate holds." in out
    document = json.loads(Path("certificate.json").read_text())
    document["charges"] = []
    Path("altered.json").write_text(json.dumps(document))
    code, out, _ = run(capsys, "ledger", "check", "altered.json", "--json")
    assert code == 1
    assert "signature" in json.loads(out)["complaints"][0]
    assert run(capsys, "ledger", "check", "partita.toml")[0] == 2


def test_a_book_shows_who_was_asked_about_how_much(folder: Path, capsys: Any) -> None:
    Path("partita.toml").write_text(SETTINGS)
    run(capsys, "ask", "SELECT COUNT(*) AS n FROM visits WHERE age >= 65 AND region = 'north'", "--epsilon", "0.5")
    code, out, _ = run(capsys, "ledger", "map", "visits.ledger", "map.png", "--x", "region", "--y", "age", "--json")
    found = json.loads(out)
    assert code == 0
    assert found["x"]["values"][:2] == ["north", "south"]
    assert found["spent"][0][70] == 0.5
    assert Path("map.png").read_bytes()[:4] == b"\x89PNG"
    code, out, _ = run(capsys, "ledger", "map", "visits.ledger", "--x", "region", "--y", "age")
    assert (code, "50.0%" in out) == (0, True)
    code, _, err = run(capsys, "ledger", "map", "visits.ledger", "--x", "region", "--y", "height")
    assert (code, "height" in err) == (2, True)
    code, _, err = run(capsys, "ledger", "map", "visits.ledger")
    assert (code, "Traceback" in err) == (2, False)


def test_exports_and_receipts_are_json_on_request(folder: Path, capsys: Any) -> None:
    Path("partita.toml").write_text(SETTINGS)
    run(capsys, "ask", "SELECT COUNT(*) AS n FROM visits", "--epsilon", "0.1")
    _, out, _ = run(capsys, "ledger", "export", "visits.ledger", "--json")
    lines = json.loads(out)
    assert [line["entry"]["kind"] for line in lines] == ["birth", "reserve", "commit"]
    _, out, _ = run(capsys, "ledger", "receipt", "visits.ledger", "2", "--json")
    assert json.loads(out)["kind"] == "partita-receipt"
    _, out, _ = run(capsys, "ledger", "receipt", "visits.ledger", "2", "--json", "--out", "r.json")
    assert json.loads(out) == {"written": "r.json"}


def test_what_is_missing_is_named_as_the_command_line_writes_it(folder: Path, capsys: Any) -> None:
    Path("partita.toml").write_text(SETTINGS)
    code, _, err = run(capsys, "ask", "SELECT COUNT(*) AS n FROM visits")
    assert code == 2
    assert "Give one of --epsilon, --rho or --mu, for example --rho 0.01." in " ".join(err.split())


def test_what_analysts_write_is_shown_as_it_is(folder: Path, capsys: Any) -> None:
    Path("partita.toml").write_text(SETTINGS)
    asked = "SELECT COUNT(*) AS n FROM visits -- [/bold] \x1b[2J \u202e"
    code, _, err = run(capsys, "ask", asked, "--epsilon", "0.01")
    assert not code, err
    code, out, _ = run(capsys, "ledger", "show", "visits.ledger")
    assert not code
    told = "".join(out.split())
    assert "[/bold]" in told
    assert "\\x1b[2J" in told
    assert "\\u202e" in told
    assert "\x1b" not in out


def test_a_price_in_another_measure_is_said_to_be_read_as_the_budgets():
    from partita.curator.answers.quotation import read_as

    table = pt.Table("visits", source=[], columns={"age": pt.integers(0, 120)})
    with pt.Curator(tables=[table], promises=[pt.Promise(pt.rows(), pt.ZCDP(rho=1))]) as curator:
        offer = curator.quote("SELECT COUNT(*) AS n FROM visits", epsilon="0.1")
        assert read_as(offer.quote) == "The price ε = 0.1 was read as ρ = 0.00483742, because the budget is in ρ."
        assert not read_as(curator.quote("SELECT COUNT(*) AS n FROM visits", rho="0.1").quote)


def test_csv_has_a_heading_and_empty_cells_for_null(capsys):
    from partita.cli.screen import show_csv

    show_csv({"sex": ["F", None], "n": [3, -1], "n_error": [2.5, 2.5]})
    assert capsys.readouterr().out == "sex,n,n_error\nF,3,2.5\n,-1,2.5\n"


def test_rows_are_sealed_and_people_forgotten_on_the_command_line(folder: Path, capsys: Any) -> None:
    Path("partita.toml").write_text(
        SETTINGS.replace("[tables.visits.columns]", '[tables.visits.columns]\npatient = "identifier"').replace(
            'protect = "rows"\nepsilon = "1"',
            'protect = { users = { column = "patient", rows = 4 } }\nrho = "100000000"',
        )
    )
    Path("new.csv").write_text("patient,age,region\nnobody-yet,40,north\nnobody-yet,41,north\n")

    def count() -> tuple[int, int]:
        code, out, err = run(capsys, "ask", "SELECT COUNT(*) AS n FROM visits", "--rho", "1000000", "--json")
        assert code == 0, err
        found = json.loads(out)
        return found["rows"][0]["n"], found["batch"]

    before, first = count()
    assert (first, run(capsys, "ingest", "visits=new.csv", "--batch", "monday")[0]) == (0, 0)
    assert count() == (before + 2, 1)
    code, _, err = run(capsys, "ingest", "visits=new.csv", "--json")
    assert (code, "vault.same-rows" in err) == (2, True)
    code, out, _ = run(capsys, "ingest", "visits=new.csv", "--again", "--json")
    assert json.loads(out) == {"batch": 2, "name": None, "tables": ["visits"]}
    code, out, _ = run(capsys, "forget", "patient", "nobody-yet")
    assert (code, "No row of this owner" in out) == (0, True)
    assert count() == (before, 2)
    for wrong in (["new.csv"], ["=new.csv"], ["visits=new.csv", "visits=new.csv"]):
        assert run(capsys, "ingest", *wrong)[0] == 2
    assert run(capsys, "ledger", "verify", "visits.ledger")[0] == 0
