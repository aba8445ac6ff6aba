"""%%partita in a notebook: questions, prices, and refusals without our code in them."""

from __future__ import annotations

import pytest
from IPython.core.interactiveshell import InteractiveShell

import partita as pt

QUESTION = "SELECT COUNT(*) AS n FROM visits"


@pytest.fixture
def shell(tmp_path, monkeypatch):
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    InteractiveShell.clear_instance()
    made = InteractiveShell.instance()
    made.history_manager.enabled = False
    made.run_line_magic("load_ext", "partita")
    visits = pt.Table("visits", [{"age": 30}] * 50, {"age": pt.integers(0, 120)})
    promise = pt.Promise(pt.rows(), pt.ZCDP(rho=1))
    with pt.Curator(tables=[visits], promises=[promise], ledger=":memory:") as curator:
        made.user_ns["curator"] = curator
        yield made
    made.run_line_magic("unload_ext", "partita")
    made.history_manager.end_session()
    InteractiveShell.clear_instance()


def test_a_question_in_a_cell_is_answered_and_kept(shell):
    answer = shell.run_cell_magic("partita", "--rho 0.25 --name answer", f"{QUESTION};\n")
    assert shell.user_ns["answer"] is answer
    assert list(answer.rows()[0]) == ["n"]
    assert float(shell.user_ns["curator"].spent()[0].rho) == 0.25


def test_a_quote_in_a_cell_spends_nothing(shell):
    offer = shell.run_cell_magic("partita", "--rho 0.25 --quote", QUESTION)
    assert (str(offer.cost), float(shell.user_ns["curator"].spent()[0].rho)) == ("ρ = 0.25", 0)


def test_a_curator_is_named_once(shell, tmp_path):
    (tmp_path / "v.csv").write_text("age\n40\n")
    (tmp_path / "partita.toml").write_text(
        "[tables.people]\nsource = 'v.csv'\ncolumns.age = { integers = [0, 120] }\n"
        "[[promises]]\nprotect = 'rows'\nrho = '1'\n"
    )
    found = shell.run_line_magic("partita", str(tmp_path / "partita.toml"))
    assert shell.run_cell_magic("partita", "--rho 0.1", "SELECT COUNT(*) AS n FROM people").free is False
    assert shell.run_cell_magic("partita", "--rho 0.1 --curator curator", QUESTION).free is False
    found.close()


@pytest.mark.parametrize(
    ("line", "code"), [("--rho 9", "ledger.over-budget"), ("--price 1", "cli.bad-magic"), ("", "query.")]
)
def test_a_refusal_is_a_sentence_and_no_traceback(shell, capsys, line, code):
    result = shell.run_cell(f"%%partita {line}\n{QUESTION}")
    err = capsys.readouterr().err
    assert isinstance(result.error_in_exec, pt.PartitaError)
    assert code in err
    assert "Traceback" not in err
    assert ".py" not in err


def test_a_notebook_without_a_curator_says_how_to_name_one(shell, capsys):
    del shell.user_ns["curator"]
    with pytest.raises(pt.PartitaError, match=r"%partita partita\.toml"):
        shell.run_cell_magic("partita", "--rho 1", QUESTION)


def test_other_mistakes_keep_their_tracebacks(shell, capsys):
    shell.run_cell("1 / 0")
    out, err = capsys.readouterr()
    assert "ZeroDivisionError" in out + err
