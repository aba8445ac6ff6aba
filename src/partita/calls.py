"""Calls in our own words: what Python says of a wrong argument becomes a refusal that says how to call."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Any, TypeVar

from partita.errors import PartitaError
from partita.errors import foundation as refuse

_Called = TypeVar("_Called", bound=Callable[..., Any])
_Made = TypeVar("_Made")
_BY_PLACE = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)


def called(function: _Called) -> _Called:
    """The function, which refuses a call that does not fit its signature; what it raises itself is left alone.

    >>> @called
    ... def release(count, *, epsilon):
    ...     return count
    >>> try:
    ...     release(5, eps=1)
    ... except PartitaError as refusal:
    ...     print(refusal.message)
    release() has no argument eps=. Did you mean epsilon=? Nothing was read and nothing was charged. Write \
release(count, epsilon=...).
    """

    @wraps(function)
    def calling(*given: Any, **named: Any) -> Any:
        try:
            return function(*given, **named)
        except TypeError:
            problem = misfit(function.__qualname__, signature(calling), given, named)
            if problem is None:
                raise
        raise problem

    return calling  # type: ignore[return-value]


def made_by_name(cls: type[_Made]) -> type[_Made]:
    """The class, which refuses to be made from arguments that it does not have."""
    cls.__init__ = called(cls.__init__)  # type: ignore[method-assign]
    return cls


def misfit(name: str, wanted: Signature, given: tuple[Any, ...], named: dict[str, Any]) -> PartitaError | None:
    """The refusal of a call that does not fit a signature; None if it fits."""
    try:
        wanted.bind(*given, **named)
    except TypeError:
        pass
    else:
        return None
    parameters = list(wanted.parameters.values())
    if parameters and parameters[0].name in ("self", "cls") and given:
        parameters, given = parameters[1:], given[1:]
    name = name.removesuffix(".__init__").rpartition(".")[2]
    listed = [one for one in parameters if one.kind in (*_BY_PLACE, Parameter.KEYWORD_ONLY)]
    by_place = [one for one in listed if one.kind in _BY_PLACE]
    usage = f"{name}({', '.join(_written(one) for one in listed if one.default is Parameter.empty)})"
    unknown = next((one for one in named if one not in wanted.parameters), None)
    if unknown is not None:
        return refuse.unknown_argument(name, unknown, [one.name for one in listed], usage)
    if len(given) > len(by_place):
        spare = [one.name for one in listed if one.kind is Parameter.KEYWORD_ONLY]
        return refuse.argument_by_name(name, len(by_place), given[len(by_place)], spare)
    held = {one.name for one in by_place[: len(given)]}
    twice = next((one for one in named if one in held), None)
    if twice is not None:
        return refuse.argument_twice(name, twice, usage)
    lacking = [one for one in listed if one.default is Parameter.empty and one.name not in held | set(named)]
    return refuse.missing_arguments(name, [one.name for one in lacking], usage)


def listed(name: str, given: Iterable[_Made], example: str) -> list[_Made]:
    """What was given as a list, or a refusal where it is one thing by itself."""
    if not isinstance(given, Iterable) or isinstance(given, str | bytes):
        raise refuse.not_listed(name, given, example)
    return list(given)


def _written(one: Parameter) -> str:
    return one.name if one.kind in _BY_PLACE else f"{one.name}=..."
