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


def needs_delta(kind: str) -> InvalidInput:
    """The mechanism has one ε for every δ."""
    return InvalidInput(
        "mechanisms.needs-delta",
        f"{kind} has one (ε, δ) for every δ. Say which: cost(distance, pt.Approximate, delta=...).",
    )


def scale_or_epsilon(kind: str) -> InvalidInput:
    """The amount of noise was given twice, or not at all."""
    return InvalidInput(
        "mechanisms.scale-or-epsilon",
        f"{kind} noise needs scale=... or epsilon=... (the loss at distance 1), and exactly one of the two.",
    )


def not_integers(found: str) -> InvalidInput:
    """Something else where exact integers are needed; the type is named, never the value."""
    return InvalidInput(
        "mechanisms.not-integers",
        f"Exact integers are needed, and {found} was given. Nothing was drawn. Scale the values to integers in units "
        f"of a public step (cents for money), release those, and multiply the answer by the step: noise on floats "
        f"leaks through their low bits.",
    )


def not_flat(dimensions: int) -> InvalidInput:
    """A choice needs one list of scores."""
    return InvalidInput(
        "mechanisms.not-flat",
        f"One flat list of integers is needed, and an array with {dimensions} dimensions was given. Nothing was drawn.",
    )


def nothing_to_choose() -> InvalidInput:
    """A choice among nothing."""
    return InvalidInput(
        "mechanisms.nothing-to-choose",
        "There is nothing to choose from: the list is empty. Nothing was drawn. Give at least one candidate.",
    )


def nothing_to_hide() -> InvalidInput:
    """A distance of zero needs no noise, so none can be calibrated."""
    return InvalidInput(
        "mechanisms.nothing-to-hide",
        "The distance is 0: no neighbour moves the result, so it needs no noise. Check the distance.",
    )


def no_noise_fits(kind: str, budget: str) -> NotProven:
    """No amount of this noise keeps a budget of this kind."""
    return NotProven(
        "mechanisms.no-noise-fits",
        f"No amount of {kind} noise keeps {budget}. Its loss is unbounded, so it needs a budget in ρ, μ, τ(α), "
        f"or (ε, δ) with δ > 0, and more than zero of it.",
    )


def not_a_budget(value: object) -> InvalidInput:
    """Something that is not a loss stands where a budget is needed."""
    return InvalidInput(
        "mechanisms.not-a-budget",
        f"budget = {value!r} is not a privacy loss. Give pt.Approximate(epsilon=..., delta=...), pt.ZCDP(rho=...) "
        f"or another measure.",
    )


def outside_answers(values: int) -> InvalidInput:
    """A report outside the declared answers; the value itself is not shown."""
    return InvalidInput(
        "mechanisms.outside-answers",
        f"Randomised response has the answers 0 to {values - 1}, and another value was given. Nothing was drawn. "
        f"Number the answers from 0.",
    )


def no_reports() -> InvalidInput:
    """An estimate from nothing."""
    return InvalidInput(
        "mechanisms.no-reports",
        "There are no reports to estimate from. Give at least one.",
    )


def not_a_switch(name: str, value: object) -> InvalidInput:
    """Something else where True or False is needed."""
    return InvalidInput("mechanisms.not-a-switch", f"{name} = {value!r} is neither True nor False.")
