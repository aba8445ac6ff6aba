"""What a guarantee means to a person: an attacker's hits and misses, and how far a belief can move."""

from __future__ import annotations

from fractions import Fraction
from typing import Protocol

from flint import arb

from partita.calls import called
from partita.errors import foundation as refuse_number
from partita.errors import theory as refuse
from partita.exact import Number, float_down, float_up, nonnegative, positive, probability, whole
from partita.theory import numerics
from partita.theory.measures.base import Measure
from partita.theory.numerics import ball


class TradeOff(Protocol):
    """Anything that bounds the false negatives of every test: a loss, or a composed guarantee."""

    def false_negatives(self, fpr: Fraction) -> Fraction:
        """The fewest false negatives at this share of false positives."""


def true_positive_rate(fpr: Number, guarantee: TradeOff) -> float:
    """The most true positives any attacker can have at this share of false positives (theory B21), rounded up.

    >>> from partita.theory.measures.pure import Pure
    >>> round(true_positive_rate(0.01, Pure(epsilon=1)), 9)
    0.027182818
    """
    share = nonnegative(fpr, "fpr")
    if share > 1:
        raise refuse_number.too_large("fpr", fpr, 1)
    if not hasattr(guarantee, "false_negatives"):
        raise refuse.not_a_loss("guarantee", guarantee)
    return min(1.0, float_up(1 - guarantee.false_negatives(share)))


def membership_advantage(loss: Measure) -> float:
    """The most by which an attacker's true positives exceed the false ones (theory B21), rounded up.

    >>> from partita.theory.measures.pure import Pure
    >>> round(membership_advantage(Pure(epsilon=1)), 6)
    0.462117
    """
    if not isinstance(loss, Measure):
        raise refuse.not_a_loss("loss", loss)
    return min(1.0, float_up(loss.advantage()))


@called
def posterior(prior: Number, epsilon: Number) -> float:
    """The highest belief after any output, from this prior, in what is one step of the relation away (theory B22).

    Where records come and go that is whether a record is there (presence). What a record says (content) is two steps
    away, one record out and another in: give twice the ε. Under change-one it is one. It holds given the other
    records, or when they say nothing about the statement; for dependent records see :func:`with_and_without`.

    >>> round(posterior(0.5, 1), 9)
    0.731058579
    """
    low, high = _beliefs(prior, epsilon)
    return max(high, low)


def posterior_range(prior: Number, epsilon: Number) -> tuple[float, float]:
    """The lowest and the highest belief after any output, from this prior (theory B22).

    >>> [round(end, 6) for end in posterior_range(0.5, 1)]
    [0.268941, 0.731059]
    """
    return _beliefs(prior, epsilon)


def posterior_odds(epsilon: Number, delta: Number = 0, slack: Number = 1) -> tuple[float, float]:
    """The factor by which odds can move, and the probability that they move further (theory B2, B22).

    With δ = 0 the factor is e^ε and holds always. With δ > 0 it is e^(ε + slack), but for a share of outputs.

    >>> round(posterior_odds(1, "1e-6", 1)[1], 12)
    1.581977e-06
    """
    loss, leak = nonnegative(epsilon, "epsilon"), nonnegative(delta, "delta")
    if leak == 0:
        return float_up(numerics.upper(lambda: ball(loss).exp(), "e^epsilon")), 0.0
    extra = positive(slack, "slack")
    factor = numerics.upper(lambda: (ball(loss) + ball(extra)).exp(), "e^(epsilon + slack)")
    share = numerics.upper(lambda: ball(leak) / (1 - (-ball(extra)).exp()))
    return float_up(factor), min(1.0, float_up(share))


def with_and_without(epsilon: Number) -> tuple[float, float]:
    """Beliefs with and without one's record: the factor e^{2ε} between them, and their total variation tanh ε.

    For every prior, dependent records included (theory B23).

    >>> [round(number, 6) for number in with_and_without("0.5")]
    [2.718282, 0.462117]
    """
    loss = nonnegative(epsilon, "epsilon")
    factor = float_up(numerics.upper(lambda: (2 * ball(loss)).exp(), "e^(2 epsilon)"))
    variation = float_up(numerics.upper(lambda: ball(loss).tanh())) if loss else 0.0
    return factor, min(1.0, variation)


def someone_published(n: int, delta: Number) -> float:
    """How likely name-and-shame publishes at least one of n people at this δ (theory B25).

    >>> round(someone_published(1000, "0.01"), 8)
    0.99995683
    """
    people = whole(n, "n")
    leak = probability(delta, "delta")
    return float_down(numerics.lower(lambda: 1 - (people * (1 - ball(leak)).log()).exp()))


def _beliefs(prior: Number, epsilon: Number) -> tuple[float, float]:
    belief = nonnegative(prior, "prior")
    if belief > 1:
        raise refuse_number.too_large("prior", prior, 1)
    loss = nonnegative(epsilon, "epsilon")
    if belief in (0, 1):
        return float(belief), float(belief)

    def moved(by: Fraction) -> arb:
        # p e^ε / (1 - p + p e^ε), written so that a large ε cannot overflow.
        return ball(belief) / (ball(belief) + (1 - ball(belief)) * (-ball(by)).exp())

    low = float_down(numerics.lower(lambda: moved(-loss)))
    high = float_up(numerics.upper(lambda: moved(loss)))
    return max(0.0, low), min(1.0, high)
