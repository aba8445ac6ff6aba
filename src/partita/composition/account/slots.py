"""Slots for every record value: exact composition for adaptive analysts who pay only for those they touch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import final

from partita.composition.account.booking import Shape, shape
from partita.composition.account.engine import Engine, OfPairs, OfValues
from partita.composition.account.load import Load
from partita.errors import region as refuse
from partita.exact import whole
from partita.granularity import Granularity, Groups, Nodes, Users
from partita.limits import Limits, current
from partita.live import Live, alone
from partita.region.domain import Domain
from partita.region.region import Region


@final
class SlotAccount(Live):
    """So many slots of each class, declared beforehand; a release uses one for the record values of its region.

    The guarantee of all declared slots holds if, for every pair of neighbours, no more releases on a class depend on
    what differs than it has slots (theory D9, E17): add/remove counts the releases that hold a value, change-one
    those that hold either of two values, a group of k or an owner of k rows counts each value k times. For groups and
    owners the slot must dominate the release for all their rows at once: k slots for one row each are not enough,
    since k small Gaussian shifts compose to √k of one and add up to k of it.

    >>> from partita.granularity import rows
    >>> from partita.region import integers
    >>> domain = Domain({"age": integers(0, 120)})
    >>> slots = SlotAccount(domain, rows(), {"laplace 0.1": 1})
    >>> slots.take(Region.where("age < 40", domain), "laplace 0.1")
    >>> slots.admits(Region.where("age >= 40", domain), "laplace 0.1")
    True
    >>> slots.admits(Region.where("age >= 30", domain), "laplace 0.1")
    False
    """

    def __init__(
        self, domain: Domain, granularity: Granularity, classes: Mapping[str, int], *, limits: Limits | None = None
    ) -> None:
        super().__init__()
        self.domain = domain
        self.granularity = granularity
        self.classes = {name: whole(count, f"slots of {name!r}") for name, count in classes.items()}
        self._times = _times(granularity)
        engines: dict[Shape, type[OfValues] | type[OfPairs]] = {Shape.VALUES: OfValues, Shape.PAIRS: OfPairs}
        kind = engines.get(shape(granularity))
        if kind is None or not classes:
            raise refuse.no_account(str(granularity))
        self._engine: Engine = kind(domain.shape, tuple(self.classes.values()), limits or current())

    @alone
    def admits(
        self, region: Region, name: str, *, dominates_replacement: bool = True, dominates_unit: bool = False
    ) -> bool:
        """Whether a release on the region can use a slot of the class; nothing changes.

        Under change-one a slot must also dominate the release for a row altered inside the region; say so with
        ``dominates_replacement``, or the release is refused. For groups and owners it must dominate the release for
        all rows of one of them; say so with ``dominates_unit``.
        """
        amounts = self._amounts(
            region, name, dominates_replacement=dominates_replacement, dominates_unit=dominates_unit
        )
        return self._engine.decide(self._load(region, amounts)).fits

    @alone
    def take(
        self, region: Region, name: str, *, dominates_replacement: bool = True, dominates_unit: bool = False
    ) -> None:
        """Use a slot of the class for the record values of a region, or refuse."""
        amounts = self._amounts(
            region, name, dominates_replacement=dominates_replacement, dominates_unit=dominates_unit
        )
        load = self._load(region, amounts)
        answer = self._engine.decide(load)
        if not answer.fits:
            raise refuse.no_slot_left(name, region.named, self.classes[name])
        self._engine.book(load, answer)

    @alone
    def used(self, region: Region, name: str) -> int:
        """The most slots of the class that any neighbours differing in the region have used."""
        place = list(self.classes).index(name)
        return self._engine.highest(region.boxes, place).upper

    def _load(self, region: Region, amounts: tuple[int, ...]) -> Load:
        """One slot for every pair of neighbours: two records of equal values too, if more is stored (theory E11a)."""
        return Load(region.boxes, amounts, amounts, () if self.domain.closed else amounts)

    def _amounts(
        self, region: Region, name: str, *, dominates_replacement: bool, dominates_unit: bool
    ) -> tuple[int, ...]:
        if region.domain != self.domain:
            raise refuse.other_domain()
        if name not in self.classes:
            raise refuse.unknown_slot(name, tuple(self.classes))
        if shape(self.granularity) is Shape.PAIRS and not dominates_replacement and not _alone(region):
            raise refuse.slot_without_replacement(name)
        if self._times > 1 and not dominates_unit:
            raise refuse.slot_without_unit(name, str(self.granularity))
        return tuple(self._times if other == name else 0 for other in self.classes)


def _times(granularity: Granularity) -> int:
    """How many record values one step of the granularity can put under a release."""
    match granularity:
        case Groups():
            return granularity.size * _times(granularity.of)
        case Users():
            return granularity.rows * (2 if granularity.altered else 1)
        case Nodes():
            if granularity.stability is None:
                raise refuse.no_account(str(granularity))
            return granularity.stability
        case _:
            return 1


def _alone(region: Region) -> bool:
    """Whether the region has a single value that records cannot share, so that no change stays inside it (E11a)."""
    return region.size == 1 and region.domain.closed
