"""Which lines have rows to tell of: a mean of a group that may well be empty is not told."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, assert_never

from partita.query.answer.estimators import Comovement, Dispersion, Estimator, Fixed, Likeness, Linear, Mean, Numbers
from partita.query.language.aggregates import Aggregate, Average, Count, CountRows, Quantile, Variance
from partita.query.language.formulas import aggregates_of
from partita.query.language.plan import Plan, ValueColumn
from partita.query.quantiles.quantiles import Chosen

# For all lines of an answer at once: so rarely does one of those without rows show a mean.
SURE: Final = 0.95


def told(
    aggregate: Aggregate, estimators: Mapping[Aggregate, Estimator], numbers: Numbers, known: dict[Linear, list[bool]]
) -> list[bool]:
    """For each line whether the value of an aggregate is told; where it is not, it is NULL as SQL has it of no rows.

    Sums and counts always are: of no rows they are zero, and so they are shown. What is divided by a count, or chosen
    among rows, is told where the released count is larger than its own error bar, which holds for all lines at once.
    Otherwise the group may be empty, and the bar of its mean is about as long as the column. Nothing but released
    numbers decides. ``known`` keeps what was found of counts.
    """
    found = [True] * len(numbers)
    for count in _counts(aggregate, estimators):
        if count not in known:
            halves = numbers.halves(count, SURE, max(1, len(numbers)))
            known[count] = [rows > half for rows, half in zip(numbers.combined(count), halves, strict=True)]
        found = [one and other for one, other in zip(found, known[count], strict=True)]
    return found


def doubtful(plan: Plan, estimators: Mapping[Aggregate, Estimator]) -> tuple[str, ...]:
    """The columns of quantiles of groups, beside which no count says whether a group has rows at all."""
    if not plan.keys:
        return ()
    shown = (column for column in plan.shown if isinstance(column, ValueColumn))
    alone = [column.name for column in shown for of in set(aggregates_of(column.formula)) if _alone(of, estimators)]
    return tuple(dict.fromkeys(alone))


def _alone(aggregate: Aggregate, estimators: Mapping[Aggregate, Estimator]) -> bool:
    return isinstance(estimators[aggregate], Chosen) and next(_counts(aggregate, estimators), None) is None


def _counts(aggregate: Aggregate, estimators: Mapping[Aggregate, Estimator]) -> Iterator[Linear]:
    """The released counts of the rows that an aggregate is of; for a choice, those that were released beside it."""
    estimator = estimators[aggregate]
    match estimator:
        case Linear() | Fixed():
            return
        case Mean(_, bottom):
            yield bottom
        case Dispersion(count) | Comovement(count) | Likeness(count):
            yield count
        case Chosen():
            assert isinstance(aggregate, Quantile)
            rows = (CountRows(), Count(aggregate.of))
            yield from (beside for other in rows if isinstance(beside := estimators.get(other), Linear))
            for other in (Average(aggregate.of), Variance(aggregate.of)):
                yield from _counts(other, estimators) if other in estimators else ()
        case _:
            assert_never(estimator)
