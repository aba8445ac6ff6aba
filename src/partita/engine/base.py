"""What an engine is: it reads protected rows in one place, and answers in exact integers or with one constant error."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import ClassVar, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from partita.engine.growing import Growing
from partita.engine.log import attempted
from partita.errors import engine as refuse
from partita.live import Live
from partita.query.exact.extract import Extract, ordered
from partita.query.exact.program import Program
from partita.query.language.joined import joined_of
from partita.query.tables.people import People
from partita.query.tables.schema import Table
from partita.query.tables.truncation import Truncation

Tallies = TypeVar("Tallies")


class Engine(Live):
    """Computes programs over the tables it was opened with.

    Whatever goes wrong while rows are read becomes the same error with the same words (theory E18), which the curator
    shows to nobody: it goes on with what a table without rows gives. What really happened goes to the operator's log.
    """

    kind: ClassVar[str]
    # Whether it is a server, and needs to be told where.
    addressed: ClassVar[bool] = False
    # Whether it runs on this machine where it is told nothing.
    alone: ClassVar[bool] = False
    people: People | None = None

    def __init__(self, tables: Iterable[Table], people: People | None = None, key: str = "") -> None:
        """Opened for ``people``, it holds the rows that the ledger's key keeps of each owner, and no others."""
        super().__init__()
        self.people = people
        self.tables = {table.name: table for table in tables}
        for table in self.tables.values():
            self.attach(table)
        if people is not None:
            self.keep(people, key)
            self.tables = people.tables

    @abstractmethod
    def attach(self, table: Table) -> None:
        """Find the rows and the types of their columns; rows may be copied here, and nothing about them is told."""

    def keep(self, people: People, key: str) -> None:
        """Keep the first rows of each owner in the keyed order, in every table, once and for all (theory I2)."""
        raise refuse.keeps_no_rows(self.kind)

    def cut(self, truncations: Mapping[str, Truncation | None]) -> None:
        """Told once of the fixed truncations, an engine may make them once; one that does not makes them at every read.

        The rows that a truncation keeps are the same, and nothing else is known of them (theory E14).
        """

    def fixed(self, truncations: Mapping[str, Truncation | None], key: str) -> dict[str, str]:
        """A text for each table of which rows of owners are kept: the same for the same rows in whatever order.

        The book has a keyed digest of it, so that no others are ever read (theory E14, I10).
        """
        if any(cap is not None for cap in truncations.values()):
            raise refuse.fixes_no_rows(self.kind)
        return {}

    def growing(
        self, tables: Mapping[str, Table], people: People | None, truncations: Mapping[str, Truncation | None], key: str
    ) -> Growing:
        """The rows as those of a database that grows by batches (theory I10)."""
        raise refuse.does_not_grow(self.kind)

    @abstractmethod
    def compute(self, program: Program) -> NDArray[np.object_]:
        """The exact tallies: a line for each group, a column for each tally."""

    @abstractmethod
    def extract(self, extract: Extract) -> NDArray[np.int64]:
        """The codes of the extract's columns: a line for each row, in any order."""

    @abstractmethod
    def close(self) -> None:
        """Let go of files and connections."""

    @overload
    def run(self, program: Program) -> NDArray[np.object_]: ...

    @overload
    def run(self, program: Extract) -> NDArray[np.int64]: ...

    def run(self, program: Program | Extract) -> NDArray[np.object_] | NDArray[np.int64]:
        """The exact tallies of a program or the rows of an extract, whose charge must be durable by now.

        This is the only read.
        """
        if self._reads(program):
            return self._told(program, lambda: self._read(program))
        return program.empty()

    @overload
    def blank(self, program: Program) -> NDArray[np.object_]: ...

    @overload
    def blank(self, program: Extract) -> NDArray[np.int64]: ...

    def blank(self, program: Program | Extract) -> NDArray[np.object_] | NDArray[np.int64]:
        """The same over the table without its rows: what an answer is made from where they could not be computed with.

        No row is read, so what fails here fails whatever the rows are: a statement that no table of these types could
        answer, or a source that is gone.
        """
        if self._reads(program):
            return self._told(program, lambda: self.without_rows(program))
        return program.empty()

    def likeness(self, program: Program | Extract) -> Hashable | None:
        """What programs have in common of which, without rows, all fail or none does; None if nothing is known of it.

        It follows from what was asked and declared, never from rows.
        """
        return None

    def without_rows(self, program: Program | Extract) -> NDArray[np.object_] | NDArray[np.int64]:
        """What a table without rows gives; an engine that runs statements runs the same one on an empty table."""
        return program.empty()

    def _reads(self, program: Program | Extract) -> bool:
        """Whether there is anything to compute."""
        joined = joined_of(program.table)
        for name in [program.table.name] if joined is None else joined.read:
            if name not in self.tables:
                raise refuse.not_attached(name)
        return not program.where.region.empty and bool(isinstance(program, Extract) or program.tallies)

    def _read(self, program: Program | Extract) -> NDArray[np.object_] | NDArray[np.int64]:
        return self.compute(program) if isinstance(program, Program) else ordered(self.extract(program))

    def _told(self, program: Program | Extract, step: Callable[[], Tallies]) -> Tallies:
        found = attempted(step, "The %s engine failed on a question about %s.", self.kind, program.table.name)
        if found is None:
            # Raised where no other error is in hand: not even its context holds what happened.
            raise refuse.fault()
        return found
