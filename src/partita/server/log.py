"""The server's own log: one JSON line a request, without texts of questions, values, tokens or addresses of answers."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime
from typing import Final

from partita.errors.wording import printable

log: Final = logging.getLogger("partita.server")


def note(event: str, **facts: object) -> None:
    """Write one line: what happened, and facts about the request that are no secret."""
    at = datetime.now(UTC).isoformat(timespec="milliseconds")
    shown = {name: printable(value) if isinstance(value, str) else value for name, value in facts.items()}
    log.info("%s", json.dumps({"at": at, "event": event, **shown}, ensure_ascii=False))


def failed(event: str, error: BaseException) -> None:
    """Write down what failed, for the operator alone; where it stands, not what it says."""
    places = []
    trace = error.__traceback__
    while trace is not None:
        places.append(f"{trace.tb_frame.f_code.co_filename.rpartition('partita/')[2]}:{trace.tb_lineno}")
        trace = trace.tb_next
    at = datetime.now(UTC).isoformat(timespec="milliseconds")
    line = {"at": at, "event": event, "error": type(error).__name__, "at_lines": places[-6:]}
    log.error("%s", json.dumps(line, ensure_ascii=False))
