"""No charge is booked, and nothing is read, before a second opinion has found it large enough."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product
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


@pytest.fixture
def tried(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The claims that are tried."""
    found: list[Any] = []
    truly = opinion.assay

    def noted(releases: Any, claims: Any, **more: Any) -> Any:
        found.append(claims)
        return truly(releases, claims, **more)

    monkeypatch.setattr(opinion, "assay", noted)
    return found


def test_counts_that_are_alike_are_tried_once(tried: list[Any]) -> None:
    curator = hospital()
    count = "SELECT COUNT(*) AS n FROM visits WHERE "
    for where in (
        "age < 40 AND region = 'north'",
        "region = 'west' AND age BETWEEN 7 AND 9",
        "age > 99 AND region = 'east'",
    ):
        curator.ask(count + where, rho="0.01")
    assert len(tried) == 1
    for other in ("age < 40", "age < 40 AND sex = 'F'", "age = 4 AND region = 'north'", "age < 2 OR sex = 'F'"):
        curator.ask(count + other, rho="0.01")
    curator.ask(count + "age < 41 AND region = 'north'", rho="0.02")
    curator.ask("SELECT SUM(cost) AS s FROM visits WHERE age < 40 AND region = 'north'", rho="0.01")
    assert len(tried) == 7


@pytest.mark.usefixtures("tried")
def test_a_count_like_one_that_passed_is_refused_where_less_or_elsewhere_is_claimed(
    tried: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    curator, truly = hospital(), opinion.claimed
    curator.ask("SELECT COUNT(*) AS n FROM visits WHERE age < 40", rho="0.01")

    def boxes(one: Any) -> Any:
        (age, *rest), *_ = one.boxes
        ((low, high),) = age
        return replace(one, boxes=((((low, high - 1),), *rest),))

    def less(one: Any) -> Any:
        return replace(one, one=tuple(part / 2 for part in one.one))

    for wrong in (boxes, less):
        monkeypatch.setattr(opinion, "claimed", lambda *given, wrong=wrong: [wrong(one) for one in truly(*given)])
        with pytest.raises(pt.NotProven, match="computed a second way"):
            curator.ask("SELECT COUNT(*) AS n FROM visits WHERE age < 50", rho="0.01")
    assert len(tried) == 3


@pytest.mark.parametrize("unit", [pt.rows(), pt.replace()], ids=str)
def test_counts_that_are_alike_have_one_verdict(unit: Any) -> None:
    """Every box of a small table, with claims that are enough and claims that are not."""
    table = pt.Table("t", [], {"a": pt.integers(0, 5, missing=0), "b": pt.categories("x", "y", missing="x")})
    with pt.Curator(tables=[table], promises=[pt.Promise(unit, pt.Pure(epsilon=9))], ledger=":memory:") as curator:
        labels = table.domain.bounded[1].labels
        some = [("a", range(low, high)) for low in (0, 2, 4) for high in range(low + 1, 7)]
        named = [labels[:1], labels[1:2], labels[1:], labels[:2], labels]
        verdicts: dict[Any, set[tuple[bool, ...]]] = {}
        for (_, ages), texts in product(some, named):
            where = f"a IN ({', '.join(map(str, ages))}) AND b IN ({', '.join(map(repr, texts))})"
            quote = curator.quote(f"SELECT COUNT(*) AS n FROM t WHERE {where}", epsilon=1, noise="laplace").quote
            found = []
            for amounts in product((Fraction(1), Fraction(0)), repeat=3):
                one, substitution, same = ((part,) for part in amounts)
                claim = opinion.Claim(unit, pt.Pure, quote.region.boxes, one, substitution, same)
                found.append(opinion.assay([opinion.released(quote)], [claim], effort=32, seed="s") is None)
            key = opinion.likeness([quote], [replace(claim, one=(), substitution=(), same=())])
            assert key is not None
            verdicts.setdefault(key, set()).add(tuple(found))
    assert len(verdicts) > 5
    assert all(len(found) == 1 for found in verdicts.values())
    assert len(set().union(*verdicts.values())) > 1 or unit == pt.rows()


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
