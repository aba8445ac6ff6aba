"""Whoever asks for what, protected rows are read in one order."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import partita as pt
from partita.curator.path import path as path_module
from partita.curator.path.opinion import SecondOpinion
from partita.curator.path.pace import Pace
from partita.curator.path.rehearsal import Rehearsal
from partita.engine.reference import Reference
from partita.ledger.birth import Terms
from partita.ledger.book.points import Point
from partita.ledger.opening import open_ledger
from partita.query.noise.quote import Quote
from tests.unit.curator.hospital import hospital
from tests.unit.curator.test_computation import HowMany, Opened

PROMISE = [pt.Promise(pt.rows(), pt.Pure(epsilon=4))]
QUESTION = "SELECT COUNT(*) AS n FROM visits"
OTHER = "SELECT region, COUNT(*) AS n FROM visits GROUP BY region"
LAPLACE = pt.Laplace(epsilon="0.5")


def asked(kept: pt.Curator) -> object:
    return kept.ask(QUESTION, epsilon="0.5").rows()


def planned(kept: pt.Curator) -> object:
    return [answer.rows() for answer in kept.plan([QUESTION, OTHER], epsilon="0.5").answers()]


def computed(kept: pt.Curator) -> object:
    return kept.run(HowMany(LAPLACE)).document


def opened(kept: pt.Curator) -> object:
    return kept.open(Opened(LAPLACE))[1].document


WAYS = [asked, planned, computed, opened]


@pytest.fixture
def order(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """What happens, in its order; the same many times over is noted once."""
    events: list[str] = []

    def note(event: str) -> None:
        if events[-1:] != [event]:
            events.append(event)

    def noted(owner: type, name: str, event: str) -> None:
        before: Callable[..., Any] = getattr(owner, name)

        def wrapped(*given: Any, **options: Any) -> Any:
            note(event)
            return before(*given, **options)

        monkeypatch.setattr(owner, name, wrapped)

    @contextmanager
    def kept(_: Pace) -> Iterator[Callable[[], None]]:
        note("clock starts")
        yield lambda: note("beat")
        note("clock ends")

    for owner, name, event in [
        (SecondOpinion, "on", "second opinion"),
        (Rehearsal, "of", "rehearsal"),
        (Reference, "run", "the engine reads"),
        (Quote, "release", "noise"),
        (HowMany, "compute", "noise"),
        (Opened, "compute", "noise"),
    ]:
        noted(owner, name, event)
    monkeypatch.setattr(Pace, "kept", kept)

    def alarmed(record: logging.LogRecord) -> None:
        if "noise on no rows" in record.getMessage():
            note("alarm")

    handler = logging.Handler(logging.CRITICAL)
    handler.emit = alarmed  # type: ignore[method-assign]
    logging.getLogger("partita.operator").addHandler(handler)
    yield events
    logging.getLogger("partita.operator").removeHandler(handler)


def tables() -> tuple[pt.Table, ...]:
    with hospital(promises=PROMISE) as plain:
        return plain.tables


def watched(path: Path, faults: Callable[[Point], None], backend: Any = "reference") -> pt.Curator:
    """A curator whose ledger says which points are passed."""
    kept = tables()
    ledger = open_ledger(path, Terms(PROMISE, {table.name: table.domain for table in kept}), faults=faults)
    return pt.Curator(tables=kept, promises=PROMISE, ledger=ledger, backend=backend)


def expected(way: Callable[[pt.Curator], object], *, alarm: bool) -> list[str]:
    return [
        *(["second opinion"] if way in (asked, planned) else []),
        "rehearsal",
        *(point.value for point in list(Point)[:3]),
        "clock starts",
        "the engine reads",
        Point.READ.value,
        "noise",
        Point.NOISED.value,
        *(["alarm"] if alarm else []),
        "beat",
        *(point.value for point in list(Point)[5:]),
        "clock ends",
    ]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("alarm", [False, True], ids=["sound", "fault"])
def test_every_way_to_the_rows_passes_the_same_steps_in_the_same_order(way, alarm, order, tmp_path, heard, monkeypatch):
    if alarm:
        for name in ("compute", "extract"):
            monkeypatch.setattr(Reference, name, lambda *_: 1 // 0)

    with watched(tmp_path / "book", lambda point: order.append(point.value)) as kept:
        order.clear()
        way(kept)
        assert order == expected(way, alarm=alarm)
        order.clear()
        if way is not opened:
            way(kept)
            assert "the engine reads" not in order


@pytest.mark.parametrize("way", WAYS[:3])
def test_of_two_runs_of_one_charge_the_first_to_commit_decides(way, tmp_path):
    """While one run holds its noise in memory another takes up the same charge and commits: only that one is seen."""
    book, seen = tmp_path / "book", []

    def overtaken(point: Point) -> None:
        if point is Point.NOISED and not seen:
            seen.append(None)
            with pt.Curator(tables=tables(), promises=PROMISE, ledger=book) as other:
                seen[0] = way(other)

    with watched(book, overtaken) as kept:
        assert [way(kept)] == seen
        kinds = [entry.kind.value for entry in kept.ledger.entries()]
        assert (kinds.count("reserve"), kinds.count("commit")) == (1, 1)
        assert kept.verify().sound


def test_of_threads_that_ask_the_same_question_one_computes_it(monkeypatch):
    """Or the noise that is drawn sooner would be the one that is seen."""
    runs, begun, gate = [], threading.Event(), threading.Event()
    with hospital(promises=PROMISE) as curator:
        engine = curator._engine
        inner = engine._read

        def slow(program):
            runs.append(program)
            begun.set()
            assert gate.wait(20)
            return inner(program)

        monkeypatch.setattr(engine, "_read", slow)
        found = []
        asking = [
            threading.Thread(target=lambda: found.append(curator.ask(QUESTION, epsilon="0.1").rows())) for _ in range(3)
        ]
        asking[0].start()
        assert begun.wait(20)
        for one in asking[1:]:
            one.start()
        gate.set()
        for one in asking:
            one.join(20)
        assert len(runs) == 1
        assert len(found) == 3
        assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("question", [QUESTION, OTHER])
def test_a_charge_to_nobody_for_rows_that_are_read_is_refused(question, monkeypatch):
    """Nothing is claimed for it, so that nothing could be found short."""
    honest = path_module.placed
    monkeypatch.setattr(
        path_module,
        "placed",
        lambda quote: replace(honest(quote), region=pt.Region.nothing(honest(quote).region.domain)),
    )
    with hospital(promises=PROMISE, backend="reference") as kept:
        for _ in range(2):
            with pytest.raises(pt.PartitaError) as caught:
                kept.ask(question, epsilon="0.5")
            assert caught.value.code == "curator.second-opinion"
