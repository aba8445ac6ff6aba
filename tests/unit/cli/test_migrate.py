from __future__ import annotations

import json

import pytest

import partita as pt
from partita.cli import main

FILE = """
ledger = "v.ledger"
[[promises]]
protect = "rows"
epsilon = "1"
[tables.visits]
source = "v.csv"
[tables.visits.columns]
age = {{ integers = [0, {high}] }}
{more}
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "v.csv").write_text("age,sex\n44,F\n120,M\n", encoding="utf-8")
    return tmp_path


def declare(folder, high=100, more=""):
    (folder / "partita.toml").write_text(FILE.format(high=high, more=more), encoding="utf-8")


def charged(folder):
    declare(folder)
    with pt.open("partita.toml") as curator:
        curator.ask("SELECT COUNT(*) AS n FROM visits WHERE age >= 100", epsilon="0.6")


def test_a_refinement_is_shown_and_taken(folder, capsys):
    charged(folder)
    declare(folder, 150, 'sex = { categories = ["F", "M"] }')
    assert main(["migrate", "--yes"]) == 0
    shown = capsys.readouterr().out
    assert "visits.age" in shown
    assert "a refinement" in shown
    assert "goes on under the new declaration" in shown
    with pt.open("partita.toml") as curator:
        assert [str(one) for one in curator.remaining("age = 150")] == ["ε = 0.4"]
        assert [str(one) for one in curator.remaining("age = 99")] == ["ε = 1"]
        assert curator.verify().sound
        again = curator.ask("SELECT COUNT(*) AS n FROM visits WHERE age >= 100", epsilon="0.3")
        assert not again.free
    assert main(["migrate"]) == 0
    assert "nothing to migrate" in capsys.readouterr().out


def test_json_shows_and_changes_nothing_without_yes(folder, capsys):
    charged(folder)
    declare(folder, 150)
    for given, migrated in (([], False), (["--yes"], True)):
        assert main(["migrate", "--json", *given]) == 0
        found = json.loads(capsys.readouterr().out)
        assert found["migrated"] is migrated
        (difference,) = found["differences"]
        assert difference["refines"] is True
    pt.open("partita.toml").close()


def test_what_is_no_refinement_is_told_and_not_taken(folder, capsys):
    charged(folder)
    declare(folder, 90)
    assert main(["migrate", "--yes"]) == 1
    assert "bounds can only widen" in " ".join(capsys.readouterr().out.split())
    declare(folder)
    with pt.open("partita.toml") as curator:
        assert curator.verify().sound


def test_an_uncharged_ledger_is_declared_anew(folder, capsys):
    declare(folder)
    pt.open("partita.toml").close()
    declare(folder, 9)
    assert main(["migrate", "--yes"]) == 0
    assert "Nothing was charged yet" in capsys.readouterr().out


def test_a_column_that_the_table_does_not_have_leaves_the_ledger_as_it_is(folder, capsys):
    charged(folder)
    declare(folder, 100, "ward = { integers = [0, 9] }")
    assert main(["migrate", "--yes"]) == 2
    declare(folder)
    pt.open("partita.toml").close()


def test_a_ledger_that_is_open_already_can_be_migrated_by_its_curator(folder):
    charged(folder)
    visits = pt.Table("visits", source="v.csv", columns={"age": pt.integers(0, 120)})
    from partita.ledger.opening import open_ledger

    promises = [pt.Promise(pt.rows(), pt.Pure(epsilon=1))]
    with open_ledger("v.ledger") as ledger:
        with pytest.raises(pt.InvalidInput):
            pt.Curator(tables=[visits], promises=promises, ledger=ledger)
        curator = pt.Curator(tables=[visits], promises=promises, ledger=ledger, migrate=True)
        assert [str(one) for one in curator.remaining("age = 110")] == ["ε = 0.4"]
