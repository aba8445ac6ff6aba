"""Questions inside conditions are released first, and their noisy values written into the question around them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from math import isqrt
from typing import final

from partita.composition.calibration.pricing import Price
from partita.curator.answers.answer import Answer
from partita.curator.answers.quotation import CuratorQuote
from partita.curator.presenting import Asking, Presenting, Quoting
from partita.curator.wanted import Wanted
from partita.errors.query import presenting as refuse
from partita.ledger.charge import Charge
from partita.ledger.ledger import Ledger
from partita.query.answer.examples import examples
from partita.query.answer.kinds import Described, kinds
from partita.query.language.plan import Plan
from partita.query.noise.quote import Quote
from partita.query.sql.releases.stages import Staged
from partita.query.sql.releases.statement import Statement


@final
@dataclass(frozen=True)
class Staging:
    """Answers questions in stages: each is charged, read and committed before the next is chosen.

    The price is divided evenly among all of them. Whether it fits is looked at beforehand for the first ones, each at
    the whole price; the last is then charged like any question.
    """

    ledger: Ledger
    one: Asking
    one_quoted: Quoting
    presenting: Presenting
    charge: Callable[[Plan, Wanted, str], tuple[Quote, Charge]]

    def ask(self, asked: Staged, wanted: Wanted, *, key: str | None, analyst: str) -> Answer:
        """The answer to a question with others inside its conditions."""
        if wanted.price is None or wanted.shrink or key is not None:
            raise refuse.accuracy_of_statement()
        part = replace(wanted, price=_share(wanted.price, len(asked.first) + 1))
        tried = asked.filled([_example(plan) for plan in asked.first])
        self._admitted(asked, tried, wanted, analyst)
        answers = [self.one(plan, plan.sql(), part, key=None, analyst=analyst) for plan in asked.first]
        values = [next(iter(answer.result.columns.values())) for answer in answers]
        last = asked.filled(values)
        if isinstance(last, Statement):
            found = self.presenting.ask(last, part, key=None, analyst=analyst)
        else:
            found = self.one(last, last.sql(), part, key=None, analyst=analyst)
        every = [*answers, found]
        costs = tuple(sum(parts[1:], start=parts[0]) for parts in zip(*(one.costs for one in every), strict=True))
        receipts = {one.seq: one for answer in every for one in answer.receipts}
        return replace(
            found,
            cost=costs[0],
            costs=costs,
            free=all(answer.free for answer in every),
            sources=tuple(receipts.values()),
            first=tuple(answers),
        )

    def described(self, asked: Plan | Statement | Staged) -> tuple[Described, ...]:
        """The columns of an answer; those of the last of several are the same whatever the first ones say."""
        last = asked.filled([_example(plan) for plan in asked.first]) if isinstance(asked, Staged) else asked
        return self.presenting.described(last) if isinstance(last, Statement) else kinds(last)

    def quote(self, asked: Staged, wanted: Wanted, *, key: str | None, analyst: str) -> CuratorQuote:
        """What it would cost; how exact the last answer is, as if the first values were some examples."""
        if wanted.price is None or wanted.shrink or key is not None:
            raise refuse.accuracy_of_statement()
        part = replace(wanted, price=_share(wanted.price, len(asked.first) + 1))
        tried = asked.filled([_example(plan) for plan in asked.first])
        plan = next(iter(tried.questions.values())) if isinstance(tried, Statement) else tried
        offers = [self.one_quoted(one, part, key=None, analyst=analyst) for one in (*asked.first, plan)]
        costs = tuple(sum(parts[1:], start=parts[0]) for parts in zip(*(one.costs for one in offers), strict=True))
        return replace(offers[-1], cost=costs[0], costs=costs, fits=all(one.fits for one in offers), free=False)

    def _admitted(self, asked: Staged, tried: Plan | Statement, wanted: Wanted, analyst: str) -> None:
        """Refuse what could not be paid for to its end, before anything is charged."""
        plans = [*asked.first, *(tried.questions.values() if isinstance(tried, Statement) else [tried])]
        part = replace(wanted, price=_share(wanted.price, len(asked.first) + 1)) if wanted.price else wanted
        first = [self.charge(plan, part, analyst)[1] for plan in asked.first]
        if all(self.ledger.stored(one.question) is not None for one in first):
            return
        for plan in plans:
            self.ledger.admits(self.charge(plan, wanted, analyst)[1])


def _example(plan: Plan) -> list[object]:
    (values,) = examples(plan).values()
    return values


def _share(price: Price, parts: int) -> Price:
    """An even share of a price: ρ, ε and δ add up over releases, and of μ the squares do."""
    share = Fraction(1, parts)
    root = Fraction(isqrt(10**24 * share.numerator // share.denominator), 10**12)
    return Price(
        epsilon=None if price.epsilon is None else price.epsilon * share,
        rho=None if price.rho is None else price.rho * share,
        mu=None if price.mu is None else price.mu * root,
        delta=None if price.delta is None else price.delta * share,
    )
