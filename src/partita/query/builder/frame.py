"""The builder: the same plans as SQL, put together piece by piece in Python."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import final

from sqlglot import errors as sql_errors
from sqlglot import exp, parse_one

from partita.errors.query import language as refuse
from partita.exact import whole
from partita.query.builder.aggregates import Asked
from partita.query.builder.expressions import Expr, text_of
from partita.query.builder.joined_frame import JoinedFrame, Joining
from partita.query.language.conditions import Condition, condition, everywhere
from partita.query.language.formulas import Apply, Formula, Label, Operation
from partita.query.language.keys import Each, Key
from partita.query.language.per_user import PerUser
from partita.query.language.plan import KeyColumn, Lines, Order, Plan, ShownColumn, ValueColumn, needed
from partita.query.language.text import quoted, shown_key
from partita.query.rewrite import rewritten
from partita.query.sql import null_tests
from partita.query.sql.column_functions import slab
from partita.query.sql.grouping_sets import MOST_SETS
from partita.query.sql.joins import Joined, read_join
from partita.query.sql.people.per_user import GatheringWords
from partita.query.sql.scalars import Reader
from partita.query.sql.select_list import Selecting
from partita.query.sql.synonyms import plain
from partita.query.tables.public import PublicTable
from partita.query.tables.schema import Table
from partita.region.predicate import Predicate


@final
@dataclass(frozen=True, slots=True)
class Frame:
    """A question about one table that is not finished yet; every step gives a new one.

    >>> from partita.query.builder.aggregates import avg, count
    >>> from partita.region.columns import categories, integers
    >>> visits = Table("visits", [], {"age": integers(0, 120), "sex": categories("F", "M")})
    >>> question = Frame(visits).where("age >= 65").group_by("sex").agg(n=count(), age=avg("age"))
    >>> print(question.sql())
    SELECT sex, COUNT(*) AS n, AVG(age) AS age
    FROM visits
    WHERE age >= 65
    GROUP BY sex
    """

    table: Table
    condition: Condition | None = None
    keys: tuple[tuple[str, Key], ...] = ()
    lines: tuple[tuple[str, object], ...] = ()
    public: Mapping[str, PublicTable] = field(default_factory=dict, repr=False)
    most: int | None = field(default=None, repr=False)
    joined: tuple[Joined, ...] = field(default=(), repr=False)
    derived: tuple[tuple[str, exp.Expr], ...] = field(default=(), repr=False)
    gathered: tuple[PerUser, Condition, tuple[tuple[str, exp.Expr], ...]] | None = field(default=None, repr=False)
    joining: Joining | None = field(default=None, repr=False, compare=False)

    @property
    def _base(self) -> Table:
        """The table whose rows the next step speaks of: the stored one, or the one gathered from it."""
        return self.table if self.gathered is None else self.gathered[0].table

    def filter(self, *conditions: str | Predicate | Expr, **values: object) -> Frame:
        """Only rows that meet all conditions; the same as :meth:`where`."""
        return self.where(*conditions, **values)

    def with_columns(self, **columns: str | Expr) -> Frame:
        """Names for expressions, to be used like columns in all that follows.

        >>> from partita.query.builder.aggregates import avg
        >>> from partita.query.builder.expressions import col
        >>> from partita.region.columns import integers
        >>> table = Frame(Table("visits", [], {"a": integers(0, 9), "b": integers(0, 9)}))
        >>> print(table.with_columns(both=col("a") + col("b")).agg(m=avg("both")).sql())
        SELECT AVG(a + b) AS m
        FROM visits
        """
        found = self
        for name, given in columns.items():
            _, node = found._read(given)
            found = replace(found, derived=(*found.derived, (name.lower(), exp.paren(node))))
        return found

    def where(self, *conditions: str | Predicate | Expr, **values: object) -> Frame:
        """Only rows that meet all conditions: SQL text, predicates, or column=value, column=(low, high)."""
        from partita.region.predicate import holding

        found = self._met()
        wanted = [*conditions, *(holding(name, value) for name, value in values.items())]
        for each in wanted:
            if isinstance(each, Predicate):
                found = found & condition(each, self._base.domain)
            else:
                reader, node = self._read(each)
                null_tests.met(reader.text, node)
                found = found & reader.condition(node)
        return replace(self, condition=found)

    def join(
        self, table: str, on: str | Collection[str], *, left: bool = False, how: str | None = None, name: str = ""
    ) -> Frame | JoinedFrame:
        """With the facts of a public table about the column ``on``; rows without any go unless ``left``.

        Where promises are on people, also with the rows of another table of the same people, first of all steps: ``on``
        names columns that both have, and ``how`` is one of inner, left, right, full, semi and anti.
        """
        people, public = self.joining, self.public.get(table) if isinstance(table, str) else None
        if people is not None and (public is None or public.fanout > 1):
            if self != Frame(self.table, public=self.public, most=self.most):
                raise refuse.joined_late(table)
            made = JoinedFrame(self.table.name, quoted(self.table.name), people)
            return made.join(table, on, left=left, how=how, name=name)
        if how is not None or name or not isinstance(on, str):
            raise refuse.joined_otherwise()
        side = "LEFT JOIN" if left else "JOIN"
        key = self.public[table].key if table in self.public else on
        tree = self._parsed(f"SELECT 1 FROM t {side} {quoted(table)} ON {quoted(table)}.{quoted(key)} = {quoted(on)}")
        reader = self._reader(tree.sql(dialect="duckdb"))
        known = {name.lower(): one for name, one in self.public.items()}
        join = read_join(tree.args["joins"][0], {}, known, reader.looked, reader.refused)
        met = self._met()
        if join.inner:
            codes = [code for code, row in enumerate(join.joined.rows) if row is not None]
            met = met & Condition(slab(self._base.domain, join.joined.column, codes))
        return replace(self, joined=(*self.joined, join.joined), condition=met)

    def gather(self, *keys: str, **columns: str) -> Frame:
        """One row for each owner, and each value of the keys, with aggregates of the owner's rows as columns."""
        owner = "" if self.table.owner is None else quoted(self.table.owner)
        listed = ", ".join([owner, *keys, *(f"{text} AS {quoted(name)}" for name, text in columns.items())])
        text = f"SELECT {listed} FROM {quoted(self.table.name)} GROUP BY {', '.join([owner, *keys])}"
        if not owner or self.gathered is not None:
            raise refuse.not_by_owner(None) if not owner else refuse.gathered_twice()
        per_user, rest = GatheringWords(self._reader(text), self._parsed(text), self.most).read()
        named = tuple((item.alias_or_name.lower(), item.unalias()) for item in rest.expressions)
        return replace(self, condition=None, keys=(), joined=(), derived=(), gathered=(per_user, self._met(), named))

    def rollup(self, *keys: str | Expr, **named: str | Expr) -> Frame:
        """Groups, groups of groups, and the total: each key summed over after the ones behind it."""
        made = self.group_by(*keys, **named)
        mine = [key for _, key in made.keys]
        return replace(
            made, lines=(*made.lines, ("sets", tuple(tuple(mine[:end]) for end in range(len(mine), -1, -1))))
        )

    def cube(self, *keys: str | Expr, **named: str | Expr) -> Frame:
        """Groups by every choice of the keys, from all of them to none."""
        made = self.group_by(*keys, **named)
        mine = [key for _, key in made.keys]
        if 2 ** len(mine) > MOST_SETS:
            raise refuse.too_many_sets(2 ** len(mine), MOST_SETS)
        sets = tuple(chosen for size in range(len(mine), -1, -1) for chosen in combinations(mine, size))
        return replace(made, lines=(*made.lines, ("sets", sets)))

    def group_by(self, *keys: str | Expr, **named: str | Expr) -> Frame:
        """A line for every possible value of the keys: columns, BUCKET(column, width), DATE_TRUNC('month', column)."""
        listed = list(self.keys)
        for name, given in [*((None, key) for key in keys), *named.items()]:
            reader, node = self._read(given)
            text = str(text_of(given))
            key = reader.key(node)
            if key is None:
                raise reader.refused(node, refuse.not_a_key(text))
            plain = key.column if isinstance(key, Each) and self.gathered is None else text
            listed.append((name or (plain if plain.isidentifier() else shown_key(key)), key))
        return replace(self, keys=tuple(listed))

    def having(self, *conditions: str | Expr) -> Frame:
        """Only lines whose noisy numbers and keys meet all conditions; free."""
        return replace(self, lines=(*self.lines, *(("having", text_of(text)) for text in conditions)))

    def order_by(self, *texts: str | Expr) -> Frame:
        """Lines in this order: names of the answer's columns, keys or formulas, with DESC if downward; free."""
        return replace(self, lines=(*self.lines, *(("order", text_of(text)) for text in texts)))

    def limit(self, lines: int, *, offset: int = 0) -> Frame:
        """At most so many lines; free."""
        return replace(self, lines=(*self.lines, ("limit", lines), ("offset", offset)))

    def agg(self, *unnamed: object, **aggregates: Asked | str | Expr) -> Plan:
        """The finished question: one named column for each aggregate, or for a formula of aggregates in SQL."""
        import partita.query.builder.after  # noqa: F401  it brings the steps after this one

        if unnamed:
            raise refuse.unnamed_aggregate()
        if not aggregates:
            raise refuse.no_aggregate()
        shown: list[ShownColumn] = [KeyColumn(name, key) for name, key in self.keys]
        for name, given in aggregates.items():
            asked = text_of(given)
            if not isinstance(asked, Asked | str):
                raise refuse.not_an_aggregate(name, asked)
            shown.append(ValueColumn(name, self._formula(asked if isinstance(asked, str) else asked.sql(), {})))
        names = [column.name.lower() for column in shown]
        for name in names:
            if names.count(name) > 1:
                raise refuse.repeated_name(name)
        lines = self._lines({column.name.lower(): meaning(column) for column in shown})
        needs, met = needed(tuple(shown), lines), self._met()
        if not needs:
            raise refuse.no_aggregate()
        keys = tuple(key for _, key in self.keys)
        if self.gathered is None:
            return rewritten(Plan(self.table, met, keys, needs, tuple(shown), lines))
        per_user, stored, _ = self.gathered
        kept = replace(per_user, where=met)
        return rewritten(Plan(self.table, stored, keys, needs, tuple(shown), lines, per_user=kept))

    def _met(self) -> Condition:
        return everywhere(self._base.domain) if self.condition is None else self.condition

    def _formula(self, text: str, named: Mapping[str, Formula]) -> Formula:
        reader, node = self._read(text)
        return Selecting(reader, tuple(key for _, key in self.keys), named).formula(node)

    def _lines(self, named: Mapping[str, Formula]) -> Lines:
        having = tuple(self._formula(str(text), named) for kind, text in self.lines if kind == "having")
        orders = []
        for kind, text in self.lines:
            if kind == "order":
                tree = self._parsed(f"SELECT 1 ORDER BY {text}")
                for item in tree.args["order"].expressions:
                    by = self._formula(item.this.sql(dialect="duckdb"), named)
                    orders.append(Order(by, bool(item.args.get("desc")), bool(item.args.get("nulls_first"))))
        numbers = {kind: whole(number, kind, least=0) for kind, number in self.lines if kind in ("limit", "offset")}
        met = None if not having else having[0] if len(having) == 1 else Apply(Operation.AND, having)
        sets = next((given for kind, given in self.lines if kind == "sets"), ())
        return Lines(met, tuple(orders), numbers.get("limit"), numbers.get("offset", 0), sets=sets)  # type: ignore[arg-type]

    def _reader(self, text: str) -> Reader:
        return Reader(text, self._base, self._base.name, self.joined, texts=True)

    def _read(self, given: object) -> tuple[Reader, exp.Expr]:
        text = text_of(given)
        if not isinstance(text, str):
            raise refuse.not_text(text)
        try:
            node: exp.Expr = parse_one(text, dialect="duckdb", into=exp.Condition)
        except (sql_errors.SqlglotError, RecursionError, ValueError, TypeError, AttributeError, IndexError):
            raise refuse.unreadable(f"{text!r} does not parse") from None
        null_tests.checked(text, node)
        node = plain(text, node, {})
        meant = {**dict(self.derived), **({} if self.gathered is None else dict(self.gathered[2]))}
        if meant:
            node = node.transform(
                lambda part: meant.get(part.name.lower(), part).copy() if isinstance(part, exp.Column) else part
            )
        return self._reader(text), node

    def _parsed(self, text: str) -> exp.Select:
        try:
            tree = parse_one(text, dialect="duckdb")
        except (sql_errors.SqlglotError, RecursionError, ValueError, TypeError, AttributeError, IndexError):
            raise refuse.unreadable(f"{text!r} does not parse") from None
        if not isinstance(tree, exp.Select):
            raise refuse.unreadable(f"{text!r} does not parse")
        return tree


def meaning(column: ShownColumn) -> Formula:
    """What the name of a column of the answer stands for."""
    return Label(column.key) if isinstance(column, KeyColumn) else column.formula
