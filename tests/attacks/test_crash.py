"""Kill -9 at every point between a question and its answer."""

from __future__ import annotations

import signal

import pytest

from partita.ledger.book.points import Point
from partita.ledger.states import Answered
from partita.theory.measures.pure import Pure
from tests.unit.ledger.forge import Forge
from tests.unit.ledger.plain import charge, opened


@pytest.fixture(scope="module")
def forge():
    found = Forge()
    yield found
    found.close()


BEFORE_THE_CHARGE = {Point.RESERVE_LOCKED, Point.RESERVE_WRITTEN}
AFTER_THE_COMMIT = {Point.COMMITTED, Point.ANCHORED}


@pytest.mark.parametrize("key", ["k", ""], ids=["with a key", "without a key"])
@pytest.mark.parametrize("point", list(Point))
def test_a_kill_releases_nothing_uncharged_and_a_retry_charges_nothing_twice(forge, tmp_path, point, key):
    path = tmp_path / "visits.ledger"
    opened(path).close()

    assert forge.run(["ask", str(path), point, "first", key]) == [(-signal.SIGKILL, "")]

    with opened(path) as ledger:
        spent = ledger.spent()
        assert spent == (Pure(epsilon=0 if point in BEFORE_THE_CHARGE else "0.1"),)
        assert ledger.verify().problems == ()

    left = "first" if point in AFTER_THE_COMMIT else "second"
    assert forge.run(["ask", str(path), "nowhere", "second", key]) == [(0, left)]

    with opened(path) as ledger:
        assert ledger.spent() == (Pure(epsilon="0.1"),)
        found = ledger.verify()
        assert (found.problems, found.charges, found.answered, found.unfinished) == ((), 1, 1, 0)
        state = ledger.reserve(charge("n", key=key or None))
        assert isinstance(state, Answered)
        assert state.content.decode() == left


def test_kills_in_a_row_still_charge_once(forge, tmp_path):
    path = tmp_path / "visits.ledger"
    opened(path).close()
    for point in Point:
        forge.run(["ask", str(path), point, point.value, "k"])
    with opened(path) as ledger:
        assert ledger.spent() == (Pure(epsilon="0.1"),)
        # The first run that got as far as a durable commit decided the answer for ever.
        assert ledger.stored(charge("n").question).content == b"committed"
        assert ledger.verify().problems == ()


def test_the_points_are_passed_in_their_order(tmp_path):
    passed = []
    with opened(tmp_path / "visits.ledger", faults=passed.append) as ledger:
        reservation = ledger.reserve(charge("n"))
        ledger.pass_by(Point.READ)
        ledger.pass_by(Point.NOISED)
        ledger.commit(reservation, b"17")
    assert passed == list(Point)
