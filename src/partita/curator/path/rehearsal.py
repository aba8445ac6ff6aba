"""Rehearsals: what an engine will run is run on a table without rows first, before anything is charged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from partita.engine.base import Engine
from partita.errors import EngineFault
from partita.errors import engine as refuse
from partita.ledger.charge import Charge
from partita.ledger.ledger import Ledger
from partita.query.exact.extract import Extract
from partita.query.exact.program import Program

_KEPT: Final = 4096


@final
class Rehearsal:
    """Runs the statements of a charge on an empty table of the same types, and refuses it where they fail.

    No row is read, so that they fail is the same for every table (theory E18): a statement that does not bind, or a
    source that is gone. Nobody pays for those. The same question is rehearsed once.
    """

    def __init__(self, ledger: Ledger, engine: Engine) -> None:
        self._ledger = ledger
        self._engine = engine
        self._passed: dict[str, None] = {}

    def of(self, charge: Charge, programs: Sequence[Program | Extract]) -> None:
        """Refuse a charge whose programs fail whatever the rows are; nothing is read or booked."""
        if charge.question in self._passed:
            return
        if not all(map(self._works, programs)):
            if self._ledger.stored(charge.question) is not None:
                return  # what is in the book needs no engine
            raise refuse.never_computed()
        if len(self._passed) >= _KEPT:
            self._passed.clear()
        self._passed[charge.question] = None

    def _works(self, program: Program | Extract) -> bool:
        try:
            self._engine.blank(program)
        except EngineFault:
            return False  # the operator was told; nothing raised later has it as its context
        return True
