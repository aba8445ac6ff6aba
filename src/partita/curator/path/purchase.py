"""A purchase: a charge, everything that is read for it, and how that becomes what may be seen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, final

from numpy.typing import NDArray

from partita.ledger.charge import Charge
from partita.query.exact.extract import Extract
from partita.query.exact.program import Program
from partita.query.noise.quote import Quote
from partita.sampling.bits import BitSource

Made = TypeVar("Made")


@final
@dataclass(frozen=True, slots=True)
class Reading(Generic[Made]):
    """One program that is run on protected rows, and what makes something private of what it gives.

    ``make`` draws the noise. Where it fails, or gives nothing, it is given what no rows give; what the operator is told
    of a failure is ``alarm``, a text and what it is about.
    """

    program: Program | Extract
    make: Callable[[NDArray[Any], BitSource | None], Made | None]
    alarm: tuple[str, ...]


@final
@dataclass(frozen=True, slots=True)
class Purchase(Generic[Made]):
    """What one charge pays for: its readings, and the one text that the book keeps of what was made from them.

    ``stored`` must not fail on anything that was made. ``quotes`` are the questions that the charge is for, to be tried
    a second way; an algorithm has none.
    """

    charge: Charge
    readings: tuple[Reading[Made], ...]
    stored: Callable[[Sequence[Made]], bytes]
    quotes: tuple[Quote, ...] = ()
