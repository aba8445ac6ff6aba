"""The command that runs attacks."""

from __future__ import annotations

import json

import pytest

from partita.cli import main


def test_without_a_name_the_attacks_are_listed(capsys):
    assert main(["attack"]) == 0
    assert "differencing" in capsys.readouterr().out
    assert main(["attack", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)) >= 12


def test_an_attack_is_told_for_people_and_for_programs(capsys, tmp_path):
    assert main(["attack", "differencing", "--out", str(tmp_path / "pictures")]) == 0
    assert "withstood" in capsys.readouterr().out
    assert (tmp_path / "pictures" / "differencing.png").read_bytes().startswith(b"\x89PNG")
    assert main(["attack", "differencing", "low-bits", "--epsilon", "0.5", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [one["attack"] for one in told["attacks"]] == ["differencing", "low bits"]
    assert told["attacks"][0]["allowed"] == pytest.approx(0.62245933)


@pytest.mark.parametrize("wrong", [["attack", "magic"], ["attack", "differencing", "--epsilon", "-1"]])
def test_what_cannot_be_run_is_refused_in_words(wrong, capsys):
    assert main(wrong) == 2
    assert "Traceback" not in capsys.readouterr().err
