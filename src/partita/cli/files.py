"""Reading the JSON files that commands are given."""

from __future__ import annotations

import json
import sys

from partita.errors import cli as refuse


def read_json(path: str) -> object:
    """What the file says; a dash is standard input."""
    try:
        if path == "-":
            text = sys.stdin.read()
        else:
            with open(path, encoding="utf-8-sig") as file:
                text = file.read()
    except OSError as failure:
        raise refuse.cannot_read(path, failure.strerror or "it is not a file") from None
    except ValueError:  # not UTF-8, or a name that no file can have
        raise refuse.cannot_read(path, "it is not a text file in UTF-8") from None
    try:
        return json.loads(text)
    except json.JSONDecodeError as failure:
        raise refuse.not_json(path, failure.lineno, failure.colno, failure.msg) from None
    except (RecursionError, ValueError):
        raise refuse.not_json(path, 1, 1, "too deep, or a number too long") from None
