"""Kept rows and joins of them in plain Python, row by row: the oracle of joined tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from partita.engine.log import log
from partita.engine.plain.derived import derived_rows
from partita.engine.plain.meaning import meets
from partita.engine.plain.rows import Row
from partita.engine.reference import Record, parted, record, truncated
from partita.engine.statements.joining import TWO_OWNERS
from partita.query.language.fans import Fan
from partita.query.language.joined import Joined, Kind, Link, Occurrence, joined_of
from partita.query.tables.people import People
from partita.query.tables.schema import Table, texts
from partita.region.columns import Booleans

Meeting = dict[str, Record | None]


def kept_rows(people: People, key: str, stored: Mapping[str, Iterable[Row]]) -> dict[str, list[Record]]:
    """The rows that are kept of each table: of each owner, at most its cap (theory I2)."""
    every: dict[str, list[Record]] = {}
    kept: dict[str, list[Record]] = {}
    for name, keeping in people.keepings.items():
        table = keeping.table
        cap = people.truncation(name, key)
        rows = [record(table, row) for row in stored[name] if parted(table, row, cap)]
        if keeping.chain is not None and keeping.parent is not None:
            owners = _owners(people[keeping.parent].table, every[keeping.parent], keeping.chain)
            rows = [replace(row, owner=owners.get(_text(table, row, keeping.chain))) for row in rows]
        every[name] = rows
        unique = [texts(table).index(column) for column in keeping.unique]
        kept[name] = truncated(rows, cap, table.domain, unique=unique)
    return kept


def _owners(table: Table, rows: Sequence[Record], key: str) -> dict[str | None, object]:
    """To whom each key leads: of several owners, to the one whose text comes first."""
    found: dict[str | None, set[str]] = {}
    for row in rows:
        text = _text(table, row, key)
        if text is not None and row.owner is not None:
            found.setdefault(text, set()).add(str(row.owner))
    if any(len(owners) > 1 for owners in found.values()):
        log.error(TWO_OWNERS, table.name)
    return {text: min(owners) for text, owners in found.items()}


def _text(table: Table, row: Record, column: str) -> str | None:
    listed = [name.lower() for name in texts(table)]
    return row.texts[listed.index(column.lower())]


def joined_rows(joined: Joined, kept: Mapping[str, Sequence[Record]]) -> list[Record]:
    """The joined rows of all owners."""

    def rows(table: Table) -> Sequence[Record]:
        inner = joined_of(table)
        return kept[table.name] if inner is None else joined_rows(inner, kept)

    kept = {**kept, **{one.table.name: derived_rows(one, rows) for one in joined.brackets}}
    first, *rest = joined.occurrences
    meetings: list[Meeting] = [{first.name: row} for row in kept[first.table]]
    for occurrence in rest:
        meetings = _with(joined, meetings, occurrence, kept[occurrence.table])
    found = [_record(joined, meeting, kept) for meeting in meetings]
    for fan in joined.fans:
        found = [made for row in found for made in _fanned(joined, fan, row)]
    return found


def _fanned(joined: Joined, fan: Fan, row: Record) -> Iterator[Record]:
    """A joined row once for each public row that it meets."""
    domain = joined.table.domain
    here = row.codes[domain.axis(fan.key)]
    places = [domain.axis(fan.joined(column)) for column, _ in fan.columns]
    met = [codes for code, codes in fan.rows if code == here]
    nothing = tuple(0 if kind.null is None else kind.null for _, kind in fan.columns)
    for codes in met or ([nothing] if fan.optional else []):
        made = list(row.codes)
        for place, code in zip(places, codes, strict=True):
            made[place] = code
        yield replace(row, codes=tuple(made))


def _with(joined: Joined, meetings: list[Meeting], occurrence: Occurrence, rows: Sequence[Record]) -> list[Meeting]:
    found: list[Meeting] = []
    met: set[int] = set()
    for left in meetings:
        matches = [place for place, row in enumerate(rows) if _meet(joined, left, occurrence, row)]
        met.update(matches)
        found.extend({**left, occurrence.name: rows[place]} for place in matches)
        if not matches and occurrence.kind is not Kind.INNER:
            found.append({**left, occurrence.name: None})
    if occurrence.kind is Kind.FULL:
        earlier: Meeting = {one.name: None for one in joined.occurrences[: joined.occurrences.index(occurrence)]}
        found.extend({**earlier, occurrence.name: row} for place, row in enumerate(rows) if place not in met)
    return found


def _meet(joined: Joined, left: Meeting, occurrence: Occurrence, row: Record) -> bool:
    if row.owner != _owner(left) or not _linked(joined, left, occurrence.table, occurrence.links, row):
        return False
    if joined.window is not None and _window(joined, occurrence.table, row) != _met(joined, left):
        return False
    both = _codes(joined, {**left, occurrence.name: row})
    return occurrence.on is None or meets(occurrence.on, both)


def _linked(joined: Joined, left: Meeting, table: str, links: Iterable[Link], row: Record) -> bool:
    """Whether a row holds the keys that it must share with rows joined before it."""
    people = joined.people
    for link in links:
        other = left[link.other]
        if other is None:
            return False
        if link.mine is not None and link.theirs is not None:
            mine = _text(people[table].table, row, link.mine)
            if mine is None or mine != _text(people[joined.occurrence(link.other).table].table, other, link.theirs):
                return False
    return True


def _window(joined: Joined, table: str, row: Record) -> int:
    """The window that a kept row lies in."""
    domain, per = joined.people[table].table.domain, joined.people[table].per
    assert per is not None
    return row.codes[domain.axis(per)]


def _met(joined: Joined, meeting: Meeting) -> int:
    """The window of a joined row: that of its first table, which is always there."""
    first = joined.occurrences[0]
    row = meeting[first.name]
    assert row is not None
    return _window(joined, first.table, row)


def _owner(meeting: Meeting) -> object:
    return next(row.owner for row in meeting.values() if row is not None)


def _codes(joined: Joined, meeting: Meeting) -> tuple[int, ...]:
    """The codes of a joined row; what is not joined yet has none, and nothing looks at it."""
    found = []
    domain = joined.table.domain
    for axis, column in zip(domain.axes, domain.bounded, strict=True):
        if axis not in joined.columns:
            found.append(0)
            continue
        occurrence, name = joined.columns[axis]
        row, table = meeting.get(occurrence.name), joined.people[occurrence.table].table
        if row is None:
            found.append(0 if column.null is None else column.null)
        elif (occurrence.name, name) in joined.present:
            absent = name != table.owner and _text(table, row, name) is None
            found.append(column.code(None if absent else True))
        else:
            found.append(row.codes[table.domain.axis(name)])
    return tuple(found)


def _record(joined: Joined, meeting: Meeting, kept: Mapping[str, Sequence[Record]]) -> Record:
    domain = joined.table.domain
    codes, owner = list(_codes(joined, meeting)), _owner(meeting)
    for existence in joined.existences:
        exists = any(
            row.owner == owner
            and (joined.window is None or _window(joined, existence.table, row) == _met(joined, meeting))
            and _linked(joined, meeting, existence.table, existence.links, row)
            and meets(existence.where, row.codes)
            for row in kept[existence.table]
        )
        codes[domain.axis(existence.name)] = Booleans(missing=False).code(exists)
    opened: list[Any] = []
    for name in texts(joined.table):
        occurrence, column = joined.columns[name]
        row = meeting[occurrence.name]
        opened.append(None if row is None else _text(joined.people[occurrence.table].table, row, column))
    return Record(tuple(codes), owner, tuple(opened))
