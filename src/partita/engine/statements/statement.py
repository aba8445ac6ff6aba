"""One SQL statement for one program: a single pass over the sanitised rows, in integers throughout."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, assert_never, final

from sqlglot import exp

from partita.engine.statements.lowering import holds, integer, rendered, truth
from partita.engine.statements.stored import Stored
from partita.query.exact.extract import Extract
from partita.query.exact.program import Different, Owners, Present, Program, Rows, Total, Values
from partita.query.exact.workings import bucket, valued, whole
from partita.query.exact.workings import gathered as working
from partita.query.language import keys as keys_of
from partita.query.language.conditions import Condition
from partita.query.language.expressions import Expression, Value, columns
from partita.query.language.keys import Bucket, Cases, Each, Key, Mapped, Opened, Truncated, Valued
from partita.query.language.per_user import PerUser, PerUserColumn
from partita.query.language.text import in_quotes as name
from partita.query.tables.schema import texts
from partita.query.tables.truncation import NOTHING, SEPARATOR, Truncation
from partita.region import codes as codes_of
from partita.region.columns import Bounded
from partita.region.columns.stepped import Stepped
from partita.region.dialects.base import Dialect
from partita.region.dialects.duckdb import DUCKDB
from partita.region.domain import Domain


@final
@dataclass(frozen=True, slots=True)
class Statement:
    """The text, and for each key how what comes back is turned into its place."""

    sql: str
    places: tuple[Callable[[Any], int], ...]


def statement(program: Program, stored: Stored, part_of: Program | None = None) -> Statement:
    """The statement that computes a program's numbers: first the keys, then the tallies that are no histograms.

    ``part_of`` is the program whose groups an owner's rows are capped by, where this one has fewer keys.
    """
    if program.per_user is not None:
        stored, program = gathered(program, program.per_user, stored), program.derived()
    groups = _group(part_of or program, stored)
    domain = program.table.domain
    clean: frozenset[str] = frozenset()
    if part_of is not None and part_of.truncation is not None and part_of.truncation.grouped:
        clean = clean.union(*map(keys_of.columns, part_of.cells.keys))
    listed = []
    summed: set[str] = set()
    counted = False
    for tally in program.tallies:
        match tally:
            case Rows():
                listed.append("COUNT(*)")
            case Present(of):
                listed.append(f"COUNT({integer(of, domain, stored.dialect)})")
                clean = clean | columns(of)
            case Total(Value(column)) if (text := stored.total(column)) is not None:
                listed.append(text)
                summed.add(column)
            case Total(of):
                number = whole(of, domain)
                listed.append(stored.dialect.total(rendered(number, stored.dialect), number.low, number.high))
                clean = clean | columns(of)
            case Owners():
                assert program.table.owner is not None
                owner = stored.telling_apart(program.table.owner)
                listed.append(f"COUNT(DISTINCT {name(owner)})")
                clean, counted = clean | {owner}, True
            case Different(column, among):
                listed.append(f"COUNT(DISTINCT {_among(column, among, stored)})")
                clean, counted = clean | {column} | (frozenset() if among is None else among.columns()), True
            case Values():
                continue
            case _:
                assert_never(tally)
    keys = program.cells.keys
    # What occurs in two groups that become one must not be counted twice, so that nothing is grouped before it is
    # sanitised then.
    late = [None if counted else _late(program, key, stored) for key in keys]
    raw = frozenset(column for column in late if column is not None) | summed
    clean = clean.union(*(keys_of.columns(key) for key, after in zip(keys, late, strict=True) if after is None))
    source = _met(
        stored, program.where, clean.union(key.column for key in program.opened), raw, program.truncation, groups
    )
    # Nor must owners of two values of one group: then rows are grouped by the group itself, and not by the value.
    by = _group_key if counted else _key
    grouped = [by(key, stored) if after is None else stored.raw(after) for key, after in zip(keys, late, strict=True)]
    chosen = [f"{text} AS k{place}" for place, text in enumerate(grouped)]
    chosen += [f"{text} AS t{place}" for place, text in enumerate(listed)]
    opened = [_text(key) for key in program.opened]
    grouped = opened + grouped
    sql = f"SELECT {', '.join([*opened, *chosen])} FROM {source}"
    if grouped:
        sql += f" {stored.dialect.grouped(grouped)}"
    if any(late):
        sql = _sanitised_after(sql, late, len(listed), stored)
    return Statement(sql, tuple(int if counted and isinstance(key, Mapped) else _place(key, stored) for key in keys))


def _text(key: Opened) -> str:
    """The text of a row that an open key tells apart."""
    return name(key.column) if key.function is None else key.function


def _among(column: str, among: Condition | None, stored: Stored) -> str:
    """A column where a condition holds, and otherwise NULL."""
    if among is None:
        return name(column)
    return f"CASE WHEN {holds(among, stored.dialect)} THEN {name(column)} END"


def values_statement(program: Program, of: Expression, stored: Stored) -> Statement:
    """The statement that counts each value of an expression in each group: the keys, the value, how often."""
    if program.per_user is not None:
        stored, program = gathered(program, program.per_user, stored), program.derived()
    domain, keys = program.table.domain, program.cells.keys
    bare = _late(program, Each(of.column), stored) if isinstance(of, Value) else None
    late = [_late(program, key, stored) for key in keys]
    raw = frozenset(column for column in late if column is not None)
    clean = frozenset().union(*(keys_of.columns(key) for key, after in zip(keys, late, strict=True) if after is None))
    if bare is None:
        clean, value = clean | columns(of), integer(of, domain, stored.dialect)
    else:
        raw, value = raw | {bare}, stored.raw(bare)
    source = _met(
        stored,
        program.where,
        clean.union(key.column for key in program.opened),
        raw,
        program.truncation,
        _group(program, stored),
    )
    grouped = [_key(key, stored) if after is None else stored.raw(after) for key, after in zip(keys, late, strict=True)]
    opened = [_text(key) for key in program.opened]
    after = bare is not None or any(late)
    # Open columns come back too, and may have any name; they are never sanitised afterwards.
    last, times = (f"k{len(keys)}", "t") if after else (stored.made("value"), stored.made("times"))
    listed = ", ".join([*opened, *(f"{text} AS k{place}" for place, text in enumerate(grouped)), f"{value} AS {last}"])
    by = stored.dialect.grouped([*opened, *grouped, value], every=True)
    sql = f"SELECT {listed}, COUNT(*) AS {times} FROM {source} {by}"
    if after:
        mapped = ", ".join(
            f"{f'k{place}' if column is None else stored.mapped(column, f'k{place}')} AS k{place}"
            for place, column in enumerate([*late, bare])
        )
        by = stored.dialect.grouped([""] * (len(late) + 1), every=True)
        sql = f"SELECT {mapped}, CAST(SUM(t) AS {stored.dialect.whole}) AS t FROM ({sql}) AS grouped {by}"
    # A value that is the same for all rows is no key to an engine: then it comes back even if there are no rows.
    sql = f"SELECT * FROM ({sql}) AS counted WHERE {last} IS NOT NULL AND {times} > CAST(0 AS {stored.dialect.whole})"
    return Statement(sql, tuple(_place(key, stored) for key in keys))


def gathered_column(column: PerUserColumn, domain: Domain, dialect: Dialect = DUCKDB) -> str:
    """An aggregate of one owner's rows, as the derived column holds it."""
    text = rendered(working(column, domain), dialect)
    if column.since is not None and not isinstance(column.since, datetime):
        # Days were counted; a derived column of dates holds the days themselves.
        text = dialect.day(text, column.since)
    return text


def gathered(program: Program, per_user: PerUser, stored: Stored) -> Stored:
    """Rows gathered by owner, as a relation that holds sanitised values already."""
    domain, told = program.table.domain, stored.telling_apart(per_user.owner)
    needed = [columns(column.of) for column in per_user.columns if column.of is not None]
    clean, owner = frozenset((told, *per_user.keys)).union(*needed), name(told)
    source = _met(stored, program.where, clean, frozenset(), program.truncation)
    listed = [name(key) for key in per_user.keys]
    for column in per_user.columns:
        listed.append(f"{gathered_column(column, domain, stored.dialect)} AS {name(column.name)}")
    grouped = ", ".join([owner, *map(name, per_user.keys)])
    relation = (
        f"(SELECT {', '.join(listed)} FROM (SELECT * FROM {source}) AS met_ WHERE {owner} IS NOT NULL "
        f"GROUP BY {grouped}) AS gathered_"
    )
    types = {key: column.sanitised_type for key, column in per_user.table.columns.items()}
    return Stored(per_user.table, relation, types, {key: key for key in types}, stored.dialect, clean=True)


def _late(program: Program, key: Key, stored: Stored) -> str | None:
    """The column by whose stored value rows are grouped first, if the groups are sanitised afterwards.

    Never where the group of a row decides who is counted.
    """
    capped = program.truncation is not None and program.truncation.grouped
    if not isinstance(key, Each | Mapped) or program.opened or capped or not stored.late(key.column):
        return None
    return key.column


def rows_statement(extract: Extract, stored: Stored) -> str:
    """The statement that lists the sanitised rows of an extract, a column c0, c1, ... for each of its columns."""
    columns = [stored.table.domain.axes[stored.table.domain.axis(column)] for column in extract.columns]
    source = _met(stored, extract.where, frozenset(columns), frozenset(), extract.truncation)
    listed = ", ".join(f"{stored.listed(column)} AS c{place}" for place, column in enumerate(columns))
    return f"SELECT {listed} FROM {source}"


def _met(
    stored: Stored,
    where: Condition,
    clean: frozenset[str],
    raw: frozenset[str],
    cap: Truncation | None,
    group: Sequence[str] = (),
) -> str:
    """What stands after FROM: the rows that meet a condition, after the fixed truncation if there is one."""
    region, needed, direct = stored.condition(where.region)
    tests = [f"({truth(test, stored.table.domain, stored.dialect)})" for test in where.tests]
    clean = clean.union(needed, *(test.columns() for test in where.tests))
    if cap is not None and _held(stored, cap) and not (cap.ordered or cap.grouped):
        cap = None
    if cap is None and not clean and not raw:
        # Nothing but stored values is looked at, so no projection is needed: the engine plans that much faster.
        bare, _, _ = stored.condition(where.region, bare=True)
        condition = " AND ".join(([] if where.region.whole else [f"({bare})"]) + tests)
        return f"{stored.relation} WHERE {condition}" if condition else stored.relation
    source = _source(stored, clean, raw | direct, cap)
    condition = " AND ".join(([] if where.region.whole else [f"({region})"]) + tests)
    if cap is not None and cap.groups is not None:
        source, condition = _few_groups(stored, source, condition, cap, group), ""
    if cap is not None and cap.each is not None:
        source, condition = _few_in_each(stored, source, condition, cap, group), ""
    if cap is not None and cap.inside is not None:
        return _capped(stored, source, condition, cap)
    return f"{source} WHERE {condition}" if condition else source


def _sanitised_after(sql: str, late: list[str | None], tallies: int, stored: Stored) -> str:
    chosen = [
        f"k{place}" if column is None else stored.mapped(column, f"k{place}") for place, column in enumerate(late)
    ]
    sums = [f"SUM(t{place})" for place in range(tallies)]
    groups = ", ".join(str(place + 1) for place in range(len(late)))
    return f"SELECT {', '.join(chosen + sums)} FROM ({sql}) AS grouped GROUP BY {groups}"


def _key(key: Key, stored: Stored) -> str:
    match key:
        case Each(column) | Truncated(column) | Mapped(column):
            return name(column)
        case Opened():
            raise AssertionError
        case Cases(branches, otherwise):
            whens = " ".join(
                f"WHEN {stored.dialect.sql(region.condition())} THEN {key.distinct.index(label)}"
                for region, label in branches
            )
            return f"(CASE {whens} ELSE {key.distinct.index(otherwise)} END)"
        case Bucket():
            return rendered(bucket(key, stored.table.domain), stored.dialect)
        case Valued():
            return rendered(valued(key, stored.table.domain), stored.dialect)
        case _:
            assert_never(key)


def _group_key(key: Key, stored: Stored) -> str:
    """What all rows of one group, and no others, have in common."""
    match key:
        case Truncated(column, unit):
            return stored.dialect.beginning(name(column), unit)
        case Mapped():
            return _mapped(key, stored)
        case _:
            return _key(key, stored)


def _place(key: Key, stored: Stored) -> Callable[[Any], int]:
    """From a key as it comes back to its place among the groups."""
    assert not isinstance(key, Opened)
    if isinstance(key, Cases):
        return int
    if isinstance(key, Valued):
        after = keys_of.last(key)
        return lambda value: after if value is None else int(value)
    domain = stored.table.domain
    column = domain.bounded[domain.axis(key.column)]
    match key:
        case Bucket():
            gone = -1 if column.null is None else keys_of.place(key, domain, column.null)
            return lambda value: gone if value is None else int(value)
        case Each():
            return _code(column)
        case Truncated():
            return lambda value: keys_of.place(key, domain, column.code(value))
        case Mapped():
            code = _code(column)
            return lambda value: keys_of.place(key, domain, code(value))
        case _:
            assert_never(key)


def _code(column: Bounded) -> Callable[[Any], int]:
    """From a sanitised value as it comes back to its code."""
    if not isinstance(column, Stepped):
        return column.code
    low, absent = column.low, -1 if column.null is None else column.null
    return lambda value: absent if value is None else int(value) - low


def kept(stored: Stored, cap: Truncation, unique: Sequence[str]) -> str:
    """The kept rows of each owner, all columns; of those with one ``unique`` key, the first (theory I2)."""
    return _source(stored, frozenset(), frozenset(), cap, unique, narrow=True)


def cut_statement(stored: Stored, cap: Truncation) -> str:
    """The rows that a fixed truncation keeps, in the narrowest types, each with its place among its owner's rows."""
    listed = [f"{stored.narrow(column, name(column))} AS {name(column)}" for column in stored.table.columns]
    place = stored.made("place")
    listed.append(f"CAST({place} AS {stored.dialect.narrowest(1, cap.rows)}) AS {place}")
    return f"SELECT {', '.join(listed)} FROM {kept(stored, cap, ())}"


def _held(stored: Stored, cap: Truncation) -> bool:
    """Whether a relation holds only the rows that a truncation keeps, so that nothing is left to be cut."""
    assert stored.cut in (None, cap.fixed)
    return cap.kept or stored.cut is not None


def _source(
    stored: Stored,
    clean: frozenset[str],
    raw: frozenset[str],
    cap: Truncation | None,
    unique: Sequence[str] = (),
    *,
    narrow: bool = False,
) -> str:
    """The sanitised rows, only the columns that are needed, after the fixed truncation if there is one.

    ``narrow``: numbers in the narrowest type, for a copy of them; nothing is computed with them there.
    """
    places: list[str] = []
    if cap is not None and _held(stored, cap) and (not cap.ordered or stored.cut is not None):
        # Owners, their parts and the order of their rows are looked at for the caps of one question alone.
        places = [stored.made("place")] if cap.ordered else []
        shared = {cap.owner, stored.telling_apart(cap.owner), *(() if cap.per is None else (cap.per,))}
        clean, cap = clean | shared, None
    if cap is None:
        chosen = [f"{stored.sanitised[column]} AS {name(column)}" for column in sorted(clean)]
        chosen += [f"{stored.stored(column)} AS {stored.raw(column)}" for column in sorted(raw)] + places
        return f"(SELECT {', '.join(chosen) or '1 AS nothing'} FROM {stored.relation}) AS rows_"
    shown = stored.sanitised
    if narrow:
        numbers = [one for one, declared in stored.table.columns.items() if isinstance(declared, Stepped)]
        shown = {**shown, **{column: stored.narrow(column, shown[column]) for column in numbers}}
    every = [f"{text} AS {name(column)}" for column, text in shown.items()]
    every += [f"{stored.stored(column)} AS {stored.raw(column)}" for column in sorted(raw)]
    order, parts = keyed_order(stored, cap), _parts(stored, cap)
    window = f"ROW_NUMBER() OVER (PARTITION BY {', '.join(parts)} ORDER BY {order})"
    asked = [f"{name(cap.owner)} IS NOT NULL"]
    if cap.per is not None and (cap.per in stored.told or not stored.clean):
        # Stored values that are clamped or stood in for would share a part of their owner with others (theory A4a).
        every.append(f"{stored.within(cap.per)} AS {stored.made('within')}")
        asked.append(stored.made("within"))
    owned = f"(SELECT {', '.join(every)} FROM {stored.relation}) AS owned"
    owned = f"(SELECT * FROM {owned} WHERE {' AND '.join(asked)}) AS owned"
    if cap.kept:
        return f"(SELECT *, {window} AS {stored.made('place')} FROM {owned}) AS rows_"
    if steady := [stored.table.domain.axes[axis] for axis in stored.table.domain.constant]:
        # Columns declared constant hold the value of the owner's first row; rows that differ are left out.
        firsts = ", ".join(
            f"FIRST_VALUE({name(column)}) OVER (PARTITION BY {', '.join(parts)} ORDER BY {order}) "
            f"AS {stored.made(f'first {at}')}"
            for at, column in enumerate(steady)
        )
        same = " AND ".join(
            f"{name(column)} IS NOT DISTINCT FROM {stored.made(f'first {at}')}" for at, column in enumerate(steady)
        )
        owned = f"(SELECT * FROM (SELECT *, {firsts} FROM {owned}) AS first_ WHERE {same}) AS owned"
    if unique:
        firsts = ", ".join(
            f"ROW_NUMBER() OVER (PARTITION BY {', '.join([*parts, name(column)])} ORDER BY {order}) "
            f"AS {stored.made(f'key {at}')}"
            for at, column in enumerate(unique)
        )
        single = " AND ".join(
            f"({name(column)} IS NULL OR {stored.made(f'key {at}')} = 1)" for at, column in enumerate(unique)
        )
        owned = f"(SELECT * FROM (SELECT *, {firsts} FROM {owned}) AS first_ WHERE {single}) AS owned"
    inner = f"SELECT *, {window} AS {stored.made('place')} FROM {owned}"
    return f"(SELECT * FROM ({inner}) AS ordered WHERE {stored.made('place')} <= {cap.rows}) AS rows_"


def _few_groups(stored: Stored, source: str, condition: str, cap: Truncation, group: Sequence[str]) -> str:
    """An owner's rows in at most so many of the owner's groups, in a keyed order of those groups (theory E14)."""
    parts = _parts(stored, cap)
    written = [stored.dialect.written(name(cap.owner), null=False), *(_or_nothing(one, stored) for one in group)]
    hashed = stored.dialect.hashed(SEPARATOR, cap.key, written)
    ties = "".join(f", {one} NULLS LAST" for one in group)
    window = f"DENSE_RANK() OVER (PARTITION BY {', '.join(parts)} ORDER BY {hashed}{ties})"
    met = f"SELECT *, {window} AS {stored.made('group')} FROM {source}" + (f" WHERE {condition}" if condition else "")
    return f"(SELECT * FROM ({met}) AS grouped_ WHERE {stored.made('group')} <= {cap.groups}) AS rows_"


def _few_in_each(stored: Stored, source: str, condition: str, cap: Truncation, group: Sequence[str]) -> str:
    """At most so many of an owner's rows in each group, in the order of the owner's rows (theory I4)."""
    parts = [*_parts(stored, cap), *group]
    window = f"ROW_NUMBER() OVER (PARTITION BY {', '.join(parts)} ORDER BY {stored.made('place')})"
    met = f"SELECT *, {window} AS {stored.made('each')} FROM {source}" + (f" WHERE {condition}" if condition else "")
    return f"(SELECT * FROM ({met}) AS each_ WHERE {stored.made('each')} <= {cap.each}) AS rows_"


def _group(program: Program, stored: Stored) -> list[str]:
    """The group of a row as texts, for the keyed order of an owner's groups."""
    return [_text(key) for key in program.opened] + [_group_text(key, stored) for key in program.cells.keys]


def _group_text(key: Key, stored: Stored) -> str:
    return stored.dialect.text(_group_key(key, stored))


def _mapped(key: Mapped, stored: Stored) -> str:
    """The place of a row's group, from the value of its column."""
    domain = stored.table.domain
    codes: dict[int, list[int]] = {}
    for code in range(len(key.labels)):
        codes.setdefault(keys_of.place(key, domain, code), []).append(code)
    column = domain.bounded[domain.axis(key.column)]
    value = exp.column(key.column, quoted=True)
    whens = " ".join(
        f"WHEN {stored.dialect.sql(column.condition(value.copy(), codes_of.of(listed)))} THEN {place}"
        for place, listed in codes.items()
    )
    return f"(CASE {whens} END)"


def _capped(stored: Stored, source: str, condition: str, cap: Truncation) -> str:
    """At most so many of an owner's kept rows among those that meet the condition, in the same order."""
    window = f"ROW_NUMBER() OVER (PARTITION BY {', '.join(_parts(stored, cap))} ORDER BY {stored.made('place')})"
    met = f"SELECT *, {window} AS {stored.made('inside')} FROM {source}" + (f" WHERE {condition}" if condition else "")
    return f"(SELECT * FROM ({met}) AS met WHERE {stored.made('inside')} <= {cap.inside}) AS rows_"


def _parts(stored: Stored, cap: Truncation) -> list[str]:
    """The columns of rows that share the places of a truncation: the owner's, and the part of the owner."""
    return [name(stored.telling_apart(cap.owner))] + ([] if cap.per is None else [name(cap.per)])


def keyed_order(stored: Stored, cap: Truncation) -> str:
    """The keyed order of an owner's rows: a function of each row's own sanitised values (theory E14)."""
    domain = stored.table.domain
    listed = [*domain.axes, *texts(stored.table)]
    ties = "".join(f", {name(column)} NULLS LAST" for column in listed)
    return f"{stored.dialect.hashed(SEPARATOR, cap.key, [_written(column, stored) for column in listed])}{ties}"


def _written(column: str, stored: Stored) -> str:
    """A sanitised value as the text that is hashed; only where NULL can stand is it looked for."""
    declared, dialect = stored.table.columns[column], stored.dialect
    if isinstance(declared, Bounded) and declared.null is None:
        return dialect.written(name(column), null=False)
    return _or_nothing(dialect.written(name(column), null=True), stored)


def _or_nothing(text: str, stored: Stored) -> str:
    return f"COALESCE({text}, {stored.dialect.literal(NOTHING)})"
