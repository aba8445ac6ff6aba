"""Takes a SELECT with GROUP BY apart: the aggregates that are released, and what is computed from them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, final

from sqlglot import exp

from partita.effort import Work, spend
from partita.errors import QueryRefused
from partita.errors.query import language as refuse
from partita.errors.query.underlined import at
from partita.query.sql.advice import for_window
from partita.query.sql.places import words, written

_AROUND = (exp.Filter, exp.WithinGroup, exp.IgnoreNulls, exp.RespectNulls)
# Evaluated after the aggregates, of released numbers alone.
_AFTER = ("qualify", "order", "limit", "offset", "distinct", "windows")
_BEFORE = ("from_", "joins", "where", "with_")
_READ = {*_AFTER, *_BEFORE, "expressions", "group", "having", "kind"}

# Marks the columns of the inner SELECT.
# Steps for each word of an alias that is written out.
_WRITTEN: Final = 50
_PUT = "put in"


@final
@dataclass(frozen=True)
class Lifted:
    """``inner`` selects keys and bare aggregates; ``outer`` is the rest, over the columns of ``inner``."""

    inner: exp.Select
    outer: exp.Select


def sums_up(tree: exp.Select) -> bool:
    """Whether a SELECT groups its rows or aggregates them; a window function does neither."""
    if tree.args.get("group") is not None:
        return True
    parts = (*tree.expressions, tree.args.get("having"), tree.args.get("qualify"), tree.args.get("order"))
    return any(part is not None and next(_aggregates(part), None) is not None for part in parts)


def asked_keys(tree: exp.Select, declared: frozenset[str]) -> list[exp.Expr]:
    """What a SELECT groups by: GROUP BY 1, a name and ALL stand for what is selected.

    ``declared`` are the names that columns of the rows may have: in GROUP BY these come before names given by AS.
    """
    group = tree.args.get("group")
    if group is None:
        return []
    if group.args.get("all"):
        bare = [item.unalias() for item in tree.expressions]
        return [item for item in bare if next(_aggregates(item), None) is None and not item.find(exp.Window)]
    given: list[exp.Expr] = []
    stack: list[exp.Expr] = [*group.expressions]
    for option in ("rollup", "cube", "grouping_sets"):
        listed = group.args.get(option)
        stack += listed if isinstance(listed, list) else []
    while stack:
        node = stack.pop(0)
        if isinstance(node, exp.Rollup | exp.Cube | exp.GroupingSets | exp.Tuple):
            stack = [*node.expressions, *stack]
        elif isinstance(node, exp.Paren):
            stack = [node.this, *stack]
        else:
            given.append(_meant(node, tree, declared))
    return given


def _meant(node: exp.Expr, tree: exp.Select, declared: frozenset[str]) -> exp.Expr:
    if isinstance(node, exp.Literal) and not node.is_string and node.name.isdigit():
        place = int(node.name)
        selected: list[exp.Expr] = tree.expressions
        return selected[place - 1].unalias() if 1 <= place <= len(selected) else node
    if isinstance(node, exp.Column) and not node.table and node.name.lower() not in declared:
        for item in tree.expressions:
            if isinstance(item, exp.Alias) and item.alias.lower() == node.name.lower():
                found: exp.Expr = item.this
                return found
    return node


def _aggregates(node: exp.Expr) -> Iterator[exp.Expr]:
    """The aggregates in an expression, with FILTER and WITHIN GROUP around them; not those of windows themselves."""
    if isinstance(node, exp.Select | exp.SetOperation):
        return
    if isinstance(node, exp.Window):
        called = node.this
        while isinstance(called, _AROUND):
            called = called.this
        for value in called.args.values() if isinstance(called, exp.Expr) else ():
            yield from _in_each(value)
        for name, value in node.args.items():
            if name != "this":
                yield from _in_each(value)
        return
    if isinstance(node, exp.AggFunc) or (isinstance(node, _AROUND) and isinstance(node.this, exp.AggFunc)):
        yield node
        return
    for value in node.args.values():
        yield from _in_each(value)


def _in_each(value: object) -> Iterator[exp.Expr]:
    for one in value if isinstance(value, list) else [value]:
        if isinstance(one, exp.Expr):
            yield from _aggregates(one)


@final
@dataclass
class _Lifting:
    """The columns of the inner SELECT, by what they are."""

    text: str
    tree: exp.Select
    keys: list[exp.Expr]
    columns: dict[str, exp.Expr] = field(default_factory=dict)

    def column(self, node: exp.Expr) -> exp.Column:
        """The column that holds a key or an aggregate; it is called as the question calls it, where it does."""
        name = next((name for name, known in self.columns.items() if known == node), None)
        if name is None:
            aliases = [
                item.alias for item in self.tree.expressions if isinstance(item, exp.Alias) and item.this == node
            ]
            plain = aliases[0] if aliases else node.name if isinstance(node, exp.Column) else ""
            name = plain or f"value {len(self.columns) + 1}"
            while name.lower() in (known.lower() for known in self.columns):
                name += "_"
            self.columns[name] = node.copy()
        made = exp.column(exp.to_identifier(name, quoted=True))
        made.meta[_PUT] = True
        return made

    def over(self, node: exp.Expr) -> exp.Expr:
        """An expression over the columns of the inner SELECT."""
        holder = exp.Paren(this=node.copy())
        for found in list(_in_each(holder.this)):
            found.replace(self.column(found))
        for found in _outside(holder):
            if not found.meta.get(_PUT) and (key := self._key(found)) is not None:
                found.replace(self.column(key))
        for column in _outside(holder):
            if not isinstance(column, exp.Column) or column.meta.get(_PUT) or isinstance(column.this, exp.Star):
                continue
            named = self._alias(column)
            if named is None:
                raise at(self._unreleased(column), words(self.text, column))
            # Aliases of aliases are written out, each as often as it is named.
            spend(_WRITTEN * sum(1 for _ in named.walk()), Work.WORDS)
            column.replace(exp.Paren(this=self.over(named)))
        made: exp.Expr = holder.this
        return made.pop()

    def _key(self, node: exp.Expr) -> exp.Expr | None:
        """The key that an expression is: word by word, or but for the table that its columns are said to be of."""
        exact = next((key for key in self.keys if key == node), None)
        if exact is not None or not isinstance(node, exp.Column | exp.Func | exp.Binary | exp.Case | exp.Cast):
            return exact
        loose = [key for key in self.keys if _bare(key) == _bare(node)]
        return loose[0] if len(loose) == 1 else None

    def _alias(self, column: exp.Column) -> exp.Expr | None:
        for item in self.tree.expressions:
            if isinstance(item, exp.Alias) and not column.table and item.alias.lower() == column.name.lower():
                bare: exp.Expr = item.this
                return None if column in bare.find_all(exp.Column) else bare
        return None

    def _unreleased(self, column: exp.Column) -> QueryRefused:
        window = column.find_ancestor(exp.Window)
        if window is not None:
            return refuse.function_not_answered(*for_window(window))
        return refuse.not_grouped(column.sql(dialect="duckdb"))


def lifted(text: str, tree: exp.Select, declared: frozenset[str]) -> Lifted | None:
    """A SELECT of aggregates in two: what is released, and what is computed from it; None where nothing is released."""
    if not sums_up(tree) or any(value and clause not in _READ for clause, value in tree.args.items()):
        return None
    names = [item.alias_or_name.lower() for item in tree.expressions if item.alias_or_name]
    if len(names) > len(set(names)) or any(_star(item) for item in tree.expressions):
        return None
    keys = asked_keys(tree, declared)
    lifting = _Lifting(text, tree, keys)
    for key in keys:
        lifting.column(key)
    outer = exp.Select()
    for item in tree.expressions:
        name = item.alias if isinstance(item, exp.Alias) else item.name if isinstance(item, exp.Column) else ""
        made = exp.alias_(lifting.over(item.unalias()), name or written(text, item), quoted=True)
        outer.append("expressions", made)
    having = tree.args.get("having")
    if having is not None:
        outer.set("where", exp.Where(this=lifting.over(having.this)))
    for clause in _AFTER:
        value = tree.args.get(clause)
        if isinstance(value, exp.Expr):
            outer.set(clause, lifting.over(value) if clause in ("qualify", "order") else value.copy())
        elif value:
            outer.set(clause, [lifting.over(one) for one in value])
    if not any(next(_aggregates(known), None) is not None for known in lifting.columns.values()):
        return None
    inner = exp.Select(expressions=[exp.alias_(node, name, quoted=True) for name, node in lifting.columns.items()])
    for clause in _BEFORE:
        value = tree.args.get(clause)
        if value:
            inner.set(clause, [one.copy() for one in value] if isinstance(value, list) else value.copy())
    group = tree.args.get("group")
    if group is not None:
        inner.set("group", exp.Group(expressions=[key.copy() for key in keys]) if _flat(group) else group.copy())
    return Lifted(inner, outer)


def _star(item: exp.Expr) -> bool:
    bare = item.unalias()
    return isinstance(bare, exp.Star | exp.Columns) or (
        isinstance(bare, exp.Column) and isinstance(bare.this, exp.Star)
    )


def _flat(group: exp.Group) -> bool:
    """Whether keys are listed one by one, or all are meant."""
    return not group.find(exp.Rollup, exp.Cube, exp.GroupingSets)


def _outside(node: exp.Expr) -> list[exp.Expr]:
    """The parts of an expression, but for those of questions inside it."""
    return list(node.walk(prune=lambda part: isinstance(part, exp.Select | exp.SetOperation)))


def _bare(node: exp.Expr) -> str:
    """An expression without the tables of its columns, in small letters."""
    made = node.copy()
    for column in made.find_all(exp.Column):
        column.set("table", None)
    return made.sql(dialect="duckdb").lower()
