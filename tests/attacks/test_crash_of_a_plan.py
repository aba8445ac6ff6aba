"""A plan cut off at every point between the charge and the answer: charged once, answered once, the same for ever."""

from __future__ import annotations

from pathlib import Path

import pytest

import partita as pt
from partita.ledger.birth import Terms
from partita.ledger.book.points import Point
from partita.ledger.opening import open_ledger
from tests.unit.curator.hospital import hospital

PROMISE = [pt.Promise(pt.rows(), pt.Approximate(epsilon=1, delta="1e-6"))]
QUESTIONS = [f"SELECT COUNT(*) AS n FROM visits WHERE age > {age}" for age in range(0, 60, 10)]
PRICE = {"epsilon": "0.5", "delta": "1e-7"}
DURABLE = {point: point not in {Point.RESERVE_LOCKED, Point.RESERVE_WRITTEN} for point in Point}


class CutOffError(Exception):
    """The plug was pulled."""


@pytest.mark.parametrize("point", list(Point))
def test_a_plan_that_is_cut_off_is_charged_once_and_answered_on_retry(tmp_path: Path, point: Point) -> None:
    def cut(passed: Point) -> None:
        if passed is point:
            raise CutOffError

    path = tmp_path / "ledger"
    with hospital(promises=PROMISE) as plain:
        terms = Terms(PROMISE, {table.name: table.domain for table in plain.tables})
        tables = plain.tables
    ledger = open_ledger(path, terms, faults=cut)
    curator = pt.Curator(tables=tables, promises=PROMISE, ledger=ledger)
    with pytest.raises(CutOffError):
        curator.plan(QUESTIONS, **PRICE).answers()
    ledger.close()
    with hospital(promises=PROMISE, ledger=path) as after:
        assert after.spent()[0].is_zero() is not DURABLE[point]
        planned = after.plan(QUESTIONS, **PRICE)
        assert planned.free is DURABLE[point]
        rows = [answer.rows() for answer in planned.answers()]
        spent = after.spent()
        assert [answer.rows() for answer in after.plan(QUESTIONS, **PRICE).answers()] == rows
        assert after.spent() == spent
        assert spent[0].fits(pt.Approximate(epsilon="0.5001", delta="1.001e-7"))
        assert after.verify().sound
