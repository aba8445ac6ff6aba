"""A promise: who is protected, and the most that they may ever lose."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from inspect import signature
from typing import Any, final

from partita.calls import made_by_name
from partita.errors import PartitaError
from partita.errors import budgets as refuse
from partita.errors import granularity as refuse_granularity
from partita.errors import theory as refuse_theory
from partita.granularity import Granularity
from partita.notebook import InWords
from partita.theory.measures.base import Measure

Schedule = tuple[tuple[str, Measure], ...]


@final
@made_by_name
@dataclass(frozen=True, slots=True)
class Promise(InWords):
    """A granularity and a budget in one measure; a curator keeps one or more (theory A11).

    ``schedule`` says which larger budget holds from which day on (of UTC), and ``ceiling`` up to what a custodian may
    raise it later; both are declared once, before the first charge (theory I13). A number stands for the first part of
    the budget, the rest as it is.

    >>> from partita.granularity import rows
    >>> from partita.theory.measures.zcdp import ZCDP
    >>> str(Promise(rows(), ZCDP(rho="0.5")))
    'at most ρ = 0.5 for one row, added or removed'
    >>> str(Promise(rows(), ZCDP(rho="0.5"), schedule={"2027-01-01": "1.0"}, ceiling="2"))
    'at most ρ = 0.5 (ρ = 1 from 2027-01-01 on; never raised above ρ = 2) for one row, added or removed'
    """

    granularity: Granularity
    budget: Measure
    schedule: Schedule | Mapping[str, Any] = ()
    ceiling: Measure | Any | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.granularity, Granularity):
            raise refuse_granularity.not_a_granularity("granularity", self.granularity)
        if not isinstance(self.budget, Measure):
            raise refuse_theory.not_a_loss("budget", self.budget)
        if self.budget.kind == "profile":
            raise refuse_theory.not_additive("budget given as a profile")
        if self.budget.is_zero():
            raise refuse_theory.empty_budget(str(self.granularity))
        if self.schedule == () and self.ceiling is None:
            return
        steps, largest = [], self.budget
        for day, given in _days(self.schedule):
            then = alike(self.budget, given, "schedule")
            if not largest.fits(then):
                raise refuse.decreasing(day, str(largest), str(then))
            steps.append((day, then))
            largest = then
        object.__setattr__(self, "schedule", tuple(steps))
        if self.ceiling is not None:
            ceiling = alike(self.budget, self.ceiling, "ceiling")
            if not largest.fits(ceiling):
                raise refuse.low_ceiling(str(ceiling), str(largest))
            object.__setattr__(self, "ceiling", ceiling)

    @property
    def steps(self) -> Schedule:
        """The days from which on larger budgets hold, in order, each with its budget."""
        assert isinstance(self.schedule, tuple)
        return self.schedule

    @property
    def over_time(self) -> str:
        """What is said of other budgets than the first; "" if there are none."""
        said = [f"{then} from {day} on" for day, then in self.steps]
        if self.ceiling is not None:
            said.append(f"never raised above {self.ceiling}")
        return f" ({'; '.join(said)})" if said else ""

    def __str__(self) -> str:
        return f"at most {self.budget}{self.over_time} for {self.granularity}"


def alike(budget: Measure, given: object, name: str) -> Measure:
    """A budget in the measure of another: as it is, or a number for its first part and the rest unchanged.

    >>> from partita.theory.measures.zcdp import ZCDP
    >>> alike(ZCDP(rho=1, delta="1e-6"), "2.5", "to")
    ZCDP(rho=Fraction(5, 2), delta=Fraction(1, 1000000))
    """
    made = given
    if not isinstance(given, Measure):
        first, *rest = parts_of(budget)
        told = given if isinstance(given, Mapping) else {first: given}
        try:
            made = type(budget)(**{part: getattr(budget, part) for part in rest} | dict(told))
        except (TypeError, PartitaError):
            made = None
    # Losses of Rényi have orders as well, which must be the same.
    if not isinstance(made, Measure) or type(made) is not type(budget) or made.zero() != budget.zero():
        raise refuse.other_measure(name, given, str(budget))
    return made


def parts_of(budget: Measure) -> list[str]:
    """The names of what a budget is made from.

    >>> from partita.theory.measures.zcdp import ZCDP
    >>> parts_of(ZCDP(rho=1))
    ['rho', 'delta']
    """
    return list(signature(type(budget)).parameters)


def _days(given: object) -> list[tuple[str, Any]]:
    """The days of a schedule in order, each as it is written in a ledger."""
    try:
        pairs = list(given.items() if isinstance(given, Mapping) else given)  # type: ignore[call-overload]
        listed = {_day(day): budget for day, budget in pairs}
    except (TypeError, ValueError):
        raise refuse.bad_schedule(given) from None
    if len(listed) != len(pairs):
        raise refuse.bad_schedule(given)
    return sorted(listed.items())


def _day(given: object) -> str:
    if isinstance(given, str) and len(given) == 10:
        return date.fromisoformat(given).isoformat()
    if type(given) is date:
        return given.isoformat()
    raise ValueError
