"""Every rule turns the first question of a pair into the second."""

from __future__ import annotations

from pathlib import Path

import pytest

from partita.query.rewrite import RULES, rewritten
from partita.query.sql.parse import read
from tests.unit.query.hospital import VISITS

FOLDER = Path(__file__).parent / "rewrite"


def pairs() -> list[tuple[str, str, str]]:
    found = []
    for file in sorted(FOLDER.glob("*.sql")):
        for part in file.read_text(encoding="utf-8").strip().split("\n\n"):
            lines = part.splitlines()
            found.append((f"{file.stem}: {lines[0].strip('- ')}", lines[1].rstrip(";"), lines[2].rstrip(";")))
    return found


@pytest.mark.parametrize(("before", "after"), [(a, b) for _, a, b in pairs()], ids=[name for name, _, _ in pairs()])
def test_a_rule_does_what_its_pair_shows(before, after):
    assert " ".join(read(before, [VISITS]).sql().split()) == after


def test_every_rule_has_its_pairs():
    assert {rule.__name__ for rule in RULES} == {file.stem for file in FOLDER.glob("*.sql")}


@pytest.mark.parametrize("before", [a for _, a, _ in pairs()])
def test_the_normal_form_is_its_own_normal_form(before):
    plan = read(before, [VISITS])
    assert rewritten(plan) == plan
    assert read(plan.sql(), [VISITS]).fingerprint == plan.fingerprint
