"""A progress bar for long work: shown only where somebody watches, or where it is asked for."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")


def track(items: Iterable[Item], label: str, *, shown: bool | None = None, total: int | None = None) -> Iterator[Item]:
    """The items, one after the other, with a bar on standard error while they pass.

    ``shown=None`` draws it only if standard error is a terminal. Nothing about the data is in it: the number of steps
    is public.

    >>> list(track([1, 2], "counting", shown=False))
    [1, 2]
    """
    if not (sys.stderr.isatty() if shown is None else shown):
        yield from items
        return
    from rich.console import Console
    from rich.progress import track as bar

    yield from bar(items, description=label, total=total, console=Console(stderr=True), transient=True)
