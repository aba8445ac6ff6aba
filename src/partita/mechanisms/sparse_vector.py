"""The sparse vector technique: say which of many questions are above a threshold, and pay only for those that are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import ClassVar, final

from partita.errors import PartitaError
from partita.errors import mechanisms as refuse
from partita.exact import Number, float_up, positive, probability, whole
from partita.granularity.base import Relation
from partita.live import Live
from partita.mechanisms.base import Forms, Mechanism
from partita.mechanisms.integers import read, source_of
from partita.mechanisms.laplace import Laplace
from partita.mechanisms.strength import Strength
from partita.mechanisms.switch import switch
from partita.mechanisms.trial import Trial
from partita.sampling import rounded
from partita.sampling.bits import BitSource
from partita.theory import numerics
from partita.theory.distance import Distance, Norm
from partita.theory.losses.pair import Pair
from partita.theory.losses.randomized_response import RandomizedResponseLoss
from partita.theory.measures.pure import Pure
from partita.theory.numerics import ball


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class SparseVector(Mechanism):
    """Answer adaptively chosen questions with above or below, until so many were above (theory C12).

    It is interactive: ``open`` starts a session, and the whole session costs ``epsilon`` for questions whose exact
    answers neighbours move by 1 (the distance is in L∞), however many are below. ``share`` is the part of ε that goes
    into the noise of the threshold; the best split is used if none is given.

    >>> SparseVector(epsilon=1, positives=8).cost(Distance.linf(1), Pure)
    Pure(epsilon=Fraction(1, 1))
    """

    kind: ClassVar[str] = "sparse_vector"
    norm: ClassVar[Norm] = Norm.LINF
    theorems: ClassVar[str] = "C12"
    strength: ClassVar[Strength | None] = Strength.EPSILON
    epsilon: Fraction
    positives: int = 1
    monotone: bool = False
    share: Fraction | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", positive(self.epsilon, "epsilon"))
        object.__setattr__(self, "positives", whole(self.positives, "positives", least=1))
        object.__setattr__(self, "monotone", switch(self.monotone, "monotone"))
        part = best_share(self.positives, monotone=self.monotone) if self.share is None else self.share
        object.__setattr__(self, "share", probability(part, "share"))

    @classmethod
    def above_threshold(cls, *, epsilon: Number, monotone: bool = False) -> SparseVector:
        """The textbook form: stop at the first question that is above, half of ε for the threshold.

        >>> SparseVector.above_threshold(epsilon=1).query_scale
        Fraction(4, 1)
        """
        return cls(epsilon=positive(epsilon, "epsilon"), monotone=monotone, share=Fraction(1, 2))

    @property
    def relations(self) -> frozenset[Relation]:
        """Monotone questions are so only when records come or go."""
        return frozenset({Relation.ADD_REMOVE}) if self.monotone else frozenset(Relation)

    @property
    def split(self) -> tuple[Fraction, Fraction]:
        """The parts of ε for the threshold and for the questions; they sum to ε exactly."""
        assert self.share is not None
        return self.share * self.epsilon, (1 - self.share) * self.epsilon

    @property
    def threshold_scale(self) -> Fraction:
        """The scale of the noise on the threshold."""
        return 1 / self.split[0]

    @property
    def query_scale(self) -> Fraction:
        """The scale of the noise on each question."""
        return (1 if self.monotone else 2) * self.positives / self.split[1]

    def forms(self, distance: Distance) -> Forms:
        return {Pure: lambda: Pure(epsilon=distance.power * self.epsilon)}

    def pair(self, distance: Distance) -> Pair:
        """Randomised response is the worst of all ε-private mechanisms (theory B8)."""
        self.require(distance)
        return Pair.of(RandomizedResponseLoss(float_up(distance.power * self.epsilon)))

    def parameters(self) -> dict[str, str]:
        return {
            "epsilon": str(self.epsilon),
            "positives": str(self.positives),
            "monotone": str(self.monotone).lower(),
            "share": str(self.share),
        }

    @classmethod
    def trials(cls) -> Iterator[Trial]:
        """All answers on the brink of the threshold, each moved by one."""
        for positives in (1, 2):
            vector = SparseVector(epsilon=Fraction(1), positives=positives)
            claims = vector.closed_forms(Distance.linf(1))
            name, run = f"sparse vector, {positives} positive", partial(answered, vector)
            yield Trial(name, Relation.CHANGE_ONE, run, (0, 0, 0, 1), (1, 1, 1, 0), claims, batch=False)

    def open(self, threshold: int, *, bits: BitSource | None = None) -> Session:
        """A session against one public threshold. Charge its full cost before the first question is asked."""
        given = read(threshold)
        if not given.scalar:
            raise refuse.not_one_number("threshold")
        return Session(self, int(given.values[()]), source_of(bits))

    def error(self, confidence: Number = 0.95, entries: int = 1) -> float:
        """The half-width around the threshold outside which all of so many questions are answered rightly."""
        sure, questions = probability(confidence, "confidence"), whole(entries, "entries", least=1)
        # Two independent events, each with a probability whose product is at least the confidence.
        each = (1 + sure) / 2
        threshold = Laplace(scale=self.threshold_scale).reach(each, 1)
        return float_up(Fraction(threshold + Laplace(scale=self.query_scale).reach(each, questions)))


@final
class Session(Live):
    """Questions against one noisy threshold, until the last positive answer.

    >>> from partita.sampling.bits import TestBits
    >>> session = SparseVector(epsilon=1000).open(threshold=10, bits=TestBits(1))
    >>> session.ask(3), session.ask(17), session.left
    (False, True, 0)
    """

    def __init__(self, mechanism: SparseVector, threshold: int, bits: BitSource) -> None:
        super().__init__()
        self._mechanism = mechanism
        self._bits = bits
        self._left = mechanism.positives
        self._level = threshold + int(rounded.laplace(mechanism.threshold_scale, 1, bits)[0])

    @property
    def mechanism(self) -> SparseVector:
        """What the session was opened with."""
        return self._mechanism

    @property
    def left(self) -> int:
        """How many positive answers are left."""
        return self._left

    def ask(self, value: int) -> bool:
        """Whether the exact answer is above the threshold, give or take the noise of both.

        Each question gets fresh noise; the noise of the threshold stays the same for the whole session.
        """
        given = read(value)
        if not given.scalar:
            raise refuse.not_one_number("value")
        with self._lock:
            if self._left <= 0:
                raise refuse.session_over(self._mechanism.positives)
            noise = int(rounded.laplace(self._mechanism.query_scale, 1, self._bits)[0])
            above = int(given.values[()]) + noise >= self._level
            self._left -= above
            return above

    def _copied(self) -> PartitaError:
        return refuse.session_copied()


def answered(mechanism: SparseVector, bits: BitSource, values: Sequence[int]) -> tuple[bool, ...]:
    """The answers of one session, until its last positive one, for an audit; the threshold is one."""
    session = mechanism.open(1, bits=bits)
    answers: list[bool] = []
    for value in values:
        if session.left:
            answers.append(session.ask(value))
    return tuple(answers)


def best_share(positives: int, *, monotone: bool) -> Fraction:
    """The part of ε for the threshold that makes the variance of the comparison least: 1 : (2c)^(2/3) (theory C12).

    >>> round(float(best_share(8, monotone=False)), 9)
    0.136061749
    """
    factor = (1 if monotone else 2) * whole(positives, "positives", least=1)
    share = numerics.lower(lambda: 1 / (1 + (ball(factor).log() * 2 / 3).exp()))
    # Any split is private; a short decimal is as good.
    return Fraction(round(share * 10**12), 10**12) or Fraction(1, 10**12)


def classical_error(epsilon: Number, questions: int, confidence: Number = 0.95) -> float:
    """The bound of textbooks for one positive, 8 (ln k + ln(2/β)) / ε: to compare with ``error`` (theory C12).

    >>> round(classical_error(1, 100), 6)
    66.352397
    """
    loss, sure = positive(epsilon, "epsilon"), probability(confidence, "confidence")
    count = whole(questions, "questions", least=1)
    return float_up(numerics.upper(lambda: 8 * (2 * count / (1 - ball(sure))).log() / ball(loss)))
