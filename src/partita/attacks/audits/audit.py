"""The auditor: run anything on two inputs, and get a lower confidence bound on its privacy loss."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import final

import numpy as np

from partita.attacks.audits.events import Shown, choose
from partita.attacks.audits.outputs import Outputs, collect
from partita.attacks.confidence import (
    at_least,
    at_most,
    epsilon_of_hits,
    epsilon_shown,
    mu_shown,
    renyi_shown,
    rho_shown,
)
from partita.calls import called
from partita.errors import attacks as refuse
from partita.exact import Number, nonnegative, probability, whole
from partita.notebook import InWords
from partita.theory.measures.gdp import GDP
from partita.theory.measures.renyi import Renyi
from partita.theory.measures.zcdp import ZCDP
from partita.theory.semantics import TradeOff


@final
@dataclass(frozen=True, slots=True)
class Audit(InWords):
    """What an audit showed: an event, how often it came on each input, and the losses that would allow it.

    A claim is falsified if the audit shows more than it allows. An audit that falsifies nothing proves nothing.

    >>> shown = audit(lambda x: x, 0, 1, trials=2_000)
    >>> shown.falsifies(1)
    True
    """

    epsilon: float
    delta: Fraction
    confidence: Fraction
    trials: int  # all runs on each input, practice included
    runs: int  # the runs on each input that count
    event: str
    likelier: str
    hits: int
    false_hits: int
    often: float  # a lower bound on the event's probability on the likelier input
    seldom: float  # an upper bound on its probability on the other input

    @property
    def mu(self) -> float:
        """The least μ of a Gaussian promise that the event allows."""
        return float(mu_shown(self.often, self.seldom))

    @property
    def rho(self) -> float:
        """The least ρ of a zCDP promise (without a δ) that the event allows."""
        return float(rho_shown(self.often, self.seldom))

    def falsifies(self, claim: TradeOff | Number) -> bool:
        """Whether the claim is refuted, at this confidence: an ε (at the audit's δ) or a whole loss.

        A loss allows only some pairs of hits and misses; the bounds of the audit must lie outside them (theory B21).
        """
        if not hasattr(claim, "false_negatives"):
            return self.epsilon > nonnegative(claim, "claim")
        if self.often <= self.seldom:
            return False
        often, seldom = Fraction(self.often), Fraction(self.seldom)
        if 1 - often < claim.false_negatives(seldom) or seldom < claim.false_negatives(1 - often):
            return True
        match claim:
            case ZCDP(delta=Fraction(numerator=0)):
                return self.rho > claim.rho
            case Renyi():
                orders = np.array([float(order) for order in claim.orders])
                shown = np.maximum(
                    renyi_shown(self.often, self.seldom, orders), renyi_shown(1 - self.seldom, 1 - self.often, orders)
                )
                return any(found > tau for found, tau in zip(shown.tolist(), claim.taus, strict=True))
            case _:
                return False

    def __str__(self) -> str:
        at = "" if self.delta == 0 else f" at δ = {float(self.delta):.3g}"
        sure = f"{float(100 * self.confidence):.10g}% confidence"
        limits = "An audit can refute a claim and cannot confirm one: absence of falsification proves nothing."
        if self.epsilon == 0:
            return f"The audit shows nothing above ε = 0{at} ({self.runs:,} runs on each input, {sure}). {limits}"
        other = "second" if self.likelier == "first" else "first"
        return (
            f"ε ≥ {self.epsilon:.4g}{at} with {sure}: in {self.runs:,} runs on each input, the event "
            f"“{self.event}” came {self.hits:,} times on the {self.likelier} and {self.false_hits:,} times on the "
            f"{other}. The true ε may be larger. {limits}"
        )


@called
def audit(
    release: Callable[..., object],
    first: object,
    second: object,
    *,
    trials: int = 100_000,
    confidence: Number = 0.999,
    delta: Number = 0,
    claim: TradeOff | None = None,
    batch: bool = False,
) -> Audit:
    """A lower bound on the ε of anything that releases something, right with the given confidence (theory G7).

    ``release(data)`` runs ``trials`` times on each of two neighbouring inputs, every run with fresh noise. Half of
    the runs serve to find a telling event among many (thresholds, cells, coordinates, low bits, whole outputs); the
    event is then fixed, and the other half gives the bound. So whatever was tried, the confidence holds.

    With ``batch=True``, ``release(data, count)`` returns ``count`` independent outputs at once. With ``claim``, the
    event is chosen to refute that loss rather than to show a large ε. An exception in ``release`` is not caught: to
    audit errors as outputs, catch them in ``release``.

    >>> shown = audit(lambda secret: secret, 0, 1, trials=2000)
    >>> shown.epsilon > 4, shown.falsifies(4)
    (True, True)
    """
    if not callable(release):
        raise refuse.not_callable(release)
    count = whole(trials, "trials", least=100)
    sure = probability(confidence, "confidence")
    leak = nonnegative(delta, "delta")
    if claim is not None and not hasattr(claim, "false_negatives"):
        raise refuse.not_a_claim(claim)
    gamma = float(1 - sure) / 2
    shown = _shown(claim, float(leak))

    def both(size: int) -> tuple[Outputs, Outputs]:
        return collect(release, first, size, batch=batch), collect(release, second, size, batch=batch)

    quarter = count // 4
    runs = count - 2 * quarter
    event = choose(both(quarter), both(quarter), shown, runs=runs, gamma=gamma)
    if event is None:
        return Audit(0.0, leak, sure, count, runs, "none", "neither", 0, 0, 0.0, 1.0)
    on_first, on_second = (event.hits(outputs) for outputs in both(runs))
    hits, false_hits = (on_first, on_second) if event.likelier == 0 else (on_second, on_first)
    often, seldom = at_least(hits, runs, gamma), at_most(false_hits, runs, gamma)
    return Audit(
        epsilon=float(epsilon_shown(often, seldom, float(leak))),
        delta=leak,
        confidence=sure,
        trials=count,
        runs=runs,
        event=str(event),
        likelier=("first", "second")[event.likelier],
        hits=hits,
        false_hits=false_hits,
        often=often,
        seldom=seldom,
    )


def _shown(claim: TradeOff | None, delta: float) -> Shown:
    """What to look for: the ε at δ, or the parameter of the claim."""
    match claim:
        case GDP():
            return mu_shown
        case ZCDP() | Renyi():
            return rho_shown
        case _:
            return partial(epsilon_of_hits, delta=delta)
