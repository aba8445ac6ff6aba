"""Types as a source declares them: whether anything of what is declared can be stored in them."""

from __future__ import annotations

import warnings
from functools import lru_cache

from sqlglot import exp

from partita.engine.statements.stored import Stored
from partita.errors.query import tables as refuse_query
from partita.region.columns import Bounded, Dates
from partita.region.columns.stored import Family, family


def check_types(stored: Stored, *, guessed: bool = False) -> None:
    """Refuse a type in which nothing of the declared kind is stored; warn of one whose times of day are dropped.

    Only types are looked at, as a file or a frame declares them. A type that was guessed from the rows refuses nothing,
    or whether a table opens would tell of a row: a column of pandas with nothing but missing values is one of floats.
    """
    for column, declared in stored.table.columns.items():
        kind = stored.types[column]
        if column in stored.handed or "NULL" in kind.upper() or not isinstance(declared, Bounded):
            continue
        if not _fits(declared, kind):
            if not guessed:
                raise refuse_query.unfit_type(stored.table.name, column, declared.kind, kind)
            warnings.warn(refuse_query.unfit_guess(stored.table.name, column, declared.kind, kind), stacklevel=2)
        if isinstance(declared, Dates) and family(kind) in (Family.TIMESTAMP, Family.ZONED):
            warnings.warn(refuse_query.times_as_days(stored.table.name, column, kind), stacklevel=2)


@lru_cache(maxsize=4096)
def _fits(declared: Bounded, kind: str) -> bool:
    """Whether what a column becomes depends on what is stored in a type."""
    return declared.sanitise(exp.column("stored"), kind).find(exp.Column) is not None
