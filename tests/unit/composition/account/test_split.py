"""A split in a certificate bounds every load, whatever made it, and what is no split is a complaint."""

from __future__ import annotations

import json
import random
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from partita.composition.account import RegionAccount
from partita.composition.account import split as splitting
from partita.composition.account.certificate import Check, check
from partita.composition.plans.promise import Promise
from partita.granularity import replace, rows
from partita.limits import Limits
from partita.region import Domain, Region, integers
from partita.theory.measures.pure import Pure


def booked(seed: int, most: int, unit: Any = rows()) -> tuple[RegionAccount, int]:  # noqa: B008
    """An account of a few columns that counts them as many, and the heaviest load by plain counting, in tenths."""
    rng = random.Random(f"split {seed}")
    domain = Domain({f"c{axis}": integers(0, rng.choice((1, 2)), missing=0) for axis in range(5)})
    limits = Limits(axes=0, numbers=1, grouped=most * 2, splits=most)
    account = RegionAccount(domain, Promise(unit, Pure(epsilon=100)), record=True, limits=limits)
    regions = []
    for _ in range(12):
        box = [((0, size),) for size in domain.shape]
        for axis in rng.sample(range(5), rng.choice((0, 1, 2, 3))):
            low = rng.randrange(domain.shape[axis])
            box[axis] = ((low, low + 1),)
        where, times = Region(domain, (tuple(box),)), rng.randint(1, 3)
        account.charge(where, Pure(epsilon=f"0.{times}"))
        regions.append((where, times))
    values = product(*map(range, domain.shape))
    return account, max(sum(times for where, times in regions if where.holds(value)) for value in values)


def shown(account: RegionAccount) -> tuple[dict[str, Any], Check]:
    document = json.loads(account.certificate().to_json())
    return document, check(json.dumps(document), nodes=0)


def too_low(seeds: int) -> bool:
    """Whether some split bounds the heaviest load by less than it is."""
    found = [(booked(seed, most), most) for seed in range(seeds) for most in (0, 1, 2)]
    return any(10 * shown(account)[1].upper[0] < truth for (account, truth), _ in found)


def test_a_split_bounds_every_load_and_better_than_the_sum():
    assert not too_low(8)
    account, _ = booked(1, 2)
    document, found = shown(account)
    assert found.holds
    assert found.upper[0] < sum(charge.one[0] for charge in account.certificate().charges)
    assert document["split"]["groups"]


def test_a_split_that_gives_less_than_the_charge_is_found(monkeypatch):
    monkeypatch.setattr(splitting, "UNIT", 2 * splitting.UNIT)
    monkeypatch.setattr(splitting.Split, "amiss", lambda *_: None)
    assert too_low(8)


def test_a_group_that_is_left_out_is_found(monkeypatch):
    heaviest, calls = splitting.heaviest_value, iter(range(10**6))
    nothing = (Fraction(0), Fraction(0), ())
    monkeypatch.setattr(splitting, "heaviest_value", lambda *given: heaviest(*given) if next(calls) % 2 else nothing)
    assert too_low(8)


@pytest.mark.parametrize(
    "altered",
    [
        lambda split: split["shares"][0][0][0].__setitem__(1, 1),
        lambda split: split["shares"][0].pop(),
        lambda split: split["groups"][0].append(99),
        lambda split: split["groups"].__setitem__(0, []),
        lambda split: split["shares"][0][0].append([0, -5]),
        lambda split: split["shares"][0][0].append([77, 5]),
        lambda split: split["shares"].append([]),
    ],
)
def test_what_is_no_split_is_a_complaint(altered):
    document, _ = shown(booked(1, 1)[0])
    altered(document["split"])
    assert not check(json.dumps(document)).holds


def test_a_split_is_not_believed_for_pairs():
    document, _ = shown(booked(1, 1)[0])
    pairs, _ = shown(booked(1, 1, replace())[0])
    pairs["split"] = document["split"]
    assert "the promise is about others" in check(json.dumps(pairs)).complaints[0]
