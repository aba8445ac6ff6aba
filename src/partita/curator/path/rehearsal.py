"""Rehearsals: what an engine will run is run on a table without rows first, before anything is charged."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Final, TypeVar, final

from partita.engine.base import Engine
from partita.errors import EngineFault
from partita.errors import engine as refuse
from partita.ledger.charge import Charge
from partita.ledger.ledger import Ledger
from partita.query.exact.extract import Extract
from partita.query.exact.program import Program

_KEPT: Final = 4096

Passed = TypeVar("Passed", bound=Hashable)


@final
class Rehearsal:
    """Runs the statements of a charge on an empty table of the same types, and refuses it where they fail.

    No row is read, so that they fail is the same for every table (theory E18): a statement that does not bind, or a
    source that is gone. Nobody pays for those. The same question is rehearsed once, and so are statements that differ
    in nothing that could fail.
    """

    def __init__(self, ledger: Ledger, engine: Engine) -> None:
        self._ledger = ledger
        self._engine = engine
        self._passed: dict[str, None] = {}
        self._alike: dict[Hashable, None] = {}

    def of(self, charge: Charge, programs: Sequence[Program | Extract]) -> None:
        """Refuse a charge whose programs fail whatever the rows are; nothing is read or booked."""
        if charge.question in self._passed:
            return
        if not all(map(self._works, programs)):
            if self._ledger.stored(charge.question) is not None:
                return  # what is in the book needs no engine
            raise refuse.never_computed()
        _keep(self._passed, charge.question)

    def _works(self, program: Program | Extract) -> bool:
        alike = self._engine.likeness(program)
        if alike in self._alike:
            return True
        try:
            self._engine.blank(program)
        except EngineFault:
            return False  # the operator was told; nothing raised later has it as its context
        if alike is not None:
            _keep(self._alike, alike)
        return True


def _keep(kept: dict[Passed, None], one: Passed) -> None:
    """Remember one more that passed; of very many all are forgotten."""
    if len(kept) >= _KEPT:
        kept.clear()
    kept[one] = None
