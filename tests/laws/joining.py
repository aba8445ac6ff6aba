"""Small random tables of the same people, and random questions that join them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from itertools import pairwise
from random import Random
from typing import Any

import duckdb
from hypothesis import strategies as st

import partita as pt
from partita.engine.reference import Record
from partita.granularity import persons
from partita.query.tables.people import People
from partita.query.tables.schema import Table, texts

COLUMNS = {
    "folk": {"u": pt.identifier(), "a": pt.integers(0, 3, missing=1), "s": pt.categories("x", "y")},
    "buys": {"k": pt.key(), "u": pt.identifier(), "p": pt.integers(-1, 2), "d": pt.dates("2024-01-01", "2024-01-03")},
    "bits": {"k": pt.key(), "q": pt.integers(0, 4), "b": pt.booleans(missing=False)},
    "seen": {"u": pt.identifier(), "w": pt.integers(0, 2, missing=0), "t": pt.text_keys()},
}
KEY = "0123456789abcdef01234567"
OWNERS, LINKS, NUMBERS_STORED = [1, 2, 3, "4", None], [7, 8, "9", None], [-5, 0, 1, 2, 3, None]
DAYS, TRUTHS, TEXTS = [date(2024, 1, 2), date(2023, 5, 5), None], [True, False, None], ["r", "", None]
OWNER, LINK, NUMBER = map(st.sampled_from, (OWNERS, LINKS, NUMBERS_STORED))


@dataclass(frozen=True)
class World:
    """Stored rows of every table, and how many are kept of one owner."""

    rows: Mapping[str, Sequence[Mapping[str, Any]]]
    caps: Mapping[str, int]

    def tables(self) -> list[Table]:
        return [Table(name, list(self.rows[name]), columns) for name, columns in COLUMNS.items()]

    def people(self) -> People:
        return People(persons("u", table="folk", rows=self.caps, through={"bits": ("k", "buys")}), self.tables())


@st.composite
def worlds(draw: st.DrawFn, most: int = 5) -> World:
    """Rows of hostile owners and keys: missing, of two owners, leading nowhere."""
    each = {
        "folk": st.fixed_dictionaries({"u": OWNER, "a": NUMBER, "s": st.sampled_from(["x", "y", "z", None])}),
        "buys": st.fixed_dictionaries({"k": LINK, "u": OWNER, "p": NUMBER, "d": st.sampled_from(DAYS)}),
        "bits": st.fixed_dictionaries({"k": LINK, "q": NUMBER, "b": st.sampled_from(TRUTHS)}),
        "seen": st.fixed_dictionaries({"u": OWNER, "w": NUMBER, "t": st.sampled_from(TEXTS)}),
    }
    rows = {name: draw(st.lists(row, max_size=most)) for name, row in each.items()}
    return World(rows, {name: draw(st.integers(1, 3)) for name in ("bits", "buys", "seen")})


@st.composite
def crowded(draw: st.DrawFn) -> World:
    """Few owners with many rows: several keys each, keys of two owners, more rows than are kept.

    Drawn lists are mostly short, and then no owner has two rows that share one key and not another.
    """
    chance = Random(draw(st.integers(0, 2**32)))
    owners = [1, 1, 2, 2, *OWNERS]
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in COLUMNS}
    for _ in range(9):
        number = partial(chance.choice, NUMBERS_STORED)
        owner, key = chance.choice(owners), chance.choice(LINKS)
        rows["folk"].append({"u": chance.choice(owners), "a": number(), "s": chance.choice(["x", "y", "z", None])})
        # Half of the keys are of one owner, so that an owner has several.
        if key is not None and chance.random() < 0.5:
            key = f"{owner} {key}"
        rows["buys"].append({"k": key, "u": owner, "p": number(), "d": chance.choice(DAYS)})
        rows["seen"].append({"u": chance.choice(owners), "w": number(), "t": chance.choice(TEXTS)})
    for _ in range(14):
        key = chance.choice([*(row["k"] for row in rows["buys"]), *LINKS])
        rows["bits"].append({"k": key, "q": number(), "b": chance.choice(TRUTHS)})
    return World(
        rows, {"buys": chance.choice([2, 3, 4]), "bits": chance.choice([3, 5, 7]), "seen": chance.choice([1, 3])}
    )


@dataclass(frozen=True)
class Question:
    """What stands after FROM, for us and for a database that knows nothing of chains."""

    ours: str
    plain: str
    aliases: tuple[tuple[str, str], ...]


def _alike(text: str) -> Question:
    """A question that means the same to both: what it equates by key, it equates by owner as well."""
    words = text.split()
    named = [(alias, table) for table, alias in pairwise(words) if table in COLUMNS and alias.startswith("o")]
    return Question(text, text, tuple(named))


# Asked of every world, because they are seldom drawn: owners on either side of a full join, keys of two owners.
ALWAYS = (
    _alike("folk o0 FULL JOIN buys o1 ON o0.u = o1.u LEFT JOIN seen o2 ON o1.u = o2.u"),
    _alike("seen o0 FULL JOIN folk o1 ON o0.u = o1.u FULL JOIN bits o2 ON o1.u = o2.u"),
    _alike("folk o0 FULL JOIN buys o1 ON o0.u = o1.u WHERE EXISTS (SELECT 1 FROM seen e WHERE e.u = o1.u)"),
    Question(
        "buys o0 JOIN buys o1 ON o0.k = o1.k",
        "buys o0 JOIN buys o1 ON o0.k = o1.k AND o0.u = o1.u",
        (("o0", "buys"), ("o1", "buys")),
    ),
    Question(
        "buys o0 LEFT JOIN bits o1 ON o0.k = o1.k",
        "buys o0 LEFT JOIN bits o1 ON o0.k = o1.k AND o0.u = o1.u",
        (("o0", "buys"), ("o1", "bits")),
    ),
)
CONDITIONS = {
    "folk": ["{0}.a > 1", "{0}.s = 'x'", "{0}.a IS NULL"],
    "buys": ["{0}.p >= 0", "{0}.d < DATE '2024-01-02'", "{0}.k IS NULL", "{0}.p IN (0, 2)"],
    "bits": ["{0}.q <> 3", "{0}.b"],
    "seen": ["{0}.w = 0 OR {0}.w = 2", "NOT {0}.w = 1"],
}
NUMBERS = {"folk": "a", "buys": "p", "bits": "q", "seen": "w"}


@st.composite
def questions(draw: st.DrawFn, most: int = 3) -> Question:
    """Joins of all kinds on the owner or on a key, with conditions, EXISTS and IN."""
    first = draw(st.sampled_from(sorted(COLUMNS)))
    aliases, ours = [("o0", first)], f"{first} o0"
    plain, absent = ours, set[str]()
    for place in range(1, draw(st.integers(1, most))):
        alias, table = f"o{place}", draw(st.sampled_from(sorted(COLUMNS)))
        other, its = draw(st.sampled_from([pair for pair in aliases if pair[0] not in absent] or aliases))
        sides = ["JOIN", "LEFT JOIN", "FULL JOIN"] + (["RIGHT JOIN"] if place == 1 else [])
        side = draw(st.sampled_from(sides))
        if other in absent:
            side = "LEFT JOIN" if side == "FULL JOIN" else side
        keyed = {table, its} <= {"buys", "bits"} and draw(st.integers(0, 3)) > 0
        same = f"{other}.u = {alias}.u"
        on, there = (f"{other}.k = {alias}.k", f"{other}.k = {alias}.k AND {same}") if keyed else (same, same)
        for _ in range(draw(st.integers(0, 2))):
            if draw(st.booleans()):
                further = draw(st.sampled_from(CONDITIONS[table])).format(alias)
            else:
                further = f"{alias}.{NUMBERS[table]} <= {other}.{NUMBERS[its]}"
            on, there = f"{on} AND ({further})", f"{there} AND ({further})"
        ours, plain = f"{ours} {side} {table} {alias} ON {on}", f"{plain} {side} {table} {alias} ON {there}"
        absent |= {"LEFT JOIN": {alias}, "RIGHT JOIN": {"o0"}}.get(side, set())
        if side == "FULL JOIN":
            absent = {alias, *(name for name, _ in aliases)}
        aliases.append((alias, table))
    where: list[tuple[str, str]] = []
    for _ in range(draw(st.integers(0, 2))):
        alias, table = draw(st.sampled_from(aliases))
        inside = draw(st.sampled_from(sorted(COLUMNS)))
        own = draw(
            st.sampled_from(["", *(f" AND ({one.format('e')})" for one in CONDITIONS[inside] if ".k" not in one)])
        )
        match draw(st.sampled_from(["own", "exists", "key", "in"])):
            case "exists":
                made = f"EXISTS (SELECT 1 FROM {inside} e WHERE e.u = {alias}.u{own})"
                text = (made, made)
            case "key" if {table, inside} <= {"buys", "bits"}:
                made = f"EXISTS (SELECT * FROM {inside} e WHERE e.k = {alias}.k%s{own})"
                text = (made % "", made % f" AND e.u = {alias}.u")
            case "in" if alias not in absent:
                made = f"{alias}.u IN (SELECT e.u FROM {inside} e WHERE TRUE{own})"
                text = (made, made)
            case _:
                made = draw(st.sampled_from(CONDITIONS[table])).format(alias)
                text = (made, made)
        sign = draw(st.sampled_from(["", "NOT "]))
        where.append((f"{sign}({text[0]})", f"{sign}({text[1]})"))
    for place, one in enumerate(where):
        word = "WHERE" if not place else "AND"
        ours, plain = f"{ours} {word} {one[0]}", f"{plain} {word} {one[1]}"
    return Question(ours, plain, tuple(aliases))


def plainly(people: People, kept: Mapping[str, Sequence[Record]]) -> Any:
    """A database of the kept rows alone, under the names of the tables."""
    database = duckdb.connect()
    for name, table in people.tables.items():
        listed = ", ".join(f'"{column}" {_TYPES.get(kind.kind, "VARCHAR")}' for column, kind in table.columns.items())
        database.execute(f"CREATE TABLE {name} ({listed})")
        marks, given = f"({', '.join('?' for _ in table.columns)})", []
        for row in kept[name]:
            values = table.domain.record(row.codes) | dict(zip(texts(table), row.texts, strict=True))
            values[table.owner or ""] = row.owner
            given += [values[column] for column in table.columns]
        if given:
            database.execute(f"INSERT INTO {name} VALUES {', '.join([marks] * len(kept[name]))}", given)
    return database


_TYPES = {"integers": "BIGINT", "dates": "DATE", "booleans": "BOOLEAN"}
