"""Budgets over time: what is in force at each place of a book, by its schedule and by people's recorded decisions."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from enum import StrEnum, unique
from typing import Any, final

from partita.composition.plans.promise import Promise
from partita.errors import budgets as refuse
from partita.exact import written
from partita.ledger.birth import Terms
from partita.theory.documents import from_document, to_document
from partita.theory.measures.base import Measure, most


@final
@unique
class Cause(StrEnum):
    """Why a budget became another."""

    SCHEDULE = "schedule"
    RAISE = "raise"
    LOWER = "lower"


@final
@dataclass(frozen=True, slots=True)
class InForce:
    """The budget that holds, and the largest that ever did; ``held``: somebody lowered it, and no day raises it.

    ``since`` is the latest day of a change so far: what somebody has decided holds until a later day of the schedule.
    """

    budget: Measure
    largest: Measure
    held: bool = False
    since: str = ""

    def to(self, budget: Measure, *, held: bool, since: str) -> InForce:
        """Another budget from here on."""
        return InForce(budget, most(self.largest, budget), held, since)

    def due(self, steps: Sequence[tuple[str, Measure]], day: str) -> tuple[str, Measure] | None:
        """The step of a schedule by which more is in force on a day."""
        past = [step for step in steps if self.since < step[0] <= day]
        return past[-1] if past and not self.held and not past[-1][1].fits(self.budget) else None


@final
@dataclass(frozen=True, slots=True)
class Changed:
    """One entry of the book by which a budget became another."""

    seq: int
    at: str
    place: int
    cause: Cause
    was: Measure
    to: Measure
    who: str
    why: str

    def __str__(self) -> str:
        if self.cause is Cause.SCHEDULE:
            return f"{self.to} since {self.why}, as declared at birth; {self.was} before"
        word = "raised" if self.cause is Cause.RAISE else "lowered"
        return f"{word} from {self.was} to {self.to} on {self.at[:10]} by {self.who}: {self.why}"


@final
class Budgets:
    """The budgets of a book's promises, entry by entry (theory I13, schedules.proof.md).

    A budget rises by the schedule and by raises up to the ceiling, both of the birth, each as an entry of the book. No
    date is ever taken back: what is in force follows from the entries alone.
    """

    def __init__(self, promises: Sequence[Promise]) -> None:
        self._promises = tuple(promises)
        self.scheduled = any(promise.steps for promise in promises)
        self._starts = [0]
        self._states = [tuple(InForce(promise.budget, promise.budget) for promise in promises)]
        self.changes: list[Changed] = []

    @property
    def now(self) -> tuple[InForce, ...]:
        """What holds at the end of the book."""
        return self._states[-1]

    def at(self, seq: int) -> tuple[InForce, ...]:
        """What held when an entry was written."""
        return self._states[bisect_left(self._starts, seq) - 1]

    @property
    def lowered(self) -> tuple[Measure | None, ...] | None:
        """The budgets in force where they are below the largest that ever were; None where none is."""
        found = tuple(None if one.budget == one.largest else one.budget for one in self.now)
        return found if any(one is not None for one in found) else None

    def kept(self, terms: Terms, seq: int | None = None) -> Terms:
        """The promises as they have to be kept: with the largest budgets that ever were in force, and what may come."""
        states = self.now if seq is None else self.at(seq)
        promises = [_kept(*one) for one in zip(terms.promises, states, strict=True)]
        same = all(mine is theirs for mine, theirs in zip(promises, terms.promises, strict=True))
        return terms if same else Terms(promises, terms.tables, terms.declared)

    def due(self, today: date) -> tuple[int, str, Measure] | None:
        """The next promise whose schedule has come to a larger budget by this day: its place, the day, the budget."""
        day = today.isoformat()
        for place, (promise, state) in enumerate(zip(self._promises, self.now, strict=True)):
            if (step := state.due(promise.steps, day)) is not None:
                return place, step[0], most(state.budget, step[1])
        return None

    def checked(self, place: int, cause: Cause, to: Measure, on: str = "", at: str = "") -> InForce:
        """What would hold after a change, by the schedule of a day or made at a time, or a refusal of it."""
        promise, state = self._promises[place], self.now[place]
        match cause:
            case Cause.SCHEDULE:
                then = dict(promise.steps).get(on)
                early = state.held or on <= state.since
                if early or then is None or to != most(state.budget, then) or to == state.budget:
                    raise refuse.not_raised(str(to), str(state.budget))
            case Cause.RAISE:
                if promise.ceiling is None:
                    raise refuse.no_ceiling(str(promise.granularity))
                if not state.budget.fits(to) or to == state.budget:
                    raise refuse.not_raised(str(to), str(state.budget))
                if not to.fits(promise.ceiling):
                    raise refuse.above_ceiling(str(to), str(promise.ceiling))
            case Cause.LOWER:
                if not to.fits(state.budget) or to == state.budget or to.is_zero():
                    raise refuse.not_lowered(str(to), str(state.budget))
        since = on if cause is Cause.SCHEDULE else _day(at)
        return state.to(to, held=cause is Cause.LOWER, since=max(since, state.since))

    def take(self, seq: int, details: Mapping[str, Any]) -> None:
        """Let the budget that an entry names hold after it."""
        place, cause = int(details["promise"]), Cause(details["cause"])
        to, was = from_document(details["to"], written), self.now[place].budget
        state = self.checked(place, cause, to, str(details.get("on", "")), str(details.get("at", "")))
        self._starts.append(seq)
        self._states.append((*self.now[:place], state, *self.now[place + 1 :]))
        who, why = str(details.get("who", "")), str(details.get("why", details.get("on", "")))
        self.changes.append(Changed(seq, str(details.get("at", "")), place, cause, was, to, who, why))


def _day(at: str) -> str:
    """The day of a time, in UTC as the days of schedules are."""
    if not at:
        return ""
    when = datetime.fromisoformat(at)
    return (when if when.tzinfo is None else when.astimezone(UTC)).date().isoformat()


def change_details(place: int, cause: Cause, to: Measure, **said: str) -> dict[str, object]:
    """What an entry says of a change."""
    return {"promise": place, "cause": cause.value, "to": to_document(to), **said}


def _kept(promise: Promise, state: InForce) -> Promise:
    if state.largest == promise.budget:
        return promise
    later = {day: most(state.largest, then) for day, then in promise.steps if not then.fits(state.largest)}
    return replace(promise, budget=state.largest, schedule=later)
