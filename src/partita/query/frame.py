"""The builder: the same plans as SQL, put together piece by piece in Python."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import final

from sqlglot import errors as sql_errors
from sqlglot import exp, parse_one

from partita.errors import query as refuse
from partita.query.aggregates import Aggregate, Average, Count, CountRows, Sum
from partita.query.conditions import Condition, condition, everywhere
from partita.query.keys import Each, Key
from partita.query.plan import KeyColumn, Lines, Plan, ShownColumn, ValueColumn, needed
from partita.query.reading import Reader
from partita.query.rewrite import rewritten
from partita.query.schema import Table
from partita.query.text import shown_key
from partita.region.predicate import Predicate


@final
@dataclass(frozen=True, slots=True)
class Asked:
    """An aggregate that the builder is to compute: its name, and the SQL expression it is of."""

    aggregate: str
    of: str | None = None


def count(of: str | None = None) -> Asked:
    """How many rows there are, or for how many the expression is not NULL.

    >>> count(), count("cost")
    (Asked(aggregate='count', of=None), Asked(aggregate='count', of='cost'))
    """
    return Asked("count", of)


def sum(of: str) -> Asked:
    """The sum of a bounded expression.

    >>> sum("cost * 2")
    Asked(aggregate='sum', of='cost * 2')
    """
    return Asked("sum", of)


def avg(of: str) -> Asked:
    """The mean of a bounded expression.

    >>> avg("cost")
    Asked(aggregate='avg', of='cost')
    """
    return Asked("avg", of)


@final
@dataclass(frozen=True, slots=True)
class Frame:
    """A question about one table that is not finished yet; every step gives a new one.

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

    def where(self, *conditions: str | Predicate, **values: object) -> Frame:
        """Only rows that meet all conditions: SQL text, predicates, or column=value, column=(low, high)."""
        from partita.region.predicate import holding

        found = everywhere(self.table.domain) if self.condition is None else self.condition
        wanted = [*conditions, *(holding(name, value) for name, value in values.items())]
        for each in wanted:
            if isinstance(each, Predicate):
                found = found & condition(each, self.table.domain)
            else:
                reader, node = self._read(each)
                found = found & reader.condition(node)
        return replace(self, condition=found)

    def group_by(self, *keys: str, **named: str) -> Frame:
        """A line for every possible value of the keys: columns, BUCKET(column, width), DATE_TRUNC('month', column)."""
        listed = list(self.keys)
        for name, text in [*((None, key) for key in keys), *named.items()]:
            reader, node = self._read(text)
            key = reader.key(node)
            if key is None:
                raise reader.refused(node, refuse.not_a_key(text))
            listed.append((name or (key.column if isinstance(key, Each) else shown_key(key)), key))
        return replace(self, keys=tuple(listed))

    def agg(self, **aggregates: Asked) -> Plan:
        """The finished question: one column for each aggregate."""
        if not aggregates:
            raise refuse.no_aggregate()
        shown: list[ShownColumn] = [KeyColumn(name, key) for name, key in self.keys]
        for name, asked in aggregates.items():
            if not isinstance(asked, Asked):
                raise refuse.not_an_aggregate(name, asked)
            shown.append(ValueColumn(name, self._aggregate(asked)))
        names = [column.name.lower() for column in shown]
        for name in names:
            if names.count(name) > 1:
                raise refuse.repeated_name(name)
        return rewritten(
            Plan(
                self.table,
                everywhere(self.table.domain) if self.condition is None else self.condition,
                tuple(key for _, key in self.keys),
                needed(tuple(shown), Lines()),
                tuple(shown),
            )
        )

    def _aggregate(self, asked: Asked) -> Aggregate:
        if asked.of is None:
            return CountRows()
        reader, node = self._read(asked.of)
        match asked.aggregate:
            case "count":
                return Count(reader.counted(node))
            case "sum":
                return Sum(reader.expression(node))
            case _:
                return Average(reader.expression(node))

    def _read(self, text: object) -> tuple[Reader, exp.Expr]:
        if not isinstance(text, str):
            raise refuse.not_text(text)
        try:
            node = parse_one(text, dialect="duckdb", into=exp.Condition)
        except (sql_errors.SqlglotError, RecursionError, ValueError, TypeError, AttributeError, IndexError):
            raise refuse.unreadable(f"{text!r} does not parse") from None
        return Reader(text, self.table, self.table.name), node
