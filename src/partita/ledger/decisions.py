"""Decisions of people about a budget: raised up to its ceiling, or lowered, with who and why in the book."""

from __future__ import annotations

from partita.composition.plans.promise import alike
from partita.errors import budgets as refuse
from partita.ledger.book.book import Book
from partita.ledger.book.store import Stage
from partita.ledger.budgets import Cause, change_details
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
