"""Partita: a differentially private curator that composes everything it ever releases.

The public names are loaded when they are first used, so that ``import partita`` stays light.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from partita.errors import (
        BudgetExceeded,
        EngineFault,
        InvalidInput,
        LedgerFault,
        NotProven,
        PartitaError,
        QueryRefused,
    )
    from partita.granularity import edges, groups, metric, nodes, replace, rows, users, windows
    from partita.mechanisms.exponential import Exponential
    from partita.mechanisms.gaussian import GaussianNoise
    from partita.mechanisms.laplace import Laplace
    from partita.mechanisms.randomized_response import RandomizedResponse
    from partita.theory.conversions import convert, group_privacy
    from partita.theory.distance import Distance, l1, l2, l2_squared, linf
    from partita.theory.measures.approximate import Approximate
    from partita.theory.measures.gdp import GDP
    from partita.theory.measures.profile import Profile
    from partita.theory.measures.pure import Pure
    from partita.theory.measures.renyi import Renyi
    from partita.theory.measures.zcdp import ZCDP
    from partita.theory.semantics import (
        membership_advantage,
        posterior,
        posterior_odds,
        posterior_range,
        someone_published,
        true_positive_rate,
        with_and_without,
    )

# Where each public name lives, by module.
_HOMES = {
    "partita.errors": [
        *("PartitaError", "InvalidInput", "NotProven", "BudgetExceeded"),
        *("QueryRefused", "LedgerFault", "EngineFault"),
    ],
    "partita.granularity": ["rows", "replace", "groups", "users", "windows", "metric", "edges", "nodes"],
    "partita.mechanisms.exponential": ["Exponential"],
    "partita.mechanisms.gaussian": ["GaussianNoise"],
    "partita.mechanisms.laplace": ["Laplace"],
    "partita.mechanisms.randomized_response": ["RandomizedResponse"],
    "partita.theory.conversions": ["convert", "group_privacy"],
    "partita.theory.distance": ["Distance", "l1", "l2", "l2_squared", "linf"],
    "partita.theory.measures.approximate": ["Approximate"],
    "partita.theory.measures.gdp": ["GDP"],
    "partita.theory.measures.profile": ["Profile"],
    "partita.theory.measures.pure": ["Pure"],
    "partita.theory.measures.renyi": ["Renyi"],
    "partita.theory.measures.zcdp": ["ZCDP"],
    "partita.theory.semantics": [
        *("membership_advantage", "posterior", "posterior_odds", "posterior_range"),
        *("someone_published", "true_positive_rate", "with_and_without"),
    ],
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__version__ = "0.1.0"
__all__ = [*_HOME_OF, "__version__"]


def __getattr__(name: str) -> object:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module 'partita' has no attribute {name!r}")
    value = getattr(importlib.import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
