"""Bounded work: steps counted in our own code, never by the clock, beyond which a question is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Final, ParamSpec, TypeVar, final

from partita.errors import foundation as refuse
from partita.errors.foundation import Work
from partita.errors.query import language as refuse_query

# A step is about a microsecond. What people ask takes some thousands.
MOST_STEPS: Final = 400_000
# Questions that are asked together are priced some times over: what people ask takes up to four thousand for each.
BATCH_STEPS: Final = 40_000


@final
class Effort:
    """A number of steps that may be made; how many are made follows from public things alone: words, schema, ledger.

    >>> effort = Effort(100)
    >>> effort.spend(60, Work.WORDS)
    >>> effort.spend(60, Work.WORDS)
    Traceback (most recent call last):
        ...
    partita.errors.base.QueryRefused: This question takes more than 100 steps to price: ...
    """

    __slots__ = ("_first", "composing", "left", "limit", "several")

    def __init__(self, limit: int, *, composing: bool = False, several: bool = False) -> None:
        self.limit = self.left = limit
        self.composing, self.several = composing, several
        self._first: Work | None = None

    def spend(self, steps: int, work: Work) -> None:
        """Count steps, before they are made where they are many; once there are too many, every further one is refused.

        A refusal may be passed over where something else is tried instead; the reason is that of the first.
        """
        self.left -= steps
        if self.left < 0:
            self._first = self._first or work
            raise refuse.too_much(self._first, self.limit, several=self.several)


_IN_FORCE: Final[ContextVar[Effort | None]] = ContextVar("effort", default=None)


def spend(steps: int, work: Work) -> None:
    """Count steps of the effort in force; nothing is counted where there is none."""
    effort = _IN_FORCE.get()
    if effort is not None:
        effort.spend(steps, work)


def spend_composing(steps: int) -> None:
    """Count steps of composing a plan. Questions count theirs beforehand: what is kept from others must not matter."""
    effort = _IN_FORCE.get()
    if effort is not None and effort.composing:
        effort.spend(steps, Work.COMPOSITION)


@contextmanager
def bounded(limit: int = MOST_STEPS, *, composing: bool = False, several: bool = False) -> Iterator[Effort]:
    """All that is done inside shares one effort, that of the outermost; what is nested too deeply is refused.

    >>> with bounded(10) as outer, bounded(1000) as inner:
    ...     inner is outer
    True
    """
    current = _IN_FORCE.get()
    if current is not None:
        yield current
        return
    made = Effort(limit, composing=composing, several=several)
    token = _IN_FORCE.set(made)
    try:
        yield made
    except RecursionError:
        raise refuse_query.too_deep() from None
    finally:
        _IN_FORCE.reset(token)


@contextmanager
def bounded_together(questions: int) -> Iterator[Effort]:
    """One effort for questions that are priced together: that of one, and a share for each.

    >>> with bounded_together(12) as effort:
    ...     effort.limit
    880000
    """
    with bounded(MOST_STEPS + BATCH_STEPS * questions, several=True) as effort:
        yield effort
        # Where one way was given up for want of steps, what another way found is not the best there is.
        effort.spend(0, Work.AGGREGATES)


_Given = ParamSpec("_Given")
_Made = TypeVar("_Made")


def within_effort(function: Callable[_Given, _Made]) -> Callable[_Given, _Made]:
    """A function whose work is bounded: one effort for each call, unless one is in force already."""

    @wraps(function)
    def limited(*args: _Given.args, **kwargs: _Given.kwargs) -> _Made:
        with bounded():
            return function(*args, **kwargs)

    return limited


__all__ = [
    "BATCH_STEPS",
    "MOST_STEPS",
    "Effort",
    "Work",
    "bounded",
    "bounded_together",
    "spend",
    "spend_composing",
    "within_effort",
]
