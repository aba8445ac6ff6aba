"""An answer: noisy numbers as a table in the caller's library, with error bars, cost, what is left, and a receipt."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any, Final, final

from partita.calls import called
from partita.curator.answers.presented import Presented
from partita.curator.path.shrink import said
from partita.errors import curator as refuse
from partita.errors.query import presenting as refuse_shown
from partita.errors.query import prices as refuse_accuracy
from partita.exact import Number, probability, whole
from partita.explain.facts import facts_of
from partita.explain.grid import bars, faint, grid, label
from partita.explain.numbers import at_most, percent
from partita.explain.sentences import moved
from partita.ledger.receipts.receipts import Receipt
from partita.ledger.receipts.together import compose
from partita.query.answer.bias import capped, clamped, empty, truncated
from partita.query.answer.results import Result
from partita.query.language.text import readable
from partita.query.noise.quote import Quote
from partita.query.reuse.consistency import Consistent, consistent
from partita.region.region import Region
from partita.theory.measures.base import Measure
from partita.theory.measures.pure import Pure

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow
    from matplotlib.figure import Figure

_SHOWN: Final = 8


@final
@dataclass(frozen=True)
class Answer:
    """Noisy results that are in the ledger and may be looked at for ever.

    Negative noisy counts are kept as they are: cutting them off would bias every sum over groups.

    >>> from partita import Curator, Promise, Table, ZCDP, integers, rows
    >>> visits = Table("visits", [{"age": i % 90} for i in range(900)], {"age": integers(0, 120, missing=0)})
    >>> with Curator(tables=[visits], promises=[Promise(rows(), ZCDP(rho="0.5"))], ledger=":memory:") as curator:
    ...     answer = curator.ask("SELECT COUNT(*) AS n FROM visits", rho="0.1")
    ...     again = curator.ask("SELECT COUNT(*) AS n FROM visits", rho="0.1")
    >>> list(answer.rows()[0]), answer.error(confidence=0.95)
    (['n'], {'n': [4.88...]})
    >>> answer.free, again.free, again.rows() == answer.rows()
    (False, True, True)
    """

    quote: Quote = field(repr=False)
    result: Result = field(repr=False)
    cost: Measure
    costs: tuple[Measure, ...] = field(repr=False)
    reckon: Callable[[], tuple[Measure, ...]] = field(repr=False, compare=False)
    """Works out what is left; an answer does not wait for it."""
    free: bool
    issue: Callable[[], Receipt] | None = field(default=None, repr=False, compare=False)
    """Makes the receipt of the release that the answer is, if it is one of its own."""
    asked_about: Region | None = field(default=None, repr=False)
    """Who was asked about, if only a part of them could still pay and the answer is about that part."""
    sources: tuple[Receipt, ...] = field(default=(), repr=False)
    """The earlier releases that the answer was made from, if it is no release of its own."""
    presented: Presented | None = field(default=None, repr=False)
    """What a statement around the release shows of it, and of others beside it."""
    beside: tuple[Quote, ...] = field(default=(), repr=False)
    """What else was released for such a statement."""

    first: tuple[Answer, ...] = field(default=(), repr=False)
    """The answers to questions inside its conditions, which were released before it and written in."""
    words: str = field(default="", repr=False, compare=False)
    """The question as it was asked; "" if only its normal form is known."""

    @property
    def shown(self) -> Result | Presented:
        """The lines and columns that were asked for: of the release itself, or of what a statement makes of it."""
        return self.result if self.presented is None else self.presented

    @property
    def region(self) -> Region:
        """Who the answer is about."""
        return self.quote.region

    @property
    def batch(self) -> int:
        """The newest batch of rows that the answer covers, with all before it; 0 is what was declared."""
        return self.quote.plan.table.batch or 0

    @cached_property
    def remaining(self) -> tuple[Measure, ...]:
        """What those whom the answer is about can still be charged, for each promise, when it is first looked at."""
        return self.reckon()

    @cached_property
    def receipts(self) -> tuple[Receipt, ...]:
        """The signed, portable certificates of all releases that the answer is made from: its own, or its sources'."""
        if self.sources:
            return self.sources
        return () if self.issue is None else (self.issue(),)

    @property
    def receipt(self) -> Receipt:
        """The signed, portable certificate of this release; refused where there are several, since one says too little.

        See :attr:`receipts`, which has them all.
        """
        if not self.receipts:
            raise refuse.no_receipt()
        if len(self.receipts) > 1:
            raise refuse.several_receipts([receipt.seq for receipt in self.receipts])
        return self.receipts[0]

    def rows(self) -> list[dict[str, Any]]:
        """One dictionary for each group, in a public order."""
        return self.shown.rows()

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """The groups, one dictionary each."""
        return iter(self.rows())

    def __len__(self) -> int:
        return len(self.rows())

    def __bool__(self) -> bool:
        return True

    def __getitem__(self, column: str) -> list[Any]:
        """The values of one column, in the order of the groups."""
        if column not in self.shown.columns:
            raise refuse.no_such_column(column, tuple(self.shown.columns))
        return list(self.shown.columns[column])

    @called
    def to_arrow(self, *, error: bool = False, confidence: Number = 0.95) -> pyarrow.Table:
        """The answer as an Arrow table; with ``error``, every noisy column ``n`` has its error bars in ``n_error``."""
        return _library("pyarrow").table(self.table(confidence if error else None))

    @called
    def to_pandas(self, *, error: bool = False, confidence: Number = 0.95) -> pandas.DataFrame:
        """The answer as a pandas frame; with ``error``, every noisy column ``n`` has its error bars in ``n_error``."""
        return _library("pandas").DataFrame(self.table(confidence if error else None))

    @called
    def to_polars(self, *, error: bool = False, confidence: Number = 0.95) -> polars.DataFrame:
        """The answer as a polars frame; with ``error``, every noisy column ``n`` has its error bars in ``n_error``."""
        frame: polars.DataFrame = _library("polars").DataFrame(self.table(confidence if error else None))
        return frame

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """For every library that reads Arrow streams: ``polars.DataFrame(answer)``, ``pyarrow.table(answer)``."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    @called
    def plot(self, column: str | None = None, *, confidence: Number = 0.95) -> Figure:
        """A bar for every group with its error bar: of one column, or of the first that has noise."""
        from partita.explain.bars import plot

        return plot(self, column, confidence)

    def table(self, confidence: Number | None = None) -> dict[str, list[Any]]:
        """The columns, each with its error bars of this confidence to the right of it, if one is given."""
        columns, bars = self.shown.columns, {} if confidence is None else self.error(confidence)
        found: dict[str, list[Any]] = {}
        for name, values in columns.items():
            found[name] = list(values)
            if name in bars:
                beside = f"{name}_error"
                while beside in columns or beside in found:
                    beside += "_"
                found[beside] = bars[name]
        return found

    @called
    def error(self, confidence: Number = 0.95, *, simultaneous: bool = False) -> dict[str, list[float]]:
        """For each value the half-width of its error bar; for all groups at once if ``simultaneous``.

        An interval that is not symmetric (a mean's) is given by its longer half; see :meth:`intervals`. Where a value
        is NULL, or could be anything, the half-width is infinite.
        """
        return self.half_widths(self.intervals(confidence, simultaneous=simultaneous))

    def half_widths(self, intervals: Mapping[str, Sequence[tuple[float, float]]]) -> dict[str, list[float]]:
        """For each value the longer half of its interval."""
        return {
            name: [
                math.inf if value is None else max(value - low, high - value)
                for value, (low, high) in zip(self.shown.columns[name], ends, strict=True)
            ]
            for name, ends in intervals.items()
        }

    @called
    def intervals(
        self, confidence: Number = 0.95, *, simultaneous: bool = False
    ) -> dict[str, list[tuple[float, float]]]:
        """For each value the interval that holds the exact one with this confidence."""
        sure = float(probability(confidence, "confidence"))
        return self.shown.intervals(sure, simultaneous=simultaneous)

    def rank_error(self, confidence: Number = 0.95, *, simultaneous: bool = False) -> dict[str, float]:
        """For each quantile, how many rows lie at most between the answer and the exact one, with this confidence.

        How far apart the two are in value depends on how densely the rows lie there; see :meth:`value_intervals`.
        """
        sure = float(probability(confidence, "confidence"))
        return self.shown.rank_errors(sure, self.shown.entries if simultaneous else 1)

    def value_intervals(
        self, rows: int, confidence: Number = 0.95, *, simultaneous: bool = False
    ) -> dict[str, list[tuple[Any, Any]]]:
        """For each quantile the values that the exact one lies between, in groups of at least so many ``rows``.

        The ends are other quantiles of the same question, further away than the rank error; so ask for some on either
        side. Where there are none, the ends are those of the column. How many rows a group has is for you to say.
        """
        sure, least = float(probability(confidence, "confidence")), whole(rows, "rows", least=1)
        return self.shown.value_intervals(least, sure, self.shown.entries if simultaneous else 1)

    def consistent_with(self, *others: Answer) -> tuple[Consistent, ...]:
        """This answer and others with counts and sums that agree, as a table agrees with its margins; it is free.

        Noisy numbers alone are adjusted, by least squares; error bars get shorter and still hold.
        """
        answers = (self, *others)
        if any(answer.presented is not None for answer in answers):
            raise refuse_shown.not_one_question("consistent_with")
        releases = {answer.quote.fingerprint for answer in answers}
        if any(answer.sources for answer in answers) or len(releases) < len(answers):
            raise refuse_accuracy.same_noise()
        return tuple(consistent([answer.result for answer in answers]))

    def explain(self, prior: Number = 0.5, fpr: Number = 0.01, confidence: Number = 0.95) -> str:
        """What was asked, how exact the answer is, what it cost, and what an attacker could learn from it alone."""
        quotes = (self.quote, *self.beside)
        granularities = [promise.granularity for promise in self.quote.promises]
        lines = [
            *self._asked(quotes),
            *([f"Rows: all batches up to batch {self.batch}."] if self.batch else []),
            *filter(None, [said(self.asked_about, self.region)]),
            *(
                [self._made_of()]
                if self.free and self.sources and not self.first
                else (f"Noise: {one.explain()}" for one in quotes)
            ),
            *dict.fromkeys(line for one in quotes for line in truncated(one.plan, granularities)),
            *dict.fromkeys(line for one in quotes for line in clamped(one.plan)),
            *self._absent(),
            f"Error: {_bars(self, confidence)}",
            f"Charged: nothing, {self._why_free()}." if self.free else f"Charged: {self._charged()}",
            f"Left: {'; '.join(map(str, self.remaining))} for the people this question is about.",
            *self._risk(prior, fpr),
        ]
        return "\n".join(lines)

    def _asked(self, quotes: Sequence[Quote]) -> list[str]:
        """What was asked; of a statement also what was released for it."""
        before = [
            f"First released: {' '.join(one.quote.plan.sql().split())}, which gave "
            f"{_few(next(iter(one.result.columns.values())))}; that was written in, and error bars are those of the "
            f"question as it then reads. The price was divided evenly."
            for one in self.first
        ]
        if self.presented is None:
            return [*before, f"Asked: {self.words.strip() or self.quote.plan.sql()}"]
        released = [f"Released: {' '.join(one.plan.sql().split())}" for one in quotes]
        divided = ["One price was divided among them for the least error."] if len(quotes) > 1 else []
        shown = "The rest of the statement was computed from what is released, which costs nothing."
        return [*before, f"Asked: {self.presented.statement.text.strip()}", *released, *divided, shown]

    def _why_free(self) -> str:
        if self.sources:
            return "nothing was read"
        return "the answer was in the ledger" if self.issue is not None else "it is known without reading"

    def _made_of(self) -> str:
        places = ", ".join(str(receipt.seq) for receipt in self.sources)
        count = len(self.sources)
        return (
            f"Made from {count} earlier answer{'s' if count > 1 else ''}: entr{'ies' if count > 1 else 'y'} {places}."
        )

    def _charged(self) -> str:
        shares = [
            f"{cost} ({promise.granularity})" for cost, promise in zip(self.costs, self.quote.promises, strict=True)
        ]
        if self.first or self.beside:
            return f"{'; '.join(shares)} at most, each release to the people it is about."
        return f"{'; '.join(shares)}, to {_who(self.quote.region)}."

    def _risk(self, prior: Number, fpr: Number) -> list[str]:
        unit = self.quote.promises[0].granularity
        lost = self._lost()
        facts = facts_of(lost, fpr=fpr, priors=(prior,), relation=unit.relation)
        # Losses of releases that were chosen as answers came in add up as ε alone (theory D10).
        adaptive = len(self.sources) > 1 and not isinstance(lost, Pure)
        test = (
            f"From this answer alone{', if its releases were planned beforehand' if adaptive else ''}, a test that "
            f"wrongly accuses {percent(facts.fpr)} of those not in the data finds {at_most(facts.tpr)} of those who "
            f"are (one unit is {unit})."
        )
        found = [test]
        if facts.presence is not None:
            found.append(f"Whether {unit.named} is in the data: {moved(facts.presence)}.")
        if facts.content is not None:
            found.append(f"What the data say of {unit.named}: {moved(facts.content)}.")
        return found

    def _lost(self) -> Measure:
        """What all releases that the answer is made from cost one unit together, under the first promise."""
        if not self.sources:
            return self.quote.cost if self.issue is not None else self.cost
        return compose(self.sources, unit=self.quote.promises[0].granularity).loss

    def __reduce__(self) -> str:
        raise refuse.not_sent("An answer", "Keep answer.rows() or answer.to_pandas(), and answer.receipts.")

    def __str__(self) -> str:
        return "\n".join([grid(self).text(), *self.notes()])

    def __repr__(self) -> str:
        return f"{self}\n{self._price()}"

    def _repr_html_(self) -> str:
        """How a notebook shows it: the table, its price, and what is left."""
        notes = [*self.notes(), self._price()]
        return grid(self).html() + "".join(f"<p>{escape(note)}</p>" for note in notes)

    def notes(self) -> list[str]:
        """What has to stand beside the numbers: on whom they are, and which rows were left out."""
        granularities = [promise.granularity for promise in self.quote.promises]
        cut = dict.fromkeys(line for one in (self.quote, *self.beside) for line in capped(one.plan, granularities))
        return [*filter(None, [said(self.asked_about, self.region)]), *cut, *self._absent(), *faint(self)]

    def _absent(self) -> list[str]:
        """What groups without rows do not show, or show all the same."""
        results = [self.result] if self.presented is None else self.presented.results.values()
        return [*dict.fromkeys(line for result in results for line in empty(result))]

    def _price(self) -> str:
        price = "free" if self.free else str(self.cost)
        return f"Price: {price}. Left: {'; '.join(map(str, self.remaining))}. {bars(self, 0.95)}"


def _few(values: Sequence[Any]) -> str:
    """Some values, as far as anybody reads them."""
    rest = f" and {len(values) - _SHOWN} more" if len(values) > _SHOWN else ""
    return (", ".join(map(label, values[:_SHOWN])) or "nothing") + rest


def _who(region: Region) -> str:
    everybody = region == Region.everything(region.domain)
    return "everybody in the table" if everybody else f"the people in: {readable(region)}"


def _bars(answer: Answer, confidence: Number) -> str:
    sure = percent(float(probability(confidence, "confidence")))
    widest = {name: max(halves, default=0.0) for name, halves in answer.error(confidence).items()}
    bars = [f"{name} ± {half:.6g}" for name, half in widest.items()]
    bars += [f"{name} within {math.ceil(rows):,} rows" for name, rows in answer.rank_error(confidence).items()]
    rough = answer.presented.approximate if answer.presented is not None else []
    about = f" Bars of {', '.join(rough)} are approximate: simulated from the known noise." if rough else ""
    return ", ".join(bars) + f" with {sure} confidence.{about}"


def _library(name: str) -> Any:
    import importlib

    try:
        return importlib.import_module(name)
    except ImportError:
        raise refuse.library_missing(name) from None
