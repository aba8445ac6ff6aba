"""The example notebooks run from their first cell to their last, and show what they say."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from partita.cli import main
from tests.docs.pages import ROOT

NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))
LONGEST = 150_000


def cells(path: Path) -> list[dict[str, Any]]:
    found = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [cell for cell in found if cell["cell_type"] == "code"]


@pytest.fixture
def shell(tmp_path, monkeypatch):
    """IPython in a folder of its own; `!partita` is called in this process, which is ten times as fast."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    made = InteractiveShell(config=Config({"HistoryManager": {"enabled": False}}))
    codes: list[int] = []
    monkeypatch.setattr(made, "system", lambda line: codes.append(main(shlex.split(line)[1:])))
    yield made
    assert not any(codes)
    made.reset()


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_each_cell_shows_what_is_kept_in_it(path, shell, capsys):
    for cell in cells(path):
        source = "".join(cell["source"])
        done = shell.run_cell(source)
        assert done.success is ("raises-exception" not in cell["metadata"].get("tags", ())), source
        kept = {kind for output in cell["outputs"] for kind in output.get("data", ())}
        assert kept == set({} if done.result is None else shell.display_formatter.format(done.result)[0]), source


def test_each_notebook_was_run_in_order_and_keeps_no_trace_of_this_machine():
    assert {path.stem for path in NOTEBOOKS} == {"analyst", "composition", "custodian"}
    for path in NOTEBOOKS:
        assert [cell["execution_count"] for cell in cells(path)] == list(range(1, len(cells(path)) + 1))
        text = path.read_text(encoding="utf-8")
        assert len(text) < LONGEST
        assert "image/svg+xml" in text
        assert not any(word in text for word in ("Traceback", "\\u001b[2K", "/tmp/", "/home/", "/root/"))
