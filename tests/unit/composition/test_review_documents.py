from __future__ import annotations

import json
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb, ctx

from partita.composition.calibration.largest import guide
from partita.composition.exchange import documents, interchange
from partita.composition.guarantees.compose import compose
from partita.composition.plans.plan import Plan
from partita.effort import bounded
from partita.errors import InvalidInput, NotProven, PartitaError
from partita.exact import exact
from partita.granularity.base import Relation
from partita.mechanisms.gaussian import GaussianNoise
from partita.mechanisms.geometric import Geometric
from partita.mechanisms.laplace import Laplace
from partita.mechanisms.randomized_response import RandomizedResponse
from partita.mechanisms.subsampled import Subsampled
from partita.theory.distance import Distance
from partita.theory.losses import subsampled_gaussian
from partita.theory.losses.outward import FUNCTION, UNIT
from partita.theory.losses.quadrature import _log_mixture
from partita.theory.measures.gdp import GDP
from partita.theory.measures.zcdp import ZCDP


@pytest.mark.parametrize("more", [{"mechanism": "laplace", "epsilon": 5}, {"distance": 3}, {"rate": "0.1"}], ids=str)
def test_a_loss_with_other_fields_is_refused(more: dict[str, object]) -> None:
    event = {"loss": {"kind": "pure", "epsilon": "0.1"}, **more}
    with pytest.raises(InvalidInput, match="stands alone"):
        documents.compose_document({"version": 1, "delta": "1e-6", "events": [event]})


def test_a_count_in_a_document_has_the_same_limit() -> None:
    event = {"mechanism": "laplace", "epsilon": 1, "count": 2**60}
    with pytest.raises(InvalidInput, match="cannot be counted"):
        documents.compose_document({"version": 1, "delta": "1e-6", "events": [event]})


def test_the_relation_makes_the_journey() -> None:
    document = json.loads(json.dumps(interchange.to_document([Laplace(epsilon="0.1")], "change-one")))
    assert interchange.plan_from_document(document).relation is Relation.CHANGE_ONE
    assert documents.compose_document({**document, "delta": "1e-6"}).relation is Relation.CHANGE_ONE
    sampled = interchange.to_document([Subsampled(GaussianNoise(sigma=2), rate="0.1")])
    assert sampled["relation"] == "add/remove"
    with pytest.raises(NotProven, match="relation"):
        interchange.from_document({**sampled, "relation": "change-one"})
    with pytest.raises(InvalidInput, match="not a relation"):
        interchange.from_document({**document, "relation": "x"})


def test_a_sample_under_change_one_is_not_written_as_one_under_add_remove() -> None:
    sampled = Subsampled(GaussianNoise(sigma=2), rate="0.1", relation="change-one", presence=Distance.l2(1))
    with pytest.raises(NotProven, match="no counterpart"):
        interchange.to_document([sampled])


@pytest.mark.parametrize("third", range(1, 40))
def test_numbers_are_rounded_towards_the_larger_loss(third: int) -> None:
    value = Fraction(third, 3)
    written = interchange.to_document([GaussianNoise(sigma=value)])["event"]["noise_multiplier"]
    assert exact(written) <= value
    assert exact(interchange.to_document([Laplace(scale=value)])["event"]["noise_multiplier"]) <= value
    assert exact(interchange.to_document([ZCDP(rho=value)])["event"]["rho"]) >= value
    assert exact(interchange.to_document([GDP(mu=value)])["event"]["noise_multiplier"]) <= 1 / value
    assert exact(interchange.to_document([Geometric(epsilon=value)])["event"]["noise_parameter"]) >= value
    back = interchange.from_document(interchange.to_document([RandomizedResponse(epsilon=value)]))
    assert back[0].mechanism.epsilon >= value  # type: ignore[attr-defined]
    plan = [GaussianNoise(sigma=value).at(Distance.l2(3))]
    back = interchange.from_document(interchange.to_document(plan))
    assert compose(back, delta="1e-6").epsilon >= compose(plan, delta="1e-6").epsilon * (1 - 1e-10)


@pytest.mark.parametrize("rate", [0.01, 0.5, 0.75, 0.9, 0.999, 1 - 1e-9, 1 - 1e-15, 1.0])
def test_the_logarithm_of_a_mixture_keeps_its_digits(rate: float) -> None:
    v = np.concatenate([-np.geomspace(1e-9, 60.0, 60), np.geomspace(1e-9, 60.0, 30)])
    found = _log_mixture(rate, v)
    for at, value in zip(v.tolist(), found.tolist(), strict=True):
        with ctx.workprec(300):
            mixture = 1 - arb(rate) + arb(rate) * arb(at).exp()
            share = float(arb(rate) * arb(at).exp() / mixture)
            error = abs(float(arb(value) - mixture.log()))
        assert error <= 4 * FUNCTION * abs(value) + 4 * UNIT * (abs(at) + 1) * share, (at, value)
        assert math.isfinite(value)


def test_a_calibration_of_extremes_stops_after_a_few_large_integrals(monkeypatch: pytest.MonkeyPatch) -> None:
    """It took three seconds before it was refused: the nodes of its integrals were not counted."""
    nodes: list[int] = []
    rule = subsampled_gaussian.rule

    def counted(*args: Any, **more: Any) -> Any:
        found = rule(*args, **more)
        nodes.append(len(found.weight))
        return found

    monkeypatch.setattr(subsampled_gaussian, "rule", counted)
    extreme = {"version": 1, "mechanism": "gaussian", "count": 3, "epsilon": 1e-9, "delta": "1e-6", "rate": "0.1"}
    with pytest.raises(PartitaError) as refusal:
        documents.calibrate_document(extreme)
    assert refusal.value.code == "composition.too-much-work"
    assert sum(nodes) < 6_000_000


def test_a_guide_over_too_many_nodes_is_refused_before_they_are_made() -> None:
    def far(strength: float) -> Plan:
        return Plan.protecting([(Laplace(epsilon=strength).at(Distance.l1("1e70")), 10)], None)

    with bounded(documents.MOST_STEPS, composing=True), pytest.raises(PartitaError) as refusal:
        guide(far, 1.0, 1e-6, 0.1, "best")
    assert refusal.value.code == "composition.too-much-work"
