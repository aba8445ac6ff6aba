"""The door for algorithms: charge in full, read the rows once, compute, commit, and only then hand over."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from partita.composition.promise import Promise
from partita.curator.alarms import told, unseen
from partita.curator.computation import Computation, Sample, charge_for
from partita.curator.outcome import Outcome
from partita.curator.pace import Pace
from partita.curator.path import booked_cost
from partita.engine.base import Engine
from partita.engine.log import attempted
from partita.errors import curator as refuse
from partita.errors import engine as refuse_engine
from partita.ledger.canonical import canonical
from partita.ledger.charge import Charge
from partita.ledger.ledger import Ledger
from partita.ledger.points import Point
from partita.ledger.states import Answered, Reservation
from partita.query.extract import Extract
from partita.region.columns import Bounded
from partita.sampling.bits import BitSource
from partita.sampling.entropy import system
from partita.theory.measures.zcdp import ZCDP


@final
class Door:
    """Runs computations on protected rows in the order of a question's path (theory E16, soundness checklist 1).

    One that fails on the rows is run on none instead, so that no failure that depends on a row is seen (decision 11).
    """

    def __init__(
        self, ledger: Ledger, engine: Engine, promises: Sequence[Promise], bits: BitSource | None, pace: Pace
    ) -> None:
        self._ledger = ledger
        self._engine = engine
        self._promises = tuple(promises)
        self._bits = bits
        self._pace = pace

    def run(self, computation: Computation, extract: Extract, *, analyst: str, key: str | None) -> Outcome:
        """The released document, from the book if it is there already."""
        charge = self._charge(computation, extract, analyst, key, "")
        booked = self._ledger.reserve(charge)
        if isinstance(booked, Reservation):
            with self._pace.kept():
                document, sound = self._computed(computation, extract, written=True)
                booked = self._ledger.commit(booked, canonical(document).encode())
                if not sound:
                    told(self._ledger, booked)
        return self._outcome(booked, charge, analyst)

    def admits(self, computation: Computation, extract: Extract, *, analyst: str) -> None:
        """Refuse a computation that could not be paid for now; nothing is booked or read."""
        charge = self._charge(computation, extract, analyst, None, "")
        if self._ledger.stored(charge.question) is None:
            self._ledger.admits(charge)

    def released(self, computation: Computation, extract: Extract, *, analyst: str) -> bool:
        """Whether the book has this computation already, so that it is free."""
        return self._ledger.stored(self._charge(computation, extract, analyst, None, "").question) is not None

    def open(self, computation: Computation, extract: Extract, *, analyst: str) -> tuple[Any, Outcome]:
        """A live object that answers from protected rows, charged in full before it exists; each opening is new."""
        nonce = system().words(2).tobytes().hex()
        charge = self._charge(computation, extract, analyst, None, nonce)
        if any(isinstance(cost.one, ZCDP) and cost.one.delta for cost in charge.costs):
            raise refuse.computation_not_live(computation.kind)
        booked = self._ledger.reserve(charge)
        assert isinstance(booked, Reservation)
        with self._pace.kept():
            live, sound = self._computed(computation, extract, written=False)
            opened = self._ledger.commit(booked, b'{"opened":true}')
            if not sound:
                told(self._ledger, opened)
        return live, self._outcome(opened, charge, analyst)

    def _charge(self, computation: Computation, extract: Extract, analyst: str, key: str | None, nonce: str) -> Charge:
        if not isinstance(computation, Computation):
            raise refuse.not_a_computation(computation)
        computation.accepts(extract.table.name, _declared(extract))
        return charge_for(computation, extract, self._promises, analyst=analyst, key=key, nonce=nonce)

    def _computed(self, computation: Computation, extract: Extract, *, written: bool) -> tuple[Any, bool]:
        """What the computation gives, on no rows where it fails on those that are there; and whether it did not."""
        columns, about = _declared(extract), (computation.kind, extract.table.name)

        def made(rows: NDArray[np.int64]) -> Any:
            def step() -> Any:
                found = computation.compute(Sample(rows, columns), bits=self._bits)
                if written:
                    canonical(found)
                return found

            found = attempted(step, "%s failed on the rows of %s.", *about)
            if found is None:
                raise refuse_engine.fault()
            return found

        rows, read = unseen(lambda: self._engine.run(extract), lambda: self._engine.blank(extract))
        self._ledger.pass_by(Point.READ)
        found, kept = unseen(lambda: made(rows), lambda: made(extract.empty()))
        self._ledger.pass_by(Point.NOISED)
        return found, read and kept

    def _outcome(self, booked: Answered, charge: Charge, analyst: str) -> Outcome:
        costs = tuple(
            booked_cost(promise, charge.region, cost)
            for promise, cost in zip(self._promises, charge.costs, strict=True)
        )
        paid = costs if booked.fresh else tuple(cost.zero() for cost in costs)
        return Outcome(
            document=json.loads(booked.content),
            cost=paid[0],
            costs=paid,
            remaining=self._ledger.remaining(charge.table, charge.region, analyst),
            free=not booked.fresh,
            receipt=self._ledger.receipt(booked),
        )


def _declared(extract: Extract) -> tuple[Bounded, ...]:
    """The public domains of the columns that are read."""
    domain = extract.table.domain
    return tuple(domain.bounded[domain.axis(column)] for column in extract.columns)
