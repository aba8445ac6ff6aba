"""Two hospitals answer, and their receipts are composed by somebody who sees neither's data."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

import partita as pt
from partita.cli import main


@pytest.fixture
def receipts(tmp_path: Path) -> list[str]:
    """One receipt of each of two ledgers, at different prices."""
    paths = []
    for name, price in (("north", "0.1"), ("south", "0.3")):
        visits = pt.Table(
            "visits", source=pd.DataFrame({"age": [30, 40, 50] * 20}), columns={"age": pt.integers(0, 120)}
        )
        promise = pt.Promise(pt.rows(), pt.Pure(epsilon=1))
        curator = pt.Curator(tables=[visits], promises=[promise], ledger=":memory:")
        answer = curator.ask("SELECT COUNT(*) AS n FROM visits WHERE age >= 35", epsilon=price)
        path = tmp_path / f"{name}.json"
        path.write_text(answer.receipt.to_json(), encoding="utf-8")
        paths.append(str(path))
    return paths


@pytest.mark.parametrize(
    ("options", "epsilon"),
    [
        ([], "2/5"),
        (["--disjoint"], "3/10"),
        (["--relation", "change-one"], "4/5"),
        (["--relation", "add/remove"], "2/5"),
    ],
)
def test_receipts_of_different_ledgers_are_composed(receipts, options, epsilon, capsys):
    assert main(["compose", "--json", *receipts, *options]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["loss"] == {"kind": "pure", "epsilon": epsilon}
    assert [part["releases"] for part in found["parts"]] == [1, 1]


def test_people_read_the_rule_by_which_they_were_composed(receipts, capsys):
    assert main(["compose", *receipts]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "Together: ε = 0.4, by the sum, since a person may be in the data of all." in said


def test_a_receipt_that_was_altered_is_refused(receipts, capsys):
    path = Path(receipts[0])
    path.write_text(path.read_text(encoding="utf-8").replace("1/10", "1/99"), encoding="utf-8")
    assert main(["compose", *receipts]) == 2
    assert capsys.readouterr().err.startswith("ledger.")


def test_a_receipt_and_a_plan_do_not_mix(receipts, tmp_path, capsys):
    plan = tmp_path / "plan.json"
    plan.write_text('{"version": 1, "events": []}', encoding="utf-8")
    assert main(["compose", receipts[0], str(plan)]) == 2
    assert capsys.readouterr().err.startswith("cli.one-plan")
