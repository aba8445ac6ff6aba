"""Made-up rows, and the rows derived from them where each owner is one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import NamedTuple

from partita.assay.meaning import Codes, unit, value, whole
from partita.query.language.per_user import FINER, Gathers, PerUser, PerUserColumn
from partita.region.domain import Domain

Texts = tuple[str | None, ...]


class Row(NamedTuple):
    """A made-up row, so many times: what its columns hold, whose it is, its open texts, its place in its owner's order.

    ``within`` is False for a stored value of the column that divides owners which is only read as one of its values.
    """

    codes: Codes
    owner: int | None = None
    texts: Texts = ()
    order: int = 0
    times: int = 1
    within: bool = True


def derived(per_user: PerUser, domain: Domain) -> Callable[[Sequence[Row]], list[Row]]:
    """One row for each owner, and each value of the other keys, that has rows."""
    axes = [domain.axis(key) for key in per_user.keys]
    made = [_gathered(column, domain, per_user.table.domain) for column in per_user.columns]

    def gathered(rows: Sequence[Row]) -> list[Row]:
        owned: dict[tuple[int, ...], list[Row]] = {}
        for row in rows:
            if row.owner is not None:
                owned.setdefault((row.owner, *(row.codes[axis] for axis in axes)), []).append(row)
        return [Row((*key[1:], *(one(mine) for one in made)), key[0]) for key, mine in owned.items()]

    return gathered


def _gathered(column: PerUserColumn, domain: Domain, derived: Domain) -> Callable[[Sequence[Row]], int]:
    """The code of an aggregate of one owner's rows."""
    null, within = derived.bounded[derived.axis(column.name)].null, column.bounds
    amount = (lambda _: 1) if column.of is None else value(column.of, domain)
    grain = Fraction(1) if column.of is None else unit(column.of, domain)

    def aggregate(rows: Sequence[Row]) -> int:
        known = [(steps, row.times) for row in rows if (steps := whole(amount(row.codes), grain)) is not None]
        count, total = sum(times for _, times in known), sum(steps * times for steps, times in known)
        found: int | None = None
        match column.gathers:
            case Gathers.ROWS | Gathers.PRESENT:
                found = count
            case Gathers.TOTAL if known:
                found = total
            case Gathers.LEAST if known:
                found = min(known)[0]
            case Gathers.GREATEST if known:
                found = max(known)[0]
            case Gathers.MEAN if known:
                found = (2 * FINER * total + count) // (2 * count)
            case _:
                pass
        if found is None:
            assert null is not None, "an aggregate of nothing is NULL"
            return null
        return min(max(found, within.low), within.high) - within.low

    return aggregate
