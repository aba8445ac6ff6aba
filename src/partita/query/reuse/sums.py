"""Sums: the numbers of several questions written as combinations of the same unknown sums over cells of rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from partita.effort import Work, spend
from partita.limits import current
from partita.query.exact.measurements import entries
from partita.query.exact.program import Present, Rows, Tally, Total
from partita.query.language import keys as keys_of
from partita.query.language.expressions import Expression, Plus, Times, bounds
from partita.query.language.expressions import Number as Constant
from partita.query.language.joined import identity
from partita.query.language.keys import Bucket, Each, Mapped, Single, Truncated
from partita.query.noise.quote import Quote
from partita.query.reuse.reuse import linears
from partita.region.codes import Codes, size
from partita.region.domain import Domain

Floats = NDArray[np.float64]

# Directions shorter than this are rounding.
_NOTHING: Final = 1e-10


def additive(quote: Quote) -> bool:
    """Whether the numbers of two groups add up to those of both: true of counts and sums of rows, and of no others."""
    plain = all(isinstance(tally, Rows | Present | Total) for tally in quote.program.tallies)
    cut = quote.program.truncation
    return (
        plain
        and not quote.by_owner
        and (cut is None or cut.inside is None)
        and not quote.offer.choices
        and bool(quote.offer.parts)
    )


def family(quote: Quote) -> tuple[object, ...] | None:
    """What questions must share for their numbers to be sums over the same rows; None if they are no such sums."""
    plan = quote.plan
    if not additive(quote) or not all(isinstance(key, Each | Bucket | Truncated | Mapped) for key in plan.keys):
        return None
    domain = plan.table.domain
    for key in plan.keys:
        assert isinstance(key, Each | Bucket | Truncated | Mapped)
        if size(domain.everything[domain.axis(key.column)]) > current().related_values:
            return None
    parts = [part for estimator in quote.estimators for part in linears(estimator)]
    if not plan.where.region.boxes or not all(any(part.weights) for part in parts):
        # A sum over nobody, or of nothing, tells of no other.
        return None
    return identity(plan.table), frozenset(plan.where.tests), quote.program.truncation


@final
@dataclass(frozen=True)
class Sums:
    """The numbers of some questions of one family, as vectors in one space.

    Two combinations of numbers have the same exact value whatever the data hold if they are the same vector. ``of``
    lists for each question its numbers, line by line, as places among the ``vectors``; each number is the vector
    there times its ``factor``.
    """

    vectors: Floats
    of: tuple[NDArray[np.int64], ...]
    factors: tuple[Floats, ...]

    @property
    def rank(self) -> int:
        """How many numbers are independent of each other."""
        return int(self.vectors.shape[1])


def sums(quotes: Sequence[Quote]) -> Sums | None:
    """The numbers of questions of one family as vectors; None if there are too many cells to relate.

    A cell is a set of record values and its vector the indicator of that set, of which only inner products are needed.
    A number is a vector of tallies at a cell.
    """
    if max(quote.program.cells.count for quote in quotes) > current().related_cells:
        return None
    cells = _Cells(quotes)
    if len(cells.distinct) > current().related_cells:
        return None
    places = _vectors(cells.shared())
    tallies = [_tallied(quote) for quote in quotes]
    names = list(dict.fromkeys(name for made in tallies for one in made for name in one))
    if places.shape[1] * len(names) > current().related_numbers:
        return None
    position = {name: place for place, name in enumerate(names)}
    known: dict[tuple[int, bytes], int] = {}
    rows: list[Floats] = []
    of: list[NDArray[np.int64]] = []
    factors: list[Floats] = []
    for where, made in zip(cells.of, tallies, strict=True):
        columns = []
        for one in made:
            weights = np.zeros(len(names))
            for name, weight in one.items():
                weights[position[name]] = weight
            length = float(np.linalg.norm(weights)) or 1.0
            columns.append((np.round(weights / length, 12), length))
        mine = []
        for cell, (direction, _) in product(where, columns):
            key = (cell, direction.tobytes())
            if key not in known:
                known[key] = len(rows)
                rows.append(np.kron(direction, places[cell]))
            mine.append(known[key])
        of.append(np.array(mine, dtype=np.int64))
        factors.append(np.tile([length for _, length in columns], len(where)))
    every = np.array(rows)
    return Sums(_turned(every), tuple(of), tuple(factors))


def _vectors(gram: Floats) -> Floats:
    """Vectors with these inner products, but for their lengths, which are one."""
    lengths = np.sqrt(np.diag(gram))
    scaled = gram / np.outer(lengths, lengths)
    values, directions = np.linalg.eigh(scaled)
    kept = values > _NOTHING * values[-1]
    found: Floats = directions[:, kept] * np.sqrt(values[kept]) * lengths[:, None]
    return found


def _turned(rows: Floats) -> Floats:
    """The same vectors with as few coordinates as they need."""
    used = rows[:, np.abs(rows).max(axis=0) > 0]
    values, directions = np.linalg.eigh(used.T @ used)
    found: Floats = used @ directions[:, values > _NOTHING * values[-1]]
    return found


@final
class _Cells:
    """The cells of some questions, each once: sets of record values as unions of boxes of classes of codes."""

    def __init__(self, quotes: Sequence[Quote]) -> None:
        self.domain = quotes[0].plan.table.domain
        keys = dict.fromkeys(key for quote in quotes for key in quote.plan.keys)
        regions = [quote.plan.where.region for quote in quotes]
        named = {_single(key).column for key in keys}.union(*(region.constrained() for region in regions))
        self.axes = {
            name: _Axis(
                name,
                self.domain,
                [_single(key) for key in keys if _single(key).column == name],
                {box[self.domain.axis(name)] for region in regions for box in region.boxes},
            )
            for name in sorted(named)
        }
        self.distinct: dict[tuple[tuple[bytes, ...], ...], int] = {}
        self.pieces: list[tuple[int, tuple[NDArray[np.bool_], ...]]] = []
        self.of = [self._cells(quote) for quote in quotes]

    def _cells(self, quote: Quote) -> list[int]:
        """The cell of each line of a question."""
        cells = quote.program.cells
        listed = np.array(cells.listed, dtype=np.int64).reshape(cells.count, len(cells.keys))
        boxes: list[list[NDArray[np.bool_]]] = []
        for box in quote.plan.where.region.boxes:
            masks = []
            for name, axis in self.axes.items():
                inside = np.broadcast_to(axis.within[box[self.domain.axis(name)]], (cells.count, axis.count))
                for place, key in enumerate(cells.keys):
                    if _single(key).column == name:
                        inside = inside & (axis.places[_single(key)] == listed[:, place : place + 1])
                masks.append(inside)
            boxes.append(masks)
        found = []
        for line in range(cells.count):
            pieces = [tuple(mask[line] for mask in masks) for masks in boxes]
            held = {tuple(mask.tobytes() for mask in piece): piece for piece in pieces if all(map(np.any, piece))}
            cell = tuple(sorted(held))
            if cell not in self.distinct:
                self.distinct[cell] = len(self.distinct)
                self.pieces.extend((self.distinct[cell], piece) for piece in held.values())
            found.append(self.distinct[cell])
        return found

    def shared(self) -> Floats:
        """Inner products of cells: of boxes, the product over columns of how their classes go together.

        By how many classes they share a box of single classes in many columns would be next to nothing beside all
        rows, and be lost in rounding. So on each column most of what all classes have in common is taken off: then one
        class by itself is as long as all of them together, and no other relation changes.
        """
        spend(len(self.pieces) ** 2 * (1 + len(self.axes)) >> 10, Work.CONDITIONS)
        shared = np.ones((len(self.pieces), len(self.pieces)))
        for place, axis in enumerate(self.axes.values()):
            held = np.array([piece[place] for _, piece in self.pieces], dtype=float)
            sizes = held.sum(axis=1)
            shared *= held @ held.T - (axis.count - 1) / axis.count**2 * np.outer(sizes, sizes)
        owner = [cell for cell, _ in self.pieces]
        summed = np.zeros((len(self.distinct), len(self.pieces)))
        np.add.at(summed, owner, shared)
        found = np.zeros((len(self.distinct), len(self.distinct)))
        np.add.at(found.T, owner, summed.T)
        return found


@final
class _Axis:
    """One column: its codes in classes that no key and no condition of the questions tells apart."""

    def __init__(self, name: str, domain: Domain, keys: Sequence[Single], spans: Iterable[Codes]) -> None:
        spans = list(spans)
        if keys:
            whole = domain.everything[domain.axis(name)]
            codes = np.concatenate([np.arange(low, high) for low, high in whole])
        else:
            # A set of codes can only begin or end at the ends of some span.
            codes = np.array(sorted({end for span in spans for pair in span for end in pair}))
        signs = [_held(span, codes) for span in spans]
        signs += [_placed(key, domain)[codes] for key in keys]
        _, first = np.unique(np.array(signs), axis=1, return_index=True)
        codes = codes[np.sort(first)]
        self.within = {span: _held(span, codes) for span in spans}
        self.places = {key: _placed(key, domain)[codes] for key in keys}
        self.count = len(codes)


def _held(span: Codes, codes: NDArray[np.int64]) -> NDArray[np.bool_]:
    ends = np.array([end for pair in span for end in pair])
    found: NDArray[np.bool_] = np.searchsorted(ends, codes, side="right") % 2 == 1
    return found


@lru_cache(maxsize=64)
def _placed(key: Single, domain: Domain) -> NDArray[np.int64]:
    """The group of each code of a column."""
    last = domain.everything[domain.axis(key.column)][-1][1]
    return np.array([keys_of.place(key, domain, code) for code in range(last)])


def _single(key: object) -> Single:
    assert isinstance(key, Each | Bucket | Truncated | Mapped)
    return key


def _tallied(quote: Quote) -> list[dict[Tally, float]]:
    """Each number of a line by the tallies it is made of; sums are taken from the middle, in halves of the range."""
    domain = quote.plan.table.domain
    found = []
    for part in quote.offer.parts:
        for entry in entries(part.measurement):
            exact: dict[Tally, Fraction] = {}
            for tally, weight in entry.items():
                for name, times in _terms(tally, domain).items():
                    exact[name] = exact.get(name, Fraction(0)) + weight * times
            found.append({name: float(weight) for name, weight in exact.items() if weight})
    return found


@lru_cache(maxsize=1024)
def _terms(tally: Tally, domain: Domain) -> Mapping[Tally, Fraction]:
    if not isinstance(tally, Total | Present):
        return {tally: Fraction(1)}
    within = bounds(tally.of, domain)
    terms, constant = _apart(tally.of)
    if len(terms) > 1 and within.nullable:
        # NULL in any term: who is counted depends on all of them.
        terms, constant = {tally.of: Fraction(1)}, Fraction(0)
    if isinstance(tally, Present):
        return {Present(next(iter(terms))) if within.nullable and terms else Rows(): Fraction(1)}
    if not terms:
        return {Rows(): constant / within.unit}
    having: Tally = Present(next(iter(terms))) if within.nullable else Rows()
    found: dict[Tally, Fraction] = {having: constant / within.unit}
    for term, factor in terms.items():
        around = bounds(term, domain)
        found[having] += factor * (around.lowest + around.highest) / 2 / within.unit
        found[Total(term)] = factor * (around.highest - around.lowest) / 2 / within.unit
    return found


def _apart(of: Expression) -> tuple[dict[Expression, Fraction], Fraction]:
    """An expression as a sum of factors times terms, and a constant."""
    match of:
        case Plus(parts):
            terms: dict[Expression, Fraction] = {}
            constant = Fraction(0)
            for part in parts:
                more, beside = _apart(part)
                constant += beside
                for term, factor in more.items():
                    terms[term] = terms.get(term, Fraction(0)) + factor
            return terms, constant
        case Constant(value) if value is not None:
            return {}, value
        case Times(parts) if sum(not isinstance(part, Constant) for part in parts) == 1:
            times = Fraction(1)
            inner: Expression = of
            for part in parts:
                if isinstance(part, Constant):
                    if part.value is None:
                        return {of: Fraction(1)}, Fraction(0)
                    times *= part.value
                else:
                    inner = part
            terms, constant = _apart(inner)
            return {term: times * factor for term, factor in terms.items()}, times * constant
        case _:
            return {of: Fraction(1)}, Fraction(0)
