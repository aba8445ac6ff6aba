"""Who is signed in to the pages: random names of sessions, each for one token that is checked at every request."""

from __future__ import annotations

import hmac
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Final, final

from partita.live import Live, alone
from partita.server.accounts.tokens import fresh
from partita.server.board import Board, kept

MOST_SESSIONS: Final = 10_000
_HOUR: Final = 3600.0


@final
@dataclass(frozen=True, slots=True)
class Signed:
    """A session: the number of its token, the secret of its forms, and when it ends."""

    token: str
    form: str
    until: float


@final
class Sessions(Live):
    """Sessions on the board of the server; a restart signs everybody out.

    >>> now = [0.0]
    >>> sessions = Sessions(1, clock=lambda: now[0])
    >>> name = sessions.open("1f3a")
    >>> sessions.find(name).token, sessions.find("another")
    ('1f3a', None)
    >>> now[0] = 3601.0
    >>> sessions.find(name) is None
    True
    """

    def __init__(self, hours: int, *, clock: Callable[[], float] = time.monotonic, board: Board | None = None) -> None:
        super().__init__()
        self._seconds, self._clock = hours * _HOUR, clock
        self._board = board or Board()

    @alone
    def open(self, token: str) -> str:
        """A new session of a token: its name, for a cookie."""
        name = fresh()
        signed = Signed(token, fresh(), self._clock() + self._seconds)
        self._board.put("visit", kept(name), asdict(signed), most=MOST_SESSIONS, whose=token)
        return name

    @alone
    def find(self, name: str) -> Signed | None:
        """The session of this name, if it has not ended."""
        found = self._board.get("visit", kept(name))
        if found is not None and found["until"] <= self._clock():
            self.end(name)
            return None
        return None if found is None else Signed(**found)

    @alone
    def end(self, name: str) -> None:
        """Sign somebody out."""
        self._board.take("visit", kept(name))


def same(given: str, known: str) -> bool:
    """Whether a form carries the secret of its session."""
    return hmac.compare_digest(given.encode(), known.encode())
