"""What is said of an attack that cannot be run."""

from __future__ import annotations

from partita.errors.base import InvalidInput


def unknown_attack(name: object, known: tuple[str, ...]) -> InvalidInput:
    """There is no attack of that name."""
    return InvalidInput(
        "attacks.unknown-attack",
        f"There is no attack called {name!r}. Choose among: {', '.join(known)}. Nothing was attacked.",
    )


def unknown_method(name: object, known: tuple[str, ...]) -> InvalidInput:
    """There is no way of reconstructing of that name."""
    return InvalidInput(
        "attacks.unknown-method",
        f"method = {name!r} is not known. Choose among: {', '.join(known)}. Nothing was attacked.",
    )


def too_many_to_try(people: int, most: int) -> InvalidInput:
    """More tables than can be tried one by one."""
    return InvalidInput(
        "attacks.too-many-to-try",
        f"{people} people have 2^{people} tables, and the exhaustive attack tries all: give at most {most} people, or "
        f"method='least squares'. Nothing was attacked.",
    )
