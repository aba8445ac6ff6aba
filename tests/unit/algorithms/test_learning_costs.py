"""Every learner costs what was paid for it, under its relation, by composition of all its releases."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from partita.algorithms.learning.classifying.descent import Descent
from partita.algorithms.learning.classifying.logistic import Logistic
from partita.algorithms.learning.classifying.perturbed import Perturbed
from partita.algorithms.learning.clustering.clusters import STEPS, Clusters
from partita.algorithms.learning.clustering.lloyd import Lloyd
from partita.algorithms.learning.lattice import Lattice
from partita.algorithms.learning.linear import Linear
from partita.algorithms.learning.moments import UNIT
from partita.algorithms.learning.principal import Principal
from partita.algorithms.learning.sums import Reach, Sum, budget_of, divided, priced, pure_of, spread
from partita.composition.calibration.pricing import Price
from partita.composition.guarantees.compose import compose
from partita.errors import InvalidInput, NotProven
from partita.granularity.base import Relation
from partita.mechanisms.gaussian import GaussianNoise
from partita.mechanisms.laplace import Laplace
from partita.mechanisms.subsampled import Subsampled
from partita.theory.measures.pure import Pure
from partita.theory.measures.zcdp import ZCDP

PRICES = {"ε": Price.of(epsilon="0.5"), "ε, δ": Price.of(epsilon="0.5", delta="1e-6"), "ρ": Price.of(rho="0.01")}
BOX = Lattice.of((-1, 1), features=3, steps=UNIT)
ONE = Lattice.of((0, 10), features=1, steps=UNIT)
PLANS = {
    "kmeans": lambda price, relation: Clusters.plan(
        Lattice.of((-1, 1), features=2, steps=STEPS), 4, price, relation=relation
    ),
    "kmeans wide": lambda price, relation: Clusters.plan(
        Lattice.of((-1, 1), features=20, steps=STEPS), 4, price, relation=relation
    ),
    "lloyd": lambda price, relation: Lloyd.plan(2, clusters=3, turns=5, price=price, relation=relation, noise=None),
    "linear": lambda price, relation: Linear.plan(BOX, ONE, np.sqrt(3), price, relation=relation),
    "principal": lambda price, relation: Principal.plan(BOX, np.sqrt(3), price, relation=relation),
    "logistic": lambda price, relation: Logistic.plan(BOX, 2, np.sqrt(3), price, relation=relation),
    "perturbed": lambda price, relation: Perturbed.plan(BOX, 2, np.sqrt(3), price, relation=relation),
    "curved": lambda price, relation: Perturbed.plan(BOX, 2, np.sqrt(3), price, relation=relation, curved=True),
    "descent": lambda price, relation: Descent.plan(BOX, 3, 1.0, price, relation=relation),
    "disjoint": lambda price, relation: Descent.plan(BOX, 3, 1.0, price, batches="disjoint", relation=relation),
}


@pytest.mark.parametrize("relation", list(Relation), ids=lambda relation: relation.value)
@pytest.mark.parametrize("price", sorted(PRICES))
@pytest.mark.parametrize("plan", sorted(PLANS))
def test_all_releases_together_cost_no_more_than_the_price(plan, price, relation):
    paid = PRICES[price]
    learner = PLANS[plan](paid, relation)
    if paid.rho is not None:
        losses = learner.losses(changed=relation is Relation.CHANGE_ONE)
        spent = sum(one.cost(ZCDP).rho for one in losses)
        assert Fraction(9, 10) * paid.rho <= spent <= paid.rho
        return
    spent = compose(learner.events(relation), delta=paid.delta or 0, relation=relation).epsilon
    assert 0.3 * float(paid.epsilon) < spent <= float(paid.epsilon) * (1 + 1e-12)  # compose rounds up


def test_seed_lloyd_has_the_scales_of_the_lecture_notes():
    plan = Lloyd.plan(2, clusters=3, turns=5, price=Price.of(epsilon=1))
    assert plan.noisy.noise("counts") == Laplace(scale=10)
    assert [(one.distance.power / one.mechanism.scale, one.count) for one in plan.losses()] == [
        (Fraction(1, 10), 5)
    ] * 2
    doubled = Lloyd.plan(2, clusters=3, turns=5, price=Price.of(epsilon=1), relation=Relation.CHANGE_ONE)
    assert doubled.noisy.noise("counts") == Laplace(scale=20)


def test_disjoint_batches_cost_what_one_step_costs():
    price = Price.of(epsilon=1, delta="1e-6")
    all_rows = Descent.plan(BOX, 2, 1.0, price, turns=100).noisy.noise("gradient")
    disjoint = Descent.plan(BOX, 2, 1.0, price, turns=100, batches="disjoint").noisy.noise("gradient")
    poisson = Descent.plan(BOX, 2, 1.0, price, turns=100, batches="poisson", rate="1/100").noisy.noise("gradient")
    # Each row is in one batch of a hundred: nothing to hide in the others. A secret sample hides even more a step.
    assert spread(all_rows) > 2 * spread(disjoint) > 2 * spread(poisson)


def test_poisson_samples_are_composed_as_samples():
    price = Price.of(epsilon=1, delta="1e-6")
    learner = Descent.plan(BOX, 2, 1.0, price, turns=5, batches="poisson")
    assert any(isinstance(one.mechanism, Subsampled) for one in learner.losses())
    assert 0.95 < learner.guarantee(delta="1e-6").epsilon <= 1
    assert learner.losses(changed=True)[-1].mechanism.relations == {Relation.CHANGE_ONE}
    with pytest.raises(NotProven, match="proven for one row"):
        learner.losses(3)
    with pytest.raises(InvalidInput, match="δ"):
        Descent.plan(BOX, 2, 1.0, Price.of(rho=1), batches="poisson")


def test_the_noise_that_is_less_is_chosen():
    few = priced([Sum("count", Reach(1, 1), Reach(1, 1))], Price.of(epsilon=1, delta="1e-6"))
    many = priced([Sum("count", Reach(1, 1), Reach(1, 1), Fraction(1), 400)], Price.of(epsilon=1, delta="1e-6"))
    assert isinstance(few.noises[0], Laplace)
    assert isinstance(many.noises[0], GaussianNoise)
    with pytest.raises(InvalidInput, match="needs a price with a δ"):
        priced([Sum("count", Reach(1, 1), Reach(1, 1))], Price.of(epsilon=1), noise="gaussian")


@pytest.mark.parametrize("price", [Price.of(mu="0.5"), Price.of(rho="0.1"), Price.of(epsilon=2)], ids=str)
def test_two_parts_of_a_price_cost_no_more_than_the_whole(price):
    whole = budget_of(price)
    first, second = (budget_of(part) for part in divided(price, Fraction(1, 10)))
    assert (first + second).fits(whole)
    assert whole.like([part * Fraction(999, 1000) for part in whole.vector()]).fits(first + second)


def test_a_pure_release_within_a_price_in_rho_fits_it():
    epsilon = pure_of(Price.of(rho="0.02"))
    cost = Perturbed.plan(BOX, 2, 1.0, Price.of(epsilon=epsilon)).losses()[0].mechanism
    assert ZCDP(rho=Fraction(199, 10000)).rho <= cost.cost(cost.unit(), ZCDP).rho <= Fraction(2, 100)
    assert cost.cost(cost.unit(), Pure).epsilon == epsilon
