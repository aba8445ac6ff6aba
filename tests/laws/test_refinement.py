"""Whenever a new declaration is said to refine an old one, what was stored says the same as before (theory I12)."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partita.region import Domain, Region, booleans, categories, dates, decimals, identifier, integers, text_keys
from partita.region.codemap import CodeMap, Piece, clamping
from partita.region.columns import timestamps
from partita.region.columns.categories import Categories
from partita.region.columns.reading import Reading
from partita.region.columns.stepped import Stepped
from partita.region.columns.timestamps import Timestamps
from partita.region.refinement import Refinement, changes

DAY = date(2025, 1, 1)
START = datetime.fromisoformat("2025-01-01")
NAMES = ["F", "M", "f", "other", "OTHER", "7", "7.5", "true", ""]
STEPS = ["1", "0.5", "0.1", "0.05", "0.01", "1/3", "3"]


@st.composite
def whole_bounds(draw):
    low = draw(st.integers(-6, 6))
    return low, low + draw(st.integers(0, 8))


@st.composite
def numbers(draw):
    low, high = draw(whole_bounds())
    missing = draw(st.none() | st.integers(low, high))
    return integers(low, high, missing=missing, constant=draw(st.booleans()))


@st.composite
def grids(draw):
    step = draw(st.sampled_from(STEPS[:3] if draw(st.booleans()) else STEPS))
    low, high = draw(whole_bounds())
    missing = draw(st.none() | st.integers(low, high))
    from partita.exact import exact

    unit = exact(step, "step")
    absent = None if missing is None else missing * unit
    return decimals(low * unit, high * unit, step=step, missing=absent)


@st.composite
def days(draw):
    low, high = draw(whole_bounds())
    missing = draw(st.none() | st.integers(low, high))
    absent = None if missing is None else DAY + timedelta(missing)
    return dates(DAY + timedelta(low), DAY + timedelta(high), missing=absent)


@st.composite
def names(draw):
    listed = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=5, unique=True))
    other = draw(st.sampled_from(["OTHER", "other", *listed]))
    missing = draw(st.none() | st.sampled_from([*listed, other]))
    return categories(*listed, other=other, missing=missing)


@st.composite
def times(draw):
    step, (low, high) = draw(st.sampled_from([1, 2, 3, 4, 6])), draw(whole_bounds())
    missing = draw(st.none() | st.none() | st.integers(low, high))
    ends = [None if at is None else START + timedelta(seconds=at * step) for at in (low, high, missing)]
    return timestamps(*ends[:2], step=f"{step}s", missing=ends[2])


truths = st.builds(lambda missing: booleans(missing=missing), st.sampled_from([None, True, False]))
FAMILIES = {"integers": numbers(), "decimals": grids(), "dates": days(), "categories": names(), "booleans": truths}
FAMILIES["timestamps"] = times()
NEAR = [number + part for number in range(-9, 12) for part in (0, 0.5, -0.5, 0.49999999999999994, 0.025, 1 / 3)]
RAW = [
    *(
        None,
        float("nan"),
        float("inf"),
        -float("inf"),
        True,
        False,
        "x",
        "",
        "nan",
        " 7 ",
        "7.5",
        "-1e300",
        "1e400",
        [],
        b"7",
    ),
    *(
        Decimal("NaN"),
        Decimal("2.5"),
        Decimal("-1e50"),
        np.int64(3),
        np.float32(2.5),
        np.datetime64("NaT"),
        10**30,
        -(10**30),
    ),
    *NEAR,
    *map(str, NEAR),
    *(DAY + timedelta(shift) for shift in range(-9, 17)),
    *((DAY + timedelta(shift)).isoformat() + " 23:59" for shift in range(-9, 17)),
    *(datetime(2025, 1, 1, 12, tzinfo=UTC), np.datetime64("2025-01-05T07"), "0000-01-01", "9999-12-31", "2025-02-30"),
    *(START + timedelta(seconds=part / 2, microseconds=part % 2) for part in range(-60, 140)),
    *NAMES,
    *("Yes", "no", "unlisted", "OTHER ", "  F"),
]


READINGS = [None, None, Reading(null=("x", "-1e300"))]


def said(old, new, raw):
    """What the old declaration made of a stored value, and what the map makes of the new one."""
    told = new.onto(old)
    return None if isinstance(told, str) else (old.code(raw), told.of(new.code(raw)))


@pytest.mark.parametrize("kind", sorted(FAMILIES))
def test_what_a_stored_value_was_follows_from_what_it_is_now(kind):
    refined = 0

    @settings(max_examples=150, deadline=None)
    @given(
        old=FAMILIES[kind],
        new=FAMILIES[kind],
        read=st.tuples(st.sampled_from(READINGS), st.sampled_from(READINGS)),
        drawn=st.floats(-10, 12) | st.text(max_size=6),
    )
    def law(old, new, read, drawn):
        nonlocal refined
        old, new = replace(old, reading=read[0]), replace(new, reading=read[1])
        told = new.onto(old)
        if isinstance(told, str):
            return
        for raw in (*RAW, drawn):
            assert old.code(raw) == told.of(new.code(raw)), (old, new, raw)
        refined += 1

    law()
    assert refined > 1


@settings(max_examples=300, deadline=None)
@given(low=st.integers(0, 20), more=st.integers(0, 20), step=st.sampled_from(STEPS), drawn=st.floats(-400, 400))
def test_wider_bounds_tell_the_narrower_ones_also_where_doubles_are_rounded(low, more, step, drawn):
    from partita.exact import exact

    unit = exact(step, "step")
    old = decimals(-low * unit, (low + 3) * unit, step=step)
    new = decimals(-(low + more) * unit, (low + 3 + more) * unit, step=step)
    for raw in (drawn, str(drawn), Decimal(repr(drawn)), float(np.nextafter(float(low * unit), drawn))):
        was, now = said(old, new, raw)
        assert was == now


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_a_preimage_holds_exactly_the_records_whose_old_value_was_in_the_region(data):
    old, new = refining_domains(data)
    pi = Refinement.of(old, new)
    region = some_region(old, data)
    lifted = pi.region(region)
    assert lifted.boxes == Region.of(new, lifted.boxes).boxes or lifted == Region.of(new, lifted.boxes)
    rng = random.Random(data.draw(st.integers(0, 2**32)))
    for _ in range(50):
        record = {name: rng.choice(RAW) for name in new.axes}
        was = tuple(column.code(record[name]) for name, column in zip(old.axes, old.bounded, strict=True))
        now = new.codes(record)
        assert pi.codes(now) == was
        assert lifted.holds(now) == region.holds(was)
    assert pi.region(Region.everything(old)).whole


def refining_domains(data):
    """An old declaration of a table and one that refines it in several ways at once."""
    high = data.draw(st.integers(3, 6))
    missing = data.draw(st.none() | st.integers(0, 3))
    old = {"age": integers(0, high, missing=missing), "sex": categories("F", "M"), "owner": identifier()}
    new = {
        "smoker": booleans(),
        "sex": categories("F", "D", "M"),
        "owner": identifier(),
        "age": integers(-2, high + 3, missing=data.draw(st.sampled_from([None, missing]))),
        "search": text_keys(),
    }
    return Domain(old), Domain(new)


def some_region(domain, data):
    boxes = []
    for _ in range(data.draw(st.integers(1, 3))):
        axes = []
        for column in domain.bounded:
            low = data.draw(st.integers(0, column.size - 1))
            axes.append(((low, data.draw(st.integers(low + 1, column.size))),))
        boxes.append(tuple(axes))
    return Region.of(domain, boxes)


def test_refinements_follow_one_another():
    first = Domain({"age": integers(0, 9, missing=3), "sex": categories("F")})
    second = Domain({"age": integers(0, 12, missing=3), "sex": categories("F", "M")})
    third = Domain(
        {"day": dates("2025-01-01", "2025-01-09"), "age": integers(-5, 30), "sex": categories("M", "D", "F")}
    )
    once, twice, both = (Refinement.of(*pair) for pair in ((first, second), (second, third), (first, third)))
    rng = random.Random(7)
    for _ in range(300):
        record = tuple(rng.randrange(size) for size in third.shape)
        assert both.codes(record) == once.codes(twice.codes(record))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (integers(0, 9), integers(0, 8)),
        (integers(0, 9), integers(1, 12)),
        (integers(0, 9), integers(0, 9, missing=0)),
        (integers(0, 9, missing=1), integers(0, 9, missing=2)),
        (integers(0, 9), integers(0, 9, constant=True)),
        (integers(0, 9), decimals(0, 9, step=1)),
        (decimals(0, 9, step=1), decimals(0, 9, step="0.5")),
        (decimals(0, 9, step="0.05"), decimals(0, 9, step="0.01")),
        (decimals(0, 9, step=1), decimals(0, 10, step=2)),
        (dates("2025-01-01", "2025-12-31"), dates("2025-01-02", "2026-12-31")),
        (categories("F", "M"), categories("F")),
        (categories("F", "M"), categories("F", "m", "D")),
        (categories("F", "M"), categories("F", "M", other="M")),
        (categories("F", "M"), categories("F", "M", missing="F")),
        (booleans(), booleans(missing=False)),
        (booleans(missing=True), booleans(missing=False)),
        (integers(0, 9), integers(0, 9, null=["x"])),
        (decimals(0, 9, step=1), decimals(0, 9, step=1, decimal=",")),
        (dates("2025-01-01", "2025-12-31"), dates("2025-01-01", "2025-12-31", format="%d.%m.%Y")),
        (categories("F", "M", null=["-"]), categories("F", "M")),
        (booleans(true=["ja"], false=["nein"]), booleans()),
        (text_keys(), text_keys(constant=True)),
        (identifier(), text_keys()),
        (text_keys(), categories("F")),
    ],
    ids=str,
)
def test_what_is_no_refinement_says_why(old, new):
    (found,) = changes(Domain({"x": old, "y": integers(0, 1)}), Domain({"x": new, "y": integers(0, 1)}))
    assert not found.refines
    assert found.why
    assert Refinement.of(Domain({"x": old}), Domain({"x": new})) is None


def test_a_finer_step_has_one_value_for_two_old_ones_also_where_the_ratio_is_odd():
    old, new = decimals(0, 9, step=1), decimals(0, 9, step="0.5")
    assert (old.code(0.4), old.code(0.6)) == (0, 1)
    assert new.code(0.4) == new.code(0.6)
    old, new = decimals(0, 100, step="0.05"), decimals(0, 100, step="0.01")
    seen: dict[int, set[int]] = {}
    for place in range(2000):
        edge = place / 20 + 0.025
        for raw in (edge, float(np.nextafter(edge, 0)), float(np.nextafter(edge, 200))):
            seen.setdefault(new.code(raw), set()).add(old.code(raw))
    assert any(len(found) > 1 for found in seen.values())


def test_a_column_that_is_gone_or_spelled_anew_is_no_refinement():
    found = list(changes(Domain({"age": integers(0, 9)}), Domain({"Age": integers(0, 9)})))
    assert [(one.column, one.refines) for one in found] == [("age", False), ("Age", True)]


@pytest.mark.parametrize(
    ("column", "wrong", "kind"),
    [
        (
            Categories,
            lambda self, old: tuple(Piece(code, code + 1, code % len(old.labels)) for code in range(len(self.labels))),
            "categories",
        ),
        (Stepped, lambda self, old: (Piece(0, self.high - self.low + 1, 0, True),), "integers"),
        (
            Timestamps,
            lambda self, old: clamping(self.low, self.high, old.low, old.high, -(-old.tick // self.tick)),
            "timestamps",
        ),
    ],
    ids=["a new name is not OTHER", "bounds are not clamped", "steps are not nested"],
)
def test_a_wrong_map_is_found(monkeypatch, column, wrong, kind):
    monkeypatch.setattr(column, "_onto", wrong)
    with pytest.raises(AssertionError):
        test_what_a_stored_value_was_follows_from_what_it_is_now(kind)


def test_a_map_covers_every_code_once():
    new, old = integers(-3, 20), integers(0, 9, missing=4)
    told = new.onto(old)
    assert isinstance(told, CodeMap)
    assert [sum(piece.low <= code < piece.high for piece in told.pieces) for code in range(new.size)] == [1] * new.size
