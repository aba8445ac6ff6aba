"""A model that learns by heart tells whom it has seen; Partita's models do not, whichever way they are trained."""

from __future__ import annotations

import numpy as np
import pytest

from partita.algorithms import LogisticRegression
from partita.attacks.laboratory.models import infer_from_model
from partita.sampling.bits import TestBits


def trained(**options):
    def fit(rows, labels):
        model = LogisticRegression(bounds=(-1, 1), classes=[False, True], **options)
        return model.fit(rows, labels).decision_function

    return fit


@pytest.mark.slow
@pytest.mark.parametrize("solver", ["objective", "descent"])
def test_a_private_classifier_keeps_its_promise_where_a_plain_one_tells_all(solver):
    price = {"epsilon": 1} if solver == "objective" else {"epsilon": 1, "delta": "1e-9"}
    outcome = infer_from_model(trained(solver=solver, **price), epsilon=1, bits=TestBits(8))
    assert outcome.works
    assert outcome.withstood


def test_a_model_that_learns_by_heart_is_found_out():
    def fit(rows, labels):
        weights = np.linalg.pinv(rows) @ np.where(labels, 1.0, -1.0)
        return lambda given: given @ weights

    outcome = infer_from_model(fit, epsilon=1, canaries=200, features=1000, bits=TestBits(9))
    assert not outcome.withstood
    assert outcome.against > 1.5
