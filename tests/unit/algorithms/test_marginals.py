from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import partita as pt
from partita.algorithms import Axes, Marginals, axes_of, joint_and_separate
from partita.attacks.audits.audit import audit
from partita.sampling.bits import TestBits
from tests.unit.curator.hospital import hospital, visits

SIZES = {"sex": 2, "region": 4, "age": 6}
PAIRS = [("sex", "region"), ("region", "age")]
ROWS = np.array([[i % 2, (i * 7) % 4, (i * 5) % 6] for i in range(300)])


# --- privacy ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("relation", ["add/remove", "change-one"])
@pytest.mark.parametrize("budget", [{"epsilon": 1}, {"rho": "0.1"}], ids=str)
def test_all_measured_tables_together_stay_within_the_budget(budget, relation):
    asked = Marginals(SIZES, PAIRS, relation=relation, **budget)
    total = asked.budget.zero()
    for one in asked.losses(1, changed=relation == "change-one"):
        total = total + one.cost(type(asked.budget))
    assert total.fits(asked.budget)
    assert total.vector()[0] >= asked.budget.vector()[0] * 0.999


def test_what_is_booked_is_what_is_measured():
    asked = Marginals(SIZES, PAIRS, rho=1)
    assert len(asked.losses(1, changed=False)) == len(asked.release(ROWS, bits=TestBits(1)).measured)


def test_no_row_moves_a_measured_table_further_than_it_says():
    axes = Axes(SIZES)
    for table in [(), ("sex",), ("sex", "age"), ("sex", "region", "age")]:
        for row in ([0, 0, 0], [1, 3, 5]):
            moved = axes.counts(np.vstack([ROWS, row]), table) - axes.counts(ROWS, table)
            assert np.abs(moved).sum() == 1


@pytest.mark.slow
def test_the_auditor_finds_no_more_than_was_claimed():
    asked = Marginals({"a": 2, "b": 2}, [("a",), ("b",)], epsilon=1)
    bits = TestBits(5)

    def run(rows):
        return tuple(entry for table in asked._measured(np.array(rows), bits) for entry in table)

    assert audit(run, [[0, 0], [1, 1]], [[0, 0]], trials=2000, confidence=1 - 1e-6).epsilon <= 1


# --- accuracy -----------------------------------------------------------------------------------------------


def test_estimates_are_weighted_least_squares_of_everything_measured():
    asked = Marginals({"a": 2, "b": 3}, [("a", "b"), ("a",), ("b",)], rho="0.1")
    tables = asked.release(np.array([[0, 1], [1, 2], [1, 1]]), bits=TestBits(2))
    lines, spread, flat = [], [], []
    for (table, noise), measured in zip(asked.noises.items(), tables.measured, strict=True):
        kept = [np.eye(size) if name in table else np.ones((1, size)) for name, size in (("a", 2), ("b", 3))]
        lines.append(np.kron(*kept))
        spread += [float(noise.sigma) ** 2 + 1 / 12] * len(measured)
        flat += measured
    stacked, weight = np.vstack(lines), np.diag(1 / np.array(spread))
    covariance = np.linalg.inv(stacked.T @ weight @ stacked)
    wanted = covariance @ stacked.T @ weight @ np.array(flat)
    assert tables.table("a", "b").ravel() == pytest.approx(wanted)
    assert tables.rmse("a", "b") ** 2 == pytest.approx(covariance[0, 0])
    assert tables.table("a") == pytest.approx(wanted.reshape(2, 3).sum(axis=1))


def test_tables_agree_wherever_they_overlap():
    tables = Marginals(SIZES, PAIRS, epsilon="0.5").release(ROWS, bits=TestBits(3))
    assert tables.table("sex", "region").sum(axis=0) == pytest.approx(tables.table("region", "age").sum(axis=1))
    assert tables.table("region") == pytest.approx(tables.table("sex", "region").sum(axis=0))


def test_the_predicted_error_is_the_measured_one_and_all_cells_are_inside_at_once():
    asked = Marginals(SIZES, PAIRS, rho="0.05")
    truth = asked.axes.counts(ROWS, ("region", "age")).reshape(4, 6)
    bits = TestBits(4)
    found = [asked.release(ROWS, bits=bits) for _ in range(400)]
    errors = np.array([tables.table("region", "age") - truth for tables in found])
    assert np.sqrt((errors**2).mean()) == pytest.approx(found[0].rmse("region", "age"), rel=0.1)
    inside = (np.abs(errors) <= found[0].error("region", "age")).all(axis=(1, 2))
    assert inside.mean() > 0.9  # 0.95 is promised; 4.6 standard deviations below is 0.9


@pytest.mark.parametrize("tables", [[("a", "b")], [("a",), ("a", "b", "c")]], ids=["one table", "two tables"])
def test_the_weights_of_a_cell_sum_to_what_is_said(tables):
    asked = Marginals({"a": 2, "b": 3, "c": 2}, tables, rho="0.1")
    zeros = [[0] * asked.axes.cells(measured) for measured in asked.noises]
    combined = asked._estimated(zeros).combined
    for table in asked.tables:
        total = 0.0
        for place, flat in enumerate(zeros):
            for cell in range(len(flat)):
                one = [*zeros[:place], [int(other == cell) for other in range(len(flat))], *zeros[place + 1 :]]
                total += abs(combined.estimate(one, table).ravel()[0])
        assert combined.weight(table) == pytest.approx(total)


def test_error_bars_hold_where_rounding_is_much_of_the_noise():
    # Deviations of a third of a row, rounded to whole rows.
    asked, bits, times = Marginals({"a": 6}, [("a",)], rho=4, noise="gaussian"), TestBits(1), 600
    found = [asked.release([[0], [1], [1]], bits=bits) for _ in range(times)]
    width = found[0].error("a", confidence=0.8)
    held = sum(bool((np.abs(one.table("a") - [1, 2, 0, 0, 0, 0]) <= width).all()) for one in found)
    assert held >= 0.8 * times - 4.8 * np.sqrt(0.16 * times)


def test_sharing_noise_beats_equal_shares():
    sizes = {f"c{place}": size for place, size in enumerate((2, 3, 5, 8, 13))}
    asked = Marginals(sizes, list(combinations(sizes, 2)), rho="0.1")
    assert asked.rmse() < 0.95 * asked.rmse(separately=True)


def test_joint_and_separate_are_d_half_and_d_times_apart():
    counts = [100] * 20
    change = joint_and_separate(counts, epsilon=1, relation="change-one", bits=TestBits(1))
    come = joint_and_separate(counts, epsilon=1, bits=TestBits(2))
    assert (change.noise.ratio, come.noise.ratio) == (10, 20)
    for both in (change, come):
        assert both.measured()[0] < both.measured()[1]
        assert all(happened <= said for happened, said in zip(both.measured(), both.error(1 - 1e-9), strict=True))
    assert come.plot().axes
    assert "counts=" not in repr(come), "exact counts are not shown by themselves"


# --- the curator's door -------------------------------------------------------------------------------------


def test_marginals_of_a_curators_table():
    curator = hospital(promises=[pt.Promise(pt.rows(), pt.ZCDP(rho=10_000))])
    asked = Marginals(axes_of(curator, "visits", ["sex", "region"]), [("sex", "region")], rho=5000)
    tables, outcome = asked.release_from(curator, "visits")
    assert outcome.cost.fits(pt.ZCDP(rho=5000))
    truth = sum(row["sex"] == "F" and row["region"] == "east" for row in visits())
    assert tables.table("sex", "region")[0, 2] == pytest.approx(truth, abs=0.5)
    assert tables.plot("sex", "region").axes


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda: Marginals({}, [("a",)], rho=1), "algorithms.no-axes"),
        (lambda: Marginals(SIZES, [], rho=1), "algorithms.no-tables"),
        (lambda: Marginals(SIZES, [("wage",)], rho=1), "algorithms.unknown-axis"),
        (lambda: Marginals(SIZES, PAIRS, rho=1).release([[0, 0]]), "algorithms.not-codes"),
        (lambda: Marginals(SIZES, PAIRS, rho=1).release([[0, 0, 9]]), "algorithms.not-codes"),
        (lambda: Marginals(SIZES, PAIRS, rho=1).release([[0.5, 0, 1]]), "algorithms.not-codes"),
        (lambda: Marginals(SIZES, PAIRS, rho=1).release(ROWS).table("sex", "age"), "algorithms.not-measured"),
        (lambda: Marginals({"sex": 2}, [("sex",)], rho=1).release_from(hospital(), "visits"), "algorithms.other-axes"),
    ],
)  # fmt: skip
def test_bad_input_is_refused_with_a_code(make, code):
    with pytest.raises(pt.PartitaError) as refusal:
        make()
    assert refusal.value.code == code
