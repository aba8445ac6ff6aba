"""Bias: what clamping, truncation and groups without rows do to numbers, told from the declared domain and releases."""

from __future__ import annotations

from collections.abc import Iterable

from partita.granularity import Granularity, Persons, Users
from partita.query.answer.results import Result
from partita.query.language.aggregates import CountRows, arguments
from partita.query.language.expressions import columns
from partita.query.language.plan import Plan
from partita.region.columns.stepped import Stepped


def truncated(plan: Plan, granularities: Iterable[Granularity]) -> tuple[str, ...]:
    """A sentence where owners may have had more rows than were used; the words are the same for every table."""
    cap = _cap(plan, granularities)
    if cap is None:
        return ()
    words = (
        f"Rows of one owner: at most {cap} {'was' if cap == 1 else 'were'} used, in a secret order. If many owners "
        f"have more, counts and sums are too small, and the error bar does not show it."
    )
    return (words,)


def capped(plan: Plan, granularities: Iterable[Granularity]) -> tuple[str, ...]:
    """The same in few words, to stand beside the numbers."""
    cap = _cap(plan, granularities)
    if cap is None:
        return ()
    return (f"Of one owner at most {cap} {'row is' if cap == 1 else 'rows are'} in these numbers.",)


def empty(result: Result) -> tuple[str, ...]:
    """Which values are not told because their groups may be empty, and which such groups show all the same."""
    found = []
    if result.untold:
        found.append(
            f"NULL in {_listed(result.untold)}: the noisy count of those rows is within its own error bar, so there "
            f"may be none."
        )
    if result.doubtful:
        found.append(
            f"A group without rows shows {_listed(result.doubtful)} as well, at random. Ask COUNT(*) beside it: where "
            f"that is within its error bar, NULL is shown."
        )
    return tuple(found)


def _listed(names: tuple[str, ...]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _cap(plan: Plan, granularities: Iterable[Granularity]) -> int | None:
    granularities = tuple(granularities)
    most = [unit.rows for unit in granularities if isinstance(unit, Users)]
    most += [
        cap for unit in granularities if isinstance(unit, Persons) for of, cap in unit.rows if of == plan.table.name
    ]
    most += [] if plan.caps.rows is None else [plan.caps.rows]
    if plan.caps.groups is not None and plan.caps.each is not None:
        most.append(plan.caps.groups * plan.caps.each)
    return min(most, default=None)


def clamped(plan: Plan) -> tuple[str, ...]:
    """A sentence for every column whose stored values are clamped before they are added up.

    Nobody is told whether any value lies outside: the words are the same for every table.
    """
    used = {name for aggregate in plan.aggregates for of in arguments(aggregate) for name in columns(of)}
    gathered = {} if plan.per_user is None else {column.name: column for column in plan.per_user.columns}
    listed = [(name, plan.domain.columns[name]) for name in sorted(used) if name not in gathered]
    for column in (gathered[name] for name in sorted(used) if name in gathered):
        # The stored values that were gathered, and what they came to if that is clamped as well.
        stored = frozenset() if column.of is None else columns(column.of)
        listed += [(name, plan.table.domain.columns[name]) for name in sorted(stored)]
        listed += [(column.name, plan.domain.columns[column.name])] if column.clamped else []
    bounded = {name: column for name, column in listed if isinstance(column, Stepped)}
    if not bounded or all(isinstance(aggregate, CountRows) for aggregate in plan.aggregates):
        return ()
    said = "; ".join(
        f"{name} between {column.value(0)} and {column.value(column.high - column.low)}"
        for name, column in bounded.items()
    )
    words = (
        f"Bounds: values outside were taken as the nearest bound ({said}). If many are, sums and means are drawn "
        f"towards the bounds, and the error bar does not show it."
    )
    return (words,)
