"""Whatever is approximated, nothing is booked below the truth: every granularity and measure with limits that bind.

The accounts run with every limit at 0, 1 and 2, so that boxes around regions, frozen grids, bounds in place of
searches and merged sets are the ordinary case, and with the limits that are in force outside of tests. The truth is
counted here by hand, for every value, pair, set of rows or window of a small random domain.
"""

from __future__ import annotations

import random
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, product

import pytest

from partita.composition.account import RegionAccount, SlotAccount
from partita.composition.account.booking import replaced
from partita.composition.account.certificate import check
from partita.composition.plans.promise import Promise
from partita.errors import BudgetExceeded, NotProven
from partita.granularity import Groups, Metric, Replace, Users, Windows, groups, metric, replace, rows, users, windows
from partita.ledger.audit.recount import recount
from partita.ledger.payer import RegionPayer
from partita.limits import Limits, using
from partita.region import Domain, Region, categories, identifier, integers, text_keys
from partita.region import codes as codes_of
from partita.region.meetings import meetings
from partita.theory.cost import Cost
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.gdp import GDP
from partita.theory.measures.pure import Pure
from partita.theory.measures.renyi import Renyi
from partita.theory.measures.zcdp import ZCDP
from tests.laws.limiting import NAMES, limited

UNITS = {
    "rows": rows(),
    "groups": groups(2),
    "users": users("who", rows=2),
    "capped users": users("who", rows=3, in_region=2),
    "altered users": users("who", rows=2, altered=True),
    "user-days": users("who", rows=2, per="t"),
    "groups of users": groups(2, users("who", rows=1)),
    "windows": windows("t", width=2),
    "changed windows": windows("t", width=2, changed=True),
    "replace": replace(),
    "groups of replace": groups(2, replace()),
    "metric": metric("t", unit=1),
    "groups of metric": groups(2, metric("t", unit=1)),
}
MEASURES = {
    "pure": lambda a, d: Pure(epsilon=a),
    "approximate": lambda a, d: Approximate(epsilon=a, delta=d),
    "zcdp": lambda a, d: ZCDP(rho=a),
    "zcdp with delta": lambda a, d: ZCDP(rho=a, delta=d),
    "gdp": lambda a, d: GDP.from_squared(a),
    "renyi": lambda a, d: Renyi(order=8, tau=8 * a),
}
CASES = 3


def made(seed: random.Random) -> tuple[Domain, list[tuple[int, ...]]]:
    """A small domain, with open text or without, and all its values."""
    columns = {
        "t": integers(0, seed.randint(1, 3), missing=0),
        "c": categories("a", "b", missing="a", other="b", constant=True),
        "e": integers(0, seed.randint(0, 2), missing=0),
    }
    if seed.random() < 0.5:
        columns |= {"word": text_keys(), "who": identifier()}
    domain = Domain(columns)
    return domain, list(product(*(range(size) for size in domain.shape)))


def somewhere(seed: random.Random, domain: Domain) -> Region:
    if seed.random() < 0.4:
        # One value alone: there a change between records of equal values may be the dearest of all.
        return Region(domain, (tuple(codes_of.span(code, code + 1) for code in map(seed.randrange, domain.shape)),))
    boxes = [
        tuple(codes_of.of(seed.sample(range(size), seed.randint(1, size))) for size in domain.shape)
        for _ in range(seed.randint(1, 3))
    ]
    return Region.of(domain, boxes)


def planned(seed: random.Random, domain: Domain, kind: str, count: int) -> list:
    """Releases: a region, the cost of one, of both where it is known, and whether only declared values are read."""
    cost = MEASURES[kind]
    found = []
    for _ in range(count):
        part = Fraction(seed.randint(1, 9), 10)
        one = cost(part, part / 10**6)
        both = seed.choice([one, one.zero(), cost(3 * part, part / 10**6), None])
        if both is None and kind in {"zcdp with delta", "renyi"}:
            both = cost(4 * part, part / 10**5)
        found.append((somewhere(seed, domain), one, both, seed.random() < 0.5))
    return found


def grouped(cost, count: int):
    return cost.zero() if count == 0 else cost.group(count)


def arrivals(plan, differing, budget):
    """The loss of a plan when these records enter or leave."""
    total = budget.zero()
    for where, one, *_ in plan:
        total = total + grouped(one, sum(where.holds(record) for record in differing))
    return total


def changes(plan, steps, budget, *, closed: bool):
    """The loss of a plan along a chain of changed records: coordinate by coordinate, as theory E11 and B19 count it."""
    total = budget.zero()
    for where, one, both, declared in plan:
        kinds = []
        for v, w in steps:
            inside = where.holds(v) + where.holds(w)
            if inside == 2 and v == w and (declared or closed):
                inside = 0
            if inside:
                kinds.append(one if inside == 1 else replaced(one, both))
        total = total + chained(kinds, budget)
    return total


def chained(kinds, budget):
    if len(kinds) < 2:
        return kinds[0] if kinds else budget.zero()
    if isinstance(budget, Pure):
        return Pure(epsilon=sum(kind.epsilon for kind in kinds))
    # Never above what two steps can lose; the square root of the product is rounded down.
    (first, *_), (second, *_) = (kind.vector() for kind in kinds)
    low = Fraction(int((float(first * second) ** 0.5) * 10**6), 10**6) * Fraction(999, 1000)
    return budget.like(
        [first + second + (2 * low if not isinstance(budget, Approximate) else 0), *([0] * (len(budget.vector()) - 1))]
    )


def truths(unit, domain, values, plan, budget):
    """What every protected unit loses, one by one."""
    match unit:
        case Groups(size, Replace() | Metric()):
            pairs = [(v, w) for v, w in product(values[::2], repeat=2)]
            for steps in product(pairs[::3], repeat=size):
                yield changes(plan, steps, budget, closed=domain.closed)
        case Replace() | Metric():
            for v, w in product(values, repeat=2):
                yield changes(plan, [(v, w)], budget, closed=domain.closed)
        case Windows(width=width, changed=changed):
            last = domain.shape[0] - 1
            for first in range(1 - width, last + 1):
                steps = [min(max(step, 0), last) for step in range(first, first + width)]
                each = [[v for v in values if v[0] in (step, 0)] for step in steps]
                for picked in product(*each):
                    yield arrivals(plan, picked, budget)
                    if changed:
                        yield arrivals(plan, (*picked, *(own[0] for own in each)), budget)
        case Users(rows=most, in_region=within, altered=altered, per=per):
            sets = [
                own
                for count in range(1, most + 1)
                for own in combinations_with_replacement(values, count)
                if len({v[1] for v in own}) == 1
                and (per is None or len({v[0] for v in own}) == 1)
                and all(sum(where.holds(v) for v in own) <= (within or most) for where, *_ in plan)
            ]
            if altered:
                sets = [(*before, *after) for before in sets[::5] for after in sets[::3]]
            for own in sets:
                yield arrivals(plan, own, budget)
        case Groups(size, Users()):
            for own in combinations_with_replacement(values, size):
                yield arrivals(plan, own, budget)
        case Groups(size):
            for own in combinations_with_replacement(values, size):
                yield arrivals(plan, own, budget)
        case _:
            for v in values:
                yield arrivals(plan, [v], budget)


def seeded(*names: str) -> random.Random:
    return random.Random(" ".join(names))


@cache
def cases(name: str, kind: str) -> list:
    """Random plans and what every protected unit loses, counted once for all limits; None where there is no theorem."""
    seed, found = seeded(name, kind), []
    for _ in range(CASES):
        domain, values = made(seed)
        plan = planned(seed, domain, kind, seed.randint(1, 4))
        budget = MEASURES[kind](Fraction(10**4), Fraction(1, 2))
        try:
            losses = list(dict.fromkeys(truths(UNITS[name], domain, values, plan, budget)))
        except NotProven:
            losses = None
        found.append((domain, plan, budget, losses))
    return found


@pytest.mark.parametrize("most", NAMES)
@pytest.mark.parametrize("kind", MEASURES)
@pytest.mark.parametrize("name", UNITS)
def test_nothing_is_booked_below_the_truth_whatever_is_approximated(name: str, kind: str, most: str) -> None:
    seed, unit, counted = seeded(name, kind, most), UNITS[name], 0
    for case, (domain, plan, budget, losses) in enumerate(cases(name, kind)):
        account = RegionAccount(domain, Promise(unit, budget), limits=limited(most, seed), record=True)
        try:
            for where, one, both, declared in plan:
                account.charge(where, one, both, declared=declared)
        except NotProven:
            continue  # no theorem for a group, or none with this δ
        if losses is None:
            continue
        counted += 1
        bound = account.worst()[0]
        for loss in losses:
            assert loss.fits(bound), (case, str(loss), str(bound), [(str(where), str(one)) for where, one, *_ in plan])
        low, high = account.bracket()
        most_lost = [max(parts) for parts in zip(*(loss.vector() for loss in losses), strict=True)]
        if not isinstance(unit, Groups | Users | Windows):
            # What is claimed to have been lost was lost, up to the rounding of each charge.
            assert all(mine <= truth + Fraction(1, 10**8) for mine, truth in zip(low.vector(), most_lost, strict=True))
        assert all(mine <= theirs for mine, theirs in zip(low.vector(), high.vector(), strict=True))
        if most == "default":
            assert check(account.certificate().to_json()).holds
    # There is no theorem for groups in Rényi orders, nor in ρ with a δ.
    assert counted or (kind in {"renyi", "zcdp with delta"} and name not in {"rows", "replace", "metric"})


@cache
def lost_by(name: str, kind: str, kept: tuple) -> list:
    """What every protected unit loses by these charges: often the same ones whatever the limits are."""
    domain, values = made(seeded(name, kind, "budget"))
    budget = MEASURES[kind](Fraction(4), Fraction(0))
    return list(dict.fromkeys(truths(UNITS[name], domain, values, kept, budget)))


@pytest.mark.parametrize("most", NAMES)
@pytest.mark.parametrize("name", UNITS)
def test_nobody_gets_past_a_budget_whatever_is_approximated(name: str, most: str) -> None:
    """Admitted means that afterwards nobody has lost more; and what is said to be left can be spent."""
    unit = UNITS[name]
    for kind in ("pure", "zcdp"):
        seed = seeded(name, kind, "budget")
        domain, _ = made(seed)
        budget = MEASURES[kind](Fraction(4), Fraction(0))
        account = RegionAccount(domain, Promise(unit, budget), limits=limited(most, seed))
        payer, kept = RegionPayer(domain, Promise(unit, budget)), []
        for where, one, both, declared in planned(seed, domain, kind, 10):
            fits = account.admits(where, one, both, declared=declared)
            try:
                account.charge(where, one, both, declared=declared)
            except BudgetExceeded:
                assert not fits
                part = account.payable(where, one, both, declared=declared)
                assert part <= where
                assert account.admits(part, one, both, declared=declared)
            else:
                assert fits
                kept.append((where, one, both, declared))
            assert account.admits(where, account.remaining(where))
        lost = lost_by(name, kind, tuple(kept))
        assert all(loss.fits(budget) for loss in lost)
        # The plain count of the book agrees, and so does the book when it is opened again.
        charges = [(where, Cost(one, both, declared=declared), 1) for where, one, both, declared in kept]
        assert not recount(domain, Promise(unit, budget), charges).exceeds
        payer.load(charges)
        with using(limited(most, seed)):
            again = RegionPayer(domain, Promise(unit, budget))
            again.load(charges)
        assert payer.bracket()[1].fits(again.bracket()[1])
        bound = again.bracket()[1]
        assert all(loss.fits(bound) for loss in lost)


@pytest.mark.parametrize("most", NAMES)
@pytest.mark.parametrize("name", UNITS)
def test_what_an_account_claims_it_will_book_is_what_it_books(name: str, most: str) -> None:
    seed, unit = seeded(name, "claims"), UNITS[name]
    domain, values = made(seed)
    promise = Promise(unit, Pure(epsilon=1000))
    for where, one, both, declared in planned(seed, domain, "pure", 4):
        account = RegionAccount(domain, promise, limits=limited(most, seed))
        (claim,) = account.claims(where, one, both, declared=declared)
        region = Region(domain, claim.boxes)
        assert region >= where
        assert claim.widened or region == where
        account.charge(where, one, both, declared=declared)
        if isinstance(unit, Replace | Metric) and most == "default":
            pairs = [(v, w, region.holds(v) + region.holds(w)) for v, w in product(values, repeat=2)]
            told = [
                claim.same if n == 2 and v == w else (claim.one, claim.substitution)[n - 1] for v, w, n in pairs if n
            ]
            assert account.worst()[0] == Pure(epsilon=max(told)[0])


@pytest.mark.parametrize("most", [0, 1, 2])
def test_slots_are_never_used_more_often_than_there_are(most: int) -> None:
    for name in ("rows", "replace"):
        seed = seeded(name, "slots")
        domain, values = made(seed)
        slots, taken = SlotAccount(domain, UNITS[name], {"slot": 3}, limits=Limits.all(most)), []
        for _ in range(12):
            where = somewhere(seed, domain)
            if slots.admits(where, "slot"):
                slots.take(where, "slot")
                taken.append(where)
        worst = max(
            sum(where.holds(v) or (name == "replace" and where.holds(w)) for where in taken)
            for v, w in product(values, repeat=2)
        )
        assert worst <= 3


@pytest.mark.parametrize("most", [0, 1, 2, 4096])
def test_regions_that_meet_are_said_to_meet(most: int) -> None:
    seed = seeded("meetings")
    for _ in range(20):
        domain, values = made(seed)
        regions = [somewhere(seed, domain) for _ in range(4)]
        with using(Limits(meetings=most)):
            sets = meetings(regions)
        for value in values:
            held = {place for place, region in enumerate(regions) if region.holds(value)}
            assert any(held <= one for one in sets) or not held
