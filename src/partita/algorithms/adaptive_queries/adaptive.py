"""A filtered session: releases whose noise and number are chosen on the way, under one budget of ρ."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, final

from partita.errors import algorithms as refuse
from partita.errors import mechanisms as refuse_mechanism
from partita.exact import Number, positive
from partita.mechanisms.base import Forms, Mechanism
from partita.theory.distance import Distance, Norm
from partita.theory.losses.pair import Pair
from partita.theory.measures.renyi import ORDERS, Renyi
from partita.theory.measures.zcdp import ZCDP


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class FilteredSession(Mechanism):
    """Gaussian noise and exponential choices, fully adaptive, admitted by a filter of ρ (theory D6, F8).

    Only ρ and the Rényi curve that it gives are proven: parameters that depend on earlier outputs have no dominating
    pair fixed beforehand (theory D8). The distance is the number of rows in L2 (adaptive.proof.md).

    >>> FilteredSession(rho="0.5").cost(Distance.l2(2), ZCDP)
    ZCDP(rho=Fraction(2, 1), delta=Fraction(0, 1))
    """

    kind: ClassVar[str] = "filtered-session"
    norm: ClassVar[Norm] = Norm.L2
    rho: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "rho", positive(self.rho, "rho"))

    def forms(self, distance: Distance) -> Forms:
        rho = self.rho * distance.power
        return {
            ZCDP: lambda: ZCDP(rho=rho),
            Renyi: lambda: Renyi(orders=ORDERS, taus=[order * rho for order in ORDERS]),
        }

    def pair(self, distance: Distance) -> Pair:
        raise refuse_mechanism.no_exact_curve(self.kind, "parameters chosen on the way")

    def parameters(self) -> dict[str, str]:
        return {"rho": str(self.rho)}

    def error(self, confidence: Number = 0.95, entries: int = 1) -> float:
        raise refuse.no_error_of_a_session()
