"""Workers: several processes behind the same addresses, each replaced when it dies, all ended together."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable
from typing import Final, NoReturn, final

from partita.server.log import note

_READY: Final = b"r"


@final
class Workers:
    """The workers of a server, as the process sees them that keeps them.

    They are forks of a process that has opened nothing: each opens a curator of its own on the ledger that all share.
    """

    def __init__(self, count: int) -> None:
        self._count = count
        self._known: dict[int, int] = {}
        self._ending = False
        self._life, self._held = os.pipe()

    def begin(self, ready: Callable[[], None]) -> tuple[int, Callable[[], None]] | None:
        """Start them all, and keep them until the end; then None.

        Each worker returns from here at once, with its number and what it calls when it is ready.
        """
        for worker in range(self._count):
            found = self._started(worker)
            if found is not None:
                return found
        for one in (signal.SIGINT, signal.SIGTERM):
            signal.signal(one, lambda *_: self._end())
        ready()
        return self._kept()

    # --- inside ------------------------------------------------------------------------------------------------------

    def _started(self, worker: int) -> tuple[int, Callable[[], None]] | None:
        """A new worker, when it is ready; in the worker itself, its number. One that never is ends the server."""
        told, telling = os.pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        process = os.fork()
        if process == 0:
            for one in (signal.SIGINT, signal.SIGTERM):
                signal.signal(one, signal.SIG_DFL)
            os.close(told)
            os.close(self._held)
            threading.Thread(target=_outlived, args=(self._life,), daemon=True).start()
            return worker, lambda: _say(telling)
        self._known[process] = worker
        os.close(telling)
        well = os.read(told, 1) == _READY
        os.close(told)
        if not well and not self._ending:
            self._failed(process)
        return None

    def _kept(self) -> tuple[int, Callable[[], None]] | None:
        while self._known:
            process, status = os.waitpid(-1, 0)
            worker = self._known.pop(process, None)
            if worker is None or self._ending:
                continue
            note("worker", worker=worker, ended=os.waitstatus_to_exitcode(status))
            found = self._started(worker)
            if found is not None:
                return found
        return None

    def _end(self) -> None:
        self._ending = True
        for process in list(self._known):
            os.kill(process, signal.SIGTERM)

    def _failed(self, process: int) -> NoReturn:
        """End them all with the code of one that could not begin; it has said why."""
        _, status = os.waitpid(process, 0)
        self._known.pop(process)
        self._end()
        for other in self._known:
            os.waitpid(other, 0)
        sys.exit(abs(os.waitstatus_to_exitcode(status)) or 1)


def _say(telling: int) -> None:
    os.write(telling, _READY)
    os.close(telling)


def _outlived(life: int) -> None:
    """End this worker as it is told to, when the process that keeps it is gone, however that came."""
    os.read(life, 1)
    os.kill(os.getpid(), signal.SIGTERM)
