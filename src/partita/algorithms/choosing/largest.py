"""The k items with the largest counts: chosen one after the other, or all at once from one set of noisy counts."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, final

import numpy as np

from partita.algorithms.budget import budget_of
from partita.algorithms.progress import track
from partita.composition.calibration.calibrate import calibrate
from partita.errors import algorithms as refuse
from partita.exact import Number, probability, whole
from partita.granularity.base import Relation
from partita.mechanisms.base import Event
from partita.mechanisms.exponential import Exponential
from partita.mechanisms.histogram import relation_of
from partita.mechanisms.integers import Integers, add, read_flat, source_of
from partita.mechanisms.laplace import Laplace
from partita.mechanisms.noisy_max import NoisyMax
from partita.mechanisms.permute_and_flip import PermuteAndFlip
from partita.sampling import rounded
from partita.sampling.bits import BitSource
from partita.theory import numerics
from partita.theory.distance import Distance
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.base import Measure
from partita.theory.measures.gdp import GDP
from partita.theory.measures.pure import Pure
from partita.theory.measures.zcdp import ZCDP

if TYPE_CHECKING:
    from matplotlib.figure import Figure

METHODS = ("peeling", "one-shot")
_ONE = Distance.linf(1)


@final
@dataclass(frozen=True, slots=True)
class TopK:
    """Chosen items, the first with the largest count as far as noise lets one see, and what choosing them cost.

    ``shortfall`` is how far below the true k-th count any of them may be, with this confidence, whatever the counts
    are.
    """

    items: tuple[Hashable, ...]
    shortfall: float
    confidence: Fraction
    event: Event

    def plot(self) -> Figure:
        """The items in the order in which they were chosen, with how far each may be below its place."""
        from partita.canvas import FAINT, INK, sheet

        at = np.arange(len(self.items))
        with sheet(f"The {len(self.items)} chosen items") as (figure, axes):
            axes.errorbar(at, np.zeros(len(at)), yerr=[np.full(len(at), self.shortfall), np.zeros(len(at))], fmt="o",
                          color=INK, ecolor=FAINT, capsize=4)  # fmt: skip
            axes.set_xticks(at, [str(item) for item in self.items])
            axes.set_ylabel("count, relative to the true k-th")
        return figure


def top_k(
    counts: Mapping[Any, int] | Sequence[int],
    k: int,
    *,
    epsilon: Number | None = None,
    delta: Number | None = None,
    rho: Number | None = None,
    mu: Number | None = None,
    relation: str | Relation = Relation.ADD_REMOVE,
    method: str = "peeling",
    confidence: Number = 0.95,
    bits: BitSource | None = None,
) -> TopK:
    """The k items of a public list with the largest counts, each person moving any count by one at most.

    ``"peeling"`` chooses one item after the other: by permute-and-flip at a pure price, by the exponential mechanism
    at one in ρ, μ or (ε, δ), whichever sees more. ``"one-shot"`` adds Laplace noise once and names the k largest
    (largest.proof.md).

    >>> from partita.sampling.bits import TestBits
    >>> top_k({"a": 900, "b": 20, "c": 500, "d": 3}, 2, epsilon=1, bits=TestBits(1)).items
    ('a', 'c')
    """
    budget = budget_of(epsilon=epsilon, delta=delta, rho=rho, mu=mu)
    items, scores = _read(counts)
    wanted, sure = whole(k, "k", least=1), probability(confidence, "confidence")
    if wanted > len(items):
        raise refuse.too_many_chosen(wanted, len(items))
    if method not in METHODS:
        raise refuse.unknown_method(method, METHODS)
    monotone = relation_of(relation) is Relation.ADD_REMOVE
    drawing = source_of(bits)
    if method == "one-shot":
        total = _pure(budget)
        noise = Laplace(scale=wanted * (1 if monotone else 2) / total)
        noisy = add(scores, rounded.laplace(noise.scale, scores.size, drawing))
        places = [int(place) for place in np.argsort(-noisy, kind="stable")[:wanted]]
        short = 2 * noise.error(sure, len(items))
        event = NoisyMax(epsilon=total, monotone=monotone).at(_ONE)
    else:
        chooser = _chooser(budget, wanted, monotone=monotone)
        places = _peeled(chooser, scores, wanted, drawing)
        short = chooser.error(1 - (1 - sure) / wanted, len(items))
        event = chooser.at(_ONE, wanted)
    return TopK(tuple(items[place] for place in places), short, sure, event)


def _peeled(chooser: Exponential | PermuteAndFlip, scores: Integers, wanted: int, bits: BitSource) -> list[int]:
    """One choice after the other among those that are left: what was chosen is public."""
    left = list(range(len(scores)))
    found = []
    for _ in track(range(wanted), "Choosing"):
        found.append(left.pop(chooser.release(scores[left], bits=bits)))
    return found


def _chooser(budget: Measure, wanted: int, *, monotone: bool) -> Exponential | PermuteAndFlip:
    """The choice of which so many together fit the budget, and that sees most of the counts."""
    match budget:
        case Pure(epsilon=epsilon):
            return PermuteAndFlip(epsilon=epsilon / wanted, monotone=monotone)
        case Approximate(epsilon=epsilon, delta=delta):
            sharper: Exponential = calibrate(
                Exponential, count=wanted, epsilon=epsilon, delta=delta, distance=_ONE, monotone=monotone
            )
            plain = PermuteAndFlip(epsilon=epsilon / wanted, monotone=monotone)
            return plain if plain.epsilon >= sharper.epsilon else sharper
        case _:
            return Exponential(epsilon=_largest(budget, wanted), monotone=monotone)


def _largest(budget: Measure, count: int) -> Fraction:
    """The largest ε of a choice of which so many fit a budget in ρ or μ; a little below it."""

    def enough(scale: Fraction) -> bool:
        cost = Exponential(epsilon=1 / scale).cost(_ONE, type(budget))
        return cost.times(count).fits(budget)

    return 1 / numerics.least_positive(enough, steps=40)


def _pure(budget: Measure) -> Fraction:
    match budget:
        case Pure(epsilon=epsilon) | Approximate(epsilon=epsilon):
            return epsilon
        case ZCDP() | GDP():
            return _generic(budget)
        case _:
            raise refuse.unknown_method("one-shot", METHODS[:1])


def _generic(budget: Measure) -> Fraction:
    """The largest ε, a little below, of which any private choice fits a budget in ρ or μ."""

    def enough(scale: Fraction) -> bool:
        return NoisyMax(epsilon=1 / scale).cost(_ONE, type(budget)).fits(budget)

    return 1 / numerics.least_positive(enough, steps=40)


def _read(counts: object) -> tuple[list[Hashable], Integers]:
    if isinstance(counts, Mapping):
        return list(counts), read_flat([int(count) for count in _whole(counts.values())])
    if isinstance(counts, str | bytes) or not isinstance(counts, Sequence | np.ndarray):
        raise refuse.bad_counts(type(counts).__name__)
    found = read_flat(counts)
    return list(range(len(found))), found


def _whole(values: Any) -> list[Any]:
    listed = list(values)
    read_flat(listed)  # refuses what is no whole number
    return listed
