"""Growth against brute force: every way to spread one person's rows over batches, each by a person of its own."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

import partita as pt
from partita.engine import growing as engine_growing
from partita.engine.duckdb import DuckDB
from partita.engine.statements import growth
from partita.engine.statements.statement import keyed_order
from partita.query.tables.people import People

KEY = "5b" * 16
ORDERS, LINES = 2, 1
CUSTOMERS = {"customer": pt.identifier(), "segment": pt.categories("a", "b")}
COLUMNS = {
    "customers": CUSTOMERS,
    "orders": {"order": pt.key(), "customer": pt.identifier(), "price": pt.integers(0, 99)},
    "lines": {"order": pt.key(), "quantity": pt.integers(0, 9)},
}
PROMISE = pt.persons(
    "customer", table="customers", rows={"orders": ORDERS, "lines": LINES}, through={"lines": ("order", "orders")}
)
BATCHES = 3
# One person: a row of her own, three orders, two lines of the first order; each in one of the batches, or in none.
ROWS = 6


def people():
    return People(PROMISE, [pt.Table(name, source=[], columns=columns) for name, columns in COLUMNS.items()])


def universe(chosen):
    """The rows that arrive in each batch: one person for every spreading of her rows."""
    batches = [{"customers": [], "orders": [], "lines": []} for _ in range(BATCHES)]
    for who, where in chosen.items():
        own, *others = where
        if own < BATCHES:
            batches[own]["customers"].append({"customer": who, "segment": "ab"[own % 2]})
        for place, at in enumerate(others):
            if at < BATCHES and place < 3:
                batches[at]["orders"].append({"order": f"{who}-{place}", "customer": who, "price": place * 7 % 5})
            elif at < BATCHES:
                batches[at]["lines"].append({"order": f"{who}-0", "quantity": place})
    return batches


def kept_by_hand(batches):
    """What is kept of each person after each batch, row by row as theory I10 says it; nothing here is SQL."""
    declared = people()
    order = {name: declared.truncation(name, KEY) for name in declared.tables}
    kept = {"customers": {}, "orders": {}, "lines": {}}
    led, seen, states = {}, set(), []
    for batch in batches:
        came, fresh = {}, {name: {} for name in kept}
        for row in batch["orders"]:
            led.setdefault(row["order"], row["customer"])
            fresh["orders"].setdefault(row["customer"], []).append((str(row["price"]), row["order"]))
        for row in batch["lines"]:
            if row["order"] in led:
                line = str(row["quantity"]), row["order"]
                fresh["lines"].setdefault(led[row["order"]], []).append(line)
        for row in batch["customers"]:
            fresh["customers"].setdefault(row["customer"], []).append((row["segment"],))
        for name, owners in fresh.items():
            for who, rows in owners.items():
                came[who] = True
                if name == "customers" and who in seen:
                    continue
                mine = kept[name].setdefault(who, [])
                mine += sorted(rows, key=order[name].place)[: order[name].rows - len(mine)]
        seen |= set(came)
        states.append(
            {name: {who: sorted(rows) for who, rows in owners.items() if rows} for name, owners in kept.items()}
        )
    return states


def kept_by_engine(batches, forgotten=()):
    """The same from the engine, with persons forgotten after some batches."""
    declared = people()
    tables = {name: pt.Table(name, source=[], columns=columns) for name, columns in COLUMNS.items()}
    engine = DuckDB(tables.values(), declared, KEY, threads=1)
    try:
        caps = {name: replace(declared.truncation(name, KEY), kept=True) for name in declared.tables}
        grown = engine.growing(tables, declared, caps, "secret")
        grown.begin()
        states = []
        for at, batch in enumerate(batches):
            grown.arrive(batch)
            grown.settle()
            states.append(read(grown.contents()))
            for who in forgotten if at < BATCHES - 1 else ():
                grown.exchange(grown.without(who, list(grown.places)))
        return states
    finally:
        engine.close()


def read(contents):
    shown = {"customers": ("segment",), "orders": ("price", "order"), "lines": ("quantity", "order")}
    found = {}
    for name, columns in shown.items():
        owners = found.setdefault(name, {})
        for row in contents[f"{name}.rows"].to_pylist():
            owners.setdefault(row["customer"], []).append(tuple(str(row[column]) for column in columns))
    return {name: {who: sorted(rows) for who, rows in owners.items()} for name, owners in found.items()}


def every_spreading(step=1):
    spreadings = list(product(range(BATCHES + 1), repeat=ROWS))[::step]
    return {f"p{at}": where for at, where in enumerate(spreadings)}


def hold(states):
    """What the proof of I10 needs of every owner: few rows ever, and one value of the person for ever."""
    caps = {"customers": 1, "orders": ORDERS, "lines": LINES}
    ever = {name: {} for name in caps}
    values = {}
    for state in states:
        now = {who for owners in state.values() for who in owners}
        for name, owners in state.items():
            for who, rows in owners.items():
                ever[name].setdefault(who, set()).update(rows)
                assert len(ever[name][who]) <= caps[name], (name, who)
        for who in now:
            value = tuple(state["customers"].get(who, ()))
            assert values.setdefault(who, value) == value, who


def test_what_is_kept_is_what_the_theory_says_for_every_spreading_of_a_persons_rows(monkeypatch):
    # An order that plain Python knows too; which keyed order it is, the theory does not say.
    monkeypatch.setattr(growth, "sealing_order", keyed_order)
    batches = universe(every_spreading())
    states = kept_by_engine(batches)
    assert states == kept_by_hand(batches)
    hold(states)


def test_what_is_kept_of_a_person_depends_on_nobody_else():
    chosen = every_spreading(step=3)
    some = {who: where for at, (who, where) in enumerate(chosen.items()) if at % 2}
    for whole, part in zip(kept_by_engine(universe(chosen)), kept_by_engine(universe(some)), strict=True):
        for name, owners in part.items():
            assert owners == {who: rows for who, rows in whole[name].items() if who in some}


def test_who_is_forgotten_and_comes_back_has_the_places_left_and_the_value_of_before():
    chosen = every_spreading(step=389)
    hold(kept_by_engine(universe(chosen), forgotten=tuple(chosen)))


def test_who_is_forgotten_moves_nobody_else():
    chosen = every_spreading(step=61)
    gone = tuple(chosen)[::9]
    whole, part = kept_by_engine(universe(chosen)), kept_by_engine(universe(chosen), forgotten=gone)
    for before, after in zip(whole, part, strict=True):
        for name, owners in before.items():
            stay = {who: rows for who, rows in owners.items() if who not in gone}
            assert stay == {who: rows for who, rows in after[name].items() if who not in gone}


BREAKS = {
    "the newest rows are kept, places are given anew": lambda sql: sql.replace("MAX(", "0 * MAX("),
    "a person's value may come later": lambda sql: sql.replace(
        'NOT EXISTS (SELECT 1 FROM "held', 'TRUE OR EXISTS (SELECT 1 FROM "held'
    ),
}


@pytest.mark.parametrize("broken", BREAKS.values(), ids=BREAKS)
def test_the_law_notices_growth_that_is_wrong(broken, monkeypatch):
    sound = engine_growing.arrivals
    monkeypatch.setattr(engine_growing, "arrivals", lambda *given: broken(sound(*given)))
    states = kept_by_engine(universe(every_spreading(step=97)))
    with pytest.raises(AssertionError):
        hold(states)


def test_the_law_notices_a_tombstone_that_forgets_the_places(monkeypatch):
    chosen = every_spreading(step=389)
    sound = engine_growing.tombstones
    monkeypatch.setattr(engine_growing, "tombstones", lambda *given: f"{sound(*given)} LIMIT 0")
    states = kept_by_engine(universe(chosen), forgotten=tuple(chosen))
    with pytest.raises(AssertionError):
        hold(states)
