"""A table may be wide: columns that nobody asks about cost nothing, and too many are refused in words."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest

import partita as pt
from partita.composition.account import RegionAccount
from partita.ledger.ledger import Ledger
from partita.limits import Limits, using
from partita.region import Domain, Region


def wide(columns: int, unit: pt.Promise, **options: Any) -> pt.Curator:
    names = [f"c{number}" for number in range(columns)]
    table = pt.Table(
        "t",
        source=[{**dict.fromkeys(names, 1), "who": "a"}],
        columns={**{name: pt.integers(0, 9) for name in names}, "who": pt.identifier()},
    )
    return pt.Curator(tables=[table], promises=[unit], **options)


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit", [pt.rows(), pt.replace(), pt.groups(2), pt.users("who", rows=2), pt.windows("c1", width=3)], ids=str
)
def test_sixty_columns_are_kept_apart_under_every_promise(unit):
    curator = wide(60, pt.Promise(unit, pt.Pure(epsilon=1)))
    for number in range(3):
        question = f"SELECT COUNT(*) AS n FROM t WHERE c3 = {number} AND c{number + 5} > 2 AND c{number + 50} < 6"
        curator.ask(question, epsilon="0.1")
    assert curator.spent()[0].fits(pt.Pure(epsilon="0.2001"))
    assert curator.verify().sound


def test_two_thousand_columns_are_kept_apart():
    curator = wide(2000, pt.Promise(pt.rows(), pt.Pure(epsilon=1)))
    for number in range(3):
        question = f"SELECT COUNT(*) AS n FROM t WHERE c3 = {number} AND c{number + 5} > 2 AND c{number + 1950} < 6"
        curator.ask(question, epsilon="0.1")
    assert curator.spent()[0].fits(pt.Pure(epsilon="0.1001"))


def test_more_columns_than_ten_thousand_are_refused():
    domain = Domain({f"c{number}": pt.integers(0, 1) for number in range(10_001)})
    with pytest.raises(pt.InvalidInput) as refusal:
        RegionAccount(domain, pt.Promise(pt.rows(), pt.Pure(epsilon=1)))
    assert refusal.value.code == "region.too-many-columns"


def test_more_columns_than_ten_thousand_are_refused_before_a_source_is_looked_at():
    columns = {f"c{number}": pt.integers(0, 1) for number in range(10_001)}
    table = pt.Table("t", "there is no such file.parquet", columns)
    with pytest.raises(pt.InvalidInput) as refusal:
        pt.Curator(tables=[table], promises=[pt.Promise(pt.rows(), pt.Pure(epsilon=1))], ledger=":memory:")
    assert refusal.value.code == "region.too-many-columns"


@pytest.mark.parametrize("unit", [pt.rows(), pt.replace()], ids=str)
def test_a_region_of_a_million_boxes_is_refused_and_nothing_is_lost(unit):
    domain = Domain({f"c{number}": pt.integers(0, 9) for number in range(60)})
    account = RegionAccount(domain, pt.Promise(unit, pt.Pure(epsilon=1)))
    cost, rest = pt.Pure(epsilon="0.5"), domain.everything[1:]
    one, odd = Region(domain, ((((0, 1),), *rest),)), (1, 3, 5, 7)
    counts = None if unit == pt.rows() else pt.Pure(epsilon=0)
    account.charge(one, cost, counts)
    # Boxes of the same objects, as the refusal comes before any of them is looked at.
    with pytest.raises(pt.InvalidInput) as refusal:
        account.charge(Region(domain, 1_000_000 * (domain.everything,)), cost)
    assert refusal.value.code == "region.too-many-boxes"
    assert account.admits(one, cost, counts)
    places = product((0, *odd), odd, odd, odd, odd, odd)
    many = tuple((*(((code, code + 1),) for code in place), *rest[5:]) for place in places)
    account.charge(Region(domain, many), pt.Pure(epsilon="0.5"), counts)
    assert len(many) > 4096  # booked on the box around them
    inside = Region.box(domain, c0=2, c1=2, c2=2, c3=2, c4=2, c5=2)
    # Elsewhere rows have lost nothing; one that is changed has lost what its other value did.
    assert account.admits(Region.box(domain, c0=8), cost, counts) is (unit == pt.rows())
    with pytest.raises(pt.BudgetExceeded) as refusal:
        account.charge(inside, pt.Pure(epsilon="0.6"), counts)
    with pytest.raises(pt.BudgetExceeded, match="5120 parts of"):
        account.charge(Region(domain, many), pt.Pure(epsilon="0.6"), counts)


def ways(rng: random.Random, parts: int) -> str:
    """Sixty conditions of so many columns each, of forty columns."""
    chosen = (" AND ".join(f"c{axis} = {rng.randrange(9)}" for axis in rng.sample(range(40), parts)) for _ in range(60))
    return f"SELECT COUNT(*) AS n FROM t WHERE {' OR '.join(f'({one})' for one in chosen)}"


def test_sixty_ways_over_forty_columns_are_refused_and_nothing_is_lost():
    """Taken apart into boxes they would be millions."""
    rng, curator = random.Random(3), wide(40, pt.Promise(pt.replace(), pt.Pure(epsilon=1)))
    before = curator.ledger.mark()
    with pytest.raises(pt.QueryRefused) as refusal:
        curator.ask(ways(rng, 3), epsilon="0.1")
    assert refusal.value.code == "query.too-much-work"
    assert curator.ledger.mark() == before
    assert curator.spent()[0].is_zero()
    assert not curator.ask(ways(rng, 40), epsilon="0.1").free


@pytest.mark.parametrize("unit", [pt.rows(), pt.replace()], ids=str)
def test_with_no_work_allowed_questions_are_answered_or_refused_and_all_are_in_the_book(unit):
    rng = random.Random(4)
    with using(Limits(axes=0, numbers=1, looked=0, pair_numbers=0, splits=0, eliminated=0, hot=0, steps=0)):
        curator, answered, codes = wide(8, pt.Promise(unit, pt.Pure(epsilon=1))), 0, set()
        for _ in range(30):
            sides = [f"c{axis} {rng.choice(('< 5', '>= 5'))}" for axis in sorted(rng.sample(range(8), 3))]
            try:
                curator.ask(f"SELECT COUNT(*) AS n FROM t WHERE {' AND '.join(sides)}", epsilon="0.1", reuse=False)
            except pt.BudgetExceeded as refusal:
                codes.add(refusal.code)
            else:
                answered += 1
        found = curator.verify()
    assert found.sound
    assert codes <= {"ledger.not-shown", "ledger.over-budget"}
    assert 0 < answered < 30
    assert found.charges <= answered


def test_an_answer_does_not_wait_for_what_is_left(monkeypatch):
    looked = []
    remaining = Ledger.remaining

    def counted(self, *arguments, **keywords):
        looked.append(arguments)
        return remaining(self, *arguments, **keywords)

    monkeypatch.setattr(Ledger, "remaining", counted)
    curator = wide(3, pt.Promise(pt.rows(), pt.Pure(epsilon=1)))
    answer = curator.ask("SELECT COUNT(*) AS n FROM t WHERE c1 = 1", epsilon="0.1")
    assert not looked
    curator.close()
    assert answer.remaining == (pt.Pure(epsilon="0.9"),)
    assert answer.remaining == (pt.Pure(epsilon="0.9"),)
    assert len(looked) == 1


@pytest.fixture
def tight() -> Iterator[None]:
    """Next to no work is allowed, so that little is shown to fit."""
    with using(Limits(axes=0, numbers=1, grouped=0, splits=1, hot=0, eliminated=0)):
        yield


def refused_at_first(curator: pt.Curator) -> str:
    """Ask until a question is refused that was not shown to be too much."""
    rng = random.Random(1)
    for _ in range(200):
        sides = [f"c{axis} {rng.choice(('< 5', '>= 5'))}" for axis in sorted(rng.sample(range(7), 3))]
        question = f"SELECT COUNT(*) AS n FROM t WHERE {' AND '.join(sides)}"
        try:
            curator.ask(question, epsilon="0.1", reuse=False)
        except pt.BudgetExceeded as refusal:
            if refusal.code == "ledger.not-shown" and "patience=10," in refusal.message:
                return question
    raise AssertionError


def test_a_question_that_was_not_shown_to_fit_may_be_asked_for_with_patience(tight):
    curator = wide(7, pt.Promise(pt.rows(), pt.Pure(epsilon=1)))
    question = refused_at_first(curator)
    offer = curator.quote(question, epsilon="0.1")
    assert not offer.fits
    assert curator.quote(question, epsilon="0.1", patience=200).fits
    # What was shown is kept.
    assert curator.ask(question, epsilon="0.1").cost == pt.Pure(epsilon="0.1")
    assert curator.verify().sound


def test_the_patience_of_a_curator_is_that_of_every_question(tight):
    usual, patient = (wide(7, pt.Promise(pt.rows(), pt.Pure(epsilon=1)), patience=many) for many in (1, 200))
    question = refused_at_first(usual)
    for entry in usual.ledger.entries():
        if entry.kind.name == "RESERVE":
            patient.ask(str(entry.details()["asked"]), epsilon="0.1", reuse=False)
    assert patient.ask(question, epsilon="0.1").cost == pt.Pure(epsilon="0.1")


@pytest.mark.parametrize("patience", [0, -1, "much", 1.5, 10_001, True])
def test_patience_is_a_whole_number_within_reason(patience):
    curator = wide(2, pt.Promise(pt.rows(), pt.Pure(epsilon=1)))
    with pytest.raises(pt.InvalidInput):
        curator.ask("SELECT COUNT(*) AS n FROM t", epsilon="0.1", patience=patience)
    with pytest.raises(pt.InvalidInput):
        wide(2, pt.Promise(pt.rows(), pt.Pure(epsilon=1)), patience=patience)
    assert curator.spent()[0].is_zero()
