"""What releases of different organisations cost a person together, from their receipts alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import final

from partita.composition.account.booking import Release, Vector, booked
from partita.composition.plans.promise import Promise
from partita.errors import InvalidInput, NotProven, PartitaError
from partita.errors import ledger as refuse
from partita.granularity import Granularity, Relation, Replace, Rows, Users, Windows, convert, steps
from partita.ledger.payer import RegionPayer
from partita.ledger.receipts.receipts import Receipt
from partita.theory.conversions import convert as to_measure
from partita.theory.cost import Cost
from partita.theory.measures.base import Measure, most


class Rule(StrEnum):
    """How the losses of several organisations combine."""

    ALONE = "one organisation"
    SUM = "the sum, since a person may be in the data of all"
    MAXIMUM = "the maximum, since nobody is in the data of two"
    TWO_LARGEST = "the two largest, since a changed record may move from one to another"


@final
@dataclass(frozen=True, slots=True)
class Part:
    """One organisation's share: its ledger, how many releases were counted, and their loss together."""

    ledger: str
    releases: int
    loss: Measure


@final
@dataclass(frozen=True, slots=True)
class Together:
    """The loss of the releases together, for one protected unit.

    ``loss`` is a guarantee for releases that were planned beforehand, and for pure ε always; for questions chosen while
    answers came in, only budgets are certified (theory D10), and ``certified`` combines those, where a theorem does.
    """

    unit: str
    rule: Rule
    loss: Measure
    certified: Measure | None
    parts: tuple[Part, ...]


def compose(
    receipts: Sequence[Receipt],
    *,
    disjoint: bool = False,
    unit: Granularity | None = None,
    measure: type[Measure] | None = None,
) -> Together:
    """What the releases cost a person together (theory E5, E6, E7, E10; together.proof.md).

    ``disjoint`` is the custodians' declaration that nobody is in the data of two of the ledgers. ``unit`` is the
    neighbouring relation wanted; without it all receipts must protect the same one. A relation that gives no
    guarantee for another is a refusal, never a sum.

    >>> from partita import Curator, Promise, Table, ZCDP, integers, rows, together
    >>> def hospital(name):
    ...     table = Table(name, [{"age": i % 90} for i in range(900)], {"age": integers(0, 120, missing=0)})
    ...     with Curator(tables=[table], promises=[Promise(rows(), ZCDP(rho="0.5"))], ledger=":memory:") as curator:
    ...         return curator.ask(f"SELECT COUNT(*) AS n FROM {name}", rho="0.1").receipt
    >>> receipts = [hospital("north"), hospital("south")]
    >>> print(together(receipts).loss, "|", together(receipts, disjoint=True).loss)
    ρ = 0.2 | ρ = 0.1
    """
    books = _books(receipts)
    found = [_claims(book, unit) for book in books]
    wanted = _unit(found) if unit is None else unit
    alone = len(books) == 1
    rule = Rule.ALONE if alone else _rule(wanted) if disjoint else Rule.SUM
    exposures = [_exposure(claims, wanted, alone=alone) for claims in found]
    enters = _alike([exposure.enter for exposure in exposures], measure)
    changes = _alike([exposure.change for exposure in exposures], measure)
    either = [most(enter, change) for enter, change in zip(enters, changes, strict=True)]
    loss = _combined(enters, changes, rule)
    parts = tuple(
        Part(book[0].ledger, len(book), change if alone else larger)
        for book, change, larger in zip(books, changes, either, strict=True)
    )
    return Together(_words(found, wanted), rule, loss, _certified(found, wanted, rule, measure), parts)


def _books(receipts: Sequence[Receipt]) -> list[list[Receipt]]:
    """The receipts of each ledger, every release once, signatures checked."""
    books: dict[str, dict[int, Receipt]] = {}
    for receipt in receipts:
        receipt.check()
        known = books.setdefault(receipt.ledger, {}).setdefault(receipt.seq, receipt)
        if not _alike_said(known, receipt) or any(
            other.public_key != receipt.public_key for other in books[receipt.ledger].values()
        ):
            raise refuse.unlike_claims(receipt.ledger)
    if not books:
        raise refuse.no_receipts()
    return [list(book.values()) for book in books.values()]


def _alike_said(first: Receipt, second: Receipt) -> bool:
    """Whether receipts say the same of one release; a server leaves out the words of somebody else's question."""
    silent = "" in (first.asked, second.asked)
    one, other = ({**each.body(), **({"asked": ""} if silent else {})} for each in (first, second))
    return one == other


@final
@dataclass(frozen=True, slots=True)
class _Claims:
    """The releases of one ledger under one of its promises."""

    promise: Promise
    releases: tuple[tuple[Receipt, Cost], ...]


def _claims(book: Sequence[Receipt], unit: Granularity | None) -> _Claims:
    """The promise of a ledger that is used: the only one, the one wanted, or the first that gives the one wanted."""
    promises = [claim.promise for claim in book[0].claims]
    if any([claim.promise for claim in receipt.claims] != promises for receipt in book):
        raise refuse.unlike_claims(book[0].ledger)
    if unit is None and len(promises) != 1:
        raise refuse.which_unit([str(promise.granularity) for promise in promises])
    place = 0 if unit is None else _place(promises, unit)
    return _Claims(promises[place], tuple((receipt, receipt.claims[place].cost) for receipt in book))


def _place(promises: Sequence[Promise], unit: Granularity) -> int:
    for place, promise in enumerate(promises):
        if unit_words(promise.granularity) == unit_words(unit):
            return place
    refusal: NotProven | None = None
    for place, promise in enumerate(promises):
        try:
            steps(promise.granularity, unit)
        except NotProven as reason:
            refusal = reason
        else:
            return place
    raise refusal or refuse.not_a_receipt("it states no cost")


def _unit(found: Sequence[_Claims]) -> Granularity:
    words = {unit_words(claims.promise.granularity): claims.promise.granularity for claims in found}
    if len(words) > 1:
        raise refuse.unlike_units(sorted(words))
    return next(iter(words.values()))


def unit_words(granularity: Granularity) -> str:
    """The unit without what only its own table knows: an owner is a person, whatever the column is called.

    >>> from partita.granularity import users
    >>> unit_words(users("patient", rows=3))
    'one owner with all rows, added or removed'
    """
    if isinstance(granularity, Users):
        unit = "one owner" if granularity.per is None else f"one owner during one {granularity.per}"
        return f"{unit} with all rows, {'altered in any way' if granularity.altered else 'added or removed'}"
    return str(granularity)


def _words(found: Sequence[_Claims], wanted: Granularity) -> str:
    """The unit as all ledgers protect it: an owner of any number of rows only where so many of them are kept."""
    owners = all(isinstance(claims.promise.granularity, Users) for claims in found)
    return unit_words(wanted) if owners else str(wanted)


def _rule(unit: Granularity) -> Rule:
    """How disjoint populations combine: only a unit that is one individual stays within one organisation."""
    match unit:
        case Rows() | Users(altered=False):
            return Rule.MAXIMUM
        case Replace() | Users(altered=True):
            return Rule.TWO_LARGEST
        case _:
            return Rule.SUM


@final
@dataclass(frozen=True, slots=True)
class _Exposure:
    """What one organisation's releases cost a unit that enters or leaves its data, and one that changes inside."""

    enter: Measure
    change: Measure


def _exposure(claims: _Claims, unit: Granularity, *, alone: bool) -> _Exposure:
    own = claims.promise.granularity
    loss = _worst(claims, own)
    same = unit_words(own) == unit_words(unit)
    change = loss if same else convert(loss, own, unit)
    if alone or unit.relation is Relation.ADD_REMOVE:
        return _Exposure(change, change)
    match own, unit:
        case Replace(), Replace():
            # A guarantee inside one table says nothing of who enters it (theory E5); that cost is stated apart.
            return _Exposure(_worst(claims, Rows()), change)
        case _, Replace():
            return _Exposure(convert(loss, own, Rows()), change)
        case _, Users():
            return _Exposure(change, change)
        case _:
            raise refuse.moving_unit(str(unit))


def _worst(claims: _Claims, granularity: Granularity) -> Measure:
    """The largest loss of anybody in one ledger, by the regions of its releases; what tables show adds up."""
    tables: dict[tuple[str, str], list[tuple[Receipt, Cost]]] = {}
    for receipt, cost in claims.releases:
        tables.setdefault((receipt.table, receipt.region.domain.digest), []).append((receipt, cost))
    return _added([_table(group, granularity) for group in tables.values()])


def _table(releases: Sequence[tuple[Receipt, Cost]], granularity: Granularity) -> Measure:
    """The largest loss of anybody in one table, by the account that ledgers use."""
    charged = [(receipt.region, cost, 1) for receipt, cost in releases if receipt.region]
    most = [_most(granularity, Release(region, cost)) for region, cost, _ in charged]
    like = releases[0][1].row
    # A budget that nothing here reaches, not even all of it at once: only the loads are wanted, and no account holds
    # loads that are within its budget. Twice as much, so that rounding is within it too.
    reach = tuple(2 * sum(parts, Fraction(0)) for parts in zip(*most, strict=True))
    if not any(reach):
        return like.zero()
    payer = RegionPayer(releases[0][0].region.domain, Promise(granularity, like.like(reach)))
    payer.load(charged)
    return payer.bracket()[1]


def _most(granularity: Granularity, release: Release) -> Vector:
    """The most that one release costs any protected unit: by a row, a change inside, two equal rows, in a window."""
    made, unit = booked(granularity, release), granularity.single
    parts = [part for part in (made.one, made.substitution, made.same) if part is not None]
    width = unit.width if isinstance(unit, Windows) else 1
    return tuple(width * max(amounts) for amounts in zip(*parts, strict=True))


def _certified(
    found: Sequence[_Claims], unit: Granularity, rule: Rule, measure: type[Measure] | None
) -> Measure | None:
    """The budgets together; under change-one a budget does not bound the cost of entering, so it certifies alone."""
    if rule is not Rule.ALONE and unit.relation is Relation.CHANGE_ONE:
        return None
    budgets = []
    for claims in found:
        own, budget = claims.promise.granularity, claims.promise.budget
        budgets.append(budget if unit_words(own) == unit_words(unit) else convert(budget, own, unit))
    alike = _alike(budgets, measure)
    return _combined(alike, alike, rule)


def _alike(losses: Sequence[Measure], measure: type[Measure] | None) -> list[Measure]:
    """All losses in one measure: the one wanted, or the first of theirs that all of them give."""
    refusal: PartitaError | None = None
    for candidate in [measure] if measure is not None else dict.fromkeys(type(loss) for loss in losses):
        try:
            return [to_measure(loss, candidate) for loss in losses]
        except (NotProven, InvalidInput) as reason:
            refusal = reason
    assert refusal is not None
    raise refusal


def _combined(enters: Sequence[Measure], changes: Sequence[Measure], rule: Rule) -> Measure:
    match rule:
        case Rule.ALONE:
            return changes[0]
        case Rule.SUM:
            return _added([most(*pair) for pair in zip(enters, changes, strict=True)])
        case Rule.MAXIMUM:
            return most(*enters)
        case Rule.TWO_LARGEST:
            heads = [sorted(parts, reverse=True)[:2] for parts in zip(*(loss.vector() for loss in enters), strict=True)]
            return most(enters[0].like([sum(head, Fraction(0)) for head in heads]), *changes)


def _added(losses: Sequence[Measure]) -> Measure:
    total = losses[0]
    for loss in losses[1:]:
        total = total + loss
    return total
