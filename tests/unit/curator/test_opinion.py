"""No charge is booked, and nothing is read, before a second opinion has found it large enough."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

import partita as pt
from partita.curator.batches import planned
from partita.curator.path import opinion, placed
from partita.theory.cost import Cost
from tests.unit.curator.hospital import hospital

QUESTION = "SELECT region, COUNT(*) AS n, SUM(cost) AS s FROM visits WHERE age >= 65 GROUP BY region"


@pytest.fixture
def too_cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    """A curator whose prices are a thousandth too low."""
    truly = placed.costs_of

    def less(loss: Any) -> Any:
        return loss.like([part * Fraction(999, 1000) for part in loss.vector()])

    def cheap(quote: Any) -> tuple[Cost, ...]:
        return tuple(
            Cost(less(cost.row), less(cost.substitution), cost.owner, declared=cost.declared) for cost in truly(quote)
        )

    monkeypatch.setattr(placed, "costs_of", cheap)


@pytest.mark.usefixtures("too_cheap")
def test_a_charge_that_is_too_low_is_refused_before_anything_happens(heard: Any) -> None:
    curator = hospital()
    with pytest.raises(pt.NotProven) as refused:
        curator.ask(QUESTION, rho="0.01")
    assert refused.value.code == "curator.second-opinion"
    assert curator.spent()[0].is_zero()
    assert curator.ledger.verify().charges == 0
    (record,) = heard
    assert "claims too little" in record.getMessage()
    assert "moves by" in record.getMessage()


@pytest.mark.usefixtures("too_cheap")
def test_a_custodian_may_do_without() -> None:
    assert not hospital(second_opinion=0).ask(QUESTION, rho="0.01").free


def test_a_plan_that_is_charged_too_little_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    truly = planned.plan_charge
    questions = [QUESTION, "SELECT COUNT(*) AS n FROM visits"]
    assert len(hospital().plan(questions, rho="0.01")) == 2

    def cheap(quotes: Any, together: Any, deltas: Any, *, analyst: str = "") -> Any:
        # What the first question costs alone, for both of them.
        costs = tuple(Cost(quotes[0].tolls[0].cost.row) for _ in together.costs)
        return truly(quotes, replace(together, costs=costs), deltas, analyst=analyst)

    monkeypatch.setattr("partita.curator.batches.batches.plan_charge", cheap)
    curator = hospital()
    with pytest.raises(pt.NotProven, match="computed a second way"):
        curator.plan(questions, rho="0.01")
    assert curator.spent()[0].is_zero()


def test_what_cannot_be_tried_is_refused(monkeypatch: pytest.MonkeyPatch, heard: Any) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise KeyError("nothing")

    monkeypatch.setattr(opinion, "assay", broken)
    with pytest.raises(pt.NotProven, match="computed a second way"):
        hospital().ask(QUESTION, rho="0.01")
    assert ["could not be tried" in one.getMessage() for one in heard] == [True, True]


def test_the_same_charge_is_tried_once(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[str] = []
    truly = opinion.assay

    def counted(*given: Any, seed: str, **more: Any) -> Any:
        tried.append(seed)
        return truly(*given, seed=seed, **more)

    monkeypatch.setattr(opinion, "assay", counted)
    curator = hospital()
    for _ in range(3):
        curator.ask(QUESTION, rho="0.01", reuse=False)
    curator.ask(QUESTION, rho="0.02", reuse=False)
    assert len(tried) == len(set(tried)) == 2


def test_a_charge_beyond_the_budget_is_refused_as_such() -> None:
    with pytest.raises(pt.BudgetExceeded):
        hospital().ask(QUESTION, rho="10")


def test_what_has_no_price_is_refused_as_such(heard: Any) -> None:
    promise = pt.Promise(pt.windows("day", width=3, changed=True), pt.ZCDP(rho="0.5", delta="0.5"))
    table = pt.Table("visits", [], {"day": pt.dates("2025-01-01", "2025-12-31"), "note": pt.text_keys()})
    curator = pt.Curator(tables=[table], promises=[promise])
    with pytest.raises(pt.NotProven) as refused:
        curator.ask("SELECT note, COUNT(*) AS n FROM visits GROUP BY note", rho="0.1", delta="0.01")
    assert refused.value.code == "theory.no-group-rule"
    assert heard == []


@pytest.mark.parametrize("wrong", [-1, 1.5, "many"])
def test_the_effort_is_a_whole_number(wrong: Any) -> None:
    with pytest.raises(pt.InvalidInput, match="second_opinion"):
        hospital(second_opinion=wrong)


def test_a_plan_of_many_questions_with_open_keys_is_tried_in_few_steps_and_found_right():
    """Ways of naming keys were multiplied over the questions of a plan, and their failures added up."""
    columns = {"who": pt.identifier(), "x": pt.integers(0, 100, missing=0), "k": pt.text_keys()}
    table = pt.Table("t", source=[{"who": 1, "x": 3, "k": "a"}], columns=columns)
    curator = pt.Curator(tables=[table], promises=[pt.Promise(pt.rows(), pt.Approximate(epsilon=1, delta="0.001"))])
    asked = "SELECT k, COUNT(DISTINCT who) AS n FROM t WHERE x < {} GROUP BY k"
    quotes = [curator.quote(asked.format(50 + i), epsilon="0.001", delta="0.0000001") for i in range(30)]
    assert len(curator.plan(quotes)) == 30
