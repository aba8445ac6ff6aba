"""A curve read from a few points is a bound, and close to the whole one."""

from __future__ import annotations

from fractions import Fraction

import pytest

from partita.composition.guarantees.compose import compose
from partita.errors import NotProven
from partita.explain.sampled import Sampled, sampled
from partita.explain.words import explain
from partita.mechanisms.gaussian import GaussianNoise
from partita.mechanisms.laplace import Laplace
from partita.theory.measures.gdp import GDP

RATES = [
    Fraction(0),
    Fraction(1, 1000),
    Fraction(1, 100),
    Fraction(1, 3),
    Fraction(1, 2),
    Fraction(99, 100),
    Fraction(1),
]


def test_a_loss_is_read_as_it_is():
    loss = GDP(mu=1)
    assert sampled(loss) is loss


@pytest.mark.parametrize("rate", RATES)
def test_a_sampled_curve_promises_no_more_than_the_truth_and_almost_as_much(rate):
    total = compose([(GaussianNoise(sigma=10), 100)], delta="1e-6")
    found, truth = (float(curve.false_negatives(rate)) for curve in (sampled(total), GDP(mu=1)))
    assert truth - 0.02 <= found <= truth + 1e-12


def test_a_composed_guarantee_is_explained_with_its_theorem():
    total = compose([(Laplace(epsilon="0.1"), 100)], delta="1e-6")
    said = explain(total)
    assert said.guarantee.startswith("(ε = 4.69")
    assert said.guarantee.endswith("δ = 1e-6)")
    assert "by exact composition of privacy losses" in str(said)
    assert said.facts.group is not None
    assert said.facts.repeated is None


def test_the_relation_of_a_composed_guarantee_is_the_one_explained():
    total = compose([(Laplace(epsilon="0.1"), 2)], delta=0, relation="change-one")
    assert "because your record says what it says" in str(explain(total))


def test_an_approximation_is_not_explained_as_a_promise():
    total = compose([(Laplace(epsilon="0.1"), 100)], delta="1e-6", method="central_limit_approximation")
    with pytest.raises(NotProven) as refusal:
        explain(total)
    assert refusal.value.code == "explain.not-proven"


def test_one_point_is_its_own_curve():
    point = Sampled(((Fraction(0), Fraction(1, 10)),))
    assert float(point.false_negatives(Fraction(1, 2))) == pytest.approx(0.4)
