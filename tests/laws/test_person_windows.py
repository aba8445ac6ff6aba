"""Windows of people: what one person has in one window, in all tables, costs no more than is booked there (theory I11).

Random small databases with hostile days are asked single questions and plans. Then all rows of one person in one
window are taken out of every table, and the exact numbers behind every noise are computed again on what is left.
"""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction
from unittest import mock

import pytest

import partita as pt
from partita.composition.account.people import PersonSpace
from partita.curator.path.event_promise import EventPromise
from partita.curator.path.placed import booked_costs
from partita.curator.wanted import Wanted
from partita.engine.duckdb import DuckDB
from partita.engine.reference import Reference
from partita.query.language.joined import Joined
from partita.query.tables.people import People
from partita.region.region import Region
from partita.theory.cost import Cost
from tests.laws.test_people_path import lost
from tests.sizes import tried

DAYS = ("2025-01-01", "2025-01-02", "2025-01-03")
STORED = (*DAYS, *DAYS, "1999-12-31", "2031-01-01", "soon", "", None)
MINUTES = ("0", "1", "3", "9", "x")
CAPS = {"calls": 2, "visits": 1}
QUESTIONS = (
    "SELECT COUNT(*) AS n FROM calls WHERE minutes < 2",
    "SELECT day, SUM(minutes) AS s FROM calls GROUP BY day",
    "SELECT SUM(minutes) AS s FROM calls WHERE day = '2025-01-02'",
    "SELECT COUNT(*) AS n FROM visits WHERE day <= '2025-01-02'",
    "SELECT kind, COUNT(*) AS n FROM visits GROUP BY kind",
    "SELECT COUNT(DISTINCT person) AS n FROM calls WHERE day = '2025-01-01'",
    "SELECT COUNT(DISTINCT person) AS n FROM calls",
    "SELECT COUNT(*) AS n FROM calls c JOIN visits v ON v.person = c.person AND v.day = c.day",
    """SELECT v.kind, SUM(c.minutes) AS s FROM visits v LEFT JOIN calls c ON c.person = v.person AND c.day = v.day
    AND c.minutes > 0 WHERE v.day <= '2025-01-02' GROUP BY v.kind""",
    """SELECT v.day, COUNT(*) AS n FROM calls c, calls d, visits v WHERE c.person = d.person AND d.person = v.person
    AND c.day = d.day AND v.day = d.day AND c.minutes < d.minutes GROUP BY v.day""",
    """SELECT COUNT(*) AS n FROM calls c JOIN visits v ON v.person = c.person AND v.day = c.day
    WHERE v.day = '2025-01-03' AND v.kind = 'x'""",
    """SELECT COUNT(*) AS n FROM visits v WHERE NOT EXISTS
    (SELECT 1 FROM calls c WHERE c.person = v.person AND c.day = v.day AND c.minutes > 1)""",
    "SELECT COUNT(*) AS n FROM calls c JOIN visits v USING (person)",
    "SELECT COUNT(*) AS n FROM visits a JOIN visits b ON a.person = b.person WHERE a.day < b.day",
    "SELECT n, COUNT(*) AS k FROM (SELECT person, COUNT(*) AS n FROM calls GROUP BY person) t GROUP BY n",
    """SELECT SUM(s) AS s FROM (SELECT person, day, SUM(minutes) AS s FROM calls WHERE day < '2025-01-03'
    GROUP BY person, day) t""",
)
PRICE = "0.01"


def database(seed):
    chance = random.Random(seed)
    who = ["a", "b", "c", None]
    calls = [
        {
            "person": chance.choice(who),
            "day": chance.choice(STORED),
            "minutes": chance.choice(MINUTES),
        }
        for _ in range(40)
    ]
    visits = [
        {"person": chance.choice(who), "day": chance.choice(STORED), "kind": chance.choice(("x", "y", "?", None))}
        for _ in range(25)
    ]
    return {"calls": calls, "visits": visits}


def tables(rows):
    day = pt.dates(DAYS[0], DAYS[-1])
    calls = {"person": pt.identifier(), "day": day, "minutes": pt.integers(0, 3)}
    visits = {"person": pt.identifier(), "day": day, "kind": pt.categories("x", "y")}
    return [
        pt.Table("calls", source=rows["calls"], columns=calls),
        pt.Table("visits", source=rows["visits"], columns=visits),
    ]


def persons(*, altered=False):
    return pt.persons("person", rows=CAPS, per="day", altered=altered)


def curator(rows, budget=None, *, altered=False):
    promise = pt.Promise(persons(altered=altered), budget or pt.ZCDP(rho=100))
    return pt.Curator(tables=tables(rows), promises=[promise], ledger=":memory:")


def without(rows, person, day):
    return {
        name: [row for row in listed if (row["person"], row["day"]) != (person, day)] for name, listed in rows.items()
    }


def exact(rows, quotes, key, engine=DuckDB):
    opened = engine(tables(rows), People(persons(), tables(rows)), key)
    try:
        return [opened.run(quote.program) for quote in quotes]
    finally:
        opened.close()


def booked(ours, day):
    """What is booked for the windows of one day."""
    wide = ours._people.domain
    box, axis = list(wide.everything), wide.axis("day")
    code = wide.bounded[axis].code(day)
    box[axis] = ((code, code + 1),)
    return ours.ledger._book.replay.balances.payer("person", 0).account.spent(Region(wide, (tuple(box),))).rho


def short(seed, *, plan):
    """The windows of people that lose more than the load of their day."""
    rows = database(seed)
    with curator(rows) as ours:
        offers = [ours.quote(text, rho=PRICE, noise="gaussian") for text in QUESTIONS]
        quotes = [one.quote for one in offers]
        if plan:
            ours.plan(offers[::2])
            ours.plan(offers[1::2])
        else:
            for text in QUESTIONS:
                ours.ask(text, rho=PRICE, noise="gaussian", reuse=False)
        key = ours.ledger.truncation_key().hex()
        before, wrong = exact(rows, quotes, key), []
        for day in DAYS:
            load = booked(ours, day)
            for person in "abc":
                after = exact(without(rows, person, day), quotes, key)
                loss = sum(lost(*one) for one in zip(quotes, before, after, strict=True))
                wrong += [(person, day, float(loss), float(load))] if loss > load else []
        for day in STORED[6:]:
            # Rows of no window move nothing.
            after = exact(without(rows, "a", day), quotes, key)
            wrong += [day for one in zip(quotes, before, after, strict=True) if lost(*one)]
        assert ours.verify().problems == ()
        return wrong


@pytest.mark.parametrize("plan", [False, True])
@pytest.mark.parametrize("seed", range(2))
def test_no_window_of_a_person_loses_more_than_the_load_of_its_day(seed, plan):
    assert short(seed, plan=plan) == []


def test_a_cap_that_is_forgotten_is_found():
    def forgotten(self, table, release, *, in_region=None, real=PersonSpace.placed):
        made = real(self, table, release, in_region=in_region)
        return type(made)(made.region, tuple(part / self.persons.cap(table) ** 2 for part in made.one))

    with mock.patch.object(PersonSpace, "placed", forgotten):
        with mock.patch("partita.curator.path.opinion.assay", return_value=None):
            assert any(short(seed, plan=False) for seed in range(3))
        with pytest.raises(pt.NotProven, match="could not be confirmed"):
            short(0, plan=False)


def test_the_engines_keep_the_same_rows_of_each_window():
    rows = database(7)
    with curator(rows) as ours:
        quotes = [ours._catalogue.offer(ours._catalogue.plan(text), Wanted.of(rho=PRICE)) for text in QUESTIONS]
        key = ours.ledger.truncation_key().hex()
    for one, other in zip(exact(rows, quotes, key), exact(rows, quotes, key, Reference), strict=True):
        assert one.tolist() == other.tolist()


@pytest.mark.parametrize("altered", [False, True])
def test_questions_about_different_days_cost_the_maximum_and_tables_add_up(altered):
    with curator(database(2), pt.ZCDP(rho=9), altered=altered) as ours:
        cost = Fraction(0)
        for table in CAPS:
            for day in DAYS:
                one = ours.ask(f"SELECT COUNT(*) AS n FROM {table} WHERE day = '{day}'", rho="0.5", reuse=False)
            cost += one.cost.rho
        assert ours.spent()[0].rho == cost
        assert cost == (2 if altered else 1)


@pytest.mark.parametrize(
    "question",
    [
        "SELECT COUNT(*) AS n FROM visits v LEFT JOIN calls c USING (person)",
        "SELECT COUNT(*) AS n FROM visits v FULL JOIN calls c ON c.person = v.person AND c.day = v.day",
        "SELECT COUNT(*) AS n FROM calls WHERE person IN (SELECT person FROM visits)",
        """SELECT COUNT(*) AS n FROM visits v JOIN (SELECT person, SUM(minutes) AS s FROM calls GROUP BY person) t
        ON t.person = v.person""",
    ],
)
def test_what_looks_across_windows_is_refused(question):
    with curator(database(3)) as ours:
        with pytest.raises(pt.PartitaError) as refused:
            ours.ask(question, rho="0.1")
        assert refused.value.code in ("shape.across-windows", "people.windows-not-linked")


def test_what_is_gathered_of_all_windows_is_bounded_by_all_of_them():
    with curator(database(3)) as ours:
        text = "SELECT n, COUNT(*) AS k FROM (SELECT person, COUNT(*) AS n FROM calls GROUP BY person) t GROUP BY n"
        assert [row["n"] for row in ours.ask(text, rho="0.1").rows()] == [1, 2, 3, 4, 5, 6]


def test_a_join_across_windows_is_charged_to_every_window():
    """Rows of one day meet rows of all days: whichever day is asked about, a window of another one moves the count."""
    text = "SELECT COUNT(*) AS n FROM visits a JOIN visits b ON a.person = b.person WHERE b.day = '2025-01-03'"
    with curator(database(3)) as ours:
        ours.ask(text, rho=PRICE, noise="gaussian")
        loads = {booked(ours, day) for day in DAYS}
        assert len(loads) == 1
        assert loads.pop() > 0


def test_a_join_across_windows_that_is_charged_to_one_row_is_found():
    with mock.patch.object(Joined, "unit", 1), mock.patch("partita.curator.path.opinion.assay", return_value=None):
        assert short(0, plan=False)


def test_caps_and_tables_that_may_be_absent_are_not_taken_for_one_window():
    across = "SELECT COUNT(*) AS n FROM calls c JOIN visits v USING (person)"
    absent = """SELECT COUNT(*) AS n FROM visits v LEFT JOIN calls c ON c.person = v.person AND c.day = v.day
    LEFT JOIN calls d ON d.person = v.person AND d.day = c.day"""
    with curator(database(3)) as ours:
        for question, wants in ((across, {"rows_per_user": 1}), (across, {"groups_per_user": 1}), (absent, {})):
            with pytest.raises(pt.PartitaError) as refused:
                ours.ask(question, rho="0.1", **wants)
            assert refused.value.code in ("shape.across-windows", "people.windows-not-linked")


def test_new_rows_fill_the_places_of_their_window(tmp_path):
    rows = {"calls": [{"person": "a", "day": DAYS[0], "minutes": 1}], "visits": []}
    promise = pt.Promise(persons(), pt.ZCDP(rho=10**9))
    with pt.Curator(tables=tables(rows), promises=[promise], ledger=tmp_path / "book") as ours:
        late = [{"person": "a", "day": day, "minutes": 2} for day in (DAYS[0], DAYS[0], DAYS[1], "1999-01-01")]
        ours.ingest("calls", late)
        found = ours.ask("SELECT day, COUNT(*) AS n FROM calls GROUP BY day", rho=10**8).rows()
        assert [row["n"] for row in found[:3]] == [2, 1, 0]


# --- single rows beside windows ----------------------------------------------------------------------------------


def events(rows, table, rho=100):
    promises = [pt.Promise(persons(), pt.ZCDP(rho=100)), pt.Promise(pt.events(table), pt.ZCDP(rho=rho))]
    return pt.Curator(tables=tables(rows), promises=promises, ledger=":memory:")


def altered_rows(rows, table, chance):
    """Databases that differ in one stored row of a table: less, or another one of the same person, in any window."""
    for place, row in enumerate(rows[table]):
        before, after = rows[table][:place], rows[table][place + 1 :]
        yield {**rows, table: [*before, *after]}
        for day in {chance.choice(STORED), chance.choice(DAYS), row["day"]}:
            other = {"minutes": chance.choice(MINUTES)} if table == "calls" else {"kind": chance.choice("xy")}
            yield {**rows, table: [*before, {**row, "day": day, **other}, *after]}


def rows_short(seed, table):
    """The questions that lose more through one row than is booked for it, or all of them than the account's maximum."""
    rows, chance = database(seed), random.Random(seed)
    with events(rows, table) as ours:
        quotes = [ours._catalogue.offer(ours._catalogue.plan(text), Wanted.of(rho=PRICE)) for text in QUESTIONS]
        for text in QUESTIONS:
            ours.ask(text, rho=PRICE, reuse=False)
        assert ours.verify().problems == ()
        booked, total = [booked_costs(quote)[1].rho for quote in quotes], ours.spent()[1].rho
        key, wrong = ours.ledger.truncation_key().hex(), []
    before = exact(rows, quotes, key)
    every = list(altered_rows(rows, table, chance))
    for changed in chance.sample(every, min(len(every), 20)):
        losses = [lost(*one) for one in zip(quotes, before, exact(changed, quotes, key), strict=True)]
        wrong += [text for text, loss, most in zip(QUESTIONS, losses, booked, strict=True) if loss > most]
        wrong += ["all of them"] if sum(losses) > total else []
    return wrong


@pytest.mark.parametrize("table", CAPS)
@pytest.mark.parametrize("seed", range(tried(1, soaking=40)))
def test_a_row_in_any_window_loses_no_more_than_is_booked_for_it(seed, table):
    assert rows_short(seed, table) == []


def call(day, minutes):
    return {"person": "a", "day": DAYS[day], "minutes": minutes}


# A row of 0 makes place for one of 3 on its day, and comes as 3 for a 0 on the next: under some keys a sum moves by 6.
FULL = {"calls": [call(0, "0"), call(0, "1"), call(0, "3"), call(1, "0"), call(1, "1")], "visits": []}
GONE = {"calls": [*FULL["calls"][1:], call(1, "3")], "visits": []}
BOTH = ["SELECT SUM(minutes) AS s FROM calls"]
EACH = [f"SELECT SUM(minutes) AS s FROM calls WHERE day = '{day}'" for day in DAYS[:2]]
# One call meets three visits, twice.
DAILY = {"calls": [call(0, "1")], "visits": [{"person": "a", "day": day, "kind": "x"} for day in DAYS]}
ACROSS = ["SELECT COUNT(*) AS n FROM calls c JOIN visits v USING (person) JOIN visits w USING (person)"]


def furthest(texts, rows, moved, keys=12):
    """The most that one row loses, under several orders of kept rows, and the most that the account holds."""
    with events(rows, "calls") as ours:
        quotes = [ours._catalogue.offer(ours._catalogue.plan(text), Wanted.of(rho=PRICE)) for text in texts]
        for text in texts:
            ours.ask(text, rho=PRICE, reuse=False)
        booked = ours.spent()[1].rho
    found = []
    for key in map(str, range(keys)):
        pairs = zip(quotes, exact(rows, quotes, key), exact(moved, quotes, key), strict=True)
        found.append(sum(lost(*one) for one in pairs))
    return max(found), booked


def test_a_row_that_goes_to_another_window_pays_for_both():
    loss, booked = furthest(BOTH, FULL, GONE)
    # To nothing but the tiny units of the account.
    assert loss <= booked <= loss * (1 + Fraction(1, 10**6))
    loss, booked = furthest(EACH, FULL, GONE)
    assert loss <= booked <= 3 * loss


def test_a_row_that_pays_for_one_of_its_windows_is_found():
    for paid in (lambda self, load, region: Cost(load), lambda self, load, region: Cost(load.times(2))):
        with mock.patch.object(EventPromise, "_moved", paid):
            loss, booked = furthest(BOTH, FULL, GONE)
            assert loss > booked


def test_a_row_meets_rows_of_all_windows_where_a_join_does_not_equate_them():
    loss, booked = furthest(ACROSS, DAILY, {**DAILY, "calls": []}, keys=1)
    assert loss <= booked
    true = Joined.moved
    with mock.patch.object(Joined, "moved", lambda self, table: true(replace(self, apart=False), table)):
        loss, booked = furthest(ACROSS, DAILY, {**DAILY, "calls": []}, keys=1)
        assert loss > booked


def test_a_window_beside_windows_is_refused():
    promises = [pt.Promise(persons(), pt.ZCDP(rho=1)), pt.Promise(pt.windows("day", width=2), pt.ZCDP(rho=1))]
    with pytest.raises(pt.PartitaError) as refused:
        pt.Curator(tables=tables(database(1)), promises=promises)
    assert refused.value.code == "curator.not-beside-people"
