from __future__ import annotations

import pytest

import partita as pt
from partita.algorithms.adaptive_queries.multiplicative_weights import OnlineMultiplicativeWeights
from partita.curator.path.pace import Pace
from partita.ledger.book.store import State
from tests.unit.curator.hospital import columns, visits
from tests.unit.curator.test_computation import HowMany


def waits(*times: float, seconds: str = "0.5") -> list[float]:
    """What is waited for, if the clock shows these times before and after."""
    clock, rests = iter(times), []
    with Pace(seconds, clock=lambda: next(clock), wait=rests.append).kept():
        pass
    return rests


def test_what_happens_takes_a_whole_number_of_beats():
    assert waits(3.0, 3.1) == [pytest.approx(0.4)]
    assert waits(3.0, 4.25) == [pytest.approx(0.25)]
    assert waits(3.0, 4.0) == [0]


def test_a_failure_is_held_back_as_long_as_an_answer():
    clock, rests = iter([0.0, 0.2]), []
    with (
        pytest.raises(RuntimeError),
        Pace("0.5", clock=lambda: next(clock), wait=rests.append).kept(),
    ):
        raise RuntimeError
    assert rests == [pytest.approx(0.3)]


def test_without_a_pace_nothing_waits():
    def fail(*_: float) -> float:
        raise AssertionError

    with Pace(None, clock=fail, wait=fail).kept():
        pass


def test_a_clock_that_goes_back_does_not_make_it_fail():
    assert waits(3.0, 2.9) == [pytest.approx(0.1)]


@pytest.mark.parametrize("beat", [0, -1, "soon", float("nan")])
def test_a_beat_must_be_a_positive_number(beat):
    with pytest.raises(pt.InvalidInput, match="pace"):
        Pace(beat)


def test_every_reading_of_a_curator_keeps_the_pace_and_nothing_else_does():
    rests: list[float] = []
    table = pt.Table("visits", source=visits(), columns=columns())
    promise = pt.Promise(pt.rows(), pt.ZCDP(rho=2, delta="1e-6"))
    curator = pt.Curator(tables=[table], promises=[promise])

    def wait(rest: float) -> None:
        # The book has no answer before the beat: others would see when it was put there, and receipts say it.
        ((_, state),) = curator._ledger.newest(1)
        assert state is State.UNFINISHED
        rests.append(rest)

    beat = Pace("0.5", clock=iter(range(1000)).__next__, wait=wait)
    curator._path._pace = beat
    curator.ask("SELECT COUNT(*) AS n FROM visits", rho="0.1")
    assert len(rests) == 1
    curator.ask("SELECT COUNT(*) AS n FROM visits", rho="0.1")
    curator.quote("SELECT COUNT(*) AS n FROM visits", rho="0.2")
    with pytest.raises(pt.BudgetExceeded):
        curator.ask("SELECT COUNT(*) AS n FROM visits", rho=3)
    assert len(rests) == 1
    curator.plan(["SELECT SUM(cost) AS s FROM visits"], rho="0.1").answers()
    assert len(rests) == 2
    curator.run(HowMany(pt.Laplace(epsilon="0.1")))
    assert len(rests) == 3
    offer = OnlineMultiplicativeWeights(6, rows=100, queries=5, rho="0.1", columns=("region",))
    offer.open_from(curator, "visits")
    assert len(rests) == 4
