"""Answers from a server: they print, plot and convert as those of a curator do, and check their receipts here."""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any, Final, final

from partita.errors import client as refuse
from partita.errors import curator as refuse_answer
from partita.exact import Number, exact
from partita.exact import written as exactly_written
from partita.explain.grid import grid
from partita.ledger.receipts.receipts import Receipt
from partita.theory.documents import from_document
from partita.theory.measures.base import Measure

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow
    from matplotlib.figure import Figure

_READ: Final[Mapping[str, Callable[[Any], Any]]] = {
    "date": date.fromisoformat,
    "timestamp": datetime.fromisoformat,
    "decimal": Decimal,
}


@final
@dataclass(frozen=True, slots=True)
class RemoteLines:
    """The lines and columns of an answer."""

    columns: dict[str, list[Any]]
    totals: Mapping[str, Sequence[bool]]

    def margins(self, name: str) -> Sequence[bool] | None:
        """For a key with totals, which of its values stand for all of them."""
        return self.totals.get(name)


@final
@dataclass(frozen=True)
class RemoteAnswer:
    """Noisy results that are in the ledger of a server; ``practice`` says that their rows are made up."""

    document: Mapping[str, Any] = field(repr=False)
    more: Callable[[int], Mapping[str, Any]] = field(repr=False, compare=False)
    """Fetches an answer by its number, with its explanation; it never spends."""

    @cached_property
    def shown(self) -> RemoteLines:
        """The lines and columns that were asked for."""
        lines = self.document["rows"]
        columns = {}
        for column in self.document["columns"]:
            name, read = column["name"], _READ.get(column["type"])
            values = [line[name] for line in lines]
            columns[name] = values if read is None else [None if one is None else read(one) for one in values]
        return RemoteLines(columns, self.document["margins"])

    @property
    def practice(self) -> bool:
        """Whether the answer is about made-up rows."""
        return bool(self.document["practice"])

    @property
    def free(self) -> bool:
        """Whether nothing was charged for it."""
        return bool(self.document["free"])

    @property
    def batch(self) -> int:
        """The newest batch of rows that the answer covers."""
        return int(self.document["batch"])

    @property
    def about(self) -> str:
        """Who the answer is about, as a condition."""
        return str(self.document["about"])

    @property
    def cost(self) -> Measure:
        """What was charged, under the first promise."""
        return self.costs[0]

    @cached_property
    def costs(self) -> tuple[Measure, ...]:
        """What was charged, for each promise."""
        return read_losses(self.document["costs"])

    @cached_property
    def remaining(self) -> tuple[Measure, ...]:
        """What those whom the answer is about could still be charged when it was given, for each promise."""
        return read_losses(self.document["remaining"])

    @cached_property
    def receipts(self) -> tuple[Receipt, ...]:
        """The signed certificates of all releases that the answer is made from; each is checked as it is read."""
        return tuple(Receipt.from_document(one) for one in self.document["receipts"])

    @property
    def receipt(self) -> Receipt:
        """The signed certificate of this release; refused where there are several."""
        if not self.receipts:
            raise refuse_answer.no_receipt()
        if len(self.receipts) > 1:
            raise refuse_answer.several_receipts([receipt.seq for receipt in self.receipts])
        return self.receipts[0]

    def check(self, public_key: str | None = None) -> None:
        """Refuse receipts that were altered, or that another key signed than the one expected."""
        for receipt in self.receipts:
            receipt.check(public_key)

    # --- values ------------------------------------------------------------------------------------------------------

    def rows(self) -> list[dict[str, Any]]:
        """One dictionary for each group, in a public order."""
        columns = self.shown.columns
        return [dict(zip(columns, line, strict=True)) for line in zip(*columns.values(), strict=True)]

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """The groups, one dictionary each."""
        return iter(self.rows())

    def error(self, confidence: Number = 0.95) -> dict[str, list[float]]:
        """For each value the half-width of its error bar, of a confidence that was asked for with ``bars=``."""
        found: dict[str, list[float | None]] = self._bars(confidence)["half_widths"]
        return {name: [math.inf if one is None else one for one in halves] for name, halves in found.items()}

    def intervals(self, confidence: Number = 0.95) -> dict[str, list[tuple[float, float]]]:
        """For each value the interval that holds the exact one with this confidence."""
        found: dict[str, list[list[float | None]]] = self._bars(confidence)["intervals"]
        return {
            name: [(-math.inf if low is None else low, math.inf if high is None else high) for low, high in ends]
            for name, ends in found.items()
        }

    def rank_error(self, confidence: Number = 0.95) -> dict[str, float]:
        """For each quantile, how many rows lie at most between the answer and the exact one."""
        found: dict[str, float] = self._bars(confidence)["rows_between"]
        return found

    def _bars(self, confidence: Number) -> Mapping[str, Any]:
        wanted = exact(confidence, "confidence")
        known = self.document["bars"]
        for one in known:
            if exact(one["confidence"], "confidence") == wanted:
                found: Mapping[str, Any] = one
                return found
        raise refuse.no_bars(confidence, [one["confidence"] for one in known])

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

    def to_arrow(self, *, error: bool = False, confidence: Number = 0.95) -> pyarrow.Table:
        """The answer as an Arrow table; with ``error``, every noisy column ``n`` has its error bars in ``n_error``."""
        return _library("pyarrow").table(self.table(confidence if error else None))

    def to_pandas(self, *, error: bool = False, confidence: Number = 0.95) -> pandas.DataFrame:
        """The answer as a pandas frame; with ``error``, every noisy column ``n`` has its error bars in ``n_error``."""
        return _library("pandas").DataFrame(self.table(confidence if error else None))

    def to_polars(self, *, error: bool = False, confidence: Number = 0.95) -> polars.DataFrame:
        """The answer as a polars frame; with ``error``, every noisy column ``n`` has its error bars in ``n_error``."""
        frame: polars.DataFrame = _library("polars").DataFrame(self.table(confidence if error else None))
        return frame

    def plot(self, column: str | None = None, *, confidence: Number = 0.95) -> Figure:
        """A bar for every group with its error bar: of one column, or of the first that has noise."""
        from partita.explain.bars import plot

        return plot(self, column, confidence)

    def explain(self) -> str:
        """What was asked, how exact the answer is, what it cost, and what an attacker could learn from it alone."""
        if "explanation" not in self.document:
            return str(self.more(self.receipt.seq)["explanation"])
        return str(self.document["explanation"])

    def __str__(self) -> str:
        return "\n".join(filter(None, [grid(self, self._first).text(), self._part()]))

    def __repr__(self) -> str:
        return f"{self}\n{self._price()}"

    def _repr_html_(self) -> str:
        """How a notebook shows it: the table, its price, and what is left."""
        notes = filter(None, [self._part(), self._price()])
        return grid(self, self._first).html() + "".join(f"<p>{escape(note)}</p>" for note in notes)

    @property
    def _first(self) -> str:
        return str(self.document["bars"][0]["confidence"])

    def _part(self) -> str:
        left_out = self.document["left_out"]
        return "" if left_out is None else f"Only about: {self.about}. Left out, who can no longer pay: {left_out}."

    def _price(self) -> str:
        price = "free" if self.free else str(self.cost)
        made_up = "Practice: made-up rows. " if self.practice else ""
        left = "; ".join(map(str, self.remaining))
        return f"{made_up}Price: {price}. Left: {left}. Bars of {100 * float(exact(self._first, 'confidence')):g}%."


def read_losses(documents: Sequence[Mapping[str, Any]]) -> tuple[Measure, ...]:
    """Losses as they were sent, exactly."""
    return tuple(read_loss(one) for one in documents)


def read_loss(document: Mapping[str, Any]) -> Measure:
    """A loss as it was sent, exactly."""
    return from_document({name: value for name, value in document.items() if name != "text"}, exactly_written)


def _library(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise refuse_answer.library_missing(name) from None
