"""Statements around releases: their questions are released at one price, and the rest runs on released numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol, final

import numpy as np

from partita.curator.answers.answer import Answer
from partita.curator.answers.presented import Presented
from partita.curator.answers.presenter import Columns, Presenter, presenter
from partita.curator.answers.quotation import CuratorQuote
from partita.curator.batches.batch import Batch
from partita.curator.batches.batches import Batches
from partita.curator.declared.catalogue import Catalogue
from partita.curator.path.path import fingerprint
from partita.curator.wanted import Wanted
from partita.effort import bounded_together
from partita.errors.query import presenting as refuse_shown
from partita.ledger.ledger import Ledger
from partita.query.answer.examples import examples
from partita.query.answer.jitter import jittered, noise, settled
from partita.query.answer.kinds import Described, Kind
from partita.query.answer.results import Result
from partita.query.batch.joint import union
from partita.query.batch.share import Share
from partita.query.language.plan import Plan
from partita.query.noise.quote import Quote
from partita.query.sql.releases.origins import PUBLIC, origins
from partita.query.sql.releases.shown_functions import check_functions
from partita.query.sql.releases.statement import Statement

_KINDS: Final = {
    **dict.fromkeys(("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER"), Kind.WHOLE),
    **dict.fromkeys(("HUGEINT", "UHUGEINT", "UBIGINT", "FLOAT", "DOUBLE", "DECIMAL"), Kind.NUMBER),
    "DATE": Kind.DAY,
    "TIMESTAMP": Kind.MOMENT,
    "BOOLEAN": Kind.TRUTH,
}
Draw = Callable[[np.random.Generator | None], Mapping[str, Result]]


class Asking(Protocol):
    """How one question is answered or quoted by itself."""

    def __call__(self, plan: Plan, text: str, wanted: Wanted, *, key: str | None, analyst: str) -> Answer:
        """The answer to a plan."""


class Quoting(Protocol):
    """How one question is quoted by itself."""

    def __call__(self, plan: Plan, wanted: Wanted, *, key: str | None, analyst: str) -> CuratorQuote:
        """The quotation of a plan."""


@final
@dataclass(frozen=True)
class Presenting:
    """Answers statements about the answers to questions.

    The order is the guarantee: the statement is tried on numbers that say nothing, its questions are charged, read and
    committed like any others, and only then is it run on what they released. It is post-processing (theory A4), on a
    connection that never knew a protected table; where it fails, the answers are in the ledger all the same.
    """

    catalogue: Catalogue
    ledger: Ledger
    batches: Batches
    one: Asking
    one_quoted: Quoting

    def ask(self, statement: Statement, wanted: Wanted, *, key: str | None, analyst: str) -> Answer:
        """The answer to a statement."""
        if statement.empty:
            return self._nothing(statement, wanted, analyst)
        if len(statement.questions) == 1:
            ((name, plan),) = statement.questions.items()
            self._tried(statement)
            answer = self.one(plan, plan.sql(), wanted, key=key, analyst=analyst)
            found = self._shown(statement, {name: answer.result}, _alone(name, answer.result))
            return replace(answer, presented=found)
        batch = self._batch(statement, wanted, key=key, analyst=analyst)
        self._tried(statement)
        stored = all(self.ledger.stored(fingerprint(one)) is not None for one in batch.quotes)
        if not stored and not batch.exact:
            batch.admit()
        answers = dict(zip(statement.questions, batch.ask(), strict=True))
        results = {name: answer.result for name, answer in answers.items()}
        found = self._shown(statement, results, _together(dict(zip(results, batch.shares, strict=True)), results))
        return self._made(answers, batch, found, analyst)

    def quote(self, statement: Statement, wanted: Wanted, *, key: str | None, analyst: str) -> CuratorQuote:
        """What a statement would cost, and how exact the columns are that it passes on."""
        self._tried(statement)
        if len(statement.questions) == 1:
            (plan,) = statement.questions.values()
            return replace(self.one_quoted(plan, wanted, key=key, analyst=analyst), statement=statement)
        batch = self._batch(statement, wanted, key=key, analyst=analyst)
        quotes = [share.quote for share in batch.shares]
        table, region = quotes[0].plan.table.name, _region(quotes)
        return CuratorQuote(
            quote=quotes[0],
            cost=batch.cost,
            costs=batch.costs,
            remaining=self.ledger.remaining(table, region, analyst),
            fits=batch.fits,
            free=all(self.ledger.stored(fingerprint(one)) is not None for one in batch.quotes),
            statement=statement,
            beside=tuple(quotes[1:]),
        )

    def _nothing(self, statement: Statement, wanted: Wanted, analyst: str) -> Answer:
        """The columns of a statement that shows no line: nothing is released for it."""
        names = list(self._tried(statement))
        plan = next(iter(statement.questions.values()))
        empty = replace(plan, lines=replace(plan.lines, limit=0))
        answer = self.one(empty, empty.sql(), wanted, key=None, analyst=analyst)
        found = Presented(
            statement, {}, {}, {}, {name: [] for name in names}, dict.fromkeys(names, PUBLIC), lambda _: {}
        )
        return replace(answer, presented=found)

    def _batch(self, statement: Statement, wanted: Wanted, *, key: str | None, analyst: str) -> Batch:
        """The questions of a statement, priced together."""
        if wanted.price is None or wanted.noise is not None or wanted.shrink or key is not None:
            raise refuse_shown.accuracy_of_statement()
        plans = [plan.capped(wanted.caps) for plan in statement.questions.values()]
        with bounded_together(len(plans)):
            return self.batches.made(plans, wanted.price, delta=wanted.price.delta, weights=None, analyst=analyst)

    def _made(self, answers: Mapping[str, Answer], batch: Batch, found: Presented, analyst: str) -> Answer:
        listed = list(answers.values())
        free = all(answer.free for answer in listed) and not batch.exact
        receipts = {one.seq: one for answer in listed for one in answer.receipts}
        costs = tuple(cost.zero() for cost in batch.costs) if free else batch.costs
        quotes = [answer.quote for answer in listed]
        return replace(
            listed[0],
            cost=costs[0],
            costs=costs,
            free=free,
            reckon=self.ledger.reckoning(quotes[0].plan.table.name, _region(quotes), analyst),
            sources=tuple(receipts.values()),
            presented=found,
            beside=tuple(quotes[1:]),
        )

    # --- the statement itself --------------------------------------------------------------------------------------

    def described(self, statement: Statement) -> tuple[Described, ...]:
        """The columns of the answer to a statement, from what its questions would show; nothing is read or spent."""
        types = self._tried(statement)
        tables = {name.lower(): table for name, table in self.catalogue.public.items()}
        found = origins(statement, list(types), {name: list(tables[name].columns) for name in statement.public})
        listed = []
        for (name, kind), origin in zip(types.items(), found, strict=True):
            held = _KINDS.get(kind.partition("(")[0], Kind.TEXT)
            listed.append(Described(name, held, not origin.public and held in (Kind.WHOLE, Kind.NUMBER)))
        return tuple(listed)

    def _tried(self, statement: Statement) -> dict[str, str]:
        """The columns of a statement; refused where no numbers could be shown by it, before anything is charged."""
        check_functions(statement.outer)
        with presenter().alone() as engine:
            self._public(statement, engine)
            for name, plan in statement.questions.items():
                engine.holds(name, examples(plan))
            return engine.prepared(statement.sql())

    def _shown(self, statement: Statement, results: Mapping[str, Result], draw: Draw) -> Presented:
        """The lines of a statement, from what was released."""
        shapes = {name: examples(plan) for name, plan in statement.questions.items()}
        with presenter().alone() as engine:
            public = self._public(statement, engine)
            for name, result in results.items():
                engine.holds(name, result.columns, shapes[name])
            columns = engine.select(statement.sql())
        found = origins(statement, list(columns), {name: list(values) for name, values in public.items()})
        named = dict(zip(columns, found, strict=True))
        return Presented(statement, results, shapes, public, columns, named, draw)

    def _public(self, statement: Statement, engine: Presenter) -> dict[str, Columns]:
        tables = {name.lower(): table for name, table in self.catalogue.public.items()}
        found: dict[str, Columns] = {}
        for name in statement.public:
            table = tables[name]
            found[name] = {column: [row[place] for row in table.rows] for place, column in enumerate(table.columns)}
            engine.holds(name, found[name])
        return found


def _alone(name: str, result: Result) -> Draw:
    """One release, settled, with fresh noise or with none."""
    base = settled(result)
    return lambda chance: {name: base if chance is None else jittered(base, chance)}


def _together(shares: Mapping[str, Share], results: Mapping[str, Result]) -> Draw:
    """Fresh noise on every release of a batch at once, so that what shares a release moves together."""
    told: dict[str, Quote] = {one.fingerprint: one for share in shares.values() for one in share.sources}
    base = {name: settled(result) for name, result in results.items()}

    def draw(chance: np.random.Generator | None) -> Mapping[str, Result]:
        if chance is None:
            return base
        moved = {name: noise(one.spreads, one.program.cells.count, chance) for name, one in told.items()}
        found: dict[str, Result] = {}
        for name, share in shares.items():
            result = base[name]
            if share.alone and len(result.noisy) == len(moved[share.quote.fingerprint]):
                found[name] = replace(result, noisy=result.noisy + moved[share.quote.fingerprint])
            elif share.alone:
                found[name] = jittered(result, chance)
            else:
                # What is made of several releases is linear in them: what noise alone would make of it is added.
                made = share.result({one.fingerprint: moved[one.fingerprint] for one in share.sources})
                found[name] = replace(result, noisy=result.noisy + made.noisy)
        return found

    return draw


def _region(quotes: Sequence[Quote]) -> Any:
    """Who the questions of one table are about."""
    first = quotes[0].plan.table.name
    return union([one for one in quotes if one.plan.table.name == first])
