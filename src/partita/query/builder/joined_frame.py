"""Joined rows in the builder: tables of the same people, and public ones, put together as SQL and read as such."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import final

from partita.errors.query import language as refuse
from partita.query.builder.aggregates import Asked
from partita.query.builder.expressions import Expr, text_of, written
from partita.query.language.plan import Plan
from partita.query.language.text import quoted
from partita.query.tables.public import PublicTable

HOW = {
    "inner": "JOIN",
    "left": "LEFT JOIN",
    "right": "RIGHT JOIN",
    "full": "FULL JOIN",
    "semi": "SEMI JOIN",
    "anti": "ANTI JOIN",
}


@final
@dataclass(frozen=True, slots=True)
class Joining:
    """What it takes to join: the tables there are, and who reads a question."""

    tables: Collection[str]
    public: Mapping[str, PublicTable]
    read: Callable[[str], Plan]


@final
@dataclass(frozen=True, slots=True)
class JoinedFrame:
    """A question about joined rows that is not finished yet; every step gives a new one.

    Columns that several tables have are written with their table: ``customers.segment``.
    """

    first: str
    source: str
    joining: Joining = field(repr=False)
    conditions: tuple[str, ...] = ()
    keys: tuple[tuple[str, str], ...] = ()
    group: str = "{}"
    after: tuple[str, ...] = ()

    def join(
        self, table: str, on: str | Collection[str], *, left: bool = False, how: str | None = None, name: str = ""
    ) -> JoinedFrame:
        """With the rows of one more table of the same people, or the facts of a public one.

        ``on`` names the columns that both have, such as the owner's, or is a condition; ``how`` is one of inner, left,
        right, full, semi and anti. ``name`` is what the table is called here, where it stands twice.
        """
        chosen = ("left" if left else "inner") if how is None else how
        if not isinstance(chosen, str) or chosen not in HOW:
            raise refuse.unknown_join(how, HOW)
        if not isinstance(table, str) or table not in {*self.joining.tables, *self.joining.public}:
            raise refuse.unknown_table(table, (*self.joining.tables, *self.joining.public))
        names = [on] if isinstance(on, str) else list(on)
        if not names or not all(isinstance(one, str) and one for one in names):
            raise refuse.not_text(on)
        called = quoted(table) + (f" AS {quoted(name)}" if name else "")
        if isinstance(on, str) and not _named(on):
            met = f"ON {on}"
        elif (public := self.joining.public.get(table)) is not None:
            known = names[0] if "." in names[0] else f"{quoted(self.first)}.{quoted(names[0])}"
            met = f"ON {quoted(name or table)}.{quoted(public.key)} = {known}"
        else:
            met = f"USING ({', '.join(map(quoted, names))})"
        return replace(self, source=f"{self.source}\n{HOW[chosen]} {called} {met}")

    def where(self, *conditions: str | Expr, **values: object) -> JoinedFrame:
        """Only rows that meet all conditions: SQL text, expressions, or column=value, column=(low, high)."""
        found = [text_of(one) for one in conditions] + [_holding(name, value) for name, value in values.items()]
        for one in found:
            if not isinstance(one, str):
                raise refuse.not_text(one)
        return replace(self, conditions=(*self.conditions, *map(str, found)))

    def filter(self, *conditions: str | Expr, **values: object) -> JoinedFrame:
        """Only rows that meet all conditions; the same as :meth:`where`."""
        return self.where(*conditions, **values)

    def group_by(self, *keys: str | Expr, **named: str | Expr) -> JoinedFrame:
        """A line for every possible value of the keys."""
        listed = list(self.keys)
        for name, given in [*(("", key) for key in keys), *named.items()]:
            text = text_of(given)
            if not isinstance(text, str):
                raise refuse.not_text(text)
            listed.append((name, text))
        return replace(self, keys=tuple(listed))

    def rollup(self, *keys: str | Expr, **named: str | Expr) -> JoinedFrame:
        """Groups, groups of groups, and the total: each key summed over after the ones behind it."""
        return replace(self.group_by(*keys, **named), group="ROLLUP({})")

    def cube(self, *keys: str | Expr, **named: str | Expr) -> JoinedFrame:
        """Groups by every choice of the keys, from all of them to none."""
        return replace(self.group_by(*keys, **named), group="CUBE({})")

    def having(self, *conditions: str | Expr) -> JoinedFrame:
        """Only lines whose noisy numbers and keys meet all conditions; free."""
        return self._after(f"HAVING {' AND '.join(f'({text_of(one)})' for one in conditions)}")

    def order_by(self, *texts: str | Expr) -> JoinedFrame:
        """Lines in this order; free."""
        return self._after(f"ORDER BY {', '.join(str(text_of(one)) for one in texts)}")

    def limit(self, lines: int, *, offset: int = 0) -> JoinedFrame:
        """At most so many lines; free."""
        return self._after(f"LIMIT {lines} OFFSET {offset}")

    def agg(self, *unnamed: object, **aggregates: Asked | str | Expr) -> Plan:
        """The finished question: one named column for each aggregate, or for a formula of aggregates in SQL."""
        if unnamed:
            raise refuse.unnamed_aggregate()
        if not aggregates:
            raise refuse.no_aggregate()
        listed = [text + (f" AS {quoted(name)}" if name else "") for name, text in self.keys]
        for name, given in aggregates.items():
            asked = text_of(given)
            if not isinstance(asked, Asked | str):
                raise refuse.not_an_aggregate(name, asked)
            listed.append(f"{asked if isinstance(asked, str) else asked.sql()} AS {quoted(name)}")
        text = f"SELECT {', '.join(listed)}\nFROM {self.source}"
        if self.conditions:
            text += "\nWHERE " + " AND ".join(f"({one})" for one in self.conditions)
        if self.keys:
            text += "\nGROUP BY " + self.group.format(", ".join(one for _, one in self.keys))
        return self.joining.read("\n".join([text, *self.after]))

    def _after(self, text: str) -> JoinedFrame:
        return replace(self, after=(*self.after, text))


def _named(text: str) -> bool:
    """Whether a text is the name of a column, and no condition."""
    return not any(sign in text for sign in "=<>() ")


def _holding(column: str, value: object) -> str:
    name = quoted(column)
    if value is None:
        return f"{name} IS NULL"
    if isinstance(value, tuple) and len(value) == 2:
        return f"{name} BETWEEN {written(value[0])} AND {written(value[1])}"
    if isinstance(value, list | set | frozenset | tuple):
        known = ", ".join(written(one) for one in value if one is not None)
        tests = [f"{name} IN ({known})"] if known else []
        return " OR ".join([*tests, f"{name} IS NULL"] if None in value else tests) or "FALSE"
    return f"{name} = {written(value)}"


__all__ = ["JoinedFrame", "Joining"]
