"""Reads which rows of a join lie in one window of time, where windows of people are protected one by one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from sqlglot import exp

from partita.errors import QueryRefused
from partita.errors.query import people as refuse
from partita.query.language.joined import Kind
from partita.query.sql.people.fanning import Joining
from partita.query.sql.people.join_words import Meant, Named, tied
from partita.query.tables.people import People


@final
class Windows:
    """The windows of a question's tables, and which of them it equates (theory I11)."""

    def __init__(self, joining: Joining, people: People) -> None:
        self._joining, self._people = joining, people
        self._equal: list[tuple[Named, Named]] = []
        self.apart = False

    def links(self, part: exp.Expr, mine: Sequence[Named]) -> bool:
        """Whether a condition equates the windows of two tables, one of them among some: it is one of the join then."""
        part = part.unnest()
        if self._people.persons.per is None or not isinstance(part, exp.EQ):
            return False
        sides = [part.this.unnest(), part.expression.unnest()]
        columns = [side for side in sides if isinstance(side, exp.Column) and side.table]
        found = [self._joining.meant(side) for side in columns]
        first, second = found if len(found) == 2 else (None, None)
        if first is None or second is None or not self._window(first) or not self._window(second):
            return False
        if first.named is second.named or not any(one in (first.named, second.named) for one in mine):
            return False
        # In WHERE it would be a condition on joined rows; and a row that is absent has no window to share.
        steady = (
            [first.named, second.named] if len(mine) > 1 else [first.named if second.named in mine else second.named]
        )
        if any(one.occurrence.kind is not Kind.INNER for one in steady):
            return False
        self._equal.append((first.named, second.named))
        return True

    def _window(self, meant: Meant) -> bool:
        return meant.column == self._people[meant.named.occurrence.table].per

    def check(self) -> None:
        """Let rows of several windows meet in inner joins alone, and refuse what is not counted for them."""
        named = self._joining.named
        if self._people.persons.per is None or len(named) == 1:
            return
        if full := next((one for one in named if one.occurrence.kind is Kind.FULL), None):
            raise self._joining.refused(full.node, self.unlinked(full.alias))
        pairs = [(first.occurrence.name, second.occurrence.name) for first, second in self._equal]
        together = tied([one.occurrence.name for one in named], pairs)
        others = [one for one in named if one.occurrence.name not in together]
        self.apart = bool(others)
        outer = [one for one in named if one.occurrence.kind is not Kind.INNER]
        if others and outer:
            raise self._joining.refused(others[0].node, self.unlinked(others[0].alias))
        if self.apart:
            # Equal windows of some of the tables are a condition like others.
            for first, second in self._equal:
                columns = [
                    exp.column(str(self._people[one.occurrence.table].per), table=one.alias) for one in (first, second)
                ]
                named[-1].further.append(exp.EQ(this=columns[0], expression=columns[1]))

    def unlinked(self, alias: str) -> QueryRefused:
        """A refusal of rows in several windows, with what to write."""
        per = str(self._people.persons.per)
        first = self._joining.named[0].alias
        return refuse.windows_not_linked(str(self._people.persons), f"{alias}.{per} = {first}.{per}")

    def called(self, meant: Meant) -> str | None:
        """What the window of a table is called in joined rows: where all have one, that of the first."""
        first = self._joining.named[0]
        equal = not self.apart and meant.named is not first and meant.named.occurrence.kind is Kind.INNER
        if self._people.persons.per is None or not equal or not self._window(meant):
            return None
        return f"{first.occurrence.name}.{self._people[first.occurrence.table].per}"

    def correlated(self, part: exp.Expr, alias: str, table: str) -> bool:
        """Whether a condition inside EXISTS equates the window of its row with that of the rows outside."""
        part, per = part.unnest(), self._people[table].per
        if per is None or not isinstance(part, exp.EQ):
            return False
        sides = [part.this.unnest(), part.expression.unnest()]
        for mine, other in (sides, sides[::-1]):
            if not isinstance(mine, exp.Column) or not isinstance(other, exp.Column):
                return False
            inside = mine.name.lower() == per.lower() and mine.table.lower() in ("", alias.lower())
            if inside and other.table and other.table.lower() != alias.lower():
                meant = self._joining.meant(other)
                if meant is not None and self._window(meant) and meant.named.occurrence.kind is Kind.INNER:
                    return True
        return False
