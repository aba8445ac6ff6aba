"""The second opinion of a curator: what a charge will book and what it is for, handed to the assay beforehand."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from fractions import Fraction
from typing import Final, final

from partita.assay.assay import Claim, assay
from partita.assay.release import Choice, Part, Released
from partita.assay.undercut import Load, undercut
from partita.composition.plans.promise import Promise
from partita.curator.path.placed import PersonPromise, on_people, placed
from partita.engine.log import log
from partita.errors import curator as refuse
from partita.exact import whole as whole_number
from partita.granularity import Replace, Rows
from partita.ledger.charge import Charge
from partita.ledger.ledger import Ledger
from partita.query.exact.measurements import entries
from partita.query.language.joined import identity
from partita.query.noise.quote import Quote
from partita.region.codes import size

EFFORT: Final = 32
_KEPT: Final = 4096
_OF_ROWS: Final = (Rows, Replace)
# More than any budget: the ledger refuses such a charge, so nothing is claimed for it.
_ENDLESS: Final = Fraction(10**60)


@final
class SecondOpinion:
    """Tries what is about to be booked on made-up rows, and refuses it where more is lost (assay.proof.md).

    ``effort`` is how many pairs of tables are tried for each question; nothing is with none. The same question with the
    same noise at the same charge is tried once, and so are counts that are alike (`likeness`).
    """

    def __init__(self, ledger: Ledger, effort: int) -> None:
        self._ledger = ledger
        self._effort = whole_number(effort, "second_opinion")
        self._passed: dict[Hashable, None] = {}

    def on(self, charge: Charge, quotes: Sequence[Quote]) -> None:
        """Refuse a charge that is found short; it is for these questions together. Nothing is read or booked."""
        seen = charge.question, charge.priced()
        if not self._effort or seen in self._passed:
            return
        # What cannot be booked at all is refused here as it would be there.
        claims = claimed(self._ledger, self._ledger.terms.promises, charge)
        alike = likeness(quotes, claims)
        if alike is not None and alike in self._passed:
            return
        people = on_people(quotes[0].promises) if quotes else None
        try:
            problem = self._tried(charge, quotes, claims) if people is None else self._of_people(charge, quotes)
        except Exception:
            log.exception("A charge to %s could not be tried a second way.", charge.table)
            problem = "it could not be tried"
        if problem is not None:
            log.error("A charge to %s claims too little: %s", charge.table, problem)
            raise refuse.second_opinion()
        if len(self._passed) >= _KEPT:
            self._passed.clear()
        self._passed[seen if alike is None else alike] = None

    def _tried(self, charge: Charge, quotes: Sequence[Quote], claims: Sequence[Claim]) -> str | None:
        if not claims and charge.region.empty and not all(one.program.where.region.empty for one in quotes):
            return "rows are read, and nobody is charged"
        found = assay([released(quote) for quote in quotes], claims, effort=self._effort, seed=charge.question)
        return None if found is None else str(found)

    def _of_people(self, charge: Charge, quotes: Sequence[Quote]) -> str | None:
        """What is short for people: claims are made about the rows that questions read.

        A plan books at every point what its questions would book by themselves, each of which is tried; or it is about
        one table and is tried as a whole.
        """
        seen = [(one, people) for one in quotes if (people := on_people(one.promises)) is not None]
        if len(seen) > 1:
            apart, whole = [placed(one) for one in quotes], None
            for place, cost in enumerate(charge.costs):
                parts = [Load(one.region.boxes, one.costs[place].row.vector()) for one in apart]
                short = undercut(parts, Load(charge.region.boxes, cost.row.vector()))
                if short is not None and not isinstance(quotes[0].promises[place], PersonPromise):
                    return f"less than the questions would book at {short}"
                whole = whole if short is None else cost.row
            if whole is not None:
                _, people = seen[0]
                if len({identity(one.plan.table) for one in quotes}) > 1 or not people.of_persons(charge.region):
                    return "less than the questions would book, and not for one table"
                return self._tried(charge, quotes, [people.claimed(charge.region, whole)])
        tried = (self._tried(charge, [one], people.claims(one)) for one, people in seen)
        return next((problem for problem in tried if problem is not None), None)


def likeness(quotes: Sequence[Quote], claims: Sequence[Claim]) -> Hashable | None:
    """What decides whether a claim for a count is large enough; None where it may be more than this (assay.proof.md).

    A count of the rows in one box, charged to that very box, tells two values apart by whether they are in it. So
    beside the noise and all amounts, only how many codes are in the box and how many are not matters, up to three.
    """
    if not claims or len(quotes) != 1 or not quotes[0].program.counts_rows:
        return None
    (one,) = quotes
    boxes = one.program.where.region.boxes
    if len(boxes) != 1 or any(type(claim.granularity) not in _OF_ROWS or claim.boxes != boxes for claim in claims):
        return None
    shape = one.program.table.domain.shape
    found = tuple(
        (min(size(codes), 3), min(every - size(codes), 3)) for codes, every in zip(boxes[0], shape, strict=True)
    )
    noise = tuple(
        (part.measurement, part.mechanism.kind, *part.mechanism.parameters().items()) for part in one.offer.parts
    )
    amounts = tuple((claim.granularity, claim.measure, claim.one, claim.substitution, claim.same) for claim in claims)
    return one.program.table.version, one.program.tallies, found, noise, amounts


def claimed(ledger: Ledger, promises: Sequence[Promise], charge: Charge) -> list[Claim]:
    """What a ledger would book for a charge under each promise, as plain data."""
    found = []
    for promise, booked in zip(promises, ledger.claims(charge), strict=True):
        if booked is not None:
            amounts = [_charged(promise, part) for part in (booked.one, booked.substitution, booked.same)]
            found.append(Claim(promise.granularity, type(promise.budget), booked.boxes, *amounts))
    return found


def _charged(promise: Promise, amounts: Sequence[Fraction]) -> tuple[Fraction, ...]:
    budget = promise.budget.vector()
    return tuple(_ENDLESS if part > most else part for part, most in zip(amounts, budget, strict=True))


def released(quote: Quote) -> Released:
    """A question as it will be run: its program, and how exact tallies become released numbers."""
    offer = quote.offer
    return Released(
        quote.program,
        tuple(Part(entries(part.measurement), part.mechanism) for part in offer.parts),
        tuple(
            Choice(one.of, len(one.shares), one.placed.low, one.placed.high, one.away, one.mechanism)
            for one in offer.choices
        ),
        None if offer.selection is None else offer.selection.mechanism,
    )
