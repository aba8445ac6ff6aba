"""Live objects: what counts spending or keeps private state belongs to one process, and is never copied."""

from __future__ import annotations

import ctypes
import os
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import wraps
from threading import RLock
from typing import TYPE_CHECKING, Concatenate, NoReturn, ParamSpec, Self, SupportsIndex, TypeVar
from weakref import WeakSet

from partita.errors import PartitaError
from partita.errors import composition as refuse_copy
from partita.errors import foundation as refuse

Lived = TypeVar("Lived", bound="Live")
Found = TypeVar("Found")
Given = ParamSpec("Given")


class Live(ABC):
    """Something that counts what was spent, or goes on answering from private state for a price paid once.

    Checking and counting happen under one lock, so that two threads never both take what is left for one. A copy would
    be spent a second time, so there is none; nor is there after a fork: the child finds every live object of its
    parent empty, whatever thread was at work on it, and whatever is asked of it is refused. The parent goes on.
    """

    def __new__(cls, *_: object, **__: object) -> Self:
        made = super().__new__(cls)
        _ALIVE.add(made)
        return made

    @abstractmethod
    def __init__(self) -> None:
        self._lock = RLock()

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        raise self._copied()

    def _copied(self) -> PartitaError:
        """What is said to whoever copies or pickles it."""
        return refuse_copy.account_copied(type(self).__name__)

    def _forked(self) -> PartitaError:
        """What is said to whoever uses it in a forked process; no lock may be waited for here."""
        return refuse.forked(f"This {type(self).__name__}", "Make a new one in this process, with a budget of its own.")

    if not TYPE_CHECKING:  # a type checker would take every name for an attribute

        def __getattr__(self, name: str) -> NoReturn:
            # Reached where an attribute is missing only: a live object in its own process pays nothing for this.
            gone = vars(self).get("_gone")
            if gone is not None:
                raise gone.with_traceback(None)
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")


_ALIVE: WeakSet[Live] = WeakSet()


def alone(method: Callable[Concatenate[Lived, Given], Found]) -> Callable[Concatenate[Lived, Given], Found]:
    """A method that checks and counts: it runs under the object's lock."""

    @wraps(method)
    def locked(self: Lived, /, *args: Given.args, **options: Given.kwargs) -> Found:
        with self._lock:
            return method(self, *args, **options)

    return locked


def _emptied() -> None:
    """In a forked child: take from every live object all that it holds, without touching any of it."""
    for one in list(_ALIVE):
        held = vars(one)
        try:
            gone = one._forked()
        except Exception:  # noqa: BLE001 - one that was not finished has no name yet; it must be emptied all the same
            gone = Live._forked(one)
        # Never let go of: connections and files are the parent's to close, and their end in a process without the
        # parent's threads is a crash.
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(dict(held)))
        held.clear()
        held.update(_gone=gone)
        if hasattr(type(one), "close"):
            held.update(close=_nothing)  # so that leaving a `with` block is quiet
    _ALIVE.clear()


def _nothing() -> None:
    pass


def free_after_fork() -> RLock:
    """A lock for all threads of a process, which a forked child finds free: a fork waits for whoever holds it."""
    lock = RLock()
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=lock.acquire, after_in_parent=lock.release, after_in_child=lock.release)
    return lock


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_emptied)
