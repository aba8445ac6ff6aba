"""Designs: the ways to get all aggregates of a question out of few noisy numbers, and how they share one price."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import assert_never, final

from partita.query.aggregates import Aggregate, Average, Count, CountOwners, CountRows, Quantile, Sum, arguments
from partita.query.blocks import Balanced, Block, Counted, Owned, Summed, entries
from partita.query.expressions import Bounds, Expression, bounds
from partita.query.quantiles import Chosen
from partita.query.recipes import Fixed, Linear, Mean, Recipe
from partita.region.domain import Domain


@final
@dataclass(frozen=True, slots=True)
class Design:
    """Blocks to release, and a recipe for each aggregate.

    ``weights`` says how much the question's errors grow with the variance of each block's noise: the figure that
    designs are compared by, and that a price is divided by.
    """

    name: str
    blocks: tuple[Block, ...]
    recipes: tuple[Recipe, ...]
    weights: tuple[Fraction, ...]


def designs(aggregates: tuple[Aggregate, ...], domain: Domain) -> tuple[Design, ...]:
    """Every design worth comparing for these aggregates.

    >>> from partita.region.columns import integers
    >>> from partita.query.expressions import Value
    >>> domain = Domain({"age": integers(0, 120)})
    >>> [design.name for design in designs((CountRows(), Average(Value("age"))), domain)]
    ['split', 'joint']
    """
    needs = _Needs.of(aggregates, domain)
    found = [_designed("split", needs, needs.split(centred=False))]
    if any(needs.centrable(of) for of in needs.summed):
        found.append(_designed("split", needs, needs.split(centred=True)))
    if needs.summed and needs.counting:
        found.append(_designed("joint", needs, needs.joint()))
    distinct: dict[tuple[Block, ...], Design] = {}
    for design in found:
        if design is not None:
            distinct.setdefault(design.blocks, design)
    return tuple(distinct.values())


@final
@dataclass(frozen=True)
class _Needs:
    """What the aggregates need: which expressions are summed, averaged or counted, and whether rows are."""

    aggregates: tuple[Aggregate, ...]
    within: dict[Expression, Bounds]
    summed: tuple[Expression, ...]
    averaged: frozenset[Expression]
    counted: frozenset[Expression]
    rows: bool
    owners: bool = False

    @classmethod
    def of(cls, aggregates: tuple[Aggregate, ...], domain: Domain) -> _Needs:
        within = {of: bounds(of, domain) for aggregate in aggregates for of in arguments(aggregate)}
        summed: dict[Expression, None] = {}
        averaged, counted, rows, owners = set(), set(), False, False
        for aggregate in aggregates:
            match aggregate:
                case CountRows():
                    rows = True
                case CountOwners():
                    owners = True
                case Count(of):
                    counted.add(of)
                case Sum(of) | Average(of):
                    flat = within[of].low == within[of].high
                    if not flat:
                        summed[of] = None
                    if flat and isinstance(aggregate, Sum):
                        counted.add(of)
                    if not flat and isinstance(aggregate, Average):
                        averaged.add(of)
                case Quantile():
                    raise AssertionError
                case _:
                    assert_never(aggregate)
        plain = {of for of in counted if not within[of].nullable}
        return cls(
            aggregates,
            within,
            tuple(summed),
            frozenset(averaged),
            frozenset(counted - plain),
            rows or bool(plain),
            owners,
        )

    @property
    def counting(self) -> bool:
        """Whether any count is needed."""
        return self.rows or bool(self.counted) or bool(self.averaged)

    def centrable(self, of: Expression) -> bool:
        """Whether a sum could be centred because its count is needed anyway."""
        return of not in self.averaged and self._count_known(of)

    def _count_known(self, of: Expression) -> bool:
        if self.within[of].nullable:
            return of in self.counted
        return self.rows or any(not self.within[other].nullable for other in self.averaged)

    def split(self, *, centred: bool) -> list[Block]:
        """Counts and sums, each with noise of its own."""
        blocks: list[Block] = [Owned()] if self.owners else []
        gapped = [of for of in self.within if of in self.counted or (of in self.averaged and self.within[of].nullable)]
        blocks.extend(Counted(of) for of in gapped)
        if not gapped and (self.rows or self.averaged):
            blocks.append(Counted())
        for of in self.summed:
            within = self.within[of]
            if of in self.averaged or (centred and self.centrable(of)):
                blocks.append(_centred(of, within))
            else:
                blocks.append(Summed(of, within))
        return blocks

    def joint(self) -> list[Block]:
        """Count and sum of an expression from one balanced release."""
        blocks: list[Block] = [Owned()] if self.owners else []
        blocks.extend(Balanced(of, self.within[of]) for of in self.summed)
        blocks.extend(Counted(of) for of in self.within if of in self.counted and of not in self.summed)
        return blocks


def _centred(of: Expression, within: Bounds) -> Summed:
    """Twice the distance from the middle: whole numbers of half units, half as far from zero."""
    return Summed(of, within, slope=2, offset=-(within.low + within.high))


def _designed(name: str, needs: _Needs, blocks: list[Block]) -> Design | None:
    assembly = _Assembly(needs, tuple(blocks))
    recipes = tuple(assembly.recipe(aggregate) for aggregate in needs.aggregates)
    return Design(name, tuple(blocks), recipes, assembly.weights(recipes))


@final
class _Assembly:
    """Finds, for the numbers that some blocks release, how each aggregate follows from them."""

    def __init__(self, needs: _Needs, blocks: tuple[Block, ...]) -> None:
        self.needs = needs
        self.blocks = blocks
        self.sizes = [len(entries(block)) for block in blocks]
        self.starts = [sum(self.sizes[:place]) for place in range(len(blocks))]

    def recipe(self, aggregate: Aggregate) -> Recipe:
        match aggregate:
            case CountRows():
                return self._rows()
            case CountOwners():
                return self._linear({self.starts[self.blocks.index(Owned())]: Fraction(1)})
            case Count(of):
                return self._count(of)
            case Sum(of):
                return self._sum(of)
            case Average(of):
                within = self.needs.within[of]
                middle = (within.lowest + within.highest) / 2
                if within.low == within.high:
                    return Fixed(middle)
                return Mean(self._offset(of), self._count(of), middle, (within.highest - within.lowest) / 2)
            case Quantile():
                raise AssertionError
            case _:
                assert_never(aggregate)

    def weights(self, recipes: Iterable[Recipe]) -> tuple[Fraction, ...]:
        """How much the scaled squared errors of all aggregates grow with the variance in each block."""
        total = [Fraction(0)] * len(self.blocks)
        for aggregate, recipe in zip(self.needs.aggregates, recipes, strict=True):
            match recipe:
                case Fixed() | Chosen():
                    continue
                case Linear():
                    self._add(total, recipe, self._size(aggregate))
                case Mean(top, bottom, _, reach):
                    # A mean half-way to an end of its range feels the error of the count half as much.
                    self._add(total, top, reach**2)
                    self._add(total, bottom, Fraction(4))
        return tuple(total)

    def _size(self, aggregate: Aggregate) -> Fraction:
        """The square of what one row can do to an aggregate: the measure for its error."""
        if not isinstance(aggregate, Sum):
            return Fraction(1)
        within = self.needs.within[aggregate.of]
        return max(abs(within.lowest), abs(within.highest)) ** 2 or Fraction(1)

    def _add(self, total: list[Fraction], recipe: Linear, size: Fraction) -> None:
        for place, start in enumerate(self.starts):
            part = recipe.weights[start : start + self.sizes[place]]
            total[place] += Fraction(sum(weight**2 for weight in part), recipe.divisor**2) / size

    def _linear(self, parts: dict[int, Fraction]) -> Linear:
        return Linear.of([parts.get(place, Fraction(0)) for place in range(sum(self.sizes))])

    def _rows(self) -> Linear:
        """COUNT(*): from a plain count, or from any block whose numbers together count every row."""
        best: dict[int, Fraction] | None = None
        for block, start, size in zip(self.blocks, self.starts, self.sizes, strict=True):
            match block:
                case Counted():
                    found = {start + place: Fraction(1) for place in range(size)}
                case Balanced(_, within):
                    found = {start + place: Fraction(1, within.high - within.low) for place in range(size)}
                case _:
                    continue
            if best is None or len(found) < len(best):
                best = found
        assert best is not None
        return self._linear(best)

    def _count(self, of: Expression) -> Linear:
        if not self.needs.within[of].nullable:
            return self._rows()
        for block, start in zip(self.blocks, self.starts, strict=True):
            match block:
                case Counted(counted) if counted == of:
                    return self._linear({start: Fraction(1)})
                case Balanced(balanced, within) if balanced == of:
                    share = Fraction(1, within.high - within.low)
                    return self._linear({start: share, start + 1: share})
        raise AssertionError

    def _sum(self, of: Expression) -> Linear:
        within = self.needs.within[of]
        if within.low == within.high:
            count = self._count(of)
            return self._scaled(count, within.lowest)
        for block, start in zip(self.blocks, self.starts, strict=True):
            match block:
                case Balanced(balanced) if balanced == of:
                    width = within.high - within.low
                    return self._linear({start: within.highest / width, start + 1: within.lowest / width})
                case Summed(summed, _, slope, offset) if summed == of:
                    if offset == 0 and slope == 1:
                        return self._linear({start: within.unit})
                    middle = (within.lowest + within.highest) / 2
                    parts = {
                        place: Fraction(weight, self._count(of).divisor) * middle
                        for place, weight in enumerate(self._count(of).weights)
                        if weight
                    }
                    parts[start] = parts.get(start, Fraction(0)) + within.unit / 2
                    return self._linear(parts)
        raise AssertionError

    def _offset(self, of: Expression) -> Linear:
        """The sum of distances from the middle."""
        within = self.needs.within[of]
        for block, start in zip(self.blocks, self.starts, strict=True):
            match block:
                case Balanced(balanced) if balanced == of:
                    return self._linear({start: within.unit / 2, start + 1: -within.unit / 2})
                case Summed(summed) if summed == of:
                    return self._linear({start: within.unit / 2})
        raise AssertionError

    def _scaled(self, linear: Linear, factor: Fraction) -> Linear:
        return self._linear(
            {place: Fraction(weight, linear.divisor) * factor for place, weight in enumerate(linear.weights) if weight}
        )
