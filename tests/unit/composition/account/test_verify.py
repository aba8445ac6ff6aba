"""The independent verifier against every value and every pair, and against tampering."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partita.composition.account import RegionAccount
from partita.composition.account import certificate as certificates
from partita.composition.account.certificate import check
from partita.composition.account.document import LONGEST
from partita.composition.account.load import Load
from partita.composition.account.verify import Item, heaviest_pair, heaviest_value, heaviest_window
from partita.composition.plans.promise import Promise
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
        (
            item.substitution
            if held(item, v) and held(item, w)
            else item.one
            if held(item, v) or held(item, w)
            else Fraction(0)
        )
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


@pytest.mark.parametrize("granularity", [rows(), replace(), windows("x", width=1)])
def test_whatever_is_booked_is_certified(granularity):
    region, price = Region.where("x < 3", DOMAIN), Pure(epsilon="0.1")
    promise = Promise(granularity, Pure(epsilon=1))
    account, other = (RegionAccount(DOMAIN, promise, record=True) for _ in range(2))
    account.load([(region, price, None, 2), (region, price, None)])
    load = Load(region.boxes, *(2 * [account.units.up(account.certificate().charges[0].one)]))
    other.put([(load, 2), (load, 1)])
    for made in (account, other):
        certificate = made.certificate()
        assert [charge.one for charge in certificate.charges] == 3 * [certificate.charges[0].one]
        found = check(certificate.to_json())
        assert found.holds
        assert found.lower == found.upper == made.worst()[0].vector() != (0,)


def test_a_change_between_records_of_equal_values_counts_where_it_costs_something():
    one_value = (((2, 3),),)
    items = [
        Item((one_value,), Fraction(1), Fraction(3), same=Fraction(3)),
        Item(((((0, 5),),),), Fraction(0), Fraction(0)),
    ]
    assert heaviest_pair((5,), items) == (3, 3, ((2,), (2,)))
    assert heaviest_pair((5,), [Item((one_value,), Fraction(1), Fraction(3))])[0] == 1


# --- certificates from outside -------------------------------------------------------------------------------------


def tampered_for(granularity, change):
    document = json.loads(certified(granularity).certificate().to_json())
    change(document)
    return json.dumps(document)


@pytest.mark.parametrize(
    ("granularity", "change", "complaint"),
    [
        # A change-one promise whose heaviest value, and not its heaviest pair, would be looked at.
        (replace(), lambda d: d.update(shape="VALUES"), "not that of its granularity"),
        (rows(), lambda d: d.update(granularity=str(replace())), "not that of its granularity"),
        (rows(), lambda d: d.update(unit={"kind": "replace"}), "not that of its granularity"),
        (windows("x", width=1), lambda d: d.update(width=2), "its windows are not those"),
        (windows("x", width=1), lambda d: d.update(axis=1), "its windows are not those"),
        (rows(), lambda d: d.update(width=0), "its windows are not those"),
        (rows(), lambda d: d.update(axis=-1), "its windows are not those"),
        (rows(), lambda d: d.update(measure="pure"), "the budget is none of its measure"),
        (rows(), lambda d: d.update(budget=[]), "the budget is none of its measure"),
        (rows(), lambda d: d.update(budget=["0", "0"]), "the budget is none of its measure"),
        (rows(), lambda d: d.update(budget=["1", "-1"]), "the budget is none of its measure"),
        (rows(), lambda d: d.update(upper=["1"]), "the claimed losses have other coordinates"),
        (rows(), lambda d: d.update(lower=["0", "0", "0"]), "the claimed losses have other coordinates"),
        (rows(), lambda d: d.update(lower=["0", "1"]), "a larger one is claimed"),
        (replace(), lambda d: d["charges"][0].pop("both"), "other costs than its granularity asks for"),
        (rows(), lambda d: d["charges"][0].update(both=["0", "0"]), "other costs than its granularity asks for"),
        (rows(), lambda d: d["charges"][0].update(same=["0", "0"]), "other costs than its granularity asks for"),
        (rows(), lambda d: d["charges"][0].update(region=[]), "no region"),
        (rows(), lambda d: d["charges"][0].update(region=[[[], [[0, 1]]]]), "outside the domain"),
        (rows(), lambda d: d["charges"][0].update(one=["1e4000", "0"]), "the loss may be 1E+4000, above the budget"),
        (rows(), lambda d: d.update(witness=[[0]]), "the witness is outside the domain"),
        (rows(), lambda d: d.update(witness=[[0, 2]]), "the witness is outside the domain"),
    ],
)
def test_every_part_of_a_certificate_is_held_against_its_domain_and_granularity(granularity, change, complaint):
    assert check(tampered_for(granularity, lambda d: None)).holds
    found = check(tampered_for(granularity, change))
    assert any(complaint in line for line in found.complaints), found


@pytest.mark.parametrize(
    "change",
    [
        lambda d: d.update(budget=["1e3000000", "0"]),
        lambda d: d.update(budget=[1, 0]),
        lambda d: d.update(budget="1"),
        lambda d: d.update(upper=["9" * 5000, "0"]),
        lambda d: d.update(lower=["1/0", "0"]),
        lambda d: d.update(upper=["1/" + "7" * 3000, "1/" + "3" * 3001]),
        lambda d: d.update(width=1.0),
        lambda d: d.update(axis=True),
        lambda d: d.update(unit={"kind": "rows", "more": 1}),
        lambda d: d.update(unit={"kind": "windows", "column": "c", "width": 2}),
        lambda d: d.update(unit={"kind": "windows", "column": "nowhere", "width": 2}),
        lambda d: d.update(unit={"kind": "windows", "column": "x", "width": 10**7}),
        lambda d: d.update(unit=3),
        lambda d: d.pop("unit"),
        lambda d: d.update(measure=["zcdp"]),
        lambda d: d.update(measure="profile"),
        lambda d: d.update(domain=[]),
        lambda d: d["domain"].update(columns=[["x", 3]]),
        lambda d: d.update(charges={}),
        lambda d: d.update(charges=[3]),
        lambda d: d["charges"][0].update(region=[[[[0, 1.5]], [[0, 1]]]]),
        lambda d: d["charges"][0].update(region=[[[[0, "1"]], [[0, 1]]]]),
        lambda d: d.update(witness=[[float("inf"), 0]]),
        lambda d: d.update(witness=[["0", "0"]]),
    ],
)
def test_a_malformed_certificate_is_refused_in_our_words(change):
    with pytest.raises(InvalidInput, match="The certificate cannot be read") as refusal:
        check(tampered(change))
    assert refusal.value.code == "region.bad-certificate"


@pytest.mark.parametrize("text", ["[" * 100_000, "9" * 5000, "#" * (LONGEST + 1), None, b"{}"])
def test_a_text_that_is_no_document_is_refused(text):
    with pytest.raises(InvalidInput, match="The certificate cannot be read"):
        check(text)


@pytest.mark.parametrize(
    ("granularity", "size", "charges", "boxes"),
    [(windows("x", width=10**6), 9, 0, 0), (windows("x", width=2), 10**6, 60, 1), (replace(), 10**6, 2, 300)],
)
def test_what_takes_too_long_to_check_is_not_believed_and_not_worked_on(granularity, size, charges, boxes, monkeypatch):
    def far_too_long(*_, **__):
        raise AssertionError

    for name in ("heaviest_value", "heaviest_pair", "heaviest_window"):
        monkeypatch.setattr(certificates, name, far_too_long)
    domain = Domain({"x": integers(0, size - 1, missing=0)})
    region = [[[[2 * place, 2 * place + 1]]] for place in range(boxes)]
    charge = {"region": region, "one": ["0"], "both": ["0"] if granularity == replace() else None}
    document = json.loads(
        RegionAccount(domain, Promise(granularity, Pure(epsilon=1)), record=True).certificate().to_json()
    )
    found = check(json.dumps(document | {"charges": charges * [charge]}))
    assert found.complaints == ("it could not be shown, within the work allowed, that the promise is kept",)


def test_branches_are_fewer_where_each_takes_longer(monkeypatch):
    seen = []
    genuine = heaviest_value
    monkeypatch.setattr(
        certificates,
        "heaviest_value",
        lambda sizes, items, nodes: (seen.append(nodes), genuine(sizes, items, nodes))[1],
    )
    text = tampered(lambda d: d["charges"].extend(100 * [d["charges"][0] | {"one": ["0", "1/" + "3" * 1500]}]))
    check(text)
    check(tampered(lambda d: None))
    assert max(seen[:2]) <= 100
    assert seen[2:] == 2 * [200_000]
