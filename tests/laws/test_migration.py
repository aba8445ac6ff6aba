"""After a migration every load is the load of the old value that a new one tells, counted one by one (theory I12)."""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
from fractions import Fraction
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partita.composition.plans.promise import Promise
from partita.errors import BudgetExceeded, LedgerFault
from partita.granularity import groups, persons, replace, rows, users, windows
from partita.ledger.birth import Terms
from partita.ledger.charge import Charge
from partita.ledger.declarations import Eras
from partita.ledger.payer import RegionPayer
from partita.ledger.reports.certificates import certificate, check_certificate
from partita.ledger.reports.history import history
from partita.region import Domain, Region, categories, identifier, integers, text_keys
from partita.region.refinement import Refinement
from partita.theory.cost import Cost
from partita.theory.measures.pure import Pure
from partita.theory.measures.zcdp import ZCDP
from tests.unit.ledger.plain import ask, opened

SCHEMAS = [
    Domain({"a": integers(0, 2, missing=1), "b": categories("x", "y")}),
    Domain({"b": categories("y", "z", "x"), "a": integers(-1, 3, missing=1)}),
    Domain(
        {"a": integers(-1, 4), "c": integers(0, 1, missing=0), "b": categories("x", "y", "z", "w"), "t": text_keys()}
    ),
]
PROMISES = [Promise(rows(), Pure(epsilon=1)), Promise(groups(2), ZCDP(rho=4))]


def terms(domain, promises=PROMISES):
    return Terms(promises, {"visits": domain})


def charge(place, boxes, epsilon, domain, promises=PROMISES, analyst=""):
    costs = tuple(
        Cost(ZCDP(rho=epsilon) if isinstance(one.budget, ZCDP) else Pure(epsilon=epsilon)) for one in promises
    )
    return Charge(
        table="visits",
        region=Region.of(domain, boxes),
        costs=costs,
        mechanism={},
        question=hashlib.sha256(str(place).encode()).hexdigest(),
        analyst=analyst,
    )


def values(domain):
    return list(itertools.product(*(range(size) for size in domain.shape)))


@cache
def mapped(domain, newest):
    return Refinement.of(domain, newest)


def told(record, newest, domain):
    return record if newest == domain else mapped(domain, newest).codes(record)


def heaviest(booked, newest):
    """The largest sum of charges that hold the value told by a new one, over every new value."""
    return max(
        sum((cost for domain, region, cost in booked if region.holds(told(value, newest, domain))), Fraction(0))
        for value in values(newest)
    )


@st.composite
def courses(draw):
    """Charges and migrations in any order."""
    steps = []
    era = 0
    for _ in range(draw(st.integers(2, 8))):
        if era < len(SCHEMAS) - 1 and draw(st.integers(0, 3)) == 0:
            era += draw(st.integers(1, len(SCHEMAS) - 1 - era))
            steps.append(("migrate", era))
            continue
        boxes = []
        for _ in range(draw(st.integers(1, 2))):
            ends = [sorted(draw(st.tuples(st.integers(0, size), st.integers(0, size)))) for size in SCHEMAS[era].shape]
            boxes.append(
                tuple(
                    ((low, max(high, low + 1)),) if low < size else ((size - 1, size),)
                    for (low, high), size in zip(ends, SCHEMAS[era].shape, strict=True)
                )
            )
        steps.append(
            ("charge", boxes, draw(st.sampled_from(["0.1", "0.25", "0.4"])), draw(st.sampled_from(["", "ada"])))
        )
    return steps


@settings(max_examples=20, deadline=None)
@given(course=courses(), every=st.sampled_from([1, 3, 100]))
def test_an_account_after_migrations_is_the_brute_force_over_the_values_told(tmp_path_factory, course, every):
    path = tmp_path_factory.mktemp("book") / "v.ledger"
    era, booked = 0, []
    ledger = opened(path, terms(SCHEMAS[0]), make=RegionPayer, checkpoint_every=every)
    ledger.open_account("ada", (Pure(epsilon="0.6"), None))
    for place, step in enumerate(course):
        if step[0] == "migrate":
            era = step[1]
            assert all(one.refines for one in ledger.migrate(terms(SCHEMAS[era])))
            continue
        _, boxes, epsilon, analyst = step
        asked, cost = charge(place, boxes, epsilon, SCHEMAS[era], analyst=analyst), Fraction(epsilon)
        more = [*booked, (SCHEMAS[era], asked.region, cost, analyst)]
        fits = all(
            heaviest([one[:3] for one in more if who in ("", one[3])], SCHEMAS[era]) <= most
            for who, most in (("", 1), ("ada", Fraction(6, 10)))
            if who in ("", analyst)
        )
        try:
            ask(ledger, asked)
        except BudgetExceeded:
            assert not fits
        else:
            assert fits
            booked = more
    loads = heaviest([one[:3] for one in booked], SCHEMAS[era])
    for _ in range(2):
        rounded = [float(loss.vector()[0]) for loss in ledger.spent()]
        assert rounded == pytest.approx([loads, 4 * loads])
        own = heaviest([one[:3] for one in booked if one[3] == "ada"], SCHEMAS[era])
        assert float(ledger.spent("ada")[0].vector()[0]) == pytest.approx(float(own))
        for value in values(SCHEMAS[era])[:: 7 if era == 2 else 1]:
            here = sum(
                (cost for domain, region, cost, _ in booked if region.holds(told(value, SCHEMAS[era], domain))),
                Fraction(0),
            )
            point = Region(SCHEMAS[era], (tuple(((code, code + 1),) for code in value),))
            assert float(ledger.remaining("visits", point)[0].vector()[0]) == pytest.approx(float(1 - here))
        found = ledger.verify()
        assert found.problems == ()
        assert found.unproven == ()
        assert check_certificate(certificate(ledger)).holds
        assert [float(x.vector()[0]) for x in history(ledger)[-1].spent] == pytest.approx(rounded)
        ledger.close()
        ledger = opened(path, terms(SCHEMAS[era]), make=RegionPayer, checkpoint_every=every)
    ledger.close()


def test_a_charge_that_is_not_taken_as_its_preimage_is_found(monkeypatch):
    monkeypatch.setattr(Eras, "_lift", lambda self, era, table, text: Widened(self, era, table))
    with pytest.raises(AssertionError):
        test_an_account_after_migrations_is_the_brute_force_over_the_values_told.hypothesis.inner_test(
            Folder(),
            [
                ("charge", [(((2, 3),), ((0, 4),))], "0.4", ""),
                ("migrate", 1),
                ("charge", [(((0, 5),), ((4, 5),))], "0.4", ""),
                ("charge", [(((0, 5),), ((4, 5),))], "0.4", ""),
            ],
            100,
        )


class Widened:
    """Reads an old region again by its words: a = 2 stays a = 2, and what was clamped to it is forgotten."""

    def __init__(self, eras, era, table):
        self.old, self.new = eras._terms[era].tables[table], eras.current.tables[table]

    def region(self, region):
        return Region.where(region.to_sql(), self.new)


class Folder:
    def mktemp(self, name):
        import pathlib
        import tempfile

        return pathlib.Path(tempfile.mkdtemp())


PAIRED = [Promise(replace(), Pure(epsilon=3))]


def paired(first, second):
    """The heaviest pair of new values: one inside, both inside, or records of equal values."""
    return max(
        sum((_pair(v, w, newest, domain, region, cost) for domain, region, cost, newest in second), Fraction(0))
        for v, w in itertools.product(first, first)
    )


def _pair(v, w, newest, domain, region, cost):
    inside = region.holds(told(v, newest, domain)) + region.holds(told(w, newest, domain))
    if inside == 2 and v == w and domain.closed:
        return Fraction(0)
    return cost * inside


@settings(max_examples=5, deadline=None)
@given(low=st.integers(0, 2), epsilon=st.sampled_from(["0.4", "0.9"]), later=st.sampled_from(["0.1", "0.5"]))
def test_pairs_are_counted_among_the_new_values(low, epsilon, later):
    old, new = SCHEMAS[0], SCHEMAS[2]
    ledger = opened(":memory:", terms(old, PAIRED), make=RegionPayer)
    first = charge(1, [(((low, low + 1),), ((0, 4),))], epsilon, old, PAIRED)
    ask(ledger, first)
    ledger.migrate(terms(new, PAIRED))
    second = charge(2, [(((0, 7),), ((0, 1),), ((0, 6),))], later, new, PAIRED)
    ask(ledger, second)
    booked = [(old, first.region, Fraction(epsilon), new), (new, second.region, Fraction(later), new)]
    (lost,) = ledger.spent()
    assert float(lost.vector()[0]) == pytest.approx(float(paired(values(new), booked)))
    assert ledger.verify().problems == ()
    ledger.close()


def test_a_migration_without_room_for_new_pairs_is_refused_and_changes_nothing():
    old = Domain({"a": integers(0, 2, missing=1)})
    ledger = opened(":memory:", terms(old, PAIRED), make=RegionPayer)
    ask(ledger, charge(1, [(((2, 3),),)], "3", old, PAIRED))
    before = ledger.mark()
    with pytest.raises(LedgerFault, match="counts pairs of values"):
        ledger.migrate(terms(Domain({"a": integers(0, 3, missing=1)}), PAIRED))
    assert ledger.mark() == before
    assert ledger.terms == terms(old, PAIRED)
    ledger.close()


def test_windows_go_on_along_a_column_that_stays():
    watched = [Promise(windows("day", width=2), Pure(epsilon=1))]
    old = Domain({"day": integers(0, 5), "a": integers(0, 2)})
    new = Domain({"day": integers(0, 5), "a": integers(0, 4), "c": integers(0, 1)})
    ledger = opened(":memory:", terms(old, watched), make=RegionPayer)
    ask(ledger, charge(1, [(((1, 2),), ((0, 4),))], "0.5", old, watched))
    ledger.migrate(terms(new, watched))
    ask(ledger, charge(2, [(((2, 3),), ((0, 6),), ((0, 3),))], "0.5", new, watched))
    assert [str(lost) for lost in ledger.spent()] == ["ε = 1"]
    with pytest.raises(BudgetExceeded):
        ask(ledger, charge(3, [(((2, 3),), ((0, 1),), ((0, 1),))], "0.1", new, watched))
    assert ledger.verify().problems == ()
    with pytest.raises(LedgerFault, match="is about this column"):
        ledger.migrate(terms(Domain({**new.columns, "day": integers(0, 9)}), watched))
    ledger.close()


def test_tables_of_people_stay_as_they_are_declared():
    people = [Promise(persons("who", rows={"orders": 2}), Pure(epsilon=1))]
    wide, orders = Domain({"orders.a": integers(0, 2)}), Domain({"who": identifier(), "a": integers(0, 2)})
    more = Domain({**orders.columns, "t": text_keys()})
    ledger = opened(":memory:", Terms(people, {"who": wide}, {"orders": orders}), make=RegionPayer)
    for tables in ({"orders": more}, {"orders": orders, "lines": more}):
        with pytest.raises(LedgerFault, match="other rows would be kept"):
            ledger.migrate(Terms(people, {"who": wide}, tables))
    ledger.close()


@pytest.mark.parametrize(
    "promises",
    [
        [Promise(users("who", rows=2), Pure(epsilon=1))],
        [Promise(rows(), Pure(epsilon=1)), Promise(groups(2, of=users("who", rows=2)), Pure(epsilon=4))],
    ],
)
def test_the_rows_of_owners_are_chosen_once_so_their_columns_stay(promises):
    old = Domain({"who": identifier(), "a": integers(0, 2)})
    ledger = opened(":memory:", terms(old, promises), make=RegionPayer)
    with pytest.raises(LedgerFault, match="other rows would be kept"):
        ledger.migrate(terms(Domain({**old.columns, "b": integers(0, 1)}), promises))
    ledger.close()


OWNED = [Promise(users("who", rows=10), Pure(epsilon=1))]


def sealed_ages(high):
    """Two questions, each about one age and booked ten times there; then the rows are sealed."""
    domain = Domain({"who": identifier(), "age": integers(0, high, missing=0)})
    ledger = opened(":memory:", terms(domain, OWNED), make=RegionPayer)
    for place, age in enumerate((high, 50)):
        asked = charge(place, [(((age, age + 1),),)], "0.1", domain, OWNED)
        ask(ledger, dataclasses.replace(asked, costs=(Cost(Pure(epsilon="0.1"), owner=Pure(epsilon="0.1")),)))
    ledger.seal(None, "00" * 32, {})
    return ledger, domain


def test_owners_are_counted_anew_where_a_region_is_wider_among_the_new_values():
    """A question about so many values that every owner is booked for it takes from a value that had nothing left."""
    wider = Domain({"who": identifier(), "age": integers(0, 120, missing=0)})
    ledger, domain = sealed_ages(99)
    assert [str(lost) for lost in ledger.spent()] == ["ε = 1"]
    before = ledger.mark()
    with pytest.raises(LedgerFault, match="counts owners"):
        ledger.migrate(terms(wider, OWNED))
    assert ledger.mark() == before
    assert ledger.terms == terms(domain, OWNED)
    ledger.close()
    # What was the last age is few enough values here, and each question stays where it was.
    ledger, _ = sealed_ages(115)
    ledger.migrate(terms(wider, OWNED))
    assert [str(lost) for lost in ledger.spent()] == ["ε = 1"]
    assert ledger.verify().problems == ()
    ledger.close()
