"""The set-up a newcomer meets works, and fails in words where it cannot."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.docs.pages import ROOT


def fake_python(folder: Path, name: str, *, good: bool) -> None:
    """A stand-in for an interpreter that passes or fails the probe."""
    path = folder / name
    path.write_text(f"#!/bin/sh\necho 'Python 3.8.10'\nexit {0 if good else 1}\n", encoding="utf-8")
    path.chmod(0o755)


def find(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    script = str(ROOT / "tools" / "find_python.sh")
    for tool in ("head", "sh"):
        if not (folder / tool).exists():
            (folder / tool).symlink_to(next(p for p in (Path("/bin") / tool, Path("/usr/bin") / tool) if p.exists()))
    return subprocess.run(
        ["/bin/sh", script],
        env={"PATH": str(folder), **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_newer_python_is_found_beside_an_old_python3(tmp_path):
    fake_python(tmp_path, "python3", good=False)
    fake_python(tmp_path, "python3.11", good=True)
    assert find(tmp_path).stdout.strip() == str(tmp_path / "python3.11")


def test_a_python_that_is_named_is_the_only_one_tried(tmp_path):
    fake_python(tmp_path, "python3", good=True)
    result = find(tmp_path, PYTHON="python3.99")
    assert result.returncode == 1
    assert "python3.99" in result.stderr


def test_without_a_new_python_the_message_says_what_to_do(tmp_path):
    fake_python(tmp_path, "python3", good=False)
    result = find(tmp_path)
    assert result.returncode == 1
    assert "Partita needs Python 3.11 or newer" in result.stderr
    assert "Python 3.8.10" in result.stderr


@pytest.mark.parametrize("script", [".ci/run", "tools/find_python.sh"])
def test_scripts_are_executable(script):
    assert os.access(ROOT / script, os.X_OK)
