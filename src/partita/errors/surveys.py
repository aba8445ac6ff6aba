"""What is said of surveys and selections used wrongly."""

from __future__ import annotations

from collections.abc import Sequence

from partita.errors.base import InvalidInput


def few_answers(answers: Sequence[object]) -> InvalidInput:
    """A survey needs answers to choose from."""
    return InvalidInput(
        "surveys.few-answers",
        f"answers = {list(answers)!r} has fewer than two answers or names one twice. Nobody was asked. List every "
        f"answer that people can give, once.",
    )


def unknown_answer() -> InvalidInput:
    """An answer that is not on the list; which one is not said."""
    return InvalidInput(
        "surveys.unknown-answer",
        "An answer is not on the survey's list. Nothing was reported. List every answer that people can give, or add "
        "one for all others.",
    )


def unknown_encoding(encoding: object, known: Sequence[str]) -> InvalidInput:
    """A way to report that there is not."""
    listed = ", ".join(repr(name) for name in known)
    return InvalidInput("surveys.unknown-encoding", f"encoding = {encoding!r} is not one of {listed}.")


def foreign_reports() -> InvalidInput:
    """Reports that this survey cannot have made."""
    return InvalidInput(
        "surveys.foreign-reports",
        "The reports are not of the kind that this survey collects. Pass what collect returned, of this survey alone.",
    )


def no_delta() -> InvalidInput:
    """Values that nobody listed cannot be named without a δ."""
    return InvalidInput(
        "surveys.no-delta",
        "Values that are not listed beforehand can be named only at a price with a δ: whatever is named shows that "
        "somebody has it. Nothing was drawn. Write epsilon= with delta=, or rho= with delta=, say delta='1e-6'; or "
        "count over a public list of values.",
    )


def bad_counts(found: str) -> InvalidInput:
    """Counts must be whole numbers by item."""
    return InvalidInput(
        "surveys.bad-counts",
        f"Exact counts by item are needed, such as {{'a': 3}} or a list of whole numbers, and {found} was given. "
        f"Nothing was drawn.",
    )


def too_many_chosen(wanted: int, items: int) -> InvalidInput:
    """More is to be chosen than there is."""
    return InvalidInput(
        "surveys.too-many-chosen",
        f"k = {wanted} is more than the number of items ({items}). Nothing was drawn. Ask for fewer.",
    )


def unknown_method(method: object, known: Sequence[str]) -> InvalidInput:
    """A way to choose that there is not."""
    listed = ", ".join(repr(name) for name in known)
    return InvalidInput("surveys.unknown-method", f"method = {method!r} is not one of {listed}. Nothing was drawn.")


def bad_quantile(quantile: object) -> InvalidInput:
    """A quantile lies between zero and one."""
    return InvalidInput(
        "surveys.bad-quantile", f"quantile = {quantile!r} is not between 0 and 1. Nothing was drawn. The median is 1/2."
    )
