"""Questions with margins: each level of ROLLUP, CUBE and GROUPING SETS has a share of the price of its own."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import final

from partita.curator.answers.answer import Answer
from partita.curator.answers.quotation import CuratorQuote
from partita.curator.batches.batch import Batch
from partita.curator.batches.batches import Batches
from partita.curator.path.placed import placed
from partita.curator.wanted import Wanted
from partita.errors import PartitaError
from partita.ledger.ledger import Ledger
from partita.query.language.plan import Plan


@final
@dataclass(frozen=True)
class Margins:
    """Answers questions whose lines are sums of groups, by one charge for all levels.

    The total of a thousand groups would have the noise of all of them. With a share of its own it has the noise of one
    number, and every level is estimated from all of them (Gauss and Markov), so that they add up.
    """

    ledger: Ledger
    batches: Batches

    def batch(self, plan: Plan, wanted: Wanted, *, key: str | None, analyst: str) -> Batch | None:
        """The levels of a question priced together; None if one release of the groups serves it as well."""
        if len(plan.lines.sets) < 2 or plan.empty or plan.opened or plan.per_user is not None:
            return None
        if wanted.price is None or wanted.noise is not None or wanted.shrink or key is not None:
            return None
        try:
            found = self.batches.made(
                [plan.capped(wanted.caps)], wanted.price, delta=wanted.price.delta, weights=None, analyst=analyst
            )
        except PartitaError:
            # What has no price together may have one by itself, or a refusal that says more.
            return None
        return None if found.shares[0].estimate is None or len(found.quotes) < 2 else found

    def ask(self, batch: Batch) -> Answer:
        """The answer, from one charge for all levels."""
        planned = batch.reserve()
        (answer,) = planned.answers()
        return replace(answer, cost=planned.cost, costs=planned.costs, free=planned.free)

    def quote(self, batch: Batch, analyst: str) -> CuratorQuote:
        """What it would cost, and how exact the least exact line would be."""
        share = batch.shares[0]
        one, at = share.quote, placed(share.quote)
        return CuratorQuote(
            quote=one,
            cost=batch.cost,
            costs=batch.costs,
            remaining=self.ledger.remaining(at.table, at.region, analyst),
            fits=batch.fits,
            free=batch.free,
            share=share,
        )
