"""Many threads and processes spend the same budget: never one charge too many."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from partita.errors import BudgetExceeded
from partita.ledger.states import Answered
from partita.theory.measures.pure import Pure
from tests.unit.ledger.forge import Forge
from tests.unit.ledger.plain import ask, charge, opened


def test_of_64_threads_that_buy_a_tenth_each_ten_win(tmp_path):
    start = Barrier(64)
    with opened(tmp_path / "visits.ledger") as ledger:

        def buy(number):
            start.wait()
            try:
                ask(ledger, charge(number), b"%d" % number)
            except BudgetExceeded:
                return 0
            return 1

        with ThreadPoolExecutor(64) as threads:
            assert sum(threads.map(buy, range(64))) == 10
        assert ledger.spent() == (Pure(epsilon=1),)
        found = ledger.verify()
        assert (found.problems, found.charges, found.answered) == ((), 10, 10)


@pytest.mark.slow
def test_of_eight_processes_that_buy_a_twentieth_over_and_over_twenty_win(tmp_path):
    path = tmp_path / "visits.ledger"
    opened(path).close()
    forge = Forge()
    results = forge.run(*(["buy", str(path), str(buyer), "10", "1/20"] for buyer in range(8)))
    forge.close()
    won = [int(content) for status, content in results if status == 0]
    assert len(won) == 8
    assert sum(won) == 20
    with opened(path) as ledger:
        assert ledger.spent() == (Pure(epsilon=1),)
        found = ledger.verify()
        assert (found.problems, found.charges, found.answered) == ((), 20, 20)


def test_threads_that_ask_the_same_question_get_the_same_answer_for_one_charge(tmp_path):
    start = Barrier(16)
    with opened(tmp_path / "visits.ledger") as ledger:

        def ask_the_same(number):
            start.wait()
            state = ledger.reserve(charge("n"))
            if isinstance(state, Answered):
                return state.content
            return ledger.commit(state, b"noise of %d" % number).content

        with ThreadPoolExecutor(16) as threads:
            answers = set(threads.map(ask_the_same, range(16)))
        assert len(answers) == 1
        assert ledger.spent() == (Pure(epsilon="0.1"),)


def test_two_handles_with_checkpoints_in_between_keep_the_same_books(tmp_path):
    path = tmp_path / "visits.ledger"
    with opened(path, checkpoint_every=3) as first, opened(path, checkpoint_every=5) as second:
        for number in range(60):
            ask((first, second)[number % 3 % 2], charge(number, "0.01"))
            assert first.spent() == second.spent() == (Pure(epsilon=(number + 1) * Pure(epsilon="0.01").epsilon),)
        assert first.verify().problems == second.verify().problems == ()
    with opened(path) as again:
        assert again.spent() == (Pure(epsilon="0.6"),)
