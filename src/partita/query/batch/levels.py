"""Levels: the margins of one question, each from a release of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from partita.query.answer.mixed import Stacked
from partita.query.answer.results import Result
from partita.query.noise.quote import Quote


@final
@dataclass(frozen=True, eq=False)
class Levels:
    """A question with margins as one release for each of its levels, all of the same numbers.

    ``places`` says for each line of the answer which level it is of, and which line there.
    """

    sources: tuple[Quote, ...]
    places: tuple[tuple[int, int], ...]
    figure: float

    def result(self, want: Quote, noisy: Mapping[str, NDArray[np.object_]]) -> Result:
        """The result from the numbers of its releases, by their fingerprints."""
        found = [noisy[one.fingerprint] for one in self.sources]
        width = len(self.sources[0].spreads)
        lines = np.empty((len(self.places), width), dtype=object)
        for line, (level, place) in enumerate(self.places):
            lines[line] = found[level][place]
        stacked = Stacked(tuple(one.spreads for one in self.sources), tuple(level for level, _ in self.places))
        return Result(
            want.plan, want.program.cells, lines, self.sources[0].estimators, self.sources[0].spreads, mixed=stacked
        )


def levels(want: Quote, released: Sequence[Quote]) -> Levels | None:
    """The question from one release a level, in the order of its sets; None where their numbers are unlike."""
    if len({one.offer.strategy.measurements for one in released}) > 1:
        return None
    known = [{cell: line for line, cell in enumerate(one.program.cells.listed)} for one in released]
    margins, order = want.program.cells.margins(want.plan.lines.sets), want.program.cells.keys
    level = {frozenset(one.plan.keys): place for place, one in enumerate(released)}
    places = []
    for keys, members in margins:
        at = level[frozenset(keys)]
        cell = dict(zip(order, want.program.cells.listed[members[0]], strict=True))
        line = known[at].get(tuple(cell[key] for key in released[at].program.cells.keys))
        if line is None:
            return None
        places.append((at, line))
    figure = sum(one.figure for one in released) / len(released)
    return Levels(tuple(released), tuple(places), figure)
