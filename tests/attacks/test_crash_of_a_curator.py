"""Kill -9 at every point between the charge and the answer, on the curator's own path."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

import partita as pt
from partita.ledger.birth import Terms
from partita.ledger.book.points import Point
from partita.ledger.opening import open_ledger
from tests.unit.curator.hospital import columns, hospital, visits
from tests.unit.ledger.forge import Forge

QUESTION = "SELECT COUNT(*) AS n FROM visits WHERE age >= 50"
PROMISE = [pt.Promise(pt.rows(), pt.Pure(epsilon=1))]
# Until the charge is durable nothing was spent; from then on it stands.
DURABLE = {point: point not in {Point.RESERVE_LOCKED, Point.RESERVE_WRITTEN} for point in Point}


MANY = [f"SELECT COUNT(*) AS n FROM visits WHERE age = {age}" for age in (30, 40, 50)]


def asked(path: str, point: str) -> str:
    """Ask once, and die at the point; what is returned has left."""
    return str(_victim(path, point).ask(QUESTION, epsilon="0.25", key="once").rows()[0]["n"])


def asked_many(path: str, point: str) -> str:
    """Ask several questions together, and die at the point."""
    return str(len(_victim(path, point).ask_many(MANY, epsilon="0.25")))


def _victim(path: str, point: str) -> pt.Curator:
    def die(passed: Point) -> None:
        if passed is Point(point):
            os.kill(os.getpid(), signal.SIGKILL)

    table = pt.Table("visits", source=visits(), columns=columns())
    ledger = open_ledger(path, Terms(PROMISE, {table.name: table.domain}), faults=die)
    return pt.Curator(tables=[table], promises=PROMISE, ledger=ledger)


JOBS = {"asked": asked, "asked_many": asked_many}
LOADED = (
    "pandas",
    "pyarrow.compute",
    "pyarrow.pandas_compat",
    "partita.curator.curator",
    "partita.curator.opened",
    "partita.engine.duckdb",
    "sqlglot.generators.duckdb",
)


@pytest.fixture(scope="module")
def forge() -> Iterator[Forge]:
    found = Forge("tests.attacks.test_crash_of_a_curator")
    yield found
    found.close()


@pytest.mark.parametrize("point", list(Point))
def test_a_killed_question_is_charged_once_and_answered_on_retry(forge: Forge, tmp_path: Path, point: Point) -> None:
    path = tmp_path / "ledger"
    # Nothing but the kill ended it, and no answer left before the point.
    assert forge.run(["asked", str(path), point.value]) == [(-signal.SIGKILL, "")]
    with hospital(promises=PROMISE, ledger=path) as curator:
        spent = curator.spent()[0]
        assert spent == (pt.Pure(epsilon="0.25") if DURABLE[point] else pt.Pure(epsilon=0))
        first = curator.ask(QUESTION, epsilon="0.25", key="once")
        again = curator.ask(QUESTION, epsilon="0.25", key="once")
        assert again.rows() == first.rows()
        assert curator.spent()[0] == pt.Pure(epsilon="0.25")
        assert curator.verify().sound


@pytest.mark.parametrize("point", list(Point))
def test_many_killed_questions_are_charged_once_and_answered_on_retry(
    forge: Forge, tmp_path: Path, point: Point
) -> None:
    """About disjoint people, so that all of them cost what one costs; each is charged if any is."""
    path = tmp_path / "ledger"
    assert forge.run(["asked_many", str(path), point.value]) == [(-signal.SIGKILL, "")]
    with hospital(promises=PROMISE, ledger=path) as curator:
        assert len(curator.ledger.newest(9)) == (3 if DURABLE[point] else 0)
        first = [curator.ask(question, epsilon="0.25").rows() for question in MANY]
        assert [answer.rows() for answer in curator.ask_many(MANY, epsilon="0.25")] == first
        assert len(curator.ledger.newest(9)) == 3
        assert curator.spent()[0] == pt.Pure(epsilon="0.25")
        assert curator.verify().sound
