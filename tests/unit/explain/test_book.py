"""A ledger is explained by its promises, not by what happens to be spent."""

from __future__ import annotations

import partita as pt
from partita.explain.book import explain_ledger


def ward(**options):
    table = pt.Table("病人", source=[{"age": 30}], columns={"age": pt.integers(0, 120)})
    promises = [pt.Promise(pt.rows(), pt.Pure(epsilon=1)), pt.Promise(pt.groups(4), pt.Pure(epsilon=4))]
    return pt.Curator(tables=[table], promises=promises, **options)


def test_an_empty_ledger_is_explained():
    found = explain_ledger(ward().ledger)
    assert len(found) == 2
    assert found[0].sections[0].sentences[0] == "No question has been charged yet."
    assert [section.title for section in found[0].sections][1:4] == [
        "For the person in the data",
        "For the analyst",
        "For the officer who signs",
    ]


def test_what_is_spent_is_told_and_the_budget_is_what_is_promised():
    curator = ward()
    curator.session(analyst="Ада", budget=pt.Pure(epsilon="0.5")).ask("SELECT COUNT(*) AS n FROM 病人", epsilon="0.25")
    said = str(explain_ledger(curator.ledger, readers=("officer",))[0])
    assert "1 question was charged." in said
    assert "Nobody has lost more than ε = 0.25 so far" in said
    assert "What is promised is the budget, ε = 1" in said
    assert "Ада alone has a limit of ε = 0.5" in said
    assert "Read as ε = 1" in said


def test_the_command_explains_a_ledger(tmp_path, capsys):
    import json

    from partita.cli import main

    book = tmp_path / "book"
    ward(ledger=book).close()
    assert main(["explain", "--ledger", str(book), "--reader", "person"]) == 0
    assert "No question has been charged yet." in capsys.readouterr().out
    assert main(["explain", "--ledger", str(book), "--compare", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)) == 2
    assert main(["explain", "--ledger", str(book), "--epsilon", "1"]) == 2
    assert "cli.choose-one" in capsys.readouterr().err
    assert main(["explain", "--ledger", str(tmp_path / "none")]) == 2
    assert main(["explain", "--epsilon", "1", "--prior", "0.3", "--group", "7", "--compare"]) == 0
    said = " ".join(capsys.readouterr().out.replace("│", " ").split())
    assert "from 30% sure" in said
    assert "family of 7" in said
