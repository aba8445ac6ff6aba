"""The path of every charge: stored answer, or reserve, read, noise, commit; nothing else ever reads."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from partita.curator.path.alarms import told, unseen
from partita.curator.path.gate import Gate
from partita.curator.path.opinion import SecondOpinion
from partita.curator.path.pace import Pace
from partita.curator.path.placed import placed
from partita.curator.path.purchase import Made, Purchase, Reading
from partita.curator.path.rehearsal import Rehearsal
from partita.curator.path.turns import Turns
from partita.engine.base import Engine
from partita.engine.log import attempted
from partita.errors import BudgetExceeded
from partita.errors import engine as refuse_engine
from partita.errors import vault as refuse_vault
from partita.ledger.book.points import Point
from partita.ledger.charge import Charge
from partita.ledger.fixed import NONE, Rows
from partita.ledger.ledger import Ledger
from partita.ledger.states import Answered, Reservation
from partita.query.noise.quote import Quote
from partita.sampling.bits import BitSource


@final
class Path:
    """The one way from a charge to an answer: for a question, a plan and an algorithm alike.

    The order is the guarantee. What is about to be booked is tried a second way and rehearsed without rows; the charge
    is durable before the engine reads; what was made is durable before it leaves (theory E16, soundness checklist 1).
    If something fails after the charge, the charge stands and the answer is noise on no rows, so that a failure that
    depends on a row is not seen (decision 11). No other line runs an engine on protected rows.
    """

    def __init__(
        self,
        ledger: Ledger,
        engine: Engine,
        bits: BitSource | None,
        pace: Pace,
        opinion: SecondOpinion,
        rehearsal: Rehearsal,
        gate: Gate | None = None,
    ) -> None:
        self._ledger = ledger
        self._engine = engine
        self._bits = bits
        self._pace = pace
        self._opinion = opinion
        self._rehearsal = rehearsal
        self._turns = Turns()
        self.gate = Gate() if gate is None else gate
        self.batch: int | None = None
        """The newest batch of rows that the engine holds; None where it reads what was declared."""
        self.rows: Rows = NONE
        """The rows that the engine holds, as the ledger knows them: all charges are for these."""

    def walk(self, purchase: Purchase[Made]) -> tuple[Answered, list[Made] | None]:
        """The whole way: the answer in the book, and what was made for it if that was just now."""
        with self.gate.passed():
            booked = self.reserve(purchase)
            return self.fulfil(purchase, booked) if isinstance(booked, Reservation) else (booked, None)

    def walk_many(self, purchases: Sequence[Purchase[Made]]) -> list[tuple[Answered, list[Made] | None]]:
        """The whole way of several charges in order, with flushes that they share.

        What came of those before the first that cannot be paid; if that is the very first, it is refused.
        """
        with self.gate.passed():
            for one in purchases:
                self._tried(one)
            booked = self._ledger.reserve_many([one.charge for one in purchases], self.rows)
            # The same question twice has one reservation, which is fulfilled once.
            opened = {one.seq: (bought, one) for bought, one in zip(purchases, booked) if isinstance(one, Reservation)}  # noqa: B905
            done = dict(zip(opened, self._fulfilled(list(opened.values())), strict=True))
            return [done[one.seq] if isinstance(one, Reservation) else (one, None) for one in booked]

    def reserve(self, purchase: Purchase[Made]) -> Reservation | Answered:
        """Charge for a purchase durably, unless its answer is in the book already; nothing is read."""
        self._tried(purchase)
        return self._ledger.reserve(purchase.charge, self.rows)

    def _tried(self, purchase: Purchase[Made]) -> None:
        """Refuse a charge that claims too little or that could not be computed; nothing is read or booked."""
        if any(one.program.table.batch != self.batch for one in purchase.readings):
            # The rows that it is about are not what the engine holds now; only what is in the book can be told.
            if self._ledger.stored(purchase.charge.question) is None:
                raise refuse_vault.rows_arrived()
            return
        if purchase.quotes:
            self._opinion.on(purchase.charge, purchase.quotes)
        self._rehearsal.of(purchase.charge, [one.program for one in purchase.readings])

    def fulfil(self, purchase: Purchase[Made], reservation: Reservation) -> tuple[Answered, list[Made] | None]:
        """Read what is charged for, make it private and commit it.

        One run of a reservation at a time; of two processes the first to commit decides: only what it made may be
        seen, so what this run made is given only if it was the first.
        """
        (done,) = self._fulfilled([(purchase, reservation)])
        return done

    def resume(self, purchase: Purchase[Made], reservation: Reservation) -> tuple[Answered, list[Made] | None]:
        """Fulfil a charge that was made some time ago, if the rows are still those that it was for."""
        self._ledger.same(self.rows)
        return self.fulfil(purchase, reservation)

    def _fulfilled(
        self, opened: Sequence[tuple[Purchase[Made], Reservation]]
    ) -> list[tuple[Answered, list[Made] | None]]:
        mine = self._turns.take(reservation.seq for _, reservation in opened)
        try:
            run = [one for one in opened if one[1].seq in mine]
            done = dict(zip((one.seq for _, one in run), self._run(run), strict=True))
        finally:
            self._turns.end(mine)
        return [done.get(one.seq) or self._awaited(bought, one) for bought, one in opened]

    def _awaited(self, purchase: Purchase[Made], reservation: Reservation) -> tuple[Answered, list[Made] | None]:
        """What another thread commits for a reservation; if it failed, it is this one's turn."""
        self._turns.wait(reservation.seq)
        booked = self._ledger.reserve(purchase.charge, self.rows)
        return self.fulfil(purchase, booked) if isinstance(booked, Reservation) else (booked, None)

    def _run(self, opened: Sequence[tuple[Purchase[Made], Reservation]]) -> list[tuple[Answered, list[Made] | None]]:
        if not opened:
            return []
        with self.gate.passed(), self._pace.kept() as beat:
            if any(one.program.table.batch != self.batch for purchase, _ in opened for one in purchase.readings):
                raise refuse_vault.rows_arrived()  # what would be read is not what was charged for
            made = [self._private(purchase, reservation) for purchase, reservation in opened]
            beat()  # up to here a clock could tell of the rows, and nothing is in the book yet
            booked = self._ledger.commit_many(
                [(reservation, content) for (_, reservation), (_, content) in zip(opened, made, strict=True)]
            )
        return [(one, found if one.fresh else None) for one, (found, _) in zip(booked, made, strict=True)]

    def _private(self, purchase: Purchase[Made], reservation: Reservation) -> tuple[list[Made], bytes]:
        """What is made of the rows that a durable charge is for, and how it is stored; it has not left yet."""
        assert reservation.question == purchase.charge.question  # what is read is what was charged for
        read = [self._read(one) for one in purchase.readings]
        self._ledger.pass_by(Point.READ)
        made = [self._made(one, exact) for one, (exact, _) in zip(purchase.readings, read, strict=True)]
        self._ledger.pass_by(Point.NOISED)
        found = [one for one, _ in made]
        content = purchase.stored(found)
        if not all(sound for _, sound in (*read, *made)):
            told(self._ledger, reservation)
        return found, content

    def _read(self, one: Reading[Made]) -> tuple[NDArray[Any], bool]:
        """What the rows give, or what no rows give where the engine fails; and whether it did not."""
        return unseen(lambda: self._engine.run(one.program), lambda: self._engine.blank(one.program))

    def _made(self, one: Reading[Made], exact: NDArray[Any]) -> tuple[Made, bool]:
        """What is made from the rows, or from no rows where that fails; and whether it did not."""

        def tried(given: NDArray[Any]) -> Made:
            found = attempted(lambda: one.make(given, self._bits), *one.alarm)
            if found is None:
                raise refuse_engine.fault()
            return found

        return unseen(lambda: tried(exact), lambda: tried(one.program.empty()))


Noisy = tuple[NDArray[np.object_], bytes]
"""Noisy numbers, and how they are stored."""


def answered(
    path: Path, quote: Quote, *, asked: str, analyst: str, key: str | None
) -> tuple[Answered, NDArray[np.object_]]:
    """The noisy numbers of a question, from the book if they are there already."""
    return _noisy(quote, *path.walk(_purchase(quote, charge_of(quote, asked=asked, analyst=analyst, key=key))))


def answered_many(
    path: Path, asked: Sequence[tuple[Quote, str]], *, analyst: str
) -> list[tuple[Answered, NDArray[np.object_]]]:
    """The noisy numbers of questions in order, each with its text, up to the first that cannot be paid."""
    quotes = [quote for quote, _ in asked]
    found = path.walk_many([_purchase(quote, charge_of(quote, asked=text, analyst=analyst)) for quote, text in asked])
    return [_noisy(quote, *one) for quote, one in zip(quotes[: len(found)], found, strict=True)]


def _purchase(quote: Quote, charge: Charge) -> Purchase[Noisy]:
    return Purchase(charge, (reading_of(quote),), lambda found: found[0][1], (quote,))


def _noisy(quote: Quote, booked: Answered, made: list[Noisy] | None) -> tuple[Answered, NDArray[np.object_]]:
    return booked, numbers(booked.content, quote.width, quote.texts) if made is None else made[0][0]


def reading_of(quote: Quote) -> Reading[Noisy]:
    """The reading of a question: its exact tallies, and the noise that it was offered with."""

    def make(tallies: NDArray[np.object_], bits: BitSource | None) -> Noisy:
        noisy = quote.release(tallies, bits=bits)
        return noisy, written(noisy)

    return Reading(quote.program, make, ("Noise could not be added to a question about %s.", quote.plan.table.name))


def charge_of(quote: Quote, *, asked: str, analyst: str = "", key: str | None = None) -> Charge:
    """What the ledger books for a quote, before anything is read."""
    found = placed(quote)
    return Charge(
        table=found.table,
        region=found.region,
        costs=found.costs,
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


def fits(ledger: Ledger, quote: Quote, analyst: str) -> bool:
    """Whether a question could be paid for now, with the patience in force."""
    try:
        ledger.admits(charge_of(quote, asked="", analyst=analyst))
    except BudgetExceeded:
        return False
    return True


def remade(quote: Quote) -> dict[str, object]:
    """What it takes to make the quote again from its question: the price, and the noise that it bought."""
    return {"price": quote.price.document(), "noise": quote.offer.noise}


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
