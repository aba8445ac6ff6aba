"""What is said of quantiles that cannot be chosen."""

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


def several_shares() -> QueryRefused:
    """One column of the answer holds one quantile."""
    return QueryRefused(
        "quantiles.several-shares",
        f"A list of shares would put several quantiles into one column. {UNTOUCHED} "
        f"Write one for each: QUANTILE(x, 0.25) AS low, QUANTILE(x, 0.75) AS high. They share one price.",
    )


def too_many_values(count: int, most: int) -> QueryRefused:
    """One choice is made among all values an expression may have."""
    return QueryRefused(
        "quantiles.too-many-values",
        f"A quantile is chosen among all possible values, and {count:,} are more than the {most:,} that one choice can "
        f"be made among. {UNTOUCHED} Declare a coarser step, or write CLAMP(x, low, high).",
    )
