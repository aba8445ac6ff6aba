"""Reuse: what follows from numbers released before, and how exactly (an equal question again: `ledger.ledger`)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from partita.errors import PartitaError
from partita.limits import current
from partita.query.answer.estimators import Estimator, Linear, Numbers
from partita.query.answer.intervals import Spread
from partita.query.answer.results import Result
from partita.query.exact.program import Cells, Present, Rows, Total
from partita.query.language import keys as keys_of
from partita.query.language.aggregates import (
    Aggregate,
    Average,
    Correlation,
    Count,
    CountRows,
    Covariance,
    Sum,
    Variance,
    arguments,
)
from partita.query.language.expressions import bounds
from partita.query.language.joined import identity
from partita.query.language.keys import Bucket, Each, Key, Mapped, Single, Truncated
from partita.query.language.plan import Plan
from partita.query.noise.assembly import Assembly
from partita.query.noise.quote import Quote, narrowed
from partita.region.codes import Codes, size
from partita.region.domain import Domain

_WEIGHT: Final = 10**6
_ADDITIVE: Final = (CountRows, Count, Sum, Average, Variance, Covariance, Correlation)


@final
@dataclass(frozen=True)
class Released:
    """A quote and the noisy numbers that were released for it."""

    quote: Quote
    noisy: NDArray[np.object_]


@final
@dataclass(frozen=True)
class Derived:
    """What one release says about the groups of another question: summed numbers, and the noise in each."""

    noisy: NDArray[np.object_]
    spreads: tuple[Spread, ...]
    estimators: tuple[Estimator, ...]


def derived(have: Released, want: Quote) -> Derived | None:
    """The numbers of a released question summed up into the groups of another, or None if they do not tell.

    Every group that is wanted must be made of whole groups that were released, and every aggregate must follow from
    the numbers released: a mean, for one, was released as a count and a sum. The noise of a sum is that of its parts
    together; where groups are made of unlike numbers of parts, the largest number is reckoned with for all of them.
    """
    estimators = _estimators(have.quote, want.plan.aggregates)
    if estimators is None or want.program.opened:
        return None
    if have.quote.program.truncation != want.program.truncation or have.quote.width != len(have.quote.spreads):
        return None
    places = placed(have.quote.plan, have.quote.program.cells, want.plan, want.program.cells)
    if places is None:
        return None
    merged, parts = _merged(have.noisy, places, want.program.cells.count)
    most = max(parts, default=0)
    shifted = any(linear.constant for estimator in estimators for linear in linears(estimator))
    if min(parts, default=0) < 1 or (most > 1 and (shifted or not _additive(have.quote))):
        return None
    return Derived(merged, tuple(spread.times(most) for spread in have.quote.spreads), estimators)


def _merged(noisy: NDArray[np.object_], places: list[int | None], groups: int) -> tuple[NDArray[np.object_], list[int]]:
    """Released numbers summed up by the group they are part of, and how many released groups each is made of."""
    if places == list(range(groups)):
        return noisy.copy(), [1] * groups
    merged, parts = np.zeros((groups, noisy.shape[1]), dtype=object), [0] * groups
    for line, group in enumerate(places):
        if group is not None:
            merged[group] += noisy[line]
            parts[group] += 1
    return merged, parts


def _estimators(have: Quote, aggregates: Sequence[Aggregate]) -> tuple[Estimator, ...] | None:
    """How some aggregates follow from the numbers of a release, or None if they do not."""
    known = dict(zip(have.plan.aggregates, have.estimators, strict=True))
    if not all(aggregate in known for aggregate in aggregates):
        domain = narrowed(have.plan)
        of_all = {of for aggregate in (*aggregates, *have.plan.aggregates) for of in arguments(aggregate)}
        try:
            assembly = Assembly({of: bounds(of, domain) for of in of_all}, have.offer.strategy.measurements)
            known.update(
                {aggregate: assembly.estimator(aggregate) for aggregate in aggregates if aggregate not in known}
            )
        except (AssertionError, KeyError, ValueError, PartitaError):
            return None
    return tuple(known[aggregate] for aggregate in aggregates)


def combined(parts: Sequence[Derived], want: Quote) -> Result:
    """Several independent accounts of the same groups in one result, each weighted by one over its variance."""
    noisy = np.concatenate([part.noisy for part in parts], axis=1)
    spreads = tuple(spread for part in parts for spread in part.spreads)
    starts = [sum(len(part.spreads) for part in parts[:place]) for place in range(len(parts))]
    estimators = []
    for listed in zip(*(part.estimators for part in parts), strict=True):
        estimator = _averaged(listed, parts, starts, len(spreads))
        if estimator is None:
            # Estimators of unlike shape: the most exact account alone.
            best = min(range(len(parts)), key=lambda place: _figure(listed[place], parts[place]))
            estimator = _moved(listed[best], starts[best], len(spreads))
        estimators.append(estimator)
    return Result(want.plan, want.program.cells, noisy, tuple(estimators), spreads)


def as_exact(result: Result, offered: Quote, confidence: float = 0.95) -> bool:
    """Whether every number a question is made of is known at least as exactly as the offer would make it."""
    noise = Numbers(np.zeros((1, len(offered.spreads)), dtype=object), offered.spreads)
    for mine, theirs in zip(result.estimators, offered.estimators, strict=True):
        if _shape(mine) != _shape(theirs):
            return False
        for one, other in zip(linears(mine), linears(theirs), strict=True):
            known = result.numbers.spread(one).half_width(confidence)
            if known > noise.spread(other).half_width(confidence) * (1 + 1e-9):
                return False
    return True


def looser(result: Result, offered: Quote) -> float:
    """How many times larger the variance of some number is than in the offer: the largest such ratio."""
    noise = Numbers(np.zeros((1, len(offered.spreads)), dtype=object), offered.spreads)
    found = 0.0
    for mine, theirs in zip(result.estimators, offered.estimators, strict=True):
        if _shape(mine) != _shape(theirs):
            return math.inf
        for one, other in zip(linears(mine), linears(theirs), strict=True):
            known = noise.spread(other).variance
            found = max(found, result.numbers.spread(one).variance / known if known else math.inf)
    return found


def placed(have: Plan, released: Cells, want: Plan, wanted: Cells) -> list[int | None] | None:
    """For each released group the wanted group it is part of, or None where it is in none; None if some lie astride.

    Everything follows from the two questions; no data is looked at.
    """
    if identity(have.table) != identity(want.table) or set(have.where.tests) != set(want.where.tests):
        return None
    if have.per_user is not None or want.per_user is not None:
        return None
    if not all(isinstance(key, Each | Bucket | Truncated | Mapped) for key in (*have.keys, *want.keys)):
        return None
    same = have.where.region == want.where.region
    if same and released == wanted:
        return list(range(released.count))
    if not same and not (len(have.where.region.boxes) == len(want.where.region.boxes) == 1):
        return None
    axes = {}
    for name in {_single(key).column for key in (*have.keys, *want.keys)} | (set() if same else set(_bounded(have))):
        axis = _axis(name, have, want, released)
        if axis is None:
            return None
        axes[name] = axis
    found: list[int | None] = []
    for places in released.listed:
        there = dict(zip(released.keys, places, strict=True))
        if any(there[key] in axis.outside.get(key, ()) for axis in axes.values() for key in axis.outside):
            found.append(None)
            continue
        group = tuple(axes[_single(key).column].place(key, there) for key in want.keys)
        if group not in wanted.position:
            return None
        found.append(wanted.position[group])
    return found


@final
@dataclass(frozen=True)
class _Axis:
    """How released groups lie along one column: which places are left out, and which wanted place each falls into."""

    outside: dict[Key, frozenset[int]]
    into: dict[Key, tuple[Key | None, dict[int, int]]]

    def place(self, key: Key, there: dict[Key, int]) -> int:
        by, places = self.into[key]
        return places[0] if by is None else places[there[by]]


def _axis(name: str, have: Plan, want: Plan, released: Cells) -> _Axis | None:
    domain = have.table.domain
    before, after = have.where.region.along(name), want.where.region.along(name)
    mine = [key for key in have.keys if _single(key).column == name]
    wishes = [key for key in want.keys if _single(key).column == name]
    if before == after and all(wish in mine for wish in wishes):
        every = {wish: {place: place for place in released.places[released.keys.index(wish)]} for wish in wishes}
        return _Axis({}, {wish: (wish, places) for wish, places in every.items()})
    if size(before) > current().matched:
        return None
    kept = _codes(after)
    if not kept <= _codes(before):
        return None
    groups = {key: _grouped(key, before, domain) for key in mine}
    outside: dict[Key, frozenset[int]] = {}
    if kept != _codes(before):
        whole = [key for key in mine if all(codes <= kept or not codes & kept for codes in groups[key].values())]
        if not whole:
            return None
        outside[whole[0]] = frozenset(place for place, codes in groups[whole[0]].items() if not codes & kept)
    into: dict[Key, tuple[Key | None, dict[int, int]]] = {}
    for wish in wishes:
        found = _refined(wish, groups, after, domain)
        if found is None:
            return None
        into[wish] = found
    return _Axis(outside, into)


def _refined(
    wish: Key, groups: dict[Key, dict[int, set[int]]], after: Codes, domain: Domain
) -> tuple[Key | None, dict[int, int]] | None:
    """A released key whose groups each lie in one group of the wish, and which; or that all values lie in one."""
    single = _single(wish)
    ends = {keys_of.place(single, domain, code) for low, high in after for code in (low, high - 1)}
    if not groups and len(ends) > 1:
        # Most questions about a column are met by releases that do not group by it.
        return None
    where = _places(single, domain, after)
    if len(set(where.values())) == 1:
        return None, {0: next(iter(where.values()))}
    for key, listed in groups.items():
        places = {place: {where[code] for code in codes & where.keys()} for place, codes in listed.items()}
        if all(len(found) <= 1 for found in places.values()):
            return key, {place: next(iter(found)) for place, found in places.items() if found}
    return None


def _grouped(key: Key, codes: Codes, domain: Domain) -> dict[int, set[int]]:
    found: dict[int, set[int]] = {}
    for code, place in _places(_single(key), domain, codes).items():
        found.setdefault(place, set()).add(code)
    return found


@lru_cache(maxsize=32)
def _places(key: Single, domain: Domain, codes: Codes) -> dict[int, int]:
    """The group of every code: the same for each release that a question is held against."""
    return {code: keys_of.place(key, domain, code) for low, high in codes for code in range(low, high)}


def _single(key: Key) -> Single:
    """A key of one column with public values."""
    assert isinstance(key, Each | Bucket | Truncated | Mapped)
    return key


def _codes(codes: Codes) -> set[int]:
    return {code for low, high in codes for code in range(low, high)}


def _bounded(plan: Plan) -> tuple[str, ...]:
    """The columns that a region can narrow."""
    return tuple(name for name, column in plan.table.domain.columns.items() if column in plan.table.domain.bounded)


def _additive(quote: Quote) -> bool:
    """Whether the numbers of two groups add up to those of both: true of counts and sums of rows, and of no others."""
    plain = all(isinstance(one, _ADDITIVE) for one in quote.plan.aggregates)
    tallies = all(isinstance(tally, Rows | Present | Total) for tally in quote.program.tallies)
    cut = quote.program.truncation
    return plain and tallies and not quote.by_owner and (cut is None or cut.inside is None)


def linears(estimator: Estimator) -> list[Linear]:
    """The combinations that an estimator is made of, in the order of its parts."""
    if isinstance(estimator, Linear):
        return [estimator]
    found = [getattr(estimator, part.name) for part in fields(estimator)]
    return [part for part in found if isinstance(part, Linear)]


def rebuilt(estimator: Estimator, parts: Sequence[Linear]) -> Estimator:
    """The estimator made of other combinations."""
    if isinstance(estimator, Linear):
        return parts[0]
    names = [part.name for part in fields(estimator) if isinstance(getattr(estimator, part.name), Linear)]
    changes: dict[str, Any] = dict(zip(names, parts, strict=True))
    return replace(estimator, **changes)


def _shape(estimator: Estimator) -> tuple[object, ...]:
    """What an estimator is beside its combinations."""
    if isinstance(estimator, Linear):
        return (Linear,)
    rest = [getattr(estimator, part.name) for part in fields(estimator)]
    return (type(estimator), *(part for part in rest if not isinstance(part, Linear)))


def _moved(estimator: Estimator, start: int, width: int) -> Estimator:
    """The estimator over a longer list of numbers."""
    return rebuilt(estimator, [_padded(part, start, width) for part in linears(estimator)])


def _padded(part: Linear, start: int, width: int) -> Linear:
    weights = (0,) * start + part.weights + (0,) * (width - start - len(part.weights))
    return replace(part, weights=weights)


def _averaged(
    estimators: Sequence[Estimator], parts: Sequence[Derived], starts: Sequence[int], width: int
) -> Estimator | None:
    if len({_shape(estimator) for estimator in estimators}) > 1:
        return None
    columns = list(zip(*(linears(estimator) for estimator in estimators), strict=True))
    made: list[Linear] = []
    for column in columns:
        weights = [1 / max(_variance(linear, part), 1e-300) for linear, part in zip(column, parts, strict=True)]
        shares = [Fraction(round(_WEIGHT * weight / sum(weights)), _WEIGHT) for weight in weights]
        shares[0] += 1 - sum(shares)
        total: Linear | None = None
        for linear, share, start in zip(column, shares, starts, strict=True):
            mine = _padded(linear, start, width).times(share)
            total = mine if total is None else total.plus(mine)
        assert total is not None
        made.append(total)
    return rebuilt(estimators[0], made)


def _variance(linear: Linear, part: Derived) -> float:
    return Numbers(part.noisy[:1], part.spreads).spread(linear).variance


def _figure(estimator: Estimator, part: Derived) -> float:
    return sum(_variance(linear, part) for linear in linears(estimator))
