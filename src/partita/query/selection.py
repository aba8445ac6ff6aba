"""Private selection of open keys: which groups of an unlisted column may be named, and what naming them costs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from partita.errors import selection as refuse
from partita.granularity import Granularity, Groups, Metric, Replace, Rows, Users, steps
from partita.mechanisms.gaussian import GaussianNoise
from partita.mechanisms.key_selection import GaussianThreshold, KeyThreshold, LaplaceThreshold
from partita.mechanisms.truncated_geometric import TruncatedGeometric
from partita.query.program import Histogram, Owners, Program
from partita.query.truncation import Truncation
from partita.sampling.bits import BitSource
from partita.theory.distance import Distance
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.base import Measure
from partita.theory.measures.zcdp import ZCDP

# Of the price, what naming the keys takes; the rest is for the values in the groups.
SHARE = Fraction(1, 3)

Rule = GaussianThreshold | LaplaceThreshold | TruncatedGeometric


@final
@dataclass(frozen=True, slots=True)
class Selection:
    """Keeps the keys that enough people have (theory C15). People count once for each of their keys."""

    mechanism: Rule

    def release(self, people: Mapping[Any, int], *, bits: BitSource | None = None) -> list[Any]:
        """The keys that may be named, in an order that is a function of the keys alone."""
        return list(self.mechanism.release(people, bits=bits))

    @property
    def needed(self) -> int:
        """How many people a key needs to be named nineteen times in twenty."""
        if isinstance(self.mechanism, KeyThreshold):
            return self.mechanism.threshold + int(self.mechanism.error(0.9)) + 1
        return int(self.mechanism.error(0.95))

    def explain(self) -> str:
        """What was done, in words."""
        return (
            f"A key is named where enough have it (nineteen times in twenty from {self.needed:,} on), for {SHARE} of "
            f"the price and all of δ; the rest are counted together under the key None."
        )


@final
@dataclass(frozen=True, slots=True)
class Steps:
    """How many people come or go, at most, when one row does, when one row changes, and in one step of a promise."""

    row: int
    both: int
    unit: int


def steps_of(granularity: Granularity, truncation: Truncation | None) -> Steps:
    """People who come or go, counted with their keys (selection.proof.md).

    >>> steps_of(Replace(), None)
    Steps(row=1, both=2, unit=2)
    """
    factor = 2 if truncation is not None and not isinstance(granularity.single, Users) else 1
    return Steps(factor, 2 * factor, _unit(granularity, factor))


def _unit(granularity: Granularity, factor: int) -> int:
    match granularity:
        case Rows():
            return factor
        case Replace() | Metric():
            return 2 * factor
        case Users():
            return 2 if granularity.altered else 1
        case Groups(size, of):
            return size * _unit(of, factor)
        case _:
            return factor * steps(Rows(), granularity)


@lru_cache(maxsize=1024)
def affordable(budget: Measure, people: int, keys: int) -> Selection:
    """The rule that names most keys within a budget, when so many people come or go with so many keys each.

    >>> affordable(Approximate(epsilon=1, delta="1e-6"), 1, 1).mechanism.kind
    'truncated_geometric'
    """
    if isinstance(budget, Approximate) and budget.epsilon and budget.delta:
        if people == 1:
            return Selection(TruncatedGeometric(epsilon=budget.epsilon, delta=budget.delta, keys=keys))
        scale = people * keys / budget.epsilon
        return Selection(
            _least(lambda limit: LaplaceThreshold(scale=scale, threshold=limit, keys=keys), people, budget.delta)
        )
    if isinstance(budget, ZCDP) and budget.rho and budget.delta:
        sigma = GaussianNoise.for_budget(ZCDP(rho=budget.rho), Distance.l2_squared(people**2 * keys)).sigma
        return Selection(
            _least(lambda limit: GaussianThreshold(sigma=sigma, threshold=limit, keys=keys), people, budget.delta)
        )
    raise refuse.no_delta(budget.symbol)


def cost(selection: Selection, people: int, budget: Measure) -> Measure:
    """What naming keys costs when so many people come or go."""
    return selection.mechanism.cost(Distance.l1(people), type(budget))


def _least(made: Any, people: int, delta: Fraction) -> Any:
    """The lowest threshold whose δ is small enough."""
    low, high = people - 1, people
    while made(high).leak(people) > delta:
        low, high = high, 2 * high + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if made(middle).leak(people) <= delta else (middle, high)
    return made(high)


def named(
    chosen: Selection, program: Program, found: NDArray[np.object_], *, bits: BitSource | None = None
) -> tuple[NDArray[np.object_], NDArray[np.object_]]:
    """The texts and the exact tallies of the groups that may be named, and last those of all other rows together.

    Which keys are named is a release of its own; given it, the groups are as public as declared ones. Owners cannot be
    added up over keys, so a question that counts them has no line for the rest.
    """
    texts, cells = len(program.opened), program.cells.count
    # Where no row can be in any group there are no lines, and no keys.
    firsts = found[:: max(cells, 1)]
    keys = [tuple(line[:texts]) for line in firsts]
    people = {key: int(line[texts]) for key, line in zip(keys, firsts, strict=True) if None not in key}
    kept = chosen.release(people, bits=bits)
    place = {key: position for position, key in enumerate(keys)}
    lines = [found[place[key] * cells : (place[key] + 1) * cells] for key in kept]
    if Owners() not in program.tallies:
        shown = set(kept)
        others = [position for key, position in place.items() if key not in shown]
        rest = program.blank([(None,) * texts])
        for position in others:
            rest[:, texts + 1 :] = _added(rest, found[position * cells : (position + 1) * cells], texts + 1)
        lines.append(rest)
    whole = np.concatenate([program.empty(), *lines])
    return whole[:, :texts], whole[:, texts + 1 :]


def _added(one: NDArray[np.object_], other: NDArray[np.object_], start: int) -> NDArray[np.object_]:
    made = one[:, start:].copy()
    for line, column in np.ndindex(*made.shape):
        mine, theirs = made[line, column], other[line, start + column]
        made[line, column] = mine.plus(theirs) if isinstance(mine, Histogram) else mine + theirs
    return made
