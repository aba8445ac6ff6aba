"""The algebra of regions against plain sets of record values."""

from __future__ import annotations

from itertools import pairwise, product

from hypothesis import given
from hypothesis import strategies as st

from partita.region import Domain, Region, booleans, categories, integers
from partita.region import codes as codes_of

DOMAIN = Domain({"x": integers(0, 5), "c": categories("a", "b"), "t": booleans(missing=False)})
POINTS = set(product(*(range(size) for size in DOMAIN.shape)))


boxes = st.tuples(*(st.sets(st.integers(0, size - 1), min_size=1).map(codes_of.of) for size in DOMAIN.shape))
regions = st.lists(boxes, max_size=4).map(lambda found: Region.of(DOMAIN, found))


def points(region: Region) -> set[tuple[int, ...]]:
    return {point for point in POINTS if region.holds(point)}


@given(st.lists(boxes, max_size=4))
def test_a_union_of_boxes_holds_the_points_of_its_boxes_and_counts_none_twice(found):
    expected = {
        point
        for point in POINTS
        if any(all(codes_of.holds(a, p) for a, p in zip(box, point, strict=True)) for box in found)
    }
    region = Region.of(DOMAIN, found)
    assert points(region) == expected
    assert region.size == len(expected)
    listed = [point for box in region.boxes for point in product(*(codes_of.members(axis) for axis in box))]
    assert len(listed) == len(set(listed)) == len(expected)


@given(regions, regions)
def test_regions_behave_like_sets(first, second):
    a, b = points(first), points(second)
    assert points(first & second) == a & b
    assert points(first | second) == a | b
    assert points(first - second) == a - b
    assert points(~first) == POINTS - a
    assert first.covers(second) == (a >= b)
    assert first.meets(second) == bool(a & b)
    assert (first == second) == (a == b)
    assert first.empty == (not a)
    assert first.whole == (a == POINTS)
    assert points(first.hull()) >= a


@given(regions, regions)
def test_equal_regions_have_equal_hashes(first, second):
    again = (first - second) | (first & second)
    assert again == first
    assert hash(again) == hash(first)


@given(regions, st.sets(st.integers(0, 2)))
def test_the_shadow_on_some_axes_holds_what_agrees_there(region, kept):
    shadow = points(region.freed(kept))
    agree = {tuple(point[axis] for axis in sorted(kept)) for point in points(region)}
    assert shadow == {point for point in POINTS if tuple(point[axis] for axis in sorted(kept)) in agree}


@given(regions)
def test_the_codes_along_a_column_are_those_that_occur(region):
    for axis, name in enumerate(DOMAIN.axes):
        assert set(codes_of.members(region.along(name))) == {point[axis] for point in points(region)}


sets_of_codes = st.sets(st.integers(0, 20))


@given(sets_of_codes, sets_of_codes)
def test_sets_of_codes_behave_like_sets(first, second):
    a, b = codes_of.of(first), codes_of.of(second)
    assert set(codes_of.members(codes_of.union(a, b))) == first | second
    assert set(codes_of.members(codes_of.intersection(a, b))) == first & second
    assert set(codes_of.members(codes_of.difference(a, b))) == first - second
    assert codes_of.size(a) == len(first)
    assert codes_of.covers(a, b) == (first >= second)
    for result in (a, codes_of.union(a, b), codes_of.intersection(a, b), codes_of.difference(a, b)):
        assert all(low < high for low, high in result)
        assert all(one[1] < two[0] for one, two in pairwise(result))
    assert all(codes_of.holds(a, code) == (code in first) for code in range(22))
