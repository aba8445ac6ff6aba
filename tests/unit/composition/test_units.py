"""Plans for units of several rows: steps are counted, and nothing is cheaper than it is for one row."""

from __future__ import annotations

from fractions import Fraction

import pytest

from partita.composition.adaptive.filters import Concentrated, EitherOr, Filter
from partita.composition.adaptive.odometer import Odometer
from partita.composition.adaptive.slots import Slots
from partita.composition.calibration.calibrate import calibrate, calibrate_plan
from partita.composition.exchange.documents import calibrate_document, compose_document, relation_in
from partita.composition.exchange.interchange import plan_from_document, to_document
from partita.composition.guarantees.compose import METHODS, compose
from partita.composition.guarantees.running import Running
from partita.composition.plans.plan import Plan
from partita.errors import InvalidInput, NotProven
from partita.granularity import Relation, edges, groups, metric, nodes, replace, rows, stated, users, windows
from partita.mechanisms.gaussian import GaussianNoise
from partita.mechanisms.geometric import Geometric
from partita.mechanisms.laplace import Laplace
from partita.mechanisms.subsampled import Subsampled
from partita.theory.conversions import group_privacy
from partita.theory.distance import Distance
from partita.theory.losses.atoms import AtomicLoss
from partita.theory.losses.pair import Pair
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.pure import Pure
from partita.theory.measures.zcdp import ZCDP

EVENTS = [(Laplace(epsilon="0.1"), 10), GaussianNoise(sigma=10)]
TRIPLED = [(Laplace(epsilon="0.1").at(Distance.l1(3)), 10), GaussianNoise(sigma=10).at(Distance.l2(3))]
SEVERAL = [
    (groups(3), 3),
    (users("patient", rows=3), 3),
    (users("patient", rows=3, altered=True), 6),
    (groups(3, of=replace()), 3),
    (windows("day", width=3), 3),
    (windows("day", width=3, changed=True), 6),
    (nodes(stability=3, listed=True), 3),
]


@pytest.mark.parametrize(("unit", "count"), SEVERAL, ids=[str(unit) for unit, _ in SEVERAL])
def test_a_unit_of_several_rows_is_composed_for_all_its_steps(unit, count):
    total = compose(EVENTS, delta="1e-6", relation=unit)
    assert total.epsilon == group_privacy(compose(EVENTS, delta="1e-6"), count).epsilon
    assert f"Neighbours differ by {unit}." in total.explain()
    assert total.to_json()["unit"] == str(unit)


@pytest.mark.parametrize("method", ["best", "basic", "zcdp", "renyi", "pld"])
def test_three_rows_at_once_are_noise_at_three_times_the_distance(method):
    assert method in METHODS
    tripled = compose(TRIPLED, delta="1e-6", method=method).epsilon
    assert compose(EVENTS, delta="1e-6", method=method, relation=groups(3)).epsilon == pytest.approx(tripled, rel=1e-12)


@pytest.mark.parametrize("unit", [rows(), replace(), metric("income", unit=1), edges(), users("p", rows=1)])
def test_a_unit_of_one_step_is_what_the_losses_are_stated_for(unit):
    total = compose(EVENTS, delta="1e-6", relation=unit)
    assert total.epsilon == compose(EVENTS, delta="1e-6").epsilon
    assert "unit" not in total.to_json()
    assert total.relation is unit.relation


def test_a_total_for_a_unit_can_be_read_by_other_methods_and_in_larger_groups():
    total = compose(EVENTS, delta="1e-6", relation=users("patient", rows=3))
    again = compose(total.plan, delta="1e-6", method="basic", relation=total.relation)
    assert again.epsilon == pytest.approx(3 * compose(EVENTS, delta="1e-6", method="basic").epsilon, abs=0.5)
    assert again.plan.unit == users("patient", rows=3)
    assert str(group_privacy(total, 2).plan.unit).startswith("any 2 at once of: one patient")


@pytest.mark.parametrize("method", ["best", "pld", "optimal"])
def test_no_lower_bound_on_a_bare_loss_of_several_rows_is_above_what_can_be_proven(method):
    # Shifts of geometric noise are the worst that ε at a time can do in three steps, and lose less than 3ε at once.
    worst = compose([(Geometric(scale=10), 20)], delta="1e-6", relation=groups(3))
    bare = compose([(Pure(epsilon="0.1"), 20)], delta="1e-6", method=method, relation=groups(3))
    assert worst.epsilon <= bare.epsilon
    assert bare.lower <= worst.epsilon
    leaky = compose([(Approximate(epsilon="0.1", delta="1e-12"), 20)], delta="1e-6", method=method, relation=groups(3))
    assert leaky.lower <= compose([(Geometric(scale=10), 20)], delta="0.99e-6", relation=groups(3)).epsilon


def test_geometric_noise_too_far_for_its_own_law_claims_no_lower_bound():
    noise, finer = Geometric(scale=5000), Laplace(scale=5000)
    near, far = (compose([noise], delta="0.01", relation=groups(count)) for count in (4096, 5000))
    assert near.lower > 0
    assert far.lower <= compose([finer], delta="0.01", relation=groups(5000)).epsilon + 1e-6 <= far.epsilon


def test_a_node_without_a_proven_stability_has_no_total():
    with pytest.raises(NotProven) as refusal:
        compose(EVENTS, delta="1e-6", relation=nodes())
    assert refusal.value.code == "granularity.no-guarantee"


def test_a_mechanism_on_a_sample_has_no_total_for_several_rows():
    sampled = Subsampled(GaussianNoise(sigma=2), rate="0.1")
    with pytest.raises(NotProven) as refusal:
        compose([sampled], delta="1e-6", relation=groups(2))
    assert refusal.value.code == "composition.no-group"
    with pytest.raises(NotProven) as refusal:
        calibrate(Subsampled, mechanism=GaussianNoise, rate="0.1", epsilon=1, delta="1e-6", relation=groups(2))
    assert refusal.value.code == "composition.no-group"


def test_directions_are_composed_apart_only_where_all_rows_do_the_same():
    first, second = AtomicLoss.between([0.02, 0.98], [0.62, 0.38]), AtomicLoss.between([0.62, 0.38], [0.02, 0.98])
    lopsided = Plan((Pair(first, second),), Relation.ADD_REMOVE)
    assert len(lopsided.totals) == 2
    assert len(Plan(lopsided.events, lopsided.relation, users("p", rows=3)).totals) == 2
    for unit in (groups(3), users("p", rows=3, altered=True), windows("day", width=3)):
        with pytest.raises(NotProven) as refusal:
            _ = Plan(lopsided.events, lopsided.relation, unit).totals
        assert refusal.value.code == "composition.directions-mix"


@pytest.mark.parametrize("mechanism", [GaussianNoise, Laplace])
def test_calibrated_noise_stays_within_the_total_of_the_unit_and_just_so(mechanism):
    unit = users("patient", rows=3)
    found = calibrate(mechanism, count=10, epsilon=1, delta="1e-6", relation=unit)
    total = compose([(found, 10)], delta="1e-6", relation=unit).epsilon
    assert 0.999 < total <= 1
    alone = calibrate(mechanism, count=10, epsilon=1, delta="1e-6")
    ratio = found.scale / alone.scale if mechanism is Laplace else found.sigma / alone.sigma
    assert float(ratio) == pytest.approx(3, rel=1e-4)


def test_a_plan_of_shares_and_the_largest_epsilon_count_steps_too():
    _, total = calibrate_plan([(Laplace, 1, 60), (GaussianNoise, 20, 40)], epsilon=1, delta="1e-6", relation=groups(2))
    assert 0.99 < total.epsilon <= 1
    assert total.plan.unit == groups(2)
    one = calibrate(Pure, count=4, epsilon=1, method="basic")
    assert float(one.epsilon) == pytest.approx(0.25)
    assert float(calibrate(Pure, count=4, epsilon=1, method="basic", relation=groups(2)).epsilon) == pytest.approx(
        0.125
    )


@pytest.mark.parametrize(("unit", "count"), SEVERAL, ids=[str(unit) for unit, _ in SEVERAL])
def test_a_running_total_and_a_document_count_the_steps_of_a_unit_as_a_plan_does(unit, count):
    total = compose(EVENTS, delta="1e-6", relation=unit)
    running = Running(delta="1e-6", relation=unit)
    for event in EVENTS:
        running.add(event)
    assert total.epsilon * (1 - 1e-9) <= running.epsilon <= total.epsilon * 1.0001
    assert running.relation is total.relation
    again = compose(plan_from_document(to_document(EVENTS, relation=unit)), delta="1e-6")
    assert again.epsilon == pytest.approx(total.epsilon, rel=1e-6)


def test_a_running_total_refuses_samples_for_a_unit_of_several_rows():
    running = Running(delta="1e-6", relation=users("patient", rows=3))
    with pytest.raises(NotProven) as refusal:
        running.add(Subsampled(GaussianNoise(sigma=10), rate="0.1"))
    assert refusal.value.code == "composition.no-group"
    assert running.epsilon == 0


@pytest.mark.parametrize(("unit", "count"), SEVERAL, ids=[str(unit) for unit, _ in SEVERAL])
def test_slots_count_the_steps_of_a_unit_as_a_plan_does(unit, count):
    slots = Slots(EVENTS, relation=unit)
    assert slots.guarantee(delta="1e-6").epsilon == pytest.approx(
        compose(EVENTS, delta="1e-6", method="pld", relation=unit).epsilon, rel=1e-3
    )
    assert slots.covers(Laplace(epsilon="0.05"))
    assert not slots.covers(Laplace(epsilon="0.5"))
    far = Laplace(epsilon="0.1").at(Distance.l1(2))
    assert not Slots([Laplace(epsilon="0.1")], relation=unit).covers(far)


@pytest.mark.parametrize(("unit", "count"), SEVERAL, ids=[str(unit) for unit, _ in SEVERAL])
@pytest.mark.parametrize(
    "cost",
    [
        Laplace(epsilon="0.1"),
        (Laplace(epsilon="0.1"), 2),
        Laplace(epsilon="0.1").at(Distance.l1(2)),
        Pure(epsilon="0.1"),
    ],
    ids=["mechanism", "twice", "at two", "loss"],
)
def test_filters_and_odometers_count_the_steps_of_a_unit(unit, count, cost):
    times = 1 if cost in (Laplace(epsilon="0.1"), Pure(epsilon="0.1")) else 2
    whole = Pure(epsilon=count * times * Fraction("0.1"))
    pure, concentrated = Filter(Pure(epsilon=whole.epsilon), relation=unit), Filter(ZCDP(rho=99), relation=unit)
    recommended = Concentrated(epsilon=50, delta="1e-6", relation=unit)
    odometer = Odometer(rho=1, delta="1e-6", relation=unit)
    for book in (pure.admit, concentrated.admit, recommended.admit, odometer.record):
        book(cost)
    assert pure.spent == whole
    assert not pure.admits(Pure(epsilon="1e-9"))
    assert concentrated.spent == recommended.spent == odometer.spent
    assert odometer.pure == whole.epsilon
    each = Filter(ZCDP(rho=99))
    each.admit(cost)
    assert count * each.spent.rho < concentrated.spent.rho <= count**2 * each.spent.rho


def test_filters_of_which_one_is_enough_protect_the_same_unit():
    unit = users("name", rows=3)
    both = EitherOr([Filter(Pure(epsilon=1), relation=unit), Filter(Pure(epsilon=1), relation=unit)], epsilon=1)
    assert both.unit == unit
    assert not both.admits(Pure(epsilon="0.4"))
    for filters, relation in [
        ([Filter(Pure(epsilon=1), relation=unit), Filter(Pure(epsilon=1))], None),
        ([Filter(Pure(epsilon=1))], unit),
    ]:
        with pytest.raises(NotProven) as refusal:
            EitherOr(filters, epsilon=1, relation=relation)
        assert refusal.value.code == "composition.unlike-relations"


def test_documents_name_users_or_groups_of_rows():
    document = {"version": 1, "delta": "1e-6", "events": [{"mechanism": "laplace", "epsilon": "0.1", "count": 10}]}
    one = compose([(Laplace(epsilon="0.1"), 10)], delta="1e-6")
    assert compose_document({**document, "groups": 3}).epsilon == group_privacy(one, 3).epsilon
    owned = compose_document({**document, "users": 3, "owner": "patient"})
    assert owned.epsilon == group_privacy(one, 3).epsilon
    assert owned.plan.unit == users("patient", rows=3)
    assert relation_in({"relation": "change-one", "groups": "2"}) == groups(2, of=replace())
    question = {"version": 1, "mechanism": "laplace", "epsilon": 1, "count": 2, "groups": 5}
    assert float(calibrate_document(question).scale) == pytest.approx(10)


@pytest.mark.parametrize("fields", [{"users": 0}, {"groups": "x"}, {"users": 2, "groups": 2}], ids=str)
def test_a_document_that_names_no_unit_is_refused(fields):
    with pytest.raises(InvalidInput):
        compose_document({"version": 1, "events": [{"mechanism": "laplace", "epsilon": "0.1"}], **fields})


def test_rows_that_only_change_say_nothing_of_owners_who_come_or_go():
    with pytest.raises(NotProven) as refusal:
        relation_in({"relation": "change-one", "users": 3})
    assert refusal.value.code == "granularity.no-guarantee"
    assert stated(users("p", rows=3, altered=True)) == (Relation.ADD_REMOVE, 6)
