"""Refusals about quantiles: their shares, their sides, and too many values to choose from."""

from __future__ import annotations

from partita.errors.base import QueryRefused
from partita.errors.wording import UNTOUCHED


def bad_share() -> QueryRefused:
    """A quantile needs a share of the rows."""
    return QueryRefused(
        "quantiles.bad-share",
        f"A quantile needs a constant share between 0 and 1 with at most six digits. {UNTOUCHED} "
        f"Write QUANTILE(x, 0.9) for the value that nine tenths of the rows lie below.",
    )


def nothing_beyond(what: str, side: int) -> QueryRefused:
    """A value surely below the least, or surely above the greatest."""
    end, other, name = ("below", "HIGH", "MIN") if side < 0 else ("above", "LOW", "MAX")
    return QueryRefused(
        "quantiles.nothing-beyond",
        f"{what} is the end of the column: {name} is one person's value, so nothing but the end is surely {end} it. "
        f"{UNTOUCHED} Ask for the other side alone: QUANTILE_{other}(x, {0 if side < 0 else 1}).",
    )


def several_shares() -> QueryRefused:
    """A list of shares; one column of the answer holds one quantile."""
    return QueryRefused(
        "quantiles.several-shares",
        f"A list of shares would put several quantiles into one column. {UNTOUCHED} "
        f"Write one for each: QUANTILE(x, 0.25) AS low, QUANTILE(x, 0.75) AS high. They share one price.",
    )


def quantile_of_too_many(count: int, most: int) -> QueryRefused:
    """A quantile of an expression with too many possible values to choose among."""
    return QueryRefused(
        "quantiles.too-many-values",
        f"A quantile is chosen among all possible values, and {count:,} are more than the {most:,} that one choice can "
        f"be made among. {UNTOUCHED} Declare a coarser step, or write CLAMP(x, low, high).",
    )
