"""The whole path of random questions: what neighbours really lose through all of them is no more than is booked.

Questions go through the same reading, pricing and charging as a curator's; their exact numbers are computed on two
neighbouring tables, the losses of the noise at the distances that were found are added up, and the region account
is asked for the largest loss of anybody. So nothing between the SQL and the account may claim too little: neither a
distance, nor how many groups a row may move between, nor the region, nor the rows of an owner, nor a cap.
"""

from __future__ import annotations

import datetime as dt
import random
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import partita as pt
from partita.composition.account import RegionAccount
from partita.composition.calibration.pricing import Price
from partita.curator.path.path import charge_of
from partita.engine.reference import tallied
from partita.errors import PartitaError, QueryRefused
from partita.granularity import Granularity, Groups, Metric, Replace, Rows, Users, Windows
from partita.limits import Limits, current, using
from partita.query.exact.measurements import entries
from partita.query.exact.program import Values
from partita.query.noise.quote import Quote, quote
from partita.query.sql.parse import read
from partita.query.tables.public import PublicTable
from partita.query.tables.schema import Table
from partita.query.tables.truncation import Caps, truncation
from partita.theory.distance import Distance, Norm
from partita.theory.measures.base import Measure
from tests.laws import test_gathering as per_user
from tests.laws.limiting import NAMES, limited, readable
from tests.unit.query import strategies

Stored = list[dict[str, Any]]
FIXED = {**strategies.COLUMNS, "e": pt.categories("p", "q", other="q", missing="p", constant=True)}
PUBLIC = {
    "facts": PublicTable(
        "facts", [{"d": "x", "w": 3, "s": "A"}, {"d": "y", "w": -2, "s": "B"}, {"d": "OTHER", "w": None}], key="d"
    ),
    "days": PublicTable("days", [{"b": 0, "free": True, "k": 7}, {"b": 2, "free": False, "k": 1}], key="b"),
}
BY_WHO = "(SELECT who, MAX(b) AS y, MIN(b) AS x FROM things GROUP BY who)"
WEEK = "DATE_TRUNC('week', f)"
MORE = (
    "SELECT s, COUNT(*) AS n, SUM(w) AS v FROM things JOIN facts ON things.d = facts.d GROUP BY s",
    "SELECT AVG(a * w) AS v FROM things LEFT JOIN facts ON things.d = facts.d WHERE w > -3",
    "SELECT free, SUM(k + c) AS v FROM things LEFT JOIN days ON things.b = days.b WHERE a > 1 GROUP BY free",
    "SELECT d, g, COUNT(*) AS v, SUM(a) AS w FROM things GROUP BY ROLLUP(d, g)",
    "SELECT COUNT(DISTINCT who) AS v FROM things",
    "SELECT COUNT(DISTINCT t) AS v FROM things WHERE a > 0",
    "SELECT d, COUNT(DISTINCT b) FILTER (WHERE a > 1) AS v FROM things GROUP BY d",
    "SELECT d, COUNT(DISTINCT who) AS v, SUM(b) AS w FROM things WHERE a > 0 GROUP BY d",
    "SELECT BUCKET(a, 2) AS k, MEDIAN(b) AS v FROM things GROUP BY BUCKET(a, 2)",
    "SELECT MAX(a) AS v, MIN(c) AS w, COUNT(*) AS n FROM things WHERE b > 0",
    "SELECT QUANTILE(b, 0.25) AS u, MEDIAN(b) AS v, QUANTILE(b, 0.9) AS w FROM things WHERE d = 'x' OR a > 3",
    f"SELECT MEDIAN(y) AS v, COUNT(*) AS n FROM {BY_WHO}",
    f"SELECT x, QUANTILE(y, 0.3) AS v FROM {BY_WHO} GROUP BY x",
    "SELECT SUM(v) AS s FROM (SELECT a AS v FROM things WHERE b < 2 UNION ALL SELECT b * 3 FROM things WHERE b >= 2)",
    "SELECT d, AVG(a) AS v FROM things GROUP BY d HAVING COUNT(*) > 2 ORDER BY v DESC LIMIT 1",
    "SELECT SUM(a) AS v FROM things WHERE f >= DATE '2024-02-10'",
    "SELECT COUNT(*) AS v FROM things WHERE f = DATE '2024-02-10'",
    f"SELECT {WEEK} AS k, COUNT(*) AS v FROM things GROUP BY {WEEK}",
    "SELECT e, COUNT(*) AS v FROM things GROUP BY e",
    "SELECT COUNT(*) AS v FROM things WHERE e = 'q' AND a > 2",
)
QUESTIONS = st.one_of(strategies.tight_or_any(), per_user.questions(), st.sampled_from(MORE))
MEASURES: dict[str, tuple[Measure, dict[str, Any]]] = {
    "ε": (pt.Pure(epsilon=10**9), {"epsilon": "0.5"}),
    "ρ": (pt.ZCDP(rho=10**9), {"rho": "0.1"}),
    "μ": (pt.GDP(mu=10**6), {"mu": "0.3"}),
}
UNITS: dict[str, tuple[Granularity, ...]] = {
    "rows": (pt.rows(),),
    "change-one": (pt.replace(),),
    "pairs": (pt.groups(2),),
    "owners": (pt.users("who", rows=2),),
    "owners once in a region": (pt.users("who", rows=3, in_region=1),),
    "altered owners": (pt.users("who", rows=2, altered=True),),
    "altered owners, few in a region": (pt.users("who", rows=3, in_region=2, altered=True),),
    "days of owners": (pt.users("who", rows=2, per="f"),),
    "altered days of owners": (pt.users("who", rows=2, per="f", altered=True),),
    "two owners": (pt.groups(2, pt.users("who", rows=2)),),
    "rows beside owners": (pt.rows(), pt.users("who", rows=2)),
    "change-one beside owners": (pt.replace(), pt.users("who", rows=1)),
    "pairs beside days of owners": (pt.groups(2), pt.users("who", rows=1, per="f")),
    "owners of two promises": (pt.users("who", rows=2), pt.users("who", rows=3, in_region=1)),
    "windows": (pt.windows("f", width=3),),
    "changed windows": (pt.windows("f", width=2, changed=True),),
    "a metric": (pt.metric("a", unit=1),),
}
REFUSED = {"query.too-wide", "query.too-many-groups", "query.noise-not-in-measure", "shape.too-wide-gathering"}
OWN = st.lists(strategies.rows(), max_size=4)


def owned(rows: Stored, who: int, **fixed: Any) -> Stored:
    return [{**row, "who": who, **fixed} for row in rows]


def neighbours(unit: Granularity, table: Stored, own: tuple[Stored, Stored, Stored]) -> tuple[Stored, Stored]:
    """Two tables that the promise makes hard to tell apart."""
    first, second, third = own
    others = [{**row, "who": {1: 4, 2: 5}.get(row["who"], row["who"])} for row in table]
    match unit:
        case Rows():
            return table, [*table, *first[:1]]
        case Replace():
            assume(first and second)
            return [*table, first[0]], [*table, second[0]]
        case Metric():
            assume(first)
            return [*table, {**first[0], "a": 1}], [*table, {**first[0], "a": 2}]
        case Groups(size, Rows()):
            return table, [*table, *first[:size]]
        case Groups(_, Users()):
            return others, [*others, *owned(first, 1), *owned(second, 2)]
        case Users(per=per, altered=altered):
            day = {} if per is None else {"f": "2024-02-10"}
            rest = others if per is None else [*others, *owned(third, 1, f="2024-02-01")]
            old, new = owned(first, 1, **day), owned(second, 1, **day)
            return ([*rest, *old], [*rest, *new]) if altered else (rest, [*rest, *old])
        case Windows(width=width, changed=changed):
            days = [(dt.date(2024, 2, 8) + dt.timedelta(days=place)).isoformat() for place in range(width)]
            out, into = ([{**row, "f": day} for row, day in zip(rows, days, strict=False)] for rows in (first, second))
            met = min(len(out), len(into))
            return ([*table, *out[:met]], [*table, *into[:met]]) if changed else (table, [*table, *out])
    raise AssertionError(unit)


def lost(asked: Quote, before: Stored, after: Stored, kind: type[Measure]) -> list[Measure]:
    """What one release really loses between two tables: of every part of it, at the distance that was found."""
    tallies = [tallied(asked.program, table) for table in (before, after)]
    apart = asked.exact(tallies[0]) - asked.exact(tallies[1])
    found, start = [], 0
    for part in asked.offer.parts:
        end = start + len(entries(part.measurement))
        moved = [abs(int(number)) for number in apart[:, start:end].flat]
        start = end
        if any(moved):
            plain = part.mechanism.norm is Norm.L1
            far = Distance.l1(sum(moved)) if plain else Distance.l2_squared(sum(number**2 for number in moved))
            found.append(part.mechanism.cost(far, kind))
    for choice in asked.offer.choices:
        place = asked.program.tallies.index(Values(choice.of))
        values = range(choice.within.low, choice.within.high + 1)
        for old, new in zip(tallies[0][:, place], tallies[1][:, place], strict=True):
            tuples = product(values, repeat=len(choice.shares)) if old != new else ()
            far = [choice.away(old, each) - choice.away(new, each) for each in tuples]
            # The same added to all scores changes no choice, so half of their range is how far they move.
            most = (max(far) - min(far)) / 2 if far else Fraction(0)
            if most:
                found.append(choice.mechanism.cost(Distance.linf(most), kind))
    return found


def quoted(texts: list[str], table: Table, units: tuple[Granularity, ...], measure: str, caps: Caps) -> list[Quote]:
    budget, price = MEASURES[measure]
    promises = [pt.Promise(unit, budget) for unit in units]
    cut = truncation(table, units, "key")
    most = {} if cut is None else {"things": cut.altogether(table.domain)}
    found = []
    for text in texts:
        try:
            plan = read(text, [table], PUBLIC, most)
            plan = plan.capped(caps if plan.per_user is None else Caps(caps.rows))
            found.append(quote(plan, promises, Price.of(**price), truncation=cut))
        except PartitaError as refusal:
            # Beyond the limits functions are not evaluated, and ragged conditions make no keys that anybody knows.
            if refusal.code not in REFUSED and (current() == Limits() or not isinstance(refusal, QueryRefused)):
                raise
    return found


@pytest.mark.slow
@pytest.mark.parametrize("units", UNITS)
@settings(max_examples=12)
@given(
    texts=st.lists(QUESTIONS, min_size=1, max_size=3),
    measure=st.sampled_from(sorted(MEASURES)),
    table=st.lists(strategies.rows(), max_size=5),
    own=st.tuples(OWN, OWN, OWN),
    caps=st.builds(Caps, *[st.none() | st.integers(1, 2)] * 3),
    fixed=st.booleans(),
    most=st.sampled_from(NAMES),
    mixing=st.integers(0, 2**32),
)
def test_nobody_loses_more_than_is_booked(units, texts, measure, table, own, caps, fixed, most, mixing):
    """Also where every limit beyond which something is approximated is next to nothing."""
    rng = random.Random(mixing)
    with using(readable(limited(most, rng), rng)):
        booked_for(units, texts, measure, table, own, caps, fixed=fixed)


def booked_for(units, texts, measure, table, own, caps, *, fixed):
    granularities = UNITS[units]
    of_owners = all(isinstance(unit.single, Users) for unit in granularities)
    declared = Table("things", [], FIXED if fixed and of_owners else strategies.COLUMNS)
    asked = quoted(texts, declared, granularities, measure, caps if of_owners else Caps())
    assume(asked)
    for place, unit in enumerate(granularities):
        account = RegionAccount(declared.domain, pt.Promise(unit, MEASURES[measure][0]))
        before, after = neighbours(unit, table, own)
        losses = []
        for one in asked:
            charge = charge_of(one, asked="")
            cost = charge.costs[place]
            account.charge(charge.region, cost.row, cost.substitution, unit=cost.owner, altered=cost.altered)
            losses += lost(one, before, after, type(MEASURES[measure][0]))
        if losses:
            total = sum(losses[1:], start=losses[0])
            assert total.fits(account.bracket()[1]), (unit, texts)


def test_the_law_notices_a_booking_that_is_too_small(monkeypatch):
    """Break it on purpose: owners who are charged as if they had one row."""
    from partita.composition.account import booking

    unit = pt.users("who", rows=2)
    (asked,) = quoted(["SELECT COUNT(*) AS n FROM things"], strategies.table(), (unit,), "ε", Caps())
    (found,) = lost(asked, [], [{"who": 1, "a": 1}, {"who": 1, "a": 2}], pt.Pure)
    cost = charge_of(asked, asked="").costs[0]
    for rows, fits in ((2, True), (1, False)):
        booked = booking.booked(pt.users("who", rows=rows), booking.Release.of(asked.region, cost.row))
        assert (found.vector() <= booked.one) is fits
