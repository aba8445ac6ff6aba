"""The operator's log: what really happened where an analyst is told only that something failed."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Final

log: Final = logging.getLogger("partita.operator")
# Without a handler Python would print it, traceback and all, on the screen of whoever asked.
log.addHandler(logging.NullHandler())


def write_to(path: str | Path) -> None:
    """Append the log to a file from now on; the same file is opened once."""
    place = str(Path(path).resolve())
    if any(isinstance(handler, logging.FileHandler) and handler.baseFilename == place for handler in log.handlers):
        return
    handler = logging.FileHandler(place, encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
    log.addHandler(handler)
