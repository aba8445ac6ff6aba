"""Margins: which sums of groups ROLLUP, CUBE and GROUPING SETS ask for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations, product
from math import prod
from typing import Final

from sqlglot import exp

from partita.effort import Work, spend
from partita.errors.query import language as refuse
from partita.query.language.aggregates import Aggregate, CountDifferent, CountOwners, Quantile
from partita.query.language.keys import Key, Opened

Sets = tuple[tuple[Key, ...], ...]
Places = tuple[int, ...]
Numbered = Callable[[exp.Expr], int]

MOST_SETS: Final = 4096


def grouping_sets(nodes: Iterable[exp.Expr], key: Callable[[exp.Expr], Key]) -> Sets:
    """The sets of keys that lines are summed up by; one set if there are no margins.

    Every part of GROUP BY offers some sets of keys, and each line takes one of every part. Keys that are equal come
    back as one object: a key may hold thousands of labels, and is compared once and not in every set.
    """
    places: dict[Key, int] = {}

    def numbered(node: exp.Expr) -> int:
        return places.setdefault(key(node), len(places))

    parts = [_offered(node, numbered) for node in nodes]
    if (count := prod(map(len, parts))) > MOST_SETS:
        raise refuse.too_many_sets(count, MOST_SETS)
    spend(count * len(parts), Work.GROUPS)
    found = [tuple(dict.fromkeys(each for part in choice for each in part)) for choice in product(*parts)]
    listed = tuple(places)
    return tuple(tuple(listed[place] for place in one) for one in dict.fromkeys(found))


def _offered(node: exp.Expr, key: Numbered) -> list[Places]:
    match node:
        case exp.Rollup():
            levels = [_together(part, key) for part in node.expressions]
            spend(len(levels) ** 2 >> 2, Work.GROUPS)
            return [_joined(levels[:count]) for count in range(len(levels), -1, -1)]
        case exp.Cube():
            levels = [_together(part, key) for part in node.expressions]
            sizes = range(len(levels), -1, -1)
            if 2 ** len(levels) > MOST_SETS:
                raise refuse.too_many_sets(2 ** len(levels), MOST_SETS)
            spend(len(levels) << len(levels), Work.GROUPS)
            return [_joined(chosen) for size in sizes for chosen in combinations(levels, size)]
        case exp.GroupingSets():
            return [one for part in node.expressions for one in _listed(part, key)]
        case _:
            return [(key(node),)]


def _listed(node: exp.Expr, key: Numbered) -> list[Places]:
    return _offered(node, key) if isinstance(node, exp.Rollup | exp.Cube) else [_together(node, key)]


def _together(node: exp.Expr, key: Numbered) -> Places:
    """One column, or several in brackets."""
    if isinstance(node, exp.Tuple):
        return tuple(key(part) for part in node.expressions)
    return (key(node.this if isinstance(node, exp.Paren) else node),)


def _joined(levels: Sequence[Places]) -> Places:
    return tuple(each for level in levels for each in level)


def summable(keys: Iterable[Key], aggregates: Iterable[Aggregate]) -> bool:
    """Whether the released numbers of two groups add up to those of both."""
    unlike = any(isinstance(aggregate, Quantile | CountOwners | CountDifferent) for aggregate in aggregates)
    return not unlike and not any(isinstance(key, Opened) for key in keys)
