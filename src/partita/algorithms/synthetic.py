"""Synthetic data: rows made from a model, which may be looked at, shared and asked for free."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import NDArray

from partita.algorithms.axes import Axes
from partita.algorithms.graphical import Floats, GraphicalModel, Observed
from partita.errors import algorithms as refuse
from partita.exact import Number, probability, whole
from partita.mechanisms.integers import source_of
from partita.query.schema import Table
from partita.region.columns import Bounded, integers
from partita.sampling.bits import BitSource

if TYPE_CHECKING:
    import pandas
    import pyarrow
    from matplotlib.figure import Figure


@final
@dataclass(frozen=True, eq=False)
class Synthetic:
    """Made-up rows, and the model they come from. Nobody in them exists; whatever is asked of them costs nothing."""

    axes: Axes
    codes: NDArray[np.int64]
    model: GraphicalModel = field(repr=False)
    observed: tuple[Observed, ...] = field(repr=False)
    columns: Mapping[str, Bounded] = field(repr=False)

    @classmethod
    def of(
        cls,
        model: GraphicalModel,
        observed: Sequence[Observed] = (),
        *,
        rows: int | None = None,
        columns: Mapping[str, Bounded] | None = None,
        bits: BitSource | None = None,
    ) -> Synthetic:
        """As many rows as the model says there are, unless another number is asked for."""
        axes = model.axes
        count = max(1, round(model.total)) if rows is None else whole(rows, "rows", least=1)
        named = columns or {
            name: integers(0, size - 1, missing=0) for name, size in zip(axes.names, axes.sizes, strict=True)
        }
        return cls(axes, model.sample(count, source_of(bits)), model, tuple(observed), dict(named))

    def again(self, rows: int | None = None, *, bits: BitSource | None = None) -> Synthetic:
        """Other rows from the same model: free."""
        return Synthetic.of(self.model, self.observed, rows=rows, columns=self.columns, bits=bits)

    def table(self, *columns: str) -> NDArray[np.int64]:
        """The counts of a marginal table of the synthetic rows."""
        asked = self.axes.table(columns)
        return self.axes.counts(self.codes, asked).reshape(self.axes.shape(asked))

    def error(self, *columns: str, confidence: Number = 0.95) -> float:
        """What noise alone makes of every cell of a table that was measured, with this confidence.

        The largest of the tables that hold it; there is no bound for a table that was not measured.
        """
        asked = set(self.axes.table(columns))
        sure = float(probability(confidence, "confidence"))
        found = [one for one in self.observed if asked <= set(one.table)]
        if not found:
            raise refuse.not_measured(sorted(asked), [one.table for one in self.observed])
        from partita.algorithms.bounds import half_widths

        cells = self.axes.cells(asked)
        spreads = [one.deviation**2 * self.axes.cells(one.table) / cells for one in found]
        none = np.zeros(1)
        widths = half_widths(np.array([min(spreads)]), none, none, laplace=False, confidence=sure, entries=cells)
        return float(widths[0])

    @cached_property
    def records(self) -> dict[str, list[Any]]:
        """The rows in the values of the columns, a list for each column."""
        return {
            name: [self.columns[name].value(int(code)) for code in self.codes[:, place]]
            for place, name in enumerate(self.axes.names)
        }

    def to_pandas(self) -> pandas.DataFrame:
        """The rows as a pandas frame."""
        import pandas

        return pandas.DataFrame(self.records)

    def to_arrow(self) -> pyarrow.Table:
        """The rows as an Arrow table."""
        import pyarrow

        return pyarrow.table(self.records)

    def to_table(self, name: str = "synthetic") -> Table:
        """The rows as a table that a curator, or anybody else, may be given."""
        return Table(name, source=self.to_arrow(), columns=dict(self.columns))

    def ask(self, sql: str, *, name: str = "synthetic") -> list[dict[str, Any]]:
        """Any SQL about the rows, answered exactly and for free: they are public.

        >>> from partita.algorithms.graphical import fitted
        >>> axes = Axes({"a": 2})
        >>> made = Synthetic.of(fitted(axes, [Observed(("a",), np.array([30.0, 10.0]), 1.0)]))
        >>> made.ask("SELECT COUNT(*) AS n FROM synthetic WHERE a = 0")
        [{'n': 30}]
        """
        import duckdb

        with duckdb.connect(":memory:", config={"enable_external_access": "false"}) as connection:
            connection.register(name, self.to_arrow())
            try:
                cursor = connection.execute(sql)
                names = [column[0] for column in cursor.description]
                return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
            except duckdb.Error as failure:
                raise refuse.bad_synthetic_question(str(failure).splitlines()[0]) from None

    def plot(self, *columns: str, confidence: Number = 0.95) -> Figure:
        """A table of the synthetic rows, with the error of its noise."""
        from partita.algorithms.pictures import answers

        cells: Floats = self.table(*columns).ravel().astype(np.float64)
        errors = np.full(len(cells), self.error(*columns, confidence=confidence))
        return answers(cells, errors, confidence, title=f"Synthetic rows by {', '.join(columns)}", across="cell")
