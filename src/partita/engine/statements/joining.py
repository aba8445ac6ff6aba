"""Kept rows and joins of them in SQL: every join equates the owners, whatever else it is on."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
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
from partita.region.columns import Bounded, Categories, Key, TextKeys
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


def owners_numbered(kept: Iterable[Stored]) -> str:
    """A number for every text that an owner has in any of these tables, the same in all of them."""
    owners = " UNION ALL ".join(f"SELECT {name(_owned(one.table))} AS word FROM {one.relation}" for one in kept)
    # Each text once, of one table as of several: a text with two numbers would make two rows of one.
    once = f"SELECT DISTINCT word FROM ({owners}) AS every_"
    return f"SELECT word, CAST(ROW_NUMBER() OVER (ORDER BY word) AS BIGINT) AS number FROM ({once}) AS words_"


def keys_numbered(kept: Iterable[Stored], owners: str) -> str:
    """A number for every key together with each owner that it has in any of these tables; those of one owner follow."""
    words = [
        f"SELECT {name(_owned(one.table))} AS owner, {name(column)} AS word FROM {one.relation} "
        f"WHERE {name(column)} IS NOT NULL"
        for one in kept
        for column in keys_of(one.table)
    ]
    pairs = " UNION ALL ".join(words) or "SELECT NULL AS owner, NULL AS word WHERE FALSE"
    found = (
        f"SELECT DISTINCT n_.number AS owner, pairs_.word FROM ({pairs}) AS pairs_ "
        f"JOIN {owners} AS n_ ON pairs_.owner = n_.word"
    )
    return (
        f"SELECT owner, word, CAST(ROW_NUMBER() OVER (ORDER BY owner, word) AS BIGINT) AS number "
        f"FROM ({found}) AS words_"
    )


def numbered_columns(table: Table) -> dict[str, str]:
    """In which columns numbers stand beside the owner and the keys of a table's rows."""
    mark = Stored(table, "", {}, {}).mark
    return {column: f"{mark}:number {column}" for column in (_owned(table), *keys_of(table))}


def numbered(table: Table, relation: str, owners: str, keys: str) -> str:
    """The same rows with the numbers of their owner and keys beside them: FROM ... and what it lists of numbers."""
    columns = numbered_columns(table)
    listed, joins = [f"n_.number AS {name(columns[_owned(table)])}"], ""
    for place, column in enumerate(keys_of(table)):
        listed.append(f"k{place}.number AS {name(columns[column])}")
        joins += f" LEFT JOIN {keys} AS k{place} ON n_.number = k{place}.owner AND rows_.{name(column)} = k{place}.word"
    every = f"rows_.*, {', '.join(listed)}"
    return (
        f"SELECT {every} FROM {relation} AS rows_ JOIN {owners} AS n_ ON rows_.{name(_owned(table))} = n_.word{joins}"
    )


def _owned(table: Table) -> str:
    assert table.owner is not None
    return table.owner


def keys_of(table: Table) -> list[str]:
    """The columns of keys."""
    return [column for column, declared in table.columns.items() if isinstance(declared, Key)]


# --- joins ---------------------------------------------------------------------------------------------------------


def joined_stored(joined: Joined, stored: Mapping[str, Stored]) -> Stored:
    """The joined rows as a relation of sanitised values, with the proven columns of ``joined.table``."""
    stored = {**stored, **{one.table.name: derived_stored(one, stored) for one in joined.brackets}}
    first, *rest = joined.occurrences
    # Numbers where all have them, and otherwise texts: those are never compared with each other.
    tables = [one.table for one in joined.occurrences] + [one.table for one in joined.existences]
    numbered = all(stored[table].numbers for table in tables)
    owner, text = _owner(first.name), _rows(joined, first, stored[first.table], numbered=numbered)
    person, sure = _person(first.name), {first.name}
    for occurrence in rest:
        text += f" {occurrence.kind.value} {_rows(joined, occurrence, stored[occurrence.table], numbered=numbered)}"
        text += f" ON {_meeting(occurrence.name, owner, occurrence.links, sure, numbered=numbered)}"
        sure = sure | {occurrence.name} if occurrence.kind is Kind.INNER else sure
        if joined.window is not None:
            text += f" AND {name(joined.window)} = {name(f'{occurrence.name}.{joined.people[occurrence.table].per}')}"
        if occurrence.on is not None:
            text += f" AND ({holds(occurrence.on)})"
        if occurrence.kind is Kind.FULL:
            sure = set()
            owner = f"COALESCE({owner}, {_owner(occurrence.name)})"
            person = f"COALESCE({person}, {_person(occurrence.name)})"
    for fan in joined.fans:
        text += f" {'LEFT JOIN' if fan.optional else 'JOIN'} {_fanned(joined, fan)} ON {name(fan.key)} = {_met(fan)}"
    for existence in joined.existences:
        per = None if joined.window is None else joined.people[existence.table].per
        text += f" LEFT JOIN {_existing(existence, stored[existence.table], per, numbered=numbered)}"
        text += f" ON {_meeting(existence.name, owner, existence.links, sure, numbered=numbered)}"
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
    numbers = {}
    if numbered:
        numbers[joined.people.owner] = f"{Stored(joined.table, '', {}, {}).mark}:number"
        listed.append(f"{owner} AS {name(numbers[joined.people.owner])}")
    relation = f"(SELECT {', '.join(listed)} FROM {text}) AS joined_"
    names = {column: column for column in types}
    parts = tuple(stored[table] for table in joined.read)
    return Stored(joined.table, relation, types, names, clean=True, parts=parts, numbers=numbers)


def derived_stored(derived: Derived, stored: Mapping[str, Stored]) -> Stored:
    """The rows of a derived table as a relation of sanitised values, each with the text of its owner."""
    joined = joined_of(derived.base)
    base = stored[derived.base.name] if joined is None else joined_stored(joined, stored)
    assert base.table.owner is not None
    owner, mark = name(base.table.owner), Stored(derived.inside, "", {}, {}).mark
    # Under names that nothing has which is computed here.
    numbers = {column: f"{mark}:number {column}" for column in base.numbers}
    every = [f"{base.sanitised[column]} AS {name(column)}" for column in base.table.columns]
    every += [f"{name(there)} AS {name(numbers[column])}" for column, there in base.numbers.items()]
    met = f"(SELECT {', '.join(every)} FROM {base.relation}) AS every_ "
    met += f"WHERE {owner} IS NOT NULL AND {holds(derived.where)}"
    made = _gathered(derived, derived.per_user, numbers, met) if derived.per_user else _windows(derived, numbers, met)
    listed = [f"{owner} AS {name(derived.table.owner or '')}", *map(name, derived.linked)]
    listed += [f"{name(meant)} AS {name(shown)}" for shown, meant in derived.columns]
    told = _handed_on(derived, numbers)
    listed += [f"{name(there)} AS {name(here)}" for there, here in told.values()]
    only = "DISTINCT " if derived.cap == 1 and not derived.per_user else ""
    kept = "" if derived.kept is None else f" WHERE {holds(derived.kept)}"
    relation = f"(SELECT {only}{', '.join(listed)} FROM ({made}) AS made_{kept}) AS derived_"
    types = {
        column: declared.sanitised_type if isinstance(declared, Bounded) else "VARCHAR"
        for column, declared in derived.table.columns.items()
    }
    names, told_by = {column: column for column in types}, {column: here for column, (_, here) in told.items()}
    return Stored(derived.table, relation, types, names, clean=True, numbers=told_by)


def _handed_on(derived: Derived, numbers: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """Numbers that stand for the owner and keys of a derived table: inside it, and under the name they get. Or none."""
    mark = Stored(derived.table, "", {}, {}).mark
    columns = {derived.table.owner or "": derived.base.owner or "", **{key: key for key in derived.linked}}
    if any(column not in numbers for column in columns.values()):
        return {}
    return {here: (numbers[there], f"{mark}:number {here}") for here, there in columns.items()}


def _gathered(derived: Derived, per_user: PerUser, numbers: Mapping[str, str], met: str) -> str:
    """One row for each owner and each value of the keys; a number is one owner, or one key of one owner."""
    told = [derived.base.owner or "", *derived.linked]
    keys = [name(numbers.get(column, column)) for column in told]
    listed = [f"ANY_VALUE({name(column)}) AS {name(column)}" for column in told if column in numbers]
    listed += [f"{gathered_column(column, derived.base.domain)} AS {name(column.name)}" for column in per_user.columns]
    keys += map(name, per_user.keys)
    return f"SELECT {', '.join([*keys, *listed])} FROM {met} GROUP BY {', '.join(keys)}"


def _windows(derived: Derived, numbers: Mapping[str, str], met: str) -> str:
    """The rows with what is computed from the rows of the same owner; equal rows are told apart by all their values."""
    base, theirs = derived.base, derived.base.owner or ""
    owner = name(numbers.get(theirs, theirs))
    listed = list(map(name, [theirs, *numbers.values()]))
    listed += [name(column) for column in derived.inside.columns if column in base.columns]
    # By any column, so that rows which are equal in all of them are the same to whoever looks at them.
    ties = [f"{_ordered(base, column)} ASC NULLS LAST" for column in (*base.domain.axes, *texts(base))]
    for window in derived.windows:
        by = ", ".join([owner, *map(name, window.keys)])
        order = [
            f"{_ordered(base, one.column)} {'DESC' if one.descending else 'ASC'} "
            f"NULLS {'FIRST' if one.nulls_first else 'LAST'}"
            for one in window.order
        ]
        order += ties if window.within.one_by_one else []
        over = f"OVER (PARTITION BY {by}{' ORDER BY ' + ', '.join(order) if order else ''})"
        found = f"{_called(window)} {over}"
        if isinstance(window.declared, Stepped) and window.declared.sanitised_type == "BIGINT":
            found = f"CAST({found} AS BIGINT)"
        listed.append(f"{found} AS {name(window.name)}")
    return f"SELECT {', '.join(listed)} FROM {met}"


def _ordered(table: Table, column: str) -> str:
    """A column as rows are ordered by it: names by their texts, however the rows are held."""
    return f"CAST({name(column)} AS VARCHAR)" if isinstance(table.columns[column], Categories) else name(column)


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
    listed = [f"{_compared(stored, table.owner, numbered=numbered)} AS {_owner(existence.name)}"]
    listed += [f"{_compared(stored, key, numbered=numbered)} AS {_key(existence.name, key)}" for key in keys]
    listed += [] if per is None else [f"{name(per)} AS {_window(existence.name)}"]
    every = ", ".join(f"{text} AS {name(column)}" for column, text in stored.sanitised.items())
    return (
        f"(SELECT DISTINCT {', '.join(listed)} FROM (SELECT {every} FROM {stored.relation}) AS every_ "
        f"WHERE {holds(existence.where)}) AS {name(existence.name)}"
    )


def _meeting(mine: str, owner: str, links: Sequence[Link], sure: Collection[str], *, numbered: bool) -> str:
    """The equality of the owners, and those that the question asked for; of numbers only those that tell something.

    ``sure`` are the occurrences that have a row in every tuple, and so its owner.
    """
    tests = [] if numbered else [f"{owner} = {_owner(mine)}"]
    for link in links:
        if link.mine is not None and link.theirs is not None:
            # Its number is that of the key and its owner.
            tests.append(f"{_key(link.other, link.theirs)} = {_key(mine, link.mine)}")
        elif link.other not in sure or not numbered:
            tests.append(f"{_owner(link.other)} = {_owner(mine)}")
    if not tests:
        other = next((link.other for link in links), None)
        tests.append(f"{owner if other is None else _owner(other)} = {_owner(mine)}")
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
