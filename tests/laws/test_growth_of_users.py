"""Growth of one table under promises on users: every way to spread four rows of an owner over batches."""

from __future__ import annotations

from itertools import chain, pairwise, product

import pytest

import partita as pt
from partita.engine import growing as engine_growing
from partita.engine.duckdb import DuckDB
from partita.engine.statements import growth
from partita.engine.statements.statement import keyed_order
from partita.query.tables.truncation import truncation

KEY = "c3" * 16
CAP, BATCHES = 2, 3
DAYS = ("2026-01-01", "2026-01-01", "2026-01-02", "2026-01-02")
SEXES = ("F", "M", "F", "M")
COLUMNS = {
    "who": pt.identifier(),
    "age": pt.integers(0, 9),
    "day": pt.dates("2026-01-01", "2026-12-31"),
    "sex": pt.categories("F", "M", constant=True),
}
PROMISES = {"users": pt.users("who", rows=CAP), "user-days": pt.users("who", rows=1, per="day")}


def batches():
    """An owner for every spreading of four rows: each in one of the batches, or in none."""
    found = [[] for _ in range(BATCHES)]
    for who, where in enumerate(product(range(BATCHES + 1), repeat=4)):
        for place, at in enumerate(where):
            if at < BATCHES:
                found[at].append({"who": f"p{who}", "age": place, "day": DAYS[place], "sex": SEXES[place]})
    return found


def states(granularity, *, declared=0, forgotten=()):
    """What is held after each batch; the first ``declared`` of them are there from the beginning."""
    came = batches()
    table = pt.Table("visits", source=list(chain(*came[:declared])), columns=COLUMNS)
    cap = truncation(table, [granularity], KEY)
    engine = DuckDB([table], threads=1)
    try:
        engine.cut({"visits": cap})
        grown = engine.growing({"visits": table}, None, {"visits": cap}, "secret")
        grown.begin()
        found = [grown.contents()["visits.rows"].to_pylist()] if declared else []
        for batch in came[declared:]:
            grown.arrive({"visits": batch})
            grown.settle()
            found.append(grown.contents()["visits.rows"].to_pylist())
            for who in forgotten:
                grown.exchange(grown.without(who, ["visits"]))
        return found
    finally:
        engine.close()


def hold(found, granularity):
    """Few rows of an owner (and a part) are ever held, and all of them have one value of what is constant."""
    ever, sexes, places = {}, {}, {}
    for state in found:
        for row in state:
            part = row["who"], row["day"] if granularity.per else None
            ever.setdefault(part, set()).add(row["age"])
            assert len(ever[part]) <= granularity.rows
            assert sexes.setdefault(part, row["sex"]) == row["sex"]
            assert places.setdefault((part, row["raw:place"]), row["age"]) == row["age"]


def rows_of(state):
    return sorted((row["who"], row["age"]) for row in state)


@pytest.mark.parametrize("granularity", PROMISES.values(), ids=PROMISES)
def test_no_more_rows_of_an_owner_are_ever_held_than_the_cap(granularity):
    found = states(granularity)
    hold(found, granularity)
    assert all(set(rows_of(before)) <= set(rows_of(after)) for before, after in pairwise(found))


@pytest.mark.parametrize("granularity", PROMISES.values(), ids=PROMISES)
def test_rows_that_were_declared_are_a_batch_like_any_other(granularity, monkeypatch):
    monkeypatch.setattr(growth, "sealing_order", keyed_order)  # declared rows are kept in this order
    assert list(map(rows_of, states(granularity, declared=1))) == list(map(rows_of, states(granularity)))


def row(kind, at):
    return {"who": kind(at % 7 - 3), "age": at % 5, "sex": "FM"[at // 7 % 2]}


@pytest.mark.parametrize("constant", [False, True])
def test_owners_who_are_numbers_keep_what_they_would_as_texts(constant):
    """A first batch is told apart by numbers, where owners are stored so; nothing of before fixes what is constant."""
    columns = {"who": pt.identifier(), "age": pt.integers(0, 9), "sex": pt.categories("F", "M", constant=constant)}
    cap, found = truncation(pt.Table("visits", [], columns), [PROMISES["users"]], KEY), []
    for kind in (int, str):
        batches_ = [[row(kind, at) for at in range(start, 40)] for start in (0, 20)]
        table = pt.Table("visits", [], columns)
        engine = DuckDB([table], threads=1)
        engine.cut({"visits": cap})
        grown = engine.growing({"visits": table}, None, {"visits": cap}, "secret")
        grown.begin()
        for batch in batches_:
            grown.arrive({"visits": batch})
            grown.settle()
        held = grown.contents()["visits.rows"].to_pylist()
        found.append(sorted((one["who"], one["sex"], one["age"], one["raw:place"]) for one in held))
        engine.close()
    assert found[0] == found[1]
    assert len(found[0]) == 7 * CAP
    assert (len({one[:2] for one in found[0]}) == 7) is constant


@pytest.mark.parametrize("granularity", PROMISES.values(), ids=PROMISES)
def test_who_comes_back_after_an_erasure_has_what_is_left(granularity):
    gone = tuple(f"p{at}" for at in range(0, 256, 23))
    hold(states(granularity, forgotten=gone), granularity)


def test_the_law_notices_a_constant_that_changes(monkeypatch):
    granularity = PROMISES["users"]
    sound = engine_growing.arrivals
    monkeypatch.setattr(engine_growing, "arrivals", lambda *given: sound(*given).replace("IS NOT DISTINCT FROM", "<>"))
    with pytest.raises(AssertionError):
        hold(states(granularity), granularity)
