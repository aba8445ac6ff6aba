"""Folders and pictures of the demonstrations; the library that draws is an extra."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from partita.errors import InvalidInput
from partita.errors import cli as refuse


def made_folder(out: Path) -> Path:
    """The folder, made if it is not there."""
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as failure:
        raise refuse.cannot_make_folder(str(out), failure.strerror or "it is not a folder") from failure
    return out


def drawn(draw: Callable[[], Iterator[Path]]) -> tuple[list[str], str]:
    """The pictures that were drawn, or why there are none."""
    try:
        return [str(path) for path in draw()], ""
    except InvalidInput as refusal:
        if refusal.code != "explain.no-matplotlib":
            raise
        return [], refusal.message
