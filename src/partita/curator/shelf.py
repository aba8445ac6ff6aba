"""The shelf: released answers found again in the ledger, to answer what follows from them without reading anything."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Any, final

from partita.composition.calibration.pricing import Price
from partita.curator.answers.answer import Answer
from partita.curator.batches.planned import planned_numbers
from partita.curator.path.path import numbers
from partita.curator.path.placed import placed
from partita.errors import PartitaError
from partita.ledger.book.entries import Entry, Kind
from partita.ledger.ledger import Ledger
from partita.ledger.states import Answered
from partita.limits import current
from partita.query.answer.results import Result
from partita.query.language.plan import Plan
from partita.query.noise.quote import Quote
from partita.query.reuse.reuse import Derived, Released, combined, derived

Read = Callable[[str], Plan]
Requote = Callable[[Plan, Price, str | None], Quote]


@final
@dataclass(frozen=True)
class _Item:
    """One release as the ledger describes it, with the lines of its normal form sorted by what they say."""

    text: str
    document: Mapping[str, Any]
    asked: str
    reserve: int
    commit: int
    fixed: frozenset[str]
    where: str
    keys: frozenset[str]
    aggregates: frozenset[str]


@final
@dataclass(frozen=True)
class Found:
    """A result made from released numbers, and the answers that it was made from."""

    result: Result
    sources: tuple[Answered, ...] = field(repr=False)


@final
class Shelf:
    """Released answers of one ledger, by whoever asked: an answer in the book is free to all."""

    def __init__(self, ledger: Ledger, read: Read, requote: Requote) -> None:
        self._ledger, self._read, self._requote = ledger, read, requote
        self._seen = max(0, ledger.mark().seq - current().shelved)
        self._open: dict[int, Entry] = {}
        self._same: dict[tuple[frozenset[str], str], list[_Item]] = {}
        self._grouped: dict[frozenset[str], list[_Item]] = {}
        self._rebuilt: dict[tuple[int, str], Released | None] = {}

    def best(self, plan: Plan, analyst: str) -> Answer | None:
        """The most exact answer to a question that follows from released ones, however exact it is."""
        offered = self._example(plan)
        found = None if offered is None else self.find(offered, lambda _: True)
        return None if found is None or offered is None else self.made(found, offered, analyst)

    def made(self, found: Found, offered: Quote, analyst: str) -> Answer:
        """The answer to an offered question, made from what was found; nothing is charged."""
        receipts = tuple(map(self._ledger.receipt, found.sources))
        zeros, at = tuple(cost.zero() for cost in offered.costs), placed(offered)
        return Answer(
            quote=offered,
            result=found.result,
            cost=zeros[0],
            costs=zeros,
            reckon=self._ledger.reckoning(at.table, at.region, analyst),
            free=True,
            sources=receipts,
        )

    def _example(self, plan: Plan) -> Quote | None:
        """A quote of the question at the price of some release that could tell; it is not meant to be paid."""
        self._follow()
        for item in self._candidates(plan):
            try:
                return self._requote(plan, Price.of(**item.document["price"]), item.document["noise"] or None)
            except PartitaError:
                continue
        return None

    def may_tell(self, plan: Plan) -> bool:
        """Whether some release could tell something of a question, by its text alone."""
        self._follow()
        return next(self._candidates(plan), None) is not None

    def find(self, wanted: Quote, enough: Callable[[Result], bool]) -> Found | None:
        """The most exact result that follows from released answers, if it is exact enough."""
        self._follow()
        parts: list[tuple[Derived, Answered]] = []
        for item in self._candidates(wanted.plan):
            released = self._released(item)
            part = None if released is None else derived(released, wanted)
            if part is not None:
                parts.append((part, self._answered(item)))
        if not parts:
            return None
        result = combined([part for part, _ in parts], wanted)
        if not enough(result):
            return None
        sources = {answered.seq: answered for _, answered in parts}
        return Found(result, tuple(sources.values()))

    def _follow(self) -> None:
        """Take in what was committed since."""
        for entry in self._ledger.entries(after=self._seen):
            self._seen = entry.seq
            if entry.kind is Kind.RESERVE and self._ledger.alike(entry):
                self._open[entry.seq] = entry
            elif entry.kind is Kind.ABANDON and entry.of is not None:
                self._open.pop(entry.of, None)
            elif entry.kind is Kind.COMMIT and entry.of is not None:
                reserve = self._open.pop(entry.of, None)
                if reserve is not None:
                    for item in _items(reserve, entry.seq):
                        self._same.setdefault((item.fixed, item.where), []).append(item)
                        if item.keys:
                            self._grouped.setdefault(item.fixed, []).append(item)

    def _candidates(self, plan: Plan) -> Iterator[_Item]:
        """Releases that could tell, judged by their text alone; the newest first."""
        fixed, where, _, aggregates = _sorted(plan.canonical)
        same = self._same.get((fixed, where), [])
        grouped = (item for item in reversed(self._grouped.get(fixed, [])) if item.where != where)
        told = (item for item in chain(reversed(same), grouped) if _tells(item, aggregates))
        yield from islice(told, current().tried)

    def _released(self, item: _Item) -> Released | None:
        """The release made again from its question and price; None where this version would make another."""
        place = (item.commit, item.text)
        if place not in self._rebuilt:
            self._rebuilt[place] = self._remade(item)
        return self._rebuilt[place]

    def _remade(self, item: _Item) -> Released | None:
        try:
            plan = self._read(item.asked)
            quote = self._requote(plan, Price.of(**item.document["price"]), item.document["noise"] or None)
        except (PartitaError, KeyError, TypeError):
            return None
        if plan.canonical != item.text or not _same_noise(quote, item.document):
            return None
        content = self._answered(item).content
        if isinstance(json.loads(content), dict):
            return Released(quote, planned_numbers(content, quote))
        return Released(quote, numbers(content, quote.width, quote.texts))

    def _answered(self, item: _Item) -> Answered:
        return self._ledger.answered(item.commit)


def _tells(item: _Item, aggregates: frozenset[str]) -> bool:
    """Whether the release could tell the aggregates: it has them, or a count and a mean from which they may follow."""
    return aggregates <= item.aggregates or any(line.startswith("aggregate AVG(") for line in item.aggregates)


def _items(reserve: Entry, commit: int) -> Iterator[_Item]:
    details = reserve.details()
    mechanism = details.get("mechanism")
    if not isinstance(mechanism, dict):
        return
    listed = mechanism.get("plan", [mechanism])
    for one in listed if isinstance(listed, list) else []:
        text = one.get("question") if isinstance(one, dict) else None
        if isinstance(text, str) and "price" in one and "noise" in one:
            yield _Item(text, one, str(one.get("sql", details.get("asked"))), reserve.seq, commit, *_sorted(text))


def _sorted(canonical: str) -> tuple[frozenset[str], str, frozenset[str], frozenset[str]]:
    """The lines of a normal form: what must agree, the condition, the keys and the aggregates."""
    lines = canonical.split("\n")
    chosen: dict[str, list[str]] = {"where ": [], "by ": [], "aggregate ": []}
    fixed: list[str] = []
    for line in lines:
        start = next((start for start in chosen if line.startswith(start)), None)
        (fixed if start is None else chosen[start]).append(line)
    return frozenset(fixed), "\n".join(chosen["where "]), frozenset(chosen["by "]), frozenset(chosen["aggregate "])


def _same_noise(quote: Quote, document: Mapping[str, Any]) -> bool:
    made = [{"kind": noise.kind, **noise.parameters()} for noise in quote.mechanisms]
    return bool(made == document.get("parts"))
