"""What a caller wants of an answer, gathered once from the keywords of a question into one value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypedDict, final

from partita.composition.account.loads.allowance import MOST_PATIENCE
from partita.composition.calibration.pricing import Price, Prices
from partita.curator.answers.quotation import read_as
from partita.errors import BudgetExceeded
from partita.errors.query import prices as refuse
from partita.exact import Number, probability, whole
from partita.granularity import Rows
from partita.query.answer.results import Result
from partita.query.language.plan import Plan
from partita.query.noise.accuracy import Accuracy, Wish, cheapest, fitting
from partita.query.noise.quote import Promised, Quote, quote
from partita.query.reuse.reuse import as_exact
from partita.query.tables.truncation import UNCAPPED, Caps, Truncation
from partita.theory.measures.base import Measure


def checked_patience(given: object) -> int:
    """How many times the usual work may be taken: so many that it ends some day."""
    found = whole(given, "patience", least=1)
    if found > MOST_PATIENCE:
        raise refuse.too_patient(found, MOST_PATIENCE)
    return found


class Accuracies(TypedDict, total=False):
    """Keywords for an accuracy instead of a price: the longest error bar allowed, and what it shall hold for."""

    within: Wish | None
    confidence: Number | None
    floor: Wish | None
    rows: int | None
    simultaneous: bool


@final
class Wants(Prices, Accuracies, total=False):
    """All keywords that say what is wanted of an answer; whoever takes them hands them on to :meth:`Wanted.of`."""

    noise: str | None
    rows_per_user: int | None
    groups_per_user: int | None
    rows_per_group: int | None
    reuse: bool
    shrink: bool
    patience: int


@final
@dataclass(frozen=True, slots=True)
class Wanted:
    """What a caller wants of an answer: a price and whatever accuracy it buys, or an accuracy at whatever price.

    ``caps`` bound what one owner adds; ``reuse`` allows what follows from released answers; with ``shrink`` an answer
    about those who can pay will do. ``patience`` is how many times the usual work may be taken before it is refused.
    """

    price: Price | None
    accuracy: Accuracy | None
    delta: Fraction | None = None
    noise: str | None = None
    caps: Caps = UNCAPPED
    reuse: bool = True
    shrink: bool = False
    patience: int = 1

    @classmethod
    def of(
        cls,
        *,
        epsilon: Number | None = None,
        rho: Number | None = None,
        mu: Number | None = None,
        delta: Number | None = None,
        within: Wish | None = None,
        confidence: Number | None = None,
        floor: Wish | None = None,
        rows: int | None = None,
        simultaneous: bool = False,
        noise: str | None = None,
        rows_per_user: int | None = None,
        groups_per_user: int | None = None,
        rows_per_group: int | None = None,
        reuse: bool = True,
        shrink: bool = False,
        patience: int = 1,
    ) -> Wanted:
        """The price or the accuracy, whichever was given; both together contradict each other."""
        price, accuracy, leak = None, None, None
        if within is None:
            details = {"confidence": confidence, "floor": floor, "rows": rows, "simultaneous": simultaneous or None}
            for name, value in details.items():
                if value is not None:
                    raise refuse.wish_without_accuracy(name)
            price = Price.of(epsilon=epsilon, rho=rho, mu=mu, delta=delta)
        else:
            for name, value in {"epsilon": epsilon, "rho": rho, "mu": mu}.items():
                if value is not None:
                    raise refuse.price_and_accuracy(name)
            sure: Number = "0.95" if confidence is None else confidence
            accuracy = Accuracy.of(within, confidence=sure, floor=floor, rows=rows, simultaneous=simultaneous)
            leak = None if delta is None else probability(delta, "delta")
        caps = Caps.of(rows_per_user, groups_per_user, rows_per_group)
        return cls(price, accuracy, leak, noise, caps, reuse, shrink, checked_patience(patience))

    def quote(self, plan: Plan, promises: Sequence[Promised], truncation: Truncation | None = None) -> Quote:
        """The quote of a plan on these terms."""
        if self.price is not None:
            return quote(plan, promises, self.price, noise=self.noise, truncation=truncation)
        assert self.accuracy is not None
        return cheapest(plan, promises, self.accuracy, delta=self.delta, noise=self.noise, truncation=truncation)

    def refused(self, refusal: BudgetExceeded, offered: Quote, left: Measure) -> BudgetExceeded:
        """A refusal of the budget, with how the price was read, or the accuracy that would still fit, where known."""
        if self.accuracy is None:
            return refusal.also(read_as(offered))
        if offered.promises[0].granularity != Rows():
            return refusal
        bars = fitting(offered, self.accuracy, left)
        return refusal if bars is None else refuse.over_budget(refusal.message, bars)

    def reached(self, result: Result, offered: Quote) -> bool:
        """Whether a result that is there already is as exact as was wished, or as the price would make it."""
        if self.accuracy is None:
            return as_exact(result, offered)
        entries = offered.program.cells.count if self.accuracy.simultaneous else 1
        sure, floors = float(self.accuracy.confidence), dict(self.accuracy.floor)
        halves = result.expected_error(sure, entries, self.accuracy.rows, floors)
        bounds = self.accuracy.bounds(offered.plan)
        return all(half is not None and half <= bounds[name] for name, half in halves.items() if name in bounds)
