"""What a custodian is warned of, without being refused."""

from __future__ import annotations

from partita.errors.base import Caution


def large_delta(table: str, people: int, unit: str, delta: str) -> Caution:
    """A δ of at least one in the number of people: publishing somebody outright would keep such a promise (B25)."""
    return Caution(
        "curator.large-delta",
        f"δ = {delta} of the promise for [{unit}] is more than 1/{people}, and table {table} was declared to hold at "
        f"least {people} people: publishing one of them outright would keep such a promise. Choose a δ far below "
        f"1/{people}.",
    )


def same_contents(first: str, second: str) -> Caution:
    """Two sources with the same rows in them; told in the operator's log alone, since it depends on the rows."""
    return Caution(
        "curator.same-contents",
        f"The tables {first} and {second} hold the same rows in two places. Each has a budget of its own, so that what "
        f"is promised for a row holds for each of the copies and not for both together. Declare the rows once.",
    )
