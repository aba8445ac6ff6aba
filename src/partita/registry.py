"""Finds the members of an open family: every module of its folder is imported, every final class is listed."""

from __future__ import annotations

import importlib
import pkgutil
from types import ModuleType
from typing import TypeVar

Member = TypeVar("Member")


def members(family: type[Member], folder: ModuleType) -> dict[str, type[Member]]:
    """The members of a family by their durable ``kind``, found by importing each module of the folder.

    >>> import partita.theory.measures as folder
    >>> from partita.theory.measures.base import Measure
    >>> sorted(members(Measure, folder))
    ['approximate', 'gdp', 'profile', 'pure', 'renyi', 'zcdp']
    """
    found: dict[str, type[Member]] = {}
    for module in pkgutil.iter_modules(folder.__path__, prefix=f"{folder.__name__}."):
        loaded = importlib.import_module(module.name)
        for thing in vars(loaded).values():
            if (
                isinstance(thing, type)
                and issubclass(thing, family)
                and thing.__module__ == module.name
                and not getattr(thing, "__abstractmethods__", None)
            ):
                kind = getattr(thing, "kind", "")
                if not kind or kind in found:
                    raise TypeError(f"{thing.__qualname__} needs a kind of its own; {kind!r} is taken or empty")
                found[kind] = thing
    return found
