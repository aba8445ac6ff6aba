"""What is said of searches among models that make no sense."""

from __future__ import annotations

from partita.errors.base import InvalidInput


def not_searchable(estimator: object) -> InvalidInput:
    """Only models whose score is a sum over rows are searched among."""
    return InvalidInput(
        "algorithms.not-searchable",
        f"{type(estimator).__name__} is no LogisticRegression or LinearRegression, so its models are not searched "
        f"among. Nothing was read.",
    )


def search_priced_apart() -> InvalidInput:
    """The price is that of the whole search."""
    return InvalidInput(
        "algorithms.search-priced-apart",
        "A search has one price, PrivateSearch(..., epsilon=...), which is pure and pays for all its tries; the "
        "estimator in it has none. Nothing was read.",
    )


def bad_candidates() -> InvalidInput:
    """Candidates that are neither settings nor lists of values."""
    return InvalidInput(
        "algorithms.bad-candidates",
        "candidates are a list of settings, such as [{'row_norm': 1}, {'row_norm': 2}], or lists of values, such as "
        "{'row_norm': [1, 2]}. Nothing was read.",
    )


def few_candidates(count: int) -> InvalidInput:
    """With one candidate there is nothing to search for."""
    return InvalidInput(
        "algorithms.few-candidates",
        f"There are {count} candidates, and a search costs more than fitting one model. Nothing was read. Give two or "
        f"more, or fit the model itself.",
    )


def too_many_candidates(count: int, most: int) -> InvalidInput:
    """Every candidate is planned before a row is read."""
    return InvalidInput(
        "algorithms.too-many-candidates",
        f"There are {count} candidates, and each is planned beforehand; at most {most} are. Nothing was read. Draw so "
        f"many of them at random: a search looks at a few of them only.",
    )


def odd_tries(tries: object, most: int) -> InvalidInput:
    """A mean number of tries that makes no sense."""
    return InvalidInput(
        "algorithms.odd-tries",
        f"tries = {tries} is not between 1 and {most}: it is how many models are learnt on average. Nothing was read.",
    )
