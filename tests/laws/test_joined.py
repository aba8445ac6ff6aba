"""Joined tables: engines agree with each other and with a plain database, and no owner has more rows than proven."""

from __future__ import annotations

import logging
from collections import Counter, defaultdict
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import partita as pt
from partita.composition.calibration.pricing import Price
from partita.engine.duckdb import DuckDB
from partita.engine.plain.joins import joined_rows, kept_rows
from partita.engine.reference import Record, Reference, chosen, record
from partita.granularity import persons
from partita.query.exact.extract import Extract
from partita.query.language.joined import Joined, Kind, Link, Occurrence, joined_of
from partita.query.language.plan import Plan
from partita.query.noise.quote import Quote, quote
from partita.query.sql.parse import read
from partita.query.tables.people import People
from partita.query.tables.public import PublicTable
from partita.query.tables.schema import Table, texts
from partita.query.tables.truncation import UNCAPPED, Caps
from partita.region.columns import Bounded
from partita.sampling.bits import TestBits
from tests.laws.hostile import statements
from tests.laws.joining import ALWAYS, COLUMNS, KEY, Question, World, crowded, plainly, questions, worlds


def planned(world: World, question: Question) -> Plan:
    return read(f"SELECT COUNT(*) AS n FROM {question.ours}", [], people=world.people())


def extracted(plan: Plan) -> Extract:
    joined = joined_of(plan.table)
    cap = None if joined is None else joined.truncation(KEY)
    return Extract(plan.table, plan.where, plan.table.domain.axes, cap)


def rows_of(world: World, plan: Plan) -> list[Record]:
    """The joined rows that a question is about."""
    kept, joined = kept_rows(world.people(), KEY, world.rows), joined_of(plan.table)
    every = kept[plan.table.name] if joined is None else joined_rows(joined, kept)
    return chosen(plan.table.domain, plan.where, None, every)


# Opening engines takes longer than asking, so a world is asked several questions; and what fails is not made smaller.
PHASES = [Phase.explicit, Phase.generate]


@pytest.mark.slow
@settings(max_examples=8, deadline=None, phases=PHASES)
@given(crowded(), st.lists(questions(), min_size=7, max_size=7))
def test_the_engines_agree_with_a_plain_database_on_the_kept_rows(world, asked):
    people = world.people()
    with (
        closing(DuckDB(world.tables(), people, KEY, threads=1)) as engine,
        closing(Reference(world.tables(), people, KEY)) as reference,
        closing(plainly(people, kept_rows(people, KEY, world.rows))) as database,
    ):
        for question in (*ALWAYS, *asked):
            plan = planned(world, question)
            found = engine.run(extracted(plan)).tolist()
            assert engine.blank(extracted(plan)).tolist() == []
            assert reference.run(extracted(plan)).tolist() == found
            listed = shown(plan, question)
            names = ", ".join(name for _, name, _ in listed)
            plain = database.execute(f"SELECT {names} FROM {question.plain}").fetchall()
            coded = [
                tuple(column.code(value) for value, (_, _, column) in zip(row, listed, strict=True)) for row in plain
            ]
            assert Counter(coded) == Counter(tuple(row[place] for place, _, _ in listed) for row in found)


def test_owners_are_one_number_in_all_tables_exactly_where_they_are_one_text_and_keys_of_one_owner_too():
    """Joins compare the numbers, and a wrong one would join the rows of two owners."""
    rows = {
        "folk": [{"u": owner, "a": 1, "s": "x"} for owner in (1, "2", "a", None)],
        "buys": [{"k": key, "u": owner, "p": 0, "d": None} for owner in (1, 2, "7") for key in (7, "8", None, "a")],
        "bits": [{"k": key, "q": 0, "b": True} for key in ("7", 8, "a", None, "nobody's")],
        "seen": [{"u": owner, "w": 0, "t": "r"} for owner in ("a", "7", 1)],
    }
    world = World(rows, {"buys": 4, "bits": 5, "seen": 1})
    owners, keys = defaultdict[object, set[int]](set), defaultdict[object, set[int]](set)
    with closing(DuckDB(world.tables(), world.people(), KEY, threads=1)) as engine:
        assert engine._stored["buys"].numbers.keys() == {"u", "k"}
        for stored in engine._stored.values():
            number = stored.numbers["u"]
            for owner, found in engine._lines(f'SELECT "u", "{number}" FROM {stored.relation}'):
                owners[owner].add(found)
            if "k" in stored.numbers:
                pairs = engine._lines(f'SELECT "u", "k", "{stored.numbers["k"]}" FROM {stored.relation}')
                assert {found for _, key, found in pairs if key is None} <= {None}
                for owner, key, found in pairs:
                    keys[owner, key].update(() if key is None else (found,))
    assert {owner for owner, _ in keys} == {"1", "2", "7"}
    assert len([pair for pair in keys if pair[1] is not None]) == 9  # three owners with three keys
    for known in (owners, {pair: found for pair, found in keys.items() if pair[1] is not None}):
        assert None not in known
        assert {len(found) for found in known.values()} == {1}
        assert len(set().union(*known.values())) == len(known)


@pytest.mark.parametrize("key", [False, True])
def test_people_of_one_table_have_each_row_once(key):
    """Where nothing is joined rows are numbered too, and an owner with two rows has two."""
    columns = COLUMNS["buys"] if key else {name: kind for name, kind in COLUMNS["buys"].items() if name != "k"}
    rows = [{"k": place % 3, "u": place % 4, "p": 1, "d": None} for place in range(20)]
    people = People(persons("u", rows={"buys": 3}), [Table("buys", rows, columns)])
    with closing(DuckDB(people.tables.values(), people, KEY)) as engine:
        (found,) = engine._lines(f"SELECT COUNT(*) FROM {engine._stored['buys'].relation}")
    assert found == (12,)


def shown(plan: Plan, question: Question) -> list[tuple[int, str, Bounded]]:
    """What a plain database can show of a joined row: the place of each number, its name there, and its column."""
    joined, found = joined_of(plan.table), []
    for place, (axis, column) in enumerate(zip(plan.table.domain.axes, plan.table.domain.bounded, strict=True)):
        if joined is None:
            found.append((place, f"o0.{axis}", column))
        elif axis in joined.columns and axis.partition(".")[::2] not in joined.present:
            # A right join begins with the table on its right.
            order = question.aliases
            order = (order[1], order[0], *order[2:]) if "RIGHT JOIN" in question.ours else order
            alias = dict(zip((one.name for one in joined.occurrences), (pair[0] for pair in order), strict=True))
            found.append((place, f"{alias[joined.columns[axis][0].name]}.{joined.columns[axis][1]}", column))
    return found


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(worlds(most=8), questions(most=4))
def test_no_owner_has_more_joined_rows_than_proven(world, question):
    plan = planned(world, question)
    joined = joined_of(plan.table)
    if joined is None:
        return
    kept = kept_rows(world.people(), KEY, world.rows)
    each = Counter(row.owner for row in joined_rows(joined, kept))
    assert max(each.values(), default=0) <= joined.most


def without(world: World, owner: str) -> World:
    """The world without all rows of one owner, those that keys lead to included."""
    people = world.people()
    gone: dict[str, list[int]] = {}
    owners: dict[str | None, set[str]] = {}
    buys = people["buys"].table
    for row in world.rows["buys"]:
        found = record(buys, row)
        if found.owner is not None and found.texts[0] is not None:
            owners.setdefault(found.texts[0], set()).add(str(found.owner))
    for name, table in people.tables.items():
        for place, row in enumerate(world.rows[name]):
            found = record(table, row)
            own = min(owners.get(found.texts[0], {""})) if name == "bits" else found.owner
            if own == owner:
                gone.setdefault(name, []).append(place)
    left = {
        name: [row for place, row in enumerate(rows) if place not in gone.get(name, [])]
        for name, rows in world.rows.items()
    }
    return replace(world, rows=left)


@pytest.mark.slow
@settings(max_examples=120, deadline=None)
@given(worlds(most=7), questions(most=3), st.sampled_from(["1", "2", "3"]))
def test_an_owner_who_goes_takes_her_own_joined_rows_and_no_others(world, question, owner):
    plan = planned(world, question)
    before, after = rows_of(world, plan), rows_of(without(world, owner), plan)
    assert all(row.owner != owner for row in after)
    assert Counter(row for row in before if row.owner != owner) == Counter(after)


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(worlds(most=7), questions(most=3), st.randoms(use_true_random=False))
def test_the_order_of_the_stored_rows_does_not_matter(world, question, random):
    plan = planned(world, question)
    mixed = {name: random.sample(list(rows), len(rows)) for name, rows in world.rows.items()}
    assert Counter(rows_of(world, plan)) == Counter(rows_of(replace(world, rows=mixed), plan))
    with (
        closing(DuckDB(world.tables(), world.people(), KEY, threads=1)) as first,
        closing(DuckDB(replace(world, rows=mixed).tables(), world.people(), KEY, threads=1)) as second,
    ):
        assert first.run(extracted(plan)).tolist() == second.run(extracted(plan)).tolist()


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(worlds(most=8))
def test_kept_rows_are_an_owners_own_and_one_for_each_key_that_is_led_to(world):
    people = world.people()
    kept = kept_rows(people, KEY, world.rows)
    for name, rows in kept.items():
        assert max(Counter(row.owner for row in rows).values(), default=0) <= people[name].cap
        assert all(row.owner is not None for row in rows)
    place = texts(people["buys"].table).index("k")
    keys = Counter((row.owner, row.texts[place]) for row in kept["buys"] if row.texts[place] is not None)
    assert max(keys.values(), default=0) <= 1
    with closing(DuckDB(world.tables(), people, KEY, threads=1)) as engine:
        for name, table in people.tables.items():
            every = Extract(table, read(f"SELECT COUNT(*) AS n FROM {name}", [table]).where, table.domain.axes)
            expected = sorted(list(row.codes) for row in kept[name])
            assert engine.run(every).tolist() == expected


@pytest.fixture
def broken() -> World:
    """A key that two owners have, and another that leads nowhere."""
    rows = {
        "folk": [{"u": "1", "a": 1, "s": "x"}, {"u": "2", "a": 2, "s": "y"}],
        "buys": [{"k": 7, "u": 2, "p": 2, "d": None}, {"k": 7, "u": 1, "p": 1, "d": None}],
        "bits": [{"k": 7, "q": 1, "b": True}, {"k": 7, "q": 2, "b": True}, {"k": 8, "q": 3, "b": True}],
        "seen": [],
    }
    return World(rows, {"buys": 3, "bits": 3, "seen": 3})


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("buys o JOIN bits l ON l.k = o.k", 2),
        ("bits l LEFT JOIN buys o ON l.k = o.k", 2),
        ("buys o LEFT JOIN bits l ON l.k = o.k", 3),
        ("buys o FULL JOIN bits l ON l.k = o.k", 3),
        ("buys a JOIN buys b ON a.k = b.k", 2),
        ("buys o WHERE EXISTS (SELECT 1 FROM bits l WHERE l.k = o.k)", 1),
        ("buys o WHERE NOT EXISTS (SELECT 1 FROM bits l WHERE l.k = o.k)", 1),
    ],
)
def test_where_a_key_has_two_owners_rows_of_one_never_meet_rows_of_the_other(broken, question, rows, caplog):
    plan = planned(broken, Question(question, question, ()))
    found = rows_of(broken, plan)
    assert len(found) == rows
    operator = logging.getLogger("partita.operator")
    operator.addHandler(caplog.handler)
    try:
        with closing(DuckDB(broken.tables(), broken.people(), KEY, threads=1)) as engine:
            assert engine.run(extracted(plan)).tolist() == sorted(list(row.codes) for row in found)
    finally:
        operator.removeHandler(caplog.handler)
    assert "two owners" in caplog.text


# --- the bound is attained, and is that of the vectors ------------------------------------------------------------


def pair(first: int, second: int) -> People:
    columns: dict[str, Any] = {"u": pt.identifier(), "x": pt.integers(0, 9)}
    tables = [Table(name, [], columns) for name in ("s", "t")]
    return People(persons("u", rows={"s": first, "t": second}), tables)


def joined_of_pair(people: People, kind: Kind, on: str | None = None) -> Joined:
    made = Joined(people, (Occurrence("s", "s"), Occurrence("t", "t", kind, (Link("s"),))))
    if on is None:
        return made
    plan = read(f"SELECT COUNT(*) AS n FROM s {kind.value} t ON t.u = s.u AND {on}", [], people=people)
    found = joined_of(plan.table)
    assert found is not None
    return found


def most_rows(joined: Joined) -> int:
    """The most joined rows over all databases of one owner with rows 0, 1, 2, ... in each table."""
    most = 0
    caps = [joined.people[name].cap for name in ("s", "t")]
    for first in range(caps[0] + 1):
        for second in range(caps[1] + 1):
            kept = {
                "s": [Record((place,), "u") for place in range(first)],
                "t": [Record((place,), "u") for place in range(second)],
            }
            most = max(most, len(joined_rows(joined, kept)))
    return most


@pytest.mark.parametrize(("first", "second"), [(1, 1), (2, 3), (3, 1), (1, 4)])
def test_the_bound_is_attained(first, second):
    people = pair(first, second)
    for kind in Kind:
        joined = joined_of_pair(people, kind)
        reached = most_rows(joined)
        if kind is Kind.FULL:
            reached = max(reached, most_rows(joined_of_pair(people, kind, "s.x > 9")))
        assert reached == joined.most


def test_the_bounds_are_those_of_the_vectors():
    full = joined_of_pair(pair(1, 1), Kind.FULL, "s.x > 9")
    assert most_rows(full) == full.most == 2
    left = joined_of_pair(pair(2, 1), Kind.LEFT)
    nothing = {"s": [Record((0,), "u"), Record((1,), "u")], "t": []}
    assert len(joined_rows(left, nothing)) == left.most == 2


@pytest.mark.parametrize("cap", [1, 2, 3, 4])
def test_so_many_joined_rows_come_and_go_with_one_row_as_is_claimed(cap):
    people = pair(cap, 2)
    other = {"t": [Record((place,), "u") for place in range(2)]}
    for text in ("s a JOIN s b ON a.u = b.u", "s JOIN t ON s.u = t.u", "s a JOIN s b ON a.u = b.u JOIN t ON t.u = b.u"):
        joined = joined_of(read(f"SELECT COUNT(*) AS n FROM {text}", [], people=people).table)
        assert joined is not None
        before, after = (
            Counter(joined_rows(joined, {"s": [Record((place,), "u") for place in places], **other}))
            for places in (range(cap), range(1, cap + 1))
        )
        assert ((before - after) + (after - before)).total() == joined.moved("s"), text


FANS = (
    ("buys o0 JOIN shops s ON s.p = o0.p", (("o0", "buys"),)),
    ("folk o0 LEFT JOIN buys o1 ON o0.u = o1.u AND o1.p > 0 LEFT JOIN shops s ON s.p = o1.p",
     (("o0", "folk"), ("o1", "buys"))),
    ("buys o0 JOIN shops s ON s.p = o0.p JOIN buys o1 ON o0.u = o1.u JOIN shops t ON t.p = o1.p WHERE t.w > s.w",
     (("o0", "buys"), ("o1", "buys"))),
    ("buys o0 LEFT JOIN shops s ON s.p = o0.p FULL JOIN seen o1 ON o0.u = o1.u", (("o0", "buys"), ("o1", "seen"))),
    ("bits o0 JOIN buys o1 ON o0.k = o1.k, shops s WHERE s.p = o1.p AND s.day IS NOT NULL",
     (("o0", "bits"), ("o1", "buys"))),
)  # fmt: skip
SHOPS = PublicTable(
    "shops",
    [
        {"p": p, "shop": shop, "w": w, "day": day, "open": w > 1}
        for p, shop, w, day in [
            (0, "r", 1, None), (0, "s", 2, date(2024, 1, 2)), (1, "it's", 3, None), (-1, "r", 1, date(2024, 1, 3)),
            (0, "r", 1, None), (5, "q", 9, None), (-1, None, Fraction(1, 2), None),
        ]
    ],
    key="p",
    fanout=3,
)  # fmt: skip


@pytest.mark.slow
@settings(max_examples=8, deadline=None, phases=PHASES)
@given(crowded(), st.sampled_from([1, 2]))
def test_public_rows_are_met_as_in_a_plain_database_and_no_owner_has_more_rows_than_proven(world, owner):
    people, kept = world.people(), kept_rows(world.people(), KEY, world.rows)
    with (
        closing(DuckDB(world.tables(), people, KEY, threads=1)) as engine,
        closing(plainly(people, kept)) as database,
    ):
        database.execute("CREATE TABLE shops (p BIGINT, shop VARCHAR, w DOUBLE, day DATE, open BOOLEAN)")
        for row in SHOPS.rows:
            given = [float(one) if isinstance(one, Fraction) else one for one in row]
            database.execute("INSERT INTO shops VALUES (?, ?, ?, ?, ?)", given)
        for text, aliases in FANS:
            question = Question(text, text.replace("o0.k = o1.k", "o0.k = o1.k AND o0.u = o1.u"), aliases)
            plan = read(f"SELECT COUNT(*) AS n FROM {text}", [], {"shops": SHOPS}, people=people)
            joined = joined_of(plan.table)
            assert joined is not None
            found, rows = engine.run(extracted(plan)).tolist(), rows_of(world, plan)
            assert found == sorted(list(row.codes) for row in rows)
            listed = shown(plan, question)
            for fan, alias in zip(joined.fans, "st", strict=False):
                places = [plan.table.domain.axis(fan.joined(column)) for column, _ in fan.columns]
                listed += [(at, f"{alias}.{name}", kind) for at, (name, kind) in zip(places, fan.columns, strict=True)]
            names = ", ".join(name for _, name, _ in listed)
            plain = database.execute(f"SELECT {names} FROM {question.plain}").fetchall()
            coded = [tuple(kind.code(value) for value, (_, _, kind) in zip(row, listed, strict=True)) for row in plain]
            assert Counter(coded) == Counter(tuple(row[at] for at, _, _ in listed) for row in found), text
            each = Counter(row.owner for row in joined_rows(joined, kept))
            assert max(each.values(), default=0) <= joined.most
            after = rows_of(without(world, str(owner)), plan)
            assert Counter(row for row in rows if row.owner != str(owner)) == Counter(after)


def test_a_fan_out_is_attained_and_must_be_declared():
    """Three rows for one key make six joined rows of two (vector I.joined_rows_public_fanout)."""
    with pytest.raises(pt.PartitaError, match="fanout"):
        PublicTable("p", [{"x": 1, "y": place} for place in range(3)], key="x")
    public = {"p": PublicTable("p", [{"x": 1, "y": place} for place in range(3)], key="x", fanout=3)}
    people = pair(2, 1)
    for side in ("JOIN", "LEFT JOIN"):
        joined = joined_of(read(f"SELECT COUNT(*) AS n FROM s {side} p ON p.x = s.x", [], public, people=people).table)
        assert joined is not None
        kept = {"s": [Record((1,), "u")] * 2, "t": []}
        assert len(joined_rows(joined, kept)) == joined.most == 6
        assert joined.moved("s") == 6
        assert joined.by_rows is None


def test_a_row_that_is_led_to_counts_once():
    columns = COLUMNS
    tables = [Table(name, [], columns[name]) for name in ("buys", "bits")]
    people = People(persons("u", rows={"buys": 20, "bits": 100}, through={"bits": ("k", "buys")}), tables)
    for text, most in {
        "bits JOIN buys ON bits.k = buys.k": 100,
        "buys JOIN bits ON bits.k = buys.k": 100,
        "buys LEFT JOIN bits ON bits.k = buys.k": 120,
        "bits LEFT JOIN buys ON bits.k = buys.k": 100,
        "bits FULL JOIN buys ON bits.k = buys.k": 120,
        "buys JOIN bits ON bits.u = buys.u": 2000,
        "buys a JOIN buys b ON a.k = b.k": 20,
        "buys a JOIN buys b ON a.u = b.u": 400,
        "bits a JOIN buys b ON a.k = b.k JOIN bits c ON c.k = b.k": 10_000,
    }.items():
        joined = joined_of(read(f"SELECT COUNT(*) AS n FROM {text}", [], people=people).table)
        assert joined is not None
        assert joined.most == most, text


# --- questions, their numbers and their prices -------------------------------------------------------------------

ASKED = (
    "SELECT f.s, COUNT(*) AS n FROM seen v JOIN folk f ON f.u = v.u WHERE v.t = 'r' OR f.a > 2 GROUP BY f.s",
    "SELECT COUNT(v.t) AS m, SUM(CASE WHEN LENGTH(t) < 1 THEN f.a END) AS c FROM folk f LEFT JOIN seen v ON f.u = v.u",
    "SELECT COUNT(*) AS n FROM seen v JOIN seen w ON v.u = w.u WHERE v.t LIKE '%r' AND NOT w.t = 'r'",
    "SELECT v.t, COUNT(*) AS n FROM seen v JOIN folk f ON f.u = v.u WHERE LOWER(v.t) <> 'q' GROUP BY v.t",
    "SELECT c.s, COUNT(*) AS n, SUM(o.p) AS p FROM buys o JOIN folk c ON c.u = o.u GROUP BY c.s",
    "SELECT COUNT(*) AS n, COUNT(DISTINCT o.u) AS people FROM buys o JOIN bits l ON l.k = o.k WHERE l.q < 4 OR o.p = 1",
    "SELECT c.s, AVG(o.p + c.a) AS n FROM folk c LEFT JOIN buys o ON c.u = o.u AND o.p < c.a GROUP BY c.s",
    (
        "SELECT n, COUNT(*) AS k FROM (SELECT c.u, COUNT(o.k) AS n FROM folk c LEFT JOIN buys o "
        "ON c.u = o.u AND o.p <> 1 GROUP BY c.u) GROUP BY n"
    ),
    (
        "SELECT AVG(m) AS m FROM (SELECT u, SUM(o.p) AS m FROM buys o FULL JOIN seen USING (u) "
        "WHERE w < 2 OR w IS NULL GROUP BY u)"
    ),
    "SELECT MEDIAN(a.p) AS m FROM buys a JOIN buys b ON a.u = b.u AND a.p < b.p",
    (
        "SELECT DATE_TRUNC('month', d) AS m, EXISTS (SELECT 1 FROM seen WHERE seen.u = buys.u AND w > 0) AS e, "
        "COUNT(*) AS n FROM buys LEFT JOIN bits ON bits.k = buys.k GROUP BY 1, 2"
    ),
    "SELECT t, COUNT(*) AS n FROM seen JOIN folk USING (u) WHERE a > 0 GROUP BY t",
    "SELECT p.name, COUNT(*) AS n FROM buys o JOIN folk c ON c.u = o.u JOIN sizes p ON p.a = c.a GROUP BY p.name",
    (
        "SELECT CASE WHEN c.a > 1 AND o.p > 0 THEN 'both' ELSE 'not' END AS g, COUNT(*) AS n FROM buys o, folk c "
        "WHERE c.u = o.u AND o.u NOT IN (SELECT u FROM seen WHERE w = 2) GROUP BY 1"
    ),
)
SIZES = PublicTable("sizes", [{"a": 0, "name": "small"}, {"a": 2, "name": "large"}], key="a")


@dataclass(frozen=True)
class Promised:
    granularity: Any
    budget: Any


def offered(world: World, question: str, caps: Caps = UNCAPPED) -> Quote:
    people = world.people()
    plan = read(question, [], {"sizes": SIZES}, people=people).capped(caps)
    joined = joined_of(plan.table)
    assert joined is not None
    promise = Promised(people.persons.in_table("buys", rows=joined.most), pt.ZCDP(rho=1, delta="1e-6"))
    price = Price.of(rho=1, delta="1e-7" if plan.opened else None)
    return quote(plan, [promise], price, truncation=joined.truncation(KEY))


@pytest.fixture(scope="module")
def opened():
    """The worlds, each in both engines."""
    with ExitStack() as stack:
        yield [
            (
                world,
                stack.enter_context(closing(DuckDB(world.tables(), world.people(), KEY, threads=1))),
                stack.enter_context(closing(Reference(world.tables(), world.people(), KEY))),
            )
            for world in samples()
        ]


@pytest.mark.parametrize("question", ASKED)
def test_a_question_about_a_join_is_priced_computed_and_answered_and_can_be_asked_again(question, opened):
    for world, engine, reference in opened:
        found = offered(world, question)
        again = read(found.plan.sql(), [], {"sizes": SIZES}, people=world.people())
        assert again.fingerprint == found.plan.fingerprint
        assert read(question, [], {"sizes": SIZES}, people=world.people()).fingerprint == found.plan.fingerprint
        for caps in (UNCAPPED, Caps(rows=1), Caps(rows=2, groups=1), Caps(groups=2, each=1)):
            if caps.groups is not None and found.plan.per_user is not None:
                continue
            capped = offered(world, question, caps)
            with statements(proved=True):
                tallies = engine.run(capped.program)
                blank = engine.blank(capped.program)
            assert tallies.tolist() == reference.run(capped.program).tolist()
            assert blank.tolist() == reference.blank(capped.program).tolist()
            assert capped.result(capped.release(tallies, bits=TestBits(1))).columns


def samples() -> list[World]:
    """Three worlds of a fixed chance: none, few and many rows."""
    found = []
    for seed, most in ((0, 0), (1, 4), (2, 12)):
        chance = Random(seed)
        rows = {
            name: [{column: chance.choice(VALUES[kind.kind]) for column, kind in columns.items()} for _ in range(most)]
            for name, columns in COLUMNS.items()
        }
        found.append(World(rows, {"buys": 3, "bits": 2, "seen": 2}))
    return found


VALUES: dict[str, list[Any]] = {
    "identifier": [10, 20, 30, "4", None],  # so that no text is the number that stands for it
    "key": [7, 8, "9", None],
    "integers": [-5, 0, 1, 2, 3, None],
    "categories": ["x", "y", "z", None],
    "dates": [date(2024, 1, 2), date(2023, 5, 5), None],
    "booleans": [True, False, None],
    "text_keys": ["r", "", None],
}
