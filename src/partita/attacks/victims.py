"""Whom an attack asks: a database that answers as it is, and Partita through its public face."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import NDArray

from partita.composition.plans.promise import Promise
from partita.curator.curator import Curator
from partita.exact import Number, positive
from partita.granularity import Granularity, rows
from partita.query.tables.schema import Table
from partita.sampling import entropy
from partita.sampling.bits import BitSource
from partita.theory.measures.pure import Pure

if TYPE_CHECKING:
    import pyarrow

Rows = list[dict[str, Any]]
Ask = Callable[[str], Rows]
Floats = NDArray[np.float64]
Counts = Callable[[str], Floats]


@final
class Exposed:
    """A database that answers every statement exactly; nothing is remembered and nothing is refused.

    >>> import pyarrow
    >>> Exposed({"t": pyarrow.table({"x": [1, 2, 3]})})("SELECT COUNT(*) AS n FROM t WHERE x > 1")
    [{'n': 2}]
    """

    def __init__(self, tables: Mapping[str, pyarrow.Table]) -> None:
        import duckdb

        self._connection = duckdb.connect(":memory:", config={"python_enable_replacements": "false", "threads": "1"})
        for name, source in tables.items():
            self._connection.register(name, source)

    def __call__(self, sql: str) -> Rows:
        """The rows that the statement gives."""
        cursor = self._connection.execute(sql)
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, line, strict=True)) for line in cursor.fetchall()]


@final
class Guarded:
    """One analyst of a curator, who pays the same price for every question and meets its refusals."""

    def __init__(self, curator: Curator, *, analyst: str = "", **price: Number) -> None:
        self._curator = curator
        self._analyst = analyst
        self._price = price

    def __call__(self, sql: str) -> Rows:
        """What any analyst would be given: the rows, or a refusal."""
        return self._curator.ask(sql, analyst=self._analyst, **self._price).rows()  # type: ignore[arg-type]


def protected(tables: Sequence[Table], epsilon: Number, *, bits: BitSource, unit: Granularity | None = None) -> Curator:
    """Partita over these tables with one promise, on rows unless told otherwise."""
    promise = Promise(unit or rows(), Pure(epsilon=positive(epsilon, "epsilon")))
    return Curator(tables=tables, promises=[promise], bits=bits, ledger=":memory:")


def given(bits: BitSource | None) -> BitSource:
    """The source that was given, or the system's."""
    return entropy.system() if bits is None else bits


def by_ward(ask: Ask, wards: int, noise: Callable[[Floats], Floats] | None = None) -> Counts:
    """The numbers of an answer in the order of wards, with noise on top if a curator adds some and keeps no book.

    A ward that no row mentions has nobody.
    """

    def counts(sql: str) -> Floats:
        found = np.zeros(wards)
        for row in ask(sql):
            found[row["ward"]] = row["n"]
        return found if noise is None else noise(found)

    return counts
