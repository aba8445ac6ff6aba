"""Growth in SQL: which rows of a new batch are kept beside those that were kept before, and what an erasure leaves."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import final

from partita.engine.statements.stored import Stored, text
from partita.query.language.text import in_quotes as name
from partita.query.tables.schema import Table, texts
from partita.query.tables.truncation import SEPARATOR, Truncation
from partita.region.columns import Categories, Open
from partita.region.columns.stepped import Stepped
from partita.region.columns.stored import Family, family
from partita.region.dialects.duckdb import DUCKDB


@final
@dataclass(frozen=True)
class Place:
    """Where an engine holds the rows of one growing table.

    ``held`` are the kept rows of all batches, each with its place among those of its owner. ``gone`` is what is left
    of forgotten owners: a keyed hash in place of the owner, the places that are used up, and the values that may not
    change. ``links``, if keys lead to this table's owners, says to whom each key that ever arrived leads. What a batch
    adds waits in ``arrived`` and ``linked`` until it is sealed.
    """

    table: Table
    cap: Truncation | None
    at: int
    unique: tuple[str, ...] = ()
    chain: str | None = None
    parent: str | None = None
    person: bool = False

    @property
    def held(self) -> str:
        """The relation of kept rows."""
        return f'"held {self.at}"'

    @property
    def gone(self) -> str:
        """The relation of tombstones."""
        return f'"gone {self.at}"'

    @property
    def links(self) -> str:
        """To whom each key leads."""
        return f'"links {self.at}"'

    @property
    def arrived(self) -> str:
        """The kept rows of the batch at hand."""
        return f'"arrived {self.at}"'

    @property
    def linked(self) -> str:
        """The keys that are new in the batch at hand."""
        return f'"linked {self.at}"'

    @property
    def owner(self) -> str:
        """The column that names owners, in quotes."""
        assert self.table.owner is not None
        return name(self.table.owner)

    @property
    def parts(self) -> tuple[str, ...]:
        """The columns that divide rows into those which share their places: the owner, and the part of the owner."""
        assert self.cap is not None
        return (self.owner,) if self.cap.per is None else (self.owner, name(self.cap.per))

    @property
    def place(self) -> str:
        """The column of a row's place."""
        return Stored(self.table, "", {}, {}).made("place")

    @property
    def constant(self) -> tuple[str, ...]:
        """What a tombstone keeps beside the places: columns that never change about an owner."""
        if self.person:
            return tuple(column for column in self.table.columns if column != self.table.owner)
        return tuple(self.table.domain.axes[axis] for axis in self.table.domain.constant)

    def columns(self) -> dict[str, str]:
        """The columns of ``held`` and their types: the narrowest, whatever the rows came as."""
        found = {name(column): held_type(self.table, column) for column in self.table.columns}
        return found if self.cap is None else {**found, self.place: DUCKDB.narrowest(1, self.cap.rows)}

    def tombs(self) -> dict[str, str]:
        """The columns of ``gone`` and their types."""
        assert self.cap is not None
        kept = dict.fromkeys([*([] if self.cap.per is None else [self.cap.per]), *self.constant])
        types = {name(column): held_type(self.table, column) for column in kept}
        return {'"forgotten owner"': "VARCHAR", self.place: DUCKDB.narrowest(1, self.cap.rows), **types}


def held_type(table: Table, column: str) -> str:
    """The narrowest type of a column's sanitised values: the same for every batch."""
    declared = table.columns[column]
    if isinstance(declared, Stepped):
        return DUCKDB.narrowest(declared.low, declared.high)
    if isinstance(declared, Categories):
        return f"ENUM({', '.join(map(text, declared.labels))})"
    return declared.sanitised_type


def hashed_owner(owner: str, secret: str) -> str:
    """SQL of the keyed hash that stands for a forgotten owner."""
    return f"SHA256(CONCAT({text(secret)}, {text(SEPARATOR)}, {owner}))"


def fresh(stored: Stored, place: Place, leading: str | None, *, alone: bool = False) -> Stored:
    """The rows of a batch, sanitised, each with the text of its owner; not those without one, or in no part of one.

    ``leading`` is a relation (key, owner) that says to whom a key leads, where the rows do not name their owners.
    Owners who are compared with no others (``alone``) may stay numbers: these differ exactly where their texts do.
    """
    table = place.table
    listed = [_in_type(table, column, value) for column, value in stored.sanitised.items() if column != table.owner]
    asked = []
    if place.cap is not None and place.cap.per is not None:
        asked.append(stored.within(place.cap.per))
    if table.owner is not None and leading is None:
        number = alone and family(stored.types[table.owner]) is Family.INTEGER
        found = stored.sanitised[table.owner]
        listed.append(f"{found if number else f'CAST({found} AS VARCHAR)'} AS {place.owner}")
    where = f" WHERE {' AND '.join(asked)}" if asked else ""
    relation = f"(SELECT {', '.join(listed)} FROM {stored.relation}{where}) AS mine_"
    if leading is not None and place.chain is not None:
        relation = (
            f"(SELECT mine_.*, leading_.owner AS {place.owner} FROM {relation} "
            f"JOIN {leading} AS leading_ ON mine_.{name(place.chain)} = leading_.key) AS mine_"
        )
    if place.cap is not None:
        relation = f"(SELECT * FROM {relation} WHERE {place.owner} IS NOT NULL) AS mine_"
    return Stored(table, relation, {}, {column: column for column in table.columns}, clean=True)


def sealing_order(rows: Stored, cap: Truncation) -> str:
    """The keyed order of an owner's rows within a batch: by a hash of their values, and then by the values.

    It decides once, when the batch is sealed, and the places are sealed with the rows; so an engine may hash in
    another way later. Values are hashed in types that no other row decides.
    """
    table = rows.table
    listed = [*table.domain.axes, *texts(table)]
    hashed = ", ".join([text(cap.key), *(_hashed(table, column) for column in listed)])
    return f"HASH({hashed})" + "".join(f", {name(column)} NULLS LAST" for column in listed)


def _hashed(table: Table, column: str) -> str:
    declared = table.columns[column]
    if isinstance(declared, Stepped):
        return f"CAST({name(column)} AS BIGINT)"
    return f"CAST({name(column)} AS VARCHAR)" if isinstance(declared, Categories | Open) else name(column)


def arrivals(rows: Stored, place: Place, others: Iterable[Place], secret: str, bare: Collection[str] = ()) -> str:
    """The rows of a batch that are kept: of each owner the first in the keyed order, as many as places are left.

    What was kept before stays and is never weighed against what arrives (theory I10, growth.proof.md). ``bare`` are the
    relations that are known to hold nothing, and need not be looked at.
    """
    cap, table = place.cap, place.table
    if cap is None:
        return f"SELECT {_narrowed(place)} FROM {rows.relation}"
    used, at_, one = rows.made("used"), rows.made("at"), rows.made("one")
    parts, by = place.parts, sealing_order(rows, cap)
    within = ", ".join(parts)
    steady = tuple(table.domain.axes[axis] for axis in table.domain.constant)
    met = " AND ".join(f"new_.{part} = used_.{part}" for part in parts)
    prior = "".join(f", used_.{name(column)} AS {_first(rows, at)}" for at, column in enumerate(steady))
    known = f"SELECT new_.*, COALESCE(used_.used, 0) AS {used}{prior} FROM {rows.relation.removesuffix(' AS mine_')} "
    known += f"AS new_ LEFT JOIN ({_used(rows, place, steady, secret)}) AS used_ ON {met}"
    first = {place.held, place.gone} <= {*bare}
    if first:
        known, used = f"SELECT * FROM {rows.relation.removesuffix(' AS mine_')} AS new_", "0"
    if place.person:
        # The person's value is fixed at the first batch with any row of the person, in whatever table.
        known += f" WHERE {_unseen(others, secret, bare)}"
    owned = f"({known}) AS owned_"
    if steady:
        same = " AND ".join(
            f"{name(column)} IS NOT DISTINCT FROM {_fixed(rows, at)}" for at, column in enumerate(steady)
        )
        found = [f"FIRST_VALUE({name(column)}) OVER (PARTITION BY {within} ORDER BY {by})" for column in steady]
        if not first:
            found = [f"CASE WHEN {used} > 0 THEN {_first(rows, at)} ELSE {one} END" for at, one in enumerate(found)]
        fixed = ", ".join(f"{one} AS {_fixed(rows, at)}" for at, one in enumerate(found))
        owned = f"(SELECT * FROM (SELECT *, {fixed} FROM {owned}) AS steady_ WHERE {same}) AS owned_"
    for key in map(name, place.unique):
        single = f"SELECT *, ROW_NUMBER() OVER (PARTITION BY {within}, {key} ORDER BY {by}) AS {one} FROM {owned}"
        before = f"SELECT 1 FROM {place.held} AS old_ WHERE old_.{place.owner} = one_.{place.owner}"
        owned = (
            f"(SELECT * EXCLUDE ({one}) FROM ({single}) AS one_ WHERE {key} IS NULL "
            f"OR ({one} = 1 AND NOT EXISTS ({before} AND old_.{key} = one_.{key}))) AS owned_"
        )
    ordered = f"SELECT *, {used} + ROW_NUMBER() OVER (PARTITION BY {within} ORDER BY {by}) AS {at_} FROM {owned}"
    return (
        f"SELECT {_narrowed(place)}, CAST({at_} AS {DUCKDB.narrowest(1, cap.rows)}) AS {place.place} "
        f"FROM ({ordered}) AS ordered_ WHERE {at_} <= {cap.rows}"
    )


def _first(rows: Stored, at: int) -> str:
    return rows.made(f"first {at}")


def _fixed(rows: Stored, at: int) -> str:
    return rows.made(f"fixed {at}")


def _narrowed(place: Place) -> str:
    return ", ".join(_in_type(place.table, column, name(column)) for column in place.table.columns)


def _in_type(table: Table, column: str, value: str) -> str:
    """A sanitised value in the narrowest type: what is ordered is as little as it can be."""
    return f"CAST({value} AS {held_type(table, column)}) AS {name(column)}"


def _used(rows: Stored, place: Place, steady: Sequence[str], secret: str) -> str:
    """Of every owner (and part) in the batch: the places used up so far, and the values that may not change."""
    listed = [*place.parts[1:], place.place, *(one for one in map(name, steady) if one not in place.parts)]
    chosen = ", ".join(listed)
    theirs = f"SELECT DISTINCT {place.owner} FROM {rows.relation}"
    held = f"SELECT {place.owner}, {chosen} FROM {place.held} WHERE {place.owner} IN ({theirs})"
    gone = (
        f"SELECT who_.{place.owner}, {', '.join(f'gone_.{one}' for one in listed)} FROM {place.gone} AS gone_ "
        f'JOIN ({theirs}) AS who_ ON gone_."forgotten owner" = {hashed_owner(f"who_.{place.owner}", secret)}'
    )
    kept = "".join(f", ANY_VALUE({one}) AS {one}" for one in map(name, steady) if one not in place.parts)
    return (
        f"SELECT {', '.join(place.parts)}, MAX({place.place}) AS used{kept} FROM ({held} UNION ALL {gone}) AS before_ "
        f"GROUP BY {', '.join(place.parts)}"
    )


def _unseen(others: Iterable[Place], secret: str, bare: Collection[str]) -> str:
    """The owners of whom no table holds a row of an earlier batch, forgotten ones included."""
    tests = []
    for other in others:
        mine = f"new_.{other.owner}"
        if other.held not in bare:
            tests.append(f"NOT EXISTS (SELECT 1 FROM {other.held} AS seen_ WHERE seen_.{other.owner} = {mine})")
        if other.gone not in bare:
            tests.append(f'{hashed_owner(mine, secret)} NOT IN (SELECT "forgotten owner" FROM {other.gone})')
    return " AND ".join(tests) or "TRUE"


def returning(place: Place, others: Iterable[Place], secret: str) -> str:
    """The person rows of forgotten owners who come back: their own values, as they were (theory I10)."""
    came = " UNION ".join(f"SELECT {other.owner} AS owner FROM {other.arrived}" for other in others)
    listed = ", ".join(
        "who_.owner" if column == place.table.owner else f"gone_.{name(column)}" for column in place.table.columns
    )
    return (
        f"SELECT {listed}, gone_.{place.place} FROM {place.gone} AS gone_ JOIN ({came}) AS who_ "
        f'ON gone_."forgotten owner" = {hashed_owner("who_.owner", secret)} WHERE NOT EXISTS '
        f"(SELECT 1 FROM {place.held} AS old_ WHERE old_.{place.owner} = who_.owner)"
    )


def tombstones(place: Place, owner: str, hashed: str) -> str:
    """What is left of an owner who is forgotten: the most places that were ever used, and what may not change."""
    names = [one for one in place.tombs() if one not in ('"forgotten owner"', place.place)]
    listed = "".join(f", {one}" for one in names)
    per = [] if place.cap is None or place.cap.per is None else [name(place.cap.per)]
    kept = "".join(f", {one if one in per else f'ANY_VALUE({one})'} AS {one}" for one in names)
    both = (
        f"SELECT {place.place}{listed} FROM {place.held} WHERE {place.owner} = {text(owner)} UNION ALL "
        f'SELECT {place.place}{listed} FROM {place.gone} WHERE "forgotten owner" = {text(hashed)}'
    )
    grouped = f"GROUP BY {', '.join(per)}" if per else "HAVING COUNT(*) > 0"
    return (
        f'SELECT {text(hashed)} AS "forgotten owner", MAX({place.place}) AS {place.place}{kept} '
        f"FROM ({both}) AS both_ {grouped}"
    )


def new_links(parent: Stored, key: str, place: Place) -> str:
    """To whom the keys of a batch lead; a key that led to somebody before goes on leading there."""
    spelled = {column.lower(): column for column in parent.table.columns}[key.lower()]
    assert parent.table.owner is not None
    column, owner = name(spelled), name(parent.table.owner)
    return (
        f"SELECT {column} AS key, MIN({owner}) AS owner, COUNT(DISTINCT {owner}) > 1 AS several FROM {parent.relation} "
        f"WHERE {column} IS NOT NULL AND {owner} IS NOT NULL AND {column} NOT IN (SELECT key FROM {place.links}) "
        f"GROUP BY {column}"
    )


def told_apart(rows: Stored) -> str:
    """A sum over hashes of rows, and their number: the same for the same rows in whatever order and format.

    It tells the custodian of rows that come twice, and nothing rests on it: another version of the engine may hash
    otherwise, and then a file that comes twice is told by its own digest alone.
    """
    listed = ", ".join(
        f"CAST({name(column)} AS {'BIGINT' if isinstance(declared, Stepped) else 'VARCHAR'})"
        for column, declared in rows.table.columns.items()
    )
    return f"SELECT COUNT(*), COALESCE(SUM(HASH({listed})), 0) FROM {rows.relation}"


__all__ = [
    "Place",
    "arrivals",
    "fresh",
    "hashed_owner",
    "held_type",
    "new_links",
    "returning",
    "sealing_order",
    "told_apart",
    "tombstones",
]
