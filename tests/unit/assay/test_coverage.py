"""All that is read has to be charged: a claim that leaves out any box, or any interval of a list, is found short."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.assay.assay import assay
from partita.assay.coverage import uncharged
from partita.assay.meaning import inside
from partita.curator.path.opinion import released
from tests.laws.assaying import MANY_QUESTIONS, RAGGED, claims, quoted

SIZE = 7


def along(codes: set[int]) -> tuple[tuple[int, int], ...]:
    """The codes as intervals in order."""
    starts = sorted(code for code in codes if code - 1 not in codes)
    return tuple((low, next(high for high in range(low, SIZE + 1) if high not in codes)) for low in starts)


LISTS = st.sets(st.integers(0, SIZE - 1), min_size=1).map(along)
BOXES = st.lists(st.tuples(LISTS, LISTS), max_size=5).map(tuple)


@given(BOXES, BOXES)
def test_a_value_is_found_exactly_if_one_is_left_out(read, charged):
    left_out = {one for one in product(range(SIZE), repeat=2) if inside(read, one) and not inside(charged, one)}
    found = uncharged(read, charged, seed="s")
    assert found in left_out if left_out else found is None


@pytest.mark.parametrize("unit", ["rows", "change-one"])
def test_a_claim_without_any_one_of_its_boxes_is_short(unit):
    asked = quoted(MANY_QUESTIONS[0], unit, "ρ", columns=RAGGED)
    (claim,) = claims([asked])
    assert len(claim.boxes) == 12
    assert assay([released(asked)], [claim], effort=32, seed="s") is None
    for place in range(12):
        fewer = replace(claim, boxes=claim.boxes[:place] + claim.boxes[place + 1 :])
        found = assay([released(asked)], [fewer], effort=32, seed="s")
        assert found is not None
        assert "read and not charged" in str(found)


@pytest.mark.parametrize("unit", ["rows", "change-one"])
def test_a_claim_without_any_one_interval_of_a_list_is_short(unit):
    asked = quoted(MANY_QUESTIONS[1], unit, "ρ", columns=RAGGED)
    (claim,) = claims([asked])
    ((listed, *others),) = claim.boxes
    assert len(listed) == 30
    assert assay([released(asked)], [claim], effort=32, seed="s") is None
    for place in range(30):
        fewer = replace(claim, boxes=((listed[:place] + listed[place + 1 :], *others),))
        assert assay([released(asked)], [fewer], effort=32, seed="s") is not None


def test_the_work_is_bounded_and_beyond_the_bound_the_seed_chooses():
    """Many boxes that overlap: only some can be looked at, and not the same ones under every seed."""
    read = tuple((((3 * i, 3 * i + 2),), ((0, 9),)) for i in range(120))
    charged = tuple((((3 * i, 3 * i + 2),), ((low, low + 3),)) for i in range(120) for low in (0, 3, 6))
    assert uncharged(read, charged, seed="s", most=10**7) is None
    short = charged[:180] + charged[181:]
    assert uncharged(read, short, seed="s", most=10**7) == (180, 0)
    found = [uncharged(read, short, seed=str(seed), most=36_000) for seed in range(30)]
    assert {None, (180, 0)} == set(found)
