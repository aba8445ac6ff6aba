"""What is said of mechanisms used wrongly."""

from __future__ import annotations

from partita.errors.base import InvalidInput, NotProven


def other_norm(kind: str, needed: str, given: str) -> InvalidInput:
    """The mechanism is calibrated in another norm than the distance."""
    return InvalidInput(
        "mechanisms.other-norm",
        f"{kind} noise is calibrated to a distance in {needed}, and {given} was given. "
        f"Say how far neighbours move the result in {needed}: pt.{needed}(...).",
    )


def not_a_distance(value: object) -> InvalidInput:
    """A bare number does not say in which norm it is measured."""
    return InvalidInput(
        "mechanisms.not-a-distance",
        f"distance = {value!r} does not say in which norm. Write pt.l1(1) or pt.l2(1).",
    )


def no_cost(kind: str, measure: str) -> NotProven:
    """No theorem prices this mechanism in this measure."""
    return NotProven(
        "mechanisms.no-cost",
        f"No theorem gives the cost of {kind} in {measure}. Use another measure, or pt.compose with its exact curve.",
    )
