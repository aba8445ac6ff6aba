from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from scipy.stats import chi2

from partita.sampling.bits import TestBits
from partita.sampling.choice import _tickets, permute_and_flip, proportional_to_exp
from tests.unit.sampling.reference import exp, mpf, scaled
from tests.unit.sampling.scripted import ONES, Scripted

CASES = [
    ([0, 1, 2, 3, 4], Fraction(1, 2)),
    ([Fraction(1, 3), Fraction(-7, 5), 2, Fraction(22, 7)], Fraction(3, 4)),
    ([5, 5, 5], Fraction(10)),
    ([10**30, 10**30 + 1, 10**30 - 2], Fraction(1)),
    ([-(10**18), 10**18, 10**18 - 1], Fraction(1, 3)),
    ([3, 1, 2], Fraction(-1)),
    ([3, 1, 2], Fraction(0)),
    (np.array([3, 1, 2], dtype=np.int8), Fraction(1)),
    (np.array([3, 1, 2], dtype=np.uint64), Fraction(-1)),
    (np.array([np.iinfo(np.int64).min, np.iinfo(np.int64).max, np.iinfo(np.int64).max]), Fraction(1)),
    ([0, 100, 100 - 25], Fraction(1, 4)),
    ([7], Fraction(2)),
]


def exact_shares(scores, weight):
    exponents = [weight * Fraction(int(s) if isinstance(s, np.integer) else s) for s in scores]
    best = max(exponents)
    return [exp(e - best) for e in exponents]


def fits(draw, probabilities, rounds):
    counts = np.bincount([draw() for _ in range(rounds)], minlength=len(probabilities)).astype(float)
    expected = np.array([float(p) for p in probabilities]) * rounds
    rare = expected < 5
    assert (counts[expected < 1e-9] == 0).all()
    counts = np.append(counts[~rare], counts[rare].sum())
    expected = np.append(expected[~rare], expected[rare].sum())
    counts, expected = counts[expected > 0.5], expected[expected > 0.5]
    if len(counts) < 2:
        return True
    return chi2.sf(((counts - expected) ** 2 / expected).sum(), len(counts) - 1) > 1e-7


@pytest.mark.parametrize(("scores", "weight"), CASES, ids=str)
def test_a_choice_has_probabilities_proportional_to_the_exponentials(scores, weight):
    bits, shares = TestBits(1), exact_shares(scores, weight)
    probabilities = [share / sum(shares) for share in shares]
    assert fits(lambda: proportional_to_exp(scores, weight, bits=bits), probabilities, 2000)


@pytest.mark.parametrize(("scores", "weight"), CASES, ids=str)
def test_permute_and_flip_has_the_probabilities_of_its_definition(scores, weight):
    heads = exact_shares(scores, weight)
    probabilities = [mpf(0)] * len(heads)
    orders = list(permutations(range(len(heads))))
    for order in orders:
        reached = mpf(1)
        for i in order:
            probabilities[i] += reached * heads[i] / len(orders)
            reached *= 1 - heads[i]
    bits = TestBits(2)
    assert fits(lambda: permute_and_flip(scores, weight, bits=bits), probabilities, 2000)


def test_among_many_candidates_every_block_can_be_chosen():
    scores = np.zeros(100_000, dtype=np.int64)
    bits = TestBits(3)
    chosen = [proportional_to_exp(scores, Fraction(1), bits=bits) for _ in range(200)]
    counts = np.bincount([index // 10_000 for index in chosen], minlength=10)
    assert chi2.sf(((counts - 20) ** 2 / 20).sum(), 9) > 1e-7


def test_a_million_candidates_far_below_do_not_hide_the_best():
    scores = np.zeros(1_000_000, dtype=np.int64)
    scores[654_321] = 10_000
    assert proportional_to_exp(scores, Fraction(1), bits=TestBits(4)) == 654_321
    assert permute_and_flip(scores, Fraction(1), bits=TestBits(4)) == 654_321


def choose_with(scores, ticket, height):
    """The choice made when this ticket is drawn first and its test has this height; and whether it was repeated."""
    near = np.array([float(max(scores) - score) for score in scores])
    total = int(_tickets(near, 60 - len(scores).bit_length()).sum())
    length = (total - 1).bit_length()
    at_once = (1 << length) // total + 8
    bits = Scripted([ticket % total << (64 - length)] * at_once + [height], seed=7)
    chosen = proportional_to_exp(scores, Fraction(1), bits=bits)
    return chosen, len(bits.given) > 2


def test_a_ticket_that_only_rounding_gave_is_refused():
    # The candidate 1000 below has one ticket, the last, and keeps it with probability 2^58 exp(-1000).
    assert choose_with([0, -1000], ticket=-1, height=1 << 32) == (0, True)
    # The first has 2^58 (1 + 2^-38) + 1, and keeps them with a probability just below one.
    assert choose_with([0, -1000], ticket=0, height=1 << 63) == (0, False)
    assert choose_with([0, -1000], ticket=0, height=ONES)[1]


@pytest.mark.parametrize("nudge", [-1, 1])
def test_a_ticket_is_kept_with_exactly_its_share(nudge):
    scores = [0, -3]
    tickets = _tickets(np.array([0.0, 3.0]), 58).tolist()
    keep = exp(-3) * mpf(2) ** 58 / tickets[1]
    height = scaled(keep, 64) + nudge
    chosen, repeated = choose_with(scores, ticket=-1, height=height)
    assert repeated == (nudge > 0)
    assert chosen == 1 or repeated


def test_tickets_are_never_fewer_than_the_share():
    gaps = np.concatenate([np.linspace(0, 140, 3000), [0.0, 127.999, 128.0, 1e9]])
    for power in (31, 40, 58):
        for gap, tickets in zip(gaps.tolist(), _tickets(gaps, power).tolist(), strict=True):
            share = mpf(2) ** power * exp(-Fraction(gap)) if gap < 1e6 else 0
            assert share <= tickets <= share * (1 + mpf(2) ** -37) + 1


def test_a_candidate_in_a_run_is_as_likely_as_if_it_were_listed():
    from partita.sampling.choice import run_proportional_to_exp

    scores, lengths, weight = [0, 2, 1], np.array([5, 1, 3]), Fraction(1, 2)
    shares = exact_shares([score for score, length in zip(scores, lengths, strict=True) for _ in range(length)], weight)
    bits = TestBits(11)
    starts = [0, 5, 6]

    def draw():
        run, place = run_proportional_to_exp(scores, lengths, weight, bits)
        return starts[run] + place

    fits(draw, [share / sum(shares) for share in shares], 20_000)


def test_ten_million_candidates_in_few_runs_are_chosen_from_at_once():
    from partita.sampling.choice import run_proportional_to_exp

    run, place = run_proportional_to_exp([-5, 0, -5], np.array([10**7, 10**9, 10**7]), Fraction(1), TestBits(1))
    assert run == 1
    assert 0 <= place < 10**9


@pytest.mark.parametrize("lengths", [[1], [1, 0], [1, -2]])
def test_runs_must_have_a_length_each(lengths):
    from partita.errors import InvalidInput
    from partita.sampling.choice import run_proportional_to_exp

    with pytest.raises(InvalidInput):
        run_proportional_to_exp([0, 1], np.array(lengths), Fraction(1), TestBits(1))
