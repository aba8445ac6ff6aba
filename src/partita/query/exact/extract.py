"""An extract: the sanitised rows that an algorithm works on, as codes of a few declared columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from partita.query.language.conditions import Condition
from partita.query.tables.schema import Table
from partita.query.tables.truncation import Truncation


@final
@dataclass(frozen=True)
class Extract:
    """The rows that meet a condition, after the fixed truncation if there is one: a line each, a code for each column.

    The order of the lines says nothing about the order of the stored rows.
    """

    table: Table
    where: Condition
    columns: tuple[str, ...]
    truncation: Truncation | None = None

    def empty(self) -> NDArray[np.int64]:
        """The extract of a table without rows."""
        return np.empty((0, len(self.columns)), dtype=np.int64)


def ordered(codes: NDArray[np.int64]) -> NDArray[np.int64]:
    """The lines in the order of their codes, so that nothing of the stored order is left.

    >>> ordered(np.array([[2, 0], [1, 5], [1, 4]])).tolist()
    [[1, 4], [1, 5], [2, 0]]
    """
    if not codes.shape[1]:
        return codes
    return codes[np.lexsort(codes.T[::-1])]
