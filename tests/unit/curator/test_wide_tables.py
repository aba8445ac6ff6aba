"""A table may be wide: columns that nobody asks about cost nothing, and too many are refused in words."""

from __future__ import annotations

import pytest

import partita as pt
from partita.composition.account import RegionAccount
from partita.ledger.ledger import Ledger
from partita.region import Domain


def wide(columns: int, unit: pt.Promise) -> pt.Curator:
    names = [f"c{number}" for number in range(columns)]
    table = pt.Table(
        "t",
        source=[{**dict.fromkeys(names, 1), "who": "a"}],
        columns={**{name: pt.integers(0, 9) for name in names}, "who": pt.identifier()},
    )
    return pt.Curator(tables=[table], promises=[unit])


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
