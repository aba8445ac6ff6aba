"""The whole family of mechanisms, found by its folder."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import partita.mechanisms as folder
from partita.mechanisms.base import Mechanism
from partita.mechanisms.words import Word
from partita.registry import members


def family() -> Mapping[str, type[Mechanism]]:
    """Every mechanism by its durable kind.

    >>> "laplace" in family()
    True
    """
    return _family(tuple(folder.__path__))


def calibratable() -> tuple[str, ...]:
    """The names of all mechanisms whose noise can be calibrated."""
    return tuple(kind.__name__ for kind in family().values() if kind.strength is not None)


def home_of(word: Word) -> type[Mechanism]:
    """The mechanism that a word of other libraries stands for.

    >>> from fractions import Fraction
    >>> from partita.mechanisms.words import LaplaceShift
    >>> home_of(LaplaceShift(Fraction(2))).kind
    'laplace'
    """
    (home,) = (kind for kind in family().values() if kind.word is type(word))
    return home


@lru_cache(maxsize=4)
def _family(path: tuple[str, ...]) -> Mapping[str, type[Mechanism]]:
    """Kept as long as the folder is the same: every module of it is imported to find them."""
    base: Any = Mechanism
    return members(base, folder)
