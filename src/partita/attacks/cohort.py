"""People who do not exist, some of them in the data and some not: whom the laboratory's attacks are after."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import numpy as np
from numpy.typing import NDArray

from partita.exact import whole
from partita.query.tables.schema import Table
from partita.region.columns import integers
from partita.sampling.bits import BitSource
from partita.sampling.uniform import below, permutation

if TYPE_CHECKING:
    import pyarrow

NAME = "patients"


@final
@dataclass(frozen=True, slots=True, eq=False)
class Cohort:
    """Everybody who might be a patient, by ward and bed; ``present`` is the secret: who has a row in the table.

    Wards have nobody in common, so one question grouped by ward attacks all wards at once, at the price of one.
    """

    present: NDArray[np.bool_]  # wards by people

    @property
    def wards(self) -> int:
        """How many wards there are."""
        return int(self.present.shape[0])

    @property
    def people(self) -> int:
        """How many people each ward has, present or not."""
        return int(self.present.shape[1])

    def rows(self) -> pyarrow.Table:
        """The rows of those who are present."""
        import pyarrow

        ward, person = np.nonzero(self.present)
        return pyarrow.table({"ward": ward, "person": person})

    def table(self) -> Table:
        """The protected table, with its public domain."""
        columns = {"ward": integers(0, self.wards - 1, missing=0), "person": integers(0, self.people - 1, missing=0)}
        return Table(NAME, source=self.rows(), columns=columns)


def made(wards: int, people: int, *, bits: BitSource) -> Cohort:
    """Wards of people, each present by a fair coin.

    >>> from partita.sampling.bits import TestBits
    >>> made(3, 5, bits=TestBits(1)).present.shape
    (3, 5)
    """
    size = (whole(wards, "wards", least=1), whole(people, "people", least=1))
    return Cohort(below(2, size[0] * size[1], bits=bits).astype(bool).reshape(size))


def half(count: int, *, bits: BitSource) -> NDArray[np.bool_]:
    """So many coins of which half show yes, in random order: always guessing the same is right half of the time.

    >>> from partita.sampling.bits import TestBits
    >>> int(half(10, bits=TestBits(1)).sum())
    5
    """
    return permutation(count, bits=bits) < count // 2
