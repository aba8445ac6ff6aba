"""What two neighbouring outcomes really lose: how far everything moves, and whether a claim covers that."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import combinations_with_replacement
from typing import NamedTuple, final

from partita.assay.composed import least_delta
from partita.assay.release import Histograms, Numbers, Outcome, Reading, Released, histogram
from partita.assay.rows import Texts
from partita.mechanisms.base import Mechanism
from partita.mechanisms.gaussian import GaussianNoise
from partita.mechanisms.laplace import Laplace
from partita.theory.distance import Distance, Norm
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.base import Measure
from partita.theory.measures.gdp import GDP
from partita.theory.measures.pure import Pure
from partita.theory.measures.zcdp import ZCDP

Vector = tuple[Fraction, ...]
_ALIKE = 1e-9  # a claim in (ε, δ) was rounded up at its end; our own curve is in doubles


class Move(NamedTuple):
    """One release that moved, and how far: its length in L1 and L∞, the square of its length in L2."""

    mechanism: int
    power: int | Fraction


Moved = tuple[Move, ...]


@final
class Scales:
    """The mechanisms of all questions that are charged together, and what they lose when they move so far."""

    def __init__(self, readings: Sequence[Reading]) -> None:
        self.mechanisms: list[Mechanism] = []
        self._starts = []
        for released in (reading.released for reading in readings):
            self._starts.append(len(self.mechanisms))
            self.mechanisms += [part.mechanism for part in released.parts]
            self.mechanisms += [choice.mechanism for choice in released.choices]
            self.mechanisms += [] if released.selection is None else [released.selection]
        self._losses: dict[tuple[Moved, type[Measure]], Vector] = {}
        self.work = 0

    def moves(self, which: int, reading: Reading, before: Outcome, after: Outcome) -> Iterator[Moved]:
        """How far a question moves between two outcomes, for every set of open keys that may be named."""
        self.work += 1
        released, first = reading.released, self._starts[which]
        naming: list[Move] = []
        if released.selection is not None:
            rule = first + len(released.parts) + len(released.choices)
            keys: int = released.selection.keys  # type: ignore[attr-defined]
            people = _people(reading.crowd(before), reading.crowd(after), keys)
            naming += [Move(rule, people)] if people else []
        for named in reading.namings((before, after)):
            old, new = reading.lines(before, named), reading.lines(after, named)
            found = [*naming, *_numbers(released, first, old[0], new[0])]
            yield (*found, *self._choices(released, first + len(released.parts), old[1], new[1]))

    def _choices(self, released: Released, first: int, before: Histograms, after: Histograms) -> Iterator[Move]:
        """How far the scores of each choice move: half their range, as the same added to all changes nothing."""
        for line, at in {**before, **after}:
            old, new = before.get((line, at)) or Counter(), after.get((line, at)) or Counter()
            if old == new:
                continue
            choice = released.choices[at]
            near = {one + off for one in {**old, **new} for off in (-1, 0, 1)} | {choice.low, choice.high}
            asked = sorted(one for one in near if choice.low <= one <= choice.high)
            self.work += len(asked) ** choice.count // 2
            was, now = histogram(old), histogram(new)
            tuples = combinations_with_replacement(asked, choice.count)
            apart = [choice.away(was, some) - choice.away(now, some) for some in tuples]
            half = Fraction(max(apart) - min(apart)) / 2
            if half:
                yield Move(first + at, half)

    def covered(self, moved: Moved, claimed: Vector, kind: type[Measure]) -> bool:
        """Whether a claim is no less than what such moves lose together."""
        if not moved:
            return True
        if kind is Approximate:
            return self._approximate(moved, *claimed)
        if (moved, kind) not in self._losses:
            self._losses[moved, kind] = self.loss(moved, kind)
        return all(true <= claim for true, claim in zip(self._losses[moved, kind], claimed, strict=True))

    def loss(self, moved: Moved, kind: type[Measure]) -> Vector:
        """The loss of independent releases in a measure that adds up."""
        vectors = [_loss(self.mechanisms[one.mechanism], one.power, kind) for one in moved]
        return tuple(sum(parts, Fraction(0)) for parts in zip(*vectors, strict=True))

    def _approximate(self, moved: Moved, epsilon: Fraction, delta: Fraction) -> bool:
        """Whether the δ at the claimed ε is no more than claimed: pure losses first, then the Gaussian curve.

        A plan may be composed more closely than that, also where one of its questions moves alone: then by the losses
        themselves, from below.
        """
        shift, kept = Fraction(0), Fraction(1)
        laplace, pure = [], []
        for one in moved:
            noise = self.mechanisms[one.mechanism]
            if isinstance(noise, GaussianNoise):
                shift += one.power / noise.sigma**2
            elif isinstance(noise, Laplace):
                laplace.append(one.power / noise.scale)
            else:
                spent = _loss(noise, one.power, Approximate)
                pure.append(spent[0])
                kept *= 1 - spent[1]
        # Failures are independent: none happens with the product of what is left of each.
        rest = 1 - (1 - delta) / kept
        left, mu = epsilon - sum(laplace) - sum(pure), math.sqrt(shift)
        if left >= 0 and rest >= 0 and (not mu or gaussian_delta(mu, float(left)) <= float(rest) * (1 + _ALIKE)):
            return True
        if rest <= 0 or not (laplace or pure):
            return False
        return least_delta(float(epsilon), mu, [*map(float, laplace)], [*map(float, pure)]) <= float(rest) * (
            1 + _ALIKE
        )

    def shown(self, moved: Moved) -> str:
        """The moves for the operator's log."""
        return ", ".join(f"{self.mechanisms[one.mechanism]!r} moves by {one.power}" for one in moved)


def _numbers(released: Released, first: int, before: Numbers, after: Numbers) -> Iterator[Move]:
    """How far the numbers of each part move, over all lines."""
    if before == after:
        return
    apart = []
    for line in {**before, **after}:
        old, new = before.get(line), after.get(line)
        if old is None or new is None:
            apart.append(old or new or [])
        else:
            apart.append([one - other for one, other in zip(new, old, strict=True)])
    start = 0
    for at, part in enumerate(released.parts):
        end = start + len(part.entries)
        match part.mechanism.norm:
            case Norm.L1:
                power = sum(abs(one) for line in apart for one in line[start:end])
            case Norm.L2:
                power = sum(one * one for line in apart for one in line[start:end])
            case Norm.LINF:
                power = max((abs(one) for line in apart for one in line[start:end]), default=0)
        if power:
            yield Move(first + at, power)
        start = end


def _people(before: dict[Texts, int], after: dict[Texts, int], keys: int) -> int:
    """The fewest people with so many keys each, once in a key, who make the difference."""
    apart = [abs(after.get(key, 0) - before.get(key, 0)) for key in {**before, **after}]
    return max(*apart, -(-sum(apart) // keys)) if apart else 0


@lru_cache(maxsize=4096)
def _loss(noise: Mechanism, power: int | Fraction, kind: type[Measure]) -> Vector:
    """From the closed forms: Laplace |x|/b, Gaussian x²/2σ² in ρ and x²/σ² in μ²; else as its own proof says."""
    if isinstance(noise, Laplace) and kind is Pure:
        return (power / noise.scale,)
    if isinstance(noise, GaussianNoise) and kind is ZCDP:
        return power / (2 * noise.sigma**2), Fraction(0)
    if isinstance(noise, GaussianNoise) and kind is GDP:
        return (power / noise.sigma**2,)
    return noise.cost(Distance(noise.norm, Fraction(power)), kind).vector()


def gaussian_delta(mu: float, epsilon: float) -> float:
    """The δ of Gaussian noise moved by μ deviations: Φ(μ/2 - ε/μ) - e^ε Φ(-μ/2 - ε/μ) (theory C2).

    >>> round(gaussian_delta(1.0, 1.0), 8)
    0.12693674
    """

    def below(at: float) -> float:
        return math.erfc(-at / math.sqrt(2)) / 2

    second = below(-mu / 2 - epsilon / mu)
    return below(mu / 2 - epsilon / mu) - (math.exp(epsilon) * second if second else 0.0)
