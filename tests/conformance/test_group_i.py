"""The conformance vectors of group I: people across tables, joins, growth, refinement, wide tables."""

from __future__ import annotations

from fractions import Fraction
from math import sqrt

import pytest

from partita.composition.account import RegionAccount
from partita.composition.account.booking import Release
from partita.composition.account.people import PersonSpace
from partita.composition.plans.promise import Promise
from partita.granularity import persons, users
from partita.query.exact.measurements import Counted
from partita.query.exact.sensitivity import movement
from partita.query.language.fans import Fan
from partita.query.language.joined import Joined, Kind, Link, Occurrence
from partita.query.tables.people import People
from partita.query.tables.public import PublicTable
from partita.query.tables.schema import Table
from partita.query.tables.truncation import Caps, Truncation
from partita.region import Domain, Region, categories, integers
from partita.region import codes as codes_of
from partita.region.columns import identifier
from partita.theory.cost import Cost
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.pure import Pure
from partita.theory.measures.zcdp import ZCDP
from tests.conformance.test_group_e import of_boxes
from tests.conformance.test_group_i_over_time import STEMS
from tests.conformance.vectors import agrees, group, stem

ELSEWHERE = STEMS


def space(inputs):
    """The wide domain of a vector's people: the person's own value, and a value of each table."""
    values, caps = inputs["person_values"], inputs["caps"]
    tables = {table: Domain({"v": integers(0, 2, missing=0)}) for table in caps}
    tables["people"] = Domain({"a": categories(*values, other=values[0])})
    return PersonSpace(persons("who", table="people", rows=caps), tables)


def region(people, inputs, release):
    """Where a vector says that a release reads."""
    wide, values = people.domain, inputs["person_values"]
    listed = release["region"]
    table = release.get("table", next(iter(inputs["caps"])))
    boxes = []
    for one in listed:
        value, row = (one, None) if isinstance(one, str) else one
        box = list(wide.everything)
        box[wide.axis("people.a")] = codes_of.of([values.index(value)])
        if row is not None:
            box[wide.axis(f"{table}.v")] = codes_of.of([row])
        boxes.append(tuple(box))
    return table, Region.of(wide, boxes)


def cost(inputs, release):
    """What a vector says that a release costs."""
    parts = release["cost"] if isinstance(release["cost"], list) else [release["cost"]]
    if inputs.get("measure") == "rho":
        return ZCDP(rho=parts[0])
    return Pure(epsilon=parts[0]) if len(parts) == 1 else Approximate(epsilon=parts[0], delta=parts[1])


def booked(inputs, *, altered=False):
    """An account with all releases of a vector."""
    people = space(inputs)
    if altered:
        people = PersonSpace(persons("who", table="people", rows=inputs["caps"], altered=True), people.tables)
    measure = cost(inputs, inputs["releases"][0])
    budget = measure.like([Fraction(100)] + [Fraction(1, 2)] * (len(measure.vector()) - 1))
    account = RegionAccount(people.domain, Promise(people.persons, budget))
    for release in inputs["releases"]:
        table, where = region(people, inputs, release)
        loss = cost(inputs, release)
        if release["way"] == "by touch":
            # As the vector has it, even where booking the whole person is less.
            cap = people.persons.cap(table)
            account.charge(where, loss.like([cap * part for part in loss.vector()]))
            continue
        whole = None if release["way"] == "by rows" else loss
        made = people.placed(table, Release(where, Cost(loss, owner=whole)), in_region=release.get("kappa"))
        account.charge(made.region, people.loss(made, budget))
    return people, account


def person_loads(inputs):
    """T of each person value, coordinate by coordinate."""
    people, account = booked(inputs)
    wide = people.domain
    found = []
    for value in range(len(inputs["person_values"])):
        box = list(wide.everything)
        box[wide.axis("people.a")] = codes_of.of([value])
        found.append(account.spent(Region(wide, (tuple(box),))).vector())
    listed = [float(part) for parts in zip(*found, strict=True) for part in parts]
    return listed[: len(found)] if inputs["measure"] == "rho" else listed


def joining(kind, first, second, *, alone=False):
    """Two tables, or one table twice, joined on the owner; a cap of nothing is one of a row that nobody has."""
    columns = {"u": identifier(), "x": integers(0, 9, missing=0)}
    caps = {"s": max(first, 1)} if alone else {"s": max(first, 1), "t": max(second, 1)}
    people = People(persons("u", rows=caps), [Table(name, [], columns) for name in caps])
    return Joined(people, (Occurrence("s", "s"), Occurrence("t", "s" if alone else "t", kind, (Link("s"),))))


@pytest.mark.parametrize("vector", [one for one in group("I") if stem(one.values[0]) not in ELSEWHERE])
def test_the_product_agrees_with_the_vector(vector):
    inputs = vector["inputs"]
    match stem(vector):
        case "I.person_T_pure" | "I.person_T_rho_kappa" | "I.person_T_touch_delta":
            assert agrees(person_loads(inputs), vector)
        case "I.replace_same_person_value":
            _, account = booked({**inputs, "measure": "pure"}, altered=True)
            assert agrees(float(account.worst()[0].epsilon), vector)
        case "I.replace_delta_both":
            people = PersonSpace(
                persons("who", table="people", altered=True), {"people": Domain({"a": integers(0, 1, missing=0)})}
            )
            loss = Approximate(epsilon=int(inputs["eps"]), delta=str(inputs["delta"]))
            made = people.placed("people", Release(Region.everything(people.domain), Cost(loss, owner=loss)))
            assert agrees([float(part) for part in made.one], vector)
        case "I.window_person_rho":
            # One release reads all windows: as many units at once (theory I11, omega = w).
            assert inputs["w"] == inputs["omega"]
            assert agrees(float(ZCDP(rho=str(inputs["B_rho"])).group(inputs["w"]).rho), vector)
        case "I.joined_rows_left":
            assert agrees(joining(Kind.LEFT, inputs["m_left"], inputs["m_right"]).most, vector)
        case "I.joined_rows_public_fanout":
            shelves = [{"x": 1, "shelf": place} for place in range(inputs["public_fanout"])]
            public = PublicTable("shelves", shelves, key="x", fanout=inputs["public_fanout"])
            fan = Fan.of("shelves", public, "s", "x", integers(0, 9, missing=0), optional=False)
            people = joining(Kind.INNER, inputs["m"], 1).people
            assert agrees(Joined(people, (Occurrence("s", "s"),), fans=(fan,)).most, vector)
        case "I.joined_rows_full":
            assert agrees(joining(Kind.FULL, inputs["m_left"], inputs["m_right"]).most, vector)
        case "I.event_left_join_right_side":
            assert agrees(joining(Kind.LEFT, inputs["m_left"], inputs["m_t"]).moved("t"), vector)
        case "I.event_self_join":
            assert inputs["occurrences"] == 2
            assert agrees(joining(Kind.INNER, inputs["m"], 1, alone=True).moved("s"), vector)
        case "I.group_l2":
            assert inputs["h"] == 1
            caps = Caps(rows=inputs["c"], groups=inputs["g"], each=inputs["q"])
            cut = Truncation("u", 100, "0" * 24).capped(caps)
            moved = movement(Counted(), users("u", rows=100), groups=100, partial=False, truncation=cut).unit
            assert agrees(sqrt(moved.l2_squared), vector)
        case "I.event_group_caps":
            assert agrees(Caps(groups=inputs["g"], each=inputs["q"]).moved, vector)
        case "I.window_self_join_rows":
            columns = {"u": identifier(), "w": integers(1, inputs["windows_read"], missing=1)}
            unit = persons("u", rows={"s": inputs["cap_per_window"]}, per="w")
            twice = (Occurrence("s", "s"), Occurrence("s_2", "s", links=(Link("s"),)))
            assert agrees(Joined(People(unit, [Table("s", [], columns)]), twice, apart=True).unit, vector)
        case "I.wide_pairs_components":
            assert agrees(float(of_boxes(inputs)), vector)
        case other:
            raise AssertionError(other)
