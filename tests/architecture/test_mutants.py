"""The deliberate mistakes of `make mutants` are still mistakes in this code, and a few of them are tried each time."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tools import mutants
from tools.mutations import MUTATIONS

ROOT = Path(__file__).resolve().parents[2]

TRIED = (
    "a widened region costs a change inside it what the true one does",
    "a sum moves by its width when a row comes",
    "a join forgets its key",
)


def test_every_mistake_can_still_be_made():
    assert mutants.stale() == []
    assert len(MUTATIONS) >= 60
    assert len({(one.file, one.old, one.new) for one in MUTATIONS}) == len(MUTATIONS)
    assert all(bool(one.by) != bool(one.tests) for one in MUTATIONS)
    for test in {test for one in MUTATIONS for test in one.tests}:
        file, _, name = test.partition("::")
        assert f"def {name.partition('[')[0]}" in (ROOT / file).read_text(encoding="utf-8"), test


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    copied = tmp_path_factory.mktemp("mutants") / "src"
    shutil.copytree(ROOT / "src", copied)
    return copied


@pytest.mark.slow
@pytest.mark.parametrize("what", TRIED)
def test_a_mistake_is_found(what: str, source: Path):
    (mutation,) = [one for one in MUTATIONS if one.what == what]
    caught, told = mutants.outcome(mutation, source, quick=True)
    assert caught, told
