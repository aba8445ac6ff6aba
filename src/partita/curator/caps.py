"""Caps suggested from the data, at a price: how many of an owner's rows a question needs to keep most rows of all."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import final

from partita.curator.answers.answer import Answer
from partita.errors.query import prices as refuse
from partita.exact import Number, positive, probability
from partita.query.language.aggregates import CountRows
from partita.query.language.keys import Key, Opened
from partita.query.language.plan import Lines, Plan, ValueColumn
from partita.query.rewrite import rewritten
from partita.query.tables.truncation import Caps, Truncation
from partita.theory.measures.base import Measure

MOST_GROUPS = 16

Ask = Callable[..., Answer]


@final
@dataclass(frozen=True, slots=True)
class SuggestedCaps:
    """The least caps that keep about the share of the rows that was asked for; None where there is nothing to gain.

    ``kept`` and ``kept_groups`` say what share of the rows each cap keeps, as far as the noise let it be seen; ``cost``
    is what looking has cost.
    """

    rows: int | None
    groups: int | None
    kept: dict[int, float]
    kept_groups: dict[int, float]
    cost: tuple[Measure, ...]


def suggested(
    plan: Plan, truncation: Truncation | None, price: dict[str, Number | None], keep: Number, ask: Ask
) -> SuggestedCaps:
    """Counts the rows of a question under one cap after the other; each count is a question with a part of the price.

    What is suggested is made from noisy counts alone.
    """
    if truncation is None:
        raise refuse.caps_need_owners("no promise is on owners")
    given = {name: value for name, value in price.items() if value is not None}
    if len(given) != 1 or "mu" in given:
        raise refuse.price_of_caps()
    share = float(probability(keep, "keep"))
    listed = tuple(key for key in plan.keys if not isinstance(key, Opened))
    counting = rewritten(_counting(plan, ()))
    grouped = rewritten(_counting(plan, listed)) if listed else None
    row_caps = [*_doubling(truncation.most), truncation.most]
    group_caps = [*_doubling(min(truncation.most, MOST_GROUPS))] if grouped is not None else []
    ((name, value),) = given.items()
    part: dict[str, Number] = {name: positive(value, name) / (len(row_caps) + len(group_caps))}
    costs: list[tuple[Measure, ...]] = []

    def counted(asked: Plan, caps: Caps) -> float:
        answer = ask(asked, rows_per_user=caps.rows, groups_per_user=caps.groups, **part)
        costs.append(answer.costs)
        return float(sum(row["n"] for row in answer.rows()))

    rows = {cap: counted(counting, Caps(rows=cap)) for cap in row_caps}
    groups = {cap: counted(grouped, Caps(groups=cap)) for cap in group_caps} if grouped is not None else {}
    whole = max(1.0, rows[truncation.most])
    kept = {cap: min(1.0, max(0.0, count / whole)) for cap, count in rows.items()}
    kept_groups = {cap: min(1.0, max(0.0, count / whole)) for cap, count in groups.items()}
    total = tuple(sum(parts[1:], start=parts[0]) for parts in zip(*costs, strict=True))
    return SuggestedCaps(
        _least(kept, share, below=truncation.most),
        _least(kept_groups, share, below=MOST_GROUPS),
        kept,
        kept_groups,
        total,
    )


def _counting(plan: Plan, keys: tuple[Key, ...]) -> Plan:
    """The number of rows that a question is about, with the declared keys that are wanted."""
    return replace(
        plan,
        keys=keys,
        aggregates=(CountRows(),),
        shown=(ValueColumn("n", CountRows()),),
        lines=Lines(),
    )


def _doubling(most: int) -> Iterable[int]:
    """1, 2, 4 and so on, below the most.

    >>> list(_doubling(10))
    [1, 2, 4, 8]
    """
    cap = 1
    while cap < most:
        yield cap
        cap *= 2


def _least(kept: dict[int, float], share: float, *, below: int) -> int | None:
    enough = [cap for cap, found in kept.items() if found >= share and cap < below]
    return min(enough, default=None)
