"""Keywords written once: a method that hands its keywords on still shows them one by one."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, signature
from typing import Any, TypeVar

from partita.calls import called

_Method = TypeVar("_Method", bound=Callable[..., Any])


def spelled_as(reader: Callable[..., object]) -> Callable[[_Method], _Method]:
    """Show the keywords of the reader that ``**`` is handed on to, wherever a method's signature is asked for.

    Their types are checked by the method's own ``Unpack``; ``help`` and notebooks read the signature.

    >>> from partita.composition.calibration.pricing import Price
    >>> @spelled_as(Price.of)
    ... def ask(question, *, analyst="", **price):
    ...     return Price.of(**price)
    >>> list(signature(ask).parameters)
    ['question', 'epsilon', 'rho', 'mu', 'delta', 'analyst']
    """
    keywords = list(signature(reader).parameters.values())

    def spelled(method: _Method) -> _Method:
        own = signature(method)
        named = [one for one in own.parameters.values() if one.kind is not Parameter.VAR_KEYWORD]
        first = [one for one in named if one.kind is not Parameter.KEYWORD_ONLY]
        last = [one for one in named if one.kind is Parameter.KEYWORD_ONLY]
        method.__signature__ = own.replace(parameters=[*first, *keywords, *last])  # type: ignore[attr-defined]
        shown = called(method)
        shown.__signature__ = method.__signature__  # type: ignore[attr-defined]
        return shown

    return spelled
