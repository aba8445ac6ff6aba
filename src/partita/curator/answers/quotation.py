"""A quotation: what a question would cost, how exact it would be, and what would be left; nothing is spent."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, final

from partita.curator.path.shrink import said
from partita.errors import curator as refuse
from partita.exact import Number, probability
from partita.explain.numbers import percent
from partita.notebook import InWords
from partita.query.batch.share import Share
from partita.query.noise.quote import Quote
from partita.query.sql.releases.statement import Statement
from partita.region.region import Region
from partita.theory.measures.base import Measure


@final
@dataclass(frozen=True)
class CuratorQuote(InWords):
    """The offer of a curator. ``free`` says that the answer is in the ledger already."""

    quote: Quote = field(repr=False)
    cost: Measure
    costs: tuple[Measure, ...] = field(repr=False)
    remaining: tuple[Measure, ...]
    fits: bool
    free: bool
    asked_about: Region | None = field(default=None, repr=False)
    """Who was asked about, if only a part of them can still pay and the offer is for that part."""
    statement: Statement | None = field(default=None, repr=False)
    """What would be computed from what is released, if that is more than the release itself."""
    beside: tuple[Quote, ...] = field(default=(), repr=False)
    """What else would be released for such a statement."""
    share: Share | None = field(default=None, repr=False)
    """How the answer would be made from several releases, where it is no release of its own."""
    words: str = field(default="", repr=False, compare=False)
    """The question as it was asked; "" if only its normal form is known."""

    def error(
        self, confidence: Number = 0.95, *, rows: int | None = None, simultaneous: bool = False
    ) -> dict[str, Any]:
        """The half-width of each column's error bar; of a mean only for a group of so many ``rows``.

        Of a statement around a release these are the columns of the release.
        """
        told = self.quote if self.share is None else self.share
        return told.error(confidence, rows=rows, simultaneous=simultaneous)

    def left(self) -> tuple[Measure, ...]:
        """What would be left, for the people this question is about, under each promise."""
        if self.free:
            return self.remaining
        return tuple(rest.left_after(cost) for rest, cost in zip(self.remaining, self.costs, strict=True))

    def __reduce__(self) -> str:
        raise refuse.not_sent("A quotation", "Keep what it says, or ask for it again: quotes are free.")

    def __str__(self) -> str:
        return self.explain()

    def __repr__(self) -> str:
        return self.explain()

    def explain(self, confidence: Number = 0.95) -> str:
        """The offer in words."""
        ranks = self.quote.rank_error(confidence)
        error = ", ".join(
            f"{name} within {math.ceil(ranks[name]):,} rows"
            if name in ranks
            else f"{name} depends on the size of its group"
            if half is None
            else f"{name} ± {half:.6g}"
            for name, half in self.error(confidence).items()
        )
        sure = percent(float(probability(confidence, "confidence")))
        if self.free:
            price = "nothing: this question was answered before"
        else:
            price = f"{self.cost}" if self.fits else f"{self.cost}, which no longer fits"
        part = said(self.asked_about, self.quote.region)
        asked = self.words.strip() or self.quote.plan.sql()
        if self.statement is not None:
            released = [" ".join(one.plan.sql().split()) for one in (self.quote, *self.beside)]
            asked = "\n".join([self.statement.text.strip(), *(f"Released for it: {one}" for one in released)])
        return (f"{part}\n" if part else "") + (
            f"{asked}\ncosts {price}; now left: {'; '.join(map(str, self.remaining))}.\n"
            f"Error with {sure} confidence: {error}.\n{self._made()}"
        )

    def _made(self) -> str:
        """Which noise was chosen, and why."""
        if self.share is None:
            return self.quote.explain()
        return (
            f"{len(self.share.sources)} levels are released, each with a share of the price; no line is a sum of all "
            f"groups' noise."
        )


def read_as(quote: Quote) -> str:
    """A sentence where a price in one measure was turned into the measure of the first promise; otherwise nothing."""
    price, budget = quote.price, quote.promises[0].budget
    given = {"epsilon": price.epsilon, "rho": price.rho, "mu": price.mu}
    if any(value is not None and hasattr(budget, name) for name, value in given.items()) or str(price) == "no price":
        return ""
    return f"The price {price} was read as {quote.cost}, because the budget is in {budget.symbol}."
