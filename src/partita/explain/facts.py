"""The numbers behind an explanation, each computed from the guarantee itself."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol, final

from partita.errors import NotProven
from partita.errors import explain as refuse
from partita.exact import Number, exact, float_down, float_up, nonnegative, probability, whole
from partita.explain.sampled import Profiled, sampled
from partita.granularity import Relation
from partita.theory import semantics
from partita.theory.measures.approximate import Approximate
from partita.theory.measures.base import Measure

# At which δ a loss is read that has an ε for every δ: one in a million.
USUAL_DELTA = Fraction(1, 10**6)
# With a δ, beliefs are bounded outside a few outputs; the slack sets how few (theory B22).
_SLACK = Fraction(1, 10)


class Readable(Profiled, Protocol):
    """Anything an explanation can be read from: a loss, or a composed guarantee."""

    def group(self, k: int) -> Readable:
        """The same guarantee for k steps at once."""


@final
@dataclass(frozen=True, slots=True)
class Belief:
    """How far a belief about one person can move from a prior."""

    prior: float
    low: float
    high: float


@final
@dataclass(frozen=True, slots=True)
class Beliefs:
    """How far beliefs can move in somebody who knows all the other records, outside a few outputs."""

    moves: tuple[Belief, ...]
    surprise: float  # the chance of an output that moves them further


@final
@dataclass(frozen=True, slots=True)
class Group:
    """What is promised to several people together: weaker than what is promised to each."""

    members: int
    epsilon: float
    delta: float
    tpr: float


@final
@dataclass(frozen=True, slots=True)
class Repeated:
    """What many releases like this one come to."""

    count: int
    epsilon: float
    delta: float


@final
@dataclass(frozen=True, slots=True)
class Facts:
    """What a guarantee allows, in numbers; every bound is rounded against us.

    >>> from partita.theory.measures.pure import Pure
    >>> round(facts_of(Pure(epsilon=1)).multiplier, 4)
    2.7183
    """

    epsilon: float
    delta: float
    multiplier: float  # the most by which an event's probability grows, beyond δ
    presence: Beliefs | None  # beliefs in whether the record is there, where records come and go
    content: Beliefs | None  # beliefs in what the record says
    fpr: float
    tpr: float  # the most true positives at that share of false ones
    with_and_without: float | None  # the factor between beliefs with and without a record, for every prior (if δ = 0)
    group: Group | None  # of the size that was asked for, or the largest below it that is promised anything
    why_no_group: str  # why nothing is promised to a group of the size that was asked for, if nothing is
    repeated: Repeated | None
    theorem: str  # by which theorem the total was proven, if it is one

    @property
    def falsely_accused(self) -> float:
        """The least share of the innocent among the accused, if half of the suspects are in the data."""
        return float_down(Fraction(self.fpr) / (Fraction(self.tpr) + Fraction(self.fpr)))


def facts_of(
    guarantee: Readable,
    *,
    delta: Number | None = None,
    fpr: Number = "0.01",
    priors: Sequence[Number] = ("0.01", "0.1", "0.5"),
    group: int = 4,
    relation: Relation = Relation.ADD_REMOVE,
) -> Facts:
    """Everything an explanation says of this guarantee, computed.

    A loss that has an ε for every δ is read at δ = 1e-6 unless another is asked for. Where records come and go, one
    that says something else is two steps away: it goes, and another comes.
    """
    if not all(hasattr(guarantee, name) for name in ("epsilon_at", "delta_at", "false_negatives", "group")):
        raise refuse.not_readable(guarantee)
    if not getattr(guarantee, "proven", True):
        raise refuse.not_proven(getattr(guarantee, "method", ""))
    share, members = probability(fpr, "fpr"), whole(group, "group", least=2)
    leak = _own_delta(guarantee) if delta is None else nonnegative(delta, "delta")
    epsilon = guarantee.epsilon_at(leak)
    comes_and_goes = relation is Relation.ADD_REMOVE
    together, reason = _together(guarantee, members, leak, share)
    for fewer in range(members - 1, 1, -1) if together is None else ():
        together, _ = _together(guarantee, fewer, leak, share)
        if together is not None:
            break
    return Facts(
        epsilon=float_up(epsilon),
        delta=float_up(leak),
        multiplier=semantics.posterior_odds(epsilon)[0],
        presence=_beliefs(guarantee, leak, priors) if comes_and_goes else None,
        content=_content(guarantee, leak, priors, steps=2 if comes_and_goes else 1),
        fpr=float(share),
        tpr=semantics.true_positive_rate(share, sampled(guarantee, delta=leak or USUAL_DELTA)),
        with_and_without=None if leak else semantics.with_and_without(epsilon)[0],
        group=together,
        why_no_group=reason,
        repeated=_repeated(guarantee, leak),
        theorem=getattr(guarantee, "theorem", ""),
    )


def _beliefs(guarantee: Readable, delta: Fraction, priors: Sequence[Number]) -> Beliefs:
    """Theory B22: odds move by e^ε at most; with a δ by e^(ε + slack), outside outputs of a small probability."""
    epsilon = guarantee.epsilon_at(delta)
    moved = epsilon + (_SLACK if delta else 0)
    moves = tuple(Belief(float(exact(prior)), *semantics.posterior_range(prior, moved)) for prior in priors)
    # What moves them too far up and too far down: the second is less likely by the factor itself.
    share = semantics.posterior_odds(epsilon, delta, _SLACK)[1]
    return Beliefs(moves, min(1.0, share * (1 + math.exp(-float(moved))) * (1 + 1e-12)))


def _content(guarantee: Readable, delta: Fraction, priors: Sequence[Number], *, steps: int) -> Beliefs | None:
    if steps == 1:
        return _beliefs(guarantee, delta, priors)
    try:
        altered = _grown(guarantee, steps, delta)
    except NotProven:
        return None
    return _beliefs(altered, delta if _reads_at(altered, delta) else _own_delta(altered), priors)


def _own_delta(guarantee: Readable) -> Fraction:
    """The δ that is part of the guarantee, or the usual one on top where that alone gives no ε."""
    own = exact(getattr(guarantee, "delta", 0), "delta")
    return own if _reads_at(guarantee, own) else own + USUAL_DELTA


def _reads_at(guarantee: Readable, delta: Fraction) -> bool:
    try:
        guarantee.epsilon_at(delta)
    except NotProven:
        return False
    return True


def _together(guarantee: Readable, members: int, delta: Fraction, fpr: Fraction) -> tuple[Group | None, str]:
    try:
        grown = _grown(guarantee, members, delta)
    except NotProven as refusal:
        return None, refusal.message
    leak = delta if _reads_at(grown, delta) else _own_delta(grown)
    epsilon = float_up(grown.epsilon_at(leak))
    tpr = semantics.true_positive_rate(fpr, sampled(grown, delta=leak or USUAL_DELTA))
    return Group(members, epsilon, float_up(leak), tpr), ""


def _grown(guarantee: Readable, members: int, delta: Fraction) -> Readable:
    """The same for several steps: by the measure's own rule, or else read as (ε, δ) first (theory B19)."""
    try:
        return guarantee.group(members)
    except NotProven:
        read = Approximate.read(guarantee.epsilon_at(delta), delta) if delta < 1 else None
        if read is None or not read.epsilon:
            raise
        return read.group(members)


def _repeated(guarantee: Readable, delta: Fraction, count: int = 10) -> Repeated | None:
    if not isinstance(guarantee, Measure):
        return None
    many = guarantee.times(count)
    leak = delta if _reads_at(many, delta) else _own_delta(many)
    return Repeated(count, float_up(many.epsilon_at(leak)), float_up(leak))
