"""Guards of the promise that random tables seldom reach: each of them stated once, with its number."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

import partita as pt
from partita.composition.calibration.pricing import Price
from partita.curator.batches.planned import plan_charge
from partita.curator.path.placed import costs_of
from partita.engine.duckdb import DuckDB
from partita.engine.reference import Reference
from partita.errors import PartitaError
from partita.granularity import Replace, Rows, Users
from partita.query.batch.charging import ByTable
from partita.query.batch.joint import joint
from partita.query.exact.measurements import Counted
from partita.query.exact.sensitivity import gathered_movement
from partita.query.noise import partition_selection as selection
from partita.query.noise.quote import Quote, quote
from partita.query.quantiles import costs as quantile_costs
from partita.query.sql.parse import read
from partita.query.tables.truncation import Caps, truncation
from tests.unit.query import strategies

TABLE = strategies.table()
OWNERS = pt.users("who", rows=3)
WIDE = pt.Approximate(epsilon=100, delta="1e-2")


def quoted(text: str, *units: Any, budget: Any = WIDE, caps: Caps = Caps(), delta: Any = None, price: Any = 1) -> Quote:  # noqa: B008
    promises = [pt.Promise(unit, budget) for unit in units]
    plan = read(text, [TABLE]).capped(caps)
    return quote(plan, promises, Price.of(epsilon=price, delta=delta), truncation=truncation(TABLE, units, "key"))


@pytest.mark.parametrize(
    ("unit", "beside", "people"),
    [
        (pt.rows(), False, 1), (pt.replace(), False, 2), (pt.groups(3), False, 3),
        (pt.groups(2, pt.replace()), False, 4),
        (pt.rows(), True, 2), (pt.replace(), True, 4), (OWNERS, True, 1), (pt.groups(3, OWNERS), True, 3),
        (pt.users("who", rows=3, altered=True), True, 2),
    ],
)  # fmt: skip
def test_so_many_people_come_or_go_in_one_step(unit: Any, beside: bool, people: int) -> None:
    cut = truncation(TABLE, [OWNERS], "key") if beside else None
    assert selection.people_moved(unit, cut).unit.l1 == people


@pytest.mark.parametrize("people", [1, 2, 4])
@pytest.mark.parametrize("keys", [1, 2, 5])
@pytest.mark.parametrize(
    "budget", [pt.Approximate(epsilon=1, delta="1e-6"), pt.ZCDP(rho="0.1", delta="1e-6")], ids=["ε", "ρ"]
)
def test_naming_keys_stays_within_its_budget_for_people_with_many_keys(budget: Any, keys: int, people: int) -> None:
    chosen = selection.affordable(budget, people, keys)
    assert chosen.mechanism.keys == keys
    assert selection.cost(chosen, people, budget).fits(budget)


@pytest.mark.parametrize(
    ("unit", "caps", "keys"),
    [(pt.rows(), Caps(), 1), (OWNERS, Caps(), 3), (OWNERS, Caps(groups=2), 2), (OWNERS, Caps(rows=2), 2)],
)
def test_an_owner_has_as_many_open_keys_as_rows_or_groups(unit: Any, caps: Caps, keys: int) -> None:
    made = quoted("SELECT t, COUNT(*) AS n FROM things GROUP BY t", unit, caps=caps, delta="1e-6")
    assert made.offer.selection is not None
    assert made.offer.selection.mechanism.keys == keys


def test_a_row_that_a_test_leaves_out_takes_its_whole_value_along() -> None:
    """b + 10 lies between 10 and 14; a changed row that no longer meets a > b takes 14 with it, and not 4."""
    for text, far in (
        ("SELECT SUM(b + 10) AS s FROM things WHERE a > b", 14),
        ("SELECT COUNT(*) FROM things WHERE a > b", 1),
    ):
        (part,) = quoted(text, pt.replace()).offer.parts
        assert part.movements[0].substitution.l1 == far


def test_what_an_altered_owner_costs_is_not_told_as_if_the_owner_came_or_went() -> None:
    text = "SELECT COUNT(DISTINCT who) AS n FROM things"
    (told,), (altered,) = costs_of(quoted(text, OWNERS)), costs_of(quoted(text, pt.users("who", rows=3, altered=True)))
    assert told.owner is not None
    assert told.altered is None
    # In two groups an altered owner may leave the one and enter the other.
    by = "SELECT a > 2 AS k, COUNT(DISTINCT who) AS n FROM things GROUP BY 1"
    (moved,) = costs_of(quoted(by, pt.users("who", rows=1, altered=True)))
    assert moved.owner is not None
    assert moved.altered == moved.owner.group(2)
    assert altered.altered == altered.owner


def test_caps_of_a_question_need_promises_on_owners_alone() -> None:
    with pytest.raises(PartitaError, match="one promise is on"):
        quoted("SELECT COUNT(*) AS n FROM things", OWNERS, pt.rows(), caps=Caps(rows=1))


DELTA = Fraction(1, 10**6)
APART = ("SELECT COUNT(*) AS n FROM things WHERE a > 2", "SELECT COUNT(*) AS n FROM things WHERE a < 1")


def test_a_plan_adds_up_what_owners_lose_where_that_is_known_of_owners_only() -> None:
    quotes = [quoted("SELECT COUNT(DISTINCT who) AS n FROM things WHERE a > 2", OWNERS), quoted(APART[1], OWNERS)]
    (made,) = joint(quotes, quotes[0].promises, [Fraction(0)])
    assert made.together.owner == quotes[0].tolls[0].unit + quotes[1].tolls[0].unit


def test_a_plan_beside_owners_composes_all_its_questions_for_every_row() -> None:
    """A row of one question may let a row into the other, so that exact composition takes both for one."""
    found = {}
    for units in ((pt.rows(),), (pt.rows(), OWNERS)):
        one, other = (quoted(text, *units, price="0.05") for text in APART)
        deltas = [DELTA for _ in units]
        found[len(units)] = [
            joint(each, one.promises, deltas)[0].together.row for each in ([one] * 200 + [other] * 200, [one] * 400)
        ]
    assert found[1][0].vector()[0] < found[1][1].vector()[0]
    assert found[2][0] == found[2][1]


def test_a_plan_is_refused_where_an_owners_rows_are_capped_anew_in_each_question() -> None:
    quotes = [quoted(text, pt.users("who", rows=3, in_region=1)) for text in APART]
    with pytest.raises(PartitaError, match="in_region"):
        joint(quotes, quotes[0].promises, [DELTA])


@pytest.mark.parametrize(
    ("unit", "keyed", "far"),
    [
        (pt.rows(), False, 2), (pt.replace(), False, 4), (OWNERS, False, 1), (OWNERS, True, 3),
        (pt.users("who", rows=3, altered=True), False, 2), (pt.users("who", rows=3, altered=True), True, 6),
        (pt.users("who", rows=3, per="f"), False, 2), (pt.users("who", rows=3, per="f"), True, 6),
        (pt.users("who", rows=3, per="f", altered=True), True, 12), (pt.groups(2, OWNERS), True, 6),
    ],
)  # fmt: skip
def test_so_far_a_count_of_gathered_rows_moves_between_two_groups(unit: Any, keyed: bool, far: int) -> None:
    """A derived row that changes leaves one group and enters another: two, where one that comes or goes is one."""
    assert gathered_movement(Counted(), unit, groups=2, keyed=keyed).unit.l1 == far
    cut = truncation(TABLE, [OWNERS], "key")
    if isinstance(unit, Rows):
        # The row that goes for another is in the same derived row, unless there are other columns.
        beside = [
            gathered_movement(Counted(), unit, groups=2, keyed=by, truncation=cut).unit.l1 for by in (False, True)
        ]
        assert beside == [far, 2 * far]
    if isinstance(unit, Replace):
        beside = [
            gathered_movement(Counted(), unit, groups=2, keyed=by, truncation=cut).unit.l1 for by in (False, True)
        ]
        assert beside == [far, 2 * far]


HALF, MANY = (Fraction(1, 2),), (Fraction(1, 4), Fraction(1, 2))


@pytest.mark.parametrize(
    ("shares", "unit", "keyed", "times"),
    [
        (HALF, pt.rows(), None, 1), (HALF, pt.replace(), None, 2), (MANY, pt.replace(), None, 2),
        (HALF, OWNERS, None, 3), (HALF, pt.users("who", rows=3, altered=True), None, 6),
        (HALF, pt.groups(2, OWNERS), None, 6), (HALF, pt.rows(), False, 2), (HALF, pt.replace(), False, 4),
        (HALF, OWNERS, False, 1), (HALF, OWNERS, True, 3), (HALF, pt.users("who", rows=3, altered=True), False, 2),
        (HALF, pt.users("who", rows=3, per="f"), True, 6), (HALF, pt.users("who", rows=3, altered=True), True, 6),
    ],
)  # fmt: skip
def test_so_many_times_the_price_of_one_row_is_what_a_chosen_quantile_costs(
    shares: Any, unit: Any, keyed: bool | None, times: int
) -> None:
    moved = quantile_costs.moves(shares, unit, groups=2, truncation=None, keyed=keyed)
    budget = pt.Pure(epsilon=1)
    assert quantile_costs.cost(pt.Exponential(epsilon=1), moved.unit, budget) == pt.Pure(epsilon=times)
    if not isinstance(unit.single, Users):
        cut = truncation(TABLE, [OWNERS], "key")
        behind = quantile_costs.moves(shares, unit, groups=2, truncation=cut, keyed=keyed)
        twice = 1 if keyed is False else 2
        assert quantile_costs.cost(pt.Exponential(epsilon=1), behind.unit, budget) == pt.Pure(epsilon=twice * times)


def test_the_charge_of_a_plan_tells_what_a_whole_owner_loses() -> None:
    quotes = [quoted("SELECT COUNT(DISTINCT who) AS n FROM things WHERE a > 2", OWNERS), quoted(APART[1], OWNERS)]
    joints = joint(quotes, quotes[0].promises, [Fraction(0)])
    (cost,) = plan_charge(quotes, ByTable(quotes[0].promises, {}).together(quotes, [Fraction(0)]), [Fraction(0)]).costs
    assert cost.owner is not None
    assert cost.owner == joints[0].together.owner


def test_what_one_owner_adds_is_kept_within_its_bounds_by_the_engine() -> None:
    stored = [{"who": 1, "a": 5}] * 30 + [{"who": 2, "a": -3}] * 30
    table = strategies.table(stored)
    inner = "SELECT who, CLAMP(SUM(a), -4, 7) AS x FROM things GROUP BY who"
    plan = read(f"SELECT SUM(x) AS s FROM ({inner})", [table])
    program = quote(plan, [pt.Promise(pt.rows(), WIDE)], Price.of(epsilon=1)).program
    engine = DuckDB([table], threads=1)
    assert engine.run(program).tolist() == Reference([table]).run(program).tolist() == [[3]]
    engine.close()


def test_of_two_runs_of_one_question_only_the_numbers_that_were_stored_are_seen() -> None:
    """The same question is asked while the first asking is still reading: both must give the answer in the book."""
    table = pt.Table("t", source=[{"a": 3}] * 40, columns={"a": pt.integers(0, 10)})
    kept = pt.Curator(tables=[table], promises=[pt.Promise(pt.rows(), pt.Pure(epsilon=1))], backend=Reference([table]))
    compute, inside = kept._engine.compute, []

    def again(program: Any) -> Any:
        if not inside:
            inside.append(None)
            inside.append(kept.ask("SELECT SUM(a) AS s FROM t", epsilon="0.0001").rows())
        return compute(program)

    kept._engine.compute = again  # type: ignore[method-assign]
    outer = kept.ask("SELECT SUM(a) AS s FROM t", epsilon="0.0001").rows()
    assert outer == inside[1]
    assert kept.spent() == (pt.Pure(epsilon="0.0001"),)


def test_a_price_that_was_rounded_otherwise_is_still_kept() -> None:
    """The ε of this ρ and the ε of the noise that it buys differ in the last of 64 bits."""
    price = Price(rho=Fraction(5 * 10**27, 268803300750498116609997273529), delta=Fraction(1, 100))
    promise = pt.Promise(pt.replace(), pt.Approximate(epsilon=1, delta="0.9"))
    made = quote(read("SELECT AVG(CLAMP(b, 0, 3)) AS m FROM things", [TABLE]), [promise], price, noise="gaussian")
    assert made.cost.fits(price.within(promise.budget))
