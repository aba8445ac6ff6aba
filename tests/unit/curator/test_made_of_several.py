"""Answers made from several releases: all of their receipts, and the risk of what was really released."""

from __future__ import annotations

import json

import pytest

import partita as pt
from partita.cli import main
from partita.errors import InvalidInput
from partita.explain.facts import facts_of
from partita.explain.sentences import moved

ROWS = [{"age": i % 90, "k": "ab"[i % 2], "d": f"2025-01-0{1 + i % 5}", "who": i % 50} for i in range(300)]
COLUMNS = {
    "age": pt.integers(0, 120),
    "k": pt.categories("a", "b"),
    "d": pt.dates("2025-01-01", "2025-01-05"),
    "who": pt.identifier(),
}
GROUPED, COUNTED = "SELECT k, COUNT(*) AS n FROM t GROUP BY k", "SELECT COUNT(*) AS n FROM t"
BUCKETS = "SELECT BUCKET(age, 30) AS g, COUNT(*) AS n FROM t GROUP BY BUCKET(age, 30)"


def curator(budget=None, unit=None):
    promise = pt.Promise(pt.rows() if unit is None else unit, pt.Pure(epsilon=100) if budget is None else budget)
    return pt.Curator(tables=[pt.Table("t", ROWS, COLUMNS)], promises=[promise])


def of_four(kept):
    for price in ("5", "5.1", "5.2", "5.3"):
        kept.ask(GROUPED, epsilon=price, reuse=False)
    return kept.ask(COUNTED, epsilon="0.1")


def test_no_single_receipt_stands_for_several_releases():
    kept = curator()
    answer = of_four(kept)
    assert answer.free
    with pytest.raises(InvalidInput, match=r"4 releases .* Use answer\.receipts") as refused:
        _ = answer.receipt
    assert refused.value.code == "curator.several-receipts"
    assert pt.together(list(answer.receipts)).loss == kept.spent()[0] == pt.Pure(epsilon="20.6")


def test_an_answer_of_one_release_has_one_receipt():
    kept = curator()
    first = kept.ask(GROUPED, epsilon=1)
    assert first.receipts == (first.receipt,)
    again = kept.ask(COUNTED, epsilon="0.1")
    assert again.sources == again.receipts == (first.receipt,)
    assert again.receipt == first.receipt


@pytest.mark.parametrize("how", ["asked", "planned"])
def test_every_answer_of_a_batch_has_the_receipts_of_what_it_is_made_from(how):
    kept = curator(pt.ZCDP(rho=20))
    batch = kept.batch([GROUPED, BUCKETS, COUNTED], rho=4)
    answers = batch.ask() if how == "asked" else batch.reserve().answers()
    spent = kept.spent()[0]
    assert any(len(answer.sources) == (3 if how == "asked" else 1) for answer in answers)
    for answer in answers:
        assert float(pt.together(list(answer.receipts)).loss.rho) == pytest.approx(float(spent.rho), rel=1e-9)


def test_the_command_line_lists_all_receipts_and_composes_them(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("k\n" + "a\nb\n" * 50, encoding="utf-8")
    (tmp_path / "partita.toml").write_text(
        'ledger = "t.ledger"\n[[promises]]\nprotect = "rows"\nepsilon = "100"\n'
        '[tables.t]\nsource = "t.csv"\n[tables.t.columns]\nk = { categories = ["a", "b"] }\n',
        encoding="utf-8",
    )
    for price in ("5", "5.1"):
        assert main(["ask", GROUPED, "--epsilon", price, "--key", price, "--json"]) == 0
        one = json.loads(capsys.readouterr().out)
        assert one["receipts"] == [one["receipt"]]
    assert main(["ask", COUNTED, "--epsilon", "0.1", "--json"]) == 0
    text = capsys.readouterr().out
    several = json.loads(text)
    assert several["receipt"] is None
    assert len(several["receipts"]) == 2
    for name, document in (("answer.json", several), ("list.json", several["receipts"])):
        (tmp_path / name).write_text(json.dumps(document), encoding="utf-8")
        assert main(["compose", name, "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["loss"]["epsilon"] == "101/10"


def risk(answer):
    return [line for line in answer.explain().splitlines() if line.startswith(("From this", "Whether", "What the"))]


def test_a_reused_answer_tells_as_much_as_the_release_it_was_made_from():
    kept = curator()
    first = kept.ask(COUNTED, epsilon=5)
    again = kept.ask(COUNTED, epsilon="0.1")
    assert again.sources
    assert risk(again) == risk(first)


def test_the_risk_of_several_releases_is_that_of_all_together():
    answer = of_four(curator())
    expected = facts_of(pt.Pure(epsilon="20.6"), priors=("0.5",)).presence
    assert f"Whether one row is in the data: {moved(expected)}." in risk(answer)


def test_where_only_plans_add_up_it_is_said():
    kept = curator(pt.ZCDP(rho=20))
    answers = kept.batch([GROUPED, BUCKETS, COUNTED], rho=4).ask()
    assert all(len(answer.sources) == 3 for answer in answers)
    for answer in answers:
        expected = facts_of(pt.together(answer.sources).loss, priors=("0.5",)).presence
        said = risk(answer)
        assert said[0].startswith("From this answer alone, if its releases were planned beforehand, a test")
        assert said[1] == f"Whether one row is in the data: {moved(expected)}."


@pytest.mark.parametrize(
    ("unit", "named"),
    [
        (pt.rows(), "one row"),
        (pt.replace(), "one row"),
        (pt.users("who", rows=3), "one who"),
        (pt.users("who", rows=3, per="d"), "one who during one d"),
        (pt.users("who", rows=3, altered=True), "one who"),
        (pt.groups(2, of=pt.users("who", rows=3)), "a group of 2 (each of them one who)"),
        (pt.windows("d", width=2), "one row in every step of any 2 consecutive d"),
        (pt.metric("age", unit=10), "the age of one row, to within 10,"),
    ],
    ids=str,
)
def test_the_lines_of_risk_name_what_is_protected(unit, named):
    kept, young = curator(unit=unit), f"{COUNTED} WHERE age < 30"
    lines = risk(kept.ask(young, epsilon=1))
    assert not any("somebody" in line for line in lines)
    assert all(f" {named}" in line for line in lines[1:])
    assert len(lines) > 1
    # Where the loss is read from the receipt of what the answer was made from, it is what was booked.
    again = kept.ask(young, epsilon="0.01")
    assert again.sources
    expected = facts_of(kept.spent()[0], priors=("0.5",), relation=unit.relation)
    assert risk(again)[-1] == f"What the data say of {named}: {moved(expected.content)}."
