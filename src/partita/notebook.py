"""How notebooks show what has no table of its own: its words, line by line."""

from __future__ import annotations

from abc import ABC, abstractmethod
from html import escape
from typing import Protocol


def in_notebook(text: str) -> str:
    """Plain text as a part of a page.

    >>> in_notebook("n < 3")
    '<pre style="white-space: pre-wrap">n &lt; 3</pre>'
    """
    return f'<pre style="white-space: pre-wrap">{escape(text)}</pre>'


class Printer(Protocol):
    """What IPython writes texts with."""

    def text(self, written: str) -> None:
        """Write this."""


class InWords(ABC):
    """What a notebook shows as ``print`` does: by itself, and inside lists and tuples.

    >>> from partita.granularity import rows
    >>> from partita.composition.plans.promise import Promise
    >>> from partita.theory.measures.zcdp import ZCDP
    >>> Promise(rows(), ZCDP(rho=1))._repr_html_()
    '<pre style="white-space: pre-wrap">at most ρ = 1 for one row, added or removed</pre>'
    """

    __slots__ = ()

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        # IPython takes the nearest class that says anything, and a dataclass has a __repr__ of its own.
        cls._repr_pretty_ = InWords._repr_pretty_  # type: ignore[method-assign]

    @abstractmethod
    def __str__(self) -> str:
        """The words."""

    def _repr_html_(self) -> str:
        return in_notebook(str(self))

    def _repr_pretty_(self, printer: Printer, cycle: bool) -> None:  # noqa: FBT001
        printer.text(str(self))
