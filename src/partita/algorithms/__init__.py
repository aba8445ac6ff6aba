"""What composition makes possible: private algorithms built from simple releases, each with its proof and its error.

The names are loaded when they are first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from partita.algorithms.linear import Estimate as Estimate
    from partita.algorithms.linear import LinearQueries as LinearQueries
    from partita.algorithms.strategy import Strategy as Strategy
    from partita.algorithms.workload import Workload as Workload

# Where each public name lives.
_HOMES = {
    "Estimate": "partita.algorithms.linear",
    "LinearQueries": "partita.algorithms.linear",
    "Strategy": "partita.algorithms.strategy",
    "Workload": "partita.algorithms.workload",
}

__all__ = [
    "Estimate",
    "LinearQueries",
    "Strategy",
    "Workload",
]


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'partita.algorithms' has no attribute {name!r}")
    value = getattr(importlib.import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
