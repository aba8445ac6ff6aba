"""Caps on groups and on rows in each group: everything that one owner may have is listed, and nothing moves further.

An owner's kept rows are any few rows with a group and a value. What a capped question uses of them is taken from the
plain engine; what comes and goes with the owner, with an altered owner, and with one row that lets another in (theory
I4, I9) is held against what is claimed.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, product
from unittest import mock

import pytest

from partita.engine.reference import Record, chosen
from partita.granularity import users
from partita.query.exact import sensitivity
from partita.query.exact.measurements import Balanced, Counted, Differing, Measurement, Summed
from partita.query.exact.sensitivity import movement
from partita.query.language.conditions import everywhere
from partita.query.language.expressions import Bounds, Value
from partita.query.tables.truncation import Caps, Truncation
from partita.region import Domain, integers
from tests.sizes import tried

GROUPS, VALUES, MOST = 3, 2, 4
DOMAIN = Domain({"g": integers(0, GROUPS - 1, missing=0), "v": integers(0, VALUES - 1, missing=0)})
CAPS = [
    Caps(rows, groups, each)
    for rows, groups, each in product((None, 2, 3), (None, 1, 2), (None, 1, 2, 3))
    if groups or each
]
X = Value("v")
BETWEEN = Bounds(0, VALUES - 1, Fraction(1), False)
VECTORS: dict[Measurement, object] = {
    Counted(): lambda rows: [len(rows)],
    Summed(X, BETWEEN): lambda rows: [sum(row.codes[1] for row in rows)],
    Balanced(X, BETWEEN): lambda rows: [sum(r.codes[1] for r in rows), sum(VALUES - 1 - r.codes[1] for r in rows)],
    Differing("v"): lambda rows: [len({row.codes[1] for row in rows})],
}


def cut(caps: Caps) -> Truncation:
    return Truncation("u", MOST, "0123456789abcdef01234567", kept=True).capped(caps)


@cache
def owners() -> list[tuple[Record, ...]]:
    """Every choice of kept rows of one owner."""
    kinds = [Record(codes, "u") for codes in product(range(GROUPS), range(VALUES))]
    return [rows for count in range(MOST + 1) for rows in combinations_with_replacement(kinds, count)]


def used(rows: tuple[Record, ...], cap: Truncation) -> list[Record]:
    group = lambda row: (str(row.codes[0]),)  # noqa: E731
    return chosen(DOMAIN, everywhere(DOMAIN), cap, rows, group)


def lines(rows: list[Record], measurement: Measurement) -> list[int]:
    of = VECTORS[measurement]
    return [n for at in range(GROUPS) for n in of([row for row in rows if row.codes[0] == at])]  # type: ignore[operator]


def far(first: list[int], second: list[int]) -> tuple[int, int, int]:
    moved = [abs(one - two) for one, two in zip(first, second, strict=True)]
    return sum(moved), sum(one**2 for one in moved), max(moved)


def claimed(measurement: Measurement, caps: Caps, *, altered: bool = False, rows: int = MOST) -> tuple[int, int, int]:
    unit = users("u", rows=rows, altered=altered)
    found = movement(measurement, unit, groups=GROUPS, partial=False, truncation=cut(caps)).unit
    return found.l1, found.l2_squared, found.linf


def beyond(caps: Caps) -> list[object]:
    """What moves further than is claimed: with the owner, with another in her place, or with a row for a row."""
    kept = {rows: used(rows, cut(caps)) for rows in owners()}
    wrong: list[object] = []
    for measurement in VECTORS:
        seen = {rows: tuple(lines(mine, measurement)) for rows, mine in kept.items()}
        nothing = [0] * len(next(iter(seen.values())))
        alone, both = claimed(measurement, caps), claimed(measurement, caps, altered=True)
        wrong += [one for one in set(seen.values()) if _further(far(list(one), nothing), alone)]
        pairs = product(set(seen.values()), repeat=2)
        wrong += [pair for pair in pairs if _further(far(*map(list, pair)), both)]
        if caps.moved is not None:
            event = claimed(measurement, caps, altered=True, rows=min(caps.moved, MOST))
            near = {(seen[before], seen[after]) for before, after in swaps()}
            wrong += [pair for pair in near if _further(far(*map(list, pair)), event)]
    return wrong


def _further(moved: tuple[int, int, int], claim: tuple[int, int, int]) -> bool:
    return any(mine > theirs for mine, theirs in zip(moved, claim, strict=True))


@cache
def swaps() -> list[tuple[tuple[Record, ...], tuple[Record, ...]]]:
    """Kept rows of one owner before and after: at most one comes and at most one goes."""
    found: dict[tuple[Record, ...], list[tuple[Record, ...]]] = {}
    for rows in owners():
        for place in range(len(rows)):
            less = rows[:place] + rows[place + 1 :]
            found.setdefault(less, [less]).append(rows)
    return [pair for near in found.values() for pair in product(near, repeat=2)]


@pytest.mark.soak
@pytest.mark.parametrize("caps", CAPS[:: tried(2, soaking=1)], ids=str)
def test_nothing_moves_further_than_is_claimed(caps):
    assert not beyond(caps)


@pytest.mark.parametrize("caps", [caps for caps in CAPS if caps.each], ids=str)
def test_no_owner_has_more_rows_in_a_group_than_the_cap(caps):
    for rows in owners():
        mine = used(rows, cut(caps))
        each = Counter(row.codes[0] for row in mine)
        assert max(each.values(), default=0) <= (caps.each or MOST)
        assert len(each) <= (caps.groups or GROUPS)
        assert len(mine) <= cut(caps).most


def test_the_claim_is_attained():
    moved = [far(lines(used(rows, cut(Caps(each=2))), Counted()), [0] * GROUPS) for rows in owners()]
    assert max(moved) == claimed(Counted(), Caps(each=2)) == (4, 8, 2)


def test_so_many_rows_change_with_one_row_that_comes():
    """A new group lets in one row, and all rows of another one go (vector I.event_group_caps)."""
    caps, most = Caps(groups=1, each=3), 0
    for rows in owners():
        for more in (rows[:place] + rows[place + 1 :] for place in range(len(rows))):
            first, second = (Counter(used(one, cut(caps))) for one in (rows, more))
            most = max(most, (first - second).total() + (second - first).total())
    assert most == caps.moved == 4


@pytest.mark.parametrize(
    ("where", "wrong"),
    [("_each", lambda cap: None if cap is None or cap.each is None else 1), ("_kept", lambda users, cap: 1)],
)
def test_a_cap_that_is_claimed_lower_is_found(where, wrong):
    with mock.patch.object(sensitivity, where, wrong):
        assert beyond(Caps(groups=2, each=2))


def test_a_row_that_swaps_groups_and_is_counted_once_is_found():
    with mock.patch.object(Caps, "moved", 1):
        assert beyond(Caps(groups=1, each=2))
