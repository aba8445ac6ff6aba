"""What is generated from the code matches the code."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.architecture.source import PACKAGE, ROOT
from tools import architecture, changelog, error_pages


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the package and the pages about it that a test may break."""
    shutil.copytree(PACKAGE, tmp_path / "src" / "partita", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "docs").mkdir()
    shutil.copy(ROOT / "ARCHITECTURE.md", tmp_path)
    architecture.main(["--root", str(tmp_path)])
    error_pages.main(["--root", str(tmp_path)])
    return tmp_path


def test_the_tree_is_what_the_docstrings_say():
    assert architecture.main(["--check"]) == 0


def test_a_changed_docstring_is_noticed(copy, capsys):
    assert architecture.main(["--check", "--root", str(copy)]) == 0
    module = copy / "src" / "partita" / "exact.py"
    module.write_text('"""Something else."""\n', encoding="utf-8")
    assert architecture.main(["--check", "--root", str(copy)]) == 1
    assert "make update" in capsys.readouterr().err


def test_a_module_that_says_nothing_is_refused(copy, capsys):
    (copy / "src" / "partita" / "theory" / "mute.py").write_text("value = 1\n", encoding="utf-8")
    assert architecture.main(["--root", str(copy)]) == 1
    assert "mute.py" in capsys.readouterr().err


def test_every_error_code_is_documented():
    assert error_pages.main(["--check"]) == 0


def test_an_error_code_used_twice_is_refused(copy, capsys):
    wording = copy / "src" / "partita" / "errors"
    twin = (wording / "numbers.py").read_text(encoding="utf-8")
    (wording / "twin.py").write_text(twin, encoding="utf-8")
    assert error_pages.main(["--check", "--root", str(copy)]) == 1
    assert "is taken by" in capsys.readouterr().err


def test_a_new_error_must_reach_the_page(copy, capsys):
    wording = copy / "src" / "partita" / "errors" / "fresh.py"
    wording.write_text(
        '"""Fresh words."""\n'
        "from partita.errors.base import InvalidInput\n"
        "def odd(x: int) -> InvalidInput:\n"
        '    """An odd number."""\n'
        '    return InvalidInput("fresh.odd-number", f"{x} is odd.")\n',
        encoding="utf-8",
    )
    assert error_pages.main(["--check", "--root", str(copy)]) == 1
    assert error_pages.main(["--root", str(copy)]) == 0
    assert "### `fresh.odd-number`" in (copy / "docs" / "errors.md").read_text(encoding="utf-8")
    assert "run `make update`" in capsys.readouterr().err


@pytest.mark.parametrize("code", ["odd", "Fresh.odd", "fresh.odd_number", "fresh."])
def test_a_malformed_error_code_is_refused(copy, code):
    wording = copy / "src" / "partita" / "errors" / "fresh.py"
    wording.write_text(f'def odd():\n    """Odd."""\n    return InvalidInput("{code}", "Odd.")\n', encoding="utf-8")
    assert error_pages.main(["--root", str(copy)]) == 1


def test_the_changelog_speaks_of_privacy():
    assert changelog.main() == 0
