"""What composition makes possible: private algorithms built from simple releases, each with its proof and its error.

The names are loaded when they are first used.
"""

from __future__ import annotations

import importlib

# Where each public name lives.
_HOMES: dict[str, str] = {}

__all__: list[str] = []


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'partita.algorithms' has no attribute {name!r}")
    value = getattr(importlib.import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
