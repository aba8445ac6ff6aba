from __future__ import annotations

import json

import pytest

from partita.composition import documents, interchange
from partita.composition.compose import compose
from partita.errors import InvalidInput, NotProven, PartitaError
from partita.mechanisms.discrete_gaussian import DiscreteGaussian
from partita.mechanisms.gaussian import GaussianNoise
from partita.mechanisms.geometric import Geometric
from partita.mechanisms.laplace import Laplace
from partita.mechanisms.randomized_response import RandomizedResponse
from partita.mechanisms.subsampled import Subsampled
from partita.theory.distance import Distance
from partita.theory.measures.gdp import GDP
from partita.theory.measures.pure import Pure
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


@pytest.mark.parametrize("events", [[Pure(epsilon=1)], [DiscreteGaussian(variance=4)], [ZCDP(rho=1, delta="1e-9")]])
def test_what_the_other_vocabulary_lacks_is_refused(events):
    with pytest.raises(NotProven, match="no counterpart"):
        interchange.to_document(events)


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
