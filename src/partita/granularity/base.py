"""A granularity: which databases are neighbours, and so who is protected."""

from __future__ import annotations

from abc import ABC, abstractmethod
from enum import StrEnum
from typing import ClassVar


class Relation(StrEnum):
    """The two shapes of neighbours: something comes or goes, or something is altered in place."""

    ADD_REMOVE = "add/remove"
    CHANGE_ONE = "change-one"


class Granularity(ABC):
    """Which databases count as neighbours (theory A).

    A guarantee for one relation becomes a guarantee for another by counting how many steps of the first make one
    step of the second (theory A9); where no number of steps does, there is no guarantee at all.
    """

    __slots__ = ()

    kind: ClassVar[str]

    @property
    @abstractmethod
    def relation(self) -> Relation:
        """Whether neighbours differ by adding and removing, or by altering in place."""

    @abstractmethod
    def made_of(self, source: Granularity) -> int | None:
        """How many steps of the source make one step of this relation, if it is known to be so."""

    def makes(self, target: Granularity) -> int | None:
        """How many steps of this relation make one step of the target, if this relation knows."""
        return None

    @property
    def single(self) -> Granularity:
        """The relation itself; of groups, the relation whose steps they are made of."""
        return self

    @property
    def named(self) -> str:
        """The protected unit as a noun, fit for "whether ... is in the data"."""
        return str(self)

    @abstractmethod
    def __str__(self) -> str:
        """The protected unit in words, fit for "nobody's ... is exposed"."""
