"""The door for algorithms: charge in full, read the rows once, compute, commit, and only then hand over."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, final

from partita.composition.plans.promise import Promise
from partita.curator.answers.outcome import Outcome
from partita.curator.computations.computation import Computation, Sample, charge_for
from partita.curator.path.path import Path
from partita.curator.path.placed import booked_cost, on_people
from partita.curator.path.purchase import Made, Purchase, Reading
from partita.errors import curator as refuse
from partita.ledger.canonical import canonical
from partita.ledger.charge import Charge
from partita.ledger.ledger import Ledger
from partita.ledger.states import Answered
from partita.live import Live
from partita.query.exact.extract import Extract
from partita.query.noise.quote import Promised
from partita.query.tables.schema import Table
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
        self,
        ledger: Ledger,
        path: Path,
        promises: Sequence[Promise],
        promised: Callable[[Table], Sequence[Promised]],
    ) -> None:
        self._ledger = ledger
        self._path = path
        self._promises = tuple(promises)
        self._promised = promised

    def run(self, computation: Computation, extract: Extract, *, analyst: str, key: str | None) -> Outcome:
        """The released document, from the book if it is there already."""
        charge = self._charge(computation, extract, analyst, key, "")

        def document(sample: Sample, bits: BitSource | None) -> bytes | None:
            found = computation.compute(sample, bits=bits)
            return None if found is None else canonical(found).encode()

        booked, _ = self._path.walk(_purchase(charge, computation, extract, document, lambda found: found[0]))
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
        if computation.opens is None or not issubclass(computation.opens, Live):
            raise refuse.computation_not_opened(computation.kind)
        if any(isinstance(cost.row, ZCDP) and cost.row.delta for cost in charge.costs):
            raise refuse.computation_not_live(computation.kind)

        def live(sample: Sample, bits: BitSource | None) -> Live:
            found = computation.compute(sample, bits=bits)
            if not isinstance(found, computation.opens or Live):
                raise TypeError(type(found).__name__)
            return found

        purchase = _purchase(charge, computation, extract, live, lambda _: b'{"opened":true}')
        opened, made = self._path.walk(purchase)
        assert made is not None  # with a nonce of its own it is in no book
        return made[0], self._outcome(opened, charge, analyst)

    def _charge(self, computation: Computation, extract: Extract, analyst: str, key: str | None, nonce: str) -> Charge:
        if not isinstance(computation, Computation):
            raise refuse.not_a_computation(computation)
        computation.accepts(extract.table.name, _declared(extract))
        promised = self._promised(extract.table)
        charge = charge_for(computation, extract, promised, analyst=analyst, key=key, nonce=nonce)
        people = on_people(promised)
        return charge if people is None else people.of_charge(charge, promised)

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
            reckon=self._ledger.reckoning(charge.table, charge.region, analyst),
            free=not booked.fresh,
            receipt=self._ledger.receipt(booked),
        )


def _purchase(
    charge: Charge,
    computation: Computation,
    extract: Extract,
    make: Callable[[Sample, BitSource | None], Made | None],
    stored: Callable[[Sequence[Made]], bytes],
) -> Purchase[Made]:
    columns = _declared(extract)
    alarm = "%s failed on the rows of %s.", computation.kind, extract.table.name
    return Purchase(charge, (Reading(extract, lambda rows, bits: make(Sample(rows, columns), bits), alarm),), stored)


def _declared(extract: Extract) -> tuple[Bounded, ...]:
    """The public domains of the columns that are read."""
    domain = extract.table.domain
    return tuple(domain.bounded[domain.axis(column)] for column in extract.columns)
