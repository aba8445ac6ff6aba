"""Certificates of a book: every charge of one table in order, the heaviest loss, and a check from the list alone."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, final

from partita.composition.account.booking import Booking, Release, Shape, booked, shape
from partita.composition.account.verify import Item, heaviest_pair, heaviest_value, heaviest_window
from partita.composition.plans.promise import Promise
from partita.effort import MOST_STEPS, bounded
from partita.errors import PartitaError
from partita.errors import ledger as refuse_receipt
from partita.exact import written
from partita.granularity import Windows
from partita.ledger.audit.recount import recount
from partita.ledger.birth import promise_document, promise_from
from partita.ledger.book.entries import Kind
from partita.ledger.canonical import canonical
from partita.ledger.charge import region_document
from partita.ledger.keys import signed_by
from partita.ledger.ledger import Ledger
from partita.ledger.receipts.receipts import checked_region
from partita.limits import current
from partita.region import Domain, Region
from partita.theory.cost import Cost
from partita.theory.documents import from_document, to_document
from partita.theory.measures.base import Measure

KIND = "partita-certificate"
VERSION = 1
_ROUNDING = Fraction(1, 10**9)
# Steps that reading one ordinary charge may take.
_CHARGE = 200


@final
@dataclass(frozen=True, slots=True)
class Check:
    """What a reader of a certificate found: the loss recomputed, and every reason not to believe it."""

    charges: int
    promise: Promise
    claimed: Measure
    complaints: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Whether the certificate is right and the promise is kept."""
        return not self.complaints


def certificate(ledger: Ledger, *, table: str | None = None, promise: int = 0) -> dict[str, Any]:
    """The signed certificate of one promise for one table (theory E25), as plain data.

    It lists promise, public domain and all charges in order, with the heaviest loss and who bears it. It holds no
    answer and nothing that was read from the data.
    """
    name, place = ledger.table_named(table), ledger.promise_at(promise)
    kept, domain = ledger.terms.promises[place], ledger.terms.tables[name]
    mark, (lower, upper, witness) = ledger.peak(name, place)
    body = {
        "charges": list(_charges(ledger, name, place, mark.seq)),
        "domain": domain.describe(),
        "entries": mark.seq,
        "hash": mark.hash.hex(),
        "kind": KIND,
        "ledger": next(ledger.entries()).hash.hex(),
        "lower": to_document(lower),
        "promise": promise_document(kept),
        "public_key": ledger.birth.public_key,
        "table": name,
        "upper": to_document(upper),
        "version": VERSION,
        "witness": [list(point) for point in witness],
    }
    if ledger.signer is None or ledger.signer.public != ledger.birth.public_key:
        raise refuse_receipt.no_signing_key(ledger.name)
    return {**body, "signature": ledger.signer.sign(canonical(body).encode()).hex()}


def _charges(ledger: Ledger, table: str, place: int, last: int) -> Iterator[dict[str, Any]]:
    eras = ledger.eras
    for entry in ledger.entries():
        if entry.seq > last:
            return
        if entry.kind is not Kind.RESERVE or entry.charge is None:
            continue
        priced = eras.lifted(entry.charge, entry.seq)
        if priced.table == table:
            yield {
                "cost": priced.costs[place].document(),
                "mechanism": entry.details().get("mechanism"),
                "region": region_document(priced.region),
                "seq": entry.seq,
            }


def check_certificate(document: object, public_key: str | None = None) -> Check:
    """Recompute everything in a certificate from its list of charges; nothing else of it is believed.

    Loads follow from the costs by the rules of the promise's granularity; their maximum is found by code that shares
    nothing with the accounts' own (theory E23, E24).
    """
    if not isinstance(document, dict) or document.get("kind") != KIND:
        raise refuse_receipt.not_a_certificate(f"its kind is not {KIND!r}")
    if document.get("version") != VERSION:
        raise refuse_receipt.not_a_certificate(
            f"its version is {document.get('version')!r}, and {VERSION} is understood"
        )
    try:
        return _checked(document, public_key)
    except PartitaError as problem:
        if problem.code == "ledger.other-signer":
            raise
        raise refuse_receipt.not_a_certificate("a part of it is missing or malformed") from None
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError):
        raise refuse_receipt.not_a_certificate("a part of it is missing or malformed") from None


def _checked(document: Mapping[str, Any], public_key: str | None) -> Check:
    body = {name: value for name, value in document.items() if name != "signature"}
    signer = str(document["public_key"])
    if public_key is not None and signer != public_key:
        raise refuse_receipt.other_signer(signer, public_key)
    complaints: list[str] = []
    domain, promise = Domain.described(document["domain"]), promise_from(document["promise"])
    if not signed_by(signer, bytes.fromhex(str(document["signature"])), canonical(body).encode()):
        # What is not signed is not worked on any further.
        forged = "its signature does not hold: it was altered, or another key signed it"
        return Check(len(document["charges"]), promise, from_document(document["upper"], written), (forged,))
    with bounded(MOST_STEPS + _CHARGE * len(document["charges"])):
        charges = [
            (checked_region(charge["region"], domain), Cost.from_document(charge["cost"]))
            for charge in document["charges"]
        ]
    numbers = [charge["seq"] for charge in document["charges"]]
    if numbers != sorted(set(numbers)):
        complaints.append("its charges are not in order")
    lower, upper = from_document(document["lower"], written), from_document(document["upper"], written)
    bookings = [booked(promise.granularity, Release(region, cost)) for region, cost in charges if region]
    witness = [tuple(int(code) for code in point) for point in document["witness"]]
    complaints += _kept(domain, promise, charges, bookings, upper)
    complaints += _borne(promise, bookings, witness, lower)
    return Check(len(charges), promise, upper, tuple(complaints))


def _kept(
    domain: Domain,
    promise: Promise,
    charges: Sequence[tuple[Region, Cost]],
    bookings: Sequence[Booking],
    upper: Measure,
) -> list[str]:
    """Whether nobody exceeds the promise, and nobody was found above the claim."""
    count = recount(domain, promise, ((region, cost, 1) for region, cost in charges if region))
    claimed = [part / whole for part, whole in zip(upper.vector(), promise.budget.vector(), strict=True) if whole]
    if count.exceeds:
        return ["the promise is broken: a loss above the budget was found"]
    if count.least > max(claimed, default=Fraction(0)) + _ROUNDING:
        return ["a loss above the claimed one was found"]
    if count.proven or _searched(domain, promise, bookings):
        return []
    return ["it could not be shown, within the work allowed, that the promise is kept"]


def _searched(domain: Domain, promise: Promise, bookings: Sequence[Booking]) -> bool:
    """Whether branch and bound shows that the promise is kept."""
    limits = current()
    if len(bookings) > limits.searched_charges:
        return False
    windows = promise.granularity.single
    for place, limit in enumerate(promise.budget.vector()):
        items = [
            Item(
                made.region.boxes,
                made.one[place],
                (made.substitution or made.one)[place],
                Fraction(0) if made.same is None else made.same[place],
            )
            for made in bookings
        ]
        match shape(promise.granularity):
            case Shape.VALUES:
                most = heaviest_value(domain.shape, items, limits.searched)[1]
            case Shape.PAIRS:
                most = heaviest_pair(domain.shape, items, limits.searched)[1]
            case Shape.WINDOWS:
                assert isinstance(windows, Windows)
                axis = domain.axis(windows.column)
                column = domain.bounded[axis]
                last = domain.shape[axis] - (1 if column.null is None else 2)
                found = heaviest_window(
                    domain.shape, items, axis, windows.width, limits.searched, last=last, astray=column.code(None)
                )
                most = found[1]
        if most > limit:
            return False
    return True


def _borne(
    promise: Promise, bookings: Sequence[Booking], witness: Sequence[tuple[int, ...]], lower: Measure
) -> list[str]:
    """Whether the witness bears at least the claimed loss, in some coordinate where there is one."""
    if lower.is_zero() or not witness or shape(promise.granularity) is Shape.WINDOWS:
        return []
    borne = [Fraction(0)] * len(lower.vector())
    for made in bookings:
        inside = sum(made.region.holds(point) for point in witness)
        if inside:
            lost = (
                made.substitution if len(witness) == 2 and inside == 2 and made.substitution is not None else made.one
            )
            if len(witness) == 2 and witness[0] == witness[1]:
                # Two records of equal values: what such a change loses, which is nothing if they are alike.
                lost = made.same or tuple(Fraction(0) for _ in made.one)
            borne = [total + part for total, part in zip(borne, lost, strict=True)]
    # Claims are in whole units of the account, each charge rounded up.
    if any(part > 0 and total >= part * (1 - _ROUNDING) for total, part in zip(borne, lower.vector(), strict=True)):
        return []
    return ["the witness bears less than is claimed"]


def to_json(document: Mapping[str, Any]) -> str:
    """A certificate as text."""
    return json.dumps(document, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
