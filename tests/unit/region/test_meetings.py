"""The sets of regions that meet are those of a brute-force walk over all record values."""

from __future__ import annotations

from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from partita.region import Domain, Region, integers
from partita.region.meetings import meetings

DOMAIN = Domain({"a": integers(0, 4, missing=0), "b": integers(0, 3, missing=0), "c": integers(0, 1, missing=0)})


@st.composite
def regions(draw: st.DrawFn) -> Region:
    boxes = draw(st.integers(0, 3))
    found = Region.nothing(DOMAIN)
    for _ in range(boxes):
        parts = []
        for name, most in (("a", 4), ("b", 3), ("c", 1)):
            low = draw(st.integers(0, most))
            parts.append(f"{name} BETWEEN {low} AND {draw(st.integers(low, most))}")
        found = found | Region.where(" AND ".join(parts), DOMAIN)
    return found


def walked(listed: list[Region]) -> set[frozenset[int]]:
    sets = {
        frozenset(place for place, region in enumerate(listed) if region.holds(codes))
        for codes in product(*(range(size) for size in DOMAIN.shape))
    } - {frozenset()}
    return {one for one in sets if not any(one < other for other in sets)}


@settings(max_examples=40)
@given(st.lists(regions(), max_size=5))
def test_the_largest_meetings_are_those_of_some_record_value(listed: list[Region]) -> None:
    assert set(meetings(listed)) == walked(listed)


@settings(max_examples=40)
@given(st.lists(regions(), max_size=5))
def test_with_too_many_candidates_no_value_lies_in_more_than_is_said(listed: list[Region]) -> None:
    found = meetings(listed, most=1)
    assert all(any(one <= other for other in found) for one in walked(listed))
