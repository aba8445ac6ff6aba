"""What is said of a law of the privacy loss that cannot be built."""

from __future__ import annotations

from partita.errors.base import InvalidInput


def bad_parameter(name: str, value: object) -> InvalidInput:
    """A parameter of a law outside its range."""
    return InvalidInput(
        "losses.bad-parameter",
        f"A privacy loss with {name} = {value} does not exist. Give a finite number in its range.",
    )


def not_a_distribution(reason: str) -> InvalidInput:
    """Probabilities that are negative, do not sum to one, or do not match."""
    return InvalidInput(
        "losses.not-a-distribution",
        f"These numbers are not a pair of distributions: {reason}. Give non-negative probabilities, one for each "
        f"outcome in both lists, each list with the sum 1.",
    )


def not_a_profile(reason: str) -> InvalidInput:
    """A table of (epsilon, delta) points that no pair could have."""
    return InvalidInput(
        "losses.not-a-profile",
        f"This table is not a privacy profile: {reason}. Give points (ε, δ) with strictly growing ε and δ between "
        f"0 and 1 that never grows.",
    )


def too_many_atoms(atoms: int, limit: int) -> InvalidInput:
    """A discrete law with more outcomes than can be handled."""
    return InvalidInput(
        "losses.too-many-atoms",
        f"This law has {atoms} outcomes, more than {limit}. Merge outcomes with nearly equal losses upwards, or use "
        f"continuous noise rounded to the lattice (pt.GaussianNoise, pt.Laplace), which needs no table.",
    )
