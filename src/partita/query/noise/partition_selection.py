"""Private selection of open keys: which groups of an unlisted column may be named, and what naming them costs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import repeat
from operator import is_not
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from partita.errors.query import prices as refuse
from partita.granularity import Granularity, Users
from partita.mechanisms.gaussian import GaussianNoise
from partita.mechanisms.key_selection import GaussianThreshold, KeyThreshold, LaplaceThreshold
from partita.mechanisms.truncated_geometric import TruncatedGeometric
from partita.query.exact.measurements import Lengths
from partita.query.exact.program import EMPTY, Histogram, Owners, Program, Values
from partita.query.exact.sensitivity import Sensitivity, behind
from partita.query.tables.truncation import Truncation
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


def people_moved(granularity: Granularity, truncation: Truncation | None) -> Sensitivity[Lengths]:
    """How many people come or go, counted with their keys: a length in L1 (partition_selection.proof.md).

    >>> from partita.granularity import Replace
    >>> people_moved(Replace(), None).unit.l1
    2
    """
    one, users = Lengths(1, 1, 1), granularity.single
    altered = one.times(2) if isinstance(users, Users) and users.altered else one
    swap = one.times(2) if behind(granularity, truncation) else None
    substitution = (swap or one).times(2)
    return Sensitivity.of(granularity, row=one, substitution=substitution, owner=one, altered=altered, swap=swap)


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
        hidden = np.ones(len(keys), dtype=bool)
        hidden[[place[key] for key in kept]] = False
        lines.append(_rest(program, found.reshape(len(keys), cells, found.shape[1])[hidden]))
    whole = np.concatenate([program.empty(), *lines])
    return whole[:, :texts], whole[:, texts + 1 :]


def _rest(program: Program, hidden: NDArray[np.object_]) -> NDArray[np.object_]:
    """The keys that are not named as one: the tallies of each group added up.

    Only groups that have rows are worked with one by one, so that a clock hardly tells how many keys are not named:
    such a key has few groups with rows, however many are listed.
    """
    texts = len(program.opened)
    rest = program.blank([(None,) * texts])
    for column, tally in enumerate(program.tallies, start=texts + 1):
        part = hidden[:, :, column]
        if not isinstance(tally, Values):
            for key, line in zip(*np.nonzero(part), strict=True):
                rest[line, column] += part[key, line]
            continue
        met: dict[int, list[Histogram]] = {}
        full = np.fromiter(map(is_not, part.flat, repeat(EMPTY)), dtype=bool, count=part.size).reshape(part.shape)
        for key, line in zip(*np.nonzero(full), strict=True):
            met.setdefault(line, []).append(part[key, line])
        for line, several in met.items():
            rest[line, column] = Histogram.of(several)
    return rest
