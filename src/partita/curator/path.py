"""The path of one question: stored answer, or reserve, read, noise, commit; nothing else ever reads."""

from __future__ import annotations

import hashlib
import json
from typing import final

import numpy as np
from numpy.typing import NDArray

from partita.composition.account.booking import charged, reached
from partita.curator.alarms import told, unseen
from partita.curator.opinion import SecondOpinion
from partita.curator.pace import Pace
from partita.engine.base import Engine
from partita.engine.log import attempted
from partita.errors import engine as refuse_engine
from partita.granularity import Users
from partita.ledger.charge import Charge, Cost
from partita.ledger.ledger import Ledger
from partita.ledger.points import Point
from partita.ledger.states import Answered, Reservation
from partita.query.program import Program
from partita.query.quote import Promised, Quote
from partita.region.region import Region
from partita.sampling.bits import BitSource
from partita.theory.measures.base import Measure


@final
class Path:
    """From a quote to noisy numbers that are in the ledger.

    The order is the guarantee: the charge is durable before the engine reads, and the noisy numbers are durable
    before they leave (theory E16, soundness checklist 1). If something fails on the way, the charge stands and the
    answer is noise on no rows, so that a failure that depends on a row is not seen (decision 11).
    """

    def __init__(
        self, ledger: Ledger, engine: Engine, bits: BitSource | None, pace: Pace, opinion: SecondOpinion
    ) -> None:
        self._ledger = ledger
        self._engine = engine
        self._bits = bits
        self._pace = pace
        self._opinion = opinion

    def walk(self, quote: Quote, *, asked: str, analyst: str, key: str | None) -> tuple[Answered, NDArray[np.object_]]:
        """The noisy numbers of a question, from the book if they are there already."""
        charge = charge_of(quote, asked=asked, analyst=analyst, key=key)
        self._opinion.on(charge, [quote])
        booked = self._ledger.reserve(charge)
        if isinstance(booked, Reservation):
            with self._pace.kept():
                return self._run(quote, booked)
        return booked, numbers(booked.content, quote.width, quote.texts)

    def _run(self, quote: Quote, reservation: Reservation) -> tuple[Answered, NDArray[np.object_]]:
        tallies, read = tallied(self._engine, quote.program)
        self._ledger.pass_by(Point.READ)
        (noisy, content), added = noised(quote, tallies, self._bits)
        self._ledger.pass_by(Point.NOISED)
        booked = self._ledger.commit(reservation, content)
        if not (read and added):
            told(self._ledger, booked)
        # Of two runs of one reservation the first to commit decides; only its numbers may be seen.
        return booked, noisy if booked.fresh else numbers(booked.content, quote.width, quote.texts)


def tallied(engine: Engine, program: Program) -> tuple[NDArray[np.object_], bool]:
    """The exact tallies of a question, or those of no rows where the engine fails; and whether it did not."""
    return unseen(lambda: engine.run(program), lambda: engine.blank(program))


def noised(
    quote: Quote, tallies: NDArray[np.object_], bits: BitSource | None
) -> tuple[tuple[NDArray[np.object_], bytes], bool]:
    """The noisy numbers of a question and how they are stored, or those of no rows; and whether it was not those."""

    def released(exact: NDArray[np.object_]) -> tuple[NDArray[np.object_], bytes]:
        def step() -> tuple[NDArray[np.object_], bytes]:
            noisy = quote.release(exact, bits=bits)
            return noisy, written(noisy)

        found = attempted(step, "Noise could not be added to a question about %s.", quote.plan.table.name)
        if found is None:
            raise refuse_engine.fault()
        return found

    return unseen(lambda: released(tallies), lambda: released(quote.program.empty()))


def charge_of(quote: Quote, *, asked: str, analyst: str = "", key: str | None = None) -> Charge:
    """What the ledger books for a quote, before anything is read."""
    return Charge(
        table=quote.plan.table.name,
        region=quote.region,
        costs=costs_of(quote),
        mechanism={
            "parts": [{"kind": noise.kind, **noise.parameters()} for noise in quote.mechanisms],
            "question": quote.plan.canonical,
            **remade(quote),
        },
        question=fingerprint(quote),
        asked=asked,
        analyst=analyst,
        key=key,
    )


def remade(quote: Quote) -> dict[str, object]:
    """What it takes to make the quote again from its question: the price, and the noise that it bought."""
    return {"price": quote.price.document(), "noise": quote.offer.noise}


def costs_of(quote: Quote) -> tuple[Cost, ...]:
    """The cost of a quote under each promise, as the ledger keeps it.

    The loss of a whole owner is told where owners are charged as such, and that of an altered one where it is proven
    for as many rows as it is charged by.
    """
    found = []
    for place, (promise, toll) in enumerate(zip(quote.promises, quote.tolls, strict=True)):
        users, region, unit, altered = promise.granularity, quote.region, None, None
        if isinstance(users, Users):
            once = quote.by_owner or reached(users, region) is not region
            unit = toll.owner if once else None
            altered = toll.unit if users.altered and (once or quote.proportional(place)) else None
        found.append(Cost(toll.row, toll.both, unit, quote.declared, altered))
    return tuple(found)


def booked_costs(quote: Quote) -> tuple[Measure, ...]:
    """What the accounts will really book for one protected unit, under each promise.

    For owners that is the loss of all their rows together (theory E14), which may exceed the loss through this answer
    alone; elsewhere the two agree.
    """
    return tuple(
        booked_cost(promise, quote.region, cost) for promise, cost in zip(quote.promises, costs_of(quote), strict=True)
    )


def booked_cost(promise: Promised, region: Region, cost: Cost) -> Measure:
    """What one account will book for one protected unit."""
    return charged(promise.granularity, promise.budget, cost.release(region))


def fingerprint(quote: Quote) -> str:
    """The same for the same question with the same noise, however it was asked."""
    return hashlib.sha256(quote.fingerprint.encode()).hexdigest()


def written(noisy: NDArray[np.object_]) -> bytes:
    """Noisy numbers as they are stored; texts of open keys, which come first, as they are."""
    flat = [
        f'"{one}"' if isinstance(one, int) else json.dumps(None if one is None else str(one))
        for one in noisy.ravel().tolist()
    ]
    lines, width = noisy.shape
    listed = (", ".join(flat[line * width : (line + 1) * width]) for line in range(lines))
    return f"[{', '.join(f'[{line}]' for line in listed)}]".encode()


def numbers(content: bytes, width: int, texts: int = 0) -> NDArray[np.object_]:
    """The noisy numbers that were stored: a line for each group, after the texts of open keys."""
    lines = [[*line[:texts], *map(int, line[texts:])] for line in json.loads(content)]
    found = np.empty((len(lines), width), dtype=object)
    for row, line in enumerate(lines):
        found[row, :] = line
    return found
