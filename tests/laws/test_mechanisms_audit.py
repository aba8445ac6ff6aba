"""Every mechanism is audited as it is, on neighbours under every relation it serves: no claim may be refuted."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from partita.attacks.audits.audit import audit
from partita.granularity import Relation
from partita.mechanisms.discrete_gaussian import DiscreteGaussian
from partita.mechanisms.exponential import Exponential
from partita.mechanisms.gaussian import GaussianNoise
from partita.mechanisms.geometric import Geometric
from partita.mechanisms.histogram import cell_distance
from partita.mechanisms.key_selection import GaussianThreshold, LaplaceThreshold
from partita.mechanisms.laplace import Laplace
from partita.mechanisms.noisy_max import NoisyMax
from partita.mechanisms.permute_and_flip import PermuteAndFlip
from partita.mechanisms.perturbed_objective import PerturbedObjective
from partita.mechanisms.randomized_response import RandomizedResponse
from partita.mechanisms.repeated import Repeated
from partita.mechanisms.shuffled import Shuffled
from partita.mechanisms.sparse_vector import SparseVector
from partita.mechanisms.subsampled import Subsampled
from partita.mechanisms.truncated_geometric import TruncatedGeometric
from partita.mechanisms.unary_encoding import UnaryEncoding
from partita.sampling.bits import TestBits
from partita.theory.distance import Distance, Norm
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.profile import Profile
from partita.theory.measures.pure import Pure
from partita.theory.measures.zcdp import ZCDP
from tests.laws.mechanism_family import KINDS

# One false alarm in ten million audits.
SURE = {"confidence": "0.9999999"}
# The counts of three cells: a record comes or goes, or moves from one cell to another.
MOVES = {Relation.ADD_REMOVE: ([6, 5, 5], [5, 5, 5]), Relation.CHANGE_ONE: ([6, 5, 5], [5, 6, 5])}


def batched(one, seed):
    """So many outputs of one release, each with fresh bits of a repeatable source."""
    bits = TestBits(seed)
    return lambda data, count: np.array([one(data, bits) for _ in range(count)])


ADDITIVE = [Laplace(scale=1), GaussianNoise(sigma=1), Geometric(scale=1), DiscreteGaussian(variance=1)]


@pytest.mark.parametrize("relation", list(Relation))
@pytest.mark.parametrize("noise", ADDITIVE, ids=lambda noise: noise.kind)
def test_noise_on_a_histogram_is_not_refuted(noise, relation):
    bits = TestBits(21)
    first, second = MOVES[relation]
    at = cell_distance(noise.norm, relation)
    claim = noise.cost(at, ZCDP) if noise.norm is Norm.L2 else noise.cost(at, Pure)
    shown = audit(
        lambda data, count: noise.release([data] * count, bits=bits),
        first, second, trials=20_000, batch=True, claim=claim, **SURE,
    )  # fmt: skip
    assert not shown.falsifies(claim)
    # The audit sees enough for a fifth of the claim to be refuted.
    assert shown.falsifies(claim.like([part / 5 for part in claim.vector()]))


CHOICES = [Exponential, PermuteAndFlip, NoisyMax]
KEY_RULES = [LaplaceThreshold, GaussianThreshold, TruncatedGeometric]


@pytest.mark.slow
@pytest.mark.parametrize("family", CHOICES)
@pytest.mark.parametrize(("monotone", "second"), [(False, [0, 7]), (True, [1, 7])])
def test_a_choice_is_not_refuted(family, monotone, second):
    choice = family(epsilon=1, monotone=monotone)
    moved = [1, 6] if not monotone else [0, 7]
    shown = audit(batched(lambda data, bits: choice.release(data, bits=bits), 3), moved, second,
                  trials=4000, batch=True, **SURE)  # fmt: skip
    assert not shown.falsifies(choice.cost(Distance.linf(1), Pure))


@pytest.mark.parametrize("values", [2, 5])
def test_randomised_response_is_not_refuted(values):
    response, bits = RandomizedResponse(epsilon=1, values=values), TestBits(8)
    shown = audit(lambda data, count: response.release([data] * count, bits=bits), 0, 1,
                  trials=40_000, batch=True, **SURE)  # fmt: skip
    claim = response.cost(Distance.l1(1), Pure)
    assert not shown.falsifies(claim)
    assert shown.epsilon > 0.8
    assert response.relations == {Relation.CHANGE_ONE}


@pytest.mark.slow
@pytest.mark.parametrize(("monotone", "second"), [(False, [1, 1, 1, -3]), (True, [1, 1, 1, -1])])
def test_a_sparse_vector_is_not_refuted(monotone, second):
    mechanism = SparseVector(epsilon=2, monotone=monotone)

    def answers(values, bits):
        session, asked = mechanism.open(0, bits=bits), 0
        while session.left and asked < len(values):
            session.ask(values[asked])
            asked += 1
        return asked + (session.left > 0)

    shown = audit(batched(answers, 4), [0, 0, 0, -2], second, trials=3000, batch=True, **SURE)
    assert not shown.falsifies(mechanism.cost(Distance.linf(1), Pure))


@pytest.mark.slow
@pytest.mark.parametrize("relation", list(Relation))
@pytest.mark.parametrize(
    ("family", "options"),
    [
        (LaplaceThreshold, {"scale": 2, "threshold": 4}),
        (GaussianThreshold, {"sigma": 2, "threshold": 4}),
        (TruncatedGeometric, {"epsilon": 1, "delta": "0.05"}),
    ],
)
def test_key_selection_is_not_refuted(family, options, relation):
    rule = family(relation=relation, **options)
    one = Distance.l1(1)
    claim = (
        rule.cost(one, Approximate, delta="0.2") if rule.kind == "gaussian_threshold" else rule.cost(one, Approximate)
    )
    first = {"a": 4, "b": 1}
    second = {"a": 4} if relation is Relation.ADD_REMOVE else {"a": 4, "c": 1}

    def released(counts, bits):
        kept = rule.release(counts, bits=bits)
        return sum(weight for weight, key in ((1, "a"), (2, "b"), (4, "c")) if key in kept)

    shown = audit(batched(released, 6), first, second, trials=3000, batch=True, delta=claim.delta, **SURE)
    assert not shown.falsifies(claim)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mechanism", "first", "second", "at"),
    [
        (Subsampled(Geometric(scale=1), rate="0.3"), [1, 1], [1], Distance.l1(1)),
        (
            Subsampled(Geometric(scale=1), rate="0.3", relation="change-one", presence=Distance.l1(1)),
            [1, -1], [1, 1], Distance.l1(2),
        ),
        (Subsampled(Geometric(scale=1), rate="1/2", scheme="without_replacement"), [0, 1], [0, 0], Distance.l1(1)),
    ],
    ids=["poisson add/remove", "poisson change-one", "without replacement change-one"],
)  # fmt: skip
def test_a_release_on_a_sample_is_not_refuted(mechanism, first, second, at):

    def noisy_sum(records, bits):
        sample = mechanism.sample(len(records), bits=bits)
        return mechanism.mechanism.release(int(np.dot(sample, records)), bits=bits)

    shown = audit(batched(noisy_sum, 7), first, second, trials=4000, batch=True, **SURE)
    assert not shown.falsifies(mechanism.cost(at, Pure))
    assert not shown.falsifies(mechanism.cost(at, Profile))


@pytest.mark.slow
@pytest.mark.parametrize("share", [1, Fraction(1, 100)], ids=["as it is", "with a slope a hundred times too small"])
def test_a_perturbed_objective_is_not_refuted_and_a_broken_one_is(share):
    """Rows with the loss -w each: the minimiser of all of them, Λ w²/2 and b w is known in closed form."""
    mechanism = PerturbedObjective(slope=1, bend="1/2", last="1/2", length=1, bent=1, weights=1)

    def released(rows, bits):
        minimiser = (len(rows) - float(share) * mechanism.tilt(bits=bits)) / float(mechanism.regulariser)
        return float(mechanism.finish(minimiser, bits=bits)[0])

    shown = audit(batched(released, 9), [1, 1, 1], [1, 1], trials=600, batch=True, **SURE)
    assert shown.falsifies(mechanism.cost(Distance.l1(1), Pure)) == (share != 1)


@pytest.mark.parametrize("optimised", [False, True], ids=["symmetric", "optimised"])
def test_unary_encoding_is_not_refuted_and_shows_nearly_its_claim(optimised):
    mechanism = UnaryEncoding(epsilon=2, values=3, optimised=optimised)
    bits = TestBits(11)

    def released(answer, count):
        reports = mechanism.release([answer] * count, bits=bits)
        return reports @ [1, 2, 4]

    shown = audit(released, 0, 1, trials=200_000, batch=True, **SURE)
    assert not shown.falsifies(mechanism.cost(Distance.l1(1), Pure))
    assert not shown.falsifies(mechanism.cost(Distance.l1(1), Profile))
    assert shown.epsilon > 1.7


def test_a_shuffled_pile_is_not_refuted():
    mechanism = Shuffled(RandomizedResponse(epsilon=2, values=3), people=6)
    bits = TestBits(12)

    def released(answer, count):
        truth = np.full((count, 6), 2)
        truth[:, 0] = answer
        reports = mechanism.mechanism.release(truth, bits=bits)
        return (reports == 0).sum(axis=1) * 7 + (reports == 1).sum(axis=1)

    claim = mechanism.cost(Distance.l1(1), Approximate, delta="0.05")
    shown = audit(released, 0, 1, trials=100_000, batch=True, delta=claim.delta, **SURE)
    assert not shown.falsifies(claim)
    assert not shown.falsifies(mechanism.cost(Distance.l1(1), Profile))
    assert shown.epsilon > 0.8 * float(claim.epsilon)


def test_the_best_of_repeated_runs_is_not_refuted():
    """One run shows its answer, and of all runs the largest is kept: with a fixed number of runs it would show more."""
    mechanism, once = Repeated(epsilon=1, stop="1/4"), RandomizedResponse(epsilon=1)
    bits = TestBits(13)

    def released(answer, count):
        runs = np.random.default_rng(5).geometric(0.25, count)
        said = once.release(np.full(int(runs.sum()), answer), bits=bits)
        return np.maximum.reduceat(said, np.cumsum(runs) - runs)

    shown = audit(released, 0, 1, trials=100_000, batch=True, **SURE)
    assert not shown.falsifies(mechanism.cost(Distance.l1(1), Pure))
    assert shown.epsilon > 1.2


def test_every_mechanism_is_audited():
    single = {RandomizedResponse, SparseVector, Repeated, Shuffled, Subsampled, PerturbedObjective, UnaryEncoding}
    audited = {*ADDITIVE, *CHOICES, *KEY_RULES, *single}
    assert {each.kind for each in audited} == set(KINDS)
