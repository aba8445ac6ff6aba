"""The independent verifier against every value and every pair, and against tampering."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partita.composition.account import RegionAccount
from partita.composition.account.certificate import check
from partita.composition.account.verify import Item, heaviest_pair, heaviest_value, heaviest_window
from partita.composition.promise import Promise
from partita.errors import InvalidInput
from partita.granularity import replace, rows, windows
from partita.region import Domain, Region, categories, integers
from partita.region import box as boxes_of
from partita.region import codes as codes_of
from partita.theory.measures.pure import Pure
from partita.theory.measures.zcdp import ZCDP


@st.composite
def lists_of_items(draw: st.DrawFn):
    shape = tuple(draw(st.lists(st.integers(1, 4), min_size=1, max_size=3)))
    box = st.tuples(*(st.sets(st.integers(0, size - 1), min_size=1).map(codes_of.of) for size in shape))
    amount = st.integers(0, 9).map(lambda part: Fraction(part, 7))
    item = st.builds(
        lambda boxes, one, both: Item(tuple(boxes_of.disjoint(boxes)), one, both),
        st.lists(box, min_size=1, max_size=2),
        amount,
        amount,
    )
    return shape, draw(st.lists(item, max_size=5))


def held(item, point):
    return any(all(codes_of.holds(a, c) for a, c in zip(box, point, strict=True)) for box in item.boxes)


def pair_cost(items, v, w):
    return sum(
        (item.both if held(item, v) and held(item, w) else item.one if held(item, v) or held(item, w) else Fraction(0))
        for item in items
    )


@settings(max_examples=150)
@given(lists_of_items(), st.sampled_from([0, 1, 3, 10**6]))
def test_the_heaviest_value_is_found_or_bracketed(given_, nodes):
    shape, items = given_
    points = list(product(*(range(size) for size in shape)))
    truth = max(sum((item.one for item in items if held(item, p)), Fraction(0)) for p in points)
    lower, upper, witness = heaviest_value(shape, items, nodes)
    assert lower <= truth <= upper
    if nodes > 10:
        assert lower == truth == upper
    if witness:
        assert sum((item.one for item in items if held(item, witness)), Fraction(0)) == lower


@settings(max_examples=150)
@given(lists_of_items(), st.sampled_from([0, 1, 3, 10**6]))
def test_the_heaviest_pair_is_found_or_bracketed(given_, nodes):
    shape, items = given_
    points = list(product(*(range(size) for size in shape)))
    truth = max((pair_cost(items, v, w) for v in points for w in points if v != w), default=Fraction(0))
    lower, upper, witness = heaviest_pair(shape, items, nodes)
    assert lower <= truth <= upper
    if nodes > 10:
        assert lower == truth == upper
    if witness[0]:
        assert witness[0] != witness[1]
        assert pair_cost(items, *witness) == lower


@settings(max_examples=60)
@given(lists_of_items(), st.integers(1, 3))
def test_the_heaviest_window_sums_the_heaviest_value_of_each_step(given_, width):
    shape, items = given_
    points = list(product(*(range(size) for size in shape)))
    steps = [
        max(sum((item.one for item in items if held(item, p)), Fraction(0)) for p in points if p[0] == step)
        for step in range(shape[0])
    ]
    truth = max(sum(steps[first : first + width], Fraction(0)) for first in range(max(1, shape[0] - width + 1)))
    assert heaviest_window(shape, items, 0, width)[:2] == (truth, truth)


DOMAIN = Domain({"x": integers(0, 5, missing=0), "c": categories("a", "b", missing="a", other="b")})


def certified(granularity=None):
    account = RegionAccount(DOMAIN, Promise(granularity or rows(), ZCDP(rho=1, delta="0.1")), record=True)
    both = ZCDP(rho="0.2")
    account.charge(Region.where("x < 3 OR c = 'a'", DOMAIN), ZCDP(rho="0.3", delta="0.01"), both)
    account.charge(Region.where("x > 1", DOMAIN), ZCDP(rho="0.4"), both)
    return account


@pytest.mark.parametrize("granularity", [rows(), replace(), windows("x", width=1)])
def test_a_certificate_is_believed_when_the_charges_bear_it_out(granularity):
    account = certified(granularity)
    found = check(account.certificate().to_json())
    assert found.holds
    assert found.lower == found.upper == account.worst()[0].vector()


def tampered(change):
    document = json.loads(certified().certificate().to_json())
    change(document)
    return json.dumps(document)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda d: d["charges"][0].update(one=["-1", "0"]), "negative cost"),
        (lambda d: d["charges"][0].update(one=["1"]), "other coordinates"),
        (lambda d: d["charges"][0].update(one=["9", "0"]), "above the budget"),
        (lambda d: d["charges"][0]["region"].append(d["charges"][0]["region"][0]), "overlapping boxes"),
        (lambda d: d["charges"][0].update(region=[[[[0, 99]], [[0, 2]]]]), "outside the domain"),
        (lambda d: d["charges"][0].update(region=[[[[0, 1]]]]), "outside the domain"),
        (lambda d: d.update(upper=["0.1", "0"]), "above the claimed bound"),
        (lambda d: d.update(lower=["1", "0"]), "the witness bears less"),
        (lambda d: d.update(digest="0" * 64), "does not match its fingerprint"),
    ],
)
def test_a_certificate_that_was_tampered_with_is_not_believed(change, complaint):
    found = check(tampered(change))
    assert not found.holds
    assert any(complaint in line for line in found.complaints)


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", tampered(lambda d: d.update(version=9)), tampered(lambda d: d.update(budget=["x"])),
     tampered(lambda d: d.update(shape="CIRCLES")), tampered(lambda d: d["domain"].update(columns=[]))],
)  # fmt: skip
def test_what_is_no_certificate_is_refused(text):
    with pytest.raises(InvalidInput):
        check(text)


def test_an_account_that_keeps_no_list_cannot_certify():
    with pytest.raises(InvalidInput) as refusal:
        RegionAccount(DOMAIN, Promise(rows(), Pure(epsilon=1))).certificate()
    assert refusal.value.code == "region.not-recorded"


def test_a_change_between_records_of_equal_values_counts_where_it_costs_something():
    one_value = (((2, 3),),)
    items = [
        Item((one_value,), Fraction(1), Fraction(3), same=Fraction(3)),
        Item(((((0, 5),),),), Fraction(0), Fraction(0)),
    ]
    assert heaviest_pair((5,), items) == (3, 3, ((2,), (2,)))
    assert heaviest_pair((5,), [Item((one_value,), Fraction(1), Fraction(3))])[0] == 1
