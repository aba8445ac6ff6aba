"""Answers, offers and balances as plain documents, and as CSV and Arrow."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from partita.curator.answers.answer import Answer
from partita.curator.answers.quotation import CuratorQuote, read_as
from partita.exact import probability
from partita.ledger.receipts.receipts import Receipt
from partita.query.language.text import readable
from partita.region.region import Region
from partita.theory.documents import to_document
from partita.theory.measures.base import Measure

if TYPE_CHECKING:
    import pyarrow

CSV: Final = "text/csv"
ARROW: Final = "application/vnd.apache.arrow.stream"
JSON: Final = "application/json"
_KINDS: Final = (
    (bool, "boolean"), (int, "integer"), (float, "number"), (datetime, "timestamp"), (date, "date"),
    (Decimal, "decimal"), (Fraction, "decimal"), (str, "text"),
)  # fmt: skip

Shown = Callable[[Receipt], Receipt]
"""A receipt as the caller may see it."""


def answer_document(
    answer: Answer, *, bars: Sequence[str], explain: bool, practice: bool, shown: Shown
) -> dict[str, Any]:
    """An answer: its lines, error bars, cost, what is left, and its receipts."""
    columns = answer.shown.columns
    receipts = [shown(receipt).document() for receipt in answer.receipts]
    totals = {name: answer.shown.margins(name) for name in columns}
    margins = {name: list(found) for name, found in totals.items() if found is not None}
    return {
        "practice": practice,
        "columns": [{"name": name, "type": kind_of(values)} for name, values in columns.items()],
        "rows": answer.rows(),
        "margins": margins,
        "bars": [_bars(answer, confidence) for confidence in bars],
        "free": answer.free,
        "batch": answer.batch,
        **_about(answer.asked_about, answer.region),
        "costs": losses(answer.costs),
        "remaining": losses(answer.remaining),
        "receipts": receipts,
        **({"explanation": answer.explain(confidence=bars[0])} if explain else {}),
    }


def offer_document(offer: CuratorQuote, *, bars: Sequence[str], explain: bool, practice: bool) -> dict[str, Any]:
    """What a question would cost and how exact it would be."""
    return {
        "practice": practice,
        "costs": losses(offer.costs),
        "remaining": losses(offer.remaining),
        "left": losses(offer.left()) if offer.fits else None,
        "fits": offer.fits,
        "free": offer.free,
        **_about(offer.asked_about, offer.quote.region),
        "bars": [
            {
                "confidence": confidence,
                "half_widths": offer.error(probability(confidence, "confidence")),
                "rows_between": offer.quote.rank_error(probability(confidence, "confidence")),
            }
            for confidence in bars
        ],
        "noise": offer.quote.explain(),
        "read_as": read_as(offer.quote),
        **({"explanation": offer.explain(confidence=bars[0])} if explain else {}),
    }


def losses(found: Sequence[Measure | None]) -> list[dict[str, Any] | None]:
    """Losses as plain data with exact numbers as text, and in words."""
    return [None if one is None else {**to_document(one), "text": str(one)} for one in found]


def _bars(answer: Answer, confidence: str) -> dict[str, Any]:
    sure = probability(confidence, "confidence")
    found = answer.intervals(sure)
    return {
        "confidence": confidence,
        "half_widths": answer.half_widths(found),
        "intervals": {name: [list(ends) for ends in listed] for name, listed in found.items()},
        "rows_between": answer.rank_error(sure),
    }


def _about(asked: Region | None, part: Region) -> dict[str, object]:
    """Who an answer is about, and who was left out because they can no longer pay."""
    return {"about": readable(part), "left_out": None if asked is None else readable(asked - part)}


def kind_of(values: Sequence[Any]) -> str:
    """What a column holds, told by its first value that is there.

    >>> kind_of([None, 3]), kind_of([date(2025, 1, 1)]), kind_of([])
    ('integer', 'date', 'null')
    """
    first = next((value for value in values if value is not None), None)
    return next((name for kind, name in _KINDS if isinstance(first, kind)), "null")


def plain(document: object) -> object:
    """What JSON has no word for: a date is its text, an exact number too, and an unbounded one is null."""
    match document:
        case Mapping():
            return {str(name): plain(value) for name, value in document.items()}
        case list() | tuple():
            return [plain(value) for value in document]
        case float():
            return document if math.isfinite(document) else None
        case date() | Decimal() | Fraction():
            return str(document)
        case None | bool() | int() | str():
            return document
        case _:
            return str(document)


def as_json(document: object) -> bytes:
    """A document as it travels."""
    return json.dumps(plain(document), ensure_ascii=False, allow_nan=False).encode()


def as_csv(answer: Answer, confidence: str) -> bytes:
    """A heading, and a line for each group, every noisy column with its error bars to the right; NULL is empty."""
    columns = answer.table(probability(confidence, "confidence"))
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\r\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return written.getvalue().encode()


def as_arrow(answer: Answer, confidence: str, document: Mapping[str, Any]) -> bytes:
    """An Arrow stream with error bars beside the noisy columns; all else of the answer is in its schema."""
    import pyarrow as pa

    found: pyarrow.Table = answer.to_arrow(error=True, confidence=probability(confidence, "confidence"))
    beside = {name: value for name, value in document.items() if name not in ("columns", "rows", "bars")}
    found = found.replace_schema_metadata({b"partita": as_json(beside)})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, found.schema) as stream:
        stream.write_table(found)
    return bytes(sink.getvalue())
