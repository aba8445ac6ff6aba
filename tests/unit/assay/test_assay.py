"""Claims that were once made, and were too low, are found short; each beside the claim that is made now."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import pytest

import partita as pt
from partita.assay.assay import Claim, assay
from partita.assay.changing import Changing
from partita.assay.meaning import Unknown
from partita.assay.release import Part, Reading, Released
from partita.assay.rows import Row
from partita.granularity import Granularity
from partita.query.exact.program import Cells, Program, Rows, Total, cells
from partita.query.language.conditions import Condition, everywhere
from partita.query.language.expressions import Value
from partita.query.language.keys import Each, Opened
from partita.query.tables.schema import Table
from partita.query.tables.truncation import Truncation
from partita.region.region import Region
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.pure import Pure
from partita.theory.measures.zcdp import ZCDP

Vector = tuple[Fraction, ...]
NOTHING = (Fraction(0), Fraction(0))


def rho(amount: object) -> Vector:
    return Fraction(str(amount)), Fraction(0)


def claim(unit: Granularity, boxes: object, one: Vector, both: Vector | None = None, same: Vector = NOTHING) -> Claim:
    return Claim(unit, ZCDP, boxes, one, one if both is None else both, same)  # type: ignore[arg-type]


def short(released: Released, *claims: Claim, effort: int = 32) -> str:
    found = assay([released], claims, effort=effort, seed="a public seed")
    return "" if found is None else str(found)


def count(table: Table, where: Condition) -> Released:
    """A count with Gaussian noise of σ = 1: one row costs ρ = 1/2."""
    return Released(
        Program(table, where, cells((), where), (Rows(),)), (Part(({Rows(): 1},), pt.GaussianNoise(sigma=1)),)
    )


RAGGED = Table("dots", [], {"x": pt.integers(0, 130, missing=0), "y": pt.integers(0, 130, missing=0)})
CHESS = Condition(Region.where("x IN (1, 5, 9, 13, 100) AND y IN (2, 4, 8, 90)", RAGGED.domain))
AROUND = ((((1, 101),), ((2, 91),)),)


def test_a_region_booked_on_the_box_around_it_costs_a_pair_inside_the_box():
    """Case 2: a count on a ragged region was booked on the box around it, where a change inside cost nothing."""
    change = pt.replace()
    assert "claimed is ρ = 0" in short(count(RAGGED, CHESS), claim(change, AROUND, rho("0.5"), rho(0)))
    assert short(count(RAGGED, CHESS), claim(change, AROUND, rho("0.5"), rho("0.5"))) == ""
    assert short(count(RAGGED, CHESS), claim(change, CHESS.region.boxes, rho("0.5"), rho(0))) == ""


def test_a_sum_booked_on_the_box_around_its_region_costs_its_largest_value():
    table = Table("dots", [], {"x": pt.integers(0, 130, missing=0), "z": pt.integers(100, 101, missing=100)})
    where = Condition(Region.where("x IN (1, 5, 9, 13, 100)", table.domain))
    total = Total(Value("z"))
    asked = Released(
        Program(table, where, cells((), where), (total,)), (Part(({total: 1},), pt.GaussianNoise(sigma=50)),)
    )
    around = ((((1, 101),), ((0, 2),)),)
    one, both = rho(Fraction(101**2, 5000)), rho(Fraction(1, 5000))
    assert short(asked, claim(pt.replace(), where.region.boxes, one, both)) == ""
    assert "moves by" in short(asked, claim(pt.replace(), around, one, both))
    assert short(asked, claim(pt.replace(), around, one, one)) == ""


def test_open_keys_cost_a_change_between_equal_declared_values():
    """Case 3: pairs of records with equal declared values were left out, although a row moved from key to key."""
    table = Table("things", [], {"t": pt.text_keys(), "a": pt.integers(0, 3, missing=0)})
    where = Condition(Region.where("a > 1", table.domain))
    program = Program(table, where, cells((), where), (Rows(),), opened=(Opened("t"),))
    asked = Released(program, (Part(({Rows(): 1},), pt.GaussianNoise(sigma=1)),))
    boxes = where.region.boxes
    assert "('a',)" in short(asked, claim(pt.replace(), boxes, rho("0.5"), rho(1)))
    assert short(asked, claim(pt.replace(), boxes, rho("0.5"), rho(1), rho(1))) == ""


DAYS = Table(
    "visits",
    [],
    {"who": pt.identifier(), "b": pt.integers(0, 1, missing=0), "day": pt.dates("2025-01-01", "2025-01-03")},
)


def test_a_stored_day_outside_the_range_shares_the_cap_of_a_real_one():
    """Case 4: behind a cap of one row a day, removing a stored day let a row of another through."""
    unit = pt.users("who", rows=1, per="day")
    where = everywhere(DAYS.domain)
    program = Program(DAYS, where, cells((Each("b"),), where), (Rows(),), Truncation("who", 1, "k", "day"))
    asked = Released(program, (Part(({Rows(): 1},), pt.GaussianNoise(sigma=1)),))
    whole = claim(unit, (DAYS.domain.everything,), rho("0.5"))
    assert short(asked, whole) == ""
    assert "moves by 2" in short(replace(asked, merged=True), whole)


def test_a_program_must_list_every_group_that_a_row_can_fall_into():
    table = Table("things", [], {"a": pt.integers(0, 3, missing=0)})
    where = everywhere(table.domain)
    keys = (Each("a"),)
    part = Part(({Rows(): 1},), pt.GaussianNoise(sigma=1))
    whole = claim(pt.rows(), (table.domain.everything,), rho("0.5"))
    assert short(Released(Program(table, where, cells(keys, where), (Rows(),)), (part,)), whole) == ""
    cut = Program(table, where, Cells(keys, ((0, 1, 2),)), (Rows(),))
    assert "falls into no listed group" in short(Released(cut, (part,)), whole)


@pytest.mark.parametrize(
    ("unit", "load", "enough"),
    [
        (pt.rows(), "0.5", "0.5"),
        (pt.groups(3), "4.5", "4.5"),
        (pt.windows("day", width=2), "1", "1"),
        (pt.users("who", rows=3), "4.5", "4.5"),
    ],
)
def test_the_load_of_a_count_of_everything_is_just_enough(unit, load, enough):
    where = everywhere(DAYS.domain)
    cap = Truncation("who", unit.rows, "k") if isinstance(unit, type(pt.users("who", rows=1))) else None
    asked = replace(count(DAYS, where), program=replace(count(DAYS, where).program, truncation=cap))
    whole = (DAYS.domain.everything,)
    assert short(asked, claim(unit, whole, rho(enough))) == ""
    assert short(asked, claim(unit, whole, rho(Fraction(load) * Fraction(99, 100)))) != ""


def test_rows_beside_owners_claim_half_of_both_rows_that_move():
    """One row more may push another of its owner out: the loads of both count by halves."""
    made = count(DAYS, Condition(Region.where("b = 1", DAYS.domain)))
    asked = replace(made, program=replace(made.program, truncation=Truncation("who", 1, "k")))
    boxes = asked.program.where.region.boxes
    assert short(asked, claim(pt.rows(), boxes, rho("1"))) == ""
    assert short(asked, claim(pt.rows(), boxes, rho("0.99"))) != ""


def test_rows_that_go_and_come_are_paired_by_owner_whatever_is_claimed():
    """A pairing of one's own for each charge would be another average for each: the account holds to none of those."""
    made = count(DAYS, Condition(Region.where("b = 1", DAYS.domain)))
    asked = Reading(replace(made, program=replace(made.program, truncation=Truncation("who", 1, "k"))))
    inside, outside = (1, 0), (0, 0)
    boxes = made.program.where.region.boxes

    def claimed(one: str, both: str) -> Vector:
        wanted = claim(pt.replace(), boxes, rho(one), rho(both))
        trial = Changing([asked], wanted, pt.replace(), 1, [inside])._altered(
            (Row(outside, 1, (), 5), Row(outside, 2, (), 0)), [(Row(inside, 1, (), 0), Row((1, 1), 2, (), -1))]
        )
        return trial.claimed

    # Under one owner a row of the region goes, under the other one comes; outside it is the other way round.
    assert claimed("1", "8") == rho("1")
    assert claimed("1", "0") == rho("1")


def test_no_more_is_tried_than_the_effort_allows():
    asked = count(RAGGED, CHESS)
    wrong = claim(pt.replace(), AROUND, rho("0.5"), rho(0))
    assert short(asked, wrong, effort=1) == ""
    assert short(asked, wrong, effort=16) != ""


def test_a_claim_in_epsilon_is_held_to_epsilon():
    asked = replace(count(RAGGED, CHESS), parts=(Part(({Rows(): 1},), pt.Laplace(scale=2)),))
    enough = Claim(pt.rows(), Pure, CHESS.region.boxes, (Fraction(1, 2),), (Fraction(1, 2),), (Fraction(0),))
    assert assay([asked], [enough], effort=32, seed="") is None
    assert assay([asked], [replace(enough, one=(Fraction(49, 100),))], effort=32, seed="") is not None


def test_a_question_that_moves_alone_may_use_the_delta_of_its_plan():
    """Laplace noise of scale 1 has δ(ε) = 1 - e^(-(1 - ε)/2) up to ε = 1; a plan may be composed at any of them."""
    table, where = RAGGED, everywhere(RAGGED.domain)
    released = Released(
        Program(table, where, cells((), where), (Rows(),)), (Part(({Rows(): 1},), pt.Laplace(scale=1)),)
    )
    curve = 1 - math.exp(-1 / 4)
    for delta, enough in ((curve * 1.01, True), (curve * 0.99, False), (0, False)):
        amount = Fraction(1, 2), Fraction(delta)
        found = short(released, Claim(pt.rows(), Approximate, where.region.boxes, amount, amount, amount))
        assert (found == "") is enough


def test_a_window_of_very_many_steps_is_tried_on_few_of_them():
    where = everywhere(DAYS.domain)
    steps = pt.windows("b", width=10**6)
    whole = (DAYS.domain.everything,)
    assert short(count(DAYS, where), claim(steps, whole, rho(10**6))) == ""
    assert short(count(DAYS, where), claim(steps, whole, rho("0.5"))) != ""


def test_what_it_has_no_meaning_for_is_not_agreed_to():
    with pytest.raises(Unknown, match="nothing can be said of"):
        short(count(RAGGED, CHESS), claim(pt.edges(), AROUND, rho("0.5")))
