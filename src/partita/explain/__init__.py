"""A guarantee in words and pictures, for the person in the data, the analyst and the officer."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any, final


@final
class _Called(ModuleType):
    """``partita.explain`` is a package and a function: whichever was imported first, calling it explains."""

    def __call__(self, *guarantee: Any, **options: Any) -> Any:
        from partita.explain.words import explain

        return explain(*guarantee, **options)


sys.modules[__name__].__class__ = _Called
