"""Derived tables of people in plain Python, owner by owner: the oracle of what is gathered, ranked and chosen."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cmp_to_key

from partita.engine.plain.meaning import meets
from partita.engine.reference import Record, chosen, gathered
from partita.query.language.derived import Derived, Order, WindowColumn, Within
from partita.query.tables.schema import Table, texts
from partita.region.columns.stepped import Stepped

Joining = Callable[[Table], Sequence[Record]]


def derived_rows(derived: Derived, rows: Joining) -> list[Record]:
    """The rows of a derived table, computed from those of the table or join that it is about."""
    base = derived.base
    met = [row for row in chosen(base.domain, derived.where, None, rows(base)) if row.owner is not None]
    made = _gathered(derived, met) if derived.per_user is not None else _windowed(derived, met)
    inside = derived.inside.domain
    kept = [row for row in made if derived.kept is None or meets(derived.kept, row.codes)]
    axes = [inside.axis(meant) for _, meant in derived.columns]
    found = [Record(tuple(row.codes[axis] for axis in axes), row.owner, row.texts) for row in kept]
    return list(dict.fromkeys(found)) if derived.cap == 1 and derived.per_user is None else found


def _gathered(derived: Derived, rows: Sequence[Record]) -> list[Record]:
    assert derived.per_user is not None
    if not derived.linked:
        return gathered(derived.per_user, derived.base, rows)
    places = [texts(derived.base).index(key) for key in derived.linked]
    parts: dict[tuple[str | None, ...], list[Record]] = {}
    for row in rows:
        parts.setdefault(tuple(row.texts[place] for place in places), []).append(row)
    return [
        Record(row.codes, row.owner, key)
        for key, own in parts.items()
        for row in gathered(derived.per_user, derived.base, own)
    ]


def _windowed(derived: Derived, rows: Sequence[Record]) -> list[Record]:
    domain, own = derived.base.domain, [name for name in derived.inside.columns if name in derived.base.columns]
    axes = [domain.axis(name) for name in own]
    beside: dict[int, list[int]] = {place: [] for place in range(len(rows))}
    for window in derived.windows:
        parts: dict[tuple[object, ...], list[int]] = {}
        for place, row in enumerate(rows):
            parts.setdefault((row.owner, *(row.codes[domain.axis(key)] for key in window.keys)), []).append(place)
        for part in parts.values():
            for place, code in _computed(window, derived.base, rows, part).items():
                beside[place].append(code)
    order = list(derived.inside.domain.axes)
    found = []
    for place, row in enumerate(rows):
        named = dict(zip(own, (row.codes[axis] for axis in axes), strict=True))
        named |= dict(zip((one.name for one in derived.windows), beside[place], strict=True))
        found.append(Record(tuple(named.get(name, 0) for name in order), row.owner))
    return found


def _computed(window: WindowColumn, table: Table, rows: Sequence[Record], part: Sequence[int]) -> dict[int, int]:
    """For each row of one owner, the code of the window's column."""
    domain = table.domain
    compared = _comparing(table, window.order)
    every = [Order(name) for name in (*domain.axes, *texts(table))]
    ties = _comparing(table, (*window.order, *every)) if window.within.one_by_one else compared
    ordered = sorted(part, key=lambda place: cmp_to_key(ties)(rows[place]))
    found: dict[int, int] = {}
    for at, place in enumerate(ordered):
        peers = [one for one in ordered if compared(rows[one], rows[place]) <= 0] if window.order else ordered
        before = [one for one in ordered if compared(rows[one], rows[place]) < 0]
        match window.within:
            case Within.NUMBER:
                found[place] = window.declared.code(at + 1)
            case Within.RANK:
                found[place] = window.declared.code(len(before) + 1)
            case Within.DENSE_RANK:
                values = {tuple(rows[one].codes[domain.axis(by.column)] for by in window.order) for one in before}
                found[place] = window.declared.code(len(values) + 1)
            case Within.EARLIER | Within.LATER:
                other = at - window.steps if window.within is Within.EARLIER else at + window.steps
                found[place] = (
                    _value(window, table, rows, ordered[other]) if 0 <= other < len(ordered) else _null(window)
                )
            case Within.FIRST:
                found[place] = _value(window, table, rows, ordered[0])
            case _:
                found[place] = _folded(window, table, [rows[one] for one in peers])
    return found


def _folded(window: WindowColumn, table: Table, rows: Iterable[Record]) -> int:
    """A count, a sum or an extreme of some rows."""
    listed = list(rows)
    if window.within is Within.ROWS:
        return window.declared.code(len(listed))
    assert window.of is not None
    axis = table.domain.axis(window.of)
    column = table.domain.bounded[axis]
    present = [row.codes[axis] for row in listed if row.codes[axis] != column.null]
    if window.within is Within.PRESENT:
        return window.declared.code(len(present))
    if not present:
        return _null(window)
    if window.within is not Within.TOTAL:
        return min(present) if window.within is Within.LEAST else max(present)
    assert isinstance(column, Stepped)
    assert isinstance(window.declared, Stepped)
    return sum(column.low + code for code in present) - window.declared.low


def _value(window: WindowColumn, table: Table, rows: Sequence[Record], place: int) -> int:
    """The code of a value of another row; a NULL of the column is one of the window."""
    assert window.of is not None
    axis = table.domain.axis(window.of)
    code, null = rows[place].codes[axis], table.domain.bounded[axis].null
    return _null(window) if null is not None and code == null else code


def _null(window: WindowColumn) -> int:
    assert window.declared.null is not None
    return window.declared.null


def _comparing(table: Table, order: Sequence[Order]) -> Callable[[Record, Record], int]:
    """How two rows stand to each other: below 0, 0, or above."""
    domain, opened = table.domain, texts(table)

    def value(row: Record, column: str) -> object:
        if column in opened:
            return row.texts[opened.index(column)]
        axis = domain.axis(column)
        declared, code = domain.bounded[axis], row.codes[axis]
        if declared.null is not None and code == declared.null:
            return None
        return code if isinstance(declared, Stepped) else declared.value(code)

    def compared(one: Record, other: Record) -> int:
        for by in order:
            first, second = value(one, by.column), value(other, by.column)
            if first == second:
                continue
            if first is None or second is None:
                return -1 if (first is None) is by.nulls_first else 1
            return -1 if (first < second) is not by.descending else 1  # type: ignore[operator]
        return 0

    return compared
