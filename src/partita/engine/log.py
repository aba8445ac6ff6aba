"""The operator's log: what really happened where an analyst is told only that something failed, or nothing at all."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, TypeVar, final

import numpy as np

# Where operators hang handlers of their own: logging.getLogger("partita.operator").addHandler(...).
NAME: Final = "partita.operator"
Found = TypeVar("Found")


@final
class OperatorLog(logging.Logger):
    """Reaches the handlers that the operator hung on its name, and nothing else.

    It shows what analysts must not see. A logger of Python's hands on to the root, where ``basicConfig()`` prints, and
    a later ``dictConfig()`` may switch that on again, or the logger off. This one is not among Python's loggers: of
    the one with its name it uses the handlers alone, so no setting of others makes it speak elsewhere or fall silent.
    """

    def callHandlers(self, record: logging.LogRecord) -> None:  # noqa: N802 - the name is Python's
        for handler in (*self.handlers, *_BESIDE.values(), *logging.getLogger(NAME).handlers):
            if record.levelno >= handler.level:
                # A handler that fails is the operator's trouble, and no part of any answer.
                with suppress(Exception):
                    handler.handle(record)


@final
class _File(logging.FileHandler):
    """A file that is silent when it cannot be written: Python would print the record on the screen of whoever asked."""

    def _open(self) -> Any:
        # It may show values of rows: nobody but the custodian reads it.
        opened = os.open(self.baseFilename, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        return open(opened, self.mode, encoding=self.encoding)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the name is Python's
        pass


log: Final = OperatorLog(NAME)
# Files that nobody named, beside the settings of curators that are open.
_BESIDE: Final[dict[object, logging.Handler]] = {}


def attempted(step: Callable[[], Found], alarm: str, *about: object) -> Found | None:
    """What a step on protected rows gives, or nothing and an alarm for the operator if it fails.

    What went wrong may show values of rows. It is told after it was handled, so that no error raised later, nor one
    of a log that cannot be written, has it as its context; and numpy's warnings, which go to a screen, are not given.
    """
    failure: Exception | None = None
    try:
        with np.errstate(all="ignore"):
            return step()
    except Exception as problem:  # noqa: BLE001 - whatever it is, it may depend on a row
        failure = problem
    log.critical(alarm, *about, exc_info=failure)
    del failure  # its frames hold rows, and this frame would hold it
    return None


def write_to(path: str | Path) -> None:
    """Append the log to a file from now on; the same file is opened once."""
    place = str(Path(path).resolve())
    if any(isinstance(handler, _File) and handler.baseFilename == place for handler in log.handlers):
        return
    log.addHandler(_made(place))


def write_beside(path: str | Path) -> Callable[[], None]:
    """Append the log to a file until the function that is returned is called.

    It is made with the first line that there is to write: a quiet curator leaves none.
    """
    mark = object()
    _BESIDE[mark] = _made(str(Path(path).resolve()), delay=True)

    def end() -> None:
        handler = _BESIDE.pop(mark, None)
        if handler is not None:
            handler.close()

    return end


def _made(place: str, *, delay: bool = False) -> _File:
    handler = _File(place, encoding="utf-8", delay=delay)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    return handler
