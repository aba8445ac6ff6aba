"""Losses that are powers of a distance: half of one kind and half of another are never less than what is between."""

from __future__ import annotations

from partita.theory.measures.approximate import Approximate
from partita.theory.measures.base import Measure
from partita.theory.measures.gdp import GDP
from partita.theory.measures.pure import Pure
from partita.theory.measures.zcdp import ZCDP


def powers(*losses: Measure) -> bool:
    """Whether all are such losses: ε, ρ or μ² and nothing beside it; a Rényi curve is none, even of a single order.

    >>> from partita.theory.measures.renyi import Renyi
    >>> powers(ZCDP(rho=1)), powers(ZCDP(rho=1, delta="1e-6")), powers(Renyi(order=2, tau=1))
    (True, False, False)
    """
    return all(isinstance(loss, Pure | Approximate | ZCDP | GDP) and not any(loss.vector()[1:]) for loss in losses)
