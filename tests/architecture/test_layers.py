"""Imports point down only, and the root is for users alone."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.source import PACKAGE, ROOT, imports, modules, shown


def lint(root: Path) -> subprocess.CompletedProcess[str]:
    """Run import-linter on a checkout, with the package of that checkout."""
    script = "import sys; from importlinter.cli import lint_imports_command; sys.exit(lint_imports_command())"
    command = [sys.executable, "-c", script, "--no-cache"]
    environment = {**os.environ, "PYTHONPATH": str(root / "src"), "PYTHONIOENCODING": "utf-8"}
    return subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the package and its contracts that a test may break."""
    shutil.copytree(PACKAGE, tmp_path / "src" / "partita", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def test_the_layers_are_kept():
    result = lint(ROOT)
    assert result.returncode == 0, result.stdout + result.stderr


def test_an_import_that_points_up_is_caught(copy):
    module = copy / "src" / "partita" / "errors" / "base.py"
    module.write_text(module.read_text(encoding="utf-8") + "\nfrom partita import exact\n", encoding="utf-8")
    result = lint(copy)
    assert result.returncode != 0
    assert "partita.errors is not allowed to import partita.exact" in result.stdout


def test_a_new_package_must_choose_its_layer(copy):
    newcomer = copy / "src" / "partita" / "newcomer"
    newcomer.mkdir()
    (newcomer / "__init__.py").write_text('"""A package without a place."""\n', encoding="utf-8")
    result = lint(copy)
    assert result.returncode != 0
    assert "partita.newcomer" in result.stdout


def test_the_engine_may_not_import_the_ledger(copy):
    for name, text in {"ledger": "", "engine": "import partita.ledger\n"}.items():
        folder = copy / "src" / "partita" / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        (folder / "__init__.py").write_text(text, encoding="utf-8")
    result = lint(copy)
    assert result.returncode != 0
    assert "partita.engine is not allowed to import partita.ledger" in result.stdout


@pytest.mark.parametrize("module", modules(), ids=shown)
def test_no_module_imports_the_package_root(module):
    if module == PACKAGE / "__init__.py":
        return
    inside = {path.stem for path in PACKAGE.iterdir() if path.suffix == ".py" or path.is_dir()}
    for name, line in imports(module):
        parts = name.split(".")
        assert parts[0] != "partita" or (len(parts) > 1 and parts[1] in inside), (
            f"{shown(module)}:{line} imports {name} from the package root; take it from where it is defined."
        )


RANDOMNESS = {"random", "secrets", "numpy.random"}
CLOCK_AND_DISK = {"time", "datetime", "os", "sqlite3", "socket", "pathlib", "tempfile", "duckdb", "sqlglot"}


@pytest.mark.parametrize("module", modules(), ids=shown)
def test_only_entropy_asks_the_system_for_randomness(module):
    if shown(module) == "sampling/entropy.py" or shown(module).startswith("attacks/"):
        return
    asked = [name for name, _ in imports(module) for source in RANDOMNESS if f"{name}.".startswith(f"{source}.")]
    assert not asked
    assert "urandom" not in module.read_text(encoding="utf-8")


@pytest.mark.parametrize("module", sorted((PACKAGE / "theory").rglob("*.py")), ids=shown)
def test_the_theory_knows_no_clock_disk_or_database(module):
    assert not [name for name, _ in imports(module) if name.split(".")[0] in CLOCK_AND_DISK]
