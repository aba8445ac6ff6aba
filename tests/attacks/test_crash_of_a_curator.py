"""Kill -9 at every point between the charge and the answer, on the curator's own path."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import partita as pt
from partita.ledger.book.points import Point
from tests.unit.curator.hospital import hospital

QUESTION = "SELECT COUNT(*) AS n FROM visits WHERE age >= 50"
PROMISE = [pt.Promise(pt.rows(), pt.Pure(epsilon=1))]
# Until the charge is durable nothing was spent; from then on it stands.
DURABLE = {point: point not in {Point.RESERVE_LOCKED, Point.RESERVE_WRITTEN} for point in Point}


MANY = [f"SELECT COUNT(*) AS n FROM visits WHERE age = {age}" for age in (30, 40, 50)]


def victim(path: str, point: str, *, many: bool = False) -> None:
    """Ask once, and die at the point."""
    from partita.ledger.birth import Terms
    from partita.ledger.opening import open_ledger

    def die(passed: Point) -> None:
        if passed is Point(point):
            os.kill(os.getpid(), signal.SIGKILL)

    with hospital(promises=PROMISE) as plain:
        terms = Terms(PROMISE, {table.name: table.domain for table in plain.tables})
        tables = plain.tables
    ledger = open_ledger(path, terms, faults=die)
    curator = pt.Curator(tables=tables, promises=PROMISE, ledger=ledger)
    if many:
        sys.stdout.write(str(len(curator.ask_many(MANY, epsilon="0.25"))))
        sys.stdout.flush()
        return
    sys.stdout.write(str(curator.ask(QUESTION, epsilon="0.25", key="once").rows()[0]["n"]))
    sys.stdout.flush()


@pytest.mark.slow
@pytest.mark.parametrize("point", list(Point))
def test_a_killed_question_is_charged_once_and_answered_on_retry(tmp_path: Path, point: Point) -> None:
    path = tmp_path / "ledger"
    code = f"from tests.attacks.test_crash_of_a_curator import victim; victim({str(path)!r}, {point.value!r})"
    died = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert died.returncode == -signal.SIGKILL, died.stderr
    assert died.stdout == "", "an answer left before the point"
    with hospital(promises=PROMISE, ledger=path) as curator:
        spent = curator.spent()[0]
        assert spent == (pt.Pure(epsilon="0.25") if DURABLE[point] else pt.Pure(epsilon=0))
        first = curator.ask(QUESTION, epsilon="0.25", key="once")
        again = curator.ask(QUESTION, epsilon="0.25", key="once")
        assert again.rows() == first.rows()
        assert curator.spent()[0] == pt.Pure(epsilon="0.25")
        assert curator.verify().sound


@pytest.mark.slow
@pytest.mark.parametrize("point", list(Point))
def test_many_killed_questions_are_charged_once_and_answered_on_retry(tmp_path: Path, point: Point) -> None:
    """About disjoint people, so that all of them cost what one costs; each is charged if any is."""
    path = tmp_path / "ledger"
    made = f"victim({str(path)!r}, {point.value!r}, many=True)"
    code = f"from tests.attacks.test_crash_of_a_curator import victim; {made}"
    died = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert died.returncode == -signal.SIGKILL, died.stderr
    assert died.stdout == "", "an answer left before the point"
    with hospital(promises=PROMISE, ledger=path) as curator:
        assert len(curator.ledger.newest(9)) == (3 if DURABLE[point] else 0)
        first = [curator.ask(question, epsilon="0.25").rows() for question in MANY]
        assert [answer.rows() for answer in curator.ask_many(MANY, epsilon="0.25")] == first
        assert len(curator.ledger.newest(9)) == 3
        assert curator.spent()[0] == pt.Pure(epsilon="0.25")
        assert curator.verify().sound
