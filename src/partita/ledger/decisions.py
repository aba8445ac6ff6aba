"""Decisions of people: a budget raised up to its ceiling or lowered, with who and why, and limits of analysts."""

from __future__ import annotations

from collections.abc import Sequence

from partita.composition.plans.promise import Promise, alike
from partita.errors import budgets as refuse
from partita.errors import ledger as refuse_ledger
from partita.ledger.birth import Terms
from partita.ledger.book.book import Book
from partita.ledger.book.entries import Kind
from partita.ledger.book.store import Stage
from partita.ledger.schedules import Cause, change_details
from partita.theory.documents import to_document
from partita.theory.measures.base import Measure


def decided(book: Book, place: int, cause: Cause, to: object, *, who: str, why: str) -> Measure:
    """Let a budget be another from here on, and say which.

    A decision may depend on answers, so only what was declared at birth covers a raise (theory I13).
    """
    for name, said in (("who", who), ("why", why)):
        if not isinstance(said, str) or not said.strip():
            raise refuse.unexplained(name)
    with book.writing(Stage.RESERVE):
        budgets = book.replay.budgets
        budget = alike(budgets.now[place].budget, to, "to")
        budgets.checked(place, cause, budget)
        entry = book.change(**change_details(place, cause, budget, who=who, why=why))
    book.hold(entry)
    return budget


def limited(book: Book, terms: Terms, analyst: str, limits: Sequence[Measure | None]) -> None:
    """Give an analyst limits of their own, or find them there already; other limits are refused."""
    if not isinstance(analyst, str) or not analyst:
        raise refuse_ledger.no_analyst()
    if len(limits) != len(terms.promises):
        raise refuse_ledger.wrong_costs(len(limits), len(terms.promises))
    for limit, promise in zip(limits, terms.promises, strict=True):
        if limit is not None:
            # Whatever would fail when the book is read again is refused before it is written.
            Promise(promise.granularity, limit)
            limit.fits(promise.budget)
    with book.writing(Stage.RESERVE) as balances:
        known = balances.child(analyst)
        if known is not None:
            if known != tuple(limits):
                raise refuse_ledger.account_exists(analyst, ", ".join(map(str, known)), ", ".join(map(str, limits)))
            return
        if book.replay.tally.charges:
            book.checkpoint(after=0)
        written = [None if limit is None else to_document(limit) for limit in limits]
        entry = book.append(Kind.ACCOUNT, analyst=analyst, limits=written)
    book.hold(entry)
