"""A plan fixed beforehand: which releases, how often, and under which relation they are proven."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar, final

from partita.composition.numerics.total import Total
from partita.composition.plans.straight import SERVES_ANY, count_of, gather, is_plain
from partita.errors import NotProven
from partita.errors import composition as refuse
from partita.exact import whole
from partita.granularity import Granularity, Groups, Relation, Replace, Rows, Users, stated
from partita.mechanisms.base import Event, Mechanism
from partita.theory.conversions import convert
from partita.theory.distance import Distance
from partita.theory.losses.base import LossLaw
from partita.theory.losses.pair import Pair
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.base import Measure
from partita.theory.measures.gdp import GDP
from partita.theory.measures.profile import Profile
from partita.theory.measures.pure import Pure

ANY = frozenset(Relation)
Loss = TypeVar("Loss", bound=Measure)


class Part(ABC):
    """Equal releases of a plan."""

    __slots__ = ()

    count: int

    @property
    @abstractmethod
    def name(self) -> str:
        """What to call it in a message."""

    @property
    @abstractmethod
    def relations(self) -> frozenset[Relation]:
        """Under which relations its loss is proven."""

    @abstractmethod
    def pair(self) -> Pair:
        """The dominating pair of one release; a refusal where none is known."""

    @abstractmethod
    def loss(self, measure: type[Loss]) -> Loss:
        """One release in a measure; a refusal where none is proven."""

    @abstractmethod
    def group(self, k: int) -> Part:
        """The same releases for k steps at once; a refusal where no rule is known."""


@final
@dataclass(frozen=True, slots=True)
class Run(Part):
    """Runs of a mechanism on neighbours at a distance."""

    mechanism: Mechanism
    distance: Distance
    count: int

    @property
    def name(self) -> str:
        return (
            f"{type(self.mechanism).__name__}({', '.join(f'{k}={v}' for k, v in self.mechanism.parameters().items())})"
        )

    @property
    def relations(self) -> frozenset[Relation]:
        return self.mechanism.relations

    def pair(self) -> Pair:
        return self.mechanism.pair(self.distance)

    def loss(self, measure: type[Loss]) -> Loss:
        return self.mechanism.cost(self.distance, measure)

    def group(self, k: int) -> Part:
        if not self.mechanism.group_by_distance:
            raise refuse.no_group(self.name, k)
        return Run(self.mechanism, self.distance.times(k), self.count)


@final
@dataclass(frozen=True, slots=True)
class Loose(Part):
    """A bare loss: any mechanism that is proven to lose no more, at so many steps at once."""

    measure: Measure
    count: int
    steps: int = 1

    @property
    def name(self) -> str:
        return str(self.measure)

    @property
    def relations(self) -> frozenset[Relation]:
        return ANY

    def pair(self) -> Pair:
        """The worst mechanism of the kind, where there is one (theory B8); ρ and τ bound no whole curve (B12)."""
        match self.measure:
            case Profile():
                return self.measure.pair
            case Pure() | Approximate() | GDP():
                profile = convert(self.measure, Profile)
                assert isinstance(profile, Profile)
                return profile.pair
            case _:
                raise refuse.no_total(self.name, "pld", "a bound on Rényi divergences has no dominating pair.")

    def loss(self, measure: type[Loss]) -> Loss:
        found = convert(self.measure, measure)
        assert isinstance(found, measure)
        return found

    def group(self, k: int) -> Part:
        return Loose(self.measure.group(k), self.count, self.steps * k)


@final
@dataclass(frozen=True, slots=True)
class Paired(Part):
    """A dominating pair given as it is."""

    given: Pair
    count: int

    @property
    def name(self) -> str:
        return f"Pair({type(self.given.remove).__name__})"

    @property
    def relations(self) -> frozenset[Relation]:
        return ANY

    def pair(self) -> Pair:
        return self.given

    def loss(self, measure: type[Loss]) -> Loss:
        found = convert(Profile(self.given), measure)
        assert isinstance(found, measure)
        return found

    def group(self, k: int) -> Part:
        return Loose(Profile(self.given).group(k), self.count)


@final
@dataclass(frozen=True, eq=False)
class Plan:
    """Events fixed beforehand, with the relation they share, and the unit of several steps they are for, if any.

    >>> from partita.mechanisms.gaussian import GaussianNoise
    >>> from partita.mechanisms.laplace import Laplace
    >>> plan = Plan.of([(Laplace(epsilon="0.1"), 100), GaussianNoise(sigma=10)])
    >>> [part.count for part in plan.parts]
    [100, 1]
    """

    events: tuple[object, ...]
    relation: Relation | None
    unit: Granularity | None = None

    @classmethod
    def of(cls, events: object, relation: Relation | Granularity | str | None = None) -> Plan:
        """From whatever the caller wrote; refuses unlike relations by name."""
        if isinstance(events, Plan):
            return replace(cls._checked(events.events, relation_of(relation) or events.relation), unit=events.unit)
        if isinstance(events, Mechanism | Measure | Event | Pair | LossLaw):
            events = (events,)
        if isinstance(events, str | bytes | dict) or not isinstance(events, Iterable):
            raise refuse.not_a_plan(events)
        return cls._checked(tuple(events), relation_of(relation))

    @classmethod
    def protecting(cls, events: object, relation: Relation | Granularity | str | None) -> Plan:
        """From events whose losses are those of one row; for a unit of several rows steps are counted (theory A9)."""
        if not isinstance(relation, Granularity):
            return cls.of(events, relation)
        step, count = stated(relation)
        plan = cls.of(events, step)
        return plan if count == 1 else replace(plan.group(count), unit=relation)

    @classmethod
    def _checked(cls, events: tuple[object, ...], relation: Relation | None) -> Plan:
        common, lopsided = ANY, False
        kept: list[object] = []
        for event in events:
            # Mechanisms alone are read when they are needed; plain noise serves any relation and is passed over.
            if SERVES_ANY[type(event)] or is_plain(event):
                kept.append(event)
                continue
            if isinstance(event, Mechanism):
                valid = event.relations
                kept.append(event)
            else:
                part = read(event)
                valid, lopsided = part.relations, lopsided or _lopsided(part)
                kept.append(part)
            if valid is ANY or valid == ANY:
                continue
            if relation is not None and relation not in valid:
                raise refuse.not_under_relation(read(event).name, relation.value, [r.value for r in valid])
            if not common & valid:
                other = next(part for part in map(read, events) if not part.relations & valid)
                raise refuse.unlike_relations(other.name, read(event).name)
            common &= valid
        if relation is None and len(common) == 1:
            relation = next(iter(common))
        # Two unlike directions mean that something comes or goes; under change-one they would mix (theory B6).
        return cls(tuple(kept), Relation.ADD_REMOVE if relation is None and lopsided else relation)

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """Each event read; those that never happen are left out."""
        return tuple(part for part in map(read, self.events) if part.count > 0)

    @cached_property
    def totals(self) -> tuple[Total, ...]:
        """The total loss when a record leaves, and when one enters if that differs.

        Where one neighbour may do both at once (a change, a group), only symmetric pairs are composed (theory B6).
        """
        rows, rest = gather(self.events)
        remove: list[tuple[LossLaw, int]] = []
        entering: dict[int, LossLaw] = {}
        for part in map(read, rest):
            if part.count == 0:
                continue
            pair = part.pair()
            if not pair.symmetric:
                if self.relation is not Relation.ADD_REMOVE or self._mixed:
                    raise refuse.directions_mix(part.name)
                entering[len(remove)] = pair.add
            remove.append((pair.remove, part.count))
        leaves = Total.of(remove, rows)
        if not entering:
            return (leaves,)
        add = [(entering.get(place, law), count) for place, (law, count) in enumerate(remove)]
        return leaves, Total.of(add, rows)

    @property
    def _mixed(self) -> bool:
        """Whether some rows of the unit may come while others go; all rows of an owner do the same."""
        return self.unit is not None and not (isinstance(self.unit, Users) and not self.unit.altered)

    @property
    def size(self) -> int:
        """The number of releases."""
        return sum(part.count for part in self.parts)

    def group(self, k: int) -> Plan:
        """The same plan for k steps of the relation at once."""
        steps = whole(k, "k", least=1)
        return Plan(tuple(part.group(steps) for part in self.parts), self.relation, _together(self, steps))


def _together(plan: Plan, steps: int) -> Granularity | None:
    """The unit that so many steps make, if it is known what a step is."""
    if steps == 1 or (plan.unit is None and plan.relation is None):
        return plan.unit
    return Groups(steps, plan.unit or (Rows() if plan.relation is Relation.ADD_REMOVE else Replace()))


def _lopsided(part: Part) -> bool:
    """Whether a pair that was given as it is loses differently in its two directions."""
    match part:
        case Paired(given=pair) | Loose(measure=Profile(pair=pair)):
            return not pair.symmetric
        case _:
            return False


def relation_of(relation: Relation | Granularity | str | None) -> Relation | None:
    """The relation that a caller means."""
    match relation:
        case None | Relation():
            return relation
        case Granularity():
            return relation.relation
        case str():
            try:
                return Relation(relation)
            except ValueError:
                raise refuse.unknown_relation(relation) from None
        case _:
            raise refuse.unknown_relation(relation)


def read(event: object) -> Part:
    """One event as the caller wrote it."""
    match event:
        case Part():
            return event
        case Mechanism():
            return Run(event, event.unit(), 1)
        case Event():
            return Run(event.mechanism, event.distance, count_of(event.count))
        case Measure():
            return Loose(event, 1)
        case Pair():
            return Paired(event, 1)
        case LossLaw():
            # One law says nothing of the other direction (theory B6).
            raise refuse.bare_law(type(event).__name__)
        case (inner, count) if not isinstance(inner, int | float):
            return _times(read(inner), count_of(count))
        case _:
            raise refuse.not_an_event(event)


def unit_of(relation: Relation | Granularity | str | None) -> Granularity | None:
    """A unit of several steps that a caller means, whose steps are to be counted."""
    return relation if isinstance(relation, Granularity) and stated(relation)[1] > 1 else None


def counted(cost: object, unit: Granularity | None) -> object:
    """What one step costs, for a whole unit (theory A9).

    >>> from partita.granularity import groups
    >>> counted(Pure(epsilon="0.1"), groups(3))
    Pure(epsilon=Fraction(3, 10))
    """
    if unit is None:
        return cost
    steps = stated(unit)[1]
    return cost.group(steps) if isinstance(cost, Measure) else read(cost).group(steps)


def has_pairs(plan: Plan) -> bool:
    """Whether every event has a dominating pair."""
    try:
        _ = plan.totals
    except NotProven:
        return False
    return True


def _times(part: Part, count: int) -> Part:
    match part:
        case Run():
            return Run(part.mechanism, part.distance, count_of(part.count * count))
        case Loose():
            return Loose(part.measure, count_of(part.count * count), part.steps)
        case Paired():
            return Paired(part.given, count_of(part.count * count))
        case _:
            raise refuse.not_an_event(part)
