"""Evaluates functions of one column part by part: each part once for each value that what it is made of can have."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, final

from sqlglot import exp

from partita.effort import Work, spend
from partita.limits import current
from partita.query.functions.number_types import REMEMBERED, NumberType, number_type, remembered
from partita.query.functions.tabulated import BINARY, HARMLESS, Untabulated, applied, evaluated
from partita.query.tables.public import Fact

Looked = Callable[[exp.Column], tuple[str, Sequence[Fact]]]
# A value that could not be found; only what needs it fails, as in a branch of CASE that no row takes.
_FAULT: Final = object()
# Steps for each part of a tree that is copied.
_COPIED: Final = 8
# These need only some of their parts.
_LAZY: Final = (exp.Case, exp.If, exp.Coalesce)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Classes:
    """The values of a function: the class of each code, and the value of each class."""

    index: Sequence[int]
    values: tuple[Any, ...]

    def listed(self) -> tuple[Any, ...]:
        """The value of each code."""
        return tuple(self.values[place] for place in self.index)


@final
class Evaluator:
    """What was evaluated for one question, so that a part written twice is evaluated once."""

    def __init__(self) -> None:
        self._columns: dict[tuple[str, str, str], str] = {}
        self._known: dict[exp.Expr, str] = {}
        self._classes: dict[str, Classes] = {}
        self._types: dict[str, NumberType] = {}
        self._crossed: dict[tuple[int, ...], tuple[Sequence[int], list[tuple[int, ...]]]] = {}

    def values(
        self, node: exp.Expr, looked: Looked, typed: Callable[[exp.Column], NumberType] = remembered
    ) -> tuple[str, tuple[Any, ...]] | None:
        """The column that decides about a function, and the function's value for each of its codes, if it has one.

        ``typed`` says which kind of number a column holds.
        """
        spend(5 * sum(1 for _ in node.walk()), Work.VALUES)
        bases = set()
        for column in node.find_all(exp.Column):
            base, facts = looked(column)
            bases.add(base)
            if len(bases) > 1 or len(facts) > current().tabulated:
                return None
        if not bases:
            return None
        # A copy of a part takes as long as much else that is counted.
        spend(_COPIED * sum(1 for _ in node.walk()), Work.WORDS)
        tree = exp.Paren(this=node.copy())
        for column in list(tree.find_all(exp.Column)):
            base, facts = looked(column)
            column.replace(self._named(self._column(base, column, typed(column), facts)))
        try:
            found = self._classes[self._evaluated(tree, firm=True)]
        except Untabulated:
            return None
        return None if any(value is _FAULT for value in found.values) else (bases.pop(), found.listed())

    def _named(self, name: str) -> exp.Column:
        """The node that stands for values that were evaluated; it remembers which kind of number they are."""
        node = exp.column(name)
        node.meta[REMEMBERED] = self._types[name]
        return node

    def _column(self, base: str, node: exp.Column, kind: NumberType, facts: Sequence[Fact]) -> str:
        """The name of a column among those evaluated."""
        key = (base, node.table.lower(), node.name.lower())
        if key not in self._columns:
            spend(len(facts) >> 1, Work.VALUES)
            self._columns[key] = self._kept(_merged(range(len(facts)), tuple(facts)), kind)
        return self._columns[key]

    def _kept(self, classes: Classes, kind: NumberType) -> str:
        name = f"c{len(self._classes)}"
        self._classes[name] = classes
        self._types[name] = kind
        return name

    def _evaluated(self, node: exp.Expr, *, firm: bool) -> str:
        """The name of a node's values; its parts are replaced by theirs. ``firm``: a value is needed everywhere."""
        while isinstance(node, exp.Paren):
            node = node.this
        if isinstance(node, exp.Column):
            return str(node.name)
        used = self._parts(node, firm=firm and not isinstance(node, _LAZY))
        if node not in self._known:
            found = self._applied(node, firm=firm) or self._general(node, used, firm=firm)
            self._known[node] = self._kept(found, number_type(node))
        return self._known[node]

    def _general(self, node: exp.Expr, used: list[str], *, firm: bool) -> Classes:
        """One evaluation for each combination of values of the parts."""
        index, classes = self._together([self._classes[name] for name in used])
        # About so many steps for each word of the part.
        spend(3 * len(classes) * sum(1 for _ in node.walk()), Work.VALUES)
        parts = [(name, self._classes[name].values) for name in used]
        given = ({name: values[place] for (name, values), place in zip(parts, one, strict=True)} for one in classes)
        return _merged(index, tuple(_value(lambda one: evaluated(node, one), one, firm=firm) for one in given))

    def _applied(self, node: exp.Expr, *, firm: bool) -> Classes | None:
        """A column and a constant, the commonest of functions, without reading the constant for every value."""
        if type(node) not in BINARY or any(value is True and name not in HARMLESS for name, value in node.args.items()):
            return None
        left, right = node.this, node.expression
        if isinstance(left, exp.Column) is isinstance(right, exp.Column) or isinstance(left, exp.Interval):
            return None
        fixed = right if isinstance(left, exp.Column) else left
        if isinstance(fixed, exp.Interval) or fixed.find(exp.Column) is not None:
            return None
        constant = _value(lambda one: evaluated(one, {}), fixed, firm=firm)
        if constant is _FAULT:
            return None
        subject = self._classes[(left if fixed is right else right).name]
        spend(3 * len(subject.values), Work.VALUES)
        made = (
            (lambda one: applied(node, one, constant)) if fixed is right else (lambda one: applied(node, constant, one))
        )
        return _merged(subject.index, tuple(_value(made, value, firm=firm) for value in subject.values))

    def _parts(self, node: exp.Expr, *, firm: bool) -> list[str]:
        """Evaluate the parts of a node that have columns; the names that stand in it for them then."""
        used: dict[str, None] = {}
        for part in list(node.iter_expressions()):
            if isinstance(part, exp.Column):
                used[part.name] = None
            elif part.find(exp.Column) is None:
                continue
            elif isinstance(part, exp.Interval) or (isinstance(part, exp.If) and isinstance(node, exp.Case)):
                # These have no value of their own.
                used.update(dict.fromkeys(self._parts(part, firm=firm)))
            else:
                name = self._evaluated(part, firm=firm)
                part.replace(self._named(name))
                used[name] = None
        return list(used)

    def _together(self, parts: list[Classes]) -> tuple[Sequence[int], list[tuple[int, ...]]]:
        """The classes of codes that agree in all parts: which each code is in, and which of each part it stands for."""
        first = parts[0].index
        if all(part.index is first for part in parts):
            return first, [(place,) * len(parts) for place in range(len(parts[0].values))]
        key = tuple(id(part.index) for part in parts)
        if key not in self._crossed:
            spend(len(first) * len(parts) >> 1, Work.VALUES)
            places: dict[tuple[int, ...], int] = {}
            index = [places.setdefault(pair, len(places)) for pair in zip(*(part.index for part in parts), strict=True)]
            self._crossed[key] = index, list(places)
        return self._crossed[key]


def _value(function: Callable[[Any], Any], given: Any, *, firm: bool) -> Any:
    try:
        return _FAULT if given is _FAULT else function(given)
    except Untabulated:
        if firm:
            raise
        return _FAULT


def _merged(index: Sequence[int], values: tuple[Any, ...]) -> Classes:
    """Classes of equal value made one, where that leaves much less to evaluate."""
    places: dict[tuple[type, Any], int] = {}
    # True is no number here.
    order = [places.setdefault((type(value), value), len(places)) for value in values]
    if 2 * len(places) > len(values):
        return Classes(index, values)
    spend(len(index) >> 2, Work.VALUES)
    return Classes([order[place] for place in index], tuple(value for _, value in places))
