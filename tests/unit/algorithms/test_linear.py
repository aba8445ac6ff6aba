from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import partita as pt
from partita.algorithms import LinearQueries, Strategy, Workload
from partita.algorithms.bounds import half_widths
from partita.algorithms.budget import budget_of
from partita.algorithms.linear.consistency import nearest_nonnegative, nonnegative_least_squares
from partita.algorithms.linear.factorise import factorise
from partita.algorithms.linear.tree import Tree, balanced, depth_of
from partita.algorithms.linear.workload import range_queries
from partita.attacks.audits.audit import audit
from partita.sampling.bits import TestBits
from partita.theory.distance import Norm
from tests.unit.curator.hospital import hospital, visits

BOTH = {"epsilon": 1, "delta": "1e-6"}
LINES = arrays(np.int64, st.tuples(st.integers(1, 4), st.integers(2, 5)), elements=st.integers(-9, 9))


def length(vector, norm):
    match norm:
        case Norm.L1:
            return int(np.abs(vector).sum())
        case Norm.L2:
            return int((vector * vector).sum())
        case Norm.LINF:
            return int(np.abs(vector).max())


# --- privacy ------------------------------------------------------------------------------------------------


@given(lines=LINES, norm=st.sampled_from(Norm))
def test_no_row_that_enters_moves_a_strategy_further_than_it_says(lines, norm):
    strategy = Strategy("given", lines)
    moved = [length(strategy.measure(np.eye(strategy.width, dtype=np.int64)[j]), norm) for j in range(strategy.width)]
    assert strategy.distance(norm).power == max(moved)


@given(lines=LINES, norm=st.sampled_from(Norm))
def test_no_row_that_changes_moves_a_strategy_further_than_it_says(lines, norm):
    strategy = Strategy("given", lines)
    moved = [length(lines[:, i] - lines[:, j], norm) for i in range(strategy.width) for j in range(strategy.width)]
    assert strategy.distance(norm, changed=True).power == max(moved)


def test_several_rows_move_a_strategy_that_many_times_as_far():
    strategy = Strategy.of([[1, 1], [0, 3]])
    assert strategy.distance(Norm.L2, rows=3).power == 9 * 10
    assert strategy.distance(Norm.L1, rows=3).power == 12


@pytest.mark.parametrize("changed", [False, True])
@pytest.mark.parametrize(
    "lines",
    [
        np.array([[50_000, 1]], dtype=np.int32),
        np.array([[255, 1], [200, 3]], dtype=np.uint8),
        np.array([[2**62, -(2**62)]]),
        np.array([[-(2**63), 1]]),
    ],
    ids=["32 bits", "8 bits", "62 bits", "the least of all"],
)
def test_lines_of_any_width_move_as_far_as_python_s_integers_say(lines, changed):
    columns = [[int(entry) for entry in column] for column in lines.T]
    gaps = [[a - b for a, b in zip(one, other, strict=True)] for one in columns for other in columns]
    moved = gaps if changed else columns
    strategy = Strategy("given", lines)
    assert strategy.distance(Norm.L1, changed=changed).power == max(sum(map(abs, gap)) for gap in moved)
    assert strategy.distance(Norm.L2, changed=changed).power == max(sum(x * x for x in gap) for gap in moved)
    assert strategy.distance(Norm.LINF, changed=changed).power == max(max(map(abs, gap)) for gap in moved)
    counts = np.array([3, 5])
    assert strategy.measure(counts).tolist() == [
        sum(int(a) * int(b) for a, b in zip(line, counts, strict=True)) for line in lines
    ]


def test_the_lines_of_a_strategy_are_whole_and_stay_as_they_are():
    with pytest.raises(pt.PartitaError, match="strategy"):
        Strategy("given", np.array([[0.5, 1.0]]))
    given = np.eye(2, dtype=np.int64)
    strategy = Strategy("given", given)
    given *= 1000
    assert strategy.distance(Norm.L1).power == 1
    with pytest.raises(ValueError, match="read-only"):
        strategy.lines[0, 0] = 9


def test_numbers_beyond_64_bits_are_counted_exactly():
    strategy = Strategy("given", np.array([[1 << 40, 3]], dtype=np.int64))
    assert strategy.distance(Norm.L2).power == 1 << 80
    assert strategy.distance(Norm.L2, changed=True).power == ((1 << 40) - 3) ** 2
    assert strategy.measure(np.array([1 << 30, 1])).tolist() == [(1 << 70) + 3]


@given(parts=st.lists(st.integers(2, 3), min_size=0, max_size=3), norm=st.sampled_from([Norm.L1, Norm.L2]))
def test_no_row_moves_a_level_of_a_tree_further_than_it_says(parts, norm):
    width = int(np.prod(parts, dtype=int))
    tree = Tree.within(budget_of(**BOTH), width, parts=parts, norm=norm)

    def levels(counts):
        return [counts.reshape(int(np.prod(parts[:level], dtype=int)), -1).sum(axis=1) for level in range(tree.levels)]

    cells = np.eye(width, dtype=np.int64)
    for changed in (False, True):
        claimed = [one.distance.power for one in tree.losses(1, changed=changed)]
        for i in range(width):
            for j in range(width) if changed else (i,):
                moved = cells[i] - cells[j] if changed else cells[i]
                assert all(length(part, norm) <= most for part, most in zip(levels(moved), claimed, strict=True))


@pytest.mark.parametrize("relation", ["add/remove", "change-one"])
@pytest.mark.parametrize("budget", [{"epsilon": 1}, BOTH, {"rho": "0.1"}, {"mu": "0.5"}], ids=str)
@pytest.mark.parametrize("strategy", ["cells", "tree", "best"])
def test_the_whole_release_stays_within_its_budget(budget, strategy, relation):
    queries = LinearQueries(Workload.ranges(9), strategy=strategy, relation=relation, **budget)
    losses = queries.losses(1, changed=relation == "change-one")
    events = [one for one in losses if one.distance.power]
    match queries.budget:
        case pt.Pure(epsilon=epsilon):
            assert sum(one.cost(pt.Pure).epsilon for one in losses) <= epsilon
        case pt.Approximate(epsilon=epsilon, delta=delta):
            assert pt.compose(events, delta=delta).epsilon <= float(epsilon) * (1 + 1e-9)
        case pt.ZCDP(rho=rho):
            assert sum(one.cost(pt.ZCDP).rho for one in losses) <= rho
        case pt.GDP(squared=squared):
            assert sum(one.cost(pt.GDP).squared for one in losses) <= squared


@pytest.mark.slow
def test_the_auditor_finds_no_more_than_was_claimed():
    queries = LinearQueries(Workload.prefixes(3), epsilon=1, strategy="tree")
    bits = TestBits(3)

    def run(counts):
        return tuple(entry for level in queries.scheme.release(np.array(counts), bits=bits) for entry in level)

    assert audit(run, (4, 2, 1), (4, 3, 1), trials=2000, confidence=1 - 1e-6).epsilon <= 1


@pytest.mark.slow
def test_the_auditor_catches_a_tree_that_charges_one_level_only():
    tree = Tree.within(budget_of(epsilon=4), 4, norm=Norm.L1)
    broken = Tree(tree.width, tree.parts, (pt.Laplace(epsilon=4),) * tree.levels)
    bits = TestBits(4)

    def run(counts):
        return tuple(entry for level in broken.release(np.array(counts), bits=bits) for entry in level)

    assert audit(run, (4, 2, 1, 0), (4, 3, 1, 0), trials=2000, confidence=0.999).epsilon > 4


# --- accuracy -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("budget", [{"epsilon": 1}, BOTH], ids=str)
@pytest.mark.parametrize("strategy", ["cells", "tree", "best"])
def test_the_predicted_error_is_the_measured_one(budget, strategy):
    workload = Workload.ranges(16)
    queries = LinearQueries(workload, strategy=strategy, **budget)
    counts = np.arange(16) * 5
    bits = TestBits(11)
    errors = np.array([queries.release(counts, bits=bits).answers - workload.matrix @ counts for _ in range(2000)])
    assert abs(errors.mean(axis=0)).max() < 6 * np.sqrt(queries.scheme.variances(workload.matrix).max() / 2000)
    assert np.sqrt((errors**2).mean()) == pytest.approx(queries.rmse(), rel=0.1)
    # All queries are inside at once, in 95% of the runs and more: 50 below the mean of 1900 is under 1e-6 away.
    assert (np.abs(errors) <= queries.error(0.95)).all(axis=1).sum() >= 1850


def test_a_tree_estimates_by_weighted_least_squares():
    tree = Tree.within(budget_of(**BOTH), 6, parts=(3, 2), queries=np.eye(6))
    lines = np.vstack([np.kron(np.eye(count), np.ones((1, 6 // count))) for count in (1, 3, 6)])
    spread = np.concatenate([np.full(count, tree._variances[level]) for level, count in enumerate((1, 3, 6))])
    measured = [[10], [3, 4, 5], [1, 1, 2, 3, 1, 4]]
    weighted = np.linalg.inv(lines.T @ np.diag(1 / spread) @ lines)
    wanted = weighted @ lines.T @ np.diag(1 / spread) @ np.concatenate(measured)
    assert tree.estimate(measured) == pytest.approx(wanted)
    assert tree.variances(np.eye(6)) == pytest.approx(np.diag(weighted))


def test_the_best_strategy_beats_cells_and_trees_and_says_how_far_from_the_least_it_is():
    found = factorise(Workload.ranges(64).gram, close=1e-3)
    assert 0 <= found.gap <= 1e-3
    errors = {
        name: LinearQueries(Workload.ranges(64), rho=1, noise="gaussian", strategy=name).rmse()
        for name in ("cells", "tree", "optimal")
    }
    assert errors["optimal"] < errors["tree"] < errors["cells"]
    assert LinearQueries(Workload.ranges(64), rho=1).rmse() <= errors["optimal"]


@given(arrays(np.float64, st.tuples(st.integers(1, 6), st.integers(1, 8)), elements=st.integers(-3, 3)))
def test_the_error_of_a_strategy_is_what_it_says_and_not_below_the_bound(queries):
    queries[0] += 1.0 * (queries == 0).all()
    gram = queries.T @ queries
    found = factorise(gram)
    assert np.diag(found.gram).max() <= 1 + 1e-9
    error = float(np.sum(gram * np.linalg.inv(found.gram)))
    assert found.least * (1 - 1e-9) <= error <= found.error * (1 + 1e-9)


def test_a_few_queries_over_many_cells_get_a_good_strategy_too():
    draw = np.random.default_rng(1)
    for queries in (draw.random((10, 60)), draw.integers(0, 2, (20, 60)), np.eye(60)[:5]):
        assert factorise(Workload.of(queries).gram).gap < 0.03


def test_no_strategy_is_sought_where_none_can_be_better():
    pairs = np.sort(np.random.default_rng(0).integers(0, 128, (120, 2)), axis=1).tolist()
    queries = LinearQueries(Workload.ranges(128, pairs), **BOTH)
    optimal = LinearQueries(Workload.ranges(128, pairs), strategy="optimal", **BOTH)
    assert isinstance(queries.scheme, Tree)
    assert queries.rmse() < queries.least() <= optimal.rmse() <= 1.005 * optimal.least()
    assert LinearQueries(Workload.ranges(8), strategy="tree", **BOTH).least() == 0
    assert LinearQueries(Workload.of([[0, 0]]), strategy="optimal", **BOTH).rmse() == 0
    assert LinearQueries(Workload.ranges(8), strategy="optimal", relation="change-one", **BOTH).least() == 0


def test_the_triangular_form_of_a_strategy_has_the_same_products():
    found = factorise(Workload.prefixes(12).gram)
    lines = found.triangular()
    assert np.allclose(lines.T @ lines, found.gram)
    assert np.allclose(lines, np.tril(lines))


def test_cells_that_no_query_tells_apart_are_measured_as_one():
    workload = Workload.ranges(1000, [(0, 499), (500, 999), (100, 899)])
    queries = LinearQueries(workload, rho=1, strategy="optimal")
    assert len(queries.scheme.strategy.lines) == 4
    assert queries.rmse() < 3


def test_nonnegative_cells_are_no_further_from_the_truth():
    truth = np.array([0, 0, 100, 0, 0, 0, 50, 0])
    plain = LinearQueries(Workload.ranges(8), rho="0.01", strategy="optimal")
    kept = LinearQueries(Workload.ranges(8), rho="0.01", strategy="optimal", nonnegative=True)
    errors = {True: 0.0, False: 0.0}
    for seed in range(30):
        for which, queries in ((False, plain), (True, kept)):
            cells = queries.release(truth, bits=TestBits(seed)).cells
            errors[which] += float(((cells - truth) ** 2).sum())
            assert not which or (cells >= 0).all()
    assert errors[True] < errors[False]


@pytest.mark.parametrize("strategy", ["tree", "cells"])
def test_error_bars_of_nonnegative_answers_hold_the_truth_all_at_once(strategy):
    # Most cells are empty, so that cutting off negative ones moves the answers by more than noise does.
    workload = Workload.ranges(200, [(0, 199), (0, 99), (20, 60)])
    queries = LinearQueries(workload, rho="0.0005", strategy=strategy, nonnegative=True)
    truth = np.zeros(200, dtype=np.int64)
    truth[150] = 30_000
    found = [queries.release(truth, bits=TestBits(seed)) for seed in range(40)]
    held = [(np.abs(one.answers - workload.matrix @ truth) <= one.error(0.95)).all() for one in found]
    assert sum(held) >= 29  # 38 less what chance takes once in a million


@given(st.lists(st.floats(-50, 50), min_size=1, max_size=8))
def test_the_nearest_nonnegative_cells_keep_the_total(values):
    cells = np.array(values)
    found = nearest_nonnegative(cells)
    assert (found >= 0).all()
    assert found.sum() == pytest.approx(max(cells.sum(), 0.0), abs=1e-6)


def test_nonnegative_least_squares_meets_its_conditions():
    table = np.tri(5)
    start = np.array([4.0, -3.0, 5.0, -1.0, 2.0])
    found = nonnegative_least_squares(table.T @ table, start, steps=5000)
    slope = table.T @ table @ (found - start)
    assert (found >= 0).all()
    assert slope.min() > -1e-4
    assert abs(slope @ found) < 1e-3


def test_the_error_of_one_laplace_variable_is_its_exact_quantile():
    one = np.ones(1)
    found = half_widths(one * 4, one * 2, one * 0, laplace=True, confidence=0.95, entries=1)
    assert found[0] == pytest.approx(2 * np.log(20))


@pytest.mark.parametrize(("cells", "depth"), [(1024, 1), (1024, 3), (1000, 5), (7, 2), (3, 2)])
def test_balanced_parts_hold_all_cells(cells, depth):
    parts = balanced(cells, depth)
    assert len(parts) == depth
    assert cells <= np.prod(parts) <= 3 * cells + 8


def test_a_hundred_thousand_cells_are_no_trouble_for_a_tree():
    width = 1 << 17
    queries = LinearQueries(
        Workload(1, np.empty((width, 0)), range_queries(width, [(3, 70_000)])), epsilon=1, strategy="tree"
    )
    counts = np.ones(width, dtype=np.int64)
    found = queries.release(counts, bits=TestBits(1))
    assert abs(found.range(3, 70_000) - 69_998) <= queries.error(1 - 1e-9)[0]
    assert depth_of(width, 16) <= queries.scheme.levels <= 18


# --- the curator's door -------------------------------------------------------------------------------------


def test_a_workload_on_a_curators_table_is_paid_by_those_it_reads_and_free_the_second_time():
    curator = hospital(promises=[pt.Promise(pt.rows(), pt.ZCDP(rho="0.5"))])
    queries = LinearQueries(Workload.ranges(121), rho="0.1")
    estimate, outcome = queries.release_from(curator, "visits", columns=["age"], where="region = 'north'")
    assert outcome.cost.fits(pt.ZCDP(rho="0.1"))
    assert curator.remaining("region = 'south'") == (pt.ZCDP(rho="0.5"),)
    truth = sum(row["age"] <= 50 for row in visits() if row["region"] == "north")
    assert abs(estimate.range(0, 50) - truth) <= estimate.error(1 - 1e-9, range_queries(121, [(0, 50)]))[0]
    again, second = queries.release_from(curator, "visits", columns=["age"], where="region = 'north'")
    assert second.free
    assert (again.cells == estimate.cells).all()


def test_the_price_of_a_workload_in_epsilon_and_delta_is_what_a_curator_charges():
    curator = hospital(promises=[pt.Promise(pt.rows(), pt.Approximate(epsilon=2, delta="1e-5"))])
    queries = LinearQueries(Workload.ranges(121), **BOTH, noise="gaussian")
    _, outcome = queries.release_from(curator, "visits", columns=["age"])
    assert float(outcome.cost.epsilon) == pytest.approx(1, rel=1e-6)
    assert outcome.cost.delta == Fraction(1, 10**6)


def test_cells_of_a_joint_table_are_counted_in_the_order_of_the_columns():
    curator = hospital(promises=[pt.Promise(pt.rows(), pt.Pure(epsilon=10_000))])
    queries = LinearQueries(Workload.cells(15), epsilon=5000)
    estimate, _ = queries.release_from(curator, "visits", columns=["sex", "region"], where="age < 50")
    north = sum(row["sex"] == "F" and row["region"] == "north" for row in visits() if row["age"] < 50)
    assert estimate.cells[0] == north


def test_another_number_of_cells_is_refused_before_anything_is_spent():
    curator = hospital()
    with pytest.raises(pt.InvalidInput) as refusal:
        LinearQueries(Workload.cells(7), rho="0.1").release_from(curator, "visits", columns=["age"])
    assert refusal.value.code == "algorithms.wrong-cells"
    assert curator.spent()[0].is_zero()


# --- bad input ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda: LinearQueries(Workload.cells(3)), "query.no-price"),
        (lambda: LinearQueries(Workload.cells(3), rho=1, delta="1e-6"), "algorithms.delta-beside"),
        (lambda: LinearQueries(Workload.cells(3), epsilon=1, noise="gaussian"), "algorithms.no-such-noise"),
        (lambda: LinearQueries(Workload.cells(3), epsilon=1, noise="uniform"), "algorithms.unknown-choice"),
        (lambda: LinearQueries(Workload.cells(3), epsilon=1, strategy="magic"), "algorithms.unknown-choice"),
        (lambda: LinearQueries(Workload.cells(3), epsilon=1, strategy=Strategy.cells(2)), "algorithms.wrong-cells"),
        (lambda: LinearQueries([[1, 1]], rho=1, strategy=Strategy.of([[1, 0]])), "algorithms.not-covered"),
        (lambda: LinearQueries([[float("nan")]], rho=1), "algorithms.not-a-matrix"),
        (lambda: Workload.of([1, 2]), "algorithms.not-a-matrix"),
        (lambda: Workload.ranges(4, [(3, 1)]), "algorithms.bad-range"),
        (lambda: Workload.ranges(4, [5]), "algorithms.not-a-pair"),
        (lambda: LinearQueries(np.eye(2), rho=1).release([1, 2]).answer([[1, 0, 1]]), "algorithms.wrong-cells"),
        (lambda: LinearQueries(np.eye(2), rho=1).release([1, 2]).answer([1, 0]), "algorithms.not-a-matrix"),
        (lambda: Workload.ranges(4, [(0, 4)]), "algorithms.bad-range"),
        (lambda: Strategy.of(np.zeros((1, 5000))), "algorithms.too-many-cells"),
        (lambda: Strategy.of([[0, 0]]), "algorithms.not-covered"),
        (lambda: LinearQueries(Workload.cells(3), rho=1).release([1, 2]), "algorithms.wrong-cells"),
        (lambda: LinearQueries(Workload.cells(3), rho=1).release([1.5, 2, 3]), "mechanisms.not-integers"),
        (lambda: LinearQueries(Workload.ranges(200), rho=1, strategy="tree").error(), "algorithms.not-written"),
    ],
)
def test_bad_input_is_refused_with_a_code(make, code):
    with pytest.raises(pt.PartitaError) as refusal:
        make()
    assert refusal.value.code == code


def test_an_estimate_draws_itself():
    estimate = LinearQueries(Workload.cells(5), rho=1).release([1, 2, 3, 4, 5], bits=TestBits(1))
    assert estimate.plot().axes
    wide = LinearQueries(Workload.ranges(200), rho=1, strategy="tree").release([1] * 200, bits=TestBits(1))
    assert wide.plot().axes
