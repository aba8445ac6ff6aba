"""Synthetic data: rows made from a model, which may be looked at, shared and asked for free."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any, Final, final

import numpy as np
from numpy.typing import NDArray

from partita.algorithms.linear.axes import Axes, Names
from partita.algorithms.synthetic.exchange import settled
from partita.algorithms.synthetic.graphical import Floats, GraphicalModel, Observed
from partita.algorithms.synthetic.limits import Limits, limits
from partita.errors import algorithms as refuse
from partita.exact import Number, whole
from partita.explain.grid import label
from partita.mechanisms.integers import source_of
from partita.query.tables.schema import Table
from partita.region.columns import Bounded, integers
from partita.sampling.bits import BitSource

if TYPE_CHECKING:
    import pandas
    import pyarrow
    from matplotlib.figure import Figure


_FEW: Final = 40


@final
@dataclass(frozen=True, eq=False)
class Synthetic:
    """Made-up rows, and the model they come from. Nobody in them exists; whatever is asked of them costs nothing.

    Their tables are near the true ones where those were measured; ``limits`` says how near, and what little is known
    where they were not.
    """

    axes: Axes
    codes: NDArray[np.int64]
    model: GraphicalModel = field(repr=False)
    observed: tuple[Observed, ...] = field(repr=False)
    columns: Mapping[str, Bounded] = field(repr=False)
    tables: tuple[Names, ...] = field(repr=False, default=())

    @classmethod
    def of(
        cls,
        model: GraphicalModel,
        observed: Sequence[Observed] = (),
        *,
        tables: Sequence[Names] = (),
        rows: int | None = None,
        columns: Mapping[str, Bounded] | None = None,
        bits: BitSource | None = None,
        progress: bool | None = False,
    ) -> Synthetic:
        """As many rows as the model says there are, unless another number is asked for.

        Tables within the model's cliques are those of the model but for rounding; ``tables`` names others that should
        be as near to it as whole rows can be.
        """
        axes, source = model.axes, source_of(bits)
        count = max(1, round(model.total)) if rows is None else whole(rows, "rows", least=1)
        named = columns or {
            name: integers(0, size - 1, missing=0) for name, size in zip(axes.names, axes.sizes, strict=True)
        }
        wanted = tuple(dict.fromkeys(axes.table(table) for table in tables))
        codes = settled(model, model.sample(count, source), wanted, source, progress=progress)
        return cls(axes, codes, model, tuple(observed), dict(named), wanted)

    def again(
        self, rows: int | None = None, *, bits: BitSource | None = None, progress: bool | None = False
    ) -> Synthetic:
        """Other rows from the same model: free."""
        return Synthetic.of(
            self.model,
            self.observed,
            tables=self.tables,
            rows=rows,
            columns=self.columns,
            bits=bits,
            progress=progress,
        )

    def table(self, *columns: str) -> NDArray[np.int64]:
        """The counts of a marginal table of the synthetic rows."""
        asked = self.axes.table(columns)
        return self.axes.counts(self.codes, asked).reshape(self.axes.shape(asked))

    def limits(self, *columns: str, confidence: Number = 0.95) -> Limits:
        """Between which numbers every true count of a table lies, at once with this confidence, measured or not.

        >>> from partita.algorithms.synthetic.graphical import fitted
        >>> axes = Axes({"a": 2, "b": 2})
        >>> said = [Observed((name,), np.array([30.0, 10.0]), 1.0) for name in axes.names]
        >>> made = Synthetic.of(fitted(axes, said), said)
        >>> made.limits("a").measured, made.limits("a", "b").measured
        (True, False)
        """
        return limits(self.axes, self.observed, self.axes.table(columns), confidence)

    def error(self, *columns: str, confidence: Number = 0.95) -> Floats:
        """The most that each count of a table can be wrong by, all of them at once with this confidence.

        For a table that was measured: the noise, and how far the rows are from what was measured. For any other: all
        that its margins leave open, which is much; see ``limits``.
        """
        counts: Floats = self.table(*columns).astype(np.float64) * (self.model.total / len(self.codes))
        return self.limits(*columns, confidence=confidence).off(counts)

    @cached_property
    def records(self) -> dict[str, list[Any]]:
        """The rows in the values of the columns, a list for each column."""
        return {
            name: [self.columns[name].value(int(code)) for code in self.codes[:, place]]
            for place, name in enumerate(self.axes.names)
        }

    def to_pandas(self) -> pandas.DataFrame:
        """The rows as a pandas frame."""
        try:
            import pandas
        except ImportError:
            raise refuse.no_pandas() from None

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

        How far that is from the true rows it does not say; ``limits`` does, for counts by some columns.

        >>> from partita.algorithms.synthetic.graphical import fitted
        >>> axes = Axes({"a": 2})
        >>> made = Synthetic.of(fitted(axes, [Observed(("a",), np.array([30.0, 10.0]), 1.0)]))
        >>> made.ask("SELECT COUNT(*) AS n FROM synthetic WHERE a = 0")
        [{'n': 30}]
        """
        import duckdb

        with duckdb.connect(
            ":memory:",
            config={"enable_external_access": "false", "python_enable_replacements": "false", "temp_directory": ""},
        ) as connection:
            connection.register(name, self.to_arrow())
            try:
                cursor = connection.execute(sql)
                names = [column[0] for column in cursor.description]
                return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
            except duckdb.Error as failure:
                raise refuse.bad_synthetic_question(str(failure).splitlines()[0]) from None

    def plot(self, *columns: str, confidence: Number = 0.95) -> Figure:
        """A table of the synthetic rows with its error; the title says so if it was not measured."""
        from partita.algorithms.pictures import answers

        cells: Floats = self.table(*columns).ravel().astype(np.float64)
        title = f"Synthetic rows by {', '.join(columns)}" if columns else "Synthetic rows"
        if not self.limits(*columns, confidence=confidence).measured:
            title += ": not measured"
        errors = self.error(*columns, confidence=confidence).ravel()
        across = columns[0] if len(columns) == 1 else "cell"
        return answers(cells, errors, confidence, self._named(columns, len(cells)), title=title, across=across)

    def _named(self, columns: Sequence[str], cells: int) -> list[str]:
        """What each cell of a table stands for, if they are few."""
        if cells > _FEW:
            return []
        asked = self.axes.table(columns)
        sizes = self.axes.shape(asked)
        labels = [
            [label(self.columns[name].value(code)) for code in range(size)]
            for name, size in zip(asked, sizes, strict=True)
        ]
        return [" ".join(cell) for cell in product(*labels)]
