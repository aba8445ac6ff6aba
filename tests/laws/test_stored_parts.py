"""Parts of owners as they are stored: a day taken away moves every answer no further than is booked for one day.

Neighbours are made from stored values, not from sanitised ones: days before and after the declared range, missing days,
days that cannot be read, numbers that are rounded, names that are not listed. Which of them are one part is written
down here by hand, and not asked of the columns.
"""

from __future__ import annotations

from typing import Any
from unittest import mock

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import partita as pt
from partita.composition.account import RegionAccount
from partita.curator.path.path import charge_of
from partita.engine import reference
from partita.engine.duckdb import DuckDB
from partita.engine.reference import tallied
from partita.granularity import Granularity, Users
from partita.ledger.audit import faults
from partita.ledger.birth import Terms
from partita.ledger.charge import Priced
from partita.query.tables.schema import Table
from partita.query.tables.truncation import Caps, Truncation
from partita.region.columns import Bounded
from tests.laws.test_whole_path import MEASURES, lost, quoted

NAN = float("nan")
DAYS = ("2024-02-01", "2024-02-03")
EARLY, LATE, STRANGE = ("2024-01-31",), ("2024-02-04", "2026-01-01"), ("soon", "2024-02-31", "")
DATES = (("2024-02-01", "2024-02-01 23:59", "2024-02-01T00:00"), ("2024-02-02",), ("2024-02-03",))
NUMBERS = (("0", "0.4", "0e5"), ("1", "0.6", "1.4"), ("2", "1.5"))
BEYOND = (("-1",), ("-0.4",), ("3",), ("2.1",), ("1e400",), ("nan",), ("two",), (None,))
# For each column: the stored values that are one part, one line a part; and those that are in no declared part.
PARTS: dict[str, tuple[Bounded, tuple[tuple[Any, ...], ...], tuple[tuple[Any, ...], ...]]] = {
    "dates": (pt.dates(*DAYS), DATES, (EARLY, *((day,) for day in (*LATE, *STRANGE)), (None,))),
    "dates with a stand-in": (pt.dates(*DAYS, missing=DAYS[0]), DATES, (EARLY, LATE[:1], LATE[1:], ("soon",), (None,))),
    "integers": (pt.integers(0, 2), NUMBERS, BEYOND),
    "integers with a stand-in": (pt.integers(0, 2, missing=1), NUMBERS, BEYOND),
    "decimals": (
        pt.decimals(0, 1, step="0.5"),
        (("0", "0.2"), ("0.5", "0.6", ".3"), ("1", "0.8")),
        (("1.1",), ("-0.1",), (None,), ("x",)),
    ),
    "categories": (pt.categories("x", "y"), (("x",), ("y",)), (("z",), ("OTHER",), ("X",), (None,))),
    "categories, the others listed": (
        pt.categories("x", "y", other="y", missing="x"),
        (("x",), ("y",)),
        (("z",), ("OTHER",), (None,)),
    ),
    "booleans": (pt.booleans(), (("yes", "1", "TRUE"), ("no", "f")), (("maybe",), ("",), (None,))),
    "booleans with a stand-in": (pt.booleans(missing=True), (("y",), ("n", "0")), (("maybe",), (None,))),
}
QUESTIONS = (
    "SELECT COUNT(*) AS n FROM things",
    "SELECT a, COUNT(*) AS n FROM things GROUP BY a",
    "SELECT SUM(a) AS s, AVG(a) AS m FROM things WHERE a > 0",
    "SELECT p, SUM(a) AS s FROM things GROUP BY p",
    "SELECT COUNT(*) AS n FROM things WHERE a = 2",
    "SELECT MEDIAN(a) AS m FROM things",
    "SELECT k, COUNT(DISTINCT who) AS n FROM things GROUP BY k",
    "SELECT y, COUNT(*) AS n FROM (SELECT who, MAX(a) AS y FROM things GROUP BY who) GROUP BY y",
    "SELECT SUM(y) AS s FROM (SELECT who, p, CLAMP(COUNT(*), 0, 2) AS y FROM things GROUP BY who, p)",
)
UNITS: dict[str, tuple[Granularity, ...]] = {
    "one row a part": (pt.users("who", rows=1, per="p"),),
    "two rows a part, one in a region": (pt.users("who", rows=2, per="p", in_region=1),),
    "two rows a part, altered": (pt.users("who", rows=2, per="p", altered=True),),
    "two parts": (pt.groups(2, pt.users("who", rows=1, per="p")),),
    "rows beside parts": (pt.rows(), pt.users("who", rows=1, per="p")),
}


def declared(column: Bounded, *, constant: bool) -> Table:
    kept = pt.categories("u", "v", constant=constant)
    return Table("things", [], {"who": pt.identifier(), "p": column, "a": pt.integers(0, 3), "k": kept})


@st.composite
def rows(draw: st.DrawFn, parts: tuple[tuple[Any, ...], ...]) -> list[dict[str, Any]]:
    stored = [value for part in parts for value in part]
    one = st.fixed_dictionaries(
        {"who": st.just(1), "p": st.sampled_from(stored), "a": st.integers(0, 3), "k": st.sampled_from("uv")}
    )
    return draw(st.lists(one, min_size=2, max_size=6))


@pytest.mark.parametrize("name", PARTS)
@settings(max_examples=40)
@given(
    data=st.data(),
    units=st.sampled_from(sorted(UNITS)),
    texts=st.lists(st.sampled_from(QUESTIONS), min_size=1, max_size=2),
    measure=st.sampled_from(sorted(MEASURES)),
    caps=st.builds(Caps, *[st.none() | st.just(1)] * 3),
    constant=st.booleans(),
)
def test_a_stored_part_costs_no_more_than_is_booked_for_a_part(name, data, units, texts, measure, caps, constant):
    column, inside, outside = PARTS[name]
    granularities = UNITS[units]
    of_owners = all(isinstance(unit.single, Users) for unit in granularities)
    table = declared(column, constant=constant and of_owners)
    asked = quoted(texts, table, granularities, measure, caps if of_owners else Caps())
    assume(asked)
    before = data.draw(rows((*inside, *outside)))
    met = [part for part in (*inside, *outside) if any(row["p"] in part for row in before)]
    for place, unit in enumerate(granularities):
        account = RegionAccount(table.domain, pt.Promise(unit, MEASURES[measure][0]))
        for one in asked:
            charge = charge_of(one, asked="")
            cost = charge.costs[place]
            account.charge(charge.region, cost.row, cost.substitution, unit=cost.owner, altered=cost.altered)
        booked = account.bracket()[1]
        for at, part in enumerate(met):
            taken = [part, *(met[at + 1 : at + 2] if unit != unit.single else [])]
            after = [row for row in before if not any(row["p"] in gone for gone in taken)]
            if not isinstance(unit.single, Users):
                after = before[:at] + before[at + 1 :]
            elif unit.single.altered:
                after += [{**row, "p": part[0]} for row in data.draw(rows((part,)))]
            losses = [loss for one in asked for loss in lost(one, before, after, type(MEASURES[measure][0]))]
            if losses:
                assert sum(losses[1:], start=losses[0]).fits(booked), (unit, part, texts)


@pytest.mark.parametrize("name", PARTS)
@settings(max_examples=15)
@given(
    data=st.data(),
    unit=st.sampled_from([unit for unit in UNITS.values() if len(unit) == 1 and not unit[0].single.altered]),
    texts=st.lists(st.sampled_from(QUESTIONS), min_size=1, max_size=2),
    measure=st.sampled_from(sorted(MEASURES)),
)
def test_what_an_audit_says_of_old_books_bounds_what_a_stored_part_lost_in_them(name, data, unit, texts, measure):
    """Version 0.1 kept rows outside the declared range; a part then costs what the audit says of clamped parts."""
    column, inside, outside = PARTS[name]
    table = declared(column, constant=False)
    asked = quoted(texts, table, unit, measure, Caps())
    assume(asked)
    budget = MEASURES[measure][0]
    before = data.draw(rows((*inside, *outside)))
    plain, altered = (
        RegionAccount(table.domain, pt.Promise(each, budget)) for each in (unit[0], faults.altered(unit[0]))
    )
    terms = Terms([pt.Promise(unit[0], budget)], {"things": table.domain})
    for one in asked:
        charge = charge_of(one, asked="")
        cost = charge.costs[0]
        plain.charge(charge.region, cost.row, cost.substitution, unit=cost.owner)
        within = faults.shared(terms, Priced.of(charge), 0).region
        altered.charge(within, cost.row, cost.substitution, unit=cost.owner)
    most = faults.most(plain.bracket()[1], altered.bracket()[1])
    with mock.patch.object(reference, "parted", return_value=True):
        for part in [part for part in (*inside, *outside) if any(row["p"] in part for row in before)]:
            after = [row for row in before if row["p"] not in part]
            losses = [loss for one in asked for loss in lost(one, before, after, type(budget))]
            if losses:
                assert sum(losses[1:], start=losses[0]).fits(most), (part, texts)


STEPS = [f"2024-0{1 if day > 25 else 2}-{day:02d}" for day in (28, 29, 30, 31, 1, 2, 3, 4, 5, 6)]


@pytest.mark.parametrize("missing", [None, "2024-02-02"])
@settings(max_examples=40)
@given(
    data=st.data(),
    width=st.integers(1, 3),
    changed=st.booleans(),
    first=st.integers(0, len(STEPS) - 3),
    texts=st.lists(
        st.sampled_from([*QUESTIONS, "SELECT COUNT(*) AS n FROM things WHERE p = DATE '2024-02-01'"]), min_size=1
    ),
    measure=st.sampled_from(sorted(MEASURES)),
)
def test_a_stored_window_costs_no_more_than_is_booked_for_a_window(
    missing, data, width, changed, first, texts, measure
):
    """Steps beyond either end are read as that end, and a row of any step may have lost its day."""
    table = declared(pt.dates(*DAYS, missing=missing), constant=False)
    unit = pt.windows("p", width=width, changed=changed)
    asked = quoted(texts, table, (unit,), measure, Caps())
    assume(asked)
    before = data.draw(rows(((*STEPS, None),)))
    day = [data.draw(st.sampled_from([step, None])) for step in STEPS[first : first + width]]
    out, into = ([{**data.draw(rows((DAYS,)))[0], "p": step} for step in day] for _ in range(2))
    account = RegionAccount(table.domain, pt.Promise(unit, MEASURES[measure][0]))
    losses = []
    for one in asked:
        charge = charge_of(one, asked="")
        account.charge(charge.region, charge.costs[0].row, charge.costs[0].substitution, unit=charge.costs[0].owner)
        losses += lost(one, [*before, *out], [*before, *into] if changed else before, type(MEASURES[measure][0]))
    if losses:
        assert sum(losses[1:], start=losses[0]).fits(account.bracket()[1]), texts


@pytest.mark.parametrize("name", PARTS)
def test_rows_in_no_declared_part_are_left_out_by_every_engine(name, tmp_path):
    """A copy that is sanitised once still knows which values were stored so; a file read in place knows it anyway."""
    import pyarrow as pa
    from pyarrow import parquet

    column, inside, outside = PARTS[name]
    stored = [
        {"who": str(owner), "p": value, "a": str(owner % 4), "k": "u"}
        for owner, part in enumerate((*inside, *outside))
        for value in part
    ]
    plain = {"who": pt.identifier(), "p": column, "a": pt.integers(0, 3), "k": pt.categories("u", "v")}
    parquet.write_table(pa.Table.from_pylist(stored), tmp_path / "rows.parquet")
    unit = pt.users("who", rows=1, per="P")
    (asked,) = quoted(["SELECT COUNT(*) AS n FROM things"], Table("things", stored, plain), (unit,), "ε", Caps())
    assert isinstance(asked.program.truncation, Truncation)
    assert asked.program.truncation.per == "p"
    assert tallied(asked.program, stored).tolist() == [[len(inside)]]
    for source, below in ((stored, 0), (tmp_path / "rows.parquet", 0), (tmp_path / "rows.parquet", 2**20)):
        engine = DuckDB([Table("things", source, plain)], threads=1, copied_below=below)
        assert engine.run(asked.program).tolist() == [[len(inside)]]
        engine.close()
