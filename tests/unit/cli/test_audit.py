"""partita audit runs the built-in suite and says so honestly."""

from __future__ import annotations

import json

import pytest

from partita.attacks import cases
from partita.cli import audit as command
from partita.cli import main


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """A few cases with little effort: the suite itself is tested elsewhere."""
    every = cases.built_in
    monkeypatch.setattr(cases, "built_in", lambda bits: list(every(bits))[:2])
    monkeypatch.setattr(command, "_QUICK", (20_000, 200))


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
