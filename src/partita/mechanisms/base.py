"""A mechanism: how noise is made, and what it costs for a given distance between neighbours."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, TypeVar, final

from partita.errors import NotProven
from partita.errors import mechanisms as refuse
from partita.errors import theory as refuse_theory
from partita.exact import Number, float_down, nonnegative, shown, whole
from partita.granularity.base import Relation
from partita.mechanisms.strength import Setting, Strength
from partita.mechanisms.trial import Trial
from partita.mechanisms.words import Word
from partita.notebook import Printer
from partita.theory import readings
from partita.theory.conversions import convert
from partita.theory.distance import Distance, Norm
from partita.theory.losses.base import LossLaw
from partita.theory.losses.pair import Pair
from partita.theory.losses.randomized_response import RandomizedResponseLoss
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.base import Measure
from partita.theory.measures.profile import Profile
from partita.theory.measures.pure import Pure
from partita.theory.measures.renyi import Renyi

Loss = TypeVar("Loss", bound=Measure)

# How each loss that is proven in closed form is computed: nothing is computed before it is asked for.
Forms = Mapping[type[Measure], Callable[[], Measure]]

_FURTHEST = Fraction(2) ** 40


class Mechanism(ABC):
    """A way to release something, with proven costs.

    A mechanism states its closed-form losses and its dominating pair for neighbours at a distance; a measure knows
    how to read them. Neither knows the other's list. Everything else that is to be known of a mechanism it states too:
    what is not stated is not known, and nobody else keeps a list.
    """

    __slots__ = ()

    kind: ClassVar[str]
    norm: ClassVar[Norm]
    # Whether neighbours k steps apart may be priced as one step of k times the distance (theory B19).
    group_by_distance: ClassVar[bool] = True
    # Whether a release depends on all records it could have read, whatever the answer names (theory C14e, C15).
    whole_region: ClassVar[bool] = False
    # Where its cost is proven, by the numbers of the theory; a report cannot tell if nothing is said.
    theorems: ClassVar[str] = ""
    # What is turned when its noise is calibrated; nothing if it cannot be.
    strength: ClassVar[Strength | None] = None
    # Whether it takes a part of δ for itself, whatever its noise, so that ``Setting.leak`` is needed.
    leaks: ClassVar[bool] = False
    # Whether it is made for one relation, which is one of its parameters.
    takes_relation: ClassVar[bool] = False
    # The laws with one parameter of which its pair is one, the same in both directions, where ``parameter`` tells it.
    law_family: ClassVar[type[LossLaw] | None] = None
    # The word of other libraries that is read back as this mechanism.
    word: ClassVar[type | None] = None

    @property
    def relations(self) -> frozenset[Relation]:
        """Under which relations the cost may be claimed.

        Additive noise serves any: its distance was measured under one.
        """
        return frozenset(Relation)

    @abstractmethod
    def forms(self, distance: Distance) -> Forms:
        """The tightest losses proven in closed form for neighbours at this distance (more than zero), by measure."""

    @abstractmethod
    def pair(self, distance: Distance) -> Pair:
        """A pair of laws that dominates every pair of neighbours at this distance, in both directions."""

    @abstractmethod
    def parameters(self) -> dict[str, str]:
        """What defines the mechanism, as exact text: enough to make it again."""

    @abstractmethod
    def error(self, confidence: Number = 0.95, entries: int = 1) -> float:
        """How far from the truth, at most, with this confidence; simultaneous over the entries."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls._repr_pretty_ = Mechanism._repr_pretty_  # type: ignore[method-assign]

    def _repr_pretty_(self, printer: Printer, cycle: bool) -> None:  # noqa: FBT001
        """How IPython shows it: its parameters to six digits."""
        told = ", ".join(f"{name}={_brief(text)}" for name, text in self.parameters().items())
        printer.text(f"{type(self).__name__}({told})")

    @classmethod
    def argument(cls) -> str:
        """Why a release costs what it does, as a sentence of a report."""
        return (
            f"A release with {cls.kind.replace('_', ' ')} noise costs what its closed form says for the distance that "
            "neighbours can move the exact result; the distance follows from the declared bounds."
        )

    @classmethod
    def of_strength(cls, strength: Fraction, setting: Setting) -> Mechanism:
        """The mechanism of a strength; unless it says otherwise, that is its parameter ``epsilon``."""
        made: Any = cls
        found: Mechanism = made(epsilon=strength, **setting.parameters)
        return found

    @classmethod
    def trials(cls) -> Iterable[Trial]:
        """What an audit runs to refute its claims, under every relation that it claims; nothing is known by itself."""
        return ()

    @classmethod
    def heard(cls, word: Word) -> Event:
        """The release that its ``word`` stands for, or one that loses more."""
        raise TypeError(f"{cls.__qualname__} has a word and does not say what it hears in {word}")

    def said(self, distance: Distance) -> Word | None:
        """The release at a distance (more than zero) in a word of other libraries, which loses as much or more."""
        return None

    def is_exact(self, distance: Distance) -> bool:
        """Whether the pair is the exact curve of some neighbours at this distance; otherwise it is only a bound."""
        return False

    def parameter(self, power: Fraction | None) -> float | None:
        """The parameter of its law at a power of the distance, or at distance one, read in floats: quickly.

        The next float must not be below the true one. Nothing where it is not that simple: then ``pair`` is asked.
        """
        return None

    def shift(self, distance: Distance) -> Fraction | None:
        """The μ² of a release that is nothing but a shift of normal noise: of several, the μ² add up to that of one."""
        return None

    def closed_forms(self, distance: Distance) -> tuple[Measure, ...]:
        """The tightest losses proven in closed form for neighbours at this distance."""
        self.require(distance)
        if distance.power == 0:
            return (Pure(epsilon=Fraction(0)),)
        return tuple(form() for form in self.forms(distance).values())

    def cost(self, distance: Distance, measure: type[Loss], *, delta: Number | None = None) -> Loss:
        """What one release costs when neighbours move the exact result by this distance.

        The closed form where one is stated, otherwise the least proven conversion. An (ε, δ) cost at a given δ is
        read off the exact curve.
        """
        self.require(distance)
        made = self._cost(distance, measure, delta)
        assert isinstance(made, measure)
        return made

    def _cost(self, distance: Distance, measure: type[Measure], delta: Number | None) -> Measure:
        if not (isinstance(measure, type) and issubclass(measure, Measure)):
            raise refuse_theory.not_a_measure(measure)
        if delta is not None and measure is not Approximate:
            raise refuse_theory.needless_delta(measure.symbol)
        if distance.power == 0:
            return convert(Pure(epsilon=Fraction(0)), measure)
        if delta is not None:
            return self._approximate(distance, nonnegative(delta, "delta"))
        forms = self.forms(distance)
        if measure in forms:
            return forms[measure]()
        if measure is Profile:
            return self._profile(distance)
        if measure is Approximate:
            if Pure in forms:
                return convert(forms[Pure](), Approximate)
            raise refuse.needs_delta(self.kind)
        return self._converted(distance, measure)

    def _profile(self, distance: Distance) -> Measure:
        """The curve of the pair; where none is known, that of a closed form."""
        try:
            return Profile(self.pair(distance))
        except NotProven:
            return self._converted(distance, Profile)

    def _converted(self, distance: Distance, measure: type[Measure]) -> Measure:
        """The least of all conversions that are proven."""
        found: list[Measure] = []
        reason = None
        for form in self.forms(distance).values():
            try:
                found.append(convert(form(), measure))
            except NotProven as refusal:
                reason = refusal
        if not found:
            raise reason or refuse.no_cost(self.kind, measure.symbol)
        if measure is Profile:
            return found[0]
        if measure is Renyi:
            # Each order is a bound of its own, so the least of each is one too.
            return found[0].like([min(taus) for taus in zip(*(loss.vector() for loss in found), strict=True)])
        return min(found, key=lambda loss: loss.vector())

    def _approximate(self, distance: Distance, delta: Fraction) -> Approximate:
        """The least ε at this δ that the pair or a closed form proves."""
        if delta >= 1:
            raise refuse_theory.delta_too_large(float(delta))
        best, reason = None, None
        for measure, form in self.forms(distance).items():
            if measure is Renyi:
                continue  # slow to compute, and never below both the pair and ρ
            try:
                found = form().epsilon_at(delta)
            except NotProven as refusal:
                reason = refusal
                continue
            best = found if best is None else min(best, found)
        try:
            read = epsilon_of(self.pair(distance), delta, best)
        except NotProven as refusal:
            read, reason = best, reason or refusal
        if read is None:
            raise reason or refuse.no_cost(self.kind, Approximate.symbol)
        return Approximate.read(read, delta)

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

    def cost(self, measure: type[Loss]) -> Loss:
        """What all of them lose, in a measure whose losses add up."""
        return self.mechanism.cost(self.distance, measure).times(self.count)


def _brief(text: str) -> str:
    try:
        return shown(Fraction(text))
    except ValueError:
        return text


def identical() -> Pair:
    """The pair of neighbours that nothing tells apart."""
    return Pair.of(RandomizedResponseLoss(0.0))


def epsilon_of(pair: Pair, delta: Fraction, known: Fraction | None = None) -> Fraction | None:
    """The least ε whose δ on the curve of the pair is small enough, or the one already proven; none if none is found.

    >>> float(epsilon_of(Pair.of(RandomizedResponseLoss(1.0)), Fraction(0)))
    1.0
    """

    def profile(epsilon: Fraction) -> Fraction:
        return Fraction(pair.delta(float_down(epsilon)))

    start = Fraction(1) if known is None else known
    while profile(start) > delta:
        if known is not None:
            return known
        start *= 2
        if start > _FURTHEST:
            return None
    return readings.epsilon_at(profile, delta, start)
