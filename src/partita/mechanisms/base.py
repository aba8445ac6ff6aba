"""A mechanism: how noise is made, and what it costs for a given distance between neighbours."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, TypeVar, final

from partita.errors import NotProven
from partita.errors import mechanisms as refuse
from partita.exact import Number, whole
from partita.granularity import Relation
from partita.theory.conversions import convert
from partita.theory.distance import Distance, Norm
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.base import Measure

if TYPE_CHECKING:
    from partita.theory.losses.pair import Pair

Loss = TypeVar("Loss", bound=Measure)


class Mechanism(ABC):
    """A way to release something, with proven costs.

    A mechanism states its closed-form losses and its dominating pair for neighbours at a distance; a measure knows
    how to read them. Neither knows the other's list.
    """

    __slots__ = ()

    kind: ClassVar[str]
    norm: ClassVar[Norm]
    # Under which relations the cost may be claimed. Additive noise serves any: its distance was measured under one.
    relations: ClassVar[frozenset[Relation]] = frozenset(Relation)

    @abstractmethod
    def closed_forms(self, distance: Distance) -> tuple[Measure, ...]:
        """The tightest losses proven in closed form for neighbours at this distance."""

    @abstractmethod
    def pair(self, distance: Distance) -> Pair:
        """A pair of laws that dominates every pair of neighbours at this distance, in both directions."""

    @abstractmethod
    def parameters(self) -> dict[str, str]:
        """What defines the mechanism, as exact text: enough to make it again."""

    def cost(self, distance: Distance, measure: type[Loss], *, delta: Number | None = None) -> Loss:
        """What one release costs when neighbours move the exact result by this distance.

        The closed form where one is stated, otherwise the least proven conversion. An (ε, δ) cost of a mechanism
        without a pure one is read off its exact curve at the δ given.
        """
        self.require(distance)
        if distance.power == 0:
            return _least([_nothing(measure)])
        if measure is Approximate and delta is not None:
            return _least([self.pair(distance).approximate(delta)])  # type: ignore[list-item]
        found, reason = [], None
        for form in self.closed_forms(distance):
            try:
                found.append(form if isinstance(form, measure) else convert(form, measure))
            except NotProven as refusal:
                reason = refusal
        if found:
            return _least(found)  # type: ignore[arg-type]
        raise reason or refuse.no_cost(self.kind, measure.symbol)

    def at(self, distance: Distance, count: int = 1) -> Event:
        """This mechanism on neighbours at a distance, as an event of a plan."""
        return Event(self, distance, count)

    def unit(self) -> Distance:
        """The distance that is meant when none is said: one."""
        return Distance(self.norm, Fraction(1))

    def require(self, distance: Distance) -> None:
        """Refuse a distance in another norm."""
        if not isinstance(distance, Distance):
            raise refuse.not_a_distance(distance)
        if distance.norm is not self.norm:
            raise refuse.other_norm(self.kind, self.norm.value, distance.norm.value)


@final
@dataclass(frozen=True, slots=True)
class Event:
    """Some releases of one mechanism, each on neighbours at the same distance."""

    mechanism: Mechanism
    distance: Distance
    count: int = 1

    def __post_init__(self) -> None:
        self.mechanism.require(self.distance)
        object.__setattr__(self, "count", whole(self.count, "count"))


def _nothing(measure: type[Loss]) -> Loss:
    from partita.theory.measures.pure import Pure

    made = convert(Pure(epsilon=Fraction(0)), measure)
    assert isinstance(made, measure)
    return made


def _least(losses: list[Loss]) -> Loss:
    """The least of several proven losses, by its first coordinates."""
    return min(losses, key=lambda loss: loss.vector())
