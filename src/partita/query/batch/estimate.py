"""Estimates: each question of a batch from all released numbers that tell of it, with the least variance there is."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from partita.query.answer.estimators import Estimator, Linear
from partita.query.answer.intervals import Spread
from partita.query.answer.mixed import Mixed
from partita.query.answer.results import Result
from partita.query.batch.allotment import Told
from partita.query.language.plan import Plan
from partita.query.noise.quote import Quote
from partita.query.reuse.reuse import linears, rebuilt
from partita.query.reuse.sums import Floats, Sums, family, sums

# Weights below this are rounding; estimates are kept to so many digits beyond their deviation.
_NOTHING: Final = 1e-11
_DIGITS: Final = 9
# The error of what has none, such as a sum of zeros.
_HARDLY: Final = 1e-6


@final
@dataclass(frozen=True, eq=False)
class Estimate:
    """A question as combinations of released numbers: unbiased, and of least variance (Gauss and Markov).

    ``sources`` are the releases, in the order in which ``mixed`` counts their numbers. Every part of an estimator is
    estimated as a whole number of the unit 1 / ``divisors``.
    """

    sources: tuple[Quote, ...]
    mixed: Mixed
    estimators: tuple[Estimator, ...]
    divisors: tuple[int, ...]
    figure: float

    def result(self, want: Quote, noisy: Mapping[str, NDArray[np.object_]]) -> Result:
        """The result from the numbers of its releases, by their fingerprints."""
        every = np.concatenate([noisy[one.fingerprint].ravel() for one in self.sources]).astype(float)
        values = self.mixed.weights @ every
        whole = np.empty(values.shape, dtype=object)
        for (line, part), value in np.ndenumerate(values):
            whole[line, part] = round(value)
        width = len(self.divisors)
        spreads = []
        for place in range(width):
            unit = [float(place == other) for other in range(width)]
            spreads.append(self.mixed.spread(self.mixed.widest(unit), unit))
        return Result(want.plan, want.program.cells, whole, self.estimators, tuple(spreads), mixed=self.mixed)


def told(quotes: Sequence[Quote], worth: Sequence[float]) -> tuple[list[Told], list[float]] | None:
    """The families of questions, and the errors of those that stand alone; None if there are too many cells.

    The first quotes are questions, each with what its error is worth; the rest are releases nobody asked for.
    """
    alone = [weight * _figure(quote) for weight, quote in zip(worth, quotes, strict=False)]
    alone += [0.0] * (len(quotes) - len(alone))
    found = []
    for places in _families(quotes).values():
        mine = sums([quotes[place] for place in places])
        if mine is None:
            return None
        information = np.zeros((len(places), len(mine.vectors)))
        wanted = np.zeros((mine.rank, mine.rank))
        for line, place in enumerate(places):
            quote = quotes[place]
            variances = np.tile([one.variance for one in quote.spreads], quote.program.cells.count)
            np.add.at(information[line], mine.of[line], mine.factors[line] ** 2 / variances)
            if place < len(worth):
                alone[place] = 0.0
                for vectors, size in _felt(quote, _numbers(mine, line, quote)):
                    wanted += worth[place] / (size * len(vectors)) * (vectors.T @ vectors)
        found.append(Told(tuple(places), mine, information, wanted))
    return found, alone


def _figure(quote: Quote) -> float:
    """The error of a question by itself; what is charged for has some, so that it has a share."""
    return quote.figure or (_HARDLY if quote.mechanisms else 0.0)


def estimates(
    families: Sequence[Told], first: Sequence[Quote], count: int, released: Mapping[int, Quote]
) -> list[Estimate | None]:
    """The best estimate of each question; None where only its own release tells of it.

    The questions are the first so many quotes of ``families``; ``released`` are the releases that are made, by their
    places among the quotes: the same numbers with other noise.
    """
    found: list[Estimate | None] = [None] * count
    for one in families:
        order = {place: line for line, place in enumerate(one.places)}
        sources = [place for place in one.places if place in released]
        best = _Best(
            [_numbers(one.sums, order[place], first[place]) for place in sources],
            [released[place] for place in sources],
        )
        for place in one.places:
            if place < count:
                found[place] = best.estimate(first[place], _numbers(one.sums, order[place], first[place]))
    return found


def _families(quotes: Sequence[Quote]) -> dict[tuple[object, ...], list[int]]:
    """The places of quotes whose numbers are sums over the same rows, where there are several."""
    found: dict[tuple[object, ...], list[int]] = {}
    for place, quote in enumerate(quotes):
        shared = family(quote)
        if shared is not None:
            found.setdefault(shared, []).append(place)
    return {
        shared: places
        for shared, places in found.items()
        if len({quotes[place].plan.fingerprint for place in places}) > 1
    }


def _numbers(mine: Sums, place: int, quote: Quote) -> Floats:
    """The numbers of a quote as vectors: an axis for lines, one for numbers, one for coordinates."""
    found: Floats = mine.vectors[mine.of[place]] * mine.factors[place][:, None]
    return found.reshape(quote.program.cells.count, -1, mine.rank)


def _lines(plan: Plan, quote: Quote, numbers: Floats) -> Floats:
    """The numbers of each line that is shown: a group, or a margin of groups."""
    if not plan.lines.sets:
        return numbers
    return np.array([numbers[members].sum(axis=0) for _, members in quote.program.cells.margins(plan.lines.sets)])


def _combined(part: Linear, lines: Floats) -> Floats:
    found: Floats = np.tensordot(np.array([float(weight) for weight in part.exactly]), lines, axes=(0, 1))
    return found


def _felt(quote: Quote, numbers: Floats) -> list[tuple[Floats, float]]:
    """What a question feels the error of, in each line, with the square of what is a large error."""
    lines = _lines(quote.plan, quote, numbers)
    if quote.plan.lines.sets:
        lines = lines * _levels(quote)[:, None, None]
    return [(_combined(part, lines), float(size)) for part, size in quote.offer.strategy.felt]


def _levels(quote: Quote) -> Floats:
    """How much each line of a question with margins is felt: every level as much as any other, whatever its lines."""
    levels = [keys for keys, _ in quote.program.cells.margins(quote.plan.lines.sets)]
    often = Counter(levels)
    return np.array([math.sqrt(len(levels) / (len(often) * often[keys])) for keys in levels])


@final
class _Best:
    """The best estimates from the numbers of some releases."""

    def __init__(self, numbers: Sequence[Floats], released: Sequence[Quote]) -> None:
        self.released = released
        self.noise: list[Spread] = [
            spread for quote in released for _ in range(quote.program.cells.count) for spread in quote.spreads
        ]
        self.owner = np.repeat(range(len(released)), [one.shape[0] * one.shape[1] for one in numbers])
        deviations = np.sqrt([spread.variance for spread in self.noise])
        self.vectors = np.concatenate([one.reshape(-1, one.shape[2]) for one in numbers])
        self.scaled = self.vectors / deviations[:, None]
        self.deviations = deviations
        # By the singular values of the measurements: what they do not tell of is left out exactly.
        left, values, right = np.linalg.svd(self.scaled, full_matrices=False)
        clear = values > 1e-7 * values[0]
        self.solved: Floats = (right[clear].T / values[clear]) @ left[:, clear].T

    def estimate(self, want: Quote, numbers: Floats) -> Estimate | None:
        lines = _lines(want.plan, want, numbers)
        parts = list(dict.fromkeys(part for estimator in want.estimators for part in linears(estimator)))
        wanted = np.stack([_combined(part, lines) for part in parts], axis=1)
        scaled = wanted @ self.solved
        # Once more for what rounding left over, so that nothing but rounding is left of a bias.
        scaled += (wanted - scaled @ self.scaled) @ self.solved
        lengths = np.linalg.norm(scaled, axis=2)
        used = np.unique(self.owner[(np.abs(scaled) > _NOTHING * lengths[:, :, None]).any(axis=(0, 1))])
        own = [place for place in used if self.released[place].plan.fingerprint == want.plan.fingerprint]
        if len(used) == 1 and own and not want.plan.lines.sets:
            return None
        kept = np.isin(self.owner, used)
        weights = (scaled / self.deviations)[:, :, kept]
        divisors = tuple(10 ** max(0, _DIGITS - math.floor(math.log10(float(least)))) for least in lengths.min(axis=0))
        weights = weights * np.array([float(divisor) for divisor in divisors])[None, :, None]
        figure = 0.0
        for vectors, size in _felt(want, numbers):
            told = vectors @ self.solved
            figure += float((told**2).sum()) / (size * len(vectors))
        return Estimate(
            tuple(self.released[place] for place in used),
            Mixed(weights, tuple(one for one, keep in zip(self.noise, kept, strict=True) if keep)),
            tuple(_placed(estimator, parts, divisors) for estimator in want.estimators),
            divisors,
            figure,
        )


def _placed(estimator: Estimator, parts: Sequence[Linear], divisors: Sequence[int]) -> Estimator:
    """The estimator over estimated parts."""
    made = []
    for part in linears(estimator):
        place = parts.index(part)
        made.append(replace(_unit(place, len(parts), divisors[place]), constant=part.constant))
    return rebuilt(estimator, made)


def _unit(place: int, width: int, divisor: int) -> Linear:
    return Linear(tuple(int(place == other) for other in range(width)), divisor)
