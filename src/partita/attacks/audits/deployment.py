"""Auditing a custodian's configuration on made-up data: what its answers show, against what they are charged."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from partita.attacks.audits.cases import Case
from partita.attacks.audits.neighbours import Neighbours, neighbours
from partita.composition.plans.promise import Promise
from partita.curator.curator import Curator
from partita.curator.path.placed import booked_costs
from partita.engine.duckdb import DuckDB
from partita.engine.log import log
from partita.errors import PartitaError
from partita.exact import Number
from partita.mechanisms.additive import AdditiveNoise
from partita.query.language.plan import KeyColumn
from partita.query.language.text import in_quotes
from partita.query.noise.quote import Quote
from partita.query.tables.schema import Table
from partita.region.columns import Bounded
from partita.region.columns.stepped import Stepped
from partita.sampling.bits import BitSource
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.base import Measure
from partita.theory.measures.gdp import GDP
from partita.theory.measures.pure import Pure
from partita.theory.measures.zcdp import ZCDP

_MOST_GROUPS = 24  # a column with more values is not grouped by
_MOST_NUMBERS = 2  # so many numeric columns are summed


@final
@dataclass(frozen=True, slots=True)
class Seen:
    """Whether everything an analyst sees besides the noise is the same for two neighbours."""

    question: str
    promise: str
    differ: str
    difference: str  # what differs, or nothing

    def document(self) -> dict[str, object]:
        """The same as plain data, for JSON."""
        return {
            "question": self.question,
            "promise": self.promise,
            "neighbours": self.differ,
            "difference": self.difference or None,
        }


def typical(table: Table) -> list[str]:
    """Questions that analysts ask of such a table, made from its public columns alone.

    >>> from partita.region.columns import categories, integers
    >>> columns = {"age": integers(0, 120), "sex": categories("F", "M")}
    >>> typical(Table("people", source="people.csv", columns=columns))[:2]
    ['SELECT COUNT(*) AS n FROM "people"', 'SELECT "sex", COUNT(*) AS n FROM "people" GROUP BY "sex"']
    """
    bounded = {name: column for name, column in table.columns.items() if isinstance(column, Bounded)}
    numbers = [name for name, column in bounded.items() if isinstance(column, Stepped)]
    groups = [name for name, column in bounded.items() if name not in numbers and column.size <= _MOST_GROUPS]
    rows, key = in_quotes(table.name), in_quotes(groups[0]) if groups else ""
    found = [f"SELECT COUNT(*) AS n FROM {rows}"]
    if table.owner is not None:
        found.append(f"SELECT COUNT(DISTINCT {in_quotes(table.owner)}) AS n FROM {rows}")
    if key:
        found.append(f"SELECT {key}, COUNT(*) AS n FROM {rows} GROUP BY {key}")
    for name in map(in_quotes, numbers[:_MOST_NUMBERS]):
        found += [f"SELECT {what}({name}) AS x FROM {rows}" for what in ("SUM", "AVG", "MEDIAN", "STDDEV")]
        joint = f"COUNT(*) AS n, SUM({name}) AS s FROM {rows}"
        found.append(f"SELECT {key}, {joint} GROUP BY {key}" if key else f"SELECT {joint}")
    return found


def cases(tables: Sequence[Table], promises: Sequence[Promise], *, bits: BitSource) -> Iterator[Case]:
    """For every table, promise and typical question: its answers on neighbours, and what they are charged.

    The exact numbers come from the engine, run once on each of the two tables; noise is then drawn anew for every run,
    as for an answer. A question that is refused is left out: it releases nothing.
    """
    for pair, place in _pairs(tables, promises, bits):
        for question, quote, first, second in _offered(pair, promises, bits):
            yield Case(
                name=f"{question} ({pair.differ})",
                kind=" and ".join(sorted({noise.kind for noise in quote.mechanisms})),
                relation=promises[place].granularity.relation,
                release=_Noisy(quote, bits),
                first=first,
                second=second,
                claims=(booked_costs(quote)[place],),
                batch=all(isinstance(noise, AdditiveNoise) for noise in quote.mechanisms),
            )


def controls(tables: Sequence[Table], promises: Sequence[Promise], *, bits: BitSource) -> Iterator[Case]:
    """The same curator with its noise taken away: an audit that does not catch it is blind."""
    for pair, place in _pairs(tables[:1], promises, bits):
        for question, quote, first, second in _offered(pair, promises, bits):
            if (first != second).any():
                yield Case(
                    name=f"{question}, without noise ({pair.differ})",
                    kind="none",
                    relation=promises[place].granularity.relation,
                    release=lambda value, count: np.broadcast_to(value.ravel(), (count, value.size)),
                    first=quote.exact(first).astype(np.int64),
                    second=quote.exact(second).astype(np.int64),
                    claims=(booked_costs(quote)[place],),
                    broken=True,
                )
                break


def seen(tables: Sequence[Table], promises: Sequence[Promise], *, bits: BitSource) -> Iterator[Seen]:
    """Ask typical questions of whole curators over neighbours, and compare all that is visible but the noise."""
    for pair, place in _pairs(tables, promises, bits):
        questions = typical(pair.first)
        price = _price(promises[0].budget, 2 * len(questions))
        first, second = (_visible(one, promises, questions, price, bits) for one in (pair.first, pair.second))
        for question, one, other in zip(questions, first, second, strict=True):
            differing = sorted(name for name in one.keys() | other.keys() if one.get(name) != other.get(name))
            yield Seen(question, str(promises[place].granularity), pair.differ, ", ".join(differing))


def not_audited(tables: Sequence[Table], promises: Sequence[Promise], *, bits: BitSource) -> list[str]:
    """The promises for which no neighbouring tables are known how to be made."""
    return [
        f"{promise.granularity} ({table.name})"
        for table in tables
        for promise in promises
        if next(neighbours(table, promise.granularity, bits=bits), None) is None
    ]


def _pairs(tables: Sequence[Table], promises: Sequence[Promise], bits: BitSource) -> Iterator[tuple[Neighbours, int]]:
    for table in tables:
        for place, promise in enumerate(promises):
            for pair in neighbours(table, promise.granularity, bits=bits):
                yield pair, place


@final
@dataclass(frozen=True, slots=True)
class _Noisy:
    """The noisy numbers of so many answers at once: every line of every answer has noise of its own."""

    quote: Quote
    bits: BitSource

    def __call__(self, tallies: NDArray[np.object_], count: int | None = None) -> NDArray[np.int64]:
        if count is None:
            return self.quote.release(tallies, bits=self.bits).astype(np.int64).ravel()
        lines = np.tile(tallies, (count, 1))
        return self.quote.release(lines, bits=self.bits).astype(np.int64).reshape(count, -1)


def _offered(
    pair: Neighbours, promises: Sequence[Promise], bits: BitSource
) -> Iterator[tuple[str, Quote, NDArray[np.object_], NDArray[np.object_]]]:
    """Every typical question that is not refused, its quote, and the exact tallies of the two neighbours."""
    price = _price(promises[0].budget, 2)
    engines = [DuckDB([one], threads=1) for one in (pair.first, pair.second)]
    try:
        with Curator(tables=[pair.first], promises=promises, bits=bits, ledger=":memory:") as curator:
            for question in typical(pair.first):
                try:
                    quote = curator.quote(question, **price).quote  # type: ignore[arg-type]
                except PartitaError:
                    continue
                first, second = (engine.run(quote.program) for engine in engines)
                yield question, quote, first, second
    finally:
        for engine in engines:
            engine.close()


def _visible(
    table: Table, promises: Sequence[Promise], questions: Sequence[str], price: dict[str, Number], bits: BitSource
) -> list[dict[str, Any]]:
    """Everything but the noisy numbers, question by question, and whether the operator was alarmed.

    A fault after reading is hidden from analysts, but not the time it takes, nor that its answer is not the honest one.
    """
    found: list[dict[str, Any]] = []
    with Curator(tables=[table], promises=promises, bits=bits, ledger=":memory:") as curator, _listening() as alarms:
        for question in questions:
            before = len(alarms)
            try:
                answer = curator.ask(question, **price)  # type: ignore[arg-type]
            except PartitaError as refusal:
                found.append({"refusal": (refusal.code, refusal.message), "spent": curator.spent()})
                continue
            shown = {column.name for column in answer.quote.plan.shown if isinstance(column, KeyColumn)}
            keys = [{name: value for name, value in row.items() if name in shown} for row in answer.rows()]
            # Whether a mean is told is decided by the noisy count beside it; the answer says where. No other value may
            # be NULL for one neighbour alone.
            silent = answer.result.silent
            told = [
                0.0 if value is None and line in silent.get(name, ()) else value
                for line, row in enumerate(answer.rows())
                for name, value in row.items()
            ]
            kinds = [type(value).__name__ for value in told]
            columns = list(answer.result.columns)
            seen = {"keys": keys, "columns": columns, "kinds": kinds, "costs": answer.costs, "left": answer.remaining}
            found.append({**seen, "fault": len(alarms) > before})
    return found


@contextmanager
def _listening() -> Iterator[list[logging.LogRecord]]:
    """What the operator is alarmed of meanwhile."""
    alarms: list[logging.LogRecord] = []
    handler = logging.Handler(logging.CRITICAL)
    handler.emit = alarms.append  # type: ignore[method-assign, assignment]
    log.addHandler(handler)
    try:
        yield alarms
    finally:
        log.removeHandler(handler)


def _price(budget: Measure, parts: int) -> dict[str, Number]:
    """A part of a budget in its own terms; what has no such terms is asked for at a small ε."""
    match budget:
        case Pure(epsilon=epsilon) | Approximate(epsilon=epsilon):
            return {"epsilon": epsilon / parts}
        case ZCDP(rho=rho):
            return {"rho": rho / parts}
        case GDP(mu=mu):
            return {"mu": mu / parts}
        case _:
            return {"epsilon": "0.1"}
