from __future__ import annotations

from fractions import Fraction
from importlib.util import find_spec
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import partita as pt
from partita.algorithms import AdaptiveMarginals, Axes, Synthetic, axes_of
from partita.algorithms.adaptive_queries.adaptive import FilteredSession
from partita.algorithms.synthetic.exchange import settled
from partita.algorithms.synthetic.graphical import GraphicalModel, Observed, best_total, fitted
from partita.algorithms.synthetic.junction import JunctionTree
from partita.algorithms.synthetic.limits import limits
from partita.attacks.audits.audit import audit
from partita.sampling.bits import TestBits
from tests.unit.curator.hospital import hospital, visits

SIZES = {"a": 2, "b": 3, "c": 2, "d": 4}
AXES = Axes(SIZES)
COLUMNS = st.lists(st.sampled_from(sorted(SIZES)), min_size=1, max_size=3)
TABLES = st.lists(COLUMNS.map(AXES.table), min_size=1, max_size=5, unique=True)


def rows(count=2000, seed=1):
    """Correlated made-up rows."""
    draw = np.random.default_rng(seed)
    a = draw.integers(0, 2, count)
    b = (a + draw.integers(0, 2, count)) % 3
    c = np.where(draw.random(count) < 0.9, a, 1 - a)
    d = (b + c + (draw.random(count) < 0.2)) % 4
    return np.stack([a, b, c, d], axis=1)


def joint(model):
    """The whole distribution of a model, written out."""
    logs = np.zeros(AXES.sizes)
    for table, potential in model.potentials.items():
        logs = logs + potential.reshape([SIZES[name] if name in table else 1 for name in AXES.names])
    shares = np.exp(logs - logs.max())
    return shares * model.total / shares.sum()


# --- models -------------------------------------------------------------------------------------------------


@given(tables=TABLES)
def test_every_table_lies_in_a_clique_and_no_column_is_interrupted(tables):
    tree = JunctionTree.over(AXES, tables)
    assert all(tree.home(table) is not None for table in tables)
    assert {name for clique in tree.cliques for name in clique} == set(SIZES)
    parents = dict(tree.links)
    for name in SIZES:
        # In a tree, the cliques of a column are connected exactly if all but one of them have it in their parent.
        holders = [place for place, clique in enumerate(tree.cliques) if name in clique]
        tops = [place for place in holders if parents[place] < 0 or name not in tree.cliques[parents[place]]]
        assert len(tops) == 1


@given(tables=TABLES, seed=st.integers(0, 1000))
def test_marginal_tables_are_those_of_the_whole_distribution(tables, seed):
    draw = np.random.default_rng(seed)
    model = GraphicalModel(AXES, {table: draw.normal(size=AXES.shape(table)) for table in tables}, 100.0)
    whole = joint(model)
    for size in range(3):
        for table in combinations(AXES.names, size + 1):
            away = tuple(place for place, name in enumerate(AXES.names) if name not in table)
            assert model.table(table) == pytest.approx(whole.sum(axis=away))


def test_a_model_fits_consistent_tables_exactly():
    codes = rows()
    tables = [("a", "b"), ("b", "c", "d")]
    observed = [Observed(table, AXES.counts(codes, table).astype(float), 1.0) for table in tables]
    model = fitted(AXES, observed, steps=3000, close=1e-12)
    for table in tables:
        assert model.table(table).ravel() == pytest.approx(AXES.counts(codes, table), abs=2)


def test_a_fit_that_starts_from_the_last_one_needs_fewer_steps():
    codes = rows()
    observed = [Observed((name,), AXES.counts(codes, (name,)).astype(float), 1.0) for name in SIZES]
    first = fitted(AXES, observed, steps=500)
    more = [*observed, Observed(("a", "c"), AXES.counts(codes, ("a", "c")).astype(float), 1.0)]
    cold, warm = fitted(AXES, more, steps=20), fitted(AXES, more, start=first.potentials, steps=20)
    truth = AXES.counts(codes, ("a", "c")).reshape(2, 2)
    assert np.abs(warm.table(("a", "c")) - truth).sum() <= np.abs(cold.table(("a", "c")) - truth).sum() + 1


def test_the_total_is_weighted_by_how_exactly_tables_know_it():
    sure, vague = Observed(("a",), np.array([60.0, 40.0]), 1.0), Observed(("d",), np.array([50.0] * 4), 100.0)
    assert best_total([sure, vague]) == pytest.approx(100, abs=0.1)


def test_synthetic_rows_have_the_tables_of_the_model():
    codes = rows()
    observed = [Observed(("a", "b", "c"), AXES.counts(codes, ("a", "b", "c")).astype(float), 1.0)]
    made = Synthetic.of(fitted(AXES, observed, steps=2000), bits=TestBits(1))
    assert len(made.codes) == 2000
    assert np.abs(made.table("a", "b", "c").ravel() - AXES.counts(codes, ("a", "b", "c"))).max() <= 12
    assert len(made.again(77, bits=TestBits(2)).codes) == 77


@given(tables=TABLES, seed=st.integers(0, 1000))
def test_exchanged_rows_keep_every_table_within_a_clique_and_come_nearer_elsewhere(tables, seed):
    draw = np.random.default_rng(seed)
    model = GraphicalModel(AXES, {table: draw.normal(size=AXES.shape(table)) for table in tables}, 60.0)
    codes = model.sample(60, TestBits(seed))
    wanted = list(combinations(AXES.names, 2))
    found = settled(model, codes, wanted, TestBits(seed))
    for clique in model.tree.cliques:
        assert (AXES.counts(found, clique) == AXES.counts(codes, clique)).all()

    def cost(given):
        expected = np.concatenate([model.table(table).ravel() for table in wanted])
        counts = np.concatenate([AXES.counts(given, table) for table in wanted])
        return float(((counts - expected) ** 2 / np.sqrt(expected + 1)).sum())

    assert cost(found) <= cost(codes) + 1e-9


def test_made_up_rows_are_nearly_as_close_as_the_model_itself():
    codes = rows(5000)
    observed = [Observed(t, AXES.counts(codes, t).astype(float), 1.0) for t in [("a", "b"), ("b", "d"), ("c",)]]
    model, wanted = fitted(AXES, observed, steps=500), list(combinations(AXES.names, 3))

    def apart(made):
        return sum(np.abs(made.table(*t) - model.table(t)).sum() for t in wanted)

    plain = apart(Synthetic.of(model, observed, bits=TestBits(1)))
    made = Synthetic.of(model, observed, tables=wanted, bits=TestBits(1))
    assert apart(made) < plain / 3
    assert apart(made.again(bits=TestBits(2))) < plain / 3


def test_limits_hold_the_truth_whatever_was_measured_and_say_when_a_table_was_not():
    codes = rows(400)
    misses = {("a",): 0, ("a", "b"): 0, ("c", "d"): 0}
    bits = TestBits(5)
    maker = AdaptiveMarginals(SIZES, [("a", "b")], rho="0.05", rounds=5, steps=5)
    for _ in range(60):
        observed = [
            Observed(tuple(one["table"]), np.array(one["counts"], dtype=float), float(Fraction(one["sigma"])))
            for one in maker._run(codes, bits, progress=False)
        ] + [Observed(("c",), AXES.counts(codes, ("c",)) + 0.0, 1.0)]
        for table in misses:
            found = limits(AXES, observed, table, "0.5")
            exact = AXES.counts(codes, table).reshape(AXES.shape(table))
            misses[table] += not ((found.low <= exact) & (exact <= found.high)).all()
            assert found.measured is any(set(table) <= set(one.table) for one in observed)
    # At a confidence of one half, more than 49 misses in 60 have a chance below 1e-6.
    assert max(misses.values()) <= 49
    assert (found.low == 0).all()


def test_the_error_of_a_table_says_how_far_rows_may_be_from_the_truth_even_where_it_was_not_measured():
    made = small()
    known, open_ = made.limits("a"), made.limits("a", "b")
    assert known.measured
    assert not open_.measured
    assert (made.error("a") >= np.abs(made.table("a") - np.array([30, 10]))).all()
    assert made.error("a").max() < 10 < made.error("a", "b").max()
    assert str(open_).startswith("a, b was not measured and follows from the model alone")
    assert str(made.limits()).startswith("The number of rows was measured")
    assert made.error().shape == ()
    assert "not measured" in made.plot("a", "b").axes[0].get_title(loc="left") + made.plot("a", "b").axes[0].get_title()


# --- privacy ------------------------------------------------------------------------------------------------


def test_the_filter_is_never_passed_and_is_nearly_used_up():
    maker = AdaptiveMarginals(SIZES, rho="0.2", steps=30)
    measured = maker._run(rows(), TestBits(1), progress=False)
    spent = sum(1 / (2 * Fraction(one["sigma"]) ** 2) for one in measured)
    assert Fraction(17, 100) < spent < Fraction(1, 5)  # about nine tenths go into tables, the rest into choices
    assert [one["table"] for one in measured[:4]] == [["a"], ["b"], ["c"], ["d"]]


def test_scores_move_by_no_more_than_the_heaviest_weight():
    maker = AdaptiveMarginals(SIZES, rho=1, degree=2)
    codes = rows(200)
    model = fitted(AXES, [Observed(("a",), np.array([90.0, 110.0]), 1.0)], steps=10)
    candidates = list(maker.weights)

    def scores(given):
        return maker._scores(model, candidates, {table: AXES.counts(given, table) for table in candidates}, 3.0)

    for row in (0, 7, 100):
        moved = np.abs(scores(np.delete(codes, row, axis=0)) - scores(codes))
        assert moved.max() <= max(maker.weights.values())


def test_a_session_is_priced_in_rho_only():
    session = FilteredSession(rho="0.5")
    assert session.cost(pt.l2(1), pt.ZCDP) == pt.ZCDP(rho="0.5")
    assert float(session.cost(pt.l2(1), pt.Approximate, delta="1e-6").epsilon) < 6
    for measure in (pt.GDP, pt.Pure):
        with pytest.raises(pt.NotProven):
            session.cost(pt.l2(1), measure)
    with pytest.raises(pt.NotProven):
        session.pair(pt.l2(1))
    with pytest.raises(pt.NotProven):
        session.error()


@pytest.mark.slow
def test_the_auditor_finds_no_more_than_was_claimed():
    maker = AdaptiveMarginals({"a": 2, "b": 2}, epsilon=1, delta="1e-3", rounds=4, steps=3)
    bits = TestBits(3)

    def run(codes):
        measured = maker._run(np.array(codes), bits, progress=False)
        return tuple(count for one in measured[:3] for count in one["counts"][:2])

    assert audit(run, [[0, 0], [1, 1]], [[0, 0]], trials=400, confidence=1 - 1e-6, delta="1e-3").epsilon <= 1


# --- results ------------------------------------------------------------------------------------------------


def test_synthetic_rows_are_close_and_free_to_ask():
    codes = rows(5000)
    made = AdaptiveMarginals(SIZES, epsilon=2, delta="1e-6", steps=100).release(codes, bits=TestBits(2), progress=False)
    for table in combinations(SIZES, 2):
        exact = AXES.counts(codes, table) / len(codes)
        found = made.table(*table).ravel() / len(made.codes)
        assert np.abs(exact - found).sum() / 2 < 0.05
    (answer,) = made.ask("SELECT COUNT(*) AS n, SUM(a) AS s FROM synthetic WHERE b > 0")
    assert answer["n"] == (made.codes[:, 1] > 0).sum()
    assert answer["s"] == made.codes[made.codes[:, 1] > 0, 0].sum()
    assert (made.error("a") > 0).all()
    assert made.plot("a").axes
    assert len(made.to_pandas()) == len(made.codes)


def test_a_synthetic_table_can_be_given_to_a_curator():
    made = AdaptiveMarginals(SIZES, rho=1, steps=20).release(rows(), bits=TestBits(4), progress=False)
    curator = pt.Curator(tables=[made.to_table()], promises=[pt.Promise(pt.rows(), pt.ZCDP(rho=10_000))])
    answer = curator.ask("SELECT COUNT(*) AS n FROM synthetic", rho=5000)
    assert answer.rows()[0]["n"] == len(made.codes)


def test_synthetic_data_of_a_curators_table_is_charged_once_and_then_free():
    curator = hospital(promises=[pt.Promise(pt.rows(), pt.ZCDP(rho=2))])
    maker = AdaptiveMarginals(axes_of(curator, "visits", ["sex", "region"]), rho=1, steps=30)
    made, outcome = maker.release_from(curator, "visits")
    assert outcome.cost == pt.ZCDP(rho=1)
    found = made.ask("SELECT COUNT(*) AS n FROM synthetic WHERE region = 'north'")[0]["n"]
    assert abs(found - len(visits()) / 4) < 40
    assert maker.release_from(curator, "visits")[1].free
    assert curator.remaining() == (pt.ZCDP(rho=1),)


def test_mbi_fits_the_same_model_where_it_is_installed_and_is_refused_beforehand_where_not():
    if find_spec("mbi") is None:
        with pytest.raises(pt.InvalidInput) as refusal:
            AdaptiveMarginals(SIZES, rho=1, inference="mbi")
        assert refusal.value.code == "algorithms.no-mbi"
        return
    maker = AdaptiveMarginals(SIZES, rho=1, inference="mbi")
    codes = rows()
    observed = [Observed(t, AXES.counts(codes, t).astype(float), 5.0) for t in [("a", "b"), ("b", "d"), ("c",)]]
    theirs, ours = maker._fitted(observed, steps=500), fitted(AXES, observed, steps=500)
    assert theirs.table(("a", "d")) == pytest.approx(ours.table(("a", "d")), abs=3)
    again = maker._fitted(observed, start=theirs.potentials, steps=10)
    assert again.table(("a", "d")) == pytest.approx(ours.table(("a", "d")), abs=3)


def test_a_changed_row_costs_four_times_as_much():
    maker = AdaptiveMarginals(SIZES, rho=1)
    (session,) = maker.losses(1, changed=True)
    assert session.cost(pt.ZCDP) == pt.ZCDP(rho=4)


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda: AdaptiveMarginals(SIZES, epsilon=1), "algorithms.no-such-noise"),
        (lambda: AdaptiveMarginals(SIZES, [], rho=1), "algorithms.no-tables"),
        (lambda: AdaptiveMarginals(SIZES, [()], rho=1), "algorithms.no-tables"),
        (lambda: AdaptiveMarginals(SIZES, [("x",)], rho=1), "algorithms.unknown-axis"),
        (lambda: AdaptiveMarginals(SIZES, rho=1, rounds=3), "number.too-small"),
        (lambda: AdaptiveMarginals(SIZES, rho="1e-30"), "algorithms.price-too-small"),
        (lambda: AdaptiveMarginals(SIZES, rho=1, inference="guess"), "algorithms.unknown-choice"),
        (lambda: AdaptiveMarginals(SIZES, rho=1).release([[9, 9, 9, 9]]), "algorithms.not-codes"),
        (lambda: AdaptiveMarginals({"sex": 2}, rho=1).release_from(hospital(), "visits"), "algorithms.other-axes"),
        (lambda: small().ask("SELECT FROM WHERE"), "algorithms.bad-synthetic-question"),
        (lambda: small().error("b", "c"), "algorithms.not-measured"),
    ],
)
def test_bad_input_is_refused_with_a_code(make, code):
    with pytest.raises(pt.PartitaError) as refusal:
        make()
    assert refusal.value.code == code


def small():
    observed = [Observed(("a",), np.array([30.0, 10.0]), 1.0)]
    return Synthetic.of(fitted(AXES, observed, steps=5), observed, bits=TestBits(1))
