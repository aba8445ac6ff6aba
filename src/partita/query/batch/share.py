"""Shares of a batch: what is released for it, and how each question is made from all that tells of it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from partita.exact import Number, probability
from partita.query.answer.results import Result
from partita.query.batch.estimate import Estimate
from partita.query.batch.levels import Levels
from partita.query.batch.split import ROUNDS, split
from partita.query.noise.quote import Quote
from partita.query.reuse.reuse import Derived, Released, combined, derived, looser
from partita.region.meetings import Meeting

# A choice is worth making for this much; splits are rough while choices are compared.
_BETTER: Final = 0.999
_ROUGH: Final = 40
_THRESHOLDS: Final = 3

Numbers = Mapping[str, NDArray[np.object_]]


@final
@dataclass(frozen=True)
class Share:
    """A question of a batch, and the releases it is made from: its own, others that tell of it, or both."""

    quote: Quote
    sources: tuple[Quote, ...]
    estimate: Estimate | Levels | None = None

    @property
    def alone(self) -> bool:
        """Whether the question is its own release and nothing else."""
        own = len(self.sources) == 1 and self.sources[0].fingerprint == self.quote.fingerprint
        return own and self.estimate is None

    @property
    def figure(self) -> float:
        """The expected squared error, each in units of what one row can do; a bound where it is made of several."""
        if self.alone:
            return self.quote.figure
        if self.estimate is not None:
            return self.estimate.figure
        return self.quote.figure * looser(self.result(self.nothing()), self.quote)

    def result(self, noisy: Numbers) -> Result:
        """The result of the question from the numbers of its releases, by their fingerprints."""
        if self.alone:
            return self.quote.result(noisy[self.quote.fingerprint])
        if self.estimate is not None:
            return self.estimate.result(self.quote, noisy)
        return combined([_told(one, noisy[one.fingerprint], self.quote) for one in self.sources], self.quote)

    def error(
        self, confidence: Number = 0.95, *, rows: int | None = None, simultaneous: bool = False
    ) -> dict[str, Any]:
        """The half-width of the error bar of each column, before anything is released."""
        if self.alone:
            return self.quote.error(confidence, rows=rows, simultaneous=simultaneous)
        sure = float(probability(confidence, "confidence"))
        found = self.result(self.nothing())
        return found.expected_error(sure, len(found.numbers) if simultaneous else 1, rows)

    def nothing(self) -> Numbers:
        """Numbers that say nothing, to see what would be made of them."""
        return {one.fingerprint: _zeros(one) for one in self.sources}


def shares_of(quotes: Sequence[Quote], released: Sequence[Quote]) -> list[Share]:
    """Each question with all releases that tell of it, its own first."""
    found = []
    for want in quotes:
        own = [one for one in released if one.plan.fingerprint == want.plan.fingerprint]
        tell = [one for one in released if one not in own and derived(Released(one, _zeros(one)), want) is not None]
        plain = derived(Released(want, _zeros(want)), want) is not None
        found.append(Share(own[0] if own else want, (*own[:1], *(tell if plain else ()))))
    return found


def thrifty(
    quotes: Sequence[Quote], errors: Sequence[float], sets: Sequence[Meeting], power: float
) -> tuple[list[int], list[float]]:
    """Which quotes to release, and the share of the price of each; the other questions follow from them.

    All quotes are at the whole price. The first are questions, with their ``errors``; the rest are releases that nobody
    asked for, used only if questions follow from them. Questions that follow from one and the same release are left
    out together, since panels about different people save nothing one by one; the choice that lowers the total error
    most is made first.
    """
    loose = _looseness(quotes, len(errors))
    through: list[int | None] = [None] * len(errors)
    best = _total(errors, through, loose, sets, power, rounds=_ROUGH)[1]
    while True:
        trials = list(_trials(through, len(quotes), loose))
        totals = [_total(errors, trial, loose, sets, power, rounds=_ROUGH)[1] for trial in trials]
        if not totals or min(totals) >= best * _BETTER:
            break
        best = min(totals)
        through = trials[totals.index(best)]
    return _kept(through), _total(errors, through, loose, sets, power, rounds=ROUNDS)[0]


def _kept(through: Sequence[int | None]) -> list[int]:
    """What is released: questions that are not made from others, and whatever others are made from."""
    sources = {other for other in through if other is not None}
    return sorted(sources.union(place for place, other in enumerate(through) if other is None))


def _trials(
    through: Sequence[int | None], count: int, loose: dict[tuple[int, int], float]
) -> Iterator[list[int | None]]:
    """For each release, what may be left out because of it: all that follow from it, or those that lose least."""
    sources = {other for other in through if other is not None}
    open_places = {place for place, other in enumerate(through) if other is None}
    for other in (*sorted(open_places), *range(len(through), count)):
        follow = {
            place: ratio
            for (place, source), ratio in loose.items()
            if source == other and place not in sources and (place in open_places or other >= len(through))
        }
        for most in sorted(set(follow.values()))[-_THRESHOLDS:]:
            trial = list(through)
            for place, ratio in follow.items():
                if ratio <= most:
                    trial[place] = other
            yield trial


def _looseness(quotes: Sequence[Quote], count: int) -> dict[tuple[int, int], float]:
    """How many times larger the squared error of a question is when it is made from another at the same price."""
    found = {}
    for place, want in enumerate(quotes[:count]):
        for other, have in enumerate(quotes):
            made = None if place == other else derived(Released(have, _zeros(have)), want)
            if made is not None and math.isfinite(ratio := looser(combined([made], want), want)):
                found[place, other] = ratio
    return found


def _total(
    errors: Sequence[float],
    through: Sequence[int | None],
    loose: dict[tuple[int, int], float],
    sets: Sequence[Meeting],
    power: float,
    *,
    rounds: int,
) -> tuple[list[float], float]:
    """The best shares of those that are released, and the total error of all."""
    kept = _kept(through)
    summed = {place: errors[place] if place < len(errors) else 0.0 for place in kept}
    for place, other in enumerate(through):
        if other is not None:
            summed[other] += errors[place] * loose[place, other]
    order = {place: position for position, place in enumerate(kept)}
    left = [frozenset(order[place] for place in one if place in order) for one in sets]
    found = split([summed[place] for place in kept], left, power, rounds)
    shares = [0.0] * (max(kept) + 1)
    for place, share in zip(kept, found, strict=True):
        shares[place] = share
    return shares, sum(summed[place] * shares[place] ** -power for place in kept)


def _told(have: Quote, noisy: NDArray[np.object_], want: Quote) -> Derived:
    found = derived(Released(have, noisy), want)
    assert found is not None
    return found


def _zeros(quote: Quote) -> NDArray[np.object_]:
    return np.zeros((quote.program.cells.count, quote.width), dtype=object)
