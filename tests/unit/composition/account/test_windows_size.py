"""Windows over very many steps: refused at once, or decided and shrunk in few turns."""

from __future__ import annotations

import pytest

from partita.composition.account import RegionAccount
from partita.composition.account.engine import SHOWN, Engine
from partita.composition.account.loads.windows import MOST_STEPS, Steps
from partita.composition.plans.promise import Promise
from partita.errors import InvalidInput
from partita.granularity import windows
from partita.limits import Limits
from partita.region import Domain, Region, integers
from partita.theory.measures.pure import Pure


def test_more_steps_than_are_kept_are_refused_when_an_account_is_made():
    domain = Domain({"second": integers(0, 2**45, missing=0)})
    with pytest.raises(InvalidInput, match="second has 35,184,372,088,833 steps") as refused:
        RegionAccount(domain, Promise(windows("second", width=7), Pure(epsilon=1)))
    assert refused.value.code == "region.too-many-steps"
    most = Domain({"second": integers(0, MOST_STEPS - 1, missing=0)})
    assert Steps.of(most, windows("second", width=7)).count == MOST_STEPS


def test_of_a_wide_window_the_first_steps_alone_are_listed():
    steps = Steps(0, 1_000_000, 300_000, 0)
    assert steps.codes(999_999 + 5, SHOWN) == list(range(5, 5 + SHOWN))
    assert Steps(0, 3, 10, 0).codes(0, SHOWN) == [0, 0, 0]


@pytest.mark.parametrize("looked", [0, 1, 2, 100, 1 << 23])
def test_windows_that_cannot_pay_are_taken_out_in_few_turns_where_steps_are_many(looked, monkeypatch):
    turns = []
    decide = Engine.decide
    monkeypatch.setattr(Engine, "decide", lambda self, load: turns.append(load) or decide(self, load))
    domain = Domain({"day": integers(0, 39, missing=0)})
    account = RegionAccount(domain, Promise(windows("day", width=3), Pure(epsilon=1)), limits=Limits(looked=looked))
    for day in (5, 15, 25):
        account.charge(Region.where(f"day = {day}", domain), Pure(epsilon="0.95"))
    asked, cost = Region.where("day BETWEEN 2 AND 30", domain), Pure(epsilon="0.1")
    turns.clear()
    kept = account.payable(asked, cost)
    assert len(turns) <= 3 + looked // 46
    assert account.admits(kept, cost)
    assert kept.empty or looked > 2
