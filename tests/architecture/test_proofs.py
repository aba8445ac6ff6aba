"""A proof and the code it proves do not part."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.architecture.source import PACKAGE, classes, last_name, shown
from tools import proofs

CODE = '''
class Coin:
    """A fair coin."""

    def pair(self, bias):
        """Two laws."""
        return bias + 1  # one more

    def other(self):
        return 2
'''


@pytest.fixture
def note(tmp_path: Path) -> Path:
    """A small package with one proven method, confirmed."""
    folder = tmp_path / "src" / "partita" / "mechanisms"
    folder.mkdir(parents=True)
    (folder / "coin.py").write_text(CODE, encoding="utf-8")
    path = folder / "coin.proof.md"
    path.write_text("# Why a coin protects\n\nBecause.\n", encoding="utf-8")
    assert proofs.main(["--root", str(tmp_path), "--confirm", str(path), "Coin.pair"]) == 0
    return path


def check(note: Path) -> int:
    return proofs.main(["--root", str(note.parents[3]), "--check"])


def edit(note: Path, old: str, new: str) -> None:
    module = note.with_name("coin.py")
    text = module.read_text(encoding="utf-8")
    assert old in text
    module.write_text(text.replace(old, new), encoding="utf-8")


def test_every_proof_matches_the_code_it_proves():
    assert proofs.main(["--check"]) == 0


def test_a_change_of_proven_code_is_noticed_until_the_note_is_confirmed(note, capsys):
    assert check(note) == 0
    edit(note, "bias + 1", "bias + 2")
    assert check(note) == 1
    assert "Coin.pair changed since the proof was last read" in capsys.readouterr().err
    assert proofs.main(["--root", str(note.parents[3]), "--confirm", str(note)]) == 0
    assert check(note) == 0
    assert note.read_text(encoding="utf-8").endswith("# Why a coin protects\n\nBecause.\n")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("# one more", "# just one more"),
        ("Two laws.", "A pair of laws."),
        ("return 2", "return 3"),
        ("+ 1", "+  1"),
    ],
    ids=["comment", "docstring", "another method", "layout"],
)
def test_what_is_not_proven_may_change_freely(note, old, new):
    edit(note, old, new)
    assert check(note) == 0


def test_a_signature_is_part_of_what_is_proven(note):
    edit(note, "self, bias", "self, bias, scale=1")
    assert check(note) == 1


def test_proven_code_that_disappears_is_noticed(note, capsys):
    edit(note, "def pair", "def duo")
    assert check(note) == 1
    assert "does not define" in capsys.readouterr().err


def test_a_note_that_names_nothing_is_refused(note, capsys):
    note.write_text("# Words only\n", encoding="utf-8")
    assert check(note) == 1
    assert "names nothing" in capsys.readouterr().err


def test_a_name_in_another_module_may_be_proven(note):
    names = ["Coin.pair", "partita.mechanisms.coin.Coin.other"]
    assert proofs.main(["--root", str(note.parents[3]), "--confirm", str(note), *names]) == 0
    edit(note, "return 2", "return 3")
    assert check(note) == 1


def is_mechanism(node: ast.ClassDef) -> bool:
    return any(last_name(base).endswith("Mechanism") for base in node.bases) and "final" in {
        last_name(decorator) for decorator in node.decorator_list
    }


PROVEN = [
    (module, node)
    for module in sorted((PACKAGE / "mechanisms").rglob("*.py"))
    for node in classes(module)
    if is_mechanism(node)
]


@pytest.mark.parametrize(("module", "node"), PROVEN, ids=[f"{shown(m)}:{n.name}" for m, n in PROVEN])
def test_every_mechanism_has_its_costs_proven_beside_it(module, node):
    note = module.with_name(f"{module.stem}.proof.md")
    assert note.exists(), f"{shown(module)} makes a privacy claim; write {note.name} beside it."
    names = proofs.proved_names(note.read_text(encoding="utf-8"))
    claims = {"forms", "closed_forms", "pair", "cost"} & {
        item.name for item in node.body if isinstance(item, ast.FunctionDef)
    }
    proven = {f"{node.name}.{claim}" for claim in claims} <= set(names) or node.name in names
    assert proven, f"{note.name} must name {node.name} or each of its {sorted(claims)}."
