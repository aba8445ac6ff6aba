"""Known deployments carry their published losses, and are read like the guarantee beside them."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from partita.explain.deployments import DEPLOYMENTS, beside, compared
from partita.explain.words import explain
from partita.theory.measures.gdp import GDP
from partita.theory.measures.pure import Pure


def test_every_deployment_says_its_unit_and_its_source():
    assert len({one.name for one in DEPLOYMENTS}) == len(DEPLOYMENTS) >= 5
    assert all(one.unit and one.source for one in DEPLOYMENTS)


def test_the_numbers_are_computed_from_the_published_losses():
    shown = {one.deployment.name.split(" (")[0]: one.tpr for one in beside("0.01")}
    assert shown["COVID-19 mobility reports"] == pytest.approx(0.01 * math.exp(2.64))
    assert shown["audience engagements"] == pytest.approx(1)
    stronger = {one.deployment.name.split(" (")[0]: one.tpr for one in beside("0.0001")}
    assert all(stronger[name] <= shown[name] for name in shown)


@pytest.mark.parametrize("loss", [Pure(epsilon="0.1"), Pure(epsilon=3), GDP(mu=1)], ids=str)
def test_the_guarantee_stands_among_them_in_order(loss):
    lines = list(compared(loss, fpr="0.01"))[1:-1]
    assert len(lines) == len(DEPLOYMENTS) + 1
    place = next(at for at, line in enumerate(lines) if line.startswith("this guarantee"))
    own = 1 - float(loss.false_negatives(Fraction(1, 100)))
    assert place == sum(one.tpr < own for one in beside("0.01"))


def test_the_comparison_is_made_on_request_and_warns_that_units_differ():
    said = explain(Pure(epsilon=1), compared=True)
    assert [section.title for section in said.sections][-2:] == [
        "Beside deployments that people know",
        "What is not promised",
    ]
    assert "no like for like" in str(said)
    assert "LinkedIn" not in str(explain(Pure(epsilon=1)))


def test_the_voter_and_his_boss_are_told():
    assert "A boss who reads how people like you vote" in str(explain(Pure(epsilon=1)))
