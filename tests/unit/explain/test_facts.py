"""The numbers of an explanation come from the guarantee, and are bounds."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from partita.errors import InvalidInput
from partita.explain.facts import facts_of
from partita.granularity import Relation
from partita.theory import semantics
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.gdp import GDP
from partita.theory.measures.pure import Pure
from partita.theory.measures.renyi import Renyi
from partita.theory.measures.zcdp import ZCDP

EPSILONS = st.fractions(Fraction(1, 100), 6, max_denominator=1000)


@given(epsilon=EPSILONS, fpr=st.sampled_from(["0.001", "0.01", "0.2"]))
def test_a_pure_loss_is_read_without_a_delta(epsilon, fpr):
    facts = facts_of(Pure(epsilon=epsilon), fpr=fpr)
    assert facts.presence is not None
    assert (facts.delta, facts.presence.surprise) == (0, 0)
    assert facts.multiplier == pytest.approx(math.exp(epsilon))
    assert facts.tpr == semantics.true_positive_rate(fpr, Pure(epsilon=epsilon))
    assert facts.with_and_without == pytest.approx(math.exp(2 * epsilon))
    assert facts.group is not None
    assert facts.group.epsilon == pytest.approx(4 * float(epsilon))
    assert facts.repeated is not None
    assert facts.repeated.epsilon == pytest.approx(10 * float(epsilon))


@given(epsilon=EPSILONS, prior=st.fractions(Fraction(1, 100), Fraction(99, 100), max_denominator=100))
def test_beliefs_hold_every_posterior_that_randomised_response_gives(epsilon, prior):
    facts = facts_of(Pure(epsilon=epsilon), priors=[prior], relation=Relation.CHANGE_ONE)
    assert facts.presence is None
    assert facts.content is not None
    belief = facts.content.moves[0]
    keep = 1 / (1 + math.exp(-epsilon))
    for right in (keep, 1 - keep):
        told = float(prior) * right / (float(prior) * right + (1 - float(prior)) * (1 - right))
        assert belief.low - 1e-12 <= told <= belief.high + 1e-12


def test_what_a_record_says_is_two_steps_away_where_records_come_and_go():
    """One that goes and another that comes: a noisy count of each of two values shows it."""
    facts = facts_of(Pure(epsilon=1), priors=["0.5"])
    assert facts.presence is not None
    assert facts.content is not None
    assert facts.presence.moves[0].high == pytest.approx(1 / (1 + math.exp(-1)))
    assert facts.content.moves[0].high == pytest.approx(1 / (1 + math.exp(-2)))


def test_outputs_beyond_the_bounds_on_beliefs_are_no_likelier_than_said():
    """Two Gaussians, in each world: the loss leaves the interval with less than the probability stated."""
    facts = facts_of(GDP(mu=1), delta="1e-3", priors=["0.5"])
    assert facts.presence is not None
    edge = math.log(facts.presence.moves[0].high / (1 - facts.presence.moves[0].high))
    outside = norm.sf(edge, 0.5, 1) + norm.cdf(-edge, 0.5, 1)
    assert outside <= facts.presence.surprise <= 10 * outside


@pytest.mark.parametrize("loss", [ZCDP(rho="0.1"), GDP(mu="0.5"), ZCDP(rho="0.1", delta="1e-9")])
def test_a_loss_for_every_delta_is_read_at_one_in_a_million(loss):
    facts = facts_of(loss)
    assert facts.delta == pytest.approx(1e-6, rel=1e-2)
    assert facts.epsilon == pytest.approx(float(loss.epsilon_at(Fraction(facts.delta))), rel=1e-9)
    assert facts.presence is not None
    assert facts.presence.surprise > facts.delta
    assert facts.with_and_without is None


def test_the_delta_that_is_asked_for_is_used():
    assert facts_of(GDP(mu=1), delta="1e-9").epsilon > facts_of(GDP(mu=1), delta="1e-3").epsilon
    assert facts_of(Approximate(epsilon=1, delta="1e-8")).delta == 1e-8


def test_a_group_without_a_rule_gives_the_reason():
    facts = facts_of(ZCDP(rho="0.5", delta="1e-6"))
    assert "promises nothing to 4 together: by the rule for groups the δ grows to 12.8" in facts.why_no_group
    assert facts.group is not None
    assert (facts.group.members, round(facts.group.delta, 3)) == (3, 0.069)
    assert facts_of(Approximate(epsilon=8, delta="1e-3")).group is None
    assert not facts_of(ZCDP(rho="0.5")).why_no_group


def test_where_the_measure_has_no_rule_a_group_is_read_as_epsilon_and_delta_first():
    """Theory B19: (kε, δ Σ e^{jε}), which is a promise as long as that δ is below one."""
    for loss in (Renyi(orders=[2, 8], taus=["0.1", "0.4"]), ZCDP(rho="0.01", delta="1e-9")):
        facts = facts_of(loss)
        assert facts.group is not None
        assert facts.group.epsilon == pytest.approx(4 * facts.epsilon)
        assert facts.group.delta == pytest.approx(facts.delta * sum(math.exp(j * facts.epsilon) for j in range(4)))
        assert facts.content is not None


def test_a_group_is_never_better_off_than_one():
    for loss in (Pure(epsilon="0.3"), Approximate(epsilon="0.3", delta="1e-9"), ZCDP(rho="0.01"), GDP(mu="0.2")):
        facts = facts_of(loss)
        assert facts.group is not None
        assert facts.group.epsilon > facts.epsilon
        assert facts.group.tpr > facts.tpr


def test_no_loss_at_all_moves_nothing():
    facts = facts_of(Pure(epsilon=0))
    assert facts.multiplier == 1
    assert facts.tpr == facts.fpr
    assert facts.falsely_accused == 0.5
    assert facts.presence is not None
    assert all(belief.low <= belief.prior <= belief.high for belief in facts.presence.moves)


@pytest.mark.parametrize("bad", [{"fpr": 0}, {"fpr": 2}, {"fpr": "x"}, {"group": 1}, {"group": 2.5}, {"delta": -1}])
def test_bad_input_is_refused(bad):
    with pytest.raises(InvalidInput):
        facts_of(Pure(epsilon=1), **bad)


@pytest.mark.parametrize("what", [1, None, "ε = 1", object()])
def test_only_a_guarantee_can_be_explained(what):
    with pytest.raises(InvalidInput) as refusal:
        facts_of(what)
    assert refusal.value.code == "explain.not-a-guarantee"
