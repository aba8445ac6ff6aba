"""Tests 6, 9 and 10 of the ten: nothing that analysts do together gets more than the promise."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest

import partita as pt
from tests.unit.curator.hospital import hospital, visits


def test_differencing_is_charged_to_the_target_twice_and_then_refused() -> None:
    curator = hospital(promises=[pt.Promise(pt.rows(), pt.Pure(epsilon=1))])
    target = visits()[17]
    all_north = "SELECT COUNT(*) AS n FROM visits WHERE region = 'south'"
    but_one = (
        f"{all_north} AND NOT (age = {target['age']} AND sex = '{target['sex']}' AND day = DATE '{target['day']}')"
    )
    curator.ask(all_north, epsilon="0.5")
    curator.ask(but_one, epsilon="0.5")
    assert curator.spent() == (pt.Pure(epsilon=1),)
    with pytest.raises(pt.BudgetExceeded):
        curator.ask("SELECT SUM(age) AS n FROM visits WHERE region = 'south'", epsilon="0.01")


def test_ten_colluding_analysts_have_one_budget_across_restarts_and_reordered_questions(tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    accepted = 0
    for round_ in range(3):
        with hospital(ledger=path, promises=[pt.Promise(pt.rows(), pt.Pure(epsilon=1))], seed=round_) as curator:
            for analyst in range(10):
                question = f"SELECT SUM(age + {round_ * 10 + analyst}) AS s FROM visits"
                try:
                    curator.session(analyst=f"a{analyst}", budget=pt.Pure(epsilon=1)).ask(question, epsilon="0.1")
                except pt.BudgetExceeded:
                    continue
                accepted += 1
            assert curator.spent()[0].fits(pt.Pure(epsilon=1))
    assert accepted == 10


def test_sixty_four_threads_buy_a_tenth_each_and_ten_win(tmp_path: Path) -> None:
    curator = hospital(ledger=tmp_path / "ledger", promises=[pt.Promise(pt.rows(), pt.Pure(epsilon=1))])
    won, lost, broken = [], [], []

    def buy(number: int) -> None:
        try:
            curator.ask(f"SELECT SUM(age + {number}) AS s FROM visits", epsilon="0.1")
            won.append(number)
        except pt.BudgetExceeded:
            lost.append(number)
        except BaseException as problem:  # noqa: BLE001
            broken.append(problem)

    threads = [threading.Thread(target=buy, args=(number,)) for number in range(64)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not broken
    assert (len(won), len(lost)) == (10, 54)
    assert curator.spent() == (pt.Pure(epsilon=1),)


@pytest.mark.slow
def test_reconstruction_to_exhaustion_stays_near_chance() -> None:
    """Theory G1: least squares on every random subset that the budget buys recovers the secret bits no better."""
    rng = np.random.default_rng(5)
    size = 64
    secret = rng.integers(0, 2, size)
    rows = [{**visits(1)[0], "age": i, "sex": "FM"[secret[i]]} for i in range(size)]
    curator = hospital(rows=rows, promises=[pt.Promise(pt.rows(), pt.Pure(epsilon=5))])
    asked, answers = [], []
    for _ in range(4 * size):
        subset = np.flatnonzero(rng.integers(0, 2, size))
        listed = ", ".join(map(str, subset))
        try:
            answer = curator.ask(
                f"SELECT COUNT(*) AS n FROM visits WHERE sex = 'M' AND age IN ({listed})", epsilon=f"{5 / (4 * size)}"
            )
        except pt.BudgetExceeded:
            break
        row = np.zeros(size)
        row[subset] = 1
        asked.append(row)
        answers.append(answer.rows()[0]["n"])
    guess = np.linalg.lstsq(np.array(asked), np.array(answers), rcond=None)[0] > 0.5
    right = float(np.mean(guess == secret))
    # 64 fair coins are right more than 80% of the time with probability below 1e-6.
    assert right < 0.8
    assert curator.spent()[0].fits(pt.Pure(epsilon=5))


def test_a_curator_cannot_be_copied_or_given_a_larger_budget() -> None:
    import pickle

    curator = hospital()
    with pytest.raises((pt.PartitaError, TypeError)):
        pickle.dumps(curator)
    with pytest.raises(AttributeError):
        curator.promises[0].budget.rho = 10  # type: ignore[misc]
