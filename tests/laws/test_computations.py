"""Every computation releases what its losses state and nothing else, whatever the rows are and were."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from partita.algorithms import (
    MWEM,
    AdaptiveMarginals,
    Axes,
    ContinualCounter,
    LinearQueries,
    Marginals,
    OnlineMultiplicativeWeights,
    Workload,
)
from partita.algorithms.learning.classifying import descent
from partita.algorithms.learning.classifying.descent import Descent
from partita.algorithms.learning.classifying.logistic import Logistic
from partita.algorithms.learning.clustering.clusters import STEPS, Clusters
from partita.algorithms.learning.clustering.lloyd import Lloyd
from partita.algorithms.learning.lattice import Lattice
from partita.algorithms.learning.learner import Learning
from partita.algorithms.learning.linear import Linear
from partita.algorithms.learning.moments import UNIT
from partita.algorithms.learning.principal import Principal
from partita.algorithms.linear.counting import Counting
from partita.composition.calibration.pricing import Price
from partita.curator.computations.computation import Sample
from partita.ledger.canonical import canonical
from partita.mechanisms.additive import AdditiveNoise
from partita.mechanisms.subsampled import Subsampled
from partita.region.columns import integers
from partita.sampling.bits import TestBits
from partita.theory.distance import Distance
from partita.theory.measures.zcdp import ZCDP
from tests.laws.computation_family import calls_of, check, moves

# Three columns of four values, and NULL.
COLUMN = integers(0, 3)
WIDTH, CODES = 3, COLUMN.size
NAMES = ("a", "b", "c")
BOX = Lattice.of((0, 3), features=2, steps=UNIT)
EPSILON, DELTA, RHO = {"epsilon": 1}, {"epsilon": 1, "delta": "1e-6"}, {"rho": "0.1"}


def counting(workload, **options):
    queries = LinearQueries(workload, **options)
    return Counting(queries.scheme, NAMES[:1], workload.width, queries.budget)


def learning(learner, width=WIDTH, classes=()):
    return Learning(NAMES[:width], learner, classes)


def price(options):
    return Price.of(**options)


# The cells of one column without NULL are four, with it five.
COMPUTATIONS = {
    "cells": counting(Workload.cells(4), strategy="cells", **EPSILON),
    "cells with null": counting(Workload.cells(5), strategy="cells", **RHO),
    "tree": counting(Workload.ranges(4), strategy="tree", **EPSILON),
    "tree with null": counting(Workload.ranges(5), strategy="tree", **DELTA),
    "optimal": counting(Workload.prefixes(4), strategy="optimal", **RHO),
    "blocks": ContinualCounter(4, method="tree", **EPSILON),
    "gaussian blocks": ContinualCounter(5, method="tree", **RHO),
    "square root": ContinualCounter(4, method="square root", **RHO),
    "optimal stream": ContinualCounter(4, method="optimal", **DELTA),
    "marginals": Marginals(dict.fromkeys(NAMES, CODES), [("a", "b"), ("b", "c")], **RHO),
    "laplace marginals": Marginals(dict.fromkeys(NAMES, CODES), [("a", "b"), ("c",)], **EPSILON),
    "mwem": MWEM(Workload.ranges(4), rounds=3, columns=NAMES[:1], **EPSILON),
    "gaussian mwem": MWEM(Workload.ranges(5), rounds=3, columns=NAMES[:1], **RHO),
    "k-means": learning(Clusters.plan(Lattice.of((0, 3), features=3, steps=STEPS), 2, price(EPSILON), turns=2)),
    "gaussian k-means": learning(Clusters.plan(Lattice.of((0, 3), features=3, steps=STEPS), 2, price(RHO))),
    "lloyd": learning(Lloyd.plan(3, clusters=2, turns=2, price=price(EPSILON), middle=(1.5,) * 3, radius=4.5)),
    "linear": learning(Linear.plan(BOX, Lattice.of((0, 3), features=1, steps=UNIT), 1.0, price(RHO))),
    "principal": learning(
        Principal.plan(Lattice.of((0, 3), features=3, steps=UNIT, one_scale=True), 1.5, price(EPSILON))
    ),
    "two classes": learning(Logistic.plan(BOX, 2, 1.4, price(EPSILON)), classes=(0, 2)),
    "three classes": learning(Logistic.plan(BOX, 3, 1.0, price(RHO)), classes=(3, 1, 0)),
    "descent": learning(Descent.plan(BOX, 2, 1.4, price(EPSILON), turns=3), classes=(1, 2)),
}

SAMPLED = learning(Descent.plan(BOX, 2, 1.4, price(DELTA), turns=2, batches="poisson", rate="1/2"), classes=(1, 2))
tables = st.lists(st.tuples(*[st.integers(0, CODES - 1)] * WIDTH), min_size=1, max_size=6)
row = st.tuples(*[st.integers(0, CODES - 1)] * WIDTH)
every = settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


def sample(rows, columns):
    codes = np.array(sorted(rows), dtype=np.int64).reshape(len(rows), WIDTH)[:, : len(columns)]
    return Sample(codes, (COLUMN,) * len(columns))


def run_on(computation, rows, monkeypatch, replayed=None):
    with monkeypatch.context() as patch:
        return calls_of(lambda bits: computation.compute(sample(rows, computation.columns), bits=bits), patch, replayed)


def greatest(computation):
    """A changed row may come from or go to rows that are left out: the door books the larger of the two."""
    come, changed = computation.losses(1, changed=False), computation.losses(1, changed=True)
    known = {(event.mechanism, event.count): event for event in changed}
    return [
        max(event, known.get((event.mechanism, event.count), event), key=lambda one: one.distance.power)
        for event in come
    ]


@pytest.mark.parametrize("name", sorted(COMPUTATIONS))
@every
@given(rows=tables, other=row)
def test_no_release_moves_further_than_is_stated(name, rows, other, monkeypatch):
    computation = COMPUTATIONS[name]
    said, before = run_on(computation, rows, monkeypatch)
    same, fewer = run_on(computation, rows[1:], monkeypatch, before)
    check(before, fewer, computation.losses(1, changed=False))
    again, changed = run_on(computation, [other, *rows[1:]], monkeypatch, before)
    check(before, changed, greatest(computation))
    assert said == same == again, "what is said must follow from what was released"


@pytest.mark.parametrize("name", sorted(COMPUTATIONS))
def test_none_fails_without_rows(name):
    """What cannot be computed from the rows is computed from none (decision 11)."""
    computation = COMPUTATIONS[name]
    assert canonical(computation.compute(sample([], computation.columns), bits=TestBits(1)))


@pytest.mark.parametrize("budget", [EPSILON, RHO], ids=str)
@every
@given(rows=tables, other=row, asked=st.lists(st.lists(st.integers(0, 3), min_size=4, max_size=4), max_size=6))
def test_a_conversation_moves_no_further_than_is_stated(budget, rows, other, asked, monkeypatch):
    offer = OnlineMultiplicativeWeights(
        4, rows=5, queries=9, updates=3, threshold=1, unit=3, columns=NAMES[:1], **budget
    )

    def talked(rows, replayed=None):
        def run(bits):
            live = offer.compute(sample(rows, offer.columns), bits=bits)
            for query in asked:
                if live.updates_left:
                    live.ask(query)
            return live.replies, live.histogram.tolist()

        with monkeypatch.context() as patch:
            return calls_of(run, patch, replayed)

    said, before = talked(rows)
    same, fewer = talked(rows[1:], before)
    check(before, fewer, offer.losses(1, changed=False))
    again, changed = talked([other, *rows[1:]], before)
    check(before, changed, greatest(offer))
    assert said == same == again
    answers = [call for call in before if call.mechanism == offer.noises.answers]
    assert len(answers) <= offer.updates


@every
@given(rows=tables, other=row)
def test_a_filtered_session_costs_no_more_than_its_rho(rows, other, monkeypatch):
    maker = AdaptiveMarginals(Axes(dict.fromkeys(NAMES, CODES)), rho="0.1", rounds=6, steps=5)
    said, before = run_on(maker, rows, monkeypatch)

    def spent(neighbour):
        same, second = run_on(maker, neighbour, monkeypatch, before)
        assert said == same
        total = ZCDP(rho=0)
        for mechanism, _, square, most in moves(before, second):
            far = Distance.l2_squared(square) if isinstance(mechanism, AdditiveNoise) else Distance.linf(most)
            total = total + mechanism.cost(far, ZCDP)
        return total.rho

    assert spent(rows[1:]) <= maker.rho
    assert spent([other, *rows[1:]]) <= 4 * maker.rho


@pytest.mark.parametrize("budget", [EPSILON, RHO], ids=str)
@every
@given(rows=tables, coins=st.lists(st.integers(0, 2), min_size=6, max_size=6))
def test_a_row_takes_part_in_one_disjoint_batch_whatever_rows_stand_beside_it(budget, rows, coins, monkeypatch):
    computation = learning(Descent.plan(BOX, 2, 1.4, price(budget), turns=3, batches="disjoint"), classes=(1, 2))
    listed = sorted(rows)
    known = [row for row in listed if row[-1] in (1, 2)]
    if not known:
        return
    gone = known[0]

    def talked(rows, drawn, replayed=None):
        with monkeypatch.context() as patch:
            patch.setattr(descent, "below", lambda turns, size, bits: np.array(drawn, dtype=np.int64))
            return calls_of(
                lambda bits: computation.compute(sample(rows, computation.columns), bits=bits), patch, replayed
            )

    # The coins of all other rows stay with them.
    said, before = talked(listed, coins[: len(known)])
    listed.remove(gone)
    same, after = talked(listed, coins[1 : len(known)], before)
    check(before, after, computation.losses(1, changed=False))
    assert said == same


@every
@given(rows=tables, coins=st.lists(st.booleans(), min_size=6, max_size=6))
def test_a_row_moves_only_the_samples_it_is_in(rows, coins, monkeypatch):
    computation = SAMPLED
    listed = sorted(rows)
    known = [row for row in listed if row[-1] in (1, 2)]
    if not known:
        return

    def talked(rows, drawn, replayed=None):
        with monkeypatch.context() as patch:
            patch.setattr(Subsampled, "sample", lambda self, records, *, bits=None: np.array(drawn, dtype=bool))
            return calls_of(
                lambda bits: computation.compute(sample(rows, computation.columns), bits=bits), patch, replayed
            )

    said, before = talked(listed, coins[: len(known)])
    listed.remove(known[0])
    same, after = talked(listed, coins[1 : len(known)], before)
    assert said == same
    limits = {event.mechanism: event.distance.power for event in computation.losses(1, changed=False)}
    for mechanism, _, square, _ in moves(before, after):
        own = mechanism if mechanism in limits else Subsampled(mechanism, rate="1/2")
        assert square <= limits[own]
        assert coins[0] or own is mechanism or square == 0
