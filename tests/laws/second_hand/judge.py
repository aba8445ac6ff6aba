"""The judge: runs a history on a table and on its neighbours, and compares what they lose with what was booked."""

from __future__ import annotations

import logging
import random
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

import partita as pt
from partita.algorithms.linear.marginals import Marginals
from partita.curator.computations.computation import Sample
from partita.engine.base import Engine
from partita.engine.reference import Reference
from partita.errors import PartitaError
from partita.granularity import Granularity
from partita.ledger.ledger import Ledger
from partita.limits import using
from partita.query.noise.quote import Quote
from tests.laws.limiting import told
from tests.laws.second_hand.histories import Seen
from tests.laws.second_hand.losses import Moves, exceeds
from tests.laws.second_hand.relations import neighbours
from tests.laws.second_hand.scenarios import Scenario
from tests.laws.second_hand.schemas import FACTS, Stored
from tests.laws.second_hand.tape import Differs, Tape, moved, recorded
from tests.laws.second_hand.views import View, opened

Step = Callable[[Engine], Any]
KEY = bytes(range(32))


@dataclass
class Run:
    """One run of a history: what was seen, what went into the noise, and what the ledger says was lost."""

    seen: list[Seen]
    tape: Tape
    spent: tuple[Any, ...]
    steps: list[list[Step]]
    alarms: int = 0


@dataclass
class Verdict:
    """What came of one scenario."""

    neighbours: int = 0
    wrong: list[str] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)
    answered: int = 0


def judged(case: Scenario, folder: Path, *, most: int = 16, fully: int = 5) -> Verdict:
    """The scenario on its table and on so many neighbours; one in so many is asked anew from the first word on."""
    verdict = Verdict()
    others = list(listed(case, most))
    with opened(case, [case.stored, *(table for _, _, table in others)], folder) as (shown, views):
        with alarms() as alarmed:
            base = run(case, shown, views[0], None)
        base.alarms = len(alarmed)
        faults = [record.getMessage() for record in alarmed if record.levelno >= logging.CRITICAL]
        verdict.wrong += [f"{case.title}: {fault}\n{described(case, [])}" for fault in faults[:1]]
        for one in base.seen:
            refusal = isinstance(one.shown, tuple) and one.shown[0] == "refused"
            verdict.answered += not refusal
            if refusal:
                verdict.refused[one.shown[1]] += 1
                if one.shown[1].startswith(("engine.", "crash.")):
                    verdict.wrong.append(f"{case.title}: {one.shown[1:]} from {one.text}\n{described(case, [])}")
        if not any(base.tape.actions):
            return verdict
        _agree(case, shown, base, verdict)
        for number, ((unit, place, table), view) in enumerate(zip(others, views[1:], strict=True)):
            verdict.neighbours += 1
            wrong = compare(case, base, shown, view, place, anew=number % fully == case.number % fully)
            if wrong:
                verdict.wrong.append(f"{case.title}: {unit}: {wrong}\n{described(case, table)}")
    return verdict


def listed(case: Scenario, most: int) -> Iterator[tuple[Granularity, int, Stored]]:
    """Different neighbours under each promise."""
    rng = random.Random(f"neighbours of {case.title}")
    for place, promise in enumerate(case.promises):
        found = neighbours(promise.granularity, case.stored, case.pool, rng)
        drawn = [next(found) for _ in range(2 * most)]
        distinct = {repr(table): table for table in drawn if table != case.stored}
        for table in list(distinct.values())[: most // len(case.promises)]:
            yield promise.granularity, place, table


def compare(case: Scenario, base: Run, shown: pt.Table, engine: Engine, place: int, *, anew: bool) -> str | None:
    """What is wrong between the table and one neighbour under one promise; None if nothing is."""
    try:
        with alarms() as alarmed:
            tape = run(case, shown, engine, base).tape if anew else read_again(base, engine)
        moves = [moved(*pair) for pair in zip(base.tape.actions, tape.actions, strict=True)]
    except Differs as difference:
        return f"what is public depends on the rows: {difference}"
    except PartitaError as refusal:
        return f"reading fails: {refusal}"
    if len(alarmed) > (base.alarms if anew else 0):
        return f"the operator is alarmed: {alarmed[-1].getMessage()}"
    total = Moves()
    for one, far in zip(base.seen, moves, strict=True):
        total.add(far)
        if one.costs is not None and (wrong := exceeds(far, one.costs[place])):
            return f"{one.text} loses {wrong} for it"
    if wrong := exceeds(total, base.spent[place]):
        return f"all together lose {wrong} by the ledger"
    if wrong := exceeds(total, case.promises[place].budget):
        return f"all together lose {wrong} by the promise"
    return None


class Unwritten(Exception):
    """What the plain engine does not compute: conditions on open text."""


def _agree(case: Scenario, shown: pt.Table, base: Run, verdict: Verdict) -> None:
    """The plain engine reads the same exact numbers from the same rows."""
    if case.source != "list":
        return
    table = pt.Table("things", source=case.stored, columns=case.schema.columns)
    try:
        plain = read_again(base, View(Reference([table]), table, shown))
        apart = [moved(*pair) for pair in zip(base.tape.actions, plain.actions, strict=True)]
    except Unwritten:
        return
    except Differs as difference:
        verdict.wrong.append(f"{case.title}: the engines differ: {difference}\n{described(case, [])}")
        return
    if any(apart):
        verdict.wrong.append(f"{case.title}: the engines differ: {apart}\n{described(case, [])}")


def run(case: Scenario, shown: pt.Table, engine: Engine, before: Run | None) -> Run:
    """The history on one table; with the outputs of an earlier run, everything that is seen must be the same."""
    tape = Tape(case.number, None if before is None else before.tape)
    seen: list[Seen] = []
    with (
        mock.patch.object(Ledger, "truncation_key", return_value=KEY),
        using(case.limits),
        recorded(tape),
        steps_of(tape) as steps,
    ):
        curator = pt.Curator(tables=[shown], public=[FACTS], promises=list(case.promises), backend=engine)
        for number, action in enumerate(case.history):
            tape.begin()
            steps.append([])
            seen.append(one := action.done(curator))
            tape.end()
            if before is not None and not tape.void and one != before.seen[number]:
                raise Differs(f"with the same noisy numbers {one.text} shows {before.seen[number]}, then {one}")
        spent = curator.spent()
        if before is not None and spent != before.spent:
            raise Differs(f"the ledger says {before.spent}, then {spent}")
        curator.close()
    return Run(seen, tape, spent, steps)


def read_again(base: Run, engine: Engine) -> Tape:
    """The reads of a run on another table, with the outputs that were released then; nothing is priced again."""
    tape = Tape(base.tape.seed, base.tape)
    with recorded(tape):
        for steps in base.steps:
            tape.begin()
            for step in steps:
                step(engine)
            tape.end()
    return tape


@contextmanager
def steps_of(tape: Tape) -> Iterator[list[list[Step]]]:
    """What is read and released in each action, as it happens."""
    steps: list[list[Step]] = []
    release, compute, extracts = Quote.release, Marginals.compute, []

    def released(self: Quote, tallies: Any, *, bits: Any = None) -> Any:
        def again(engine: Any) -> Any:
            if self.program.worded and isinstance(engine.shared, Reference):
                raise Unwritten
            return release(self, engine.run(self.program), bits=bits)

        steps[-1].append(again)
        return release(self, tallies, bits=bits)

    def computed(self: Marginals, sample: Sample, *, bits: Any) -> Any:
        extract = extracts[-1]
        steps[-1].append(lambda engine: compute(self, Sample(engine.run(extract), sample.columns), bits=bits))
        return compute(self, sample, bits=bits)

    def reading(self: View, program: Any) -> Any:
        extracts.append(program)
        return Engine.run(self, program)

    with (
        mock.patch.object(Quote, "release", released),
        mock.patch.object(Marginals, "compute", computed),
        mock.patch.object(View, "run", reading),
    ):
        yield steps


@contextmanager
def alarms() -> Iterator[list[logging.LogRecord]]:
    """What is written to the operator's log meanwhile."""
    found: list[logging.LogRecord] = []
    handler = logging.Handler(logging.ERROR)
    handler.emit = found.append  # type: ignore[method-assign]
    log = logging.getLogger("partita.operator")
    log.addHandler(handler)
    try:
        yield found
    finally:
        log.removeHandler(handler)


def described(case: Scenario, table: Stored) -> str:
    """The whole case, to be read."""
    lines = [f"  columns: {case.schema.columns}", f"  promises: {case.promises}"]
    lines += [f"  source: {case.source}; limits: {told(case.limits)}"]
    lines += ["  rows:", *(f"    {row}" for row in case.stored), "  neighbour:", *(f"    {row}" for row in table)]
    return "\n".join([*lines, "  history:", *(f"    {action.text}" for action in case.history)])
