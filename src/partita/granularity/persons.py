"""Persons: all rows of one owner in several tables at once, of which a bounded number is kept in each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, final

from partita.errors import granularity as refuse
from partita.exact import whole
from partita.granularity.base import Granularity, Relation
from partita.granularity.rows import Rows
from partita.granularity.users import Users

Caps = tuple[tuple[str, int], ...]
Chains = tuple[tuple[str, tuple[str, str]], ...]


@final
@dataclass(frozen=True, slots=True)
class Persons(Granularity):
    """Neighbours differ in all rows of one owner, in all tables at once (theory I1).

    ``table`` is the person table, if there is one: at most one row an owner, whose columns are the person's own values.
    ``rows`` says for every other table how many rows of one owner are ever kept. A table names its owners in
    ``column``, or is listed in ``through``: its rows then belong to the owner of the row of another table with the
    same key.
    ``altered`` makes the relation "replace the owner's rows by any others, or by none".
    ``per`` names a column that every table has, and that divides time into windows: then the rows of one owner in one
    window are protected, in all tables, and caps are for each window (theory I11). Rows whose stored window is not
    declared are left out.

    >>> everybody = persons(
    ...     "customer", table="customers", rows={"orders": 20, "lines": 100}, through={"lines": ("order", "orders")}
    ... )
    >>> everybody.cap("lines"), everybody.cap("customers"), everybody.chain("lines")
    (100, 1, ('order', 'orders'))
    """

    kind: ClassVar[str] = "persons"
    column: str
    table: str | None = None
    rows: Caps = field(default=())
    through: Chains = field(default=())
    altered: bool = False
    per: str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.column, str) or not self.column:
            raise refuse.no_person_column(self.column)
        if self.table is not None and (not isinstance(self.table, str) or not self.table):
            raise refuse.no_person_table(self.table)
        if not isinstance(self.altered, bool):
            raise refuse.not_a_switch("altered", self.altered)
        if self.per is not None and (not isinstance(self.per, str) or not self.per or "." in self.per):
            raise refuse.no_part_column(self.per)
        if self.per is not None and (self.table is not None or self.through):
            raise refuse.windows_of_persons(self.per)
        caps = _caps(self.rows)
        if self.table in caps:
            raise refuse.person_table_capped(str(self.table))
        if not caps and self.table is None:
            raise refuse.no_tables_of_persons()
        chains = _chains(self.through)
        for name, (key, parent) in chains.items():
            if name not in caps or parent not in caps or name == parent:
                raise refuse.chain_leads_nowhere(name, key, parent, tuple(caps))
        for name in chains:
            walked, here = [name], name
            while here in chains:
                here = chains[here][1]
                if here in walked:
                    raise refuse.chain_in_a_circle((*walked, here))
                walked.append(here)
        object.__setattr__(self, "rows", tuple(sorted(caps.items())))
        object.__setattr__(self, "through", tuple(sorted(chains.items())))

    @property
    def tables(self) -> tuple[str, ...]:
        """Every table in which a person may have rows, the person table first."""
        return (*(() if self.table is None else (self.table,)), *(name for name, _ in self.rows))

    def cap(self, table: str) -> int:
        """The most rows of one owner that are ever kept in a table."""
        return 1 if table == self.table else dict(self.rows)[table]

    def chain(self, table: str) -> tuple[str, str] | None:
        """The key and the table whose rows say whom the rows of this table belong to; None if it names its owners."""
        return dict(self.through).get(table)

    def grown_from(self, old: Persons) -> bool:
        """Whether these are the same people with further tables, which leave the rows kept in all others as they are.

        A key that leads to a table decides which of its rows are kept, so a further table may only be reached along one
        that was there (theory I12).
        """
        same = (self.column, self.table, self.altered, self.per) == (old.column, old.table, old.altered, old.per)
        before, chains, keys = dict(old.rows), dict(old.through), {link for _, link in old.through}
        kept = all(dict(self.rows).get(name) == cap for name, cap in before.items())
        led = all(self.chain(name) == chains.get(name) for name in before)
        further = [(name, link) for name, link in self.through if name not in before]
        return same and kept and led and all(link in keys or link[1] not in before for _, link in further)

    def in_table(self, table: str, rows: int | None = None, per: str | None = None) -> Users:
        """The same people as owners of rows of one table, or of so many rows joined from several.

        ``per`` is the joined column that holds the window of a row, where there is one.
        """
        if rows is None:
            return Users(self.column, self.cap(table), per=self.per, altered=self.altered)
        return Users(self.column, rows, per=per, altered=self.altered)

    @property
    def relation(self) -> Relation:
        return Relation.CHANGE_ONE if self.altered else Relation.ADD_REMOVE

    def made_of(self, source: Granularity) -> int | None:
        factor = 2 if self.altered else 1
        if isinstance(source, Rows):
            return factor * sum(self.cap(table) for table in self.tables)
        if isinstance(source, Persons) and (self.column, self.table, self.rows, self.through, self.per) == (
            source.column,
            source.table,
            source.rows,
            source.through,
            source.per,
        ):
            return 1 if source.altered else factor
        return None

    def makes(self, target: Granularity) -> int | None:
        """One row of a person: remove the person and add her again altered, so two steps (theory A9a)."""
        if isinstance(target, Rows):
            return 1 if self.altered else 2
        return None

    def __str__(self) -> str:
        kept = ", ".join(f"{cap} of {name}" for name, cap in self.rows)
        person = "" if self.table is None else f"one row of {self.table}"
        rows = " and ".join(part for part in (person, f"at most {kept}" if kept else "") if part)
        unit = self.column if self.per is None else f"{self.column} during one {self.per}"
        return f"one {unit} with {rows}, {'altered in any way' if self.altered else 'added or removed'}"


def _caps(rows: Mapping[str, Any] | Iterable[Any]) -> dict[str, int]:
    listed = _pairs("rows", rows)
    return {name: whole(cap, f"rows of {name}", least=1) for name, cap in listed.items()}


def _chains(through: Mapping[str, Any] | Iterable[Any]) -> dict[str, tuple[str, str]]:
    found: dict[str, tuple[str, str]] = {}
    for name, link in _pairs("through", through).items():
        if (
            not isinstance(link, list | tuple)
            or len(link) != 2
            or not all(isinstance(one, str) and one for one in link)
        ):
            raise refuse.bad_chain(name, link)
        found[name] = (link[0], link[1])
    return found


def _pairs(word: str, given: object) -> dict[str, Any]:
    """What was given for each table, as a mapping or, in a document, as a list of pairs."""
    try:
        found: dict[str, Any] = dict(given)  # type: ignore[call-overload]
    except (TypeError, ValueError):
        raise refuse.not_by_table(word, given) from None
    if not all(isinstance(name, str) and name for name in found):
        raise refuse.not_by_table(word, given)
    return found


def persons(
    column: str,
    *,
    table: str | None = None,
    rows: Mapping[str, int] | None = None,
    through: Mapping[str, tuple[str, str]] | None = None,
    altered: bool = False,
    per: str | None = None,
) -> Persons:
    """Protect each person with all their rows in several tables; ``column`` names the owner.

    With ``per``, a column that all tables have, each window of time of a person is protected by itself.

    >>> unit = persons("customer", rows={"orders": 20, "lines": 100}, through={"lines": ("order", "orders")})
    >>> print(unit)
    one customer with at most 100 of lines, 20 of orders, added or removed
    """
    return Persons(column, table, rows or {}, through or {}, altered, per)  # type: ignore[arg-type]
