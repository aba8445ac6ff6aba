"""Heavy hitters: values of an open set that many people have, found without a list of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, final

import numpy as np

from partita.composition.calibration.pricing import Price
from partita.errors import algorithms as refuse
from partita.exact import Number, probability
from partita.granularity.base import Relation
from partita.mechanisms.base import Event
from partita.mechanisms.histogram import relation_of
from partita.mechanisms.key_selection import GaussianThreshold, LaplaceThreshold
from partita.sampling.bits import BitSource
from partita.theory.distance import Distance
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.zcdp import ZCDP

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@final
@dataclass(frozen=True, slots=True)
class HeavyHitters:
    """The values found and their noisy counts.

    ``error`` is what the noise of as many counts as were found stays within, with this confidence: for values named
    beforehand. Among very many rare values some are found just because their noise was large, and are off by more.
    """

    counts: dict[Any, int]
    error: float
    confidence: Fraction
    mechanism: LaplaceThreshold | GaussianThreshold

    @property
    def event(self) -> Event:
        """What finding them cost: for pt.compose."""
        return self.mechanism.at(Distance(self.mechanism.norm, Fraction(1)))

    @property
    def surely_found(self) -> int:
        """A value that at least so many people have is found with the confidence, each by itself."""
        return int(self.mechanism.threshold + self.mechanism.error(self.confidence)) + 1

    def plot(self) -> Figure:
        """The noisy counts with their error, the largest first, and the threshold."""
        from partita.canvas import FAINT, INK, named_ticks, sheet

        ordered = sorted(self.counts.items(), key=lambda found: -found[1])
        at = np.arange(len(ordered))
        with sheet("Values that many people have") as (figure, axes):
            axes.errorbar(
                at, [count for _, count in ordered], yerr=self.error, fmt="o", color=INK, ecolor=FAINT, capsize=4
            )
            axes.axhline(self.mechanism.threshold, color=FAINT, linewidth=0.8)
            named_ticks(axes, [str(value) for value, _ in ordered])
            axes.set_ylabel("people")
        return figure


def heavy_hitters(
    values: Mapping[Any, int] | Iterable[Hashable],
    *,
    epsilon: Number | None = None,
    delta: Number | None = None,
    rho: Number | None = None,
    keys: int = 1,
    relation: str | Relation = Relation.ADD_REMOVE,
    confidence: Number = 0.95,
    bits: BitSource | None = None,
) -> HeavyHitters:
    """The values whose noisy count is above a threshold that hides every value of one person (theory C15).

    ``values`` is one value a person, or how many people have each value, where nobody counts for more than ``keys``
    values. The price is ε and δ, or ρ and δ.

    >>> from partita.sampling.bits import TestBits
    >>> drinks = ["tea"] * 400 + ["coffee"] * 300 + ["my own secret"]
    >>> found = heavy_hitters(drinks, epsilon=1, delta="1e-6", bits=TestBits(1))
    >>> sorted(found.counts)
    ['coffee', 'tea']
    """
    price = Price.of(epsilon=epsilon, rho=rho, delta=delta)
    if price.delta is None:
        raise refuse.no_delta()
    sure, kept = probability(confidence, "confidence"), relation_of(relation)
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise refuse.bad_counts(type(values).__name__)
    try:
        counts = values if isinstance(values, Mapping) else Counter(values)
    except TypeError:
        raise refuse.bad_counts("a list of lists") from None
    mechanism: LaplaceThreshold | GaussianThreshold
    if price.epsilon is not None:
        budget = Approximate(epsilon=price.epsilon, delta=price.delta)
        mechanism = LaplaceThreshold.for_budget(budget, keys=keys, relation=kept)
    else:
        assert price.rho is not None
        mechanism = GaussianThreshold.for_budget(ZCDP(rho=price.rho, delta=price.delta), keys=keys, relation=kept)
    found = mechanism.release(counts, bits=bits)
    return HeavyHitters(found, mechanism.error(sure, max(len(found), 1)), sure, mechanism)
