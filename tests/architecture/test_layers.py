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


# From a low module to a higher one, and what the linter must say of it. The contracts are broken all at once, in one
# copy: each has to be told for itself.
UPWARD = {
    ("errors.base", "exact"): "partita.errors is not allowed to import partita.exact",
    ("engine.duckdb", "ledger.charge"): "partita.engine is not allowed to import partita.ledger",
    ("query.language.plan", "query.noise.quote"): "partita.query.language is not allowed to import",
    ("composition.numerics.total", "composition.rules.pld"): "partita.composition.numerics is not allowed to import",
    ("algorithms.linear.axes", "algorithms.streams.stream"): "partita.algorithms.linear is not allowed to import",
    ("ledger.book.entries", "ledger.ledger"): "partita.ledger.book is not allowed to import",
    ("curator.path.pace", "curator.answers.answer"): "partita.curator.path is not allowed to import",
    ("client.wire", "curator.session"): "partita.client is not allowed to import partita.curator",
    ("server.desk", "cli.screen"): "partita.server is not allowed to import partita.cli",
    ("server.log", "server.service"): "partita.server.log is not allowed to import",
    ("attacks.audits.broken", "attacks.laboratory.shame"): "partita.attacks.audits is not allowed to import",
}


def test_no_layer_or_room_may_use_a_higher_one_nor_the_engine_the_ledger(copy):
    for low, high in UPWARD:
        module = copy / "src" / "partita" / f"{low.replace('.', '/')}.py"
        module.write_text(f"{module.read_text(encoding='utf-8')}\nimport partita.{high}\n", encoding="utf-8")
    result = lint(copy)
    assert result.returncode != 0
    assert [told for told in UPWARD.values() if told not in result.stdout] == []


def test_a_new_package_must_choose_its_layer_and_a_module_its_room(copy):
    package = copy / "src" / "partita" / "newcomer"
    package.mkdir()
    (package / "__init__.py").write_text('"""A package without a place."""\n', encoding="utf-8")
    module = copy / "src" / "partita" / "query" / "newcomer.py"
    module.write_text('"""A module without a room."""\n', encoding="utf-8")
    result = lint(copy)
    assert result.returncode != 0
    assert "partita.newcomer" in result.stdout
    assert "partita.query.newcomer" in result.stdout


def test_no_module_imports_the_package_root():
    """What a module needs is taken from where it is defined."""
    inside = {path.stem for path in PACKAGE.iterdir() if path.suffix == ".py" or path.is_dir()}
    found = [
        f"{shown(module)}:{line} imports {name}"
        for module in modules()
        if module != PACKAGE / "__init__.py"
        for name, line in imports(module)
        for parts in [name.split(".")]
        if parts[0] == "partita" and (len(parts) == 1 or parts[1] not in inside)
    ]
    assert found == []


RANDOMNESS = {"random", "secrets", "numpy.random"}
CLOCK_AND_DISK = {"time", "datetime", "os", "sqlite3", "socket", "pathlib", "tempfile", "duckdb", "sqlglot"}


def test_only_entropy_asks_the_system_for_randomness():
    asking = [m for m in modules() if shown(m) != "sampling/entropy.py" and not shown(m).startswith("attacks/")]
    assert len(asking) > 400
    asked = [
        f"{shown(module)}:{line} imports {name}"
        for module in asking
        for name, line in imports(module)
        for source in RANDOMNESS
        if f"{name}.".startswith(f"{source}.")
    ]
    assert asked == []
    assert [shown(module) for module in asking if "urandom" in module.read_text(encoding="utf-8")] == []


def test_the_theory_knows_no_clock_disk_or_database():
    found = [
        f"{shown(module)}:{line} imports {name}"
        for module in sorted((PACKAGE / "theory").rglob("*.py"))
        for name, line in imports(module)
        if name.split(".")[0] in CLOCK_AND_DISK
    ]
    assert found == []
