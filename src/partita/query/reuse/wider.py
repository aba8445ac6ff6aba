"""Wider questions: one release that several questions follow from, which none of them asks for by itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from partita.limits import current
from partita.query.language.aggregates import Aggregate, Average, Count, CountRows, Sum
from partita.query.language.joined import identity
from partita.query.language.plan import KeyColumn, Lines, Plan, ValueColumn
from partita.query.noise.quote import Quote
from partita.query.reuse.reuse import placed
from partita.query.reuse.sums import additive
from partita.query.rewrite import rewritten


def wider(asked: Sequence[Quote]) -> list[Plan]:
    """For each question, the same groups with the aggregates of all questions whose groups are sums of them.

    A panel of means for each region and a table of counts by region are both told by one table of counts and means.
    """
    found: dict[str, Plan] = {}
    for one in asked:
        followers = [
            other for other in asked if placed(one.plan, one.program.cells, other.plan, other.program.cells) is not None
        ]
        aggregates: dict[Aggregate, None] = {}
        for other in followers:
            aggregates.update(dict.fromkeys(other.plan.aggregates))
        plain = all(isinstance(aggregate, CountRows | Count | Sum | Average) for aggregate in aggregates)
        if plain and not one.by_owner and len(one.plan.aggregates) < len(aggregates) <= current().helper_aggregates:
            made = _made(one.plan, tuple(aggregates))
            found.setdefault(made.canonical, made)
    known = {one.plan.canonical for one in asked}
    return [plan for text, plan in found.items() if text not in known][: current().helpers]


def beside(asked: Sequence[Quote]) -> list[Plan]:
    """Releases that nobody asked for but that may tell several questions at once, or the margins of one.

    For questions about the same groups, one with the aggregates of all of them; for ROLLUP, CUBE and GROUPING SETS,
    each set of keys by itself.
    """
    groups: dict[tuple[object, ...], list[Quote]] = {}
    found: dict[str, Plan] = {}
    for one in asked:
        where = identity(one.plan.table), one.plan.where.region.boxes
        groups.setdefault((*where, one.plan.where.tests, one.plan.keys), []).append(one)
        if one.plan.lines.sets and additive(one):
            levels = (replace(one.plan, keys=keys) for keys in one.plan.lines.sets if keys != one.plan.keys)
            for level in levels:
                made = _made(level, one.plan.aggregates)
                found.setdefault(made.canonical, made)
    for group in groups.values():
        aggregates = dict.fromkeys(aggregate for one in group for aggregate in one.plan.aggregates)
        plain = all(isinstance(aggregate, CountRows | Count | Sum | Average) for aggregate in aggregates)
        most = max(len(one.plan.aggregates) for one in group)
        if plain and most < len(aggregates) <= current().helper_aggregates and not any(one.by_owner for one in group):
            made = _made(group[0].plan, tuple(aggregates))
            found.setdefault(made.canonical, made)
    known = {one.plan.canonical for one in asked}
    return [plan for text, plan in sorted(found.items()) if text not in known][: current().helpers]


def _made(plan: Plan, aggregates: tuple[Aggregate, ...]) -> Plan:
    keys = (KeyColumn(f"key_{place}", key) for place, key in enumerate(plan.keys))
    values = (ValueColumn(f"value_{place}", aggregate) for place, aggregate in enumerate(aggregates))
    return rewritten(replace(plan, aggregates=aggregates, shown=(*keys, *values), lines=Lines()))
