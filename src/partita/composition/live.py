"""Accounts that are alive: one at a time may change them, and none is ever copied."""

from __future__ import annotations

from abc import ABC, abstractmethod
from threading import RLock
from typing import NoReturn, SupportsIndex

from partita.errors import composition as refuse


class Live(ABC):
    """Something that counts what was spent.

    Checking and counting happen under one lock, so that two threads never both take what is left for one. A copy would
    be spent a second time, so there is none.
    """

    @abstractmethod
    def __init__(self) -> None:
        self._lock = RLock()

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        raise refuse.account_copied(type(self).__name__)
