"""The installed command, run as people run it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest


def partita(*arguments: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    script = "import sys; from partita.cli import main; sys.exit(main())"
    return subprocess.run(
        [sys.executable, "-c", script, *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env={**os.environ, "PYTHONIOENCODING": "utf-8", "COLUMNS": "100"},
    )


def test_the_tour_writes_its_pictures_into_a_folder_of_its_own(tmp_path):
    result = partita("tour", folder=tmp_path)
    assert result.returncode == 0, result.stderr
    assert "A private histogram" in result.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["demo"]
    assert (tmp_path / "demo" / "tradeoff.png").stat().st_size > 10_000


@pytest.mark.parametrize(
    "arguments",
    [
        ("explain",),
        ("compose",),
        ("compose", "missing.json"),
        ("compose", "missing.json", "--plot", "x.gif"),
        ("calibrate", "laplace"),
        ("calibrate", "sugar", "--epsilon", "1"),
        ("explain", "--epsilon", "inf"),
        ("explain", "--epsilon", "1e99999"),
        ("explain", "--epsilon", "∞"),
        ("explain", "--epsilon", "1", "--plot", "/nowhere/at/all.png"),
        ("nosuch",),
        ("--nosuch",),
    ],
)
def test_whatever_is_typed_wrong_gets_words_and_exit_code_two(arguments, tmp_path):
    result = partita(*arguments, folder=tmp_path)
    assert result.returncode == 2
    assert result.stderr.strip()
    assert "Traceback" not in result.stderr
    assert not list(tmp_path.iterdir())


def test_json_is_all_that_is_printed_for_programs():
    result = partita("explain", "--epsilon", "1", "--json")
    assert result.returncode == 0
    assert json.loads(result.stdout)["numbers"]["epsilon"] == 1
    assert result.stderr == ""


def test_the_command_starts_without_loading_what_it_does_not_need():
    script = (
        "import sys; from partita.cli import main; code = main(['--version']);"
        "heavy = {'duckdb', 'sqlglot', 'matplotlib', 'scipy', 'pandas', 'pyarrow'} & set(sys.modules);"
        "assert code == 0 and not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
