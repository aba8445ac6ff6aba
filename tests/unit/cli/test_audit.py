"""partita audit runs the built-in suite and says so honestly."""

from __future__ import annotations

import json

import pytest

from partita.attacks.audits import cases
from partita.cli import audit as command
from partita.cli import main


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """A few cases with little effort, but enough runs for every broken one to be seen."""
    every = cases.built_in
    monkeypatch.setattr(cases, "built_in", lambda bits: list(every(bits))[:2])
    monkeypatch.setattr(command, "_QUICK", (60_000, 200, 2_000))


def test_the_verdicts_are_shown_in_a_table(capsys):
    assert main(["audit"]) == 0
    said = capsys.readouterr().out
    assert "2 of 2 claims stand; 4 of 4 broken ones were caught." in said
    assert "absence of falsification" in said


def test_the_verdicts_are_json_for_programs(capsys):
    assert main(["audit", "--json"]) == 0
    said = capsys.readouterr()
    document = json.loads(said.out)
    assert document["as expected"] is True
    assert len(document["verdicts"]) == 6
    assert said.err == ""


def test_a_refuted_claim_gives_exit_code_one(monkeypatch, capsys):
    every = cases.controls
    monkeypatch.setattr(
        cases,
        "built_in",
        lambda bits: [
            cases.Case(c.name, c.kind, c.relation, c.release, c.first, c.second, c.claims) for c in every(bits)
        ],
    )
    assert main(["audit"]) == 1
    said = capsys.readouterr().out
    assert "refuted" in said
    assert "0 of 4 claims stand" in said


CONFIGURATION = """
ledger = "never.ledger"
[[promises]]
protect = "rows"
epsilon = 2
[tables.visits]
source = "never.csv"
columns = {age = {integers = [0, 120]}, sex = {categories = ["F", "M"]}}
"""


def test_a_configuration_is_audited_without_opening_what_it_names(tmp_path, capsys):
    file = tmp_path / "partita.toml"
    file.write_text(CONFIGURATION, encoding="utf-8")
    assert main(["audit", str(file), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)["deployment"]
    assert len(document["verdicts"]) > 5
    assert all(verdict["as expected"] for verdict in document["verdicts"])
    assert not any(one["difference"] for one in document["visible"])
    assert [path.name for path in tmp_path.iterdir()] == ["partita.toml"]


def test_a_ledger_is_verified_on_request(tmp_path, capsys):
    import partita as pt

    table = pt.Table("t", source=[{"x": 1}], columns={"x": pt.integers(0, 3)})
    book = tmp_path / "book.ledger"
    with pt.Curator(tables=[table], promises=[pt.Promise(pt.rows(), pt.Pure(epsilon=1))], ledger=book) as curator:
        curator.ask("SELECT COUNT(*) AS n FROM t", epsilon="0.5")
    assert main(["audit", "--ledger", str(book), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["ledger"]["sound"] is True
    assert main(["audit", "--ledger", str(book)]) == 0
    assert "is sound" in " ".join(capsys.readouterr().out.split())


def test_a_configuration_that_cannot_be_read_is_refused(tmp_path, capsys):
    assert main(["audit", str(tmp_path / "nothing.toml")]) == 2
    assert "Traceback" not in capsys.readouterr().err
