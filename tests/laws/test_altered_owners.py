"""Altered owners: what all releases together lose between any rows before and any rows after is no more than is booked.

Every owner of a small domain is tried against every other. Releases are sums over rows, whose loss in ρ is the square
of how far they move, or a number that is 1 if the owner has a row in the region.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partita.composition.account import RegionAccount
from partita.composition.account import booking as module
from partita.composition.plans.promise import Promise
from partita.granularity import groups, users
from partita.region import Domain, Region, categories, integers
from partita.theory.measures.pure import Pure
from partita.theory.measures.zcdp import ZCDP

FREE = Domain({"x": integers(0, 2, missing=0), "y": integers(0, 1, missing=0)})
FIXED = Domain({"x": integers(0, 2, missing=0), "c": categories("a", "b", other="b", missing="a", constant=True)})
Point = tuple[int, ...]
Owner = tuple[Point, ...]
WHERE = {
    FREE: ("x >= 0", "x = 0", "x > 0", "y = 1", "x = 2 AND y = 0"),
    FIXED: ("x >= 0", "x = 1", "c = 'a'", "c = 'b'", "c = 'b' AND x < 2"),
}


def owners(domain: Domain, most: int, within: int, asked: Sequence[Region]) -> list[Owner]:
    points = list(product(*map(range, domain.shape)))
    found = [rows for count in range(most + 1) for rows in combinations_with_replacement(points, count)]
    constant = domain.constant
    return [
        rows
        for rows in found
        if len({tuple(point[axis] for axis in constant) for point in rows}) <= 1
        and all(sum(region.holds(point) for point in rows) <= within for region in asked)
    ]


def linear(region: Region, low: int, high: int) -> Callable[[Owner], int]:
    """The sum of low for the first column's 0, and of high for all others, over the rows of the region."""
    return lambda rows: sum((low if point[0] == 0 else high) for point in rows if region.holds(point))


def touched(region: Region) -> Callable[[Owner], int]:
    return lambda rows: int(any(region.holds(point) for point in rows))


def loss(kind: str, far: int) -> Fraction:
    return Fraction(abs(far)) if kind == "pure" else Fraction(far * far)


releases = st.lists(
    st.tuples(st.integers(0, 4), st.sampled_from([(1, 1), (0, 2), (-1, 1), (-2, 1), None])), min_size=1, max_size=4
)


Asked = list[tuple[Region, Callable[[Owner], int]]]
Chosen = list[tuple[int, tuple[int, int] | None]]


def booked(domain: Domain, chosen: Chosen, kind: str, most: int, within: int) -> tuple[RegionAccount, Asked]:
    measure = {"pure": lambda x: Pure(epsilon=x), "zcdp": lambda x: ZCDP(rho=x)}[kind]
    unit = users("who", rows=most, in_region=within, altered=True)
    account = RegionAccount(domain, Promise(unit, measure(10**6)))
    asked: Asked = []
    for place, ends in chosen:
        region = Region.where(WHERE[domain][place], domain)
        if ends is None:
            asked.append((region, touched(region)))
            account.charge(region, measure(1), unit=measure(1), altered=measure(1))
            continue
        low, high = ends
        row, width = max(abs(low), abs(high)), max(high, 0) - min(low, 0)
        asked.append((region, linear(region, low, high)))
        account.charge(region, measure(loss(kind, row)), altered=measure(loss(kind, within * width)))
    return account, asked


@pytest.mark.parametrize("domain", [FREE, FIXED], ids=["free", "constant"])
@settings(max_examples=20, deadline=None)
@given(releases, st.sampled_from(["pure", "zcdp"]), st.sampled_from([(1, 1), (2, 2), (2, 1)]))
def test_no_alteration_loses_more_than_is_booked(domain, chosen, kind, caps):
    account, asked = booked(domain, chosen, kind, *caps)
    held = owners(domain, *caps, [region for region, _ in asked])
    seen = {rows: tuple(read(rows) for _, read in asked) for rows in held}
    distinct = set(seen.values())
    true = max(
        sum((loss(kind, old - new) for old, new in zip(before, after, strict=True)), Fraction(0))
        for before, after in product(distinct, distinct)
    )
    assert true <= account.bracket()[1].vector()[0]


def test_an_alteration_is_booked_once_where_everybody_is_met() -> None:
    everybody, some = Region.everything(FREE), Region.where("x = 0", FREE)
    account = RegionAccount(FREE, Promise(users("who", rows=2, altered=True), ZCDP(rho=100)))
    account.charge(everybody, ZCDP(rho=1), unit=ZCDP(rho=1), altered=ZCDP(rho=1))
    assert account.worst()[0] == ZCDP(rho=1)
    account.charge(some, ZCDP(rho=1), altered=ZCDP(rho=4))
    assert account.worst()[0] == ZCDP(rho=9)


def test_books_from_before_alterations_had_a_cost_are_as_dear_as_they_were() -> None:
    for region, told in product((Region.everything(FIXED), Region.where("c = 'a'", FIXED)), (None, ZCDP(rho=3))):
        account = RegionAccount(FIXED, Promise(users("who", rows=2, altered=True), ZCDP(rho=100)))
        account.charge(region, ZCDP(rho=1), unit=told)
        assert account.worst()[0] == ZCDP(rho=16 if told is None else 12)


def test_groups_of_altered_owners_are_chains_of_the_dearer_step() -> None:
    from partita.theory.measures.approximate import Approximate

    some = Region.where("c = 'a'", FIXED)
    unit = groups(2, users("who", rows=1, altered=True))
    told = module.Release.of(
        some,
        Approximate(epsilon=1, delta="0.001"),
        unit=Approximate(epsilon=1, delta="0.001"),
        altered=Approximate(epsilon=2, delta="0.0001"),
    )
    (epsilon, delta) = module.booked(unit, told).one
    assert epsilon == 8
    assert delta >= 2 * Fraction("0.001") * 8


@pytest.mark.parametrize(
    ("domain", "chosen", "caps"),
    [
        (FIXED, [(2, (1, 1)), (3, (1, 1))], (2, 2)),
        (FREE, [(1, (1, 1)), (2, (1, 1))], (2, 2)),
        (FIXED, [(2, None), (3, None)], (2, 2)),
    ],
)
def test_the_law_notices_an_owner_who_pays_on_one_side_only(monkeypatch, domain, chosen, caps):
    """Break it on purpose: before in one region, afterwards in the other; half of either is not enough."""
    real = module._altered

    def halved(*given):
        made = real(*given)
        return module.Booking(made.region, tuple(part / 2 for part in made.one))

    check = test_no_alteration_loses_more_than_is_booked.hypothesis.inner_test
    check(domain, chosen, "zcdp", caps)
    monkeypatch.setattr(module, "_altered", halved)
    with pytest.raises(AssertionError):
        check(domain, chosen, "zcdp", caps)
