"""What is said of a draw that cannot be made."""

from __future__ import annotations

from partita.errors.base import InvalidInput
from partita.errors.wording import shown


def not_a_size(value: object) -> InvalidInput:
    """A number of draws that is not a whole number of zero or more."""
    return InvalidInput(
        "sampling.not-a-size",
        f"size = {shown(value)} is not a number of draws. Nothing was drawn. Give a whole number, zero or more.",
    )


def size_too_large(value: int, limit: int) -> InvalidInput:
    """More draws than fit into the memory of any machine."""
    return InvalidInput(
        "sampling.size-too-large",
        f"size = {value} is more than {limit} draws at once. Nothing was drawn. Draw in several smaller parts.",
    )


def not_a_source(value: object) -> InvalidInput:
    """Something else where a source of random bits is needed."""
    return InvalidInput(
        "sampling.not-a-source",
        f"bits = {shown(value)} is not a source of random bits. Nothing was drawn. "
        f"Give partita.sampling.entropy.system(), or in a test partita.sampling.bits.TestBits(seed).",
    )


def no_candidates() -> InvalidInput:
    """A choice among nothing."""
    return InvalidInput(
        "sampling.no-candidates",
        "There is nothing to choose from: the list of scores is empty. Nothing was drawn. Give at least one score.",
    )


def scores_not_exact(value: object) -> InvalidInput:
    """Scores that are not exact numbers in a flat list."""
    return InvalidInput(
        "sampling.scores-not-exact",
        f"scores = {shown(value)} is not a flat list of exact numbers. Nothing was drawn. "
        f"Give integers or Fractions: a rounded float score would move by more than its declared distance.",
    )


def too_many_candidates(count: int, limit: int) -> InvalidInput:
    """More candidates than one exact choice can hold."""
    return InvalidInput(
        "sampling.too-many-candidates",
        f"{count} candidates are more than the {limit} one choice can hold. Nothing was drawn. "
        f"Choose in two steps: first a group of candidates, then one within it.",
    )
