"""Cautions for the custodian: a δ that is too large, rows that are declared twice, books that did not fix rows."""

from __future__ import annotations

import filecmp
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Final, final

from partita.composition.plans.promise import Promise
from partita.engine.log import log
from partita.errors import curator as warn
from partita.errors.base import Caution
from partita.explain.numbers import short
from partita.ledger.fixed import Kept
from partita.ledger.ledger import Ledger
from partita.query.tables.schema import Table


@final
class _Unsaid(str):
    """A text that is told from the same text in somebody's call."""

    __slots__ = ()


UNSAID: Final = _Unsaid(":memory:")
"""The ledger of a curator that was not given one."""
_TOLD: list[bool] = []
_FRAMES = {"pandas", "polars", "pyarrow"}


def tell(tables: Mapping[str, Table], promises: Sequence[Promise], *, depth: int) -> None:
    """Warn whoever declares the tables; what depends on rows goes to the operator's log alone."""
    for caution in large_deltas(tables.values(), promises):
        warnings.warn(caution, stacklevel=depth + 1)
    for caution in copies(list(tables.values())):
        log.warning(caution.message)


def forgets(*, depth: int) -> None:
    """Warn, once in a program, that a ledger in memory forgets what is spent."""
    if not _TOLD:
        _TOLD.append(True)
        warnings.warn(warn.forgetful(), stacklevel=depth + 1)


def unfixed(ledger: Ledger, kept: Kept, *, depth: int) -> None:
    """Warn that charges were made when a book did not say yet which rows of owners they read."""
    charged = kept and ledger.birth.clamped is None and any(ledger.states().values())
    if charged and not ledger.fixes(kept):
        warnings.warn(warn.unfixed_rows(ledger.name, tuple(kept)), stacklevel=depth + 1)


def large_deltas(tables: Iterable[Table], promises: Sequence[Promise]) -> Iterator[Caution]:
    """The promises whose δ is more than one in the public number of people (theory B25); no row is counted."""
    for table in tables:
        for promise in promises:
            delta: Fraction = getattr(promise.budget, "delta", Fraction(0))
            if table.people is not None and delta * table.people > 1:
                yield warn.large_delta(table.name, table.people, str(promise.granularity), short(float(delta)))


def copies(tables: Sequence[Table]) -> Iterator[Caution]:
    """Tables whose files are equal byte by byte, or whose frames are equal."""
    for first, second in combinations(tables, 2):
        if _equal(first.source, second.source):
            yield warn.same_contents(first.name, second.name)


def _equal(first: object, second: object) -> bool:
    if isinstance(first, str | Path) and isinstance(second, str | Path):
        files = Path(first), Path(second)
        return all(file.is_file() for file in files) and filecmp.cmp(*files, shallow=False)
    if type(first) is not type(second):
        return False
    if isinstance(first, list):
        return first == second
    return type(first).__module__.partition(".")[0] in _FRAMES and bool(first.equals(second))  # type: ignore[attr-defined]
