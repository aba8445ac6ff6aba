"""What is generated from the code matches the code."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.architecture.source import PACKAGE, ROOT
from tools import architecture, changelog, error_pages

ERRORS = Path("src") / "partita" / "errors"
GOLDEN = Path("tests") / "golden" / "errors.json"
FRESH = (
    '"""Fresh words."""\n'
    "from partita.errors.base import InvalidInput\n"
    "def odd(x: int) -> InvalidInput:\n"
    '    """An odd number."""\n'
    '    return InvalidInput("fresh.odd-number", f"{x} is odd. Give an even number.")\n'
)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of a part of the package and of the page about it that a test may break."""
    kept = tmp_path / "src" / "partita"
    shutil.copytree(PACKAGE / "theory", kept / "theory", ignore=shutil.ignore_patterns("__pycache__"))
    for module in PACKAGE.glob("*.py"):
        shutil.copy(module, kept)
    shutil.copy(ROOT / "ARCHITECTURE.md", tmp_path)
    architecture.main(["--root", str(tmp_path)])
    return tmp_path


@pytest.fixture
def wording(tmp_path: Path) -> Path:
    """A copy of the wording of errors, with its golden file and its page, that a test may break."""
    shutil.copytree(ROOT / ERRORS, tmp_path / ERRORS, ignore=shutil.ignore_patterns("__pycache__"))
    for part in (GOLDEN, Path("docs") / "errors.md"):
        (tmp_path / part).parent.mkdir(parents=True)
        shutil.copy(ROOT / part, tmp_path / part)
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


def test_an_error_code_used_twice_is_refused(wording, capsys):
    twin = (wording / ERRORS / "foundation.py").read_text(encoding="utf-8")
    (wording / ERRORS / "twin.py").write_text(twin, encoding="utf-8")
    assert error_pages.main(["--check", "--root", str(wording)]) == 1
    assert "is taken by" in capsys.readouterr().err


def test_a_new_error_must_reach_the_golden_file_and_the_page(wording, capsys):
    (wording / ERRORS / "fresh.py").write_text(FRESH, encoding="utf-8")
    assert error_pages.main(["--root", str(wording)]) == 1
    assert "fresh.odd-number: tests/golden/errors.json has no call of fresh.odd" in capsys.readouterr().err
    texts = json.loads((wording / GOLDEN).read_text(encoding="utf-8"))
    (wording / GOLDEN).write_text(json.dumps(texts | {"": {"fresh.odd(3)": ""}}), encoding="utf-8")
    assert error_pages.main(["--check", "--root", str(wording)]) == 1
    assert "run `make update`" in capsys.readouterr().err
    assert error_pages.main(["--root", str(wording)]) == 0
    assert json.loads((wording / GOLDEN).read_text(encoding="utf-8")) == dict(
        sorted((texts | {"fresh.odd-number": {"fresh.odd(3)": "InvalidInput: 3 is odd. Give an even number."}}).items())
    )
    page = (wording / "docs" / "errors.md").read_text(encoding="utf-8")
    assert "| `fresh.odd-number` InvalidInput | An odd number. | Give an even number. |" in page
    assert error_pages.main(["--check", "--root", str(wording)]) == 0


def test_a_changed_text_is_noticed(wording, capsys):
    module = wording / ERRORS / "foundation.py"
    module.write_text(module.read_text(encoding="utf-8").replace("Give an integer.", "Round it."), encoding="utf-8")
    assert error_pages.main(["--check", "--root", str(wording)]) == 1
    assert "errors.json does not match" in capsys.readouterr().err


@pytest.mark.parametrize(
    "call",
    [
        "fresh.odd()",
        "fresh.even(2)",
        "stale.odd(3)",
        "fresh.odd(open('x'))",
        "fresh.odd",
        "fresh.odd(3",
        "fresh.lent()",
    ],
)
def test_a_call_that_cannot_be_made_or_says_a_code_of_another_is_refused(wording, call):
    lent = 'def lent() -> InvalidInput:\n    """Says what is said by odd."""\n    return odd(3)\n'
    (wording / ERRORS / "fresh.py").write_text(FRESH + lent, encoding="utf-8")
    texts = json.loads((wording / GOLDEN).read_text(encoding="utf-8")) | {"": {"fresh.odd(3)": ""}}
    (wording / GOLDEN).write_text(json.dumps(texts), encoding="utf-8")
    assert error_pages.main(["--root", str(wording)]) == 0
    (wording / GOLDEN).write_text(json.dumps(texts | {"-": {call: ""}}), encoding="utf-8")
    assert error_pages.main(["--root", str(wording)]) == 1


@pytest.mark.parametrize("code", ["odd", "Fresh.odd", "fresh.odd_number", "fresh."])
def test_a_malformed_error_code_is_refused(wording, code, capsys):
    (wording / ERRORS / "fresh.py").write_text(FRESH.replace("fresh.odd-number", code), encoding="utf-8")
    assert error_pages.main(["--root", str(wording)]) == 1
    assert "needs a constant code" in capsys.readouterr().err


def test_the_changelog_speaks_of_privacy():
    assert changelog.main() == 0
