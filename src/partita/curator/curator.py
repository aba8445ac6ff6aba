"""The curator keeps tables and promises, and answers questions from a ledger that all analysts share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from html import escape
from types import TracebackType
from typing import TYPE_CHECKING, Self, Unpack, final

import numpy as np
from numpy.typing import NDArray

from partita.calls import called, listed
from partita.composition.account.loads.allowance import patient
from partita.composition.calibration.pricing import Price, Prices
from partita.composition.plans.promise import Promise
from partita.curator.answers.answer import Answer
from partita.curator.answers.quotation import CuratorQuote
from partita.curator.batches.batch import Batch
from partita.curator.batches.batches import Batches
from partita.curator.batches.planned import Planned
from partita.curator.caps import SuggestedCaps, suggested
from partita.curator.computations.door import Door
from partita.curator.custody import Custody
from partita.curator.declared.catalogue import Catalogue
from partita.curator.declared.cautions import UNSAID, forgets, tell, unfixed
from partita.curator.declared.declared import (
    checked_limits,
    checked_promises,
    checked_public,
    checked_tables,
    people_of,
    terms_of,
)
from partita.curator.keywords import spelled_as
from partita.curator.margins import Margins
from partita.curator.opened import Place, opened
from partita.curator.overview import overview
from partita.curator.path.gate import Gate
from partita.curator.path.many import paid
from partita.curator.path.opinion import EFFORT, SecondOpinion
from partita.curator.path.pace import Pace
from partita.curator.path.path import Path, answered, charge_of, fingerprint, fits, numbers
from partita.curator.path.placed import booked_costs, placed
from partita.curator.path.rehearsal import Rehearsal
from partita.curator.path.shrink import shrunk
from partita.curator.presenting import Presenting
from partita.curator.shelf import Found, Shelf
from partita.curator.staging import Staging
from partita.curator.wanted import Wanted, Wants, checked_patience
from partita.effort import bounded_together
from partita.engine.base import Engine
from partita.errors import BudgetExceeded, PartitaError
from partita.errors import curator as refuse
from partita.errors import foundation as refuse_live
from partita.errors import vault as refuse_vault
from partita.exact import Number
from partita.ledger.charge import Charge
from partita.ledger.states import Answered
from partita.query.builder.frame import Frame
from partita.query.language.plan import Plan
from partita.query.noise.quote import Quote
from partita.query.sql.releases.stages import Staged
from partita.query.sql.releases.statement import Statement
from partita.query.tables.people import People
from partita.query.tables.public import PublicTable
from partita.query.tables.schema import Table
from partita.region.region import Region
from partita.sampling.bits import BitSource
from partita.theory.measures.base import Measure
from partita.vault.cipher import Cipher

if TYPE_CHECKING:
    from partita.curator.session import Session

_AGAIN = "Open it again where it is needed, with the same ledger."


@final
class Curator(Custody):
    """Answers adaptive questions about protected tables, and keeps every promise whatever is asked.

    Each answer is charged, before anything is read, to the people it is about (theory E16); questions about disjoint
    groups cost the maximum and not the sum, and a question answered before is free. With ``migrate``, a ledger that was
    charged under another declaration goes on under it if it is a refinement (theory I12). With ``vault_key``, sealed
    rows are encrypted at rest.

    >>> from partita import Promise, Table, ZCDP, integers, rows
    >>> visits = Table("visits", [{"age": i % 90} for i in range(900)], {"age": integers(0, 120, missing=0)})
    >>> promises = [Promise(rows(), ZCDP(rho="0.5"))]
    >>> curator = Curator(tables=[visits], promises=promises, ledger=":memory:")
    >>> answer = curator.ask("SELECT COUNT(*) AS n FROM visits WHERE age >= 65", rho="0.1")
    >>> print(answer.cost, "spent,", curator.remaining()[0], "left")
    ρ = 0.1 spent, ρ = 0.4 left
    >>> curator.close()
    """

    @called
    def __init__(
        self,
        *,
        tables: Sequence[Table],
        promises: Sequence[Promise],
        public: Sequence[PublicTable] = (),
        ledger: Place = UNSAID,
        backend: str | Engine = "duckdb",
        database: str | Mapping[str, object] | None = None,
        pace: Number | None = None,
        second_opinion: int = EFFORT,
        patience: int = 1,
        bits: BitSource | None = None,
        migrate: bool = False,
        vault_key: bytes | str | None = None,
    ) -> None:
        super().__init__()
        beat, waits, cipher = Pace(pace), checked_patience(patience), None if vault_key is None else Cipher(vault_key)
        self._tables = self._declared = checked_tables(tables)
        self._named = checked_public(public, self._tables)
        self._promises = checked_promises(promises, self._tables)
        tell(self._tables, self._promises, depth=3)
        if ledger is UNSAID:
            forgets(depth=3)
        people = people_of(self._promises, self._tables)
        kept, self._people = (None, None) if people is None else people
        self._terms = terms_of(self._promises, self._declared)
        given, gate = (self._terms, self._declared, people), Gate()
        found = opened(backend, ledger, *given, gate, migrate=migrate, database=database, cipher=cipher)
        self._ledger, self._engine, self._growth = found
        self._ledger.patience = max(waits, self._ledger.patience)
        self._catalogue = self._listed(self._growth.batch)
        truncations = self._catalogue.truncations
        if kept is None:
            # Before the first question, so that no question takes the time of it.
            self._engine.cut(truncations)
        self._growth.hold(self._engine, kept, truncations, own=not isinstance(backend, Engine))
        opinion = SecondOpinion(self._ledger, second_opinion)
        self._path = Path(self._ledger, self._engine, bits, beat, opinion, Rehearsal(self._ledger, self._engine), gate)
        unfixed(self._ledger, self._growth.rows.kept, depth=3)
        self._arrange(self._growth.batch)

    def _listed(self, batch: int | None) -> Catalogue:
        """What may be asked about the rows of all batches up to this one."""
        key, tables = self._ledger.truncation_key().hex(), self._declared
        tables = tables if batch is None else {name: table.sealed(batch) for name, table in tables.items()}
        people = None if self._people is None else People(self._people.persons, tables.values())
        found = tables if people is None else people.tables
        return Catalogue(found, self._named, self._promises, key, people, self._people)

    def _arrange(self, batch: int | None) -> None:
        """Answer questions about the rows of all batches up to this one."""
        if batch:
            self._catalogue = self._listed(batch)
        self._tables = dict(self._catalogue.tables)
        self._path.batch, self._path.rows = batch or None, self._growth.rows
        self._shelf = Shelf(self._ledger, self._catalogue.reread, self._catalogue.requoted)
        self._batches = Batches(self._ledger, self._path, self._promises, self._catalogue.charging, self._answered)
        self._presenting = Presenting(self._catalogue, self._ledger, self._batches, self._one, self._one_quoted)
        self._margins = Margins(self._ledger, self._batches)
        self._staging = Staging(self._ledger, self._one, self._one_quoted, self._presenting, self._charged)
        self._door = Door(self._ledger, self._path, self._promises, self._catalogue.promised)

    # --- questions -------------------------------------------------------------------------------------------

    @spelled_as(Wanted.of)
    def ask(
        self,
        question: str | Plan,
        *,
        key: str | None = None,
        batch: int | None = None,
        analyst: str = "",
        **wants: Unpack[Wants],
    ) -> Answer:
        """Answer a question at a price, or at the least price that reaches an accuracy, or refuse it before reading.

        ``within`` is the longest error bar allowed with this ``confidence`` (0.95 unless said), in the units of the
        column or as a percentage of every value of at least ``floor``; the error of a mean needs ``rows``, the size of
        group it shall hold for.

        ``rows_per_user``, ``groups_per_user`` and ``rows_per_group`` bound what one owner adds to this answer, where
        promises are on owners: which rows and groups, an order fixed at the ledger's birth decides.

        What follows from released answers, exactly enough, is answered from them, free; not with ``reuse=False``.

        ``key`` marks one attempt: asking again with the same key after a failure is not a second question. With
        ``shrink``, a question that not everybody can pay for is asked about those who can, and the answer says so.

        ``patience`` is how many times the usual work may be taken before a question is refused that may still fit.

        An answer is about all rows that are sealed when it is given. ``batch`` finds one that was given before, when
        this batch was the newest; it is free.
        """
        wanted = Wanted.of(**wants)
        if batch is not None:
            return self._earlier(question, wanted, batch, analyst)
        with self._path.gate.passed(), patient(wanted.patience):
            asked = self._catalogue.asked(question)
            if isinstance(asked, Statement):
                return self._presenting.ask(asked, wanted, key=key, analyst=analyst)
            if isinstance(asked, Staged):
                return self._staging.ask(asked, wanted, key=key, analyst=analyst)
            text = question if isinstance(question, str) else asked.sql()
            return self._one(asked, text, wanted, key=key, analyst=analyst)

    def _earlier(self, question: str | Plan, wanted: Wanted, batch: int, analyst: str) -> Answer:
        """What the book has of a question about an earlier state of the rows."""
        last = self._growth.batch
        if isinstance(batch, bool) or not isinstance(batch, int) or not 0 <= batch <= (last or 0):
            raise refuse_vault.unknown_batch(batch, last)
        then = self._listed(batch or None)
        text = question if isinstance(question, str) else question.sql()
        offered = then.offer(then.plan(text, "batch="), wanted)
        if self._ledger.stored(fingerprint(offered)) is None:
            raise refuse_vault.no_answer(self._growth.named(batch))
        return self._answered(offered, asked=_shown(question, offered), analyst=analyst)

    def _one(self, plan: Plan, text: str, wanted: Wanted, *, key: str | None, analyst: str) -> Answer:
        """The answer to one question."""
        offered = self._catalogue.offer(plan, wanted)
        if plan.empty:
            return self._known(offered, analyst)
        found = self._reused(offered, wanted) if key is None else None
        if found is not None:
            return replace(self._shelf.made(found, offered, analyst), words=text)
        if (levels := self._margins.batch(plan, wanted, key=key, analyst=analyst)) is not None:
            return self._margins.ask(levels)
        offered, whole = self._shrunk(offered, wanted, analyst)
        try:
            return self._answered(offered, asked=text, analyst=analyst, key=key, whole=whole)
        except BudgetExceeded as refusal:
            raise wanted.refused(refusal, offered, self._left(offered, analyst)[0]) from None

    @spelled_as(Wanted.of)
    def ask_many(self, questions: Sequence[str | Plan], *, analyst: str = "", **wants: Unpack[Wants]) -> list[Answer]:
        """Answer many questions, each as ``ask`` would at this price, with a few flushes of the ledger for all of them.

        All are read and priced before the first is charged. If one cannot be paid for, those before it are answered and
        in the book, where asking again is free, and the refusal is raised. What follows from earlier answers is told
        free; questions of one call are not answered from each other.
        """
        wanted = Wanted.of(**wants)
        asked = listed("questions", questions, "a list of questions: [question]")
        with self._path.gate.passed(), patient(wanted.patience):
            with bounded_together(len(asked)):
                plans = [self._catalogue.asked(one) for one in asked]
                single = [one for one in plans if isinstance(one, Plan) and not one.empty]
                offered = [self._catalogue.offer(one, wanted) for one in single]
            # Some depend on what was asked before, or are several questions, or several levels of one.
            levels = any(len(one.lines.sets) > 1 for one in single)
            if wanted.shrink or len(single) < len(plans) or levels:
                return [self.ask(one, analyst=analyst, **wants) for one in asked]
            return self._many(asked, offered, wanted, analyst)

    def _many(self, asked: list[str | Plan], offered: list[Quote], wanted: Wanted, analyst: str) -> list[Answer]:
        """The answers to questions that share flushes."""
        shelved = [self._reused(one, wanted) for one in offered]
        charged = [
            (one, _shown(text, one)) for text, one, free in zip(asked, offered, shelved, strict=True) if not free
        ]
        made = iter(
            paid(
                self._path,
                charged,
                partial(self._told, analyst=analyst),
                lambda refusal, one: wanted.refused(refusal, one, self._left(one, analyst)[0]),
                analyst=analyst,
            )
        )
        return [
            next(made) if free is None else self._shelf.made(free, one, analyst)
            for one, free in zip(offered, shelved, strict=True)
        ]

    def suggest_caps(
        self,
        question: str | Plan,
        *,
        epsilon: Number | None = None,
        rho: Number | None = None,
        mu: Number | None = None,
        keep: Number = "0.95",
        analyst: str = "",
    ) -> SuggestedCaps:
        """The least caps that keep a share of a question's rows, from noisy counts that divide the price."""
        plan, ask = self._catalogue.plan(question, "suggest_caps"), partial(self.ask, analyst=analyst, reuse=False)
        prices = {"epsilon": epsilon, "rho": rho, "mu": mu}
        return suggested(plan, self._catalogue.kept(plan.table), prices, keep, ask)

    def reused(self, question: str | Plan, *, analyst: str = "") -> Answer | None:
        """The most exact answer that follows from what was released already, free; None if nothing tells.

        Answers about the same thing are combined by inverse variance, and finer groups are added up. Nothing is read.
        """
        return self._shelf.best(self._catalogue.plan(question, "reused"), analyst)

    def _reused(self, offered: Quote, wanted: Wanted) -> Found | None:
        if not wanted.reuse or not self._shelf.may_tell(offered.plan):
            return None
        if self._ledger.stored(fingerprint(offered)) is not None:
            return None
        return self._shelf.find(offered, lambda result: wanted.reached(result, offered))

    def recalled(self, question: str, price: Price, noise: str | None, *, analyst: str = "") -> Answer | None:
        """The stored answer to a question at a price, as it was given; None if there is none. Nothing is ever charged.

        ``noise`` names the kind that it was made with.
        """
        asked = self._catalogue.asked(question)
        if not isinstance(asked, Plan):
            return None
        offered = self._catalogue.requoted(asked, price, noise)
        if (stored := self._ledger.stored(fingerprint(offered))) is None:
            return None
        return self._told(offered, stored, numbers(stored.content, offered.width, offered.texts), analyst=analyst)

    def _known(self, offered: Quote, analyst: str) -> Answer:
        """The answer to a question that shows no line: it is public, so nothing is charged, read or booked."""
        zeros = tuple(cost.zero() for cost in offered.costs)
        return Answer(
            quote=offered,
            result=offered.result(np.zeros((offered.program.cells.count, offered.width), dtype=object)),
            cost=zeros[0],
            costs=zeros,
            reckon=self._ledger.reckoning(placed(offered).table, placed(offered).region, analyst),
            free=True,
        )

    def _answered(
        self, offered: Quote, *, asked: str, analyst: str, key: str | None = None, whole: Region | None = None
    ) -> Answer:
        booked, noisy = answered(self._path, offered, asked=asked, analyst=analyst, key=key)
        return self._told(offered, booked, noisy, analyst=analyst, whole=whole, words=asked)

    def _told(
        self,
        offered: Quote,
        booked: Answered,
        noisy: NDArray[np.object_],
        *,
        analyst: str,
        whole: Region | None = None,
        words: str = "",
    ) -> Answer:
        found = placed(offered)
        costs = tuple(cost if booked.fresh else cost.zero() for cost in booked_costs(offered, found))
        return Answer(
            quote=offered,
            result=offered.result(noisy),
            cost=costs[0],
            costs=costs,
            reckon=self._ledger.reckoning(found.table, found.region, analyst),
            free=not booked.fresh,
            issue=self._ledger.issuer(booked),
            asked_about=whole,
            words=words,
        )

    @spelled_as(Wanted.of)
    def quote(
        self, question: str | Plan, *, key: str | None = None, analyst: str = "", **wants: Unpack[Wants]
    ) -> CuratorQuote:
        """What a question would cost (asked with this key) and how exact its answer would be; nothing is read."""
        wanted = Wanted.of(**wants)
        with patient(wanted.patience):
            asked = self._catalogue.asked(question)
            if isinstance(asked, Statement):
                return self._presenting.quote(asked, wanted, key=key, analyst=analyst)
            if isinstance(asked, Staged):
                return self._staging.quote(asked, wanted, key=key, analyst=analyst)
            words = question if isinstance(question, str) else ""
            return replace(self._one_quoted(asked, wanted, key=key, analyst=analyst), words=words)

    def _one_quoted(self, plan: Plan, wanted: Wanted, *, key: str | None, analyst: str) -> CuratorQuote:
        """The quotation of one question."""
        if (levels := self._margins.batch(plan, wanted, key=key, analyst=analyst)) is not None:
            return self._margins.quote(levels, analyst)
        offered, whole = self._shrunk(self._catalogue.offer(plan, wanted), wanted, analyst)
        costs = booked_costs(offered)
        return CuratorQuote(
            quote=offered,
            cost=costs[0],
            costs=costs,
            remaining=self._left(offered, analyst),
            fits=fits(self._ledger, offered, analyst),
            free=plan.empty
            or self._ledger.stored(fingerprint(offered)) is not None
            or (key is None and self._reused(offered, wanted) is not None),
            asked_about=whole,
        )

    @spelled_as(Price.of)
    def batch(
        self,
        questions: Sequence[str | Plan | CuratorQuote],
        *,
        weights: Sequence[Number] | None = None,
        analyst: str = "",
        **price: Unpack[Prices],
    ) -> Batch:
        """Price questions together: with a price, so that it makes all of them as exact as possible; nothing is spent.

        Quotations are taken as they are, and need no price. Questions that nobody is in together do not share it.
        """
        given = any(value is not None for name, value in price.items() if name != "delta")
        asked = listed("questions", questions, "a list of questions: [question]")
        with bounded_together(len(asked)):
            return self._batches.made(
                [self._catalogue.batched(one) for one in asked],
                Price.of(**price) if given else None,
                delta=price.get("delta"),
                weights=weights,
                analyst=analyst,
            )

    @spelled_as(Price.of)
    def plan(
        self,
        questions: Sequence[str | Plan | CuratorQuote],
        *,
        weights: Sequence[Number] | None = None,
        analyst: str = "",
        **price: Unpack[Prices],
    ) -> Planned:
        """Fix questions beforehand and charge them at once, by exact composition; ask them later, in any order."""
        return self.batch(questions, weights=weights, analyst=analyst, **price).reserve()

    @called
    def table(self, name: str) -> Frame:
        """A table to build a question from: ``curator.table("visits").where("age > 64").agg(n=pt.count())``."""
        return self._catalogue.frame(name)

    def relation(self, rows: str) -> Table:
        """The rows of a table, or of a join as SQL writes it after FROM, with the columns that algorithms can read."""
        return self._catalogue.relation(rows)[0]

    @called
    def session(self, *, analyst: str, budget: Measure | Sequence[Measure | None] | None = None) -> Session:
        """A child account: the analyst's own limit and the joint budget both hold."""
        from partita.curator.session import Session

        if budget is not None:
            self._ledger.open_account(analyst, checked_limits(budget, self._promises))
        return Session(self, analyst)

    # --- the object itself ------------------------------------------------------------------------------------

    def close(self) -> None:
        """Let go of files and connections; what is booked stays booked."""
        self._growth.close()
        self._engine.close()
        self._ledger.close()

    def __repr__(self) -> str:
        return f"<Curator of {', '.join(self._tables)}; print it to see what may be asked>"

    def __str__(self) -> str:
        return overview(self)

    def _repr_html_(self) -> str:
        """How a notebook shows it."""
        return f"<pre>{escape(overview(self))}</pre>"

    def _copied(self) -> PartitaError:
        return refuse.not_sent("A curator", _AGAIN)

    def _forked(self) -> PartitaError:
        return refuse_live.forked("A curator", "Fork first, and open one in each process, with the same ledger.")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # --- inside ----------------------------------------------------------------------------------------------

    def _shrunk(self, offered: Quote, wanted: Wanted, analyst: str) -> tuple[Quote, Region | None]:
        """The offer for those who can pay if they will do, and who was asked about if that is not everybody."""
        if not wanted.shrink or self._ledger.stored(fingerprint(offered)) is not None:
            return offered, None
        part = shrunk(offered, lambda plan: self._catalogue.quoted(plan, wanted), self._ledger, analyst)
        return part, None if part is offered else offered.region

    def _charged(self, plan: Plan, wanted: Wanted, analyst: str) -> tuple[Quote, Charge]:
        """What a question would be offered as, and charged."""
        offered = self._catalogue.offer(plan, wanted)
        return offered, charge_of(offered, asked="", analyst=analyst)

    def _left(self, offered: Quote, analyst: str) -> tuple[Measure, ...]:
        return self._ledger.remaining((found := placed(offered)).table, found.region, analyst)


def _shown(question: str | Plan, offered: Quote) -> str:
    return question if isinstance(question, str) else offered.plan.sql()
