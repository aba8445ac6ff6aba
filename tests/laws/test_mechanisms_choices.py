"""Choices and sparse vectors against exact probabilities, for all small score vectors and all their neighbours."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from partita.granularity import Relation
from partita.mechanisms.exponential import Exponential
from partita.mechanisms.noisy_max import NoisyMax
from partita.mechanisms.permute_and_flip import PermuteAndFlip
from partita.mechanisms.sparse_vector import SparseVector
from partita.sampling.bits import TestBits
from partita.theory.distance import Distance
from partita.theory.measures.gdp import GDP
from partita.theory.measures.pure import Pure
from partita.theory.measures.zcdp import ZCDP
from tests.laws.brute_force import hockey_stick, noisy_max_law, renyi, sparse_vector_law, transcript_chance, worst_loss

UNIT = Distance.linf(1)
SCORES = [scores for scores in itertools.product(range(3), repeat=3) if min(scores) == 0]
ANY = list(itertools.product((-1, 0, 1), repeat=3))
SAME_WAY = [move for move in ANY if min(move) >= 0]
ORDERS = (1.01, 1.5, 2.0, 4.0, 16.0, 64.0)


def pairs(moves):
    for scores in SCORES:
        for move in moves:
            yield scores, [score + step for score, step in zip(scores, move, strict=True)]


@pytest.mark.parametrize("epsilon", ["0.1", "1", "3"])
@pytest.mark.parametrize("monotone", [False, True])
@pytest.mark.parametrize("family", [Exponential, PermuteAndFlip])
def test_a_choice_keeps_its_word_on_all_small_neighbours(family, monotone, epsilon):
    choice = family(epsilon=epsilon, monotone=monotone)
    pure, rho = float(choice.cost(UNIT, Pure).epsilon), float(choice.cost(UNIT, ZCDP).rho)
    pair, gdp = choice.pair(UNIT), choice.cost(UNIT, GDP)
    for first, second in pairs(SAME_WAY if monotone else ANY):
        p, q = choice.probabilities(first), choice.probabilities(second)
        assert worst_loss(p, q) <= pure * (1 + 1e-12)
        for a, b in ((p, q), (q, p)):
            assert all(renyi(a, b, order) <= order * rho * (1 + 1e-9) + 1e-15 for order in ORDERS)
            for share in (-0.9, -0.3, 0.0, 0.2, 0.5, 0.9):
                true = hockey_stick(a, b, share * pure)
                assert true <= pair.delta(share * pure) * (1 + 1e-12) + 1e-15
                assert true <= float(gdp.delta_at(Fraction(share * pure))) + 1e-12


def test_the_curve_of_bounded_range_is_reached():
    """Two candidates, one of which gains as the other loses, at the scores where the loss is centred."""
    choice = Exponential(epsilon=1)
    p, q = choice.probabilities([0, 0]), choice.probabilities([1, -1])
    largest = max(hockey_stick(p, q, 0.0), hockey_stick(q, p, 0.0))
    assert largest <= choice.pair(UNIT).delta(0.0)
    # With the gap chosen so that the loss is ± ε/2, the bound tanh(ε/4) is met.
    gap = np.exp([0.25, -0.25])
    a, b = gap / gap.sum(), gap[::-1] / gap.sum()
    assert math.isclose(hockey_stick(a, b, 0.0), math.tanh(0.25), rel_tol=1e-12)
    assert math.isclose(choice.pair(UNIT).delta(0.0), math.tanh(0.25), rel_tol=1e-4)


def test_permute_and_flip_is_not_as_cheap_as_the_exponential_mechanism():
    choice = PermuteAndFlip(epsilon=2)
    p, q = choice.probabilities([0, 0]), choice.probabilities([-1, 1])
    divergence = float(np.sum(p * np.log(p / q)))
    assert Exponential(epsilon=2).cost(UNIT, ZCDP).rho < divergence <= choice.cost(UNIT, ZCDP).rho


@pytest.mark.parametrize("epsilon", ["0.25", "1", "2"])
@pytest.mark.parametrize("monotone", [False, True])
def test_the_noisy_maximum_keeps_its_word_on_all_small_neighbours(monotone, epsilon):
    choice = NoisyMax(epsilon=epsilon, monotone=monotone)
    bound, scale = float(choice.cost(UNIT, Pure).epsilon), float(choice.scale)
    laws = {}

    def law(scores):
        key = tuple(score - min(scores) for score in scores)
        if key not in laws:
            laws[key] = noisy_max_law(key, scale, reach=round(40 * scale) + 10)
        return laws[key]

    worst = max(worst_loss(law(first), law(second)) for first, second in pairs(SAME_WAY if monotone else ANY))
    assert 0.5 * bound < worst <= bound * (1 + 1e-9)


def test_monotone_noise_does_not_serve_scores_that_move_both_ways():
    choice = NoisyMax(epsilon=1, monotone=True)
    worst = worst_loss(noisy_max_law([0, 30], 1.0, 120), noisy_max_law([1, 29], 1.0, 120))
    assert worst > 1.9 * float(choice.cost(UNIT, Pure).epsilon)
    assert choice.relations == {Relation.ADD_REMOVE}
    assert NoisyMax(epsilon=1).relations == set(Relation)


@pytest.mark.parametrize("family", [Exponential, PermuteAndFlip, NoisyMax])
def test_a_choice_is_drawn_with_its_probabilities(family):
    choice, scores, runs = family(epsilon=1), [0, 2, 1], 4000
    bits = TestBits(11)
    seen = np.bincount([choice.release(scores, bits=bits) for _ in range(runs)], minlength=3)
    chances = noisy_max_law(scores, 2.0, 100) if family is NoisyMax else choice.probabilities(scores)
    # Five and a half standard deviations: a false alarm in 10^7 runs for each candidate.
    assert all(abs(seen - runs * chances) <= 5.5 * np.sqrt(runs * chances * (1 - chances)))


def small_transcripts(length, moves, mechanism, positives):
    scales = float(mechanism.threshold_scale), float(mechanism.query_scale)
    reach = round(35 * scales[0]) + 10
    laws = {}

    def law(values):
        if tuple(values) not in laws:
            laws[tuple(values)] = sparse_vector_law(values, *scales, positives, reach)
        return laws[tuple(values)]

    for first in itertools.product((0, 1), repeat=length):
        for move in moves:
            second = tuple(value + step for value, step in zip(first, move, strict=True))
            p, q = law(first), law(second)
            yield worst_loss([p[key] for key in p], [q[key] for key in p])


@pytest.mark.parametrize(("positives", "length"), [(1, 3), (2, 4)])
@pytest.mark.parametrize("monotone", [False, True])
def test_a_sparse_vector_keeps_its_word_on_all_small_neighbours(positives, length, monotone):
    mechanism = SparseVector(epsilon=1, positives=positives, monotone=monotone)
    moves = list(itertools.product((0, 1) if monotone else (-1, 1), repeat=length))
    worst = max(small_transcripts(length, moves, mechanism, positives))
    assert 0.3 < worst <= 1 + 1e-9


def forced(mechanism, below, above, *, query_scale=None, noisy_threshold=True):
    """The loss of a transcript of many below, at values that rise, and then some above, at values that fall."""
    scales = (
        float(mechanism.threshold_scale) if noisy_threshold else None,
        float(mechanism.query_scale if query_scale is None else query_scale),
    )
    answers = [False] * below + [True] * above
    p = transcript_chance([20] * below + [-30] * above, answers, *scales)
    q = transcript_chance([21] * below + [-31] * above, answers, *scales)
    return abs(math.log(p / q))


@pytest.mark.parametrize("positives", [1, 2, 5])
def test_a_sparse_vector_comes_close_to_its_cost_and_never_exceeds_it(positives):
    mechanism = SparseVector(epsilon=1, positives=positives)
    assert 0.9 < forced(mechanism, 300, positives) <= 1 + 1e-9


def test_without_noise_on_the_threshold_the_loss_grows_with_the_questions():
    mechanism = SparseVector.above_threshold(epsilon=1)
    losses = [forced(mechanism, questions, 1, noisy_threshold=False) for questions in (1, 5, 50)]
    assert losses[1] > 1
    assert losses[2] > 10 > losses[1] > losses[0]


def test_query_noise_must_grow_with_the_number_of_positives():
    one = SparseVector(epsilon=1, positives=1)
    assert forced(one, 50, 6, query_scale=one.query_scale) > 2.5


def test_a_session_has_the_law_of_its_definition():
    mechanism = SparseVector(epsilon=2, positives=2)
    values, runs = [1, -2, 3], 2000
    bits = TestBits(5)
    seen: dict[tuple[bool, ...], int] = {}
    for _ in range(runs):
        session, answers = mechanism.open(0, bits=bits), []
        while session.left and len(answers) < len(values):
            answers.append(session.ask(values[len(answers)]))
        seen[tuple(answers)] = seen.get(tuple(answers), 0) + 1
    law = sparse_vector_law(values, float(mechanism.threshold_scale), float(mechanism.query_scale), 2, 150)
    assert set(seen) <= set(law)
    for answers, chance in law.items():
        assert abs(seen.get(answers, 0) - runs * chance) <= 5.6 * math.sqrt(runs * chance) + 1
