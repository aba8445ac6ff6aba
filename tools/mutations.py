"""Deliberate mistakes in the code that decides what is booked: each must be found by the assay.

A mistake is a file under src/partita, a text that stands in it, what its first occurrence is changed to, and what is
wrong then. ``by`` are words in the names of the cases that find it (tests/laws/assaying.py), looked at first.
"""

# ruff: noqa: E501

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Mutation:
    """One mistake."""

    file: str
    old: str
    new: str
    what: str
    by: tuple[str, ...]


MUTATIONS = (
    # --- how far a row moves a block ------------------------------------------------------------------------------
    Mutation(
        "query/blocks.py",
        "            most = max(abs(low), abs(high))\n            return Lengths(most, most**2, most)",
        "            most = high - low\n            return Lengths(most, most**2, most)",
        "a sum moves by its width when a row comes",
        ("rows/ρ/SELECT SUM(b) AS s FROM things WHERE b > 0",),
    ),
    Mutation(
        "query/blocks.py",
        "            most = max(abs(low), abs(high))\n",
        "            most = abs(high)\n",
        "a sum of negative values moves by its upper end",
        ("rows/ρ/SELECT SUM(a - 9)",),
    ),
    Mutation(
        "query/blocks.py",
        "            width = within.high - within.low\n            return Lengths(width, width**2, width)",
        "            width = within.high - within.low\n            return Lengths(width, width**2 // 2, width)",
        "a balanced pair is half as long",
        ("rows/ρ/SELECT AVG(b)",),
    ),
    Mutation(
        "query/blocks.py",
        "            return Lengths(-(-5 * square // 4), square**2, square)",
        "            return Lengths(square, square**2, square)",
        "three parabolas have the length of one in L1",
        ("rows/ε/SELECT VAR_POP(a)",),
    ),
    Mutation(
        "query/blocks.py",
        "            return Lengths(-(-5 * square // 4), square**2, square)",
        "            return Lengths(-(-5 * square // 4), square, square)",
        "three parabolas are not squared in L2",
        ("rows/ρ/SELECT VAR_POP",),
    ),
    Mutation(
        "query/blocks.py",
        "            return Lengths(size, size**2, size)",
        "            return Lengths(size // 2, size**2 // 4, size)",
        "four corners are half as long",
        ("rows/ρ/SELECT COVAR_POP",),
    ),
    Mutation(
        "query/blocks.py",
        "            same = Lengths(1, 1, 1) if partial else Lengths(0, 0, 0)",
        "            same = Lengths(0, 0, 0)",
        "a row that fails a test of its region is counted all the same",
        ("change-one/ρ", "a > b"),
    ),
    Mutation(
        "query/blocks.py",
        "            same = Lengths(2, 2, 1)\n",
        "            same = Lengths(1, 1, 1)\n",
        "a row that gets a value loses no NULL",
        ("change-one/ρ/SELECT COUNT(a)",),
    ),
    Mutation(
        "query/blocks.py",
        "            if partial or within.nullable:\n",
        "            if partial:\n",
        "a change from NULL to a value adds nothing",
        ("change-one/ρ/SELECT SUM(a - 9)",),
    ),
    Mutation(
        "query/blocks.py",
        "            if partial or within.nullable:\n",
        "            if within.nullable:\n",
        "a row that is not counted still has a value",
        ("change-one/ρ/SELECT SUM(b + 5) AS s FROM things WHERE a > b",),
    ),
    Mutation(
        "query/blocks.py",
        "            same = Lengths(2 * width, 2 * width**2, width)",
        "            same = Lengths(width, width**2, width)",
        "a balanced pair moves once when a row changes",
        ("change-one/ρ/SELECT AVG(b)",),
    ),
    Mutation(
        "query/blocks.py",
        "            same = Lengths(-(-9 * square // 4), -(-17 * square**2 // 8), -(-9 * square // 8))",
        "            same = Lengths(square, square**2, square)",
        "three parabolas move once when a row changes",
        ("change-one/ρ/SELECT VAR_POP",),
    ),
    Mutation(
        "query/blocks.py",
        "            same = Lengths(2 * size, 2 * size**2, size)",
        "            same = Lengths(size, size**2, size)",
        "four corners move once when a row changes",
        ("change-one/ρ/SELECT COVAR_POP",),
    ),
    Mutation(
        "query/blocks.py",
        "    if groups < 2:\n        return same\n",
        "    if groups < 9:\n        return same\n",
        "a row stays in its group when it changes",
        ("change-one/ρ/SELECT d, COUNT",),
    ),
    Mutation(
        "query/blocks.py",
        "        met = min(rows, groups)\n        return Lengths(met, met, 1)",
        "        return Lengths(1, 1, 1)",
        "an owner is counted in one group only",
        ("owners/ρ/SELECT t, COUNT(DISTINCT",),
    ),
    Mutation(
        "query/blocks.py",
        "    return one_row(block).times(rows)\n",
        "    return one_row(block)\n",
        "an owner has one row",
        ("owners/ρ/SELECT SUM(a)",),
    ),
    Mutation(
        "query/blocks.py",
        "        return Lengths(k * self.l1, k * k * self.l2_squared, k * self.linf)",
        "        return Lengths(k * self.l1, k * self.l2_squared, k * self.linf)",
        "the square of a length grows with the number",
        ("owners/ρ/SELECT SUM(a)",),
    ),
    Mutation(
        "query/blocks.py",
        "                _combined({Total(of): -1}, having, within.high),",
        "                _combined({Total(of): -1}, having, 2 * within.high),",
        "the second of a balanced pair is taken from another end",
        ("rows/ε/SELECT AVG(b)",),
    ),
    Mutation(
        "query/blocks.py",
        "    return {Rows(): size, Present(of): -size}",
        "    return {Rows(): 2 * size, Present(of): -2 * size}",
        "rows without a value count twice",
        ("rows/ρ/SELECT d, AVG(a)",),
    ),
    # --- bounds of expressions ------------------------------------------------------------------------------------
    Mutation(
        "query/expressions.py",
        "        corners = [end * other for end in (low, high) for other in (least, max(ends))]",
        "        corners = [low * least, high * max(ends)]",
        "a product of unlike signs is bounded by two corners",
        ("change-one/ρ/SELECT SUM(a * b)",),
    ),
    Mutation(
        "query/quote.py",
        "        low, high = column.low + present[0][0], column.low + present[-1][1] - 1",
        "        low, high = column.low + present[0][0], column.low + present[-1][1] - 2",
        "the narrowed range of a column stops one short",
        ("rows/ρ/SELECT SUM(a) AS s FROM things WHERE a > 0",),
    ),
    Mutation(
        "query/quote.py",
        "        gap = column.null is not None and holds(along, column.null)",
        "        gap = False",
        "a region is believed to hold no NULL",
        ("rows/ρ/SELECT AVG(a) AS v FROM things WHERE a > 0 OR",),
    ),
    Mutation(
        "query/quote.py",
        "        bool(plan.where.tests),\n",
        "        False,\n",
        "tests beyond the region are forgotten",
        ("change-one/ρ", "a > b"),
    ),
    Mutation(
        "query/quote.py",
        "        min(count, 2 * owned),\n",
        "        1,\n",
        "all rows are in one group",
        ("change-one/ρ/SELECT d, COUNT",),
    ),
    # --- stability ------------------------------------------------------------------------------------------------
    Mutation(
        "query/stability.py",
        "    swap = row | both\n",
        "    swap = row\n",
        "behind a truncation a row that goes makes no room",
        ("rows beside owners/ρ",),
    ),
    Mutation(
        "query/stability.py",
        "    twice = row if counted else swap.times(2)\n",
        "    twice = swap\n",
        "a row that changes its owner moves one list of rows",
        ("change-one beside owners/ρ",),
    ),
    Mutation(
        "query/stability.py",
        "    counted = whole and not partial and groups < 2 and block in (Counted(), Owned())",
        "    counted = not partial and groups < 2 and block in (Counted(), Owned())",
        "a count of a part is taken for a count of all",
        ("change-one beside owners/ρ",),
    ),
    Mutation(
        "query/stability.py",
        "    row, apart, swap = change, change.times(2), change\n",
        "    row, apart, swap = alone, change.times(2), change\n",
        "a stored row moves a derived one by no more than one that comes",
        ("rows/ρ", "GROUP BY who"),
    ),
    Mutation(
        "query/stability.py",
        "    kept = _kept(users, truncation) if keyed else 1\n",
        "    kept = 1\n",
        "an owner has one derived row, whatever it is gathered by",
        ("owners/ρ", "GROUP BY who, d"),
    ),
    Mutation(
        "query/stability.py",
        "    return users.rows if truncation is None else min(users.rows, truncation.most)",
        "    return 1",
        "an owner keeps one row",
        ("owners/ρ/SELECT SUM(a)",),
    ),
    Mutation(
        "query/steadiness.py",
        "        return Drift(factor * self.down, factor * self.up, factor * self.low, factor * self.high)",
        "        return self",
        "three times a value moves as the value does",
        ("rows/ρ/SELECT SUM(3 * k)",),
    ),
    Mutation(
        "query/steadiness.py",
        "            return Drift(max(down, -width), min(up, width), *_kept(within, added.lowest, added.highest))",
        "            return Drift(down / 2, up / 2, *_kept(within, added.lowest / 2, added.highest / 2))",
        "a stored row moves the sum of its owner's rows by half of what it adds",
        ("rows/ρ/SELECT SUM(s)",),
    ),
    # --- what moves behind a truncation ---------------------------------------------------------------------------
    Mutation(
        "query/burden.py",
        "        load = swapped if whole else most(cost(Moving.ROW).times(2), swapped)",
        "        load = swapped",
        "the row that is let in is not paid for where it is",
        ("rows beside owners/ρ/SELECT COUNT(*) AS n FROM things WHERE a > 1",),
    ),
    Mutation(
        "query/burden.py",
        "    both = most(cost(Moving.SWAP).times(2), twice)\n",
        "    both = most(cost(Moving.SWAP), cost(Moving.ROW))\n",
        "two lists of rows move at the price of one",
        ("change-one beside owners/ρ",),
    ),
    # --- quantiles ------------------------------------------------------------------------------------------------
    Mutation(
        "query/quantile_costs.py",
        "    one = Fraction(1, 2) if values == 2 and len(shares) == 1 else Fraction(1)",
        "    one = Fraction(1, 2)",
        "a row moves scores by half a row",
        ("rows/ρ/SELECT MEDIAN(b)",),
    ),
    Mutation(
        "query/quantile_costs.py",
        "    changed = one * Fraction(shares[0].denominator, step(shares[0])) if len(shares) == 1 else Fraction(2)",
        "    changed = one",
        "a changed row moves scores as one that comes",
        ("change-one/ρ/SELECT MEDIAN(b)",),
    ),
    Mutation(
        "query/quantile_costs.py",
        "    return cost(mechanism, moved.owner, budget).group(moved.times)\n",
        "    return cost(mechanism, moved.owner, budget)\n",
        "an owner has one row in a quantile",
        ("owners/ρ/SELECT MEDIAN(b)",),
    ),
    Mutation(
        "query/quantile_costs.py",
        "    return Moves(change, _twice(change), owner, times, _twice(change) if parted and keyed else change)",
        "    return Moves(change, alone, owner, times, _twice(change) if parted and keyed else change)",
        "a stored row that changes moves one derived row of a quantile",
        ("change-one/ρ/SELECT MEDIAN(m)",),
    ),
    # --- open keys ------------------------------------------------------------------------------------------------
    Mutation(
        "query/tolls.py",
        "    one, all_of_them = selection.cost(chosen, 1, measure), selection.cost(chosen, people.unit, measure)",
        "    one, all_of_them = selection.cost(chosen, 0, measure), selection.cost(chosen, people.unit, measure)",
        "naming keys is free for a row",
        ("rows/ρ/SELECT t,",),
    ),
    Mutation(
        "query/tolls.py",
        "    both = selection.cost(chosen, people.both, measure) if isinstance(unit.single, Replace | Metric) else one",
        "    both = one",
        "a row that changes its key is one person",
        ("change-one/ρ/SELECT t,",),
    ),
    Mutation(
        "query/tolls.py",
        "        counts = {Moving.ROW: 1, Moving.SWAP: 2, Moving.ROW_TWICE: 2, Moving.SWAP_TWICE: 4}",
        "        counts = {Moving.ROW: 0, Moving.SWAP: 0, Moving.ROW_TWICE: 0, Moving.SWAP_TWICE: 0}",
        "beside owners, naming keys is free",
        ("beside owners/ρ/SELECT t,",),
    ),
    Mutation(
        "query/quote.py",
        "    count = 2 * owned if plan.opened else grouped.count\n",
        "    count = grouped.count\n",
        "a row cannot move between open keys",
        ("change-one/ρ/SELECT t,",),
    ),
    Mutation(
        "query/quote.py",
        "        min(owned, 1 if truncation is None else truncation.most) if plan.opened else 0,",
        "        1 if plan.opened else 0,",
        "an owner has one open key",
        ("owners/ρ/SELECT t,",),
    ),
    # --- costs handed to the ledger -------------------------------------------------------------------------------
    Mutation(
        "curator/path.py",
        "            unit = toll.owner if once else None\n",
        "            unit = toll.row if once else None\n",
        "an owner is charged as one row",
        ("owners/ρ/SELECT SUM(a)",),
    ),
    Mutation(
        "curator/path.py",
        "            altered = toll.unit if users.altered and (once or quote.proportional(place)) else None",
        "            altered = toll.owner if users.altered else None",
        "an altered owner is charged as one who enters",
        ("altered owners/ρ",),
    ),
    Mutation(
        "curator/path.py",
        "        found.append(Cost(toll.row, toll.both, unit, quote.declared, altered))",
        "        found.append(Cost(toll.row, toll.row, unit, quote.declared, altered))",
        "a change costs what a row that comes does",
        ("change-one/ρ/SELECT d, COUNT",),
    ),
    Mutation(
        "curator/path.py",
        "        found.append(Cost(toll.row, toll.both, unit, quote.declared, altered))",
        "        found.append(Cost(toll.row, toll.both, unit, True, altered))",
        "every question is said to read declared values only",
        ("change-one/ρ/SELECT t,",),
    ),
    Mutation(
        "curator/path.py",
        "        region=quote.region,\n        costs=costs_of(quote),",
        "        region=quote.region.hull(),\n        costs=costs_of(quote),",
        "a question is charged to the box around its region, at the price of the region",
        ("change-one/ρ", "a > 1 OR b > 1"),
    ),
    # --- bookings -------------------------------------------------------------------------------------------------
    Mutation(
        "composition/account/booking.py",
        "    if made.both is None or release.declared or release.region.domain.closed:",
        "    if True:",
        "a change between equal declared values costs nothing",
        ("change-one/ρ/SELECT t,",),
    ),
    Mutation(
        "composition/account/booking.py",
        "            return Booking(release.region, release.cost.group(times).vector())\n        case Nodes",
        "            return Booking(release.region, release.cost.vector())\n        case Nodes",
        "a group of rows is one row",
        ("three rows/ρ",),
    ),
    Mutation(
        "composition/account/booking.py",
        "            return _booked(granularity.of, release, times * granularity.size)",
        "            return _booked(granularity.of, release, times + granularity.size - 2)",
        "a group is one smaller than it is",
        ("three rows/ρ",),
    ),
    Mutation(
        "composition/account/booking.py",
        "    return Booking(release.region, one.group(times).vector(), both.group(times).vector())",
        "    return Booking(release.region, one.group(times).vector(), both.vector())",
        "several changes cost what one does",
        ("two changes/ρ",),
    ),
    Mutation(
        "composition/account/booking.py",
        "    return generic if generic.fits(both) else both\n",
        "    return one\n",
        "a change costs what a row that comes does, in the booking",
        ("change-one/ρ/SELECT d, COUNT",),
    ),
    Mutation(
        "composition/account/booking.py",
        "    vector = release.cost.group(times * (users.in_region or most)).vector()",
        "    vector = release.cost.group(times).vector()",
        "an owner's rows are booked as one",
        ("owners/ρ/SELECT COUNT(*) AS n FROM things WHERE a > 1",),
    ),
    Mutation(
        "composition/account/booking.py",
        "        return Booking(region, tuple(share * part for part in vector))\n    return Booking(shadow, vector)",
        "        return Booking(region, vector)\n    return Booking(shadow, vector)",
        "rows of an owner in one region do not stand for all",
        ("owners once in a region/ρ",),
    ),
    Mutation(
        "composition/account/booking.py",
        "        vector = release.unit.group(times).vector()\n        if most * region.size < shadow.size:\n            return Booking(region, tuple(most * part for part in vector))",
        "        vector = release.unit.group(times).vector()\n        if most * region.size < shadow.size:\n            return Booking(region, vector)",
        "an owner is charged once on a region that is not closed",
        ("owners/ρ",),
    ),
    Mutation(
        "composition/account/booking.py",
        "        vector = release.unit.group(times).vector()\n",
        "        vector = release.unit.vector()\n",
        "two owners are one",
        ("two owners/ρ",),
    ),
    Mutation(
        "composition/account/booking.py",
        "    load = tuple(max(2 * part, other) for part, other in zip(before, changed, strict=True))",
        "    load = tuple(max(part, other) for part, other in zip(before, changed, strict=True))",
        "an altered owner met on one side pays half of nothing",
        ("altered owners/ρ",),
    ),
    Mutation(
        "composition/account/booking.py",
        "        load = tuple(map(max, before, changed))\n",
        "        load = before\n",
        "an altered owner is one who enters",
        ("altered owners/ρ",),
    ),
    Mutation(
        "composition/account/booking.py",
        "    if users.per is not None:\n        constant.add(region.domain.axis(users.per))\n    return region.freed(constant)",
        "    return region.freed(range(len(region.domain.shape)))",
        "the shadow of a region is the region",
        ("owners/ρ/SELECT COUNT(*) AS n FROM things WHERE a > 1",),
    ),
    Mutation(
        "composition/account/booking.py",
        "    vector = release.cost.group(times * changed * seen).vector()\n",
        "    vector = release.cost.group(times * changed).vector()\n",
        "the steps of a window are one",
        ("windows/ρ",),
    ),
    Mutation(
        "composition/account/booking.py",
        "    changed = 2 if windows.changed else 1\n",
        "    changed = 1\n",
        "a row that changes in a step is one that comes",
        ("changed windows/ρ",),
    ),
    Mutation(
        "composition/account/windows.py",
        "        if any(codes_of.holds(along, end) for end in ends):\n            return self.width\n",
        "",
        "steps outside the range are taken for steps of their own",
        ("windows/ρ", "f = DATE"),
    ),
    Mutation(
        "composition/account/load.py",
        "    return Load(around, load.one, tuple(map(max, load.one, load.both)), load.same)",
        "    return Load(around, load.one, load.both, load.same)",
        "a widened region costs a change inside it what the true one does",
        ("ragged/change-one",),
    ),
    Mutation(
        "composition/account/load.py",
        "    return Load(around, load.one, tuple(map(max, load.one, load.both)), load.same)",
        "    return Load(around[:1] and load.boxes[:0], load.one, load.both, load.same)",
        "a widened region is charged nowhere",
        ("ragged/rows",),
    ),
    Mutation(
        "composition/account/units.py",
        "            amount = -((-part.numerator * scale.numerator) // (part.denominator * scale.denominator))",
        "            amount = (part.numerator * scale.numerator) // (part.denominator * scale.denominator)",
        "costs are rounded down",
        ("rows/ρ",),
    ),
    Mutation(
        "ledger/payer.py",
        "        both = one if made.both is None else units.up(made.both)\n",
        "        both = one\n",
        "the ledger books a change as a row that comes",
        ("change-one/ρ/SELECT d, COUNT",),
    ),
    Mutation(
        "ledger/payer.py",
        "        same = () if made.same is None else units.up(made.same)\n",
        "        same = ()\n",
        "the ledger books nothing for a change between equal declared values",
        ("change-one/ρ/SELECT t,",),
    ),
    Mutation(
        "ledger/payer.py",
        "        return Load(made.region.boxes, one, both, same)",
        "        return Load(made.region.boxes[:1], one, both, same)",
        "the ledger books the first box of a region",
        ("rows/ρ", "a > 1 OR b > 1"),
    ),
    # --- plans ----------------------------------------------------------------------------------------------------
    Mutation(
        "query/joint.py",
        "    row = most(*(_sum((tolls[i].row for i in one), zero) for one in sets))",
        "    row = most(*(toll.row for toll in tolls))",
        "a row in two questions of a plan pays for one",
        ("plan/rows/ρ",),
    ),
    Mutation(
        "query/joint.py",
        "    dearer = [most(toll.row, toll.both) for toll in tolls]\n",
        "    dearer = [toll.both for toll in tolls]\n",
        "a change inside the union of a plan is inside each of its questions",
        ("plan/change-one/ρ",),
    ),
    Mutation(
        "query/joint.py",
        "        found = found | one.region\n",
        "        found = found & one.region\n",
        "a plan is charged to those who are in all of its questions",
        ("plan/rows/ρ",),
    ),
    Mutation(
        "query/joint.py",
        "        whole = entered\n",
        "        whole = tolls[0].owner\n",
        "an owner pays for the first question of a plan",
        ("plan/owners/ρ",),
    ),
    # --- groups and cells -----------------------------------------------------------------------------------------
    Mutation(
        "query/keys.py",
        "            found.append((place(key, domain, low), place(key, domain, end - 1) + 1))",
        "            found.append((place(key, domain, low), place(key, domain, end - 1)))",
        "the last bucket is not listed",
        ("rows/ρ/SELECT BUCKET",),
    ),
)
