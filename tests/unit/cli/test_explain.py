"""partita explain puts a loss into words."""

from __future__ import annotations

import json

import pytest

from partita.cli import main


def test_the_words_are_those_of_the_loss(capsys):
    assert main(["explain", "--epsilon", "0.5", "--reader", "person"]) == 0
    said = capsys.readouterr().out
    assert "The guarantee: ε = 0.5" in said
    assert "at most 1.65 times as likely" in said
    assert "For the officer" not in said


@pytest.mark.parametrize(
    ("arguments", "epsilon"),
    [
        (["--epsilon", "1"], 1),
        (["--epsilon", "1", "--delta", "1e-6"], 1),
        (["--mu", "1", "--delta", "1e-6"], 4.8866),
        (["--mu", "1"], 4.8866),
        (["--rho", "0.5", "--delta", "1e-6"], 5.2215),
    ],
)
def test_every_kind_of_loss_is_read(arguments, epsilon, capsys):
    assert main(["explain", "--json", *arguments]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["numbers"]["epsilon"] == pytest.approx(epsilon, rel=1e-3)


def test_under_change_one_the_words_change(capsys):
    assert main(["explain", "--epsilon", "1", "--change-one", "--people", "1000"]) == 0
    assert "because your record says what it says" in " ".join(capsys.readouterr().out.replace("│", "").split())


def test_a_picture_is_drawn_on_demand(tmp_path, capsys):
    path = tmp_path / "curve.svg"
    assert main(["explain", "--mu", "1", "--plot", str(path)]) == 0
    assert "<svg" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ([], "cli.choose-one"),
        (["--epsilon", "1", "--mu", "1"], "cli.choose-one"),
        (["--epsilon", "0", "--delta", "0.1"], "theory.additive-secrecy"),
        (["--epsilon", "nan"], "number.not-finite"),
        (["--epsilon", "1", "--reader", "boss"], "explain.unknown-reader"),
        (["--epsilon", "1", "--people", "0"], "number.too-small"),
        (["--epsilon", "1", "--fpr", "2"], "number.outside-unit-interval"),
        (["--epsilon", "1", "--plot", "x.gif"], "explain.not-a-picture-file"),
        (["--rho", "1", "--delta", "0"], "theory.delta-unreachable"),
    ],
)
def test_what_cannot_be_explained_is_refused(arguments, code, capsys):
    assert main(["explain", *arguments]) == 2
    assert capsys.readouterr().err.startswith(code)
