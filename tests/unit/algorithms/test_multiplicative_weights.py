from __future__ import annotations

import copy

import numpy as np
import pytest

import partita as pt
from partita.algorithms import (
    MWEM,
    AdaptiveMarginals,
    ContinualCounter,
    Marginals,
    OnlineMultiplicativeWeights,
    Workload,
    mwem_bound,
    update_bound,
)
from partita.algorithms.adaptive_queries.belief import Belief
from partita.algorithms.adaptive_queries.multiplicative_weights import UNSOUND
from partita.attacks.audits.audit import audit
from partita.sampling.bits import TestBits
from tests.unit.curator.hospital import hospital, visits

BUDGETS = [{"epsilon": 1}, {"epsilon": 1, "delta": "1e-6"}, {"rho": "0.1"}, {"mu": "0.5"}]
SKEWED = np.array([5000, 100, 40, 0, 0, 300, 20_000, 1])


def small():
    return OnlineMultiplicativeWeights(2, rows=9, queries=5, rho=1)


def total(losses, budget):
    match budget:
        case pt.Approximate(delta=delta):
            return pt.Approximate(epsilon=pt.compose(losses, delta=delta).epsilon, delta=delta)
    return sum((one.cost(type(budget)) for one in losses), start=budget.zero())


# --- privacy ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("budget", BUDGETS, ids=str)
def test_a_whole_session_fits_its_budget_and_uses_most_of_it(budget):
    offer = OnlineMultiplicativeWeights(8, rows=1000, queries=50, updates=10, **budget)
    spent = total(offer.losses(1), offer.budget)
    assert spent.fits(offer.budget)
    assert float(spent.vector()[0]) > 0.95 * float(offer.budget.vector()[0])
    mwem = MWEM(Workload.ranges(6), rounds=5, **budget)
    spent = total(mwem.losses(1), mwem.budget)
    assert spent.fits(mwem.budget)
    assert float(spent.vector()[0]) > 0.95 * float(mwem.budget.vector()[0])


def test_a_session_never_says_more_than_it_was_charged_for():
    offer = OnlineMultiplicativeWeights(8, rows=1000, queries=500, updates=3, threshold=1, rho=1)
    talk = offer.open(SKEWED, bits=TestBits(1))

    def ask_for_ever():
        for place in range(500):
            talk.range(place % 8, place % 8)

    with pytest.raises(pt.BudgetExceeded) as refusal:
        ask_for_ever()
    assert refusal.value.code == "algorithms.conversation-over"
    assert sum(not reply.free for reply in talk.replies) == 3 == offer.updates
    assert talk.histogram.shape == (8,)


def test_a_free_answer_is_the_guess_and_nothing_else():
    offer = OnlineMultiplicativeWeights(8, rows=30_000, queries=20, updates=5, rho=1)
    talk = offer.open(SKEWED, bits=TestBits(2))
    before = talk.histogram
    reply = talk.range(0, 7)
    assert reply.free
    assert reply.value == pytest.approx(before.sum())
    assert (talk.histogram == before).all()


@pytest.mark.parametrize("variant", sorted(UNSOUND))
def test_unsound_variants_of_the_sparse_vector_are_refused(variant):
    with pytest.raises(pt.NotProven) as refusal:
        OnlineMultiplicativeWeights(8, rows=1000, queries=5, rho=1, variant=variant)
    assert refusal.value.code == "algorithms.unsound-variant"
    assert UNSOUND[variant] in str(refusal.value)


def test_a_session_is_never_copied():
    talk = OnlineMultiplicativeWeights(8, rows=1000, queries=5, rho=1).open(SKEWED)
    with pytest.raises(pt.InvalidInput):
        copy.copy(talk)


@pytest.mark.slow
def test_the_auditor_finds_no_more_than_was_claimed():
    offer = OnlineMultiplicativeWeights(2, rows=4, queries=4, updates=2, threshold=2, epsilon=1)
    mwem = MWEM(np.eye(2), rounds=2, epsilon=1)
    bits = TestBits(5)

    def talked(counts):
        talk = offer.open(counts, bits=bits)
        said = []
        for query in ([1, 0], [0, 1], [1, 0], [1, 1]):
            if talk.updates_left:
                reply = talk.ask(np.array(query))
                said += [round(reply.value), int(reply.free)]
        return (*said, *[0] * (8 - len(said)))

    def fitted(counts):
        return tuple(entry for line in mwem.release(counts, bits=bits, progress=False).rounds for entry in line)

    assert audit(talked, [4, 1], [3, 1], trials=1000, confidence=1 - 1e-6).epsilon <= 1
    assert audit(fitted, [4, 1], [3, 1], trials=1000, confidence=1 - 1e-6).epsilon <= 1


# --- accuracy -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("budget", [{"epsilon": 4}, {"epsilon": 1, "delta": "1e-6"}], ids=str)
def test_adaptive_queries_stay_within_the_stated_bound_and_are_mostly_free(budget):
    rows = 200_000
    counts = np.round(rows * 0.5 ** np.arange(1, 65)).astype(np.int64)
    offer = OnlineMultiplicativeWeights(64, rows=rows, queries=400, **budget)
    assert offer.lasts
    for seed in range(3):
        talk = offer.open(counts, bits=TestBits(seed))
        for place in range(400):
            low = (place * 7) % 64
            reply = talk.range(low, min(63, low + place % 9))
            assert abs(reply.value - counts[low : min(63, low + place % 9) + 1].sum()) <= offer.bound()
        assert talk.free >= 0.9
    assert talk.plot().axes


def test_a_guess_improves_with_every_true_answer():
    truth = SKEWED / SKEWED.sum()
    belief = Belief(8, float(SKEWED.sum()))

    def entropy():
        shares = belief.histogram / belief.total
        kept = truth > 0
        return float((truth[kept] * np.log(truth[kept] / shares[kept])).sum())

    for place in range(8):
        query = np.zeros(8, dtype=np.int64)
        query[: place + 1] = 1
        before, gap = entropy(), (query @ SKEWED - belief.answer(query)) / belief.total
        belief.learn(query, float(query @ SKEWED))
        assert entropy() <= before - gap**2 / 4 + 1e-12
    assert update_bound(8, "0.1") == pytest.approx(4 * np.log(8) / 0.01)


@pytest.mark.parametrize("budget", [{"epsilon": 2}, {"rho": "0.1"}], ids=str)
def test_mwem_stays_within_its_bound_and_beats_the_uniform_guess(budget):
    workload = Workload.ranges(8)
    mwem = MWEM(workload, rounds=8, **budget)
    truth = workload.matrix @ SKEWED
    for seed in range(5):
        fitted = mwem.release(SKEWED, bits=TestBits(seed), progress=False)
        error = np.abs(fitted.answers - truth).max()
        assert error <= fitted.error(int(SKEWED.sum()))
        assert error < np.abs(workload.matrix.sum(axis=1) * SKEWED.sum() / 8 - truth).max() / 3
        assert (fitted.cells >= 0).all()
    assert fitted.plot(int(SKEWED.sum())).axes
    assert mwem_bound(10_000, 1024, 1000, 10, 1) > 10_000


def test_a_progress_bar_changes_nothing(capsys):
    mwem = MWEM(Workload.ranges(4), rounds=2, rho=1)
    with_bar = mwem.release([1, 2, 3, 4], bits=TestBits(1), progress=True)
    assert with_bar.rounds == mwem.release([1, 2, 3, 4], bits=TestBits(1), progress=False).rounds
    assert capsys.readouterr().out == ""


# --- the curator's door -------------------------------------------------------------------------------------


def test_a_session_on_a_curators_table_is_charged_in_full_when_it_is_opened():
    curator = hospital(promises=[pt.Promise(pt.rows(), pt.ZCDP(rho="0.5"))])
    offer = OnlineMultiplicativeWeights(121, rows=400, queries=50, updates=5, rho="0.3", columns=["age"])
    talk, outcome = offer.open_from(curator, "visits")
    assert outcome.cost.fits(pt.ZCDP(rho="0.3"))
    left = curator.remaining()
    talk.range(0, 50)
    assert curator.remaining() == left
    with pytest.raises(pt.BudgetExceeded):
        offer.open_from(curator, "visits")


def test_mwem_on_a_curators_table_is_free_the_second_time():
    curator = hospital(promises=[pt.Promise(pt.rows(), pt.ZCDP(rho=1))])
    mwem = MWEM(Workload.ranges(121, [(0, 30), (31, 60), (61, 120)]), rounds=3, rho="0.5", columns=["age"])
    fitted, outcome = mwem.release_from(curator, "visits")
    assert outcome.cost.fits(pt.ZCDP(rho="0.5"))
    assert mwem.release_from(curator, "visits")[1].free
    assert abs(fitted.answers.sum() - len(visits())) < 200


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (MWEM([[1, 0]], rho=1), MWEM([[1, 0]], rho=2)),
        (MWEM([[1, 0]], rho=1), MWEM([[1, 0]], rho=1, rounds=3)),
        (MWEM([[1, 0]], rho=1), MWEM([[0, 1]], rho=1)),
        (AdaptiveMarginals({"a": 2}, rho=1), AdaptiveMarginals({"a": 2}, rho=2)),
        (Marginals({"a": 2}, [("a",)], rho=1), Marginals({"a": 2}, [("a",)], rho=2)),
        (ContinualCounter(5, rho=1), ContinualCounter(5, rho=2)),
        (ContinualCounter(5, rho=1, method="tree"), ContinualCounter(5, rho=1, method="square root")),
    ],
    ids=["mwem-price", "mwem-rounds", "mwem-queries", "adaptive", "marginals", "stream-price", "stream-method"],
)
def test_another_price_or_method_is_another_question(first, second):
    assert first.parameters() != second.parameters()


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda: OnlineMultiplicativeWeights(1, rows=10, queries=5, rho=1), "number.too-small"),
        (lambda: OnlineMultiplicativeWeights(4, rows=10, queries=5, rho=1).open([1, 2]), "algorithms.wrong-cells"),
        (lambda: small().open([1, 2]).ask([2, 0]), "algorithms.not-a-counting-query"),
        (lambda: small().open([1, 2]).ask([0.5, 0]), "algorithms.not-a-counting-query"),
        (lambda: small().open([1, 2]).range(1, 2), "algorithms.bad-range"),
        (lambda: MWEM([[0.5, 1]], rho=1), "algorithms.not-a-counting-query"),
        (lambda: MWEM(Workload.ranges(500), rho=1), "algorithms.not-written"),
        (lambda: MWEM([[1, 1]], rho=1, rounds=0), "number.too-small"),
    ],
)  # fmt: skip
def test_bad_input_is_refused_with_a_code(make, code):
    with pytest.raises(pt.PartitaError) as refusal:
        make()
    assert refusal.value.code == code
