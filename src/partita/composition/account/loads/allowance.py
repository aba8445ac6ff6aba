"""An allowance: the numbers that may be looked at for one decision, shared by all searches that it takes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final, final

from partita.limits import Limits

MOST_PATIENCE: Final = 10_000
"""Times the usual work that anybody may ask for."""


@final
class Allowance:
    """What is left to look at: beyond it nothing is searched any more, and bounds stand for what would be found.

    It is spent on what is public alone, the book and the question, so that the same decision ends the same way.

    >>> allowance = Allowance(Limits(looked=10))
    >>> allowance.take(8), allowance.take(8), allowance.take(1)
    (True, False, False)
    """

    __slots__ = ("looked", "pair_numbers", "patience")

    def __init__(self, limits: Limits, patience: int = 1) -> None:
        self.looked = limits.looked * patience
        self.pair_numbers = limits.pair_numbers * patience
        self.patience = patience

    def take(self, numbers: int) -> bool:
        """Whether so many numbers may still be looked at in loads of values; once refused, none may."""
        self.looked = self.looked - numbers if numbers <= self.looked else 0
        return self.looked > 0


_IN_FORCE: Final[ContextVar[Allowance | None]] = ContextVar("allowance", default=None)
_PATIENCE: Final[ContextVar[int]] = ContextVar("patience", default=1)


def allowance(limits: Limits) -> Allowance:
    """The allowance in force, or one of its own for what is decided alone."""
    return _IN_FORCE.get() or Allowance(limits)


@contextmanager
def sharing(limits: Limits, patience: int = 1) -> Iterator[Allowance]:
    """All that is decided inside shares one allowance, that of the outermost; ``patience`` is a multiple of it.

    >>> with sharing(Limits()) as outer, sharing(Limits()) as inner:
    ...     inner is outer
    True
    """
    current = _IN_FORCE.get()
    if current is not None:
        yield current
        return
    made = Allowance(limits, patience)
    token = _IN_FORCE.set(made)
    try:
        yield made
    finally:
        _IN_FORCE.reset(token)


def in_force() -> int:
    """How many times the usual work may be taken before something is refused that was not shown to be too much."""
    return _PATIENCE.get()


def further() -> int | None:
    """More patience than is in force, ten times if it may be so much; None if there is no more."""
    more = min(10 * _PATIENCE.get(), MOST_PATIENCE)
    return more if more > _PATIENCE.get() else None


@contextmanager
def patient(most: int) -> Iterator[None]:
    """Take so many times the usual work inside, or what is in force around it if that is more.

    >>> with patient(5), patient(2):
    ...     in_force()
    5
    """
    token = _PATIENCE.set(max(most, _PATIENCE.get()))
    try:
        yield
    finally:
        _PATIENCE.reset(token)
