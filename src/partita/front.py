"""A lazy front: the public names of a package, each loaded from its module when it is first used."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module


def front(
    package: str, homes: Mapping[str, str | tuple[str, str]]
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """The ``__getattr__`` and ``__dir__`` of a package whose names live in these modules.

    A home is a module, or a module and what the name is called there; nothing, if the name is the module itself.

    >>> attribute, names = front(__name__, {"pi": "math", "sine": ("math", "sin")})
    >>> attribute("sine")
    <built-in function sin>
    """

    def attribute(name: str) -> object:
        home = homes.get(name)
        if home is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, called = (home, name) if isinstance(home, str) else home
        value: object = import_module(module)
        if called:
            value = getattr(value, called)
        vars(sys.modules[package])[name] = value
        return value

    return attribute, lambda: sorted(vars(sys.modules[package])["__all__"])
