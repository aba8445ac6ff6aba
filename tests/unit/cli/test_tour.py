"""partita tour tells its story, in words and in JSON."""

from __future__ import annotations

import json
import sys

from partita.cli import main
from partita.cli.hospital import by_condition, patients


def test_the_hospital_is_the_same_every_time():
    assert by_condition(patients(1000)) == by_condition(patients(1000))
    assert sum(by_condition(patients(1000)).values()) == 1000
    assert by_condition([])["AIDS"] == 0


def test_the_tour_shows_counts_words_and_pictures(tmp_path, capsys):
    assert main(["tour", "--out", str(tmp_path / "pictures")]) == 0
    said = capsys.readouterr().out
    assert "heart disease" in said
    assert "What is not promised" in said
    written = sorted(path.name for path in (tmp_path / "pictures").iterdir())
    assert {"histogram.png", "tradeoff.png"} <= set(written)
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in (tmp_path / "pictures").iterdir())


def test_the_tour_is_json_for_programs_and_hides_the_truth(tmp_path, capsys):
    assert main(["tour", "--json", "--out", str(tmp_path)]) == 0
    document = json.loads(capsys.readouterr().out)
    assert set(document["histogram"]) == {"noisy", "error", "confidence"}
    assert document["explanation"]["guarantee"] == "ε = 0.5"


def test_the_tour_runs_without_the_library_that_draws(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert main(["tour", "--out", str(tmp_path)]) == 0
    assert "pip install matplotlib (the extra plot)" in " ".join(capsys.readouterr().out.split())
    assert not list(tmp_path.iterdir())


def test_a_folder_that_cannot_be_made_is_named(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert main(["tour", "--out", str(tmp_path / "file" / "inner")]) == 2
    assert capsys.readouterr().err.startswith("cli.cannot-make-folder")
