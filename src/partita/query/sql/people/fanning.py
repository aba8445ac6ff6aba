"""Reads joins of people's rows to public tables with several rows for a key, and the columns of these."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Protocol, final

from sqlglot import exp

from partita.errors import QueryRefused
from partita.errors.query import language as refuse_query
from partita.errors.query import people as refuse
from partita.errors.query import tables as refuse_public
from partita.query.language.fans import Fan
from partita.query.sql.joins import led_by
from partita.query.sql.people.join_words import Fanned, Meant, Named, parts_of
from partita.query.tables.public import PublicTable
from partita.region.columns import Bounded


class Joining(Protocol):
    """What reads the join that public tables stand in."""

    named: list[Named]

    @abstractmethod
    def meant(self, node: exp.Column) -> Meant | None:
        """The occurrence and column that a column stands for."""

    @abstractmethod
    def declared(self, meant: Meant) -> object:
        """What a column is declared as."""

    @abstractmethod
    def column(self, named: Named, name: str) -> str | None:
        """The column of this name, as the table spells it."""

    @abstractmethod
    def refused(self, node: exp.Expr, problem: QueryRefused) -> QueryRefused:
        """A refusal with the words of the question that it is about."""


@final
class Fanning:
    """The public tables of a question that have several rows for a key (theory I4)."""

    def __init__(self, joining: Joining) -> None:
        self._joining = joining
        self.named: list[Fanned] = []
        self.fans: list[Fan] = []

    def add(self, join: exp.Join, table: PublicTable, name: str) -> None:
        """One more of them, under a name that no other table of the join has."""
        self.named.append(Fanned(join.this.alias or join.this.name, name, table, join))

    def read(self, conjuncts: list[exp.Expr]) -> list[exp.Expr]:
        """Join each of them on its key; gives the conditions that are left, those of their ON among them."""
        for fanned in self.named:
            conjuncts = self._read(fanned, conjuncts)
        return conjuncts

    def _read(self, fanned: Fanned, conjuncts: list[exp.Expr]) -> list[exp.Expr]:
        join, table, joining = fanned.join, fanned.table, self._joining
        side, kind = join.side.upper(), join.kind.upper()
        if side not in {"", "LEFT"} or kind not in {"", "INNER", "OUTER", "CROSS"} or join.method:
            words = " ".join(filter(None, (join.method.upper(), side, kind, "JOIN")))
            raise joining.refused(join, refuse_public.join_kind(words))
        if join.this.alias_column_names:
            raise joining.refused(join, refuse_query.columns_unclear(fanned.alias))
        on, using = join.args.get("on"), join.args.get("using")
        parts = [] if on is None else parts_of(on)
        # FROM a, b WHERE a.x = b.x
        inside = not using and not parts and not side
        leads, rest = led_by(join, fanned.alias, table) if using else None, list[exp.Expr]()
        for part in conjuncts if inside else parts:
            made = exp.Join(this=join.this.copy(), on=part.copy())
            found = led_by(made, fanned.alias, table) if leads is None else None
            if found is None:
                rest.append(part)
            leads = leads or found
        meant = None if leads is None else joining.meant(leads)
        declared = None if meant is None else joining.declared(meant)
        if meant is None or not isinstance(declared, Bounded) or (rest and side):
            raise joining.refused(join, refuse_public.join_condition(table.name, table.key))
        occurrence = meant.named.occurrence.name
        try:
            made_ = Fan.of(fanned.name, table, occurrence, meant.column, declared, optional=side == "LEFT")
        except QueryRefused as problem:
            raise joining.refused(join, problem) from None
        self.fans.append(made_)
        return rest if inside else [*conjuncts, *rest]

    def called(self, node: exp.Column) -> str | None:
        """What a column of one of these tables is called in joined rows; None if it is none of theirs."""
        if isinstance(node.this, exp.Star):
            return None
        qualifier, pairs = node.table.lower(), list(zip(self.named, self.fans, strict=False))
        here = [fan for fanned, fan in pairs if qualifier in ("", fanned.alias.lower())]
        here = here or [fan for fan in self.fans if qualifier == fan.table.name.lower()]
        placed = [(fan, fan.table.column(node.name)) for fan in here]
        found = [(fan, fan.table.columns[place]) for fan, place in placed if place is not None]
        mine: Sequence[Named] = []
        if not qualifier:
            mine = [one for one in self._joining.named if self._joining.column(one, node.name) is not None]
        keys = all(column == fan.table.key for fan, column in found)
        if found and len(found) + len(mine) > 1 and not (len(mine) == 1 and keys):
            names = [f"{one.alias}.{node.name}" for one in mine] + [f"{fan.name}.{column}" for fan, column in found]
            raise self._joining.refused(node, refuse.ambiguous_column(node.name, names))
        return found[0][0].joined(found[0][1]) if found and not mine else None

    def absent_from(self, part: exp.Expr) -> None:
        """Refuse columns of these tables in the ON of an outer join: they are met when all others are joined."""
        for node in part.find_all(exp.Column):
            if self.called(node) is not None:
                tables = ", ".join(dict.fromkeys(fan.table.name for fan in self.fans))
                raise self._joining.refused(part, refuse_public.fan_in_on(tables))
