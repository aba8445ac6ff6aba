"""Sealed rows of owners go on under a refined declaration: nobody loses more than the load at their own values (I12).

Random databases of people are asked questions, sealed, and migrated to wider bounds, further categories and further
columns; batches come before and after. Each person is then taken out of every table and batch, and all exact numbers
are computed again: those of before under the old declaration, those of after under the new one.
"""

from __future__ import annotations

import random
from dataclasses import replace
from unittest import mock

import pytest

import partita as pt
from partita.curator.wanted import Wanted
from partita.engine.duckdb import DuckDB
from partita.query.tables.people import People
from partita.region.region import Region
from tests.laws import test_people_path as path

OLD = (
    "SELECT segment, COUNT(*) AS n FROM customers GROUP BY segment",
    "SELECT COUNT(*) AS n FROM orders WHERE price < 2",
    "SELECT price, COUNT(*) AS n FROM orders GROUP BY price",
    "SELECT c.segment, SUM(o.price) AS s FROM orders o JOIN customers c ON c.customer = o.customer GROUP BY c.segment",
    "SELECT COUNT(*) AS n FROM customers c JOIN orders o USING (customer) WHERE c.segment = 'OTHER' AND o.price >= 3",
    'SELECT SUM(l.qty) AS s FROM lines l JOIN orders o ON l."order" = o."order" WHERE o.price > 1',
)
NEW = (
    *OLD,
    "SELECT COUNT(*) AS n FROM orders WHERE price > 3",
    "SELECT kind, SUM(score) AS s FROM orders GROUP BY kind",
    "SELECT vip, COUNT(*) AS n FROM customers c JOIN orders o USING (customer) WHERE c.segment = 'x' GROUP BY vip",
    "SELECT COUNT(*) AS n FROM customers WHERE vip IS NULL",
)


def database(seed):
    """Rows of three batches: what was declared first, a batch before the migration, one after it."""
    chance = random.Random(seed)
    whole = path.database(seed)
    for row in whole["customers"]:
        row["vip"] = chance.choice([True, False, None])
    for row in whole["orders"]:
        row |= {"kind": chance.choice(["k", "l", None]), "score": chance.choice([0, 5, "x"])}
    batches = [{name: [] for name in whole} for _ in range(3)]
    for name, rows in whole.items():
        for row in rows:
            batches[chance.randrange(3)][name].append(row)
    return batches


def tables(rows, *, wider):
    segments = pt.categories("a", "b", "x") if wider else pt.categories("a", "b")
    price = pt.integers(-5, 9) if wider else pt.integers(0, 3)
    own = {"vip": pt.booleans()} if wider else {}
    more = {"kind": pt.categories("k", "l"), "score": pt.integers(0, 5, missing=2)} if wider else {}
    columns = {
        "customers": {**own, "customer": pt.identifier(), "segment": segments},
        "orders": {"order": pt.key(), "customer": pt.identifier(), "price": price, **more},
        "lines": {"order": pt.key(), "qty": pt.integers(0, 3, missing=0)},
    }
    return [pt.Table(name, source=rows[name], columns=columns[name]) for name in columns]


def asked(ours, texts):
    quotes = [ours._catalogue.offer(ours._catalogue.plan(text), Wanted.of(rho=path.PRICE)) for text in texts]
    for text in texts:
        ours.ask(text, rho=path.PRICE, reuse=False)
    return quotes


def opened(book, rows, *, wider):
    promise = pt.Promise(path.persons(), pt.ZCDP(rho=1000))
    return pt.Curator(tables=tables(rows, wider=wider), promises=[promise], ledger=book, migrate=wider)


def held(rows, key, *, wider):
    """Rows on an engine of their own, with what they grow by."""
    declared = tables(rows, wider=wider)
    people = People(path.persons(), declared)
    engine = DuckDB(declared, people, key, threads=1)
    caps = {name: replace(people.truncation(name, key), kept=True) for name in people.tables}
    return engine, engine.growing({one.name: one for one in declared}, people, caps, "secret")


def course(batches, key, quotes):
    """The exact numbers of every question in their turn; what is kept before the migration, after it, in the end."""
    old, grown = held(batches[0], key, wider=False)
    nothing = {name: [] for name in batches[0]}
    new, further = held(nothing, key, wider=True)
    try:
        grown.begin()
        found = [old.run(quote.program) for quote in quotes[0]]
        grown.arrive(batches[1])
        grown.settle()
        found += [old.run(quote.program) for quote in quotes[1]]
        further.load(grown.contents())
        kept = [each.contents() for each in (grown, further)]
        found += [new.run(quote.program) for quote in quotes[2]]
        further.arrive(batches[2])
        further.settle()
        found += [new.run(quote.program) for quote in quotes[3]]
        return found, [*kept, further.contents()]
    finally:
        old.close()
        new.close()


def without(batches, person):
    """The batches without a person: an order of any batch may own a line of a later one."""
    owned = {one["order"] for batch in batches for one in batch["orders"] if one["customer"] == person}
    return [
        {
            "customers": [one for one in batch["customers"] if one["customer"] != person],
            "orders": [one for one in batch["orders"] if one["customer"] != person],
            "lines": [one for one in batch["lines"] if one["order"] not in owned],
        }
        for batch in batches
    ]


def short(seed, folder):
    """The people who lose more than the load at their own values."""
    batches, book = database(seed), folder / f"book{seed}"
    with opened(book, batches[0], wider=False) as ours:
        quotes = [asked(ours, OLD)]
        ours.ingest(batches[1])
        quotes.append(asked(ours, OLD))
    with opened(book, {name: [] for name in batches[0]}, wider=True) as ours:
        quotes.append(asked(ours, NEW))
        ours.ingest(batches[2])
        quotes.append(asked(ours, NEW))
        assert ours.verify().problems == ()
        key, wide = ours.ledger.truncation_key().hex(), ours._people.domain
        account = ours.ledger._book.replay.balances.payer("customer", 0).account
    every, (before, after, last) = course(batches, key, quotes)
    for part, rows in before.items():
        # The same rows are kept, with the same values in the columns that there were.
        refined_rows = after[part].select(rows.column_names).to_pylist()
        assert sorted(map(repr, refined_rows)) == sorted(map(repr, rows.to_pylist()))
    own = {row["customer"]: row for row in last["customers.rows"].to_pylist()}
    wrong = []
    for person in [f"p{number}" for number in range(path.PEOPLE)]:
        box = list(wide.everything)
        for name in ("segment", "vip"):
            axis = wide.axis(f"customers.{name}")
            code = wide.bounded[axis].code(own.get(person, {}).get(name))
            box[axis] = ((code, code + 1),)
        load = account.spent(Region(wide, (tuple(box),))).rho
        less, _ = course(without(batches, person), key, quotes)
        pairs = zip([one for listed in quotes for one in listed], every, less, strict=True)
        loss = sum(path.lost(*one) for one in pairs)
        wrong += [(person, float(loss), float(load))] if loss > load else []
    return wrong


@pytest.mark.parametrize("seed", range(2))
def test_nobody_loses_more_than_the_load_at_their_own_values(seed, tmp_path):
    assert short(seed, tmp_path) == []


ROWS = [{"who": f"p{number % 3}", "day": f"2026-01-0{1 + number % 4}", "n": number} for number in range(12)]
COLUMNS = {"who": pt.identifier(), "day": pt.dates("2026-01-01", "2026-01-05"), "n": pt.integers(0, 5)}
EXACT = 10**8


def alone(book, columns, unit, *, migrate=False, sealed=False):
    promise = pt.Promise(unit, pt.ZCDP(rho=EXACT * 100))
    ours = pt.Curator(
        tables=[pt.Table("visits", source=ROWS, columns=columns)], promises=[promise], ledger=book, migrate=migrate
    )
    if sealed:
        ours.ask(COUNTED, rho=EXACT)
        ours.ingest("visits", [])
    return ours


COUNTED = "SELECT n, COUNT(*) AS k FROM visits GROUP BY n"
UNITS = {
    "rows": pt.rows(),
    "replace": pt.replace(),
    "users": pt.users("who", rows=2),
    "days": pt.users("who", rows=2, per="day"),
    "persons": pt.persons("who", rows={"visits": 2}),
    "windows": pt.persons("who", rows={"visits": 2}, per="day"),
}
WIDER = {**COLUMNS, "n": pt.integers(-2, 9), "kind": pt.categories("x", "y"), "t": pt.text_keys()}


@pytest.mark.parametrize("unit", UNITS)
def test_sealed_rows_stay_the_same_rows_under_every_promise(unit, tmp_path):
    book = tmp_path / "book"
    with alone(book, COLUMNS, UNITS[unit], sealed=True) as ours:
        before, charged = {row["n"]: row["k"] for row in ours.ask(COUNTED, rho=EXACT).rows()}, ours.spent()[0].rho
    with alone(book, WIDER, UNITS[unit], migrate=True) as ours:
        lost = ours.spent()[0]
        assert lost.rho >= charged > 0
        after = {row["n"]: row["k"] for row in ours.ask(COUNTED, rho=EXACT).rows()}
        assert {n: after[n] for n in before} == before
        assert not sum(count for n, count in after.items() if n not in before)
        ours.ingest("visits", [{"who": "new", "day": "2026-01-02", "n": 9, "kind": "x", "t": "z"}])
        (kinds,) = ours.ask("SELECT COUNT(*) AS k FROM visits WHERE kind = 'x' AND n = 9", rho=EXACT).rows()
        assert kinds["k"] == 1
        assert ours.verify().problems == ()
    with alone(book, WIDER, UNITS[unit]) as ours:
        # What was sealed again is there, and what was asked is known.
        assert len(ours.ask(COUNTED, rho=EXACT).rows()) == len(after)
        assert ours.spent()[0].rho > lost.rho


REFUSED = {
    "fewer": ({**COLUMNS, "n": pt.integers(0, 4)}, "users"),
    "window": ({**COLUMNS, "day": pt.dates("2026-01-01", "2026-01-09")}, "days"),
    "window of persons": ({**COLUMNS, "day": pt.dates("2026-01-01", "2026-01-09")}, "windows"),
    "constant": ({**COLUMNS, "sex": pt.categories("f", "m", constant=True)}, "users"),
}


@pytest.mark.parametrize("change", REFUSED)
def test_what_would_keep_other_rows_is_refused(change, tmp_path):
    columns, unit = REFUSED[change]
    book = tmp_path / "book"
    with alone(book, COLUMNS, UNITS[unit], sealed=True) as ours:
        spent = ours.spent()
    with pytest.raises(pt.PartitaError) as refused:
        alone(book, columns, UNITS[unit], migrate=True)
    assert refused.value.code == "ledger.no-migration"
    with alone(book, COLUMNS, UNITS[unit]) as ours:
        assert ours.spent() == spent


def test_rows_of_owners_that_are_not_sealed_are_not_migrated(tmp_path):
    book = tmp_path / "book"
    with alone(book, COLUMNS, UNITS["users"]) as ours:
        ours.ask(COUNTED, rho=EXACT)
    with pytest.raises(pt.PartitaError, match="Once rows are sealed"):
        alone(book, WIDER, UNITS["users"], migrate=True)


def test_a_step_that_was_finer_is_not_read_into_sealed_times(tmp_path):
    def columns(step):
        return {"who": pt.identifier(), "n": COLUMNS["n"], "at": pt.timestamps("2026-01-01", "2026-01-02", step=step)}

    with alone(tmp_path / "book", columns("1h"), UNITS["users"], sealed=True):
        pass
    with pytest.raises(pt.PartitaError, match="written in another way"):
        alone(tmp_path / "book", columns("1m"), UNITS["users"], migrate=True)


def test_a_migration_that_ended_before_its_rows_were_sealed_again_goes_on(tmp_path):
    book = tmp_path / "book"
    with alone(book, COLUMNS, UNITS["persons"], sealed=True):
        pass
    with (
        mock.patch("partita.curator.ingest.Growth._refine", side_effect=KeyboardInterrupt),
        pytest.raises(KeyboardInterrupt),
    ):
        alone(book, WIDER, UNITS["persons"], migrate=True)
    with alone(book, WIDER, UNITS["persons"]) as ours:
        ours.ingest("visits", [{"who": "new", "day": "2026-01-02", "n": 9, "kind": "x", "t": "z"}])
        (kinds,) = ours.ask("SELECT COUNT(*) AS k FROM visits WHERE kind = 'x'", rho=EXACT).rows()
        assert kinds["k"] == 1


def test_a_process_with_the_old_declaration_seals_nothing_more(tmp_path):
    book = tmp_path / "book"
    with (
        alone(book, COLUMNS, UNITS["persons"], sealed=True) as old,
        alone(book, WIDER, UNITS["persons"], migrate=True) as new,
    ):
        with mock.patch.object(type(old), "_as_declared"), pytest.raises(pt.PartitaError) as refused:
            # It looked before the other one migrated.
            old.ingest("visits", [{"who": "late", "day": "2026-01-02", "n": 1}])
        assert refused.value.code == "vault.other-declaration"
        with pytest.raises(pt.PartitaError):
            old.ask(COUNTED, rho=EXACT, reuse=False)
        new.ingest("visits", [{"who": "new", "day": "2026-01-02", "n": 9, "kind": "x", "t": "z"}])
