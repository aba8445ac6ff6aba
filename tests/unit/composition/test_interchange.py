from __future__ import annotations

import json
from fractions import Fraction

import pytest

from partita.composition.exchange import documents, interchange
from partita.composition.guarantees.compose import compose
from partita.composition.plans.plan import Plan
from partita.errors import InvalidInput, NotProven, PartitaError
from partita.granularity import Relation
from partita.mechanisms.discrete_gaussian import DiscreteGaussian
from partita.mechanisms.exponential import Exponential
from partita.mechanisms.gaussian import GaussianNoise
from partita.mechanisms.geometric import Geometric
from partita.mechanisms.key_selection import GaussianThreshold, LaplaceThreshold
from partita.mechanisms.laplace import Laplace
from partita.mechanisms.permute_and_flip import PermuteAndFlip
from partita.mechanisms.randomized_response import RandomizedResponse
from partita.mechanisms.sparse_vector import SparseVector
from partita.mechanisms.subsampled import Subsampled
from partita.mechanisms.truncated_geometric import TruncatedGeometric
from partita.theory.distance import Distance
from partita.theory.losses.atoms import AtomicLoss
from partita.theory.losses.gaussian import GaussianLoss
from partita.theory.losses.laplace import LaplaceLoss
from partita.theory.losses.pair import Pair
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.gdp import GDP
from partita.theory.measures.profile import Profile
from partita.theory.measures.pure import Pure
from partita.theory.measures.renyi import Renyi
from partita.theory.measures.zcdp import ZCDP

PLAN = [
    (Laplace(epsilon="0.1"), 10),
    GaussianNoise(sigma=10).at(Distance.l2(2)),
    Geometric(epsilon="0.1").at(Distance.l1(3)),
    (Subsampled(GaussianNoise(sigma=2), rate="0.01"), 5),
]


def test_a_plan_survives_the_journey_through_json():
    document = json.loads(json.dumps(interchange.to_document(PLAN)))
    back = interchange.from_document(document)
    assert compose(back, delta="1e-6").epsilon == pytest.approx(compose(PLAN, delta="1e-6").epsilon, rel=1e-9)
    assert document["version"] == 1


def test_responses_keep_their_epsilon():
    for values in (2, 5):
        events = [RandomizedResponse(epsilon="0.7", values=values)]
        back = interchange.from_document(interchange.to_document(events))
        assert float(back[0].mechanism.epsilon) == pytest.approx(0.7, rel=1e-12)
        assert back[0].mechanism.values == values


def test_bare_losses_that_have_a_word_are_written():
    assert interchange.to_document([ZCDP(rho="0.5")])["event"]["type"] == "ZCDpEvent"
    assert interchange.to_document([GDP(mu="0.5")])["event"]["noise_multiplier"] == 2.0
    assert interchange.to_document([])["event"] == {"type": "NoOpDpEvent"}
    assert interchange.from_document(interchange.to_document([])) == []
    assert interchange.from_document(interchange.to_document([(ZCDP(rho="0.5"), 2)]))[0].count == 2


EXACT = [
    Pure(epsilon="0.5"),
    Approximate(epsilon="0.5", delta="1e-9"),
    GDP(mu="0.5"),
    SparseVector(epsilon="0.5", positives=3),
    PermuteAndFlip(epsilon="0.5"),
    LaplaceThreshold(scale=2, threshold=40, keys=2),
    GaussianThreshold(sigma=3, threshold=30, keys=2),
    TruncatedGeometric(epsilon="0.5", delta="1e-8", keys=2),
    Profile(Pair.of(LaplaceLoss(0.3))),
    RandomizedResponse(epsilon="0.3").at(Distance.l1(3)),
    Subsampled(Laplace(scale=2), rate="0.1"),
    Subsampled(Laplace(scale=2), rate="1/3", scheme="without_replacement"),
]
LARGER = [
    Exponential(epsilon="0.5"),
    DiscreteGaussian(variance=9),
    Pair(
        AtomicLoss.between([0.2, 0.5, 0.3], [0.25, 0.5, 0.25]), AtomicLoss.between([0.25, 0.5, 0.25], [0.2, 0.5, 0.3])
    ),
]


@pytest.mark.parametrize("event", EXACT, ids=lambda event: str(event)[:40])
def test_losses_and_mechanisms_with_the_same_loss_come_back_as_they_went(event):
    document = json.loads(json.dumps(interchange.to_document([(event, 3)])))
    assert "bounds" not in document
    back = interchange.plan_from_document(document)
    there, here = compose(back, delta="1e-6").epsilon, compose([(event, 3)], delta="1e-6").epsilon
    assert here * (1 - 1e-9) <= there <= here * (1 + 1e-6)


@pytest.mark.parametrize("event", LARGER, ids=lambda event: str(event)[:40])
def test_what_has_no_word_is_written_as_something_larger_and_named(event):
    document = json.loads(json.dumps(interchange.to_document([(event, 3)])))
    assert document["bounds"] == [Plan.of([event]).parts[0].name]
    back = interchange.plan_from_document(document)
    assert compose(back, delta="1e-6").epsilon >= compose([(event, 3)], delta="1e-6").epsilon * (1 - 1e-9)
    assert documents.compose_document({**document, "delta": "1e-6"}).epsilon > 0


def test_a_curve_with_a_delta_is_one_loss_again():
    (back,) = interchange.from_document(interchange.to_document([ZCDP(rho="0.5", delta="1e-9")]))
    assert back.measure == ZCDP(rho="0.5", delta="1e-9")


@pytest.mark.parametrize(
    "event",
    [
        Renyi(orders=[2, 4], taus=["0.1", "0.2"]),
        Pair(GaussianLoss(0.5), GaussianLoss(0.6)),
        Subsampled(GaussianNoise(sigma=2), rate="0.1", relation="change-one", presence=Distance.l2(1)),
    ],
    ids=lambda event: type(event).__name__,
)
def test_what_the_other_vocabulary_lacks_is_refused(event):
    with pytest.raises(NotProven, match="no counterpart"):
        interchange.to_document([event])


def test_several_gaussian_releases_from_one_sample_are_one():
    gaussian = {"type": "GaussianDpEvent", "noise_multiplier": 2}
    inner = {
        "type": "ComposedDpEvent",
        "events": [{"type": "SelfComposedDpEvent", "event": gaussian, "count": 3}, gaussian],
    }
    document = {"version": 1, "vocabulary": "dp_accounting",
                "event": {"type": "PoissonSampledDpEvent", "sampling_probability": 0.1, "event": inner}}  # fmt: skip
    (part,) = interchange.from_document(document)
    assert part.mechanism.mechanism.sigma == pytest.approx(1)
    assert part.mechanism.mechanism.sigma <= 1


def test_samples_without_replacement_are_read():
    import dp_accounting

    event = dp_accounting.dp_event.SampledWithoutReplacementDpEvent(1000, 10, dp_accounting.GaussianDpEvent(2.0))
    (part,) = interchange.from_dp_accounting(event)
    assert (part.mechanism.rate, part.mechanism.relation) == (Fraction(1, 100), Relation.CHANGE_ONE)


def test_trees_and_other_events_without_a_proven_meaning_are_refused_by_name():
    import dp_accounting

    tree = dp_accounting.dp_event.SingleEpochTreeAggregationDpEvent(noise_multiplier=5.0, step_counts=[4, 7])
    with pytest.raises(InvalidInput, match=r"SingleEpochTreeAggregationDpEvent.*replaced by an empty one"):
        interchange.from_dp_accounting(tree)
    with pytest.raises(InvalidInput, match=r"NonPrivateDpEvent.*promises nothing"):
        interchange.from_dp_accounting(dp_accounting.dp_event.NonPrivateDpEvent())


def test_totals_agree_with_those_of_dp_accounting_on_what_was_written():
    import dp_accounting

    plan = [(Pure(epsilon="0.1"), 20), (SparseVector(epsilon="0.2"), 3), (GaussianNoise(sigma=10), 2)]
    theirs = dp_accounting.pld.PLDAccountant()
    theirs.compose(interchange.to_dp_accounting(plan))
    ours = compose(plan, delta=1e-6)
    assert ours.lower * (1 - 1e-9) <= theirs.get_epsilon(1e-6) <= ours.epsilon * 1.01


@pytest.mark.parametrize(
    "document",
    [
        [],
        {},
        {"version": 2, "vocabulary": "dp_accounting", "event": {"type": "NoOpDpEvent"}},
        {"version": 1, "vocabulary": "dp_accounting"},
        {"version": 1, "vocabulary": "dp_accounting", "event": {"type": "NonPrivateDpEvent"}},
        {"version": 1, "vocabulary": "dp_accounting", "event": {"type": "GaussianDpEvent"}},
        {"version": 1, "vocabulary": "dp_accounting", "event": {"type": "GaussianDpEvent", "noise_multiplier": -1}},
        {"version": 1, "vocabulary": "dp_accounting", "event": {"type": "ComposedDpEvent", "events": 3}},
        {"version": 1, "vocabulary": "dp_accounting", "event": {"type": "PoissonSampledDpEvent", "event": 3}},
        {"version": 1, "vocabulary": "dp_accounting", "event": {"type": "ZCDpEvent", "rho": 1, "xi": 1}},
        {"version": 1, "vocabulary": "dp_accounting", "event": {"type": "RepeatAndSelectDpEvent", "mean": 1}},
        {"version": 1, "vocabulary": "dp_accounting", "event": {"type": "SampledWithReplacementDpEvent"}},
        {"version": 1, "vocabulary": "dp_accounting", "event": {"type": "SampledWithoutReplacementDpEvent",
         "source_dataset_size": 5, "sample_size": 6, "event": {"type": "GaussianDpEvent", "noise_multiplier": 1}}},
        {"version": 1, "vocabulary": "dp_accounting", "event": {"type": "PoissonSampledDpEvent",
         "sampling_probability": 1, "event": {"type": "NonPrivateDpEvent"}}},
        {"version": 1, "vocabulary": "dp_accounting", "event": {"type": "PoissonSampledDpEvent",
         "sampling_probability": 0.5, "event": {"type": "ComposedDpEvent", "events": [
             {"type": "LaplaceDpEvent", "noise_multiplier": 1}, {"type": "LaplaceDpEvent", "noise_multiplier": 1}]}}},
        {"version": 1, "vocabulary": "dp_accounting", "event": {"type": "PoissonSampledDpEvent",
         "sampling_probability": 0.5, "event": {"type": "ComposedDpEvent", "events": []}}},
        {"version": 1, "vocabulary": "dp_accounting",
         "event": {"type": "RandomizedResponseDpEvent", "noise_parameter": 2, "num_buckets": 2}},
        {"version": 1, "vocabulary": "dp_accounting",
         "event": {"type": "SelfComposedDpEvent", "count": "many", "event": {"type": "NoOpDpEvent"}}},
    ],
    ids=lambda document: str(document)[:60],
)  # fmt: skip
def test_a_document_that_cannot_be_read_is_refused(document):
    with pytest.raises(InvalidInput):
        interchange.from_document(document)


def test_events_become_those_of_dp_accounting_and_come_back():
    import dp_accounting

    event = interchange.to_dp_accounting(PLAN)
    assert isinstance(event, dp_accounting.dp_event.ComposedDpEvent)
    back = interchange.from_dp_accounting(event)
    assert compose(back, delta="1e-6").epsilon == pytest.approx(compose(PLAN, delta="1e-6").epsilon, rel=1e-9)


def test_a_plan_in_plain_words_is_composed():
    plan = {
        "version": 1,
        "delta": "1e-6",
        "events": [
            {"mechanism": "laplace", "epsilon": "0.1", "count": 100},
            {"mechanism": "gaussian", "sigma": 10, "distance": 2},
            {"mechanism": "gaussian", "sigma": 2, "rate": "0.01", "count": 5},
            {"loss": {"kind": "pure", "epsilon": "0.1"}, "count": 2},
        ],
    }
    expected = compose(
        [
            (Laplace(epsilon="0.1"), 100),
            GaussianNoise(sigma=10).at(Distance.l2(2)),
            (Subsampled(GaussianNoise(sigma=2), rate="0.01"), 5),
            (Pure(epsilon="0.1"), 2),
        ],
        delta="1e-6",
    )
    assert documents.compose_document(plan).epsilon == pytest.approx(expected.epsilon, rel=1e-12)
    assert documents.compose_document({**plan, "method": "basic"}).method == "basic"


def test_a_plan_of_the_other_vocabulary_is_composed_too():
    document = {**interchange.to_document([(Laplace(epsilon="0.1"), 100)]), "delta": "1e-6"}
    assert documents.compose_document(document).epsilon == pytest.approx(4.6927, abs=1e-3)


def test_a_calibration_in_plain_words_is_solved():
    question = {"version": 1, "mechanism": "laplace", "count": 100, "epsilon": 1, "delta": "1e-6", "distance": 2}
    found = documents.calibrate_document(question)
    assert compose([(found.at(Distance.l1(2)), 100)], delta="1e-6").epsilon <= 1


@pytest.mark.parametrize(
    "plan",
    [
        3,
        {},
        {"version": 1},
        {"version": 1, "events": [3]},
        {"version": 1, "events": [{"mechanism": "magic"}]},
        {"version": 1, "events": [{"mechanism": "subsampled"}]},
        {"version": 1, "events": [{"mechanism": "laplace", "strength": 3}]},
        {"version": 1, "events": [{"mechanism": "laplace"}]},
        {"version": 1, "events": [{"loss": 3}]},
        {"version": 1, "events": [{"loss": {"kind": "magic"}}]},
        {"version": 1, "events": [{"mechanism": "laplace", "epsilon": 1, "count": -1}]},
        {"version": 1, "events": [], "speed": 3},
        {"version": 1, "events": [{"mechanism": "gaussian", "sigma": 1}], "delta": 0},
    ],
    ids=lambda plan: str(plan)[:60],
)
def test_a_plan_that_cannot_be_read_is_refused_in_words(plan):
    with pytest.raises(PartitaError):
        documents.compose_document(plan)
