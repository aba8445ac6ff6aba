from __future__ import annotations

import copy
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import partita as pt
from partita.algorithms import ContinualCounter
from partita.algorithms.budget import budget_of
from partita.algorithms.streams.factors import Optimal, SquareRoot, column_square
from partita.algorithms.streams.running import Binary, Triangular, block_distance, factors_distance
from partita.attacks.audits.audit import audit
from partita.sampling.bits import TestBits
from partita.theory.distance import Norm
from tests.unit.curator.hospital import hospital, visits

STEPS = 6
UNITS = [
    pt.rows(),
    pt.replace(),
    pt.users("who", rows=3),
    pt.groups(2),
    pt.windows("day", width=3),
    pt.windows("day", width=2, changed=True),
]


def moves(unit, steps=STEPS):
    """Every way in which the counts of a short stream can move under a granularity (unit cells at some steps)."""
    one = np.eye(steps, dtype=np.int64)
    match unit:
        case _ if unit.kind == "windows":
            signs = (-1, 0, 1) if not unit.changed else (-2, -1, 0, 1, 2)
            for start in range(steps - unit.width + 1):
                for chosen in product(signs, repeat=unit.width):
                    moved = np.zeros(steps, dtype=np.int64)
                    moved[start : start + unit.width] = chosen
                    yield moved
        case _ if unit.kind == "replace":
            for i, j in product(range(steps), repeat=2):
                yield one[i] - one[j]
        case _:
            for chosen in product(range(steps), repeat=unit.made_of(pt.rows())):
                yield one[list(chosen)].sum(axis=0)
                yield one[list(chosen)[:1]].sum(axis=0) - one[list(chosen)[1:]].sum(axis=0)


# --- privacy ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("factors", [SquareRoot(STEPS), Optimal(STEPS), Optimal(STEPS, 2)], ids=["root", "all", "last"])
@pytest.mark.parametrize("unit", UNITS, ids=str)
def test_no_unit_moves_the_measurements_further_than_is_said(unit, factors):
    claimed = factors_distance(factors, unit).power
    for moved in moves(unit):
        changed = [factors.measure(moved, step) for step in range(STEPS)]
        assert sum(value * value for value in changed) <= claimed


@pytest.mark.parametrize("norm", [Norm.L1, Norm.L2])
@pytest.mark.parametrize("unit", UNITS, ids=str)
def test_no_unit_moves_blocks_further_than_is_said(unit, norm):
    for size in (1, 2, 4):
        claimed = block_distance(size, norm, unit).power
        for moved in moves(unit):
            sums = moved[: STEPS - STEPS % size].reshape(-1, size).sum(axis=1)
            assert (np.abs(sums).sum() if norm is Norm.L1 else (sums**2).sum()) <= claimed


@pytest.mark.parametrize("unit", UNITS, ids=str)
@pytest.mark.parametrize("method", ["tree", "square root", "optimal"])
def test_a_whole_stream_stays_within_its_budget(method, unit):
    counter = ContinualCounter(20, rho="0.1", method=method, unit=unit)
    total = sum((one.cost(pt.ZCDP).rho for one in counter.scheme.losses(unit)), start=Fraction(0))
    assert Fraction(99, 1000) <= total <= Fraction(1, 10)


@pytest.mark.parametrize("unit", UNITS, ids=str)
def test_a_tree_of_laplace_noise_stays_within_epsilon(unit):
    counter = ContinualCounter(20, epsilon=1, unit=unit)
    assert isinstance(counter.scheme, Binary)
    assert sum(one.cost(pt.Pure).epsilon for one in counter.scheme.losses(unit)) <= 1


def test_what_is_released_at_a_step_does_not_depend_on_later_ones():
    for method in ("tree", "square root", "optimal"):
        counter = ContinualCounter(8, rho=1, method=method)
        first, second = counter.release([1] * 8, bits=TestBits(2)), counter.release([1] * 4 + [9] * 4, bits=TestBits(2))
        assert first.released[:4] == second.released[:4]


@pytest.mark.slow
def test_the_auditor_finds_no_more_than_was_claimed():
    counter = ContinualCounter(4, epsilon=1)
    bits = TestBits(7)

    def run(counts):
        return tuple(number for step in counter.release(counts, bits=bits, progress=False).released for number in step)

    assert audit(run, [1, 0, 2, 1], [1, 1, 2, 1], trials=1000, confidence=1 - 1e-6).epsilon <= 1


@pytest.mark.slow
def test_the_auditor_catches_noise_for_one_level_only():
    broken = Binary(8, pt.Laplace(epsilon=4))
    bits = TestBits(8)

    def run(counts):
        return tuple(number for step in range(8) for number in broken.release(np.array(counts), step, bits=bits))

    assert audit(run, [1] * 8, [2] + [1] * 7, trials=1000, confidence=0.999).epsilon > 4


# --- accuracy -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("window", [None, 3])
@pytest.mark.parametrize("method", ["tree", "square root", "optimal"])
def test_counts_are_unbiased_and_as_far_off_as_predicted(method, window):
    counter = ContinualCounter(12, rho="0.1", method=method, window=window)
    counts = np.arange(12) % 4
    truth = np.cumsum(counts) - (
        0 if window is None else np.concatenate([np.zeros(window), np.cumsum(counts)[:-window]])
    )
    bits = TestBits(9)
    errors = np.array([counter.release(counts, bits=bits, progress=False).counts - truth for _ in range(300)])
    deviations = np.array([counter.deviation(step) for step in range(12)])
    assert np.abs(errors.mean(axis=0) / deviations).max() < 5.5 / np.sqrt(300)
    assert np.sqrt((errors**2).mean()) == pytest.approx(counter.deviation(), rel=0.1)
    assert (np.abs(errors) <= counter.error(0.95)).all(axis=1).mean() > 0.9


def test_laplace_blocks_stay_within_their_bound():
    counter = ContinualCounter(16, epsilon=1)
    bits = TestBits(10)
    errors = np.array([counter.release([2] * 16, bits=bits, progress=False).counts for _ in range(300)])
    inside = np.abs(errors - 2 * np.arange(1, 17)) <= counter.error(0.95)
    assert inside.all(axis=1).mean() > 0.9


def test_the_square_root_has_the_error_of_its_theorem():
    counter = ContinualCounter(256, rho="0.5", method="square root")
    assert counter.deviation(255) == pytest.approx(column_square(256), rel=1e-3)


def test_the_optimal_factorisation_beats_the_square_root_which_beats_the_tree():
    found = {
        method: ContinualCounter(128, rho=1, method=method).deviation() for method in ("tree", "square root", "optimal")
    }
    assert found["optimal"] < found["square root"] < found["tree"]
    assert ContinualCounter(128, rho=1).deviation() == found["optimal"]


def test_a_window_has_less_error_than_a_difference_of_running_counts():
    made = ContinualCounter(128, rho=1, window=7, method="optimal")
    assert made.deviation() < ContinualCounter(128, rho=1, method="optimal").deviation()


def test_a_window_of_steps_costs_less_than_as_many_rows_at_one_step():
    factors = SquareRoot(64)
    assert factors_distance(factors, pt.windows("day", width=8)).power < factors.moved().times(8).power


# --- streams that live --------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["tree", "square root", "optimal"])
def test_a_stream_fed_step_by_step_says_the_same_as_all_at_once(method):
    counter = ContinualCounter(9, rho=1, method=method)
    stream, counts = counter.open(bits=TestBits(3)), [3, 1, 0, 2, 5, 0, 0, 1, 4]
    said = [stream.push(count) for count in counts]
    assert said == pytest.approx(counter.release(counts, bits=TestBits(3)).counts)
    assert stream.last(3) == pytest.approx(counter.release(counts, bits=TestBits(3)).at(8, window=3))
    with pytest.raises(pt.BudgetExceeded):
        stream.push(1)


def test_a_stream_is_never_copied():
    stream = ContinualCounter(9, rho=1).open()
    with pytest.raises(pt.InvalidInput):
        copy.deepcopy(stream)


def test_a_stream_and_questions_share_one_ledger():
    curator = hospital(promises=[pt.Promise(pt.rows(), pt.ZCDP(rho="0.5"))])
    counter = ContinualCounter(365, rho="0.2", column="day")
    counts, outcome = counter.release_from(curator, "visits")
    curator.ask("SELECT COUNT(*) AS n FROM visits", rho="0.1")
    assert outcome.cost.fits(pt.ZCDP(rho="0.2"))
    assert float(curator.remaining()[0].rho) == pytest.approx(0.2, rel=1e-6)
    assert abs(counts.at(364) - len(visits())) <= counter.error(1 - 1e-9)[364]
    assert counts.plot().axes
    assert counter.release_from(curator, "visits")[1].free


def test_users_pay_for_all_their_events():
    curator = hospital(promises=[pt.Promise(pt.users("patient", rows=2), pt.ZCDP(rho=1))])
    _, outcome = ContinualCounter(365, rho="0.1", column="day", method="tree").release_from(curator, "visits")
    assert float(outcome.cost.rho) == pytest.approx(0.4, rel=1e-6)


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda: ContinualCounter(0, rho=1), "number.too-small"),
        (lambda: ContinualCounter(4, rho=1, method="guess"), "algorithms.unknown-choice"),
        (lambda: ContinualCounter(4, epsilon=1, method="square root"), "algorithms.no-such-noise"),
        (lambda: ContinualCounter(2000, rho=1, method="optimal"), "algorithms.too-many-steps"),
        (lambda: ContinualCounter(4, rho=1, unit="row"), "algorithms.no-stream-unit"),
        (lambda: ContinualCounter(4, rho=1, unit=pt.nodes()), "algorithms.no-stream-unit"),
        (lambda: ContinualCounter(4, rho=1).open().push(-1), "number.too-small"),
        (lambda: ContinualCounter(4, rho=1).open().last(2), "algorithms.bad-step"),
        (lambda: ContinualCounter(4, rho=1).open().push(10**30), "algorithms.too-many-events"),
        (lambda: ContinualCounter(4, rho=1).deviation(4), "algorithms.bad-step"),
        (lambda: ContinualCounter(4, rho=1).release_from(hospital(), "visits"), "algorithms.wrong-cells"),
    ],
)
def test_bad_input_is_refused_with_a_code(make, code):
    with pytest.raises(pt.PartitaError) as refusal:
        make()
    assert refusal.value.code == code


def test_a_budget_buys_the_same_noise_however_it_is_asked_for():
    made = Triangular.within(budget_of(rho="0.5"), SquareRoot(8), pt.rows())
    assert made.noise == ContinualCounter(8, rho="0.5", method="square root").scheme.noise
