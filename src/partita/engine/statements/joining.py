"""Kept rows and joins of them in SQL: every join equates the owners, whatever else it is on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from partita.engine.statements.lowering import holds
from partita.engine.statements.statement import gathered_column, kept
from partita.engine.statements.stored import Stored
from partita.query.language.derived import Derived, WindowColumn, Within
from partita.query.language.fans import Fan
from partita.query.language.joined import Existence, Joined, Kind, Link, Occurrence, joined_of
from partita.query.language.per_user import PerUser
from partita.query.language.text import in_quotes as name
from partita.query.tables.people import Keeping
from partita.query.tables.schema import Table, texts
from partita.query.tables.truncation import Truncation
from partita.region.columns import Bounded, Key, TextKeys
from partita.region.columns.stepped import Stepped
from partita.region.dialects.duckdb import DUCKDB

TWO_OWNERS: Final = "Rows of %s with one key belong to two owners: what leads to them is taken for the first owner's."

# --- kept rows -----------------------------------------------------------------------------------------------------


def owned(stored: Stored, keeping: Keeping, owners: str | None) -> Stored:
    """All rows of a table, sanitised, each with the text of its owner; ``owners`` says to whom a key leads."""
    table = keeping.table
    assert table.owner is not None
    listed = [f"{text} AS {name(column)}" for column, text in stored.sanitised.items() if column != table.owner]
    # Stored values that are clamped or stood in for would share a window with others (theory A4a).
    met = "" if keeping.per is None else f" WHERE {stored.within(keeping.per)}"
    if owners is None or keeping.chain is None:
        listed.append(f"CAST({stored.sanitised[table.owner]} AS VARCHAR) AS {name(table.owner)}")
        relation = f"(SELECT {', '.join(listed)} FROM {stored.relation}{met}) AS owned_"
    else:
        relation = (
            f"(SELECT mine_.*, leading_.owner AS {name(table.owner)} "
            f"FROM (SELECT {', '.join(listed)} FROM {stored.relation}) AS mine_ "
            f"JOIN {owners} AS leading_ ON mine_.{name(keeping.chain)} = leading_.key) AS owned_"
        )
    return Stored(table, relation, {}, {column: column for column in table.columns}, stored.dialect, clean=True)


def owners_statement(parent: Stored, key: str) -> str:
    """To whom each key of a table leads: of several owners, to the one whose text comes first."""
    spelled = {column.lower(): column for column in parent.table.columns}[key.lower()]
    assert parent.table.owner is not None
    column, owner = name(spelled), name(parent.table.owner)
    return (
        f"SELECT {column} AS key, MIN({owner}) AS owner, COUNT(DISTINCT {owner}) > 1 AS several "
        f"FROM {parent.relation} WHERE {column} IS NOT NULL AND {owner} IS NOT NULL GROUP BY {column}"
    )


def kept_statement(rows: Stored, keeping: Keeping, cap: Truncation) -> str:
    """The rows that are kept of each owner, in the narrowest types."""
    listed = ", ".join(f"{rows.narrow(column, name(column))} AS {name(column)}" for column in rows.table.columns)
    return f"SELECT {listed} FROM {kept(rows, cap, keeping.unique)}"


def numbers_statement(kept: Iterable[Stored]) -> str:
    """A number for every text that owners and keys have in any of these tables, the same in all of them."""
    words = " UNION ".join(
        f"SELECT {name(column)} AS word FROM {one.relation}" for one in kept for column in _linking(one.table)
    )
    return f"SELECT word, ROW_NUMBER() OVER () AS number FROM ({words}) AS words_ WHERE word IS NOT NULL"


def numbered_statement(kept: Stored, numbers: str) -> tuple[str, dict[str, str]]:
    """The same rows with the numbers of their owner and keys beside them, and in which columns these are."""
    columns = {column: f"{kept.mark}:number {column}" for column in _linking(kept.table)}
    listed = "".join(f", n{place}.number AS {name(one)}" for place, one in enumerate(columns.values()))
    joins = "".join(
        f" LEFT JOIN {numbers} AS n{place} ON rows_.{name(column)} = n{place}.word"
        for place, column in enumerate(columns)
    )
    return f"SELECT rows_.*{listed} FROM {kept.relation} AS rows_{joins}", columns


def _linking(table: Table) -> list[str]:
    """The columns by which rows are joined: the owner, and the keys."""
    assert table.owner is not None
    return [table.owner, *(column for column, declared in table.columns.items() if isinstance(declared, Key))]


# --- joins ---------------------------------------------------------------------------------------------------------


def joined_stored(joined: Joined, stored: Mapping[str, Stored]) -> Stored:
    """The joined rows as a relation of sanitised values, with the proven columns of ``joined.table``."""
    stored = {**stored, **{one.table.name: derived_stored(one, stored) for one in joined.brackets}}
    first, *rest = joined.occurrences
    # Numbers where all have them, and otherwise texts: those are never compared with each other.
    tables = [one.table for one in joined.occurrences] + [one.table for one in joined.existences]
    numbered = all(stored[table].numbers for table in tables)
    owner, text = _owner(first.name), _rows(joined, first, stored[first.table], numbered=numbered)
    person = _person(first.name)
    for occurrence in rest:
        text += f" {occurrence.kind.value} {_rows(joined, occurrence, stored[occurrence.table], numbered=numbered)}"
        text += f" ON {_meeting(occurrence.name, owner, occurrence.links)}"
        if joined.window is not None:
            text += f" AND {name(joined.window)} = {name(f'{occurrence.name}.{joined.people[occurrence.table].per}')}"
        if occurrence.on is not None:
            text += f" AND ({holds(occurrence.on)})"
        if occurrence.kind is Kind.FULL:
            owner = f"COALESCE({owner}, {_owner(occurrence.name)})"
            person = f"COALESCE({person}, {_person(occurrence.name)})"
    for fan in joined.fans:
        text += f" {'LEFT JOIN' if fan.optional else 'JOIN'} {_fanned(joined, fan)} ON {name(fan.key)} = {_met(fan)}"
    for existence in joined.existences:
        per = None if joined.window is None else joined.people[existence.table].per
        text += f" LEFT JOIN {_existing(existence, stored[existence.table], per, numbered=numbered)}"
        text += f" ON {_meeting(existence.name, owner, existence.links)}"
        if joined.window is not None:
            text += f" AND {name(joined.window)} = {_window(existence.name)}"
    listed, types = [f"{person} AS {name(joined.people.owner)}"], {joined.people.owner: "VARCHAR"}
    for column, (occurrence, own) in joined.columns.items():
        part = stored[occurrence.table]
        listed.append(name(column))
        stepped, open_ = isinstance(part.table.columns[own], Stepped), (occurrence.name, own) in joined.present
        types[column] = "BOOLEAN" if open_ else "BIGINT" if stepped else part.types[own]
    for existence in joined.existences:
        listed.append(f"CASE WHEN {_owner(existence.name)} IS NULL THEN FALSE ELSE TRUE END AS {name(existence.name)}")
        types[existence.name] = "BOOLEAN"
    for fan in joined.fans:
        for column, declared in fan.columns:
            listed.append(name(fan.joined(column)))
            types[fan.joined(column)] = declared.sanitised_type
    relation = f"(SELECT {', '.join(listed)} FROM {text}) AS joined_"
    names = {column: column for column in types}
    parts = tuple(stored[table] for table in joined.read)
    return Stored(joined.table, relation, types, names, clean=True, parts=parts)


def derived_stored(derived: Derived, stored: Mapping[str, Stored]) -> Stored:
    """The rows of a derived table as a relation of sanitised values, each with the text of its owner."""
    joined = joined_of(derived.base)
    base = stored[derived.base.name] if joined is None else joined_stored(joined, stored)
    assert base.table.owner is not None
    owner = name(base.table.owner)
    every = ", ".join(f"{text} AS {name(column)}" for column, text in base.sanitised.items())
    met = f"(SELECT {every} FROM {base.relation}) AS every_ WHERE {owner} IS NOT NULL AND {holds(derived.where)}"
    text = _gathered(derived, derived.per_user, met, owner) if derived.per_user else _windows(derived, base, met, owner)
    listed = [f"{owner} AS {name(derived.table.owner or '')}", *map(name, derived.linked)]
    listed += [f"{name(meant)} AS {name(shown)}" for shown, meant in derived.columns]
    only = "DISTINCT " if derived.cap == 1 and not derived.per_user else ""
    kept = "" if derived.kept is None else f" WHERE {holds(derived.kept)}"
    relation = f"(SELECT {only}{', '.join(listed)} FROM ({text}) AS made_{kept}) AS derived_"
    types = {
        column: declared.sanitised_type if isinstance(declared, Bounded) else "VARCHAR"
        for column, declared in derived.table.columns.items()
    }
    return Stored(derived.table, relation, types, {column: column for column in types}, clean=True)


def _gathered(derived: Derived, per_user: PerUser, met: str, owner: str) -> str:
    """One row for each owner and each value of the keys."""
    keys = [owner, *map(name, per_user.keys), *map(name, derived.linked)]
    listed = [f"{gathered_column(column, derived.base.domain)} AS {name(column.name)}" for column in per_user.columns]
    return f"SELECT {', '.join([*keys, *listed])} FROM {met} GROUP BY {', '.join(keys)}"


def _windows(derived: Derived, base: Stored, met: str, owner: str) -> str:
    """The rows with what is computed from the rows of the same owner; equal rows are told apart by all their values."""
    listed = [owner, *(name(column) for column in derived.inside.columns if column in base.table.columns)]
    # By any column, so that rows which are equal in all of them are the same to whoever looks at them.
    ties = [f"{name(column)} ASC NULLS LAST" for column in (*base.table.domain.axes, *texts(base.table))]
    for window in derived.windows:
        by = ", ".join([owner, *map(name, window.keys)])
        order = [
            f"{name(one.column)} {'DESC' if one.descending else 'ASC'} NULLS {'FIRST' if one.nulls_first else 'LAST'}"
            for one in window.order
        ]
        order += ties if window.within.one_by_one else []
        over = f"OVER (PARTITION BY {by}{' ORDER BY ' + ', '.join(order) if order else ''})"
        found = f"{_called(window)} {over}"
        if isinstance(window.declared, Stepped) and window.declared.sanitised_type == "BIGINT":
            found = f"CAST({found} AS BIGINT)"
        listed.append(f"{found} AS {name(window.name)}")
    return f"SELECT {', '.join(listed)} FROM {met}"


def _called(window: WindowColumn) -> str:
    of = "" if window.of is None else name(window.of)
    match window.within:
        case Within.ROWS:
            return "COUNT(*)"
        case Within.NUMBER | Within.RANK | Within.DENSE_RANK:
            return f"{window.within.value}()"
        case Within.EARLIER | Within.LATER:
            return f"{window.within.value}({of}, {window.steps})"
        case _:
            return f"{window.within.value}({of})"


def _rows(joined: Joined, occurrence: Occurrence, stored: Stored, *, numbered: bool) -> str:
    """The kept rows of one occurrence, under names that no other has."""
    table = stored.table
    assert table.owner is not None
    listed = [f"{_compared(stored, table.owner, numbered=numbered)} AS {_owner(occurrence.name)}"]
    listed.append(f"{name(table.owner)} AS {_person(occurrence.name)}")
    for column, declared in table.columns.items():
        if (occurrence.name, column) in joined.present:
            told = f"CASE WHEN {name(column)} IS NULL THEN NULL ELSE TRUE END"
            listed.append(f"{told} AS {name(f'{occurrence.name}.{column}')}")
        if isinstance(declared, Key):
            listed.append(f"{_compared(stored, column, numbered=numbered)} AS {_key(occurrence.name, column)}")
        elif column != table.owner:
            value = name(column) if isinstance(declared, TextKeys) else stored.sanitised[column]
            listed.append(f"{value} AS {name(f'{occurrence.name}.{column}')}")
    return f"(SELECT {', '.join(listed)} FROM {stored.relation}) AS {name(occurrence.name)}"


def _fanned(joined: Joined, fan: Fan) -> str:
    """The public rows that declared values meet, each with the value that leads to it, as they stand in joined rows."""
    leading = joined.people[joined.occurrence(fan.occurrence).table].table.columns[fan.column]
    assert isinstance(leading, Bounded)
    kinds = [leading, *(declared for _, declared in fan.columns)]
    shown = [_met(fan), *(name(fan.joined(column)) for column, _ in fan.columns)]
    places = [f"c{place}" for place in range(len(kinds))]
    cast = ", ".join(
        f"CAST({at} AS {kind.sanitised_type}) AS {one}" for at, kind, one in zip(places, kinds, shown, strict=True)
    )
    rows = [(code, *codes) for code, codes in fan.rows]
    values = ", ".join(
        f"({', '.join(_literal(kind, code) for kind, code in zip(kinds, row, strict=True))})" for row in rows
    )
    # Where nothing is met there is still a line to tell the columns from, and it meets nothing.
    values = values or f"({', '.join('NULL' for _ in kinds)})"
    return f"(SELECT {cast} FROM (VALUES {values}) AS listed_({', '.join(places)})) AS {name(fan.name)}"


def _literal(column: Bounded, code: int) -> str:
    return "NULL" if code == column.null else DUCKDB.sql(column.literal(code))


def _met(fan: Fan) -> str:
    return name(f"{fan.name} met")


def _existing(existence: Existence, stored: Stored, per: str | None, *, numbered: bool) -> str:
    """The owners, the keys they are linked by, and their windows, that have a row of their own that meets it."""
    table = stored.table
    assert table.owner is not None
    keys = dict.fromkeys(link.mine for link in existence.links if link.mine is not None)
    numbers = [stored.numbers[column] for column in (table.owner, *keys)] if numbered else []
    listed = [f"{_compared(stored, table.owner, numbered=numbered)} AS {_owner(existence.name)}"]
    listed += [f"{_compared(stored, key, numbered=numbered)} AS {_key(existence.name, key)}" for key in keys]
    listed += [] if per is None else [f"{name(per)} AS {_window(existence.name)}"]
    every = ", ".join(
        [*(f"{text} AS {name(column)}" for column, text in stored.sanitised.items()), *map(name, numbers)]
    )
    return (
        f"(SELECT DISTINCT {', '.join(listed)} FROM (SELECT {every} FROM {stored.relation}) AS every_ "
        f"WHERE {holds(existence.where)}) AS {name(existence.name)}"
    )


def _meeting(mine: str, owner: str, links: Iterable[Link]) -> str:
    """The equality of the owners, and those that the question asked for."""
    tests = [f"{owner} = {_owner(mine)}"]
    for link in links:
        if link.mine is None or link.theirs is None:
            tests.append(f"{_owner(link.other)} = {_owner(mine)}")
        else:
            tests.append(f"{_key(link.other, link.theirs)} = {_key(mine, link.mine)}")
    return " AND ".join(dict.fromkeys(tests))


def _compared(stored: Stored, column: str, *, numbered: bool) -> str:
    """An owner or a key as joins compare it: its number, or its text."""
    return name(stored.numbers[column] if numbered else column)


def _owner(occurrence: str) -> str:
    return name(f"{occurrence} owner")


def _person(occurrence: str) -> str:
    """The text of the owner."""
    return name(f"{occurrence} person")


def _window(occurrence: str) -> str:
    return name(f"{occurrence} window")


def _key(occurrence: str, column: str) -> str:
    return name(f"{occurrence} key {column}")
