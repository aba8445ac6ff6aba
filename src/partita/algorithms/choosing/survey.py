"""Surveys in the local model: everybody randomises their own answer, and shares are estimated from the reports."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import NDArray

from partita.errors import algorithms as refuse
from partita.exact import Number, positive, probability, whole
from partita.mechanisms.base import Event
from partita.mechanisms.randomized_response import RandomizedResponse
from partita.mechanisms.unary_encoding import UnaryEncoding
from partita.sampling.bits import BitSource

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]
ENCODINGS = ("direct", "symmetric", "optimised")
_TURNS = 60


@final
@dataclass(frozen=True, slots=True, init=False)
class Survey:
    """A question with listed answers, asked so that no single report tells much: at most a factor e^ε (theory C1, C2).

    ``direct`` reports one answer (randomised response), the other encodings one bit an answer; unless it is said, the
    one whose estimates vary least is taken, by ε and the number of answers alone.

    >>> survey = Survey(["yes", "no"], epsilon=1)
    >>> from partita.sampling.bits import TestBits
    >>> reports = survey.collect(["yes"] * 600 + ["no"] * 400, bits=TestBits(1))
    >>> survey.estimate(reports).shares["yes"].round(1)
    np.float64(0.6)
    """

    answers: tuple[Hashable, ...]
    epsilon: Fraction
    encoding: str

    def __init__(self, answers: Sequence[Hashable], *, epsilon: Number, encoding: str | None = None) -> None:
        if isinstance(answers, str):
            raise refuse.few_answers([answers])
        try:
            listed = tuple(answers)
            several = len(set(listed)) == len(listed) >= 2
        except TypeError:
            raise refuse.few_answers([answers]) from None
        if not several:
            raise refuse.few_answers(listed)
        if encoding not in (None, *ENCODINGS):
            raise refuse.unknown_encoding(encoding, ENCODINGS)
        loss = positive(epsilon, "epsilon")
        # The variance of direct reports grows with their number; that of optimised bits does not
        # (unary_encoding.proof.md).
        direct = len(listed) < 3 * math.exp(min(float(loss), 700.0)) + 2
        for name, value in (
            ("answers", listed),
            ("epsilon", loss),
            ("encoding", encoding or ("direct" if direct else "optimised")),
        ):
            object.__setattr__(self, name, value)

    @property
    def mechanism(self) -> RandomizedResponse | UnaryEncoding:
        """How one person reports: what pt.compose reads."""
        if self.encoding == "direct":
            return RandomizedResponse(epsilon=self.epsilon, values=len(self.answers))
        return UnaryEncoding(epsilon=self.epsilon, values=len(self.answers), optimised=self.encoding == "optimised")

    def event(self, count: int = 1) -> Event:
        """One person's report, so many times: for composition with whatever else that person reports."""
        return self.mechanism.at(self.mechanism.unit(), count)

    def collect(self, answers: Sequence[Hashable], *, bits: BitSource | None = None) -> NDArray[Any]:
        """One report a person; this is what each person's own device runs. ``bits`` is for tests."""
        places = {answer: place for place, answer in enumerate(self.answers)}
        try:
            truth = np.array([places[answer] for answer in answers], dtype=np.int64)
        except (KeyError, TypeError):
            raise refuse.unknown_answer() from None
        return np.asarray(self.mechanism.release(truth, bits=bits))

    def estimate(self, reports: object, *, confidence: Number = 0.95) -> Shares:
        """The share of each answer, with intervals that hold for all answers at once with this confidence."""
        sure = probability(confidence, "confidence")
        counts, people = self._counts(reports)
        likely, other = self._chances()
        each = (1 - float(sure)) / (2 * len(self.answers))
        ends = [interval(count / people, people, each) for count in counts]
        lows, highs = (np.clip((np.array(end) - other) / (likely - other), 0.0, 1.0) for end in zip(*ends, strict=True))
        values = (counts / people - other) / (likely - other)
        return Shares(self.answers, values, lows, highs, people, sure)

    def expected_error(self, people: int, *, confidence: Number = 0.95) -> float:
        """How far any share will be from the truth, at most, before anybody is asked."""
        return self.mechanism.error(confidence, len(self.answers), reports=whole(people, "people", least=1))

    def beside_central(self, people: int) -> LocalAndCentral:
        """The same privacy with a trusted curator: the deviation of an estimated share, both ways.

        >>> row = Survey(["yes", "no"], epsilon=1).beside_central(10_000)
        >>> round(row.local / row.central, 1)
        66.5
        """
        count = whole(people, "people", least=1)
        # One count says all of two answers; with more, a changed answer moves two counts (theory C13).
        scale = (1 if len(self.answers) == 2 else 2) / float(self.epsilon)
        deviation = math.sqrt(2 * scale**2 + 1 / 12) / count
        return LocalAndCentral(count, math.sqrt(self.mechanism.variance() / count), deviation)

    def _counts(self, reports: object) -> tuple[Floats, int]:
        mechanism = self.mechanism
        found = np.asarray(reports)
        wanted = 1 if isinstance(mechanism, RandomizedResponse) else 2
        if found.ndim != wanted or found.dtype.kind not in "biu":
            raise refuse.foreign_reports()
        if isinstance(mechanism, UnaryEncoding):
            rows = mechanism.counted(found)
            return rows.sum(axis=0).astype(np.float64), len(rows)
        mechanism.estimate(found, answers=[0])  # checks what was reported
        return np.bincount(found.astype(np.int64), minlength=len(self.answers)).astype(np.float64), len(found)

    def _chances(self) -> tuple[float, float]:
        mechanism = self.mechanism
        if isinstance(mechanism, UnaryEncoding):
            return mechanism.chances()
        return float(mechanism.keep()), float(mechanism.other())


@final
@dataclass(frozen=True, slots=True, eq=False)
class Shares:
    """Estimated shares of all answers, with intervals that hold together."""

    answers: tuple[Hashable, ...]
    values: Floats  # unbiased, so some may be below zero
    low: Floats
    high: Floats
    people: int
    confidence: Fraction

    @property
    def shares(self) -> dict[Hashable, Any]:
        """The estimate for each answer."""
        return dict(zip(self.answers, self.values, strict=True))

    @property
    def intervals(self) -> dict[Hashable, tuple[float, float]]:
        """The interval for each answer."""
        return dict(zip(self.answers, zip(self.low.tolist(), self.high.tolist(), strict=True), strict=True))

    def plot(self) -> Figure:
        """The shares with their intervals."""
        from partita.canvas import FAINT, INK, sheet

        at = np.arange(len(self.answers))
        middle, half = (self.low + self.high) / 2, (self.high - self.low) / 2
        with sheet(f"Shares from {self.people:,} reports") as (figure, axes):
            axes.errorbar(at, middle, yerr=half, fmt="none", ecolor=FAINT, elinewidth=1.4, capsize=4)
            axes.plot(at, self.values, "o", color=INK)
            axes.set_xticks(at, [str(answer) for answer in self.answers])
            axes.set_ylabel("share of people")
        return figure


@final
@dataclass(frozen=True, slots=True)
class LocalAndCentral:
    """The deviation of an estimated share at the same ε: everybody for themselves, or a trusted curator."""

    people: int
    local: float
    central: float

    @property
    def worth(self) -> int:
        """With how many people a curator would do as well: errors fall with √n in one case, with n in the other."""
        return math.ceil(self.people * self.central / self.local)


def interval(share: float, people: int, miss: float) -> tuple[float, float]:
    """Between what the mean probability of independent coins lies, each side missed with probability ``miss`` at most.

    Chernoff's bound: a share s of n coins with mean probability m lies as far out with probability exp(-n KL(s, m))
    at most.

    >>> low, high = interval(0.5, 1000, 0.025)
    >>> round(low, 3), round(high, 3)
    (0.457, 0.543)
    """
    room = math.log(1 / miss) / people

    def beyond(middle: float) -> bool:
        return _divergence(share, middle) > room

    return _edge(beyond, share, 0.0), _edge(beyond, share, 1.0)


def _edge(beyond: Callable[[float], bool], inside: float, outside: float) -> float:
    """Where the condition starts to hold between a point where it does not and an end; on the outer side."""
    if not beyond(outside):
        return outside
    for _ in range(_TURNS):
        middle = (inside + outside) / 2
        inside, outside = (inside, middle) if beyond(middle) else (middle, outside)
    return outside


def _divergence(share: float, middle: float) -> float:
    total = 0.0
    for part, other in ((share, middle), (1 - share, 1 - middle)):
        if part > 0:
            if other <= 0:
                return math.inf
            total += part * math.log(part / other)
    return total
