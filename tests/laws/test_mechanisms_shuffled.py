"""Shuffled reports against exact sums over all piles, and a published bound that is too small."""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partita.composition.exchange.documents import calibrate_document, compose_document
from partita.composition.guarantees.compose import compose
from partita.errors import PartitaError
from partita.mechanisms.exponential import Exponential
from partita.mechanisms.gaussian import GaussianNoise
from partita.mechanisms.laplace import Laplace
from partita.mechanisms.randomized_response import RandomizedResponse
from partita.mechanisms.shuffled import Shuffled
from partita.mechanisms.subsampled import Subsampled
from partita.mechanisms.unary_encoding import UnaryEncoding
from partita.sampling.bits import TestBits
from partita.theory.distance import Distance
from partita.theory.losses.shuffled import among_answers, among_clones, shuffled_loss
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.pure import Pure
from partita.theory.measures.renyi import Renyi
from tests.refusals import taken
from tests.sizes import tried

ONE = Distance.l1(1)
LEVELS = (-0.4, -0.1, 0.0, 0.05, 0.2, 0.5, 0.9, 1.5)


def piles(rows):
    """The law of the multiset of reports, one drawn from each row of probabilities."""
    found = {(0,) * len(rows[0]): 1.0}
    for row in rows:
        more = defaultdict(float)
        for pile, mass in found.items():
            for report, chance in enumerate(row):
                if chance:
                    more[(*pile[:report], pile[report] + 1, *pile[report + 1 :])] += mass * chance
        found = more
    return found


def hockey_stick(first, second, level):
    return sum(max(mass - math.exp(level) * second.get(pile, 0.0), 0.0) for pile, mass in first.items())


def renyi(first, second, order):
    total = sum(mass**order * second[pile] ** (1 - order) for pile, mass in first.items())
    return math.log(total) / (order - 1)


def responses(epsilon, answers):
    other = 1 / (math.exp(epsilon) + answers - 1)
    return [[math.exp(epsilon) * other if a == b else other for b in range(answers)] for a in range(answers)]


def subsets(epsilon, answers, size):
    """Report a subset of the answers; those with one's own in it are e^ε times as likely."""
    chosen = list(itertools.combinations(range(answers), size))
    rows = [[math.exp(epsilon) if a in subset else 1.0 for subset in chosen] for a in range(answers)]
    return [[weight / sum(row) for weight in row] for row in rows]


def holds(law, table, people):
    """Whatever the others say, and whichever two answers are told apart."""
    for others in itertools.combinations_with_replacement(range(len(table)), people - 1):
        first, second = (piles([table[mine], *(table[other] for other in others)]) for mine in (0, 1))
        for level in LEVELS:
            assert hockey_stick(first, second, level) <= law.delta(level) * (1 + 1e-9) + 1e-12, (others, level)


@pytest.mark.parametrize(
    ("epsilon", "answers", "people"),
    [(1.0, 2, 2), (1.0, 2, 6), (3.0, 2, 5), (1.0, 3, 4), (0.3, 4, 3), (2.0, 4, 4), (1.5, 5, 3)],
)
def test_shuffled_responses_keep_their_word_whatever_the_others_say(epsilon, answers, people):
    holds(shuffled_loss(among_answers(epsilon, people, answers)), responses(epsilon, answers), people)


@pytest.mark.parametrize(
    ("table", "epsilon", "people"),
    [
        (responses(1.0, 2), 1.0, 5),
        (responses(2.0, 4), 2.0, 4),
        (subsets(1.0, 4, 2), 1.0, 3),
        (subsets(2.0, 5, 2), 2.0, 3),
        (np.kron(responses(0.5, 2), responses(0.5, 2)).tolist(), 1.0, 4),
    ],
)
def test_any_shuffled_randomiser_keeps_its_word(table, epsilon, people):
    holds(shuffled_loss(among_clones(epsilon, people)), table, people)


@settings(max_examples=tried(20, soaking=1000))
@pytest.mark.soak
@given(data=st.data(), people=st.integers(2, 3))
def test_randomisers_drawn_at_random_keep_their_word_too(data, people):
    weights = data.draw(st.lists(st.lists(st.integers(1, 12), min_size=3, max_size=3), min_size=3, max_size=3))
    table = [[weight / sum(row) for weight in row] for row in weights]
    epsilon = max(math.log(one[j] / two[j]) for one in table for two in table for j in range(3))
    if epsilon > 1e-9:
        holds(shuffled_loss(among_clones(epsilon * (1 + 1e-12), people)), table, people)


def test_divergences_are_those_of_the_pile_or_more():
    table, mechanism = responses(1.0, 3), Shuffled(RandomizedResponse(epsilon=1, values=3), people=5)
    curve = mechanism.cost(ONE, Renyi)
    first, second = piles([table[0], *[table[2]] * 4]), piles([table[1], *[table[2]] * 4])
    for order, tau in zip(curve.orders, curve.taus, strict=True):
        if order <= 64:
            assert renyi(first, second, float(order)) <= float(tau) * (1 + 1e-9)


def blank(epsilon, answers, people):
    """A pair in print: coins among the two answers only, with the one at stake now and then not among them."""
    other = 1 / (math.exp(epsilon) + answers - 1)
    rest = [other, other, 1 - 2 * other]
    mine = [math.exp(epsilon) * other, other, (answers - 2) * other]
    return (piles([[mine[a], mine[b], mine[2]], *[rest] * (people - 1)]) for a, b in ((0, 1), (1, 0)))


def test_a_bound_in_print_is_below_the_truth():
    """Reports elsewhere tell how likely the one at stake is among them, which two counts alone do not (theory C18)."""
    epsilon, answers, people = 2.0, 5, 4
    table = responses(epsilon, answers)
    first, second = (piles([table[mine], *[table[2]] * (people - 1)]) for mine in (0, 1))
    claimed, denied = blank(epsilon, answers, people)
    truth, claim = hockey_stick(first, second, 1.5), hockey_stick(claimed, denied, 1.5)
    assert truth > claim * 1.01
    assert truth <= shuffled_loss(among_answers(epsilon, people, answers)).delta(1.5)


def crowd(epsilon, people, answers, level):
    """The exact curve of what is told apart: uniform answers of a binomial number of others, and one report."""
    grown = math.exp(epsilon)
    one = 1 / (grown + answers - 1)
    coins, idle = 2 * one, (answers - 2) * one
    counts = Counter()
    logs = [math.lgamma(i + 1) for i in range(people + 1)]
    for c in range(people):
        for r in range(people - c) if idle else (0,):
            rest = people - 1 - c - r
            if not idle and answers == 2:
                rest = people - 1 - c
            log = logs[people - 1] - logs[c] - logs[r] - logs[rest]
            log += c * math.log(coins) + (r * math.log(idle) if r else 0) + rest * math.log(1 - coins - idle)
            mass = math.exp(log)
            counts[c + 1, r] += mass * (grown + 1) * one
            if idle:
                counts[c, r + 1] += mass * idle
    total = 0.0
    for (c, r), mass in counts.items():
        heads = np.arange(c + 1)
        fair = np.exp([logs[c] - logs[h] - logs[c - h] - c * math.log(2) for h in range(c + 1)])
        mine, other = (r + grown * a + b for a, b in ((heads, c - heads), (c - heads, heads)))
        total += mass * float(np.sum(fair * np.maximum(mine - math.exp(level) * other, 0))) / (r + c * (grown + 1) / 2)
    return total


@pytest.mark.parametrize(("epsilon", "people", "answers"), [(1.0, 400, 2), (2.0, 40, 3), (1.0, 40, 9)])
def test_the_table_is_hardly_above_the_exact_crowd(epsilon, people, answers):
    law = shuffled_loss(among_answers(epsilon, people, answers))
    for share in (0.0, 0.1, 0.3):
        level = share * epsilon
        assert law.delta(level) >= crowd(epsilon, people, answers, level) * (1 - 1e-9)
        # Half a percent of ε, and what rounding and windows add.
        assert law.delta(level * 1.005) <= crowd(epsilon, people, answers, level) * (1 + 3e-3) + 1e-30


@settings(max_examples=tried(12, soaking=200))
@pytest.mark.soak
@given(
    epsilon=st.sampled_from([1e-9, 0.01, 0.5, 2.0, 8.0, 60.0]),
    people=st.sampled_from([2, 3, 17, 400, 20_000]),
    answers=st.sampled_from([2, 3, 50, 10**6]),
)
def test_more_people_hide_more_and_never_less_than_nobody(epsilon, people, answers):
    alone = RandomizedResponse(epsilon=epsilon, values=answers)
    few, many = (Shuffled(alone, people=count).pair(ONE) for count in (people // 2 + 1, people))
    for level in (0.0, epsilon / 10, epsilon / 2):
        assert many.delta(level) <= few.delta(level) * 1.01 + 1e-15
        assert few.delta(level) <= alone.pair(ONE).delta(level) * (1 + 1e-6) + 1e-15
        assert many.delta(level) >= 0
    assert many.remove.maximum <= epsilon * (1 + 1e-12)
    assert many.remove.infinity == 0


def test_as_many_people_as_there_are_cost_least():
    law = shuffled_loss(among_answers(1.0, 10**15, 4))
    assert 1e-6 < law.delta(0.0) < 3e-5
    assert law.delta(1e-3) < 1e-20


def test_known_numbers_are_found_again():
    """The exact crowd, summed by other code; what libraries with asymptotic formulas give is several times as much."""
    survey = Shuffled(RandomizedResponse(epsilon=1), people=10_000)
    assert float(survey.cost(ONE, Approximate, delta="1e-6").epsilon) == pytest.approx(0.0432, abs=3e-4)
    assert survey.cost(ONE, Pure).epsilon == 1
    assert compose([(survey, 10)], delta="1e-6").epsilon == pytest.approx(0.1485, abs=1e-3)


def test_plans_of_shuffled_reports_are_written_and_calibrated():
    event = {"mechanism": "randomized_response", "epsilon": 1, "people": 10_000, "count": 10}
    assert compose_document({"version": 1, "delta": "1e-6", "events": [event]}).epsilon == pytest.approx(
        0.1485, abs=1e-3
    )
    question = {"version": 1, "mechanism": "randomized_response", "epsilon": "0.1", "delta": "1e-6", "people": 10_000}
    found = calibrate_document(question)
    assert isinstance(found, Shuffled)
    assert compose([found], delta="1e-6").epsilon <= 0.1
    assert found.mechanism.epsilon > 1
    for wrong in ({**event, "rate": "0.1"}, {"mechanism": "shuffled", "people": 10}):
        with pytest.raises(PartitaError):
            compose_document({"version": 1, "delta": "1e-6", "events": [wrong]})
    with pytest.raises(PartitaError, match="not both"):
        calibrate_document({**question, "rate": "0.1"})


def test_a_pile_has_every_report_and_no_order():
    survey = Shuffled(RandomizedResponse(epsilon=50, values=5), people=1000)
    truth = np.arange(1000) % 5
    reports = survey.release(truth, bits=TestBits(3))
    assert sorted(reports.tolist()) == sorted(truth.tolist())
    assert 100 < int((reports == truth).sum()) < 320
    rows = Shuffled(UnaryEncoding(epsilon=50, values=3), people=4).release([0, 1, 2, 2], bits=TestBits(3))
    assert sorted(rows.argmax(axis=1).tolist()) == [0, 1, 2, 2]
    assert survey.error(0.95) == survey.mechanism.error(0.95, reports=1000)


def test_what_is_no_report_of_one_person_is_refused():
    for wrong in (GaussianNoise(sigma=1), Exponential(epsilon=1), Subsampled(Laplace(scale=1), rate="0.1"), None, 1):
        with pytest.raises(PartitaError):
            Shuffled(wrong, people=10)
    inner = RandomizedResponse(epsilon=1)
    assert taken(lambda people: Shuffled(inner, people=people), [0, -1, 1.5, "x", None, float("nan"), True]) == []
    with pytest.raises(PartitaError, match="is not proven under the relation add/remove"):
        compose([Shuffled(inner, people=10)], delta="1e-6", relation="add/remove")
    for values in ([0, 1], 0, []):
        with pytest.raises(PartitaError, match="shuffled reports"):
            Shuffled(inner, people=10).release(values)
    assert Shuffled(RandomizedResponse(epsilon=Fraction(1, 10**400)), people=9).pair(ONE).delta(0.0) < 1e-300
    assert Fraction(Shuffled(inner, people=1).cost(ONE, Pure).epsilon) == 1
