"""Which neighbours to try, for every way in which people are protected."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from partita.assay.changing import Changing
from partita.assay.claim import Claim
from partita.assay.coming import Coming, Stepping
from partita.assay.meaning import Codes, Unknown
from partita.assay.owning import Owning
from partita.assay.release import Reading
from partita.assay.trials import Trial
from partita.granularity import Groups, Metric, Replace, Rows, Users, Windows


def trials(readings: Sequence[Reading], claim: Claim, values: Sequence[Codes]) -> Iterator[Trial]:
    """Neighbours to try under the claim's promise, the most telling first."""
    size, unit = 1, claim.granularity
    while isinstance(unit, Groups):
        size, unit = size * unit.size, unit.of
    match unit:
        case Rows():
            return Coming(readings, claim, unit, size, values).trials()
        case Replace() | Metric():
            return Changing(readings, claim, unit, size, values).trials()
        case Users():
            return Owning(readings, claim, unit, size, values).trials()
        case Windows():
            return Stepping(readings, claim, unit, size, values).trials()
        case _:
            raise Unknown(f"nothing can be said of {unit}")
